/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading what the program's pointers lead to.  They are unverified before
 * the call, and after one that failed: the pages may not be there, and a count may be
 * any number.  All such reads go through here and cannot fault.  Only what a call has
 * written successfully, or must have read, may be dereferenced without.
 */
#ifndef CHECKS_PROGRAM_MEMORY_H
#define CHECKS_PROGRAM_MEMORY_H

#include "checks/engine/instance.h"

#define PROGRAM_ELEMENTS 65536u /* of an array are looked at, whatever its count says */
#define PROGRAM_TEXT 4096u /* bytes of a text are */

/* Copies what lies there; false: it cannot be read, or from is NULL. */
bool program_read(struct checks *c, const void *from, void *to, size_t bytes);

/* Several pieces at once, none of them NULL; false: one is not all there. */
bool program_read_pieces(struct checks *c, const struct checks_piece *pieces, unsigned n);

/* What is left of an address that was passed as an int of 32 bits, whose sign is extended or not. */
static inline bool is_half_address(uint64_t address)
{
	return address >> 32 == 0 || address >> 32 == UINT32_MAX;
}

/* A pointer or handle variable; NULL when it cannot be read. */
const void *program_pointer(struct checks *c, const void *from);

/* The same of what is certainly there, such as what a call must read: that costs no more than copying it. */
bool program_trusted(struct checks *c, const void *from, void *to, size_t bytes);

/*
 * What a call wrote for the program: of one that succeeded it is certainly there.
 * false: it cannot be read, or the program did not want it.
 */
static inline bool program_output(
	struct checks *c, const struct acl_call_record *call, const void *from, void *to, size_t bytes)
{
	return succeeded(call) ? program_trusted(c, from, to, bytes) : program_read(c, from, to, bytes);
}

/*
 * A text up to its end, cut to room bytes with the NUL; false: not all of what is
 * wanted of it can be read.
 */
bool program_text(struct checks *c, const char *from, char *to, size_t room);
/* Its key for a value table, never 0; 0 when it cannot be read, or there is none. */
uint64_t program_text_key(struct checks *c, const char *from);
/* The same of a text that is not the program's. */
uint64_t text_key(const char *text);

/* An array argument, read in pieces. */
struct program_array {
	struct checks *c;
	const char *base;
	size_t unit;
	uint64_t count; /* elements looked at */
	uint64_t first, end; /* in the piece */
	_Alignas(16) char piece[256];
};

/* unit: bytes of an element, 128 at most. */
void program_array_open(
	struct program_array *a, struct checks *c, const void *base, size_t unit, uint64_t count);
const void *program_array_piece(struct program_array *a, uint64_t i);
/* For program_read_pieces(): its first elements, once those were all there; count is not 0. */
struct checks_piece program_array_first(struct program_array *a);

/* Element i; NULL: it cannot be read, or is beyond what is looked at. Good until the next one is asked for.
 */
static inline const void *program_array_at(struct program_array *a, uint64_t i)
{
	if (__builtin_expect(i >= a->first && i < a->end, 1))
		return a->piece + (i - a->first) * a->unit;
	return program_array_piece(a, i);
}

/* The same where the elements are words: 0 when there is none. */
static inline uint64_t program_array_word(struct program_array *a, uint64_t i)
{
	const uint64_t *word = program_array_at(a, i);

	return word ? *word : 0;
}

#endif
