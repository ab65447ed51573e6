/* SPDX-License-Identifier: Apache-2.0 */
/* What the kind of an event allows: waiting, resetting, querying, timing, sharing. */
#include "checks/report.h"
#include "checks/state.h"

#define CAN_WAIT (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC)

/* The event and its state when we saw it made; what others made is not judged. */
static struct event_state *known(struct acl_object *o)
{
	return o && ld_acquire(&o->state) == ACL_OBJECT_LIVE && !(ld(&o->flags) & ACL_OBJECT_LEARNED)
		       ? event_state(o)
		       : NULL;
}

/* Not every function that names an event is followed by the topic of events. */
static struct acl_object *named(struct checks *c, const struct acl_event *ev)
{
	return event_of(ev) ? event_of(ev) : object_find(c, ACL_HANDLE_EVENT, event_argument(c, ev));
}

static const char *maker_name(const struct event_state *e)
{
	static const char *const names[] = {[EVENT_PLAIN] = "aclrtCreateEvent",
		[EVENT_WITH_FLAG] = "aclrtCreateEventWithFlag",
		[EVENT_EX] = "aclrtCreateEventExWithFlag",
		[EVENT_IMPORTED] = "aclrtIpcOpenEventHandle"};

	return names[ld(&((struct event_state *)e)->maker)];
}

static void say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, struct acl_object *o,
	const char *detail, int severity)
{
	struct event_state *e = event_state(o);
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (ev->carry[CARRY_FINDING])
		return;
	grade.severity = (int8_t)severity;
	f = finding_begin_as(c, ev, rule, grade, &room);
	if (!f)
		return;
	finding_detail(
		f, "%s; the event was made by %s with flags 0x%x.", detail, maker_name(e), ld(&e->flags));
	finding_address(f, "event", (const void *)(uintptr_t)ld(&o->value));
	finding_uint(f, "flags", ld(&e->flags));
	finding_object(c, f, "event", o);
	finding_show(c, f);
}

static bool flagged(const struct event_state *e)
{
	unsigned maker = ld(&((struct event_state *)e)->maker);

	return maker == EVENT_WITH_FLAG || maker == EVENT_EX;
}

static __attribute__((noinline)) bool perhaps_device_only(
	struct checks *c, struct acl_event *ev, struct acl_object *o, struct event_state *e)
{
	/* Ascend 950 takes such events on the host. */
	if ((c->soc && strstr(c->soc, "950")) ||
		!rule_broken(ev, RULE("event-device-only-on-host"),
			ld(&e->flags) & ACL_EVENT_DEVICE_USE_ONLY && flagged(e)))
		return false;
	say(c, ev, RULE("event-device-only-on-host"), o,
		"DEVICE_USE_ONLY events are for kernels, not for the host", -1);
	return true;
}

static inline bool device_only(
	struct checks *c, struct acl_event *ev, struct acl_object *o, struct event_state *e)
{
	if (__builtin_expect(c->soc || ld(&e->flags) & ACL_EVENT_DEVICE_USE_ONLY, 0))
		return perhaps_device_only(c, ev, o, e);
	rule_asked(ev, RULE("event-device-only-on-host"));
	return false;
}

static void recording(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = event_of(ev);
	struct event_state *e = known(o);

	if (e)
		device_only(c, ev, o, e);
}

static void waiting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = named(c, ev);
	struct event_state *e = known(o);

	if (!e || device_only(c, ev, o, e) || !flagged(e) ||
		!rule_broken(ev, RULE("event-wait-without-sync-flag"),
			!(ld(&e->flags) & (CAN_WAIT | ACL_EVENT_DEVICE_USE_ONLY))))
		return;
	say(c, ev, RULE("event-wait-without-sync-flag"), o,
		"Only events with SYNC, EXTERNAL or IPC can be waited for", -1);
}

static void resetting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = named(c, ev);
	struct event_state *e = known(o);

	if (!e || device_only(c, ev, o, e))
		return;
	rule_asked(ev, RULE("event-reset-unsupported"));
	if (ld(&e->maker) == EVENT_WITH_FLAG && ld(&e->flags) & (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL))
		return;
	/* The runtime takes events of aclrtCreateEvent although the documents do not. */
	say(c, ev, RULE("event-reset-unsupported"), o,
		"Only events of aclrtCreateEventWithFlag with SYNC can be reset",
		ld(&e->maker) == EVENT_PLAIN ? ACL_SEV_WARNING : -1);
}

static void querying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = named(c, ev);
	struct event_state *e = known(o);

	if (!e || !rule_broken(ev, RULE("event-query-api-mismatch"),
			  ld(&e->maker) == EVENT_EX || ld(&e->maker) == EVENT_IMPORTED))
		return;
	if (ev->api == ACL_API_aclrtGetEventId && ld(&e->maker) == EVENT_EX &&
		!(ld(&e->flags) & ACL_EVENT_IPC))
		return;
	say(c, ev, RULE("event-query-api-mismatch"), o, "This function does not know this kind of event", -1);
}

static void sharing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = named(c, ev);
	struct event_state *e = known(o);

	if (e && rule_broken(ev, RULE("event-ipc-handle-without-ipc-flag"),
			 ld(&e->maker) != EVENT_EX || ld(&e->flags) != ACL_EVENT_IPC))
		say(c, ev, RULE("event-ipc-handle-without-ipc-flag"), o,
			"Only events of aclrtCreateEventExWithFlag with ACL_EVENT_IPC can be shared", -1);
}

/* --- time between events --------------------------------------------------------------- */

static void timing_one(struct checks *c, struct acl_event *ev, struct acl_object *o)
{
	struct event_state *e = known(o);

	if (!e)
		return;
	rule_asked(ev, RULE("event-elapsed-no-timeline"));
	rule_asked(ev, RULE("event-elapsed-not-recorded"));
	if (flagged(e) && !(ld(&e->flags) & ACL_EVENT_TIME_LINE))
		say(c, ev, RULE("event-elapsed-no-timeline"), o,
			"The event keeps no time: TIME_LINE is missing", -1);
	else if (!ld(&e->records) && ld(&e->maker) != EVENT_IMPORTED)
		say(c, ev, RULE("event-elapsed-not-recorded"), o, "The event was never recorded", -1);
}

static void timing(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtEventElapsedTime *a = ev->args;

	timing_one(c, ev, object_find(c, ACL_HANDLE_EVENT, a->startEvent));
	timing_one(c, ev, object_find(c, ACL_HANDLE_EVENT, a->endEvent));
}

static void stamping(struct checks *c, struct acl_event *ev)
{
	timing_one(c, ev, named(c, ev));
}

#define TIMESTAMP_INVALID 107006

/* The runtime says that the record is not done yet. */
static void timed(struct checks *c, struct acl_event *ev)
{
	struct finding_buffer room;
	struct acl_finding *f;

	if (ev->carry[CARRY_FINDING] ||
		!rule_broken(ev, RULE("event-elapsed-not-synced"), error_of(ev) == TIMESTAMP_INVALID))
		return;
	f = finding_begin(c, ev, RULE("event-elapsed-not-synced"), &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "The event was recorded but its stream has not reached it yet.");
	finding_error(f, "result", error_of(ev));
	finding_object(c, f, "event", event_of(ev));
	finding_show(c, f);
}

/* --- the host waits ----------------------------------------------------------------------- */

static void synchronising(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = named(c, ev);
	struct event_state *e = known(o);

	if (e && !ld(&e->external) && (ld(&e->maker) == EVENT_PLAIN || ld(&e->maker) == EVENT_WITH_FLAG) &&
		rule_broken(ev, RULE("event-sync-before-record"), !ld(&e->records)))
		say(c, ev, RULE("event-sync-before-record"), o,
			"Nothing was recorded: the call returns at once", -1);
}

/* --- no more to be had ----------------------------------------------------------------------- */

static unsigned alive(struct checks *c, unsigned kind)
{
	struct acl_object *o;
	unsigned n = 0;

	object_each(c, kind, o) n += object_usable(o) && !(ld(&o->flags) & ACL_OBJECT_DEFAULT);
	return n;
}

static void exhausted(
	struct checks *c, struct acl_event *ev, int32_t code, unsigned kind, const struct acl_rule *rule)
{
	struct finding_buffer room;
	struct acl_finding *f;

	if (error_of(ev) != code)
		return;
	f = finding_begin(c, ev, rule, &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "The runtime has no more; %u of this process are alive.", alive(c, kind));
	finding_uint(f, "alive", alive(c, kind));
	finding_show(c, f);
}

static void no_event(struct checks *c, struct acl_event *ev)
{
	exhausted(c, ev, 207007, ACL_HANDLE_EVENT, RULE("event-resource-exhausted"));
}

static void no_stream(struct checks *c, struct acl_event *ev)
{
	exhausted(c, ev, 207008, ACL_HANDLE_STREAM, RULE("stream-resource-exhausted"));
}

static const uint16_t make_events[] = {
	ACL_API_aclrtCreateEvent, ACL_API_aclrtCreateEventWithFlag, ACL_API_aclrtCreateEventExWithFlag};
static const uint16_t make_streams[] = {
	ACL_API_aclrtCreateStream, ACL_API_aclrtCreateStreamWithConfig, ACL_API_aclrtCreateContext};

/* Only the runtime knows when it has no more. */
static bool event_kind_create(struct checks *c)
{
	for (size_t i = 0; i < sizeof(make_events) / sizeof(make_events[0]); i++)
		rule_asked_by(c, RULE("event-resource-exhausted"), make_events[i]);
	for (size_t i = 0; i < sizeof(make_streams) / sizeof(make_streams[0]); i++)
		rule_asked_by(c, RULE("stream-resource-exhausted"), make_streams[i]);
	return true;
}

static void event_kind_bind(void (*add)(void *binder, unsigned, enum acl_phase, acl_hook_fn), void *binder)
{
	for (size_t i = 0; i < sizeof(make_events) / sizeof(make_events[0]); i++)
		add(binder, make_events[i], ACL_FAILED, no_event);
	for (size_t i = 0; i < sizeof(make_streams) / sizeof(make_streams[0]); i++)
		add(binder, make_streams[i], ACL_FAILED, no_stream);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtRecordEvent, ACL_ENTER, recording},
	{ACL_API_aclrtRecordEvent, ACL_FAILED, no_event},
	{ACL_API_aclrtRecordEventWithFlag, ACL_ENTER, recording},
	{ACL_API_aclrtStreamWaitEvent, ACL_ENTER, waiting},
	{ACL_API_aclrtStreamWaitEventWithFlag, ACL_ENTER, waiting},
	{ACL_API_aclrtStreamWaitEventWithTimeout, ACL_ENTER, waiting},
	{ACL_API_aclrtResetEvent, ACL_ENTER, resetting},
	{ACL_API_aclrtQueryEvent, ACL_ENTER, querying},
	{ACL_API_aclrtQueryEventWaitStatus, ACL_ENTER, querying},
	{ACL_API_aclrtGetEventId, ACL_ENTER, querying},
	{ACL_API_aclrtIpcGetEventHandle, ACL_ENTER, sharing},
	{ACL_API_aclrtEventElapsedTime, ACL_ENTER, timing},
	{ACL_API_aclrtEventElapsedTime, ACL_LEAVE, timed},
	{ACL_API_aclrtEventGetTimestamp, ACL_ENTER, stamping},
	{ACL_API_aclrtEventGetTimestamp, ACL_LEAVE, timed},
	{ACL_API_aclrtSynchronizeEvent, ACL_ENTER, synchronising},
	{ACL_API_aclrtSynchronizeEventWithTimeout, ACL_ENTER, synchronising},
};

const struct acl_topic topic_event_kind = {
	.name = "event kinds",
	.bind = event_kind_bind,
	.create = event_kind_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
