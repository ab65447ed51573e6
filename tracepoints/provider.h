/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of the trace provider. */
#ifndef TRACEPOINTS_PROVIDER_H
#define TRACEPOINTS_PROVIDER_H

#include "interpose/report/trace_provider.h"
#include "tracepoints/call.h"

/* What the core offers; set once, before any other function of the provider runs. */
extern const struct acl_trace_host *trace_host;

/* --- self.c: the recorded process, its settings, modules and stacks ------ */

/*
 * Before an event of a call: process, thread and (readers find the lines of the program that call) the module
 * of the caller, as far as sessions do not know them.
 */
void self_call(const struct acl_call_record *call, bool with_caller);
/*
 * Emits what sessions that can see it have not received yet.  Cheap when there
 * is nothing new.  False = nothing was new.
 */
bool self_describe(void);
/* Tells a setting or result, and remembers it for sessions that come later. */
void self_remember(const char *key, const char *value);
/* Describes a module or a stack (with its modules) unless that was done. */
void self_module(uint32_t id);
void self_stack(uint32_t id);
/* In the child of a fork: everything is to be emitted again. */
void self_forked(void);

/* --- finding.c ------------------------------------------------------------ */

void finding_emit(const struct acl_finding *f, enum finding_status status);
void answer_emit(enum trace_question question, uint64_t of, const void *answer, unsigned bytes);
void said_emit(const struct trace_said *s);
void callback_emit(const struct acl_call_record *outer, uint64_t argument, uint64_t launch, bool begins);

#endif
