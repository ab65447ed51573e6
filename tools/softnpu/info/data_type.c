/* SPDX-License-Identifier: Apache-2.0 */
/* Data types: bytes of an element, 16-bit floats. */
#include "tools/softnpu/info/half.h"
#include "tools/softnpu/core/npu.h"

/* Some types of less than a byte have one; what is not known has eight. */
size_t aclDataTypeSize(aclDataType dataType)
{
	switch (dataType) {
	case ACL_STRING:
	case ACL_DT_UNDEFINED:
		return 0;
	case ACL_UINT1:
	case ACL_INT4:
	case ACL_HIFLOAT4:
	case ACL_BOOL:
	case ACL_INT8:
	case ACL_UINT8:
	case ACL_HIFLOAT8:
	case ACL_FLOAT8_E5M2:
	case ACL_FLOAT8_E4M3FN:
	case ACL_FLOAT8_E8M0:
		return 1;
	case ACL_FLOAT16:
	case ACL_BF16:
	case ACL_INT16:
	case ACL_UINT16:
		return 2;
	case ACL_FLOAT:
	case ACL_INT32:
	case ACL_UINT32:
	case ACL_COMPLEX32:
		return 4;
	case ACL_COMPLEX128:
		return 16;
	default:
		return 8;
	}
}

float aclFloat16ToFloat(aclFloat16 value)
{
	return half_to_float(value);
}

aclFloat16 aclFloatToFloat16(float value)
{
	return float_to_half(value);
}
