/* SPDX-License-Identifier: Apache-2.0 */
/* Reads numbers of DWARF's encodings from memory, never past an end: nothing that stands there is trusted. */
#ifndef INTERPOSE_DWARF_CURSOR_H
#define INTERPOSE_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A stretch of bytes that is read from its start; bad once more was wanted than there is: all read since is
 * 0. */
struct dwarf_cursor {
	const uint8_t *at, *end;
	bool bad;
};

/* An unsigned number of 1, 2, 4 or 8 bytes. */
static inline uint64_t dwarf_uint(struct dwarf_cursor *c, unsigned bytes)
{
	uint64_t v = 0;

	if (c->bad || bytes > sizeof(v) || (size_t)(c->end - c->at) < bytes) {
		c->bad = true;
		return 0;
	}
	/* Both hosts of the tool are little-endian, as are the files they run. */
	memcpy(&v, c->at, bytes);
	c->at += bytes;
	return v;
}

/* The same, signed. */
static inline int64_t dwarf_int(struct dwarf_cursor *c, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;

	return (int64_t)(dwarf_uint(c, bytes) << shift) >> shift;
}

static inline uint64_t dwarf_uleb(struct dwarf_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; !c->bad; shift += 7) {
		uint64_t byte = dwarf_uint(c, 1);

		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	return 0;
}

static inline int64_t dwarf_sleb(struct dwarf_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; !c->bad;) {
		uint64_t byte = dwarf_uint(c, 1);

		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80)) {
			if (shift < 64 && (byte & 0x40))
				v |= UINT64_MAX << shift;
			return (int64_t)v;
		}
	}
	return 0;
}

static inline void dwarf_skip(struct dwarf_cursor *c, uint64_t bytes)
{
	if (c->bad || (uint64_t)(c->end - c->at) < bytes)
		c->bad = true;
	else
		c->at += bytes;
}

#endif
