/* SPDX-License-Identifier: Apache-2.0 */
/* Events: kind, latest record, and the progress an observed event proves. */
#include "checks/state/event_state.h"
#include "checks/engine/evidence.h"
#include "checks/engine/instance.h"
#include "checks/state/capture_state.h"
#include "checks/state/lifecycle.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

struct events {
	_Atomic bool shared; /* one was made that other processes may look at */
};

/* What kind of event it is only the function that made it says: two of them take the same flags. */
static enum event_maker event_maker_of(const struct acl_call_record *call)
{
	if (acl_apis[call->api].operation == ACL_OP_IMPORT_EVENT)
		return EVENT_IMPORTED;
	if (!acl_arg_has(call->api, ACL_ROLE_FLAGS))
		return EVENT_PLAIN;
	return acl_api_is(call->api, ACL_TRAIT_EXTENDED) ? EVENT_EX : EVENT_WITH_FLAG;
}

static bool is_link(struct event_state *e)
{
	return load_relaxed(&event_state_marks(e)->maker) == EVENT_EX &&
	       (load_relaxed(&e->flags) & (ACL_EVENT_SYNC | ACL_EVENT_IPC)) == ACL_EVENT_SYNC;
}

bool event_reaches_others(struct event_state *e)
{
	return load_relaxed(&e->flags) & ACL_EVENT_IPC ||
	       load_relaxed(&event_state_marks(e)->maker) == EVENT_IMPORTED;
}

void event_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o)
{
	struct event_state *e = event_state(o);

	store_relaxed(&event_state_marks(e)->maker, event_maker_of(call));
	store_relaxed(&e->flags, (uint32_t)acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS));
	store_relaxed(&event_state_marks(e)->link, is_link(e));
	if (load_relaxed(&e->flags) & ACL_EVENT_DEVICE_USE_ONLY)
		checks_when(c, WHEN_DEVICE_ONLY);
	if (load_relaxed(&event_state_marks(e)->maker) == EVENT_WITH_FLAG &&
		load_relaxed(&e->flags) & ACL_EVENT_EXTERNAL)
		checks_when(c, WHEN_GRAPH_EVENT);
	if (event_reaches_others(e)) {
		store_relaxed(&((struct events *)module_state(c, event))->shared, true);
		checks_when(c, WHEN_EVENTS_SHARED);
	}
}

bool events_are_shared(struct checks *c)
{
	const struct events *all = module_state(c, event);
	struct acl_object *o;

	if (!load_relaxed(&all->shared))
		return false;
	object_each(c, ACL_HANDLE_EVENT,
		o) if (object_usable(o) && event_reaches_others(event_state(o))) return true;
	return false;
}

static void event_record_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call);

	if (!e)
		return;
	/* Counted before it is forwarded: a wait of another thread may overtake our leave. */
	if (!(load_relaxed(&event_state(e)->records) & RECORDED)) {
		counter_inc(&event_state(e)->records);
		call->state.record_counted = true;
	}
	object_used(c, e, call);
}

/* The order of release looks at the stream of the record before, too. */
static void former_record_keep(struct event_state *e, acl_ref stream)
{
	acl_ref former = load_relaxed(&e->stream);

	if (former != stream && !load_relaxed(&e->wait.put))
		store_relaxed(&e->wait.stream, former);
}

static void event_record_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call), *s = stream_of(call);
	struct event_state *e = o ? event_state(o) : NULL;

	(void)c;
	if (!e)
		return;
	if (!succeeded(call)) {
		if (call->state.record_counted)
			counter_dec(&e->records);
		return;
	}
	if (call->state.record_counted)
		atomic_fetch_or(&e->records, RECORDED);
	store_relaxed(&e->recorded, load_relaxed(&e->recorded) + 1);
	if (!s || call->state.capture)
		return;
	former_record_keep(e, object_ref(s));
	/* Position 0 while the pair is changed: a reader in between sees no record and proves nothing. */
	store_release(&e->position, 0);
	store_release(&e->stream, object_ref(s));
	store_release(&e->position, call->state.position);
}

static bool event_is_special(struct acl_object *o)
{
	struct event_state *e = event_state(o);

	return load_relaxed(&event_state_marks(e)->captured) ||
	       load_relaxed(&event_state_marks(e)->record_flag) ||
	       load_relaxed(&event_state_marks(e)->wait_flag) || event_rarely(o, capture);
}

void event_special_renew(struct acl_object *event)
{
	object_special_renew(event, event_is_special);
}

struct acl_object *latest_record(struct checks *c, struct acl_object *o, uint64_t *position)
{
	struct event_state *e = event_state(o);
	uint64_t first = load_acquire(&e->position);
	acl_ref stream = load_acquire(&e->stream);

	*position = load_acquire(&e->position);
	return first && first == *position ? object_of(c, stream) : NULL;
}

/* Without a record that we have seen, only the wait for an event of this kind is none: it ends at once. */
static bool ends_at_once(struct acl_object *o)
{
	return load_relaxed(&event_marks(o)->maker) == EVENT_EX && !load_relaxed(&event_state(o)->records);
}

bool event_is_recorded_here(struct acl_object *event)
{
	return event && load_relaxed(&event_marks(event)->maker) != EVENT_IMPORTED;
}

static void event_unseen_wait(struct checks *c, struct acl_object *o, struct acl_object *s, uint64_t position)
{
	evidence_ends(c, CHECKS_END_EVENT_WAIT);
	stream_waits_unseen(c, s, position, event_is_recorded_here(o));
}

/* Whether nothing is lost with the wait that is kept there: it is of the same stream, or over. */
static bool wait_free(struct checks *c, struct event_wait *wait, acl_ref stream)
{
	uint64_t put;
	struct acl_object *o =
		load_relaxed(&wait->stream) == stream ? NULL : event_wait_stream(c, wait, &put);

	return !o || !stream_pending(o, event_wait_position(put));
}

/* Of several streams that meet in the rare part the later one is kept. */
static void event_wait_note(
	struct checks *c, struct acl_object *o, struct acl_object *s, const struct acl_call_record *call)
{
	struct event_wait *wait = &event_state(o)->wait;
	acl_ref stream = object_ref(s);
	struct event_rare *rare;

	if (!wait_free(c, wait, stream)) {
		rare = event_rare_make(c, o);
		if (!rare)
			return;
		wait = &rare->waits[(stream >> 32) % EVENT_MORE_WAITS];
	}
	store_relaxed(&wait->stream, stream);
	store_relaxed(&wait->put, event_wait_put(stream, call->state.position, call->tid));
}

static void event_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call), *s = stream_of(call), *source;
	uint64_t position;

	/* A wait for an event of an open capture takes the stream into it: the task does not run. */
	if (!s || !succeeded(call) || call->state.capture || event_capture(c, o))
		return;
	if (!o) {
		event_unseen_wait(c, o, s, call->state.position);
		return;
	}
	event_wait_note(c, o, s, call);
	if (load_relaxed(&event_marks(o)->maker) == EVENT_IMPORTED ||
		load_relaxed(&event_marks(o)->external)) {
		event_unseen_wait(c, o, s, call->state.position);
		return;
	}
	source = latest_record(c, o, &position);
	if (source)
		stream_waits_for(c, s, call->state.position, source, position);
	else if (!ends_at_once(o))
		event_unseen_wait(c, o, s, call->state.position);
}

/* The record that is the latest when the call begins. */
static void event_observe_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call), *source;
	uint64_t position;

	source = o ? latest_record(c, o, &position) : NULL;
	if (!source)
		return;
	call->state.observed = source;
	call->state.observed_position = position;
}

/* The two kinds of status number their values the opposite way. */
static bool event_query_complete(const struct acl_call_record *call)
{
	const aclrtEventStatus *status;

	if (acl_arg_has(call->api, ACL_ROLE_RECORDED_STATUS)) {
		const aclrtEventRecordedStatus *recorded =
			acl_arg_pointer(call->api, call->args, ACL_ROLE_RECORDED_STATUS);

		return recorded && *recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE;
	}
	status = acl_arg_pointer(call->api, call->args, ACL_ROLE_STATUS);
	return status && *status == ACL_EVENT_STATUS_COMPLETE;
}

/* Whoever made it may have recorded it behind any task. */
static void unknown_event_observed(struct checks *c, const struct acl_call_record *call)
{
	if (succeeded(call) && event_argument(c, call))
		streams_unsure(c);
}

static void event_observe_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = call->state.observed;

	if (__builtin_expect(!event_of(call), 0)) {
		unknown_event_observed(c, call);
		return;
	}
	/* Mostly the host knows it already. */
	if (succeeded(call) && s && call->state.observed_position > stream_completed(s))
		stream_retire(c, call->state.observed, call->state.observed_position, true);
}

static void event_query_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call) && event_query_complete(call))
		event_observe_leave(c, call);
}

/*
 * All waits for it are over, and with each of them what its stream did before; without a wait this shows
 * nothing. One that another thread adds meanwhile is taken for one of them: of what it waits for less is
 * said.
 */
static void event_waits_over(struct checks *c, struct acl_call_record *call)
{
	const int32_t *status = acl_arg_pointer(call->api, call->args, ACL_ROLE_STATUS);
	struct acl_object *o = event_of(call), *s;
	struct event_wait *wait;
	uint64_t put;

	if (!succeeded(call) || !status || *status != (int32_t)ACL_EVENT_WAIT_STATUS_COMPLETE)
		return;
	if (!o) {
		unknown_event_observed(c, call);
		return;
	}
	for (unsigned i = 0; (wait = event_wait_at(o, i)) != NULL; i++) {
		s = event_wait_stream(c, wait, &put);
		if (s)
			stream_retire(c, s, event_wait_position(put), true);
	}
}

/* --- what else is done with it ------------------------------------------------------------ */

static void event_timed(struct acl_object *o)
{
	if (o)
		store_relaxed(&event_marks(o)->timed, true);
}

static void event_time_leave(struct checks *c, struct acl_call_record *call)
{
	const void *start = acl_arg_pointer(call->api, call->args, ACL_ROLE_START_EVENT);

	event_timed(event_of(call));
	if (start)
		event_timed(object_find(c, ACL_HANDLE_EVENT, start));
}

/* Of a call: acl_ref of the event that the thread waits for. */
static const char host_wait_note;

/* Calls of threads that wait for the event; those of device streams are the runtime's affair. */
static void event_host_wait_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);

	(void)c;
	if (!o || !object_usable(o))
		return;
	counter_inc(&event_state(o)->host_waits);
	call_note_set(call, &host_wait_note, object_ref(o));
}

static void event_host_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o =
		call_note(call, &host_wait_note) ? object_of(c, call_note(call, &host_wait_note)) : NULL;

	if (o)
		counter_dec(&event_state(o)->host_waits);
}

/* A reset makes the event an unrecorded one; only of this kind does the next wait block then. */
static void event_reset_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct event_rare *e;

	if (!o || !event_reset_counts(call))
		return;
	store_relaxed(&event_state(o)->records, 0);
	e = event_rare_make(c, o);
	if (!e)
		return;
	store_relaxed(&e->reset_by, stream_of(call) ? object_ref(stream_of(call)) : 0);
	store_relaxed(&e->reset_record, load_relaxed(&event_state(o)->position));
}

/* A record or wait without a flag was seen before: it counts as one with the default. */
static bool event_used_plainly(struct acl_object *o, bool record)
{
	return record ? load_relaxed(&event_state(o)->recorded) != 0
		      : load_relaxed(&event_state(o)->wait.put) != 0;
}

/* The first call decides for all that follow, even when it fails. */
static void event_flag_enter(struct checks *c, struct acl_call_record *call)
{
	bool record = acl_apis[call->api].operation == ACL_OP_RECORD_EVENT;
	uint32_t flag = (uint32_t)acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS);
	struct acl_object *o = event_of(call);
	_Atomic uint8_t *first;

	(void)c;
	if (!o || load_relaxed(&event_marks(o)->maker) != EVENT_EX || flag > 1)
		return;
	first = record ? &event_marks(o)->record_flag : &event_marks(o)->wait_flag;
	if (load_relaxed(first))
		return;
	if (event_used_plainly(o, record))
		flag = 0;
	store_relaxed(first, (uint8_t)(1 + flag));
	event_special_renew(o);
}

static void event_external_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call), *capture = capture_of(c, stream_of(call));

	struct event_rare *e =
		capture && o && event_flag_external(call) && succeeded(call) ? event_rare_make(c, o) : NULL;

	if (e)
		store_relaxed(&e->external_in, object_ref(capture));
}

static void event_forked(struct checks *c)
{
	struct acl_object *o;

	/* The threads that waited are the parent's. */
	object_each(c, ACL_HANDLE_EVENT, o) store_relaxed(&event_state(o)->host_waits, 0);
}

static const struct check_hook hooks[] = {
	{ON_OP(RESET_EVENT), ACL_LEAVE, event_reset_leave},
	{ON_OP_WITH(RECORD_EVENT, FLAGS), ACL_ENTER, event_flag_enter},
	{ON_OP_WITH(WAIT_EVENT, FLAGS), ACL_ENTER, event_flag_enter},
	{ON_OP_WITH(RECORD_EVENT, FLAGS), ACL_LEAVE, event_external_leave},
	{ON_OP_WITH(WAIT_EVENT, FLAGS), ACL_LEAVE, event_external_leave},
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER, event_host_wait_enter},
	{ON_OP(SYNCHRONISE_EVENT), ACL_LEAVE, event_host_wait_leave},
	{ON_OP(INFO_EVENT_ELAPSED_TIME), ACL_LEAVE, event_time_leave},
	{ON_OP(INFO_EVENT_TIMESTAMP), ACL_LEAVE, event_time_leave},
	{ON_OP(RECORD_EVENT), ACL_ENTER, event_record_enter},
	{ON_OP(RECORD_EVENT), ACL_LEAVE, event_record_leave},
	{ON_OP(WAIT_EVENT), ACL_LEAVE, event_wait_leave},
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER, event_observe_enter},
	{ON_OP(SYNCHRONISE_EVENT), ACL_LEAVE, event_observe_leave},
	{ON_OP(QUERY_EVENT), ACL_ENTER, event_observe_enter},
	{ON_OP(QUERY_EVENT), ACL_LEAVE, event_query_leave},
	{ON_OP(QUERY_EVENT_WAIT), ACL_LEAVE, event_waits_over},
	{ON_OP(INFO_EVENT_TIMESTAMP), ACL_ENTER, event_observe_enter},
	{ON_OP(INFO_EVENT_TIMESTAMP), ACL_LEAVE, event_observe_leave},
};

const struct check_module module_event = {
	.order = 4,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct events),
	.forked = event_forked,
};
