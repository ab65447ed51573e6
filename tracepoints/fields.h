/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a call's events, in three passes over one list: TRACE_PASS is
 *	DESCRIBE	what LTTng writes into the metadata
 *	SIZE		bytes at most
 *	WRITE		statements that put the values at "at", one behind the other
 * The macros of LTTng write every field by a call of its own; here an event is written at once.
 */
#ifndef TRACEPOINTS_FIELDS_H
#define TRACEPOINTS_FIELDS_H

#include <string.h>

#include "tracepoints/call.h"
#include "tracepoints/event.h"

#define TRACE_IN_PASS_(pass, form) pass##_##form
#define TRACE_IN_PASS(pass, form) TRACE_IN_PASS_(pass, form)

#define FIELD_INT(type, name, value) TRACE_IN_PASS(TRACE_PASS, INT)(type, 10, name, value)
#define FIELD_HEX(type, name, value) TRACE_IN_PASS(TRACE_PASS, INT)(type, 16, name, value)
#define FIELD_FLOAT(type, name, value) TRACE_IN_PASS(TRACE_PASS, FLOAT)(type, name, value)
#define FIELD_ENUM(names, type, name, value) TRACE_IN_PASS(TRACE_PASS, ENUM)(names, type, name, value)
/* A text that is the same in all events: without its end. */
#define FIELD_NAME(name, text) TRACE_IN_PASS(TRACE_PASS, NAME)(name, text)
/* The path of a call and its flags, in one byte. */
#define FIELD_WAY(e) TRACE_IN_PASS(TRACE_PASS, WAY)(e)
/* A program's text, cut at TRACE_TEXT bytes; it may lead nowhere. */
#define FIELD_TEXT(name, text) TRACE_IN_PASS(TRACE_PASS, TEXT)(name, text)
/* A text of the runtime's own, cut at TRACE_LINE bytes. */
#define FIELD_LINE(name, text) TRACE_IN_PASS(TRACE_PASS, LINE)(name, text)
/* The first TRACE_LIST of count elements that may be read. */
#define FIELD_LIST(type, name, from, count) TRACE_IN_PASS(TRACE_PASS, LIST)(type, 10, name, from, count)
#define FIELD_LIST_HEX(type, name, from, count) TRACE_IN_PASS(TRACE_PASS, LIST)(type, 16, name, from, count)
/* The same of elements that may not be there. */
#define FIELD_READ(type, name, from, count) TRACE_IN_PASS(TRACE_PASS, READ)(type, 10, name, from, count)
#define FIELD_READ_HEX(type, name, from, count) TRACE_IN_PASS(TRACE_PASS, READ)(type, 16, name, from, count)
/* Arrays of a fixed length inside of records. */
#define FIELD_ARRAY(type, name, from, length) TRACE_IN_PASS(TRACE_PASS, ARRAY)(type, 10, name, from, length)
#define FIELD_ARRAY_HEX(type, name, from, length)                                                            \
	TRACE_IN_PASS(TRACE_PASS, ARRAY)(type, 16, name, from, length)
#define FIELD_ARRAY_TEXT(type, name, from, length) TRACE_IN_PASS(TRACE_PASS, CHARS)(type, name, from, length)

/* --- DESCRIBE ------------------------------------------------------------- */

#define TRACE_FIELD(field_name, field_type, hidden)                                                          \
	&(const struct lttng_ust_event_field)                                                                \
	{                                                                                                    \
		.struct_size = sizeof(struct lttng_ust_event_field), .name = (field_name),                   \
		.type = (const struct lttng_ust_type_common *)(field_type), .nofilter = (hidden)             \
	}

/* Without padding on every machine: records are written as one piece. */
#define TRACE_BITS(bits, begins, shown)                                                                      \
	(&(const struct lttng_ust_type_integer){.parent = {.type = lttng_ust_type_integer},                  \
		.struct_size = sizeof(struct lttng_ust_type_integer),                                        \
		.size = (bits),                                                                              \
		.alignment = (begins),                                                                       \
		.base = (shown)})

#define TRACE_INTEGER(integer, shown)                                                                        \
	(&(const struct lttng_ust_type_integer){.parent = {.type = lttng_ust_type_integer},                  \
		.struct_size = sizeof(struct lttng_ust_type_integer),                                        \
		.size = sizeof(integer) * CHAR_BIT,                                                          \
		.alignment = CHAR_BIT,                                                                       \
		.signedness = lttng_ust_is_signed_type(integer),                                             \
		.base = (shown)})

#define TRACE_SEQUENCE(element, shown, encoded)                                                              \
	(&(const struct lttng_ust_type_sequence){.parent = {.type = lttng_ust_type_sequence},                \
		.struct_size = sizeof(struct lttng_ust_type_sequence),                                       \
		.elem_type = (const struct lttng_ust_type_common *)TRACE_INTEGER(element, shown),            \
		.encoding = lttng_ust_string_encoding_##encoded})

#define TRACE_ARRAY(element, shown, encoded, elements)                                                       \
	(&(const struct lttng_ust_type_array){.parent = {.type = lttng_ust_type_array},                      \
		.struct_size = sizeof(struct lttng_ust_type_array),                                          \
		.elem_type = (const struct lttng_ust_type_common *)TRACE_INTEGER(element, shown),            \
		.length = (elements),                                                                        \
		.encoding = lttng_ust_string_encoding_##encoded})

#define DESCRIBE_INT(type, shown, name, value) TRACE_FIELD(#name, TRACE_INTEGER(type, shown), 0),
#define DESCRIBE_FLOAT(number, name, value)                                                                  \
	TRACE_FIELD(#name,                                                                                   \
		(&(const struct lttng_ust_type_float){.parent = {.type = lttng_ust_type_float},              \
			.struct_size = sizeof(struct lttng_ust_type_float),                                  \
			.exp_dig = sizeof(number) * CHAR_BIT - lttng_ust_float_mant_dig(number),             \
			.mant_dig = lttng_ust_float_mant_dig(number),                                        \
			.alignment = CHAR_BIT}),                                                             \
		0),
#define TRACE_NAMES(names, integer)                                                                          \
	(&(const struct lttng_ust_type_enum){.parent = {.type = lttng_ust_type_enum},                        \
		.struct_size = sizeof(struct lttng_ust_type_enum),                                           \
		.desc = &enum_##names,                                                                       \
		.container_type = (const struct lttng_ust_type_common *)(integer)})

#define DESCRIBE_ENUM(names, integer, name, value)                                                           \
	TRACE_FIELD(#name, TRACE_NAMES(names, TRACE_INTEGER(integer, 10)), 0),
#define DESCRIBE_NAME(name, text) TRACE_FIELD(#name, TRACE_ARRAY(char, 10, UTF8, sizeof(text) - 1), 0),
#define DESCRIBE_WAY(e)                                                                                      \
	TRACE_FIELD("call_path", TRACE_NAMES(acl_path, TRACE_BITS(4, CHAR_BIT, 10)), 0),                     \
		TRACE_FIELD("call_flags", TRACE_BITS(4, 4, 16), 0),
#define DESCRIBE_TEXT(name, text)                                                                            \
	TRACE_FIELD("_" #name "_length", TRACE_INTEGER(uint16_t, 10), 1),                                    \
		TRACE_FIELD(#name, TRACE_SEQUENCE(char, 10, UTF8), 0),
#define DESCRIBE_LINE DESCRIBE_TEXT
#define DESCRIBE_LIST(type, shown, name, from, count)                                                        \
	TRACE_FIELD("_" #name "_length", TRACE_INTEGER(uint8_t, 10), 1),                                     \
		TRACE_FIELD(#name, TRACE_SEQUENCE(type, shown, none), 0),
#define DESCRIBE_READ DESCRIBE_LIST
#define DESCRIBE_ARRAY(type, shown, name, from, length)                                                      \
	TRACE_FIELD(#name, TRACE_ARRAY(type, shown, none, length), 0),
#define DESCRIBE_CHARS(type, name, from, length) TRACE_FIELD(#name, TRACE_ARRAY(char, 10, UTF8, length), 0),

/* Names of values. */
#define TRACE_NAMED(text, number)                                                                            \
	&(const struct lttng_ust_enum_entry){.struct_size = sizeof(struct lttng_ust_enum_entry),             \
		.start = {.value = (unsigned long long)(number), .signedness = 1},                           \
		.end = {.value = (unsigned long long)(number), .signedness = 1},                             \
		.string = (text)},

#define TRACE_ENUM_DECLARE(identifier) extern const struct lttng_ust_enum_desc enum_##identifier;

#define TRACE_ENUM(identifier, ...)                                                                          \
	const struct lttng_ust_enum_desc enum_##identifier = {                                               \
		.struct_size = sizeof(struct lttng_ust_enum_desc),                                           \
		.name = #identifier,                                                                         \
		.entries = (const struct lttng_ust_enum_entry *const[]){__VA_ARGS__},                        \
		.nr_entries = sizeof((const void *[]){__VA_ARGS__}) / sizeof(void *),                        \
		.probe_desc = &trace_no_events};

/* --- SIZE ------------------------------------------------------------------ */

#define SIZE_INT(type, shown, name, value) +sizeof(type)
#define SIZE_FLOAT(type, name, value) +sizeof(type)
#define SIZE_ENUM(names, type, name, value) +sizeof(type)
#define SIZE_NAME(name, text) +sizeof(text) - 1
#define SIZE_WAY(e) +sizeof(uint8_t)
#define SIZE_TEXT(name, text) +sizeof(uint16_t) + TRACE_TEXT
#define SIZE_LINE(name, text) +sizeof(uint16_t) + TRACE_LINE
#define SIZE_LIST(type, shown, name, from, count) +sizeof(uint8_t) + TRACE_LIST * sizeof(type)
#define SIZE_READ SIZE_LIST
#define SIZE_ARRAY(type, shown, name, from, length) +sizeof(type) * (length)
#define SIZE_CHARS(type, name, from, length) +(length)

/* --- WRITE ----------------------------------------------------------------- */

static inline char *trace_put(char *at, const void *from, size_t size)
{
	memcpy(at, from, size);
	return at + size;
}

static inline char *trace_put_list(char *at, const void *from, size_t size, unsigned count)
{
	*at++ = (char)count;
	return count ? trace_put(at, from, size * count) : at;
}

static inline char *trace_put_read(char *at, const void *from, size_t size, uint64_t count)
{
	unsigned n = trace_copy_list(at + 1, from, size, count);

	*at = (char)n;
	return at + 1 + size * n;
}

static inline char *trace_put_line(char *at, const char *text)
{
	uint16_t n = (uint16_t)trace_line(text);

	return trace_put(trace_put(at, &n, sizeof(n)), text ? text : "", n);
}

/* Nothing of what lies behind the end of the text. */
static inline char *trace_put_chars(char *at, const char *from, size_t length)
{
	size_t n = strnlen(from, length);

	memcpy(at, from, n);
	memset(at + n, 0, length - n);
	return at + length;
}

#define WRITE_INT(type, shown, name, value)                                                                  \
	{                                                                                                    \
		type v_ = (type)(value);                                                                     \
		at = trace_put(at, &v_, sizeof(v_));                                                         \
	}
#define WRITE_FLOAT(type, name, value) WRITE_INT(type, 10, name, value)
#define WRITE_ENUM(names, type, name, value) WRITE_INT(type, 10, name, value)
#define WRITE_NAME(name, text) at = trace_put(at, text, sizeof(text) - 1);
#define WRITE_WAY(e) *at++ = (char)((e)->path | trace_flags(e) << 4);
#define WRITE_TEXT(name, text) at = trace_put_text(at, text);
#define WRITE_LINE(name, text) at = trace_put_line(at, text);
#define WRITE_LIST(type, shown, name, from, count) at = trace_put_list(at, from, sizeof(type), count);
#define WRITE_READ(type, shown, name, from, count) at = trace_put_read(at, from, sizeof(type), count);
#define WRITE_ARRAY(type, shown, name, from, length) at = trace_put(at, from, sizeof(type) * (length));
#define WRITE_CHARS(type, name, from, length) at = trace_put_chars(at, from, length);

#endif
