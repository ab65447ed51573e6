/* SPDX-License-Identifier: Apache-2.0 */
/* Events: kind, latest record, and the progress an observed event proves. */
#include "checks/report.h"
#include "checks/state.h"

void event_born(struct checks *c, const struct acl_event *ev, struct acl_object *o)
{
	struct event_state *e = event_state(o);

	switch (ev->api) {
	case ACL_API_aclrtCreateEventExWithFlag:
		st(&e->maker, EVENT_EX);
		st(&e->flags, ACL_ARGS(ev, aclrtCreateEventExWithFlag)->flag);
		break;
	case ACL_API_aclrtCreateEventWithFlag:
		st(&e->maker, EVENT_WITH_FLAG);
		st(&e->flags, ACL_ARGS(ev, aclrtCreateEventWithFlag)->flag);
		if (ld(&e->flags) & ACL_EVENT_EXTERNAL)
			checks_unusual(c);
		break;
	case ACL_API_aclrtIpcOpenEventHandle:
		st(&e->maker, EVENT_IMPORTED);
		break;
	default:
		st(&e->maker, EVENT_PLAIN);
	}
}

static void naming(struct checks *c, struct acl_event *ev)
{
	ev->carry[CARRY_EVENT] = (uintptr_t)object_find(c, ACL_HANDLE_EVENT, event_argument(c, ev));
}

/* The streams an event touched last, for the order of release. */
static void seen_with(struct event_state *e, struct acl_object *stream)
{
	acl_ref ref = object_ref(stream);

	if (ld(&e->seen[0]) == ref || ld(&e->seen[1]) == ref)
		return;
	st(&e->seen[1], ld(&e->seen[0]));
	st(&e->seen[0], ref);
}

static void recording(struct checks *c, struct acl_event *ev)
{
	struct acl_object *e;

	naming(c, ev);
	e = event_of(ev);
	if (!e)
		return;
	/* Counted before it is forwarded: a wait of another thread may overtake our leave. */
	if (!(ld(&event_state(e)->records) & RECORDED)) {
		bump(&event_state(e)->records);
		ev->carry[CARRY_COUNTED] = 1;
	}
	object_used(c, e, ev);
	if (ld(&c->ordered))
		object_changed(ev, e);
}

static void recorded(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = event_of(ev), *s = stream_of(ev);
	struct event_state *e = o ? event_state(o) : NULL;

	(void)c;
	if (!e)
		return;
	if (!succeeded(ev)) {
		if (ev->carry[CARRY_COUNTED])
			drop(&e->records);
		return;
	}
	if (ev->carry[CARRY_COUNTED])
		atomic_fetch_or(&e->records, RECORDED);
	st(&e->recorded, ld(&e->recorded) + 1);
	if (!s || ev->carry[CARRY_CAPTURE])
		return;
	/* Position 0 while the pair is changed: a reader in between sees no record and proves nothing. */
	st_release(&e->position, 0);
	st_release(&e->stream, object_ref(s));
	st_release(&e->position, ev->carry[CARRY_POSITION]);
	seen_with(e, s);
}

struct acl_object *latest_record(struct checks *c, struct acl_object *o, uint64_t *position)
{
	struct event_state *e = event_state(o);
	uint64_t first = ld_acquire(&e->position);
	acl_ref stream = ld_acquire(&e->stream);

	*position = ld_acquire(&e->position);
	return first && first == *position ? object_of(c, stream) : NULL;
}

static void waited(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = event_of(ev), *s = stream_of(ev), *source;
	uint64_t position;

	if (!o || !s || !succeeded(ev) || ev->carry[CARRY_CAPTURE])
		return;
	seen_with(event_state(o), s);
	st(&event_state(o)->waiter, object_ref(s));
	st(&event_state(o)->waited_at, ev->carry[CARRY_POSITION]);
	st(&event_state(o)->waiter_tid, ev->tid);
	if (ld(&event_state(o)->maker) == EVENT_IMPORTED || ld(&event_state(o)->external)) {
		stream_waits_for(c, s, ev->carry[CARRY_POSITION], NULL, 0);
		return;
	}
	source = latest_record(c, o, &position);
	if (source)
		stream_waits_for(c, s, ev->carry[CARRY_POSITION], source, position);
	else if (ld(&event_state(o)->records))
		stream_waits_for(c, s, ev->carry[CARRY_POSITION], NULL, 0);
}

/* The record that is the latest when the call begins. */
static void observing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o, *source;
	uint64_t position;

	naming(c, ev);
	o = event_of(ev);
	source = o ? latest_record(c, o, &position) : NULL;
	if (!source)
		return;
	ev->carry[CARRY_STREAM] = (uintptr_t)source;
	ev->carry[CARRY_POSITION] = position;
}

static void observed(struct checks *c, struct acl_event *ev)
{
	bool done = succeeded(ev);

	switch (ev->api) {
	case ACL_API_aclrtQueryEvent: {
		const aclrtEventStatus *status = ACL_ARGS(ev, aclrtQueryEvent)->status;

		done = done && status && *status == ACL_EVENT_STATUS_COMPLETE;
		break;
	}
	case ACL_API_aclrtQueryEventStatus: {
		const aclrtEventRecordedStatus *status = ACL_ARGS(ev, aclrtQueryEventStatus)->status;

		done = done && status && *status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
		break;
	}
	}
	if (done && stream_of(ev))
		stream_retire(c, stream_of(ev), ev->carry[CARRY_POSITION], true);
}

static void event_bind(void (*add)(void *, unsigned, enum acl_phase, acl_hook_fn), void *binder)
{
	static const uint16_t records[] = {ACL_API_aclrtRecordEvent, ACL_API_aclrtRecordEventWithFlag};
	static const uint16_t waits[] = {ACL_API_aclrtStreamWaitEvent, ACL_API_aclrtStreamWaitEventWithFlag,
		ACL_API_aclrtStreamWaitEventWithTimeout};
	static const uint16_t looks[] = {ACL_API_aclrtSynchronizeEvent,
		ACL_API_aclrtSynchronizeEventWithTimeout, ACL_API_aclrtQueryEvent,
		ACL_API_aclrtQueryEventStatus, ACL_API_aclrtEventGetTimestamp};
	static const uint16_t others[] = {
		ACL_API_aclrtResetEvent, ACL_API_aclrtQueryEventWaitStatus, ACL_API_aclrtDestroyEvent};

	for (unsigned i = 0; i < 2; i++) {
		add(binder, records[i], ACL_ENTER, recording);
		add(binder, records[i], ACL_LEAVE, recorded);
	}
	for (unsigned i = 0; i < 3; i++) {
		add(binder, waits[i], ACL_ENTER, naming);
		add(binder, waits[i], ACL_LEAVE, waited);
	}
	for (unsigned i = 0; i < 5; i++) {
		add(binder, looks[i], ACL_ENTER, observing);
		add(binder, looks[i], ACL_LEAVE, observed);
	}
	for (unsigned i = 0; i < 3; i++)
		add(binder, others[i], ACL_ENTER, naming);
}

const struct acl_topic topic_event = {.name = "event", .bind = event_bind};
