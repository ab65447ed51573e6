/* SPDX-License-Identifier: Apache-2.0 */
/* How events are used: across devices, streams and threads, for nothing, and destroyed too early. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/event_state.h"
#include "checks/state/init_state.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

/* Records of a creation site before its events are said to keep time for nothing. */
#define MANY_RECORDS 16
/* Of a creation site: this, and its records twice. */
#define SITE_IS_TIMED 1u

static struct value_table *sites(struct checks *c)
{
	return module_state(c, event_use);
}

/* The event and its state when we saw it made by this process. */
static struct event_state *event_made_here(struct acl_object *o)
{
	return o && load_acquire(&o->state) == ACL_OBJECT_LIVE &&
			       load_relaxed(&event_marks(o)->maker) != EVENT_IMPORTED
		       ? event_state(o)
		       : NULL;
}

/* --- event-cross-device ------------------------------------------------------------------- */

/*
 * Events of the newest kind are where they are recorded, the others where they
 * were made; -1 = unknown.  Pools hand such events, once recorded, to any device.
 */
static int event_device(struct checks *c, struct acl_object *o)
{
	struct acl_object *source;
	uint64_t position;

	if (load_relaxed(&event_marks(o)->maker) != EVENT_EX)
		return load_relaxed(&o->device);
	source = latest_record(c, o, &position);
	return source                                              ? load_relaxed(&source->device)
	       : load_relaxed(&event_state(o)->records) & RECORDED ? -1
								   : load_relaxed(&o->device);
}

static bool event_records_again(struct acl_call_record *call, struct event_state *e)
{
	return acl_apis[call->api].operation == ACL_OP_RECORD_EVENT &&
	       load_relaxed(&event_state_marks(e)->maker) == EVENT_EX && load_relaxed(&e->records) & RECORDED;
}

static void event_cross_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call), *s = stream_of(call);
	int device, other;

	if (!checks_happened(c, WHEN_DEVICES) || !s || !event_made_here(o))
		return;
	if (event_records_again(call, event_state(o)))
		return;
	device = event_device(c, o);
	other = load_relaxed(&s->device);
	if (device >= 0 && other >= 0)
		FINDING(c, call, "event-cross-device", device != other,
			PARTS(part_object("event", o), part_object("stream", s)),
			"The event is of device %d, the stream of device %d.", device, other);
}

/* --- event-wait-same-stream ----------------------------------------------------------------- */

/* A function of its own, so that other waits need no stack for it. */
static __attribute__((noinline)) void event_waited_here(struct checks *c, struct acl_call_record *call)
{
	FINDING_BROKEN(c, call, RULE("event-wait-same-stream"),
		PARTS(part_object("event", event_of(call)), part_object("stream", stream_of(call))),
		"The event was recorded on this stream: its tasks run in order anyway.");
}

static void event_wait_here_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call), *s = stream_of(call);
	struct event_state *e = event_made_here(o);

	/* Other kinds wait in earnest. */
	if (!e || !s || load_relaxed(&event_state_marks(e)->maker) != EVENT_EX || call->state.capture ||
		event_flag_external(call) || event_capture(c, o))
		return;
	if (load_acquire(&e->position) && finding_condition(c, call, RULE("event-wait-same-stream"),
						  load_relaxed(&e->stream) == object_ref(s)))
		event_waited_here(c, call);
}

/* --- event-query-cross-thread ------------------------------------------------------------------ */

/* A record that the host has seen done is no question any more. */
static void event_query_thread_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call), *source;
	struct event_state *e = event_made_here(o);
	uint64_t position;
	uint32_t by;

	if (!e)
		return;
	source = latest_record(c, o, &position);
	by = load_relaxed(&o->last_used.tid);
	if (source && by && stream_pending(source, position))
		FINDING(c, call, "event-query-cross-thread", by != call->tid,
			PARTS(part_uint("recorded by thread", by), part_object("event", o)),
			"Thread %u recorded the event, thread %u queries it.", by, call->tid);
}

/* --- event-elapsed-different-streams -------------------------------------------------------------- */

static void event_streams_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *start = object_find(c, ACL_HANDLE_EVENT,
				  acl_arg_pointer(call->api, call->args, ACL_ROLE_START_EVENT)),
			  *end = event_of(call), *from, *to;
	uint64_t position;

	if (!succeeded(call) || !event_made_here(start) || !event_made_here(end) || start == end)
		return;
	from = latest_record(c, start, &position);
	to = latest_record(c, end, &position);
	if (from && to)
		FINDING(c, call, "event-elapsed-different-streams", from != to,
			PARTS(part_object("start", start), part_object("end", end),
				part_object("stream of the start", from),
				part_object("stream of the end", to)),
			"The events were recorded on different streams%s.",
			load_relaxed(&from->device) != load_relaxed(&to->device) ? " of different devices"
										 : "");
}

/* --- event-timeline-unneeded ----------------------------------------------------------------------- */

static bool event_keeps_time(const struct event_state *e, unsigned maker)
{
	return maker == EVENT_PLAIN || load_relaxed(&((struct event_state *)e)->flags) & ACL_EVENT_TIME_LINE;
}

/* Events of one creation site are checked together, and at the end: some may be for time. */
static void event_timeline_add(struct checks *c, struct acl_object *o, struct event_state *e)
{
	const struct call_site_slot *made = object_created(c, o);
	uint64_t where = load_relaxed(&((struct call_site_slot *)made)->where), now;

	if (!call_site_caller(made) || !event_keeps_time(e, load_relaxed(&event_state_marks(e)->maker)) ||
		!load_relaxed(&e->recorded))
		return;
	now = value_table_value(sites(c), where) |
	      (load_relaxed(&event_state_marks(e)->timed) ? SITE_IS_TIMED : 0);
	value_table_set(c, sites(c), where, now + 2 * (uint64_t)load_relaxed(&e->recorded));
}

static void event_use_finish(struct checks *c, enum checks_end kind)
{
	uint64_t where, now;
	uint32_t at = 0;

	if (!end_is_whole(c, kind))
		return;
	while (value_table_next(sites(c), &at, &where, &now))
		if (now / 2 >= MANY_RECORDS)
			FINDING(c, NULL, "event-timeline-unneeded", !(now & SITE_IS_TIMED),
				PARTS(part_site(where), part_where(where), part_uint("records", now / 2)),
				"Events created at one call site were recorded %llu times, and their time "
				"was "
				"never queried.",
				(unsigned long long)(now / 2));
}

/* --- event-destroyed-in-use --------------------------------------------------------------------------- */

/* A stream that another thread lets wait for the event, and nothing shows that the wait is over. */
static struct acl_object *waiting_stream(
	struct checks *c, const struct acl_call_record *call, struct acl_object *event, uint32_t *tid)
{
	struct event_wait *w;

	for (unsigned i = 0; (w = event_wait_at(event, i)) != NULL; i++) {
		uint64_t put;
		struct acl_object *s = event_wait_stream(c, w, &put);

		*tid = event_wait_tid(put);
		if (s && object_usable(s) && *tid != call->tid &&
			stream_pending(s, event_wait_position(put)) &&
			!host_may_be_informed(c, s, event_wait_position(put)))
			return s;
	}
	return NULL;
}

static void event_in_use(
	struct checks *c, struct acl_call_record *call, struct acl_object *o, struct event_state *e)
{
	bool by_host = load_relaxed(&e->host_waits) != 0;
	struct acl_object *s;
	uint32_t tid = 0;

	if (call->in_exit)
		return;
	if (by_host) {
		FINDING(c, call, "event-destroyed-in-use", true, PARTS(part_object("event", o)),
			"Another thread waits for the event right now.");
		return;
	}
	/* The runtime keeps what a submitted wait needs; frameworks leave the destroying to threads of their
	 * own. */
	s = waiting_stream(c, call, o, &tid);
	FINDING(c, call, "event-destroyed-in-use", s,
		PARTS(part_advice(true), part_object("event", o), part_object("waiting stream", s)),
		"Thread %u lets a stream wait for the event, and nothing shows that the wait is over.", tid);
}

static void event_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct event_state *e = o && object_usable(o) ? event_state(o) : NULL;

	if (!e || call->state.destroying != object_ref(o))
		return;
	event_in_use(c, call, o, e);
	event_timeline_add(c, o, e);
}

static void event_use_forked(struct checks *c)
{
	value_table_clear(sites(c));
}

static const struct check_hook hooks[] = {
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_WHEN(DEVICES), event_cross_enter},
	{ON_OP(WAIT_EVENT), ACL_ENTER | ACL_WHEN(DEVICES), event_cross_enter},
	{ON_OP(WAIT_EVENT), ACL_ENTER, event_wait_here_enter},
	/* Whether the event was recorded other threads may ask: pools of memory do. */
	{ON_OP_WITH(QUERY_EVENT, STATUS), ACL_ENTER, event_query_thread_enter},
	{ON_OP(INFO_EVENT_ELAPSED_TIME), ACL_LEAVE, event_streams_leave},
	{ON_OP(DESTROY_EVENT), ACL_ENTER, event_destroy_enter},
};

const struct check_module module_event_use = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct value_table),
	.finish = event_use_finish,
	.forked = event_use_forked,
};
