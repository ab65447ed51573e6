/* SPDX-License-Identifier: Apache-2.0 */
/* libnnopbase: tensors, scalars, arrays, lists. */
#include "tensor.h"

#include <stdlib.h>
#include <string.h>

aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
	aclDataType dataType, const int64_t *stride, int64_t offset, aclFormat format,
	const int64_t *storageDims, uint64_t storageDimsNum, void *tensorDataAddr)
{
	int64_t contiguous = 1;

	if (!tensor || (!viewDims && viewDimsNum) || (!storageDims && storageDimsNum))
		return NN_NULL;
	if (viewDimsNum > MAX_DIMS || storageDimsNum > MAX_DIMS)
		return NN_INVALID;
	memset(tensor, 0, sizeof(*tensor));
	tensor->view.data = tensorDataAddr;
	tensor->view.offset = offset;
	tensor->view.type = dataType;
	tensor->view.n = (uint32_t)viewDimsNum;
	tensor->format = format;
	tensor->n_storage = (uint32_t)storageDimsNum;
	for (uint64_t i = viewDimsNum; i-- > 0;) {
		tensor->view.dims[i] = viewDims[i];
		tensor->view.strides[i] = stride ? stride[i] : contiguous;
		contiguous *= viewDims[i];
	}
	if (storageDimsNum)
		memcpy(tensor->storage, storageDims, storageDimsNum * sizeof(*storageDims));
	return NN_OK;
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
	const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims,
	uint64_t storageDimsNum, void *tensorData)
{
	aclTensor *t = malloc(sizeof(*t));

	if (t && aclInitTensor(t, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
			 storageDimsNum, tensorData) == NN_OK)
		return t;
	free(t);
	return NULL;
}

/* Destroying NULL is no mistake, of none of the types. */
aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
	free((void *)tensor);
	return NN_OK;
}

static int64_t *copy_dims(const int64_t *dims, uint64_t n)
{
	int64_t *copy = malloc((n + 1) * sizeof(*copy));

	if (copy)
		memcpy(copy, dims, n * sizeof(*copy));
	return copy;
}

/* The caller owns what these return and frees it with delete[] or free. */
static aclnnStatus get_dims(const int64_t *dims, uint64_t n, int64_t **out, uint64_t *num)
{
	if (!out || !num)
		return NN_NULL;
	*out = copy_dims(dims, n);
	*num = n;
	return *out ? NN_OK : NN_INNER;
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
{
	return tensor ? get_dims(tensor->view.dims, tensor->view.n, viewDims, viewDimsNum) : NN_NULL;
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum)
{
	return tensor ? get_dims(tensor->storage, tensor->n_storage, storageDims, storageDimsNum) : NN_NULL;
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)
{
	return tensor ? get_dims(tensor->view.strides, tensor->view.n, stridesValue, stridesNum) : NN_NULL;
}

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)
{
	if (!tensor || !offset)
		return NN_NULL;
	*offset = tensor->view.offset;
	return NN_OK;
}

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)
{
	if (!tensor || !format)
		return NN_NULL;
	*format = tensor->format;
	return NN_OK;
}

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)
{
	if (!tensor || !dataType)
		return NN_NULL;
	*dataType = tensor->view.type;
	return NN_OK;
}

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
	aclScalar *s;

	if (!value || !element_size(dataType) || !(s = calloc(1, sizeof(*s))))
		return NULL;
	s->type = dataType;
	s->value = load_number(value, dataType);
	if (dataType == ACL_INT64)
		memcpy(&s->integer, value, sizeof(s->integer));
	else
		s->integer = (int64_t)s->value;
	return s;
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
	free((void *)scalar);
	return NN_OK;
}

/* Arrays and lists differ only in their elements; lists own them. */
#define ARRAY_TYPE(type, element)                                                                            \
	struct acl##type {                                                                                   \
		uint64_t size;                                                                               \
		element value[];                                                                             \
	};                                                                                                   \
	acl##type *aclCreate##type(element const *value, uint64_t size)                                      \
	{                                                                                                    \
		acl##type *a = value || !size ? malloc(sizeof(*a) + size * sizeof(a->value[0])) : NULL;      \
                                                                                                             \
		if (!a)                                                                                      \
			return NULL;                                                                         \
		a->size = size;                                                                              \
		if (size)                                                                                    \
			memcpy((void *)a->value, value, size * sizeof(a->value[0]));                         \
		return a;                                                                                    \
	}                                                                                                    \
	aclnnStatus aclGet##type##Size(const acl##type *array, uint64_t *size)                               \
	{                                                                                                    \
		if (!array || !size)                                                                         \
			return NN_NULL;                                                                      \
		*size = array->size;                                                                         \
		return NN_OK;                                                                                \
	}

#define PLAIN_ARRAY(type, element)                                                                           \
	ARRAY_TYPE(type, element)                                                                            \
	aclnnStatus aclDestroy##type(const acl##type *array)                                                 \
	{                                                                                                    \
		free((void *)array);                                                                         \
		return NN_OK;                                                                                \
	}

#define OWNING_LIST(type, element, destroy)                                                                  \
	ARRAY_TYPE(type, element)                                                                            \
	aclnnStatus aclDestroy##type(const acl##type *list)                                                  \
	{                                                                                                    \
		for (uint64_t i = 0; list && i < list->size; i++)                                            \
			destroy(list->value[i]);                                                             \
		free((void *)list);                                                                          \
		return NN_OK;                                                                                \
	}

PLAIN_ARRAY(IntArray, int64_t)
PLAIN_ARRAY(FloatArray, float)
PLAIN_ARRAY(BoolArray, bool)
OWNING_LIST(TensorList, const aclTensor *, aclDestroyTensor)
OWNING_LIST(ScalarList, const aclScalar *, aclDestroyScalar)
