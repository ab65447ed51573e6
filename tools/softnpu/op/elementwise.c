/* SPDX-License-Identifier: Apache-2.0 */
/* libopapi: aclnnAdd and aclnnMul with their relatives. */
#include "tensor.h"

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"

/* Byte offset of the element of v that belongs to one of out: missing and single dimensions repeat. */
static int64_t element(const struct tensor_view *v, const struct tensor_view *out, const int64_t *index)
{
	int64_t at = v->offset;

	for (uint32_t i = 0; i < v->n; i++)
		if (v->dims[i] != 1)
			at += index[out->n - v->n + i] * v->strides[i];
	return at * (int64_t)element_size(v->type);
}

static bool next(const struct tensor_view *out, int64_t *index)
{
	for (uint32_t i = out->n; i-- > 0;) {
		if (++index[i] < out->dims[i])
			return true;
		index[i] = 0;
	}
	return false;
}

enum what { ADD, MUL };

static int64_t compute_integer(enum what what, int64_t a, int64_t b, int64_t alpha)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	return (int64_t)(what == ADD ? x + y * (uint64_t)alpha : x * y);
}

/* Single precision is computed in single precision, as the device does. */
static double compute(enum what what, aclDataType type, double a, double b, double alpha)
{
	if (type == ACL_DOUBLE)
		return what == ADD ? a + b * alpha : a * b;
	return what == ADD ? (float)a + (float)b * (float)alpha : (float)a * (float)b;
}

/* Two inputs, or one and the scalar. */
static void one(const struct op_args *args, enum what what, char *const *data, const int64_t *index)
{
	const struct tensor_view *out = &args->t[args->n_tensors - 1];
	const char *a = data[0] + element(&args->t[0], out, index);
	const char *b = args->n_tensors == 3 ? data[1] + element(&args->t[1], out, index) : NULL;
	char *to = data[args->n_tensors - 1] + element(out, out, index);

	if (is_integer(out->type) && is_integer(args->t[0].type))
		store_integer(to, out->type,
			compute_integer(what, load_integer(a, args->t[0].type),
				b ? load_integer(b, args->t[1].type) : args->scalar_integer,
				args->alpha_integer));
	else
		store_number(to, out->type,
			compute(what, out->type, load_number(a, args->t[0].type),
				b ? load_number(b, args->t[1].type) : args->scalar, args->alpha));
}

static void run(const softnpu_launch *launch, enum what what)
{
	const struct op_args *args = launch->args;
	char *data[MAX_OPERANDS];
	int64_t index[MAX_DIMS] = {0};

	for (uint32_t i = 0; i < args->n_tensors; i++) {
		size_t extent = view_extent(&args->t[i]);

		data[i] = extent ? softnpu_memory(args->t[i].data, extent) : NULL;
		if (!data[i])
			return;
	}
	do {
		one(args, what, data, index);
	} while (next(&args->t[args->n_tensors - 1], index));
}

static void add_kernel(const softnpu_launch *launch)
{
	run(launch, ADD);
}

static void mul_kernel(const softnpu_launch *launch)
{
	run(launch, MUL);
}

static bool broadcasts_to(const struct tensor_view *v, const struct tensor_view *out)
{
	if (v->n > out->n)
		return false;
	for (uint32_t i = 0; i < v->n; i++)
		if (v->dims[i] != 1 && v->dims[i] != out->dims[out->n - v->n + i])
			return false;
	return true;
}

/* First phase of all of them: other or scalar, alpha or 1. */
static aclnnStatus prepare(const char *name, softnpu_kernel kernel, const aclTensor *self,
	const aclTensor *other, const aclScalar *scalar, const aclScalar *alpha, const aclTensor *out,
	uint64_t *workspace, aclOpExecutor **executor)
{
	aclOpExecutor *e;

	if (!self || (!other && !scalar) || !out || !workspace || !executor)
		return NN_NULL;
	if (!element_size(self->view.type) || !element_size(out->view.type) ||
		(other && other->view.type != self->view.type) || !broadcasts_to(&self->view, &out->view) ||
		(other && !broadcasts_to(&other->view, &out->view)))
		return NN_INVALID;
	e = executor_new(name, kernel);
	if (!e)
		return NN_INNER;
	executor_add(e, self);
	if (other)
		executor_add(e, other);
	executor_add(e, out);
	e->args.scalar = scalar ? scalar->value : 0;
	e->args.scalar_integer = scalar ? scalar->integer : 0;
	e->args.alpha = alpha ? alpha->value : 1;
	e->args.alpha_integer = alpha ? alpha->integer : 1;
	*workspace = 0;
	*executor = e;
	return NN_OK;
}

static aclnnStatus perform(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream)
{
	(void)workspace;
	(void)size;
	return executor_run(executor, stream);
}

aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
	aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
	if (!alpha || !other)
		return NN_NULL;
	return prepare("aclnnAdd", add_kernel, self, other, NULL, alpha, out, workspaceSize, executor);
}

aclnnStatus aclnnAddsGetWorkspaceSize(const aclTensor *self, const aclScalar *other, const aclScalar *alpha,
	aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
	if (!alpha || !other)
		return NN_NULL;
	return prepare("aclnnAdds", add_kernel, self, NULL, other, alpha, out, workspaceSize, executor);
}

aclnnStatus aclnnInplaceAddGetWorkspaceSize(const aclTensor *selfRef, const aclTensor *other,
	const aclScalar *alpha, uint64_t *workspaceSize, aclOpExecutor **executor)
{
	if (!alpha || !other)
		return NN_NULL;
	return prepare(
		"aclnnInplaceAdd", add_kernel, selfRef, other, NULL, alpha, selfRef, workspaceSize, executor);
}

aclnnStatus aclnnInplaceAddsGetWorkspaceSize(const aclTensor *selfRef, const aclScalar *other,
	const aclScalar *alpha, uint64_t *workspaceSize, aclOpExecutor **executor)
{
	if (!alpha || !other)
		return NN_NULL;
	return prepare("aclnnInplaceAdds", add_kernel, selfRef, NULL, other, alpha, selfRef, workspaceSize,
		executor);
}

aclnnStatus aclnnMulGetWorkspaceSize(const aclTensor *self, const aclTensor *other, aclTensor *out,
	uint64_t *workspaceSize, aclOpExecutor **executor)
{
	if (!other)
		return NN_NULL;
	return prepare("aclnnMul", mul_kernel, self, other, NULL, NULL, out, workspaceSize, executor);
}

aclnnStatus aclnnMulsGetWorkspaceSize(const aclTensor *self, const aclScalar *other, aclTensor *out,
	uint64_t *workspaceSize, aclOpExecutor **executor)
{
	return prepare("aclnnMuls", mul_kernel, self, NULL, other, NULL, out, workspaceSize, executor);
}

aclnnStatus aclnnInplaceMulGetWorkspaceSize(
	const aclTensor *selfRef, const aclTensor *other, uint64_t *workspaceSize, aclOpExecutor **executor)
{
	if (!other)
		return NN_NULL;
	return prepare(
		"aclnnInplaceMul", mul_kernel, selfRef, other, NULL, NULL, selfRef, workspaceSize, executor);
}

aclnnStatus aclnnInplaceMulsGetWorkspaceSize(
	const aclTensor *selfRef, const aclScalar *other, uint64_t *workspaceSize, aclOpExecutor **executor)
{
	return prepare(
		"aclnnInplaceMuls", mul_kernel, selfRef, NULL, other, NULL, selfRef, workspaceSize, executor);
}

#define SECOND_PHASE(name)                                                                                   \
	aclnnStatus name(                                                                                    \
		void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)        \
	{                                                                                                    \
		return perform(workspace, workspaceSize, executor, stream);                                  \
	}

SECOND_PHASE(aclnnAdd)
SECOND_PHASE(aclnnAdds)
SECOND_PHASE(aclnnInplaceAdd)
SECOND_PHASE(aclnnInplaceAdds)
SECOND_PHASE(aclnnMul)
SECOND_PHASE(aclnnMuls)
SECOND_PHASE(aclnnInplaceMul)
SECOND_PHASE(aclnnInplaceMuls)
