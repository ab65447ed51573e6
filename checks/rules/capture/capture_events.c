/* SPDX-License-Identifier: Apache-2.0 */
/* Which events a capture takes, and what ACL_EVENT_EXTERNAL and the *_EXTERNAL flags are for. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/capture_state.h"
#include "checks/state/event_state.h"
#include "checks/state/stream_state.h"

static struct event_state *capture_event_known(struct acl_object *e)
{
	return e && load_acquire(&e->state) == ACL_OBJECT_LIVE ? event_state(e) : NULL;
}

/* Whether the rule is broken. */
static bool check_event(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	struct acl_object *e, bool broken, const char *detail)
{
	static const char *const makers[] = {[EVENT_PLAIN] = "aclrtCreateEvent",
		[EVENT_WITH_FLAG] = "aclrtCreateEventWithFlag",
		[EVENT_EX] = "aclrtCreateEventExWithFlag",
		[EVENT_IMPORTED] = "aclrtIpcOpenEventHandle"};
	struct acl_object *s = c->stream_offset[call->api] >= 0 ? stream_of(call) : NULL;

	return FINDING_OF(c, call, rule, broken,
		PARTS(part_object("event", e), part_object("stream", s),
			part_object("capture", capture_of(c, s))),
		"%s; the event was made by %s with flags 0x%x.", detail,
		makers[load_relaxed(&event_marks(e)->maker)], load_relaxed(&event_state(e)->flags));
}

static bool event_is_for_graph(const struct event_state *e)
{
	return load_relaxed(&event_state_marks(e)->maker) == EVENT_WITH_FLAG &&
	       load_relaxed(&((struct event_state *)e)->flags) & ACL_EVENT_EXTERNAL;
}

static bool event_is_shared(const struct event_state *e)
{
	unsigned maker = load_relaxed(&event_state_marks(e)->maker);

	return maker == EVENT_IMPORTED ||
	       (maker == EVENT_EX && load_relaxed(&((struct event_state *)e)->flags) & ACL_EVENT_IPC);
}

/* --- on a stream that is being captured ------------------------------------------------- */

static void used_in_capture(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct event_state *e = capture_event_known(o);
	bool shared;

	if (!e || !capture_of(c, stream_of(call)))
		return;
	shared = event_is_shared(e);
	check_event(
		c, call, RULE("capture-ipc-event"), o, shared, "Events between processes cannot be captured");
	check_event(c, call, RULE("capture-event-wrong-constructor"), o,
		!shared && load_relaxed(&event_state_marks(e)->maker) != EVENT_EX &&
			load_relaxed(&e->flags) != ACL_EVENT_EXTERNAL,
		"Captures take events of aclrtCreateEventExWithFlag, or those of aclrtCreateEventWithFlag "
		"with exactly ACL_EVENT_EXTERNAL");
}

/* Without SYNC a record leaves no trace in the model; each event is reported once. */
static void capture_record_dropped(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct value_table *reported = module_state(c, capture_events);
	struct event_state *e = capture_event_known(o);

	if (!e || !capture_of(c, stream_of(call)) || load_relaxed(&event_state_marks(e)->maker) != EVENT_EX ||
		event_is_shared(e))
		return;
	if (check_event(c, call, RULE("capture-event-record-dropped"), o,
		    !(load_relaxed(&e->flags) & ACL_EVENT_SYNC) &&
			    !value_table_value(reported, object_ref(o)),
		    "A capture takes records of events with ACL_EVENT_SYNC only; this one does nothing"))
		value_table_set_object(c, reported, o, 1);
}

static void capture_record_enter(struct checks *c, struct acl_call_record *call)
{
	if (event_flag_external(call))
		return;
	used_in_capture(c, call, event_of(call));
	capture_record_dropped(c, call, event_of(call));
}

/* A wait in a capture is for a record of the same capture. */
static void waits_for_other(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct acl_object *capture = capture_of(c, stream_of(call)), *other;
	struct event_state *e = capture_event_known(o);

	if (!e || !capture || load_relaxed(&event_state_marks(e)->maker) != EVENT_EX ||
		load_relaxed(&event_state_marks(e)->external) ||
		(load_relaxed(&e->flags) & (ACL_EVENT_SYNC | ACL_EVENT_IPC)) != ACL_EVENT_SYNC)
		return;
	other = event_capture(c, o);
	check_event(c, call, RULE("capture-cross-model-event"), o, other && other != capture,
		"The event was recorded in another capture that is open: both captures are lost");
	check_event(c, call, RULE("capture-wait-outside-event"), o,
		!other && load_relaxed(&e->records) & RECORDED &&
			!load_relaxed(&event_state_marks(e)->captured),
		"The event was recorded outside of the capture: the model has no edge here");
}

static void capture_wait_enter(struct checks *c, struct acl_call_record *call)
{
	if (event_flag_external(call))
		return;
	used_in_capture(c, call, event_of(call));
	waits_for_other(c, call, event_of(call));
}

static void captured_event_destroy(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call), *capture;

	if (!o || !object_usable(o))
		return;
	capture = event_capture(c, o);
	FINDING(c, call, "capture-event-destroyed-in-capture", capture,
		PARTS(part_object("event", o), part_object("model", capture)),
		"The event belongs to a capture that is still open.");
}

static void capture_reset_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct event_state *e = capture_event_known(o);

	if (e && capture_of(c, stream_of(call)) && !event_rarely(o, capture))
		check_event(c, call, RULE("capture-reset-event"), o, !event_is_for_graph(e),
			"In a capture only events with ACL_EVENT_EXTERNAL can be reset");
}

/* --- *_EXTERNAL: nodes whose other half lies outside of the model ---------------------------- */

/* The first call with a flag has decided for all that follow. */
static void event_flag_check(struct checks *c, struct acl_call_record *call)
{
	bool record = acl_apis[call->api].operation == ACL_OP_RECORD_EVENT;
	uint32_t flag = (uint32_t)acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS);
	struct acl_object *o = event_of(call);
	struct event_state *e = capture_event_known(o);

	if (e && load_relaxed(&event_state_marks(e)->maker) == EVENT_EX && flag <= 1)
		check_event(c, call, RULE("capture-external-flag-switch"), o,
			load_relaxed(record ? &event_state_marks(e)->record_flag
					    : &event_state_marks(e)->wait_flag) != 1 + flag,
			"The flag of the first such call stays for the life of the event");
}

/* A function without a flag takes the default. */
static void event_plain_check(struct checks *c, struct acl_call_record *call)
{
	bool record = acl_apis[call->api].operation == ACL_OP_RECORD_EVENT;
	struct event_state *e = capture_event_known(event_of(call));

	if (!acl_arg_has(call->api, ACL_ROLE_FLAGS) && e &&
		load_relaxed(record ? &event_state_marks(e)->record_flag : &event_state_marks(e)->wait_flag))
		event_flag_check(c, call);
}

/* One model has one half of the pair, the other half is elsewhere. */
static void external_in_capture(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct acl_object *capture = capture_of(c, stream_of(call));
	bool sub = load_relaxed(&model_state(capture)->sub);

	check_event(c, call, RULE("capture-external-event-in-subgraph"), o, sub,
		"The model of a condition takes no external events");
	check_event(c, call, RULE("capture-external-event-twice"), o,
		!sub && event_rarely(o, external_in) == object_ref(capture),
		"The capture has an external record or wait of this event already");
}

static void external_event_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call), *s = stream_of(call);
	struct event_state *e = capture_event_known(o);

	if (!event_flag_external(call) || !e || !object_is_known(s) ||
		load_relaxed(&stream_state(s)->capture_unsure))
		return;
	if (check_event(c, call, RULE("capture-external-flag-not-capturing"), o, !capture_of(c, s),
		    "The stream is not being captured, and the flag is for captures only"))
		return;
	if (!check_event(c, call, RULE("capture-external-flag-bad-event"), o,
		    load_relaxed(&event_state_marks(e)->maker) != EVENT_EX ||
			    load_relaxed(&e->flags) != ACL_EVENT_SYNC,
		    "The flag takes events of aclrtCreateEventExWithFlag with exactly ACL_EVENT_SYNC"))
		external_in_capture(c, call, o);
}

/* --- the host ----------------------------------------------------------------------------------- */

static bool graph_event_on_host(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct event_state *e = capture_event_known(o);

	if (!e || load_relaxed(&event_state_marks(e)->maker) != EVENT_WITH_FLAG)
		return false;
	check_event(c, call, RULE("capture-external-event-host-query"), o, event_is_for_graph(e),
		"Such an event orders tasks of a model; the host can neither wait for it nor query it");
	return true;
}

static void graph_event_query(struct checks *c, struct acl_call_record *call)
{
	graph_event_on_host(c, call, event_of(call));
}

static void graph_event_timing(struct checks *c, struct acl_call_record *call)
{
	const void *start = acl_arg_pointer(call->api, call->args, ACL_ROLE_START_EVENT);

	if (!graph_event_on_host(c, call, object_find(c, ACL_HANDLE_EVENT, start)))
		graph_event_on_host(c, call, event_of(call));
}

static const struct check_hook hooks[] = {
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, capture_record_enter},
	{ON_OP(WAIT_EVENT), ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, capture_wait_enter},
	{ON_OP(DESTROY_EVENT), ACL_ENTER | ACL_WHEN(CAPTURES), captured_event_destroy},
	{ON_OP(RESET_EVENT), ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, capture_reset_enter},
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_IF_SPECIAL, event_plain_check},
	{ON_OP(WAIT_EVENT), ACL_ENTER | ACL_IF_SPECIAL, event_plain_check},
	{ON_OP_WITH(RECORD_EVENT, FLAGS), ACL_ENTER, event_flag_check},
	{ON_OP_WITH(WAIT_EVENT, FLAGS), ACL_ENTER, event_flag_check},
	{ON_OP_WITH(RECORD_EVENT, FLAGS), ACL_ENTER, external_event_enter},
	{ON_OP_WITH(WAIT_EVENT, FLAGS), ACL_ENTER, external_event_enter},
	{ON_OP(INFO_EVENT_TIMESTAMP), ACL_ENTER | ACL_WHEN(GRAPH_EVENT), graph_event_query},
	{ON_OP(QUERY_EVENT), ACL_ENTER | ACL_WHEN(GRAPH_EVENT), graph_event_query},
	{ON_OP(QUERY_EVENT_WAIT), ACL_ENTER | ACL_WHEN(GRAPH_EVENT), graph_event_query},
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER | ACL_WHEN(GRAPH_EVENT), graph_event_query},
	{ON_OP(INFO_EVENT_ELAPSED_TIME), ACL_ENTER | ACL_WHEN(GRAPH_EVENT), graph_event_timing},
};

const struct check_module module_capture_events = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct value_table), /* acl_ref of an event -> 1: that its record is dropped */
};
