/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in copies of the interpreter's objects. */
#ifndef INTERPOSE_PYTHON_BYTES_H
#define INTERPOSE_PYTHON_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t python_number(const uint8_t *bytes, int offset)
{
	uint64_t v;

	memcpy(&v, bytes + offset, sizeof(v));
	return v;
}

static inline int32_t python_int(const uint8_t *bytes, int offset)
{
	int32_t v;

	memcpy(&v, bytes + offset, sizeof(v));
	return v;
}

#endif
