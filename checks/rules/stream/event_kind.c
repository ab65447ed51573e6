/* SPDX-License-Identifier: Apache-2.0 */
/* What the kind of an event allows: waiting, resetting, querying, timing, sharing. */

#include "checks/engine/finding_statement.h"
#include "checks/state/event_state.h"
#include "checks/state/signal_state.h"

#define CAN_WAIT (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC)

/* The event and its state when we saw it made; what others made is not checked. */
static struct event_state *event_known_kind(struct acl_object *o)
{
	return o && load_acquire(&o->state) == ACL_OBJECT_LIVE ? event_state(o) : NULL;
}

static const char *maker_name(const struct event_state *e)
{
	static const char *const names[] = {[EVENT_PLAIN] = "aclrtCreateEvent",
		[EVENT_WITH_FLAG] = "aclrtCreateEventWithFlag",
		[EVENT_EX] = "aclrtCreateEventExWithFlag",
		[EVENT_IMPORTED] = "aclrtIpcOpenEventHandle"};

	return names[load_relaxed(&event_state_marks(e)->maker)];
}

/* A function of its own, so that calls for the right kind need no stack for it. */
static __attribute__((noinline)) void event_kind_is_wrong(struct checks *c, struct acl_call_record *call,
	const struct acl_rule *rule, struct acl_object *o, const char *detail, int severity)
{
	struct event_state *e = event_state(o);

	FINDING_BROKEN(c, call, rule,
		PARTS(part_severity(severity), part_handle("event", load_relaxed(&o->value)),
			part_uint("flags", load_relaxed(&e->flags)), part_object("event", o)),
		"%s; the event was made by %s with flags 0x%x.", detail, maker_name(e),
		load_relaxed(&e->flags));
}

/* -1: the severity of the table. */
static inline bool check_event_kind(struct checks *c, struct acl_call_record *call,
	const struct acl_rule *rule, struct acl_object *o, bool wrong, const char *detail, int severity)
{
	if (finding_condition(c, call, rule, wrong))
		event_kind_is_wrong(c, call, rule, o, detail, severity);
	return wrong;
}

static bool event_is_flagged(const struct event_state *e)
{
	unsigned maker = load_relaxed(&event_state_marks(e)->maker);

	return maker == EVENT_WITH_FLAG || maker == EVENT_EX;
}

/* Ascend 950 takes such events on the host. */
static bool host_takes_device_only(const struct checks *c)
{
	return soc_is(c, "950");
}

static bool event_is_device_only(const struct event_state *e)
{
	return load_relaxed(&((struct event_state *)e)->flags) & ACL_EVENT_DEVICE_USE_ONLY &&
	       event_is_flagged(e);
}

static __attribute__((noinline)) void event_device_only_on_host(
	struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct event_state *e = event_state(o);

	FINDING_BROKEN(c, call, RULE("event-device-only-on-host"),
		PARTS(part_handle("event", load_relaxed(&o->value)),
			part_uint("flags", load_relaxed(&e->flags)), part_object("event", o)),
		"%s; the event was made by %s with flags 0x%x.",
		"DEVICE_USE_ONLY events are for kernels, not for the host", maker_name(e),
		load_relaxed(&e->flags));
}

static inline __attribute__((always_inline)) bool event_device_only(
	struct checks *c, struct acl_call_record *call, struct acl_object *o, struct event_state *e)
{
	if (host_takes_device_only(c))
		return false;
	rule_evaluated(call, RULE("event-device-only-on-host"));
	if (__builtin_expect(!event_is_device_only(e), 1))
		return false;
	event_device_only_on_host(c, call, o);
	return true;
}

/* Once there are such events; that it was evaluated is counted with the handle. */
static void event_record_kind(struct checks *c, struct acl_call_record *call)
{
	struct event_state *e = event_known_kind(event_of(call));

	if (e && !host_takes_device_only(c) && event_is_device_only(e))
		event_device_only_on_host(c, call, event_of(call));
}

static void event_wait_kind(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct event_state *e = event_known_kind(o);

	if (e && !event_device_only(c, call, o, e) && event_is_flagged(e))
		check_event_kind(c, call, RULE("event-wait-without-sync-flag"), o,
			!(load_relaxed(&e->flags) & (CAN_WAIT | ACL_EVENT_DEVICE_USE_ONLY)),
			"Only events with SYNC, EXTERNAL or IPC can be waited for", -1);
}

/* The documents before 9.0 refuse only events of aclrtCreateEventExWithFlag. */
static bool documents_reset(const struct checks *c, struct event_state *e)
{
	switch (load_relaxed(&event_state_marks(e)->maker)) {
	case EVENT_PLAIN:
		return load_relaxed(&c->target) != CHECKS_TARGET_DOCUMENTS &&
		       !target_at_least(c, ACL_CANN_9_0);
	case EVENT_WITH_FLAG:
		return load_relaxed(&e->flags) & (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL);
	default:
		return false;
	}
}

static void event_reset_kind(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct event_state *e = event_known_kind(o);

	/* The runtime takes events of aclrtCreateEvent although the documents do not. */
	if (e && !event_device_only(c, call, o, e))
		check_event_kind(c, call, RULE("event-reset-unsupported"), o, !documents_reset(c, e),
			"Only events of aclrtCreateEventWithFlag with SYNC can be reset",
			load_relaxed(&event_state_marks(e)->maker) == EVENT_PLAIN ? ACL_SEV_WARNING : -1);
}

static bool event_is_new_kind(const struct event_state *e)
{
	unsigned maker = load_relaxed(&event_state_marks(e)->maker);

	return maker == EVENT_EX || maker == EVENT_IMPORTED;
}

static void event_query_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct event_state *e = event_known_kind(o);

	if (e)
		check_event_kind(c, call, RULE("event-query-api-mismatch"), o, event_is_new_kind(e),
			"This function does not support this kind of event", -1);
}

/* Only events that can be waited for, of the older kinds, have a number. */
static void event_id_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct event_state *e = event_known_kind(o);
	const uint32_t uncounted = ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS;

	if (e)
		check_event_kind(c, call, RULE("event-query-api-mismatch"), o,
			event_is_new_kind(e) ||
				(event_is_flagged(e) && !(load_relaxed(&e->flags) & ~uncounted)),
			"This kind of event has no number", -1);
}

static void event_share_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct event_state *e = event_known_kind(o);

	if (e)
		check_event_kind(c, call, RULE("event-ipc-handle-without-ipc-flag"), o,
			load_relaxed(&event_state_marks(e)->maker) != EVENT_EX ||
				load_relaxed(&e->flags) != ACL_EVENT_IPC,
			"Only events of aclrtCreateEventExWithFlag with ACL_EVENT_IPC can be shared", -1);
}

/* --- time between events --------------------------------------------------------------- */

static void event_time_check(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct event_state *e = event_known_kind(o);
	bool timeless;

	if (!e)
		return;
	/* Shared events are made with ACL_EVENT_IPC alone. */
	timeless = (event_is_flagged(e) || load_relaxed(&event_state_marks(e)->maker) == EVENT_IMPORTED) &&
		   !(load_relaxed(&e->flags) & ACL_EVENT_TIME_LINE);
	check_event_kind(c, call, RULE("event-elapsed-no-timeline"), o, timeless,
		"The event keeps no time: TIME_LINE is missing", -1);
	/* A reset leaves the time of the record before it. */
	check_event_kind(c, call, RULE("event-elapsed-not-recorded"), o,
		!timeless && !load_relaxed(&e->records) && !load_relaxed(&e->recorded),
		"The event was never recorded", -1);
}

static void event_time_enter(struct checks *c, struct acl_call_record *call)
{
	const void *start = acl_arg_pointer(call->api, call->args, ACL_ROLE_START_EVENT);

	if (start)
		event_time_check(c, call, object_find(c, ACL_HANDLE_EVENT, start));
	event_time_check(c, call, event_of(call));
}

/* Its latest record is on its way as far as the host can know: what was answered came by luck. */
static bool record_pending(struct checks *c, struct acl_object *o)
{
	struct event_state *e = event_known_kind(o);
	uint64_t position = 0;
	struct acl_object *stream = e ? latest_record(c, o, &position) : NULL;

	return stream && object_usable(stream) && !load_relaxed(&event_state_marks(e)->captured) &&
	       !event_capture(c, o) && task_surely_pending(c, stream, position);
}

static void event_time_leave(struct checks *c, struct acl_call_record *call)
{
	const void *start = acl_arg_pointer(call->api, call->args, ACL_ROLE_START_EVENT);
	bool early = error_of(call) == ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID;
	struct acl_object *late = event_of(call);

	if (succeeded(call)) {
		late = record_pending(c, late) || !start ? late : object_find(c, ACL_HANDLE_EVENT, start);
		early = record_pending(c, late);
	}
	FINDING(c, call, "event-elapsed-not-synced", early,
		PARTS(part_error("result", error_of(call)), part_object("event", late),
			/* Libraries wait for streams below the calls that are seen. */
			part_advice(succeeded(call) && other_submitters_possible(c, CHECKS_OTHER_WORK))),
		"%s",
		succeeded(call) ? "The event was recorded, and nothing the host did shows that its stream "
				  "has reached it."
				: "The event was recorded but its stream has not reached it yet.");
}

/* --- the host waits ----------------------------------------------------------------------- */

static void event_synchronise_kind(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct event_state *e = event_known_kind(o);

	if (e && !load_relaxed(&event_state_marks(e)->external) &&
		(load_relaxed(&event_state_marks(e)->maker) == EVENT_PLAIN ||
			load_relaxed(&event_state_marks(e)->maker) == EVENT_WITH_FLAG))
		check_event_kind(c, call, RULE("event-sync-before-record"), o, !load_relaxed(&e->records),
			"Nothing was recorded: the call returns at once", -1);
}

/* --- no more to be had ----------------------------------------------------------------------- */

static unsigned objects_alive(struct checks *c, unsigned kind)
{
	struct acl_object *o;
	unsigned n = 0;

	object_each(c, kind, o) n += object_usable(o) && !(load_relaxed(&o->flags) & ACL_OBJECT_DEFAULT);
	return n;
}

static void event_exhausted(struct checks *c, struct acl_call_record *call)
{
	unsigned alive;

	if (error_of(call) != ACL_ERROR_RT_NO_EVENT_RESOURCE)
		return;
	alive = objects_alive(c, ACL_HANDLE_EVENT);
	FINDING_BROKEN(c, call, RULE("event-resource-exhausted"), PARTS(part_uint("alive", alive)),
		"The runtime has no more; %u of this process are alive.", alive);
}

static void stream_exhausted(struct checks *c, struct acl_call_record *call)
{
	unsigned alive, contexts;

	if (error_of(call) != ACL_ERROR_RT_NO_STREAM_RESOURCE)
		return;
	alive = objects_alive(c, ACL_HANDLE_STREAM);
	contexts = objects_alive(c, ACL_HANDLE_CONTEXT);
	FINDING_BROKEN(c, call, RULE("stream-resource-exhausted"),
		PARTS(part_uint("alive", alive), part_uint("contexts", contexts)),
		"The device has no more; of this process %u are alive, and %u contexts with a stream of "
		"their own.",
		alive, contexts);
}

/* Only the runtime knows when it has no more. */
static bool event_kind_create(struct checks *c)
{
	const struct acl_operation_info *records = &acl_operations[ACL_OP_RECORD_EVENT];

	for (unsigned i = 0; i < records->n_apis && !host_takes_device_only(c); i++)
		handle_evaluates(c, acl_operation_apis[records->first_api + i], ACL_HANDLE_EVENT,
			RULE("event-device-only-on-host"));
	rule_evaluated_by_operation(c, RULE("event-resource-exhausted"), ACL_OP_CREATE_EVENT);
	rule_evaluated_by_operation(c, RULE("event-resource-exhausted"), ACL_OP_RECORD_EVENT);
	rule_evaluated_by_operation(c, RULE("stream-resource-exhausted"), ACL_OP_CREATE_STREAM);
	rule_evaluated_by_operation(c, RULE("stream-resource-exhausted"), ACL_OP_CREATE_CONTEXT);
	return true;
}

static const struct check_hook hooks[] = {
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_WHEN(DEVICE_ONLY), event_record_kind},
	{ON_OP(RECORD_EVENT), ACL_FAILED, event_exhausted},
	{ON_OP(CREATE_EVENT), ACL_FAILED, event_exhausted},
	{ON_OP(CREATE_STREAM), ACL_FAILED, stream_exhausted},
	{ON_OP(CREATE_CONTEXT), ACL_FAILED, stream_exhausted},
	{ON_OP(WAIT_EVENT), ACL_ENTER, event_wait_kind},
	{ON_OP(RESET_EVENT), ACL_ENTER, event_reset_kind},
	{ON_OP(INFO_EVENT_ID), ACL_ENTER, event_id_enter},
	{ON_OP(QUERY_EVENT_WAIT), ACL_ENTER, event_query_enter},
	/* Whether the event was recorded may be asked of all kinds: that is the answer to the rule. */
	{ON_OP_WITH(QUERY_EVENT, STATUS), ACL_ENTER, event_query_enter},
	{ON_OP(EXPORT_EVENT), ACL_ENTER, event_share_enter},
	{ON_OP(INFO_EVENT_ELAPSED_TIME), ACL_ENTER, event_time_enter},
	{ON_OP(INFO_EVENT_ELAPSED_TIME), ACL_LEAVE, event_time_leave},
	{ON_OP(INFO_EVENT_TIMESTAMP), ACL_LEAVE, event_time_leave},
	{ON_OP(INFO_EVENT_TIMESTAMP), ACL_ENTER, event_time_enter},
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER, event_synchronise_kind},
};

const struct check_module module_event_kind = {
	.create = event_kind_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
