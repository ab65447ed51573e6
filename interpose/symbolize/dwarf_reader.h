/* SPDX-License-Identifier: Apache-2.0 */
/* Reads numbers of DWARF's encodings from mapped memory, never past an end. */
#ifndef INTERPOSE_DWARF_READER_H
#define INTERPOSE_DWARF_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct dwarf_reader {
	const uint8_t *at, *end;
	bool failed; /* something was missing: all that was read since is 0 */
};

/* An unsigned number of 1, 2, 4 or 8 bytes. */
static inline uint64_t dwarf_fixed(struct dwarf_reader *r, unsigned size)
{
	uint64_t v = 0;

	if (r->failed || (uint64_t)(r->end - r->at) < size) {
		r->failed = true;
		return 0;
	}
	memcpy(&v, r->at, size); /* both machines are little-endian */
	r->at += size;
	return v;
}

/* The same, signed. */
static inline int64_t dwarf_fixed_signed(struct dwarf_reader *r, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (int64_t)(dwarf_fixed(r, size) << shift) >> shift;
}

static inline uint64_t dwarf_uleb(struct dwarf_reader *r)
{
	uint64_t v = 0, byte;
	unsigned shift = 0;

	do {
		byte = dwarf_fixed(r, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && !r->failed);
	return v;
}

static inline int64_t dwarf_sleb(struct dwarf_reader *r)
{
	uint64_t v = 0, byte;
	unsigned shift = 0;

	do {
		byte = dwarf_fixed(r, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && !r->failed);
	if (shift < 64 && (byte & 0x40))
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

static inline void dwarf_skip(struct dwarf_reader *r, uint64_t bytes)
{
	if ((uint64_t)(r->end - r->at) < bytes)
		r->failed = true;
	else
		r->at += bytes;
}

/* A pointer by its DW_EH_PE encoding, base for those relative to data. Indirect ones are not followed. */
uint64_t dwarf_pointer(struct dwarf_reader *r, uint8_t encoding, uint64_t data_base);

#endif
