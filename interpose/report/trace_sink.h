/* SPDX-License-Identifier: Apache-2.0 */
/* The trace provider of this process, once it is open. */
#ifndef INTERPOSE_TRACE_SINK_H
#define INTERPOSE_TRACE_SINK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "interpose/report/finding_record.h"
#include "interpose/report/trace_provider.h"

struct trace_sink {
	_Atomic(const struct acl_trace_provider *) provider; /* NULL = no trace */
	bool needs_time; /* the provider wants times in the call record */
	bool names_places; /* events say where calls are made */
	_Atomic bool some; /* perhaps not every call is recorded: trace_takes() knows which */
};
extern struct trace_sink trace_sink;

static inline const struct acl_trace_provider *trace_provider(void)
{
	return atomic_load_explicit(&trace_sink.provider, memory_order_acquire);
}

/* Whether something records calls of the function now. A few loads; from anywhere. */
static inline bool trace_is_wanted(unsigned api)
{
	const struct acl_trace_provider *p = trace_provider();

	return p && trace_is_switched_on(p, api);
}

/* Opens the provider where tracing can happen; true = it is there now. */
bool trace_open(void);
/* Whether this call is recorded, as far as program and settings choose; counts it. */
bool trace_takes(void);
/* Calls may have been left out, as program and settings choose. */
bool trace_chose(void);
/* The program says from where to where; also before its first acl call. */
void trace_choose(bool record);
/* In the child after fork: it records as many calls as any other process. had_called: its parent. */
void trace_forked(bool had_called);
/* A fact about the run, for the recording, also one that comes later. */
void trace_describe(const char *key, const char *value);

/* What the checks were answered, in a call that is recorded (thread->asking). */
void trace_answer(enum trace_question question, uint64_t of, const void *answer, size_t bytes);

/* What the program says of itself. */
void trace_say(const struct trace_said *s);
/* Nothing was said that is not in the recording. */
bool trace_all_said(void);

/* How the process ends before the recorder does, see struct acl_trace_host. */
void trace_end_is(void (*end)(void));

/* One finding, with its status. */
void trace_finding(const struct finding_record *s);

#endif
