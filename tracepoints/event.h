/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of calls, as LTTng-UST sees them. The structures are those that the macros of
 * lttng/tracepoint-event.h make (its ABI between probes and tracer), but an event's bytes are written by one
 * call, and a function's events are registered when it is called for the first time: registering all takes
 * LTTng a fifth of a second, and each is described in the metadata of a recording.
 */
#ifndef TRACEPOINTS_EVENT_H
#define TRACEPOINTS_EVENT_H

#include <float.h>
#include <limits.h>
#include <lttng/tracepoint.h>
#include <lttng/ust-events.h>
#include <lttng/ust-utils.h>
#include <signal.h>
#include <stdbool.h>

#include "checks/engine/call_record.h"

/* The events of one function: at its entry, at its exit, and one for both. */
enum { TRACE_AT_ENTRY, TRACE_AT_EXIT, TRACE_AT_CALL, TRACE_EVENTS };

struct trace_function {
	unsigned api, n_events; /* with or without the third */
	struct lttng_ust_tracepoint *const *tracepoints;
	const struct lttng_ust_probe_desc *pair, *call;
	void (*enter)(const struct acl_call_record *e);
	void (*leave)(const struct acl_call_record *e);
	void (*record)(const struct acl_call_record *e);
};

/* A part of the functions, as the generator has divided them; the lists end with NULL. */
struct trace_unit {
	const struct trace_function *functions;
	unsigned count;
};

extern const struct trace_unit *const trace_units[], *const trace_minimal_units[];

/* The description that enumerations refer to. */
extern const struct lttng_ust_probe_desc trace_no_events;

/* The bytes of an event, on their way to the sessions that record it. */
struct trace_bytes {
	const char *bytes;
	size_t size;
	const struct lttng_ust_tracepoint_class *class;
	uint64_t caller;
};

/* Before any event. False: the tracer is not there. */
bool trace_events_start(void);
/* Gives an event to the sessions. */
void trace_emit(const struct lttng_ust_tracepoint *tracepoint, const struct trace_bytes *bytes);
/* What LTTng calls for each session. */
void trace_probe(void *session, const struct trace_bytes *bytes);

/* --- descriptions ----------------------------------------------------------- */

#define TRACE_SIGNATURE "const struct trace_bytes *"

#define TRACE_PROBE(provider, ...)                                                                           \
	{                                                                                                    \
		.struct_size = sizeof(struct lttng_ust_probe_desc), .provider_name = (provider),             \
		.event_desc = (const struct lttng_ust_event_desc *const[]){__VA_ARGS__},                     \
		.nr_events = sizeof((const void *[]){__VA_ARGS__}) / sizeof(void *),                         \
		.major = LTTNG_UST_PROVIDER_MAJOR, .minor = LTTNG_UST_PROVIDER_MINOR                         \
	}

/* An event whose fields_IDENTIFIER are there. */
#define TRACE_EVENT(identifier, provider, name, probe)                                                       \
	static const struct lttng_ust_tracepoint_class class_##identifier = {                                \
		.struct_size = sizeof(struct lttng_ust_tracepoint_class),                                    \
		.fields = fields_##identifier,                                                               \
		.nr_fields = sizeof(fields_##identifier) / sizeof(*fields_##identifier),                     \
		.probe_callback = (void (*)(void))trace_probe,                                               \
		.signature = TRACE_SIGNATURE,                                                                \
		.probe_desc = &(probe)};                                                                     \
	static const struct lttng_ust_event_desc event_##identifier = {                                      \
		.struct_size = sizeof(struct lttng_ust_event_desc),                                          \
		.event_name = (name),                                                                        \
		.probe_desc = &(probe),                                                                      \
		.tp_class = &class_##identifier};                                                            \
	static struct lttng_ust_tracepoint tracepoint_##identifier = {                                       \
		.struct_size = sizeof(struct lttng_ust_tracepoint),                                          \
		.provider_name = (provider),                                                                 \
		.event_name = (name),                                                                        \
		.signature = TRACE_SIGNATURE};

#define TRACE_PAIR(name)                                                                                     \
	static const struct lttng_ust_probe_desc pair_##name;                                                \
	TRACE_EVENT(entry_##name, "acl", #name "_entry", pair_##name)                                        \
	TRACE_EVENT(exit_##name, "acl", #name "_exit", pair_##name)                                          \
	static const struct lttng_ust_probe_desc pair_##name =                                               \
		TRACE_PROBE("acl", &event_entry_##name, &event_exit_##name);

#define TRACE_CALL(name)                                                                                     \
	static const struct lttng_ust_probe_desc single_##name;                                              \
	TRACE_EVENT(call_##name, "acl_call", #name, single_##name)                                           \
	static const struct lttng_ust_probe_desc single_##name = TRACE_PROBE("acl_call", &event_call_##name);

#define TRACE_FUNCTION_PAIR(name)                                                                            \
	{.api = ACL_API_##name,                                                                              \
		.n_events = TRACE_AT_CALL,                                                                   \
		.tracepoints = (struct lttng_ust_tracepoint *const[]){&tracepoint_entry_##name,              \
			&tracepoint_exit_##name},                                                            \
		.pair = &pair_##name,                                                                        \
		.enter = enter_##name,                                                                       \
		.leave = leave_##name},

#define TRACE_FUNCTION(name)                                                                                 \
	{.api = ACL_API_##name,                                                                              \
		.n_events = TRACE_EVENTS,                                                                    \
		.tracepoints = (struct lttng_ust_tracepoint *const[]){&tracepoint_entry_##name,              \
			&tracepoint_exit_##name, &tracepoint_call_##name},                                   \
		.pair = &pair_##name,                                                                        \
		.call = &single_##name,                                                                      \
		.enter = enter_##name,                                                                       \
		.leave = leave_##name,                                                                       \
		.record = record_##name},

/* At the end of the pass that has written the fields to "bytes", up to "at". */
#define TRACE_EMIT(identifier)                                                                               \
	trace_emit(&tracepoint_##identifier,                                                                 \
		&(struct trace_bytes){bytes, (size_t)(at - bytes), &class_##identifier, e->caller});

/* --- giving them to LTTng ------------------------------------------------------ */

/* Between lock and unlock: from now on sessions can record the function's events, from the next one on. */
void trace_register(const struct trace_function *f);
/* Also around fork(). before: the thread's signals, which are blocked meanwhile. */
void trace_registration_lock(sigset_t *before);
void trace_registration_unlock(const sigset_t *before);

#endif
