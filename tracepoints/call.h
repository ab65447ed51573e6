/* SPDX-License-Identifier: Apache-2.0 */
/* What the generated events share: the fields every call has, and careful reads of the program's memory. */
#ifndef TRACEPOINTS_CALL_H
#define TRACEPOINTS_CALL_H

#include <stdint.h>
#include <string.h>

#include "checks/engine/call_record.h"

/* --- fields of every call ----------------------------------------------- */

/* bits of call_flags */
#define TRACE_FORWARDED 1u /* the real function was (or will be) called */
#define TRACE_IN_EXIT 2u /* exit handlers, destructors, or an interpreter's end are running */
#define TRACE_IN_EXIT_HANDLERS 4u /* those of the process */

static inline uint8_t trace_flags(const struct acl_call_record *e)
{
	return (uint8_t)((e->forwarded ? TRACE_FORWARDED : 0) | (e->in_exit ? TRACE_IN_EXIT : 0) |
			 (e->in_exit_handlers ? TRACE_IN_EXIT_HANDLERS : 0));
}

/* 0 = the thread is in no other call; more than 255 are 255. */
static inline uint8_t trace_depth(const struct acl_call_record *e)
{
	unsigned depth = e->callback_depth + (e->path == ACL_PATH_INSIDE);

	return depth < UINT8_MAX ? (uint8_t)depth : UINT8_MAX;
}

/* clang-format off */

/* Thread, call number and whether it is its end, as acl_mark() has them. */
#define TRACE_AFTER                                                                                          \
	FIELD_LIST_HEX(uint64_t, call_after, e->after, e->n_after)

/* What is rarely there takes no room: a list of none or one. */
#define TRACE_STACK                                                                                          \
	FIELD_LIST(uint32_t, call_stack, &e->stack, e->stack != 0)

/* The thread is that of the last aclcheck:thread of the same vtid, the module the one that holds the caller. */
#define TRACE_WHERE                                                                                          \
	FIELD_HEX(uint64_t, call_caller, e->caller)                                                          \
	TRACE_STACK                                                                                          \
	FIELD_INT(uint32_t, call_number, e->number)                                                          \
	FIELD_INT(uint8_t, call_depth, trace_depth(e))                                                       \
	FIELD_WAY(e)

#define TRACE_ENTRY                                                                                          \
	TRACE_WHERE                                                                                          \
	TRACE_AFTER

/* The result as a plain number besides "ret": viewers cannot compute with enumerations. */
#define TRACE_EXIT(type)                                                                                     \
	FIELD_INT(uint32_t, call_number, e->number)                                                          \
	TRACE_STACK                                                                                          \
	FIELD_INT(type, call_result, e->result.i)                                                            \
	TRACE_AFTER

/* One event a call. The clock is the trace's own, so that "timestamp - call_start" is the duration. */
#define TRACE_CALL_ONCE                                                                                      \
	FIELD_INT(uint64_t, call_start, e->time)                                                             \
	TRACE_WHERE                                                                                          \
	TRACE_AFTER

/* For times only. */
#define TRACE_MINIMAL_ENTRY                                                                                  \
	FIELD_INT(uint32_t, call_number, e->number)                                                          \
	FIELD_INT(uint8_t, call_depth, trace_depth(e))                                                       \
	FIELD_WAY(e)

#define TRACE_MINIMAL_EXIT(type)                                                                             \
	FIELD_INT(uint32_t, call_number, e->number)                                                          \
	FIELD_INT(type, call_result, e->result.i)

#define TRACE_PATHS                                                                                          \
	TRACE_NAMED("linked", 0) TRACE_NAMED("dlsym", 1) TRACE_NAMED("inside", 2)

#define TRACE_HOST_CLASSES                                                                                   \
	TRACE_NAMED("unasked", 0) TRACE_NAMED("unknown", 1) TRACE_NAMED("stack", 2) TRACE_NAMED("heap", 3)   \
	TRACE_NAMED("file", 4)

/* clang-format on */

/* --- the program's memory ------------------------------------------------ */

/* Longest text of one field: an event has to fit into the smallest sub-buffer of a page. */
#define TRACE_LINE 1024u
#define TRACE_TEXT 256u
#define TRACE_LIST 16u
/* Length of a text that there is none of, and of one that cannot be read: readers see an empty one. */
#define TRACE_TEXT_NONE 2u
#define TRACE_TEXT_UNKNOWN 3u

/*
 * How much of a text is recorded.  Of an empty one it is its end: readers made with babeltrace2 2.0
 * show a text of no bytes as the text that an earlier event had in its place.
 */
static inline size_t trace_line(const char *text)
{
	size_t n = text ? strnlen(text, TRACE_LINE) : 0;

	return n ? n : 1;
}

/* Outputs hold something: the call succeeded, and this one was wanted. */
#define TRACE_DONE(e, pointer) ((e)->result.i == 0 && (pointer))

/* Stands for records that may not be read. */
extern const uint8_t trace_zeros[TRACE_TEXT];

/* Copies size bytes; where the program's pointer is not readable, zeros. */
void trace_copy(void *to, const void *from, size_t size);
/* Copies up to TRACE_LIST elements; returns how many. */
unsigned trace_copy_list(void *to, const void *from, size_t size, uint64_t count);
/* Puts the length of a text (two bytes) and the text; returns what is behind it. */
char *trace_put_text(char *to, const char *from);

static inline unsigned trace_limit(uint64_t count)
{
	return count < TRACE_LIST ? (unsigned)count : TRACE_LIST;
}

#endif
