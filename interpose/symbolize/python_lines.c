/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up to 3.9: pairs (bytes to go, lines to go); 3.10: pairs (bytes of the range, lines to go or none);
 * since 3.11: entries with columns, of which the first byte alone has its upper bit set.
 */
#include "interpose/symbolize/python_lines.h"

#include "interpose/common/kernel_copy.h"

#define ENTRIES_MAX 1000000 /* of a table: what is read may be anything */

static bool byte_at(struct python_line_table *t, uint64_t at, uint8_t *byte)
{
	if (at >= t->size)
		return false;
	if (at < t->begin || at >= t->begin + t->n) {
		t->begin = at;
		t->n = t->size - at < sizeof(t->bytes) ? t->size - at : sizeof(t->bytes);
		if (!kernel_copy(t->bytes, (const void *)(uintptr_t)(t->address + at), t->n)) {
			t->n = 0;
			return false;
		}
	}
	*byte = t->bytes[at - t->begin];
	return true;
}

static int line_by_steps(struct python_line_table *t, int64_t line, int64_t position)
{
	int64_t address = 0;
	uint8_t bytes, lines;

	for (uint64_t at = 0; byte_at(t, at, &bytes) && byte_at(t, at + 1, &lines); at += 2) {
		address += bytes;
		if (address > position)
			break;
		line += (int8_t)lines;
	}
	return (int)line;
}

static int line_by_ranges(struct python_line_table *t, int64_t line, int64_t position)
{
	int64_t end = 0;
	uint8_t bytes, lines;

	for (uint64_t at = 0; end <= position; at += 2) {
		if (!byte_at(t, at, &bytes) || !byte_at(t, at + 1, &lines))
			return 0;
		end += bytes;
		if ((int8_t)lines != -128)
			line += (int8_t)lines;
	}
	return (int)line;
}

enum { CODE_ONE_LINE = 10, CODE_NO_COLUMNS = 13, CODE_LONG = 14, CODE_NONE = 15 };

static bool signed_number(struct python_line_table *t, uint64_t *at, int64_t *value)
{
	uint64_t all = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 36; shift += 6) {
		if (!byte_at(t, (*at)++, &byte))
			return false;
		all |= (uint64_t)(byte & 63) << shift;
		if (!(byte & 64))
			break;
	}
	*value = all & 1 ? -(int64_t)(all >> 1) : (int64_t)(all >> 1);
	return true;
}

/* Lines to go of an entry, whose first byte was read. */
static bool entry_lines(struct python_line_table *t, uint8_t first, uint64_t *at, int64_t *lines)
{
	unsigned code = first >> 3 & 15;

	*lines = code >= CODE_ONE_LINE && code < CODE_NO_COLUMNS ? (int64_t)code - CODE_ONE_LINE : 0;
	return (code != CODE_NO_COLUMNS && code != CODE_LONG) || signed_number(t, at, lines);
}

static int line_by_entries(struct python_line_table *t, int64_t line, int64_t position)
{
	int64_t end = 0, lines;
	uint64_t at = 0;
	uint8_t byte;

	for (unsigned i = 0; i < ENTRIES_MAX && byte_at(t, at, &byte); i++) {
		if (!(byte & 128))
			return 0;
		end += 2 * ((byte & 7) + 1);
		at++;
		if (!entry_lines(t, byte, &at, &lines))
			return 0;
		line += lines;
		if (end > position)
			return (int)line;
		while (byte_at(t, at, &byte) && !(byte & 128))
			at++;
	}
	return 0;
}

int python_line(struct python_line_table *t, int minor, int first_line, int64_t position)
{
	int line;

	/* Nothing of it ran yet. */
	if (position < 0)
		return first_line;
	if (minor < 10)
		line = line_by_steps(t, first_line, position);
	else if (minor < 11)
		line = line_by_ranges(t, first_line, position);
	else
		line = line_by_entries(t, first_line, position);
	return line < 0 ? 0 : line;
}
