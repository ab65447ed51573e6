/* SPDX-License-Identifier: Apache-2.0 */
/* The 16-bit floating types: as C has no common names for them, their bits. */
#ifndef SOFTNPU_HALF_H
#define SOFTNPU_HALF_H

#include <stdint.h>
#include <string.h>

static inline float half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 0x1f, mantissa = h & 0x3ff, bits;
	float f;

	if (exponent == 0x1f) {
		bits = sign | 0x7f800000 | mantissa << 13;
	} else if (exponent) {
		bits = sign | (exponent + 112) << 23 | mantissa << 13;
	} else {
		f = (float)mantissa / 16777216.0f; /* subnormal: mantissa * 2^-24 */
		return sign ? -f : f;
	}
	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Rounds to nearest, ties to even. */
static inline uint16_t float_to_half(float f)
{
	uint32_t bits, sign, mantissa;
	int exponent;

	memcpy(&bits, &f, sizeof(bits));
	sign = bits >> 16 & 0x8000;
	exponent = (int)(bits >> 23 & 0xff) - 112;
	mantissa = bits & 0x7fffff;
	if (exponent == 0xff - 112)
		return (uint16_t)(sign | 0x7c00 | (mantissa ? 0x200 : 0));
	if (exponent >= 0x1f)
		return (uint16_t)(sign | 0x7c00);
	if (exponent <= 0) {
		unsigned shift = (unsigned)(14 - exponent);
		uint32_t rest;

		if (shift > 24)
			return (uint16_t)sign;
		mantissa |= 0x800000;
		rest = mantissa & ((1u << shift) - 1);
		mantissa >>= shift;
		mantissa += rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && mantissa & 1);
		return (uint16_t)(sign | mantissa);
	}
	mantissa |= (uint32_t)exponent << 23;
	mantissa += 0xfff + (mantissa >> 13 & 1);
	return (uint16_t)(sign | mantissa >> 13);
}

static inline float bf16_to_float(uint16_t h)
{
	uint32_t bits = (uint32_t)h << 16;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Rounds to nearest, ties to even. */
static inline uint16_t float_to_bf16(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
