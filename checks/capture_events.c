/* SPDX-License-Identifier: Apache-2.0 */
/* Which events a capture takes, and what ACL_EVENT_EXTERNAL and the *_EXTERNAL flags are for. */
#include "checks/report.h"
#include "checks/state.h"

/* What we saw made; kinds of others are not known. */
static struct event_state *known(struct acl_object *e)
{
	return e && ld_acquire(&e->state) == ACL_OBJECT_LIVE && !(ld(&e->flags) & ACL_OBJECT_LEARNED)
		       ? event_state(e)
		       : NULL;
}

static struct acl_object *named(struct checks *c, const struct acl_event *ev)
{
	return event_of(ev) ? event_of(ev) : object_find(c, ACL_HANDLE_EVENT, event_argument(c, ev));
}

static void say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, struct acl_object *e,
	const char *detail)
{
	static const char *const makers[] = {[EVENT_PLAIN] = "aclrtCreateEvent",
		[EVENT_WITH_FLAG] = "aclrtCreateEventWithFlag",
		[EVENT_EX] = "aclrtCreateEventExWithFlag",
		[EVENT_IMPORTED] = "aclrtIpcOpenEventHandle"};
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s; the event was made by %s with flags 0x%x.", detail,
		makers[ld(&event_state(e)->maker)], ld(&event_state(e)->flags));
	finding_object(c, f, "event", e);
	if (c->stream_offset[ev->api] >= 0) {
		struct acl_object *capture = capture_of(c, stream_of(ev));

		finding_object(c, f, "stream", stream_of(ev));
		finding_object(c, f, "capture", capture);
	}
	finding_show(c, f);
}

static bool is_external(const struct event_state *e)
{
	return ld(&((struct event_state *)e)->maker) == EVENT_WITH_FLAG &&
	       ld(&((struct event_state *)e)->flags) & ACL_EVENT_EXTERNAL;
}

static bool is_ipc(const struct event_state *e)
{
	unsigned maker = ld(&((struct event_state *)e)->maker);

	return maker == EVENT_IMPORTED ||
	       (maker == EVENT_EX && ld(&((struct event_state *)e)->flags) & ACL_EVENT_IPC);
}

/* --- on a stream that is being captured ------------------------------------------------- */

static void used_in_capture(struct checks *c, struct acl_event *ev, struct acl_object *o)
{
	struct event_state *e = known(o);

	if (!e || !capture_of(c, stream_of(ev)))
		return;
	rule_asked(ev, RULE("capture-ipc-event"));
	rule_asked(ev, RULE("capture-event-wrong-constructor"));
	if (is_ipc(e))
		say(c, ev, RULE("capture-ipc-event"), o, "Events between processes cannot be captured");
	else if (ld(&e->maker) != EVENT_EX && ld(&e->flags) != ACL_EVENT_EXTERNAL)
		say(c, ev, RULE("capture-event-wrong-constructor"), o,
			"Captures take events of aclrtCreateEventExWithFlag, or those of "
			"aclrtCreateEventWithFlag with exactly ACL_EVENT_EXTERNAL");
}

/* Without SYNC a record leaves no trace in the model; each event is told once. */
static void dropped(struct checks *c, struct acl_event *ev, struct acl_object *o)
{
	struct event_state *e = known(o);

	if (!e || !capture_of(c, stream_of(ev)) || ld(&e->maker) != EVENT_EX || is_ipc(e))
		return;
	rule_asked(ev, RULE("capture-event-record-dropped"));
	if (ld(&e->flags) & ACL_EVENT_SYNC || atomic_exchange(&e->dropped_told, true))
		return;
	say(c, ev, RULE("capture-event-record-dropped"), o,
		"A capture takes records of events with ACL_EVENT_SYNC only; this one does nothing");
}

static void recording(struct checks *c, struct acl_event *ev)
{
	used_in_capture(c, ev, named(c, ev));
	dropped(c, ev, named(c, ev));
}

/* A wait in a capture is for a record of the same capture. */
static void waits_for_other(struct checks *c, struct acl_event *ev, struct acl_object *o)
{
	struct acl_object *capture = capture_of(c, stream_of(ev)), *other;
	struct event_state *e = known(o);

	if (!e || !capture || ld(&e->maker) != EVENT_EX || ld(&e->external) ||
		(ld(&e->flags) & (ACL_EVENT_SYNC | ACL_EVENT_IPC)) != ACL_EVENT_SYNC)
		return;
	other = ld(&e->capture) ? object_of(c, ld(&e->capture)) : NULL;
	rule_asked(ev, RULE("capture-cross-model-event"));
	rule_asked(ev, RULE("capture-wait-outside-event"));
	if (other && other != capture)
		say(c, ev, RULE("capture-cross-model-event"), o,
			"The event was recorded in another capture that is open: both captures are lost");
	else if (!other && ld(&e->records) & RECORDED && !ld(&e->captured))
		say(c, ev, RULE("capture-wait-outside-event"), o,
			"The event was recorded outside of the capture: the model has no edge here");
}

static void waiting(struct checks *c, struct acl_event *ev)
{
	used_in_capture(c, ev, named(c, ev));
	waits_for_other(c, ev, named(c, ev));
}

static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = named(c, ev), *capture;

	if (!o || !object_usable(o) || ld(&o->flags) & ACL_OBJECT_LEARNED)
		return;
	rule_asked(ev, RULE("capture-event-destroyed-in-capture"));
	capture = ld(&event_state(o)->capture) ? object_of(c, ld(&event_state(o)->capture)) : NULL;
	if (capture)
		finding_on(c, ev, RULE("capture-event-destroyed-in-capture"), o, capture,
			"The event belongs to a capture that is still open.");
}

static void resetting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = named(c, ev);
	struct event_state *e = known(o);

	if (!e || !capture_of(c, stream_of(ev)) || ld(&e->capture))
		return;
	rule_asked(ev, RULE("capture-reset-event"));
	if (!is_external(e))
		say(c, ev, RULE("capture-reset-event"), o,
			"In a capture only events with ACL_EVENT_EXTERNAL can be reset");
}

/* --- *_EXTERNAL: nodes whose other half lies outside of the model ---------------------------- */

static bool asks_external(const struct acl_event *ev)
{
	return ev->api == ACL_API_aclrtRecordEventWithFlag
		       ? ACL_ARGS(ev, aclrtRecordEventWithFlag)->flag == ACL_EVENT_RECORD_EXTERNAL
		       : ACL_ARGS(ev, aclrtStreamWaitEventWithFlag)->flag == ACL_EVENT_WAIT_EXTERNAL;
}

/* The first call with a flag decides for all that follow, even when it fails; others have none to decide. */
static void latching(struct checks *c, struct acl_event *ev)
{
	bool record = ev->api == ACL_API_aclrtRecordEventWithFlag;
	uint32_t flag = record ? ACL_ARGS(ev, aclrtRecordEventWithFlag)->flag
			       : ACL_ARGS(ev, aclrtStreamWaitEventWithFlag)->flag;
	struct acl_object *o = named(c, ev);
	struct event_state *e = known(o);
	uint8_t first;

	if (!e || ld(&e->maker) != EVENT_EX || flag > 1)
		return;
	first = ld(record ? &e->record_flag : &e->wait_flag);
	if (!first)
		st(record ? &e->record_flag : &e->wait_flag, (uint8_t)(1 + flag));
	rule_asked(ev, RULE("capture-external-flag-switch"));
	if (first && first != 1 + flag)
		say(c, ev, RULE("capture-external-flag-switch"), o,
			"The flag of the first such call stays for the life of the event");
}

/* One model has one half of the pair, the other half is elsewhere. */
static void external_in_capture(struct checks *c, struct acl_event *ev, struct acl_object *o)
{
	struct acl_object *capture = capture_of(c, stream_of(ev));
	struct event_state *e = event_state(o);

	rule_asked(ev, RULE("capture-external-event-in-subgraph"));
	rule_asked(ev, RULE("capture-external-event-twice"));
	if (ld(&model_state(capture)->sub))
		say(c, ev, RULE("capture-external-event-in-subgraph"), o,
			"The model of a condition takes no external events");
	else if (ld(&e->external_in) == object_ref(capture))
		say(c, ev, RULE("capture-external-event-twice"), o,
			"The capture has an external record or wait of this event already");
}

static void external_used(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture = capture_of(c, stream_of(ev));
	struct event_state *e = known(named(c, ev));

	if (capture && e && asks_external(ev) && succeeded(ev))
		st(&e->external_in, object_ref(capture));
}

static void with_flag(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = named(c, ev), *s = stream_of(ev);
	struct event_state *e = known(o);

	if (!asks_external(ev)) {
		used_in_capture(c, ev, o);
		if (ev->api == ACL_API_aclrtRecordEventWithFlag)
			dropped(c, ev, o);
		else
			waits_for_other(c, ev, o);
		return;
	}
	if (!e || !s || !object_usable(s) || ld(&s->flags) & ACL_OBJECT_LEARNED ||
		ld(&stream_state(s)->capture_unsure))
		return;
	rule_asked(ev, RULE("capture-external-flag-not-capturing"));
	if (!capture_of(c, s)) {
		say(c, ev, RULE("capture-external-flag-not-capturing"), o,
			"The stream is not being captured, and the flag is for captures only");
		return;
	}
	rule_asked(ev, RULE("capture-external-flag-bad-event"));
	if (ld(&e->maker) != EVENT_EX || ld(&e->flags) != ACL_EVENT_SYNC)
		say(c, ev, RULE("capture-external-flag-bad-event"), o,
			"The flag takes events of aclrtCreateEventExWithFlag with exactly ACL_EVENT_SYNC");
	else
		external_in_capture(c, ev, o);
}

/* --- the host ----------------------------------------------------------------------------------- */

static bool host_asks(struct checks *c, struct acl_event *ev, struct acl_object *o)
{
	struct event_state *e = known(o);

	if (!e || ld(&e->maker) != EVENT_WITH_FLAG)
		return false;
	rule_asked(ev, RULE("capture-external-event-host-query"));
	if (is_external(e))
		say(c, ev, RULE("capture-external-event-host-query"), o,
			"Such an event orders tasks of a model; the host can neither wait for it nor ask it");
	return true;
}

static void asking(struct checks *c, struct acl_event *ev)
{
	host_asks(c, ev, named(c, ev));
}

static void timing(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtEventElapsedTime *a = ev->args;

	if (!host_asks(c, ev, object_find(c, ACL_HANDLE_EVENT, a->startEvent)))
		host_asks(c, ev, object_find(c, ACL_HANDLE_EVENT, a->endEvent));
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtRecordEvent, ACL_ENTER | ACL_UNUSUAL, recording},
	{ACL_API_aclrtStreamWaitEvent, ACL_ENTER | ACL_UNUSUAL, waiting},
	{ACL_API_aclrtStreamWaitEventWithTimeout, ACL_ENTER | ACL_UNUSUAL, waiting},
	{ACL_API_aclrtDestroyEvent, ACL_ENTER | ACL_UNUSUAL, destroying},
	{ACL_API_aclrtResetEvent, ACL_ENTER | ACL_UNUSUAL, resetting},
	{ACL_API_aclrtRecordEventWithFlag, ACL_ENTER, latching},
	{ACL_API_aclrtRecordEventWithFlag, ACL_ENTER, with_flag},
	{ACL_API_aclrtRecordEventWithFlag, ACL_LEAVE, external_used},
	{ACL_API_aclrtStreamWaitEventWithFlag, ACL_ENTER, latching},
	{ACL_API_aclrtStreamWaitEventWithFlag, ACL_ENTER, with_flag},
	{ACL_API_aclrtStreamWaitEventWithFlag, ACL_LEAVE, external_used},
	{ACL_API_aclrtSynchronizeEvent, ACL_ENTER | ACL_UNUSUAL, asking},
	{ACL_API_aclrtSynchronizeEventWithTimeout, ACL_ENTER | ACL_UNUSUAL, asking},
	{ACL_API_aclrtQueryEvent, ACL_ENTER | ACL_UNUSUAL, asking},
	{ACL_API_aclrtQueryEventStatus, ACL_ENTER | ACL_UNUSUAL, asking},
	{ACL_API_aclrtQueryEventWaitStatus, ACL_ENTER | ACL_UNUSUAL, asking},
	{ACL_API_aclrtEventGetTimestamp, ACL_ENTER | ACL_UNUSUAL, asking},
	{ACL_API_aclrtEventElapsedTime, ACL_ENTER | ACL_UNUSUAL, timing},
};

const struct acl_topic topic_capture_events = {
	.name = "events of captures",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
