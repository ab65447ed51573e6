/* SPDX-License-Identifier: Apache-2.0 */
/* Which events a capture takes, and what ACL_EVENT_EXTERNAL and the *_EXTERNAL flags are for. */
#include "checks/engine/finding_report.h"
#include "checks/state/capture_state.h"
#include "checks/state/event_state.h"
#include "checks/state/stream_state.h"

/* What we saw made; kinds of others are not known. */
static struct event_state *capture_event_known(struct acl_object *e)
{
	return e && load_acquire(&e->state) == ACL_OBJECT_LIVE &&
			       !(load_relaxed(&e->flags) & ACL_OBJECT_LEARNED)
		       ? event_state(e)
		       : NULL;
}

static void say_capture_event(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	struct acl_object *e, const char *detail)
{
	static const char *const makers[] = {[EVENT_PLAIN] = "aclrtCreateEvent",
		[EVENT_WITH_FLAG] = "aclrtCreateEventWithFlag",
		[EVENT_EX] = "aclrtCreateEventExWithFlag",
		[EVENT_IMPORTED] = "aclrtIpcOpenEventHandle"};
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, call, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s; the event was made by %s with flags 0x%x.", detail,
		makers[load_relaxed(&event_state(e)->maker)], load_relaxed(&event_state(e)->flags));
	finding_object(c, f, "event", e);
	if (c->stream_offset[call->api] >= 0) {
		struct acl_object *capture = capture_of(c, stream_of(call));

		finding_object(c, f, "stream", stream_of(call));
		finding_object(c, f, "capture", capture);
	}
	finding_show(c, f);
}

static bool event_is_for_graph(const struct event_state *e)
{
	return load_relaxed(&((struct event_state *)e)->maker) == EVENT_WITH_FLAG &&
	       load_relaxed(&((struct event_state *)e)->flags) & ACL_EVENT_EXTERNAL;
}

static bool event_is_shared(const struct event_state *e)
{
	unsigned maker = load_relaxed(&((struct event_state *)e)->maker);

	return maker == EVENT_IMPORTED ||
	       (maker == EVENT_EX && load_relaxed(&((struct event_state *)e)->flags) & ACL_EVENT_IPC);
}

/* --- on a stream that is being captured ------------------------------------------------- */

static void used_in_capture(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct event_state *e = capture_event_known(o);

	if (!e || !capture_of(c, stream_of(call)))
		return;
	rule_evaluated(call, RULE("capture-ipc-event"));
	rule_evaluated(call, RULE("capture-event-wrong-constructor"));
	if (event_is_shared(e))
		say_capture_event(
			c, call, RULE("capture-ipc-event"), o, "Events between processes cannot be captured");
	else if (load_relaxed(&e->maker) != EVENT_EX && load_relaxed(&e->flags) != ACL_EVENT_EXTERNAL)
		say_capture_event(c, call, RULE("capture-event-wrong-constructor"), o,
			"Captures take events of aclrtCreateEventExWithFlag, or those of "
			"aclrtCreateEventWithFlag with exactly ACL_EVENT_EXTERNAL");
}

/* Without SYNC a record leaves no trace in the model; each event is told once. */
static void capture_record_dropped(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct event_state *e = capture_event_known(o);

	if (!e || !capture_of(c, stream_of(call)) || load_relaxed(&e->maker) != EVENT_EX ||
		event_is_shared(e))
		return;
	rule_evaluated(call, RULE("capture-event-record-dropped"));
	if (load_relaxed(&e->flags) & ACL_EVENT_SYNC || atomic_exchange(&e->dropped_told, true))
		return;
	say_capture_event(c, call, RULE("capture-event-record-dropped"), o,
		"A capture takes records of events with ACL_EVENT_SYNC only; this one does nothing");
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

	if (!e || !capture || load_relaxed(&e->maker) != EVENT_EX || load_relaxed(&e->external) ||
		(load_relaxed(&e->flags) & (ACL_EVENT_SYNC | ACL_EVENT_IPC)) != ACL_EVENT_SYNC)
		return;
	other = event_capture(c, o);
	rule_evaluated(call, RULE("capture-cross-model-event"));
	rule_evaluated(call, RULE("capture-wait-outside-event"));
	if (other && other != capture)
		say_capture_event(c, call, RULE("capture-cross-model-event"), o,
			"The event was recorded in another capture that is open: both captures are lost");
	else if (!other && load_relaxed(&e->records) & RECORDED && !load_relaxed(&e->captured))
		say_capture_event(c, call, RULE("capture-wait-outside-event"), o,
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

	if (!o || !object_usable(o) || load_relaxed(&o->flags) & ACL_OBJECT_LEARNED)
		return;
	rule_evaluated(call, RULE("capture-event-destroyed-in-capture"));
	capture = event_capture(c, o);
	if (capture)
		finding_on(c, call, RULE("capture-event-destroyed-in-capture"), o, capture,
			"The event belongs to a capture that is still open.");
}

static void capture_reset_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct event_state *e = capture_event_known(o);

	if (!e || !capture_of(c, stream_of(call)) || load_relaxed(&e->capture))
		return;
	rule_evaluated(call, RULE("capture-reset-event"));
	if (!event_is_for_graph(e))
		say_capture_event(c, call, RULE("capture-reset-event"), o,
			"In a capture only events with ACL_EVENT_EXTERNAL can be reset");
}

/* --- *_EXTERNAL: nodes whose other half lies outside of the model ---------------------------- */

/* The first call with a flag decides for all that follow, even when it fails; others have none to decide. */
static void event_flag_enter(struct checks *c, struct acl_call_record *call)
{
	bool record = acl_apis[call->api].operation == ACL_OP_RECORD_EVENT;
	uint32_t flag = (uint32_t)acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS);
	struct acl_object *o = event_of(call);
	struct event_state *e = capture_event_known(o);
	uint8_t first;

	if (!e || load_relaxed(&e->maker) != EVENT_EX || flag > 1)
		return;
	first = load_relaxed(record ? &e->record_flag : &e->wait_flag);
	if (!first)
		store_relaxed(record ? &e->record_flag : &e->wait_flag, (uint8_t)(1 + flag));
	rule_evaluated(call, RULE("capture-external-flag-switch"));
	if (first && first != 1 + flag)
		say_capture_event(c, call, RULE("capture-external-flag-switch"), o,
			"The flag of the first such call stays for the life of the event");
}

/* One model has one half of the pair, the other half is elsewhere. */
static void external_in_capture(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct acl_object *capture = capture_of(c, stream_of(call));
	struct event_state *e = event_state(o);

	rule_evaluated(call, RULE("capture-external-event-in-subgraph"));
	rule_evaluated(call, RULE("capture-external-event-twice"));
	if (load_relaxed(&model_state(capture)->sub))
		say_capture_event(c, call, RULE("capture-external-event-in-subgraph"), o,
			"The model of a condition takes no external events");
	else if (load_relaxed(&e->external_in) == object_ref(capture))
		say_capture_event(c, call, RULE("capture-external-event-twice"), o,
			"The capture has an external record or wait of this event already");
}

static void external_event_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture = capture_of(c, stream_of(call));
	struct event_state *e = capture_event_known(event_of(call));

	if (capture && e && event_flag_external(call) && succeeded(call))
		store_relaxed(&e->external_in, object_ref(capture));
}

static void external_event_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call), *s = stream_of(call);
	struct event_state *e = capture_event_known(o);

	if (!event_flag_external(call) || !e || !s || !object_usable(s) ||
		load_relaxed(&s->flags) & ACL_OBJECT_LEARNED ||
		load_relaxed(&stream_state(s)->capture_unsure))
		return;
	rule_evaluated(call, RULE("capture-external-flag-not-capturing"));
	if (!capture_of(c, s)) {
		say_capture_event(c, call, RULE("capture-external-flag-not-capturing"), o,
			"The stream is not being captured, and the flag is for captures only");
		return;
	}
	rule_evaluated(call, RULE("capture-external-flag-bad-event"));
	if (load_relaxed(&e->maker) != EVENT_EX || load_relaxed(&e->flags) != ACL_EVENT_SYNC)
		say_capture_event(c, call, RULE("capture-external-flag-bad-event"), o,
			"The flag takes events of aclrtCreateEventExWithFlag with exactly ACL_EVENT_SYNC");
	else
		external_in_capture(c, call, o);
}

/* --- the host ----------------------------------------------------------------------------------- */

static bool graph_event_on_host(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	struct event_state *e = capture_event_known(o);

	if (!e || load_relaxed(&e->maker) != EVENT_WITH_FLAG)
		return false;
	rule_evaluated(call, RULE("capture-external-event-host-query"));
	if (event_is_for_graph(e))
		say_capture_event(c, call, RULE("capture-external-event-host-query"), o,
			"Such an event orders tasks of a model; the host can neither wait for it nor query "
			"it");
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
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_CONDITIONAL, capture_record_enter},
	{ON_OP(WAIT_EVENT), ACL_ENTER | ACL_CONDITIONAL, capture_wait_enter},
	{ON_OP(DESTROY_EVENT), ACL_ENTER | ACL_CONDITIONAL, captured_event_destroy},
	{ON_OP(RESET_EVENT), ACL_ENTER | ACL_CONDITIONAL, capture_reset_enter},
	{ON_OP_WITH(RECORD_EVENT, FLAGS), ACL_ENTER, event_flag_enter},
	{ON_OP_WITH(WAIT_EVENT, FLAGS), ACL_ENTER, event_flag_enter},
	{ON_OP_WITH(RECORD_EVENT, FLAGS), ACL_ENTER, external_event_enter},
	{ON_OP_WITH(WAIT_EVENT, FLAGS), ACL_ENTER, external_event_enter},
	{ON_OP_WITH(RECORD_EVENT, FLAGS), ACL_LEAVE, external_event_leave},
	{ON_OP_WITH(WAIT_EVENT, FLAGS), ACL_LEAVE, external_event_leave},
	{ON_OP(INFO_EVENT_TIMESTAMP), ACL_ENTER | ACL_CONDITIONAL, graph_event_query},
	{ON_OP(QUERY_EVENT), ACL_ENTER | ACL_CONDITIONAL, graph_event_query},
	{ON_OP(QUERY_EVENT_WAIT), ACL_ENTER | ACL_CONDITIONAL, graph_event_query},
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER | ACL_CONDITIONAL, graph_event_query},
	{ON_OP(INFO_EVENT_ELAPSED_TIME), ACL_ENTER | ACL_CONDITIONAL, graph_event_timing},
};

const struct check_module module_capture_events = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
