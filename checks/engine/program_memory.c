/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of the program's memory: copied by the host, in bounded pieces. */
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"

#define PAGE 4096u

bool program_read(struct checks *c, const void *from, void *to, size_t bytes)
{
	return from && c->host.read && c->host.read(c->host.context, from, to, bytes);
}

bool program_trusted(struct checks *c, const void *from, void *to, size_t bytes)
{
	if (!c->host.read_trusted)
		return program_read(c, from, to, bytes);
	return from && c->host.read_trusted(c->host.context, from, to, bytes);
}

bool program_read_pieces(struct checks *c, const struct checks_piece *pieces, unsigned n)
{
	if (c->host.read_pieces)
		return c->host.read_pieces(c->host.context, pieces, n);
	for (unsigned i = 0; i < n; i++)
		if (!program_read(c, pieces[i].from, pieces[i].to, pieces[i].bytes))
			return false;
	return true;
}

const void *program_pointer(struct checks *c, const void *from)
{
	const void *value;

	return program_read(c, from, &value, sizeof(value)) ? value : NULL;
}

/* The next piece of a text: it does not cross a page, as the text may end right before one that is not there.
 */
static size_t text_piece(const char *at, size_t room)
{
	size_t n = PAGE - (uintptr_t)at % PAGE;

	return n < room ? n : room;
}

static bool read_text(struct checks *c, const char *from, char *to, size_t bytes)
{
	return c->host.read_text ? c->host.read_text(c->host.context, from, to, bytes)
				 : program_read(c, from, to, bytes);
}

bool program_text(struct checks *c, const char *from, char *to, size_t room)
{
	size_t got = 0, n;

	if (!from || !room)
		return false;
	for (; got < room; got += n) {
		n = text_piece(from + got, room - got);
		if (!read_text(c, from + got, to + got, n))
			return false;
		if (memchr(to + got, 0, n))
			return true;
	}
	to[room - 1] = 0;
	return true;
}

uint64_t program_text_key(struct checks *c, const char *from)
{
	uint64_t key = KEY_OF_TEXT;
	char text[256];
	size_t n;

	for (size_t got = 0; got < PROGRAM_TEXT; got += n) {
		n = text_piece(from + got, sizeof(text));
		if (!read_text(c, from + got, text, n))
			return 0;
		for (size_t i = 0; i < n; i++) {
			if (!text[i])
				return key | 1;
			key = key_with_byte(key, (unsigned char)text[i]);
		}
	}
	return key | 1;
}

uint64_t text_key(const char *text)
{
	uint64_t key = KEY_OF_TEXT;

	while (*text)
		key = key_with_byte(key, (unsigned char)*text++);
	return key | 1;
}

void program_array_open(
	struct program_array *a, struct checks *c, const void *base, size_t unit, uint64_t count)
{
	a->c = c;
	a->base = base;
	a->unit = unit;
	a->count = base && unit && unit <= sizeof(a->piece) / 2 ? count : 0;
	if (a->count > PROGRAM_ELEMENTS)
		a->count = PROGRAM_ELEMENTS;
	a->first = a->end = 0;
}

struct checks_piece program_array_first(struct program_array *a)
{
	uint64_t n = sizeof(a->piece) / a->unit;

	a->first = 0;
	a->end = n < a->count ? n : a->count;
	return (struct checks_piece){a->base, a->piece, a->end * a->unit};
}

/* The piece that begins with element i, or this one alone where it cannot be read whole. */
const void *program_array_piece(struct program_array *a, uint64_t i)
{
	uint64_t n = sizeof(a->piece) / a->unit;

	a->first = a->end = 0;
	if (i >= a->count)
		return NULL;
	if (n > a->count - i)
		n = a->count - i;
	if (!program_read(a->c, a->base + i * a->unit, a->piece, n * a->unit)) {
		n = 1;
		if (!program_read(a->c, a->base + i * a->unit, a->piece, a->unit))
			return NULL;
	}
	a->first = i;
	a->end = i + n;
	return a->piece;
}
