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

#define HALF_EXPONENT 0x7c00
#define HALF_SIGN 0x8000
#define HALF_MAX 0x7bff

/* The runtime's own conversions know no infinity and no NaN: the highest exponent is one like the others. */
float aclFloat16ToFloat(aclFloat16 value)
{
	if ((value & HALF_EXPONENT) == HALF_EXPONENT)
		return 2 * half_to_float((uint16_t)(value - 0x400));
	return half_to_float(value);
}

/* What is beyond the range, and NaN, becomes the largest number of that sign. */
aclFloat16 aclFloatToFloat16(float value)
{
	uint16_t half = float_to_half(value);

	if ((half & HALF_EXPONENT) == HALF_EXPONENT)
		half = (uint16_t)((half & HALF_SIGN) | HALF_MAX);
	return half;
}
