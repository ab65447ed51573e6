/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the generated events share: the fields every call has, careful reads of
 * the program's memory, and the table through which the provider emits.
 */
#ifndef TRACEPOINTS_CALL_H
#define TRACEPOINTS_CALL_H

#include <stdint.h>

#include "checks/engine/call_record.h"

/* --- the table ---------------------------------------------------------- */

/* Emitters of a function, and where LTTng keeps whether anybody wants their events. */
struct trace_function {
	void (*enter)(const struct acl_call_record *e);
	void (*leave)(const struct acl_call_record *e);
	void (*call)(const struct acl_call_record *e);
	const int *enter_on, *leave_on, *call_on;
};

#define TRACE_PAIR(table, name)                                                                              \
	do {                                                                                                 \
		struct trace_function *t_ = &(table)[ACL_API_##name];                                        \
		t_->enter = enter_##name;                                                                    \
		t_->leave = leave_##name;                                                                    \
		t_->enter_on = &lttng_ust_tracepoint_acl___##name##_entry.state;                             \
		t_->leave_on = &lttng_ust_tracepoint_acl___##name##_exit.state;                              \
	} while (0)

#define TRACE_CALL_EVENT(table, name)                                                                        \
	do {                                                                                                 \
		struct trace_function *t_ = &(table)[ACL_API_##name];                                        \
		t_->call = call_##name;                                                                      \
		t_->call_on = &lttng_ust_tracepoint_acl_call___##name.state;                                 \
	} while (0)

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

/* 0 = the thread is in no other call. */
static inline uint16_t trace_depth(const struct acl_call_record *e)
{
	return (uint16_t)(e->callback_depth + (e->path == ACL_PATH_INSIDE));
}

/* Flags with path in bits 4-7 and depth in bits 16-31. */
static inline uint32_t trace_all_flags(const struct acl_call_record *e)
{
	return (uint32_t)trace_flags(e) | (uint32_t)e->path << 4 | (uint32_t)trace_depth(e) << 16;
}

/* clang-format off */

/* Object and version in turn. */
#define TRACE_VERSIONS                                                                                       \
	lttng_ust_field_sequence_hex(uint64_t, call_versions, (const uint64_t *)e->versions, uint8_t,        \
		e->n_versions * 2u)

#define TRACE_WHERE(provider)                                                                                \
	lttng_ust_field_string(api, api)                                                                     \
	lttng_ust_field_integer_hex(uint64_t, call_caller, e->caller)                                        \
	lttng_ust_field_integer_hex(uint64_t, call_thread, e->pthread_id)                                    \
	lttng_ust_field_integer(uint32_t, call_module, e->module)                                            \
	lttng_ust_field_integer(uint32_t, call_stack, e->stack)                                              \
	lttng_ust_field_integer(uint32_t, call_number, e->number)                                            \
	lttng_ust_field_integer(uint16_t, call_depth, trace_depth(e))                                        \
	lttng_ust_field_enum(provider, acl_path, uint8_t, call_path, e->path)                                \
	lttng_ust_field_integer_hex(uint8_t, call_flags, trace_flags(e))

#define TRACE_ENTRY(provider)                                                                                \
	TRACE_WHERE(provider)                                                                                \
	TRACE_VERSIONS

/* The result as a plain number besides "ret": viewers cannot compute with enumerations. */
#define TRACE_EXIT(provider)                                                                                 \
	lttng_ust_field_integer(uint32_t, call_number, e->number)                                            \
	lttng_ust_field_integer(uint32_t, call_stack, e->stack)                                              \
	lttng_ust_field_integer(int64_t, call_result, e->result.i)                                           \
	TRACE_VERSIONS

/*
 * One event a call: what follows from other fields is left out (the function is
 * the event's name, the result is "ret", the module that of the caller).  The
 * clock is the trace's own, so that "timestamp - call_start" is the duration.
 */
#define TRACE_CALL(provider)                                                                                 \
	lttng_ust_field_integer(uint64_t, call_start, e->time)                                               \
	lttng_ust_field_integer_hex(uint64_t, call_caller, e->caller)                                        \
	lttng_ust_field_integer_hex(uint64_t, call_thread, e->pthread_id)                                    \
	lttng_ust_field_integer(uint32_t, call_stack, e->stack)                                              \
	lttng_ust_field_integer_hex(uint32_t, call_flags, trace_all_flags(e))                                \
	TRACE_VERSIONS

#define TRACE_PATH_ENUM(provider)                                                                            \
	LTTNG_UST_TRACEPOINT_ENUM(provider, acl_path,                                                        \
		LTTNG_UST_TP_ENUM_VALUES(                                                                    \
			lttng_ust_field_enum_value("linked", 0)                                              \
			lttng_ust_field_enum_value("dlsym", 1)                                               \
			lttng_ust_field_enum_value("inside", 2)))

#define TRACE_HOST_CLASS_ENUM(provider)                                                                      \
	LTTNG_UST_TRACEPOINT_ENUM(provider, acl_host_class,                                                  \
		LTTNG_UST_TP_ENUM_VALUES(                                                                    \
			lttng_ust_field_enum_value("unasked", 0)                                             \
			lttng_ust_field_enum_value("unknown", 1)                                             \
			lttng_ust_field_enum_value("stack", 2)                                               \
			lttng_ust_field_enum_value("heap", 3)                                                \
			lttng_ust_field_enum_value("file", 4)))

/* clang-format on */

/* --- the program's memory ------------------------------------------------ */

#define TRACE_TEXT 256u
#define TRACE_LIST 16u

struct trace_text {
	uint16_t length;
	char text[TRACE_TEXT];
};

/* Outputs hold something: the call succeeded, and this one was wanted. */
#define TRACE_DONE(e, pointer) ((e)->result.i == 0 && (pointer))

/* Stands for records that may not be read. */
extern const uint8_t trace_zeros[TRACE_TEXT];

/* Copies size bytes; where the program's pointer is not readable, zeros. */
void trace_copy(void *to, const void *from, size_t size);
/* Copies up to TRACE_LIST elements; returns how many. */
unsigned trace_copy_list(void *to, const void *from, size_t size, uint64_t count);
void trace_copy_text(struct trace_text *to, const char *from);

static inline unsigned trace_limit(uint64_t count)
{
	return count < TRACE_LIST ? (unsigned)count : TRACE_LIST;
}

#endif
