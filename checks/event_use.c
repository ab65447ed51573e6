/* SPDX-License-Identifier: Apache-2.0 */
/* How events are used: across devices, streams and threads, for nothing, and destroyed too early. */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

/* Records of a creation site before its events are said to keep time for nothing. */
#define MANY_RECORDS 16
#define SITE_IS_TIMED (UINT64_C(1) << 32)

static struct pairs *sites(struct checks *c)
{
	return c->topic[TOPIC_EVENT_USE];
}

/* The event and its state when we saw it made by this process. */
static struct event_state *known(struct acl_object *o)
{
	return o && ld_acquire(&o->state) == ACL_OBJECT_LIVE && !(ld(&o->flags) & ACL_OBJECT_LEARNED) &&
			       ld(&event_state(o)->maker) != EVENT_IMPORTED
		       ? event_state(o)
		       : NULL;
}

/* --- event-cross-device ------------------------------------------------------------------- */

/*
 * Events of the newest kind are where they are recorded, the others where they
 * were made; -1 = unknown.  Pools hand such events, once recorded, to any device.
 */
static int device_of(struct checks *c, struct acl_object *o)
{
	struct acl_object *source;
	uint64_t position;

	if (ld(&event_state(o)->maker) != EVENT_EX)
		return ld(&o->device);
	source = latest_record(c, o, &position);
	return source ? ld(&source->device) : ld(&event_state(o)->records) & RECORDED ? -1 : ld(&o->device);
}

static bool records_again(struct acl_event *ev, struct event_state *e)
{
	return (ev->api == ACL_API_aclrtRecordEvent || ev->api == ACL_API_aclrtRecordEventWithFlag) &&
	       ld(&e->maker) == EVENT_EX && ld(&e->records) & RECORDED;
}

static void crossing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = event_of(ev), *s = stream_of(ev);
	struct finding_buffer room;
	struct acl_finding *f;
	int device;

	if (__builtin_expect(!ld(&c->many_devices), 1) || !s || !known(o))
		return;
	if (records_again(ev, event_state(o)))
		return;
	device = device_of(c, o);
	if (device < 0 || ld(&s->device) < 0 || ev->carry[CARRY_FINDING])
		return;
	rule_asked(ev, RULE("event-cross-device"));
	if (device == ld(&s->device))
		return;
	f = finding_begin(c, ev, RULE("event-cross-device"), &room);
	if (!f)
		return;
	finding_detail(f, "the event is of device %d, the stream of device %d", device, ld(&s->device));
	finding_object(c, f, "event", o);
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

/* --- event-wait-same-stream ----------------------------------------------------------------- */

static void waiting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = event_of(ev), *s = stream_of(ev);
	struct event_state *e = known(o);
	struct finding_buffer room;
	struct acl_finding *f;

	/* Other kinds wait in earnest. */
	if (!e || !s || ld(&e->maker) != EVENT_EX || ev->carry[CARRY_CAPTURE] || ev->carry[CARRY_FINDING])
		return;
	if (!ld_acquire(&e->position))
		return;
	rule_asked(ev, RULE("event-wait-same-stream"));
	if (__builtin_expect(ld(&e->stream) != object_ref(s), 1))
		return;
	f = finding_begin(c, ev, RULE("event-wait-same-stream"), &room);
	if (!f)
		return;
	finding_detail(f, "the event was recorded on this stream: its tasks run in order anyway");
	finding_object(c, f, "event", o);
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

/* --- event-query-cross-thread ------------------------------------------------------------------ */

/*
 * Only the older query asks for one thread; pools of memory use the newer one
 * from any.  A record that the host has seen done is no question any more.
 */
static void querying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = event_of(ev), *source;
	struct event_state *e = known(o);
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t position;

	if (!e || ev->carry[CARRY_FINDING])
		return;
	source = latest_record(c, o, &position);
	if (!source || !ld(&o->last_used.tid) || !stream_pending(source, position))
		return;
	rule_asked(ev, RULE("event-query-cross-thread"));
	if (ld(&o->last_used.tid) == ev->tid)
		return;
	f = finding_begin(c, ev, RULE("event-query-cross-thread"), &room);
	if (!f)
		return;
	finding_detail(
		f, "thread %u recorded the event, thread %u asks for it", ld(&o->last_used.tid), ev->tid);
	finding_uint(f, "recorded by thread", ld(&o->last_used.tid));
	finding_object(c, f, "event", o);
	finding_show(c, f);
}

/* --- event-elapsed-different-streams -------------------------------------------------------------- */

static void timed(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtEventElapsedTime *a = ev->args;
	struct acl_object *start = object_find(c, ACL_HANDLE_EVENT, a->startEvent),
			  *end = object_find(c, ACL_HANDLE_EVENT, a->endEvent), *from, *to;
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t position;

	if (start)
		st(&event_state(start)->timed, true);
	if (end)
		st(&event_state(end)->timed, true);
	if (!succeeded(ev) || !known(start) || !known(end) || start == end)
		return;
	from = latest_record(c, start, &position);
	to = latest_record(c, end, &position);
	if (!from || !to)
		return;
	rule_asked(ev, RULE("event-elapsed-different-streams"));
	if (from == to)
		return;
	f = finding_begin(c, ev, RULE("event-elapsed-different-streams"), &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "the events were recorded on different streams%s",
		ld(&from->device) != ld(&to->device) ? " of different devices" : "");
	finding_object(c, f, "start", start);
	finding_object(c, f, "end", end);
	finding_object(c, f, "stream of the start", from);
	finding_object(c, f, "stream of the end", to);
	finding_show(c, f);
}

static void stamped(struct checks *c, struct acl_event *ev)
{
	(void)c;
	if (event_of(ev))
		st(&event_state(event_of(ev))->timed, true);
}

/* --- event-timeline-unneeded ----------------------------------------------------------------------- */

static bool keeps_time(const struct event_state *e, unsigned maker)
{
	return maker == EVENT_PLAIN || ld(&((struct event_state *)e)->flags) & ACL_EVENT_TIME_LINE;
}

/* Events of one creation site are judged together, and at the end: some may be for time. */
static void timeline(struct checks *c, struct acl_object *o, struct event_state *e)
{
	uint64_t site = ld(&o->created.caller), now, records;

	if (!site || !keeps_time(e, ld(&e->maker)) || !ld(&e->recorded))
		return;
	now = pairs_value(sites(c), site);
	records = (now & (SITE_IS_TIMED - 1)) + ld(&e->recorded);
	if (records >= SITE_IS_TIMED)
		records = SITE_IS_TIMED - 1;
	pairs_set(sites(c), site, (now & SITE_IS_TIMED) | (ld(&e->timed) ? SITE_IS_TIMED : 0) | records);
}

static void say_untimed(struct checks *c, uint64_t site, uint64_t records)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	grade.site = grade.caller = site;
	f = finding_begin_as(c, NULL, RULE("event-timeline-unneeded"), grade, &room);
	if (!f)
		return;
	finding_detail(f,
		"events made at one place were recorded %llu times, and nobody asked for their time",
		(unsigned long long)records);
	finding_uint(f, "records", records);
	finding_address(f, "made at", (const void *)(uintptr_t)site);
	finding_show(c, f);
}

static void event_use_finish(struct checks *c, enum checks_end kind)
{
	for (unsigned i = 0; kind == CHECKS_END_EXIT && i < PAIRS_ROOM; i++) {
		uint64_t site, now;

		lock(&sites(c)->lock);
		site = sites(c)->at[i].key;
		now = sites(c)->at[i].value;
		unlock(&sites(c)->lock);
		if ((now & (SITE_IS_TIMED - 1)) < MANY_RECORDS)
			continue;
		rule_asked_at_end(c, RULE("event-timeline-unneeded"));
		if (!(now & SITE_IS_TIMED))
			say_untimed(c, site, now);
	}
}

/* --- event-destroyed-in-use --------------------------------------------------------------------------- */

/* Calls of threads that wait for the event; those of device streams are the runtime's affair. */
static void host_waits(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = event_of(ev);

	(void)c;
	if (!o || !object_usable(o))
		return;
	bump(&event_state(o)->host_waits);
	ev->carry[CARRY_NOTE] = object_ref(o);
}

static void host_waited(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = ev->carry[CARRY_NOTE] ? object_of(c, ev->carry[CARRY_NOTE]) : NULL;

	if (o)
		drop(&event_state(o)->host_waits);
}

static void say_in_use(
	struct checks *c, struct acl_event *ev, struct acl_object *o, struct acl_object *s, bool by_host)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	/* The runtime keeps what a submitted wait needs; frameworks leave the destroying to threads of their
	 * own. */
	grade.advice = !by_host;
	f = finding_begin_as(c, ev, RULE("event-destroyed-in-use"), grade, &room);
	if (!f)
		return;
	if (by_host)
		finding_detail(f, "another thread waits for the event right now");
	else
		finding_detail(f,
			"thread %u lets a stream wait for the event, and nothing shows that the wait is over",
			ld(&event_state(o)->waiter_tid));
	finding_object(c, f, "event", o);
	if (s)
		finding_object(c, f, "waiting stream", s);
	finding_show(c, f);
}

static void in_use(struct checks *c, struct acl_event *ev, struct acl_object *o, struct event_state *e)
{
	struct acl_object *s = object_of(c, ld(&e->waiter));
	bool by_host = ld(&e->host_waits) != 0;

	if (ev->in_exit || ev->carry[CARRY_FINDING])
		return;
	rule_asked(ev, RULE("event-destroyed-in-use"));
	/* A callback may have told the host that the stream's wait is over. */
	if (by_host)
		say_in_use(c, ev, o, NULL, true);
	else if (s && object_usable(s) && !ld(&c->callbacks_ran) && ld(&e->waiter_tid) != ev->tid &&
		 stream_pending(s, ld(&e->waited_at)))
		say_in_use(c, ev, o, s, false);
}

static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = event_of(ev);
	struct event_state *e =
		o && object_usable(o) && !(ld(&o->flags) & ACL_OBJECT_LEARNED) ? event_state(o) : NULL;

	if (!e || ev->carry[CARRY_GOING] != object_ref(o))
		return;
	in_use(c, ev, o, e);
	timeline(c, o, e);
}

static bool event_use_create(struct checks *c)
{
	c->topic[TOPIC_EVENT_USE] = checks_alloc(c, sizeof(struct pairs));
	return c->topic[TOPIC_EVENT_USE] != NULL;
}

static void event_use_forked(struct checks *c)
{
	struct acl_object *o;

	st(&sites(c)->lock.held, 0);
	/* The threads that waited are the parent's. */
	object_each(c, ACL_HANDLE_EVENT, o) st(&event_state(o)->host_waits, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtRecordEvent, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtRecordEventWithFlag, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtStreamWaitEvent, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtStreamWaitEventWithFlag, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtStreamWaitEventWithTimeout, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtStreamWaitEvent, ACL_ENTER, waiting},
	{ACL_API_aclrtStreamWaitEventWithTimeout, ACL_ENTER, waiting},
	{ACL_API_aclrtQueryEvent, ACL_ENTER, querying},
	{ACL_API_aclrtSynchronizeEvent, ACL_ENTER, host_waits},
	{ACL_API_aclrtSynchronizeEvent, ACL_LEAVE, host_waited},
	{ACL_API_aclrtSynchronizeEventWithTimeout, ACL_ENTER, host_waits},
	{ACL_API_aclrtSynchronizeEventWithTimeout, ACL_LEAVE, host_waited},
	{ACL_API_aclrtEventElapsedTime, ACL_LEAVE, timed},
	{ACL_API_aclrtEventGetTimestamp, ACL_LEAVE, stamped},
	{ACL_API_aclrtDestroyEvent, ACL_ENTER, destroying},
};

const struct acl_topic topic_event_use = {
	.name = "use of events",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = event_use_create,
	.finish = event_use_finish,
	.forked = event_use_forked,
};
