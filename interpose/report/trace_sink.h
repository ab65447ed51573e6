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
};
extern struct trace_sink trace_sink;

static inline const struct acl_trace_provider *trace_provider(void)
{
	return atomic_load_explicit(&trace_sink.provider, memory_order_acquire);
}

/* Opens the provider where tracing can happen; true = it is there now. */
bool trace_open(void);
/* A fact about the run, for the recording, also one that comes later. */
void trace_describe(const char *key, const char *value);

/* How the process ends before the recorder does, see struct acl_trace_host. */
void trace_end_is(void (*end)(void));

/* One finding, with its status. */
void trace_finding(const struct finding_record *s);

#endif
