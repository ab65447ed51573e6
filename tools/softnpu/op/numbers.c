/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of all types in memory; part of both libraries. */
#include <string.h>

#include "tensor.h"
#include "tools/softnpu/info/half.h"

size_t element_size(aclDataType type)
{
	switch (type) {
	case ACL_BOOL:
	case ACL_INT8:
	case ACL_UINT8:
		return 1;
	case ACL_FLOAT16:
	case ACL_BF16:
	case ACL_INT16:
		return 2;
	case ACL_FLOAT:
	case ACL_INT32:
		return 4;
	case ACL_DOUBLE:
	case ACL_INT64:
		return 8;
	default:
		return 0;
	}
}

#define LOAD(ctype)                                                                                          \
	({                                                                                                   \
		ctype v_;                                                                                    \
		memcpy(&v_, at, sizeof(v_));                                                                 \
		v_;                                                                                          \
	})

double load_number(const char *at, aclDataType type)
{
	switch (type) {
	case ACL_FLOAT:
		return LOAD(float);
	case ACL_FLOAT16:
		return half_to_float(LOAD(uint16_t));
	case ACL_BF16:
		return bf16_to_float(LOAD(uint16_t));
	case ACL_DOUBLE:
		return LOAD(double);
	case ACL_INT64:
		return (double)LOAD(int64_t);
	case ACL_INT32:
		return LOAD(int32_t);
	case ACL_INT16:
		return LOAD(int16_t);
	case ACL_INT8:
		return LOAD(int8_t);
	default:
		return LOAD(uint8_t);
	}
}

#define STORE(ctype, value)                                                                                  \
	({                                                                                                   \
		ctype v_ = (ctype)(value);                                                                   \
		memcpy(at, &v_, sizeof(v_));                                                                 \
	})

void store_number(char *at, aclDataType type, double value)
{
	switch (type) {
	case ACL_FLOAT:
		STORE(float, value);
		break;
	case ACL_FLOAT16:
		STORE(uint16_t, float_to_half((float)value));
		break;
	case ACL_BF16:
		STORE(uint16_t, float_to_bf16((float)value));
		break;
	case ACL_DOUBLE:
		STORE(double, value);
		break;
	case ACL_INT64:
		STORE(int64_t, value);
		break;
	case ACL_INT32:
		STORE(int32_t, (int64_t)value);
		break;
	case ACL_INT16:
		STORE(int16_t, (int64_t)value);
		break;
	case ACL_BOOL:
		STORE(uint8_t, value != 0);
		break;
	default:
		STORE(uint8_t, (int64_t)value);
		break;
	}
}

bool is_integer(aclDataType type)
{
	return type == ACL_INT64 || type == ACL_INT32 || type == ACL_INT16 || type == ACL_INT8 ||
	       type == ACL_UINT8;
}

int64_t load_integer(const char *at, aclDataType type)
{
	return type == ACL_INT64 ? LOAD(int64_t) : (int64_t)load_number(at, type);
}

void store_integer(char *at, aclDataType type, int64_t value)
{
	switch (element_size(type)) {
	case 8:
		STORE(int64_t, value);
		break;
	case 4:
		STORE(int32_t, value);
		break;
	case 2:
		STORE(int16_t, value);
		break;
	default:
		STORE(int8_t, value);
		break;
	}
}

size_t view_extent(const struct tensor_view *v)
{
	int64_t last = v->offset;

	for (uint32_t i = 0; i < v->n; i++) {
		if (!v->dims[i])
			return 0;
		last += (v->dims[i] - 1) * v->strides[i];
	}
	return last < 0 ? 0 : (size_t)(last + 1) * element_size(v->type);
}
