/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LTTng-UST provider "aclcheck": what a reader needs beside the calls: who is
 * recorded (process, settings, modules), the interned stacks that calls and
 * findings name by id, the findings themselves and the verdict.
 *
 * A module or a stack is described before the first event that names it.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER aclcheck
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tracepoints/events.h"

#ifndef TRACEPOINTS_EVENTS_TYPES
#define TRACEPOINTS_EVENTS_TYPES

#include <string.h>

#include "checks/engine/finding.h"
#include "interpose/report/trace_provider.h"
#include "interpose/runtime/loaded_module.h"
#include "tracepoints/call.h"

/* The clock of LTTng-UST, so that times can be compared with the trace's timestamps. provider.c */
uint64_t trace_clock(void);

struct trace_process {
	const char *version, *command, *host, *rank;
	uint32_t ppid;
	bool forked; /* by one that had called: the checks went on from there */
};

#endif

/* The macros below are a table: */
/* clang-format off */
#if !defined(TRACEPOINTS_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TRACEPOINTS_EVENTS_H
#include <lttng/tracepoint.h>

#define TRACE_LINE_FIELD(name, text)                                                                         \
	lttng_ust_field_sequence_text(char, name, (text) ? (text) : "", uint16_t, trace_line(text))

LTTNG_UST_TRACEPOINT_ENUM(aclcheck, severity,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("portability", 0)
		lttng_ust_field_enum_value("perf", 1)
		lttng_ust_field_enum_value("warning", 2)
		lttng_ust_field_enum_value("error", 3)))

LTTNG_UST_TRACEPOINT_ENUM(aclcheck, finding_status,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("counted", 0)
		lttng_ust_field_enum_value("suppressed", 1)
		lttng_ust_field_enum_value("expected", 2)))

LTTNG_UST_TRACEPOINT_ENUM(aclcheck, value_form,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("uint", 0)
		lttng_ust_field_enum_value("int", 1)
		lttng_ust_field_enum_value("address", 2)
		lttng_ust_field_enum_value("bytes", 3)
		lttng_ust_field_enum_value("enum", 4)
		lttng_ust_field_enum_value("error", 5)
		lttng_ust_field_enum_value("text", 6)
		lttng_ust_field_enum_value("api", 7)))

LTTNG_UST_TRACEPOINT_ENUM(aclcheck, question,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("memory", 0)
		lttng_ust_field_enum_value("unmapped", 1)
		lttng_ust_field_enum_value("mapping", 2)
		lttng_ust_field_enum_value("alignment", 3)
		lttng_ust_field_enum_value("ended-thread", 4)
		lttng_ust_field_enum_value("configuration", 5)
		lttng_ust_field_enum_value("class", 6)))

/* Numbers of aclcheck.h and of trace_provider.h. */
LTTNG_UST_TRACEPOINT_ENUM(aclcheck, saying,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("name", 1)
		lttng_ust_field_enum_value("pool", 2)
		lttng_ust_field_enum_value("pool-end", 3)
		lttng_ust_field_enum_value("block", 4)
		lttng_ust_field_enum_value("block-end", 5)
		lttng_ust_field_enum_value("kernel-reads", 6)
		lttng_ust_field_enum_value("kernel-writes", 7)
		lttng_ust_field_enum_value("kernel", 8)
		lttng_ust_field_enum_value("expect", 256)
		lttng_ust_field_enum_value("ignore", 257)
		lttng_ust_field_enum_value("close", 258)))

/* Once per process and session; rank as the launcher (MPI, Slurm, torchrun, hccl) set it. */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, process,
	LTTNG_UST_TP_ARGS(const struct trace_process *, p),
	LTTNG_UST_TP_FIELDS(
		TRACE_LINE_FIELD(version, p->version)
		TRACE_LINE_FIELD(command, p->command)
		TRACE_LINE_FIELD(host, p->host)
		TRACE_LINE_FIELD(rank, p->rank)
		lttng_ust_field_integer(uint32_t, ppid, p->ppid)
		lttng_ust_field_integer(uint8_t, forked, p->forked)
	)
)

/* Emitted by aclcheck trace of a process that was killed or crashed: when that was seen, by the clock of call_start. */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, ended,
	LTTNG_UST_TP_ARGS(uint32_t, pid, uint64_t, ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, pid, pid)
		lttng_ust_field_integer(uint64_t, clock, ns)
	)
)

/* Settings in force, the runtime found, reasons for an inconclusive verdict. */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, describe,
	LTTNG_UST_TP_ARGS(const char *, key, const char *, value),
	LTTNG_UST_TP_FIELDS(
		TRACE_LINE_FIELD(key, key)
		TRACE_LINE_FIELD(value, value)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(aclcheck, verdict,
	LTTNG_UST_TP_ARGS(const char *, verdict),
	LTTNG_UST_TP_FIELDS(
		TRACE_LINE_FIELD(verdict, verdict)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(aclcheck, module,
	LTTNG_UST_TP_ARGS(const struct acl_module *, m),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, id, m->id)
		lttng_ust_field_integer_hex(uint64_t, base, m->base)
		lttng_ust_field_integer_hex(uint64_t, start, m->start)
		lttng_ust_field_integer_hex(uint64_t, end, m->end)
		TRACE_LINE_FIELD(path, m->path)
		lttng_ust_field_sequence_hex(uint8_t, build_id, m->build_id, uint8_t, m->build_id_len)
	)
)

/* Before the first event that a code address is the caller of: the module that holds it, for readers that cannot look
 * an address up among the modules. */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, caller,
	LTTNG_UST_TP_ARGS(uint64_t, address, uint32_t, module),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, address, address)
		lttng_ust_field_integer(uint32_t, module, module)
	)
)

/*
 * Before the first event of a call on a thread: what pthread_self() is there, and the clock of call_start, which
 * is read when LTTng has taken the event's time.
 */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, thread,
	LTTNG_UST_TP_ARGS(uint64_t, self),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, self, self)
		lttng_ust_field_integer(uint64_t, clock, trace_clock())
	)
)

/* Innermost frame first. */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, stack,
	LTTNG_UST_TP_ARGS(uint32_t, id, const uint64_t *, ips, unsigned, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, id, id)
		lttng_ust_field_sequence_hex(uint64_t, frames, ips, uint8_t, n)
	)
)

/* Before the first stack that names it: a line of Python code. */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, python_place,
	LTTNG_UST_TP_ARGS(const struct python_place *, p),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, id, p->number)
		lttng_ust_field_integer(int32_t, line, p->line)
		TRACE_LINE_FIELD(function, p->function)
		TRACE_LINE_FIELD(file, p->file)
	)
)

/* Behind a stack in which Python code is: all its frames, where 1 << 63 stands before the number of a line. */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, python_stack,
	LTTNG_UST_TP_ARGS(uint32_t, id, const uint64_t *, frames, unsigned, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, id, id)
		lttng_ust_field_sequence_hex(uint64_t, frames, frames, uint8_t, n)
	)
)

/*
 * What the checks asked beyond the call, before its entry or exit on the same thread (enum trace_question): of
 * what (an address, a thread), and the bytes of the answer.
 */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, answer,
	LTTNG_UST_TP_ARGS(uint8_t, question, uint64_t, of, const void *, bytes, uint16_t, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(aclcheck, question, uint8_t, question, question)
		lttng_ust_field_integer_hex(uint64_t, of, of)
		lttng_ust_field_sequence_hex(uint8_t, bytes, (const uint8_t *)bytes, uint16_t, n)
	)
)

/*
 * What the program says of itself with aclcheck.h (struct trace_said), behind the findings that are made of it;
 * caller: where it says so.
 */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, said,
	LTTNG_UST_TP_ARGS(const struct trace_said *, s, const char *, text, const char *, reason),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(aclcheck, saying, uint16_t, what, s->what)
		lttng_ust_field_integer_hex(uint64_t, object, s->object)
		lttng_ust_field_integer(uint64_t, bytes, s->bytes)
		lttng_ust_field_integer_hex(uint64_t, stream, s->stream)
		lttng_ust_field_integer_hex(uint64_t, caller, s->caller)
		lttng_ust_field_integer(uint32_t, stack, s->stack)
		TRACE_LINE_FIELD(text, text)
		TRACE_LINE_FIELD(reason, reason)
	)
)

/* The runtime calls the program back on this thread; api = the function that registered it. */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, callback,
	LTTNG_UST_TP_ARGS(const char *, api, uint64_t, argument, uint64_t, launch, int, begins),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(api, api)
		lttng_ust_field_integer_hex(uint64_t, argument, argument)
		lttng_ust_field_integer_hex(uint64_t, launch, launch)
		lttng_ust_field_integer(uint8_t, begins, begins)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(aclcheck, finding,
	LTTNG_UST_TP_ARGS(const struct acl_finding *, f, uint8_t, status, const char *, api),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, serial, f->serial)
		lttng_ust_field_string(rule, f->rule->id)
		lttng_ust_field_enum(aclcheck, severity, uint8_t, severity, f->severity)
		lttng_ust_field_string(api, api)
		TRACE_LINE_FIELD(title, f->title)
		TRACE_LINE_FIELD(detail, f->detail)
		lttng_ust_field_integer_hex(uint64_t, caller, f->event ? f->event->caller : 0)
		lttng_ust_field_integer(uint32_t, stack, f->stack)
		lttng_ust_field_integer(uint64_t, repeat, f->repeat)
		lttng_ust_field_integer(uint64_t, cause, f->cause)
		lttng_ust_field_integer(uint8_t, advice, f->advice)
		lttng_ust_field_integer(uint8_t, secondary, f->secondary)
		lttng_ust_field_integer(uint8_t, relaxed, f->relaxed)
		lttng_ust_field_integer(uint8_t, at_leave, f->at_leave)
		lttng_ust_field_enum(aclcheck, finding_status, uint8_t, status, status)
	)
)

/* The exact values that broke the rule; they follow their finding on the same thread. */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, finding_value,
	LTTNG_UST_TP_ARGS(uint64_t, serial, const struct acl_value *, v),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, serial, serial)
		TRACE_LINE_FIELD(name, v->name)
		lttng_ust_field_enum(aclcheck, value_form, uint8_t, form, v->form)
		lttng_ust_field_integer(uint64_t, value, v->form == ACL_VALUE_TEXT ? 0 : v->u)
		TRACE_LINE_FIELD(text, v->form == ACL_VALUE_TEXT ? v->s : NULL)
	)
)

#define TRACE_MOMENT(prefix, m)                                                                              \
	lttng_ust_field_integer_hex(uint64_t, prefix##_caller, (m)->caller)                                  \
	lttng_ust_field_integer(uint32_t, prefix##_stack, (m)->stack)                                        \
	lttng_ust_field_integer(uint32_t, prefix##_tid, (m)->tid)

/* Biography of an object of a finding: the function names are empty for what did not happen. */
LTTNG_UST_TRACEPOINT_EVENT(aclcheck, finding_object,
	LTTNG_UST_TP_ARGS(uint64_t, serial, const struct acl_object_history *, b, const char *const *, apis),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, serial, serial)
		TRACE_LINE_FIELD(role, b->role)
		TRACE_LINE_FIELD(kind, b->kind)
		lttng_ust_field_integer_hex(uint64_t, value, b->value)
		lttng_ust_field_integer(uint64_t, size, b->size)
		lttng_ust_field_integer(uint64_t, generation, b->serial)
		lttng_ust_field_integer(int32_t, device, b->device)
		lttng_ust_field_integer_hex(uint64_t, context, b->context)
		lttng_ust_field_string(created_api, apis[0])
		TRACE_MOMENT(created, &b->created)
		lttng_ust_field_string(used_api, apis[1])
		TRACE_MOMENT(used, &b->last_used)
		lttng_ust_field_string(destroyed_api, apis[2])
		TRACE_MOMENT(destroyed, &b->destroyed)
	)
)

#endif

#include <lttng/tracepoint-event.h>
