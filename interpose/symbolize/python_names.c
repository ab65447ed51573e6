/* SPDX-License-Identifier: Apache-2.0 */
/* Names and lines of code objects, whose objects are copied by the kernel, those of several at once. */
#include "interpose/symbolize/python_names.h"

#include <string.h>

#include "interpose/common/kernel_copy.h"
#include "interpose/symbolize/python_bytes.h"
#include "interpose/symbolize/python_lines.h"
#include "interpose/symbolize/python_place.h"

#define TEXT_BYTES 256 /* of a text that are read with its head; most need no more */
#define HEAD_BYTES 40

static void put_character(char **out, uint32_t c)
{
	char *p = *out;

	if (c < 0x80) {
		*p++ = c ? (char)c : '?';
	} else if (c >= 0xdc80 && c <= 0xdcff) {
		*p++ = (char)c; /* a byte that was none of UTF-8 */
	} else if (c < 0x800) {
		*p++ = (char)(0xc0 | c >> 6);
		*p++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*p++ = (char)(0xe0 | c >> 12);
		*p++ = (char)(0x80 | (c >> 6 & 63));
		*p++ = (char)(0x80 | (c & 63));
	} else {
		*p++ = (char)(0xf0 | (c >> 18 & 7));
		*p++ = (char)(0x80 | (c >> 12 & 63));
		*p++ = (char)(0x80 | (c >> 6 & 63));
		*p++ = (char)(0x80 | (c & 63));
	}
	*out = p;
}

static uint32_t character_at(const uint8_t *data, size_t i, unsigned width)
{
	uint16_t two;
	uint32_t four;

	if (width == 1)
		return data[i];
	if (width == 2) {
		memcpy(&two, data + 2 * i, 2);
		return two;
	}
	memcpy(&four, data + 4 * i, 4);
	return four;
}

/* What was read ahead of an object: all of size, or its head alone. */
struct ahead {
	uint64_t address;
	uint8_t bytes[TEXT_BYTES];
	size_t size;
};

#define TEXT_MAX 1024 /* characters of a file's name */

/* The text as UTF-8 in out, which has room for 4 bytes a character and NUL. */
static bool text_value(
	const struct python_interpreter *python, const struct ahead *a, char *out, size_t characters)
{
	uint64_t length = python_number(a->bytes, PYTHON_TEXT_LENGTH);
	uint32_t state = (uint32_t)python_int(a->bytes, PYTHON_TEXT_STATE);
	unsigned width = state >> 2 & 7;
	bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
	size_t offset = (size_t)(ascii ? python->layout.text_ascii : python->layout.text_compact), bytes;
	uint8_t more[4 * TEXT_MAX];
	const uint8_t *data = a->bytes + offset;

	if (python_number(a->bytes, PYTHON_TYPE) != python->text_type || !compact ||
		(width != 1 && width != 2 && width != 4) || (ascii && width != 1))
		return false;
	if (length > characters)
		length = characters;
	bytes = (size_t)length * width;
	if (offset + bytes > a->size) {
		if (!kernel_copy(more, (const void *)(uintptr_t)(a->address + offset), bytes))
			return false;
		data = more;
	}
	if (ascii && !memchr(data, 0, length)) {
		memcpy(out, data, length);
		out += length;
		length = 0;
	}
	for (size_t i = 0; i < length; i++)
		put_character(&out, character_at(data, i, width));
	*out = 0;
	return true;
}

static int line_of(
	const struct python_interpreter *python, const struct ahead *a, int first_line, uint64_t position)
{
	struct python_line_table table = {.address = a->address + PYTHON_BYTES_DATA,
		.size = python_number(a->bytes, PYTHON_BYTES_LENGTH),
		.n = a->size - PYTHON_BYTES_DATA};

	if (table.size < table.n)
		table.n = (size_t)table.size;
	memcpy(table.bytes, a->bytes + PYTHON_BYTES_DATA, table.n);
	return python_line(&table, python->layout.minor, first_line, (int64_t)position);
}

/* The word of a position whose code's objects were read ahead. */
static bool name_position(const struct python_interpreter *python, struct python_position *p,
	const struct ahead *const of[PYTHON_OBJECTS], int first_line)
{
	char file[4 * TEXT_MAX + 1], function[TEXT_MAX + 1];

	if (python_number(of[PYTHON_OF_LINES]->bytes, PYTHON_TYPE) != python->bytes_type ||
		!text_value(python, of[PYTHON_OF_FILE], file, TEXT_MAX) ||
		!text_value(python, of[PYTHON_OF_NAME], function, TEXT_MAX / 4))
		return false;
	p->word = python_place_word(*function ? function : "?", *file ? file : "?",
		line_of(python, of[PYTHON_OF_LINES], first_line, p->position));
	return p->word != 0;
}

#define NAMED_AT_ONCE 12

static bool is_code(const struct python_interpreter *python, const struct kernel_copy_part *part)
{
	return part->good && python_number(part->to, PYTHON_TYPE) == python->code_type;
}

/* The objects of some frames, each once: functions of one file share its name, and recursion shares all. */
struct objects {
	struct ahead ahead[NAMED_AT_ONCE * PYTHON_OBJECTS];
	unsigned n;
	uint8_t at[NAMED_AT_ONCE][PYTHON_OBJECTS];
};

static void list_objects(
	const struct python_layout *l, uint8_t code[][PYTHON_CODE_BYTES], unsigned n, struct objects *o)
{
	uint64_t of[NAMED_AT_ONCE][PYTHON_OBJECTS];

	o->n = 0;
	for (unsigned i = 0; i < n; i++)
		python_code_objects(l, code[i], of[i]);
	for (unsigned i = 0; i < n * PYTHON_OBJECTS; i++) {
		unsigned which = i / PYTHON_OBJECTS, kind = i % PYTHON_OBJECTS, same = 0;

		while (same < which && of[same][kind] != of[which][kind])
			same++;
		o->at[which][kind] = same < which ? o->at[same][kind] : (uint8_t)o->n;
		if (same < which)
			continue;
		o->ahead[o->n].address = of[which][kind];
		o->ahead[o->n++].size = kind == PYTHON_OF_NAME ? TEXT_BYTES / 2 : TEXT_BYTES;
	}
}

/* What stops at the end of what is mapped: its head alone. What has not even that gets no type. */
static void read_objects(struct objects *o)
{
	struct kernel_copy_part parts[NAMED_AT_ONCE * PYTHON_OBJECTS];

	for (unsigned i = 0; i < o->n; i++)
		parts[i] = kernel_copy_part_of(o->ahead[i].bytes, o->ahead[i].address, o->ahead[i].size);
	kernel_copy_parts(parts, o->n);
	for (unsigned i = 0; i < o->n; i++) {
		struct ahead *a = &o->ahead[i];

		if (parts[i].good)
			continue;
		a->size = HEAD_BYTES;
		if (!kernel_copy(a->bytes, (const void *)(uintptr_t)a->address, HEAD_BYTES))
			memset(a->bytes, 0, HEAD_BYTES);
	}
}

static void note(const struct python_interpreter *python, const struct python_position *p,
	const uint8_t *code, const struct ahead *const of[PYTHON_OBJECTS])
{
	const uint8_t *bytes[PYTHON_OBJECTS];
	size_t size[PYTHON_OBJECTS];

	for (unsigned i = 0; i < PYTHON_OBJECTS; i++) {
		bytes[i] = of[i]->bytes;
		size[i] = of[i]->size;
	}
	python_known_note(python, p, code, bytes, size);
}

/* How many of n (NAMED_AT_ONCE at most) have words afterwards, from the first on. */
static unsigned name_some(
	const struct python_interpreter *python, struct python_position *const positions[], unsigned n)
{
	const struct python_layout *l = &python->layout;
	uint8_t code[NAMED_AT_ONCE][PYTHON_CODE_BYTES];
	struct kernel_copy_part parts[NAMED_AT_ONCE];
	struct objects objects;
	unsigned good = 0;

	for (unsigned i = 0; i < n; i++)
		parts[i] = kernel_copy_part_of(code[i], positions[i]->code, PYTHON_CODE_BYTES);
	kernel_copy_parts(parts, n);
	while (good < n && is_code(python, &parts[good]))
		good++;
	list_objects(l, code, good, &objects);
	read_objects(&objects);
	for (unsigned i = 0; i < good; i++) {
		const struct ahead *const of[PYTHON_OBJECTS] = {&objects.ahead[objects.at[i][PYTHON_OF_FILE]],
			&objects.ahead[objects.at[i][PYTHON_OF_NAME]],
			&objects.ahead[objects.at[i][PYTHON_OF_LINES]]};

		if (!name_position(python, positions[i], of, python_int(code[i], l->code_first_line)))
			return i;
		note(python, positions[i], code[i], of);
	}
	return good;
}

unsigned python_names(
	const struct python_interpreter *python, struct python_position *const positions[], unsigned n)
{
	struct python_position *unknown[NAMED_AT_ONCE];
	unsigned from[NAMED_AT_ONCE], n_unknown = 0, i, good;

	for (i = 0; i < n && n_unknown < NAMED_AT_ONCE; i++)
		if (!positions[i]->word) {
			from[n_unknown] = i;
			unknown[n_unknown++] = positions[i];
		}
	if (!n_unknown)
		return n;
	good = name_some(python, unknown, n_unknown);
	return good < n_unknown ? from[good] : i;
}
