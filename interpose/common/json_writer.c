/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON: commas by depth, strings escaped, numbers that every reader can hold. */
#include "interpose/common/json_writer.h"

#include <string.h>

void jout_init(struct jout *j, struct text *t)
{
	j->t = t;
	j->filled = 0;
	j->depth = 0;
}

void jout_escape(struct text *t, const char *s, size_t n)
{
	uint32_t c = 0;

	n = strnlen(s, n);
	while (n) {
		unsigned len = utf8_length(s, n, &c);

		if (!len) {
			text_str(t, "\\ufffd");
			s++;
			n--;
			continue;
		}
		if (c == '"' || c == '\\') {
			text_char(t, '\\');
			text_char(t, (char)c);
		} else if (c == '\n') {
			text_str(t, "\\n");
		} else if (c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029) {
			text_str(t, "\\u");
			text_hex_digits(t, c, 4);
		} else {
			text_put(t, s, len);
		}
		s += len;
		n -= len;
	}
}

static void before(struct jout *j, const char *key)
{
	uint32_t bit = 1u << (j->depth & 31);

	if (j->filled & bit)
		text_char(j->t, ',');
	j->filled |= bit;
	if (key) {
		text_char(j->t, '"');
		text_str(j->t, key);
		text_str(j->t, "\":");
	}
}

static void open_level(struct jout *j, const char *key, char bracket)
{
	before(j, key);
	text_char(j->t, bracket);
	j->depth++;
	j->filled &= ~(1u << (j->depth & 31));
}

static void close_level(struct jout *j, char bracket)
{
	j->depth--;
	text_char(j->t, bracket);
}

void jout_object(struct jout *j, const char *key)
{
	open_level(j, key, '{');
}

void jout_object_end(struct jout *j)
{
	close_level(j, '}');
}

void jout_array(struct jout *j, const char *key)
{
	open_level(j, key, '[');
}

void jout_array_end(struct jout *j)
{
	close_level(j, ']');
}

void jout_string(struct jout *j, const char *key, const char *value)
{
	if (!value)
		return;
	before(j, key);
	text_char(j->t, '"');
	jout_escape(j->t, value, JOUT_STRING_MAX);
	text_char(j->t, '"');
}

void jout_uint(struct jout *j, const char *key, uint64_t value)
{
	before(j, key);
	/* Beyond int64 many readers fail or round; SIZE_MAX as an argument is common. */
	if (value > INT64_MAX)
		text_char(j->t, '"');
	text_uint(j->t, value);
	if (value > INT64_MAX)
		text_char(j->t, '"');
}

void jout_int(struct jout *j, const char *key, int64_t value)
{
	before(j, key);
	text_int(j->t, value);
}

void jout_hex(struct jout *j, const char *key, uint64_t value)
{
	before(j, key);
	text_char(j->t, '"');
	text_hex(j->t, value);
	text_char(j->t, '"');
}

void jout_bool(struct jout *j, const char *key, bool value)
{
	before(j, key);
	text_str(j->t, value ? "true" : "false");
}

void jout_raw(struct jout *j, const char *key, const char *text, size_t n)
{
	before(j, key);
	text_put(j->t, text, n);
}
