/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for events that nobody has recorded. */
#include "checks/report.h"
#include "checks/state.h"

#define LIST 256

/* Waits whose verdict is open: the record may still come from another thread. */
struct wait_list {
	struct acl_lock lock;
	_Atomic uint32_t n;
	struct open_wait {
		acl_ref event, stream;
		uint64_t position, caller;
		uint32_t tid, stack;
		uint16_t api;
		bool after_reset; /* the record was there and another stream took it back */
	} wait[LIST];
};

static void report(struct checks *c, struct acl_event *ev, struct acl_object *e, struct acl_object *s,
	int relaxed_to, const char *consequence)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	grade.relaxed_to = (int16_t)relaxed_to;
	f = finding_begin_as(c, ev, RULE("event-wait-before-record"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "no aclrtRecordEvent of event 0x%llx has been submitted: %s",
		(unsigned long long)ld(&e->value), consequence);
	finding_object(c, f, "event", e);
	if (s)
		finding_object(c, f, "waiting stream", s);
	finding_show(c, f);
}

static bool waits_for_outside(const struct acl_event *ev, struct acl_object *e)
{
	return ld(&event_state(e)->maker) == EVENT_IMPORTED || ld(&event_state(e)->external) ||
	       ld(&event_state(e)->flags) & (ACL_EVENT_EXTERNAL | ACL_EVENT_IPC) ||
	       (ev->api == ACL_API_aclrtStreamWaitEventWithFlag &&
		       ACL_ARGS(ev, aclrtStreamWaitEventWithFlag)->flag == ACL_EVENT_WAIT_EXTERNAL);
}

static void waiting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *e = event_of(ev);

	if (!e || !object_usable(e) || ld(&e->flags) & ACL_OBJECT_LEARNED || ev->carry[CARRY_CAPTURE] ||
		waits_for_outside(ev, e) ||
		!rule_broken(ev, RULE("event-wait-before-record"), !ld(&event_state(e)->records)))
		return;
	switch (ld(&event_state(e)->maker)) {
	case EVENT_PLAIN:
		report(c, ev, e, stream_of(ev), NOT_RELAXED, "the runtime refuses the wait");
		break;
	case EVENT_EX:
		if (ld(&event_state(e)->flags) & ACL_EVENT_SYNC)
			report(c, ev, e, stream_of(ev), -1, "the wait ends at once and orders nothing");
		break;
	case EVENT_WITH_FLAG:
		/* A real wait, until somebody records: judged when that can no longer happen. */
		if (ld(&event_state(e)->flags) & ACL_EVENT_SYNC)
			ev->carry[CARRY_NOTE] = 1;
		break;
	}
}

/* Record, wait of one stream, reset by it, and now the wait of another for the same record. */
static bool taken_back(struct acl_object *o, struct acl_object *s)
{
	struct event_state *e = event_state(o);

	return ld(&e->reset_by) && ld(&e->reset_by) != object_ref(s) &&
	       ld(&e->reset_record) == ld(&e->position);
}

static void waited(struct checks *c, struct acl_event *ev)
{
	struct wait_list *w = c->waits;
	uint32_t stack = ev->stack;

	if (!ev->carry[CARRY_NOTE] || !succeeded(ev) || !judged(ev) || !stream_of(ev))
		return;
	if (!stack && c->host.stack)
		stack = c->host.stack(c->host.context, ev);
	checks_unusual(c);
	lock(&w->lock);
	if (ld(&w->n) < LIST) {
		w->wait[ld(&w->n)] = (struct open_wait){object_ref(event_of(ev)), object_ref(stream_of(ev)),
			ev->carry[CARRY_POSITION], ev->caller, ev->tid, stack, ev->api,
			taken_back(event_of(ev), stream_of(ev))};
		bump(&w->n);
	}
	unlock(&w->lock);
}

/* A record submitted by any thread ends the question. */
static void recording(struct checks *c, struct acl_event *ev)
{
	struct wait_list *w = c->waits;
	acl_ref ref;

	if (__builtin_expect(!ld(&w->n), 1) || !event_of(ev))
		return;
	ref = object_ref(event_of(ev));
	lock(&w->lock);
	for (uint32_t i = ld(&w->n); i-- > 0;)
		if (w->wait[i].event == ref) {
			w->wait[i] = w->wait[ld(&w->n) - 1];
			drop(&w->n);
		}
	unlock(&w->lock);
}

/* Takes out an open wait of the stream (any when 0). */
static bool take(struct wait_list *w, acl_ref stream, struct open_wait *out)
{
	bool found = false;

	lock(&w->lock);
	for (uint32_t i = ld(&w->n); !found && i-- > 0;)
		if (!stream || w->wait[i].stream == stream) {
			*out = w->wait[i];
			w->wait[i] = w->wait[ld(&w->n) - 1];
			drop(&w->n);
			found = true;
		}
	unlock(&w->lock);
	return found;
}

/* Told beside the wait that has no record any more. */
static void report_reset(struct checks *c, struct acl_event *ev, struct acl_object *e, struct acl_object *s)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	grade.secondary = true;
	grade.cause = ev->carry[CARRY_FINDING];
	f = finding_begin_as(c, ev, RULE("event-reset-before-wait"), grade, &room);
	if (!f)
		return;
	finding_detail(f,
		"another stream reset event 0x%llx before this wait was submitted: the record is gone",
		(unsigned long long)ld(&e->value));
	finding_object(c, f, "event", e);
	finding_object(c, f, "reset by", object_of(c, ld(&event_state(e)->reset_by)));
	finding_object(c, f, "waiting stream", s);
	finding_show(c, f);
}

static void report_open(
	struct checks *c, struct acl_event *ev, const struct open_wait *w, const char *consequence)
{
	struct acl_object *e = object_of(c, w->event);

	if (!e || ld(&event_state(e)->records))
		return;
	report(c, ev, e, object_of(c, w->stream), NOT_RELAXED, consequence);
	if (w->after_reset)
		report_reset(c, ev, e, object_of(c, w->stream));
}

/* Only one thread of the process has ever called the runtime: nobody else will record. */
static bool alone(struct checks *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ACL_THREADS && n < 2; i++)
		n += ld(&c->threads[i].pthread_id) != 0;
	return n < 2;
}

static void synchronising(struct checks *c, struct acl_event *ev)
{
	struct open_wait w;

	if (__builtin_expect(!ld(&c->waits->n), 1) || !stream_of(ev) || !alone(c))
		return;
	if (take(c->waits, object_ref(stream_of(ev)), &w))
		report_open(c, ev, &w, "this call waits for a stream that waits for it");
}

static void synchronised(struct checks *c, struct acl_event *ev)
{
	struct open_wait w;

	if (__builtin_expect(!ld(&c->waits->n), 1) || !stream_of(ev) || succeeded(ev))
		return;
	if (take(c->waits, object_ref(stream_of(ev)), &w))
		report_open(c, ev, &w, "the stream still waits for it");
}

static void wait_finish(struct checks *c, enum checks_end kind)
{
	struct open_wait w;

	while (kind == CHECKS_END_EXIT && take(c->waits, 0, &w)) {
		/* There is no call any more: the wait itself speaks. */
		struct acl_args_aclrtStreamWaitEventWithFlag args = {0};
		struct acl_object *e = object_of(c, w.event), *s = object_of(c, w.stream);
		struct acl_event ev;

		acl_event_init(&ev, w.api, &args, w.caller);
		args.event = e ? (void *)(uintptr_t)ld(&e->value) : NULL;
		args.stream = s ? (void *)(uintptr_t)ld(&s->value) : NULL;
		ev.tid = w.tid;
		ev.stack = w.stack;
		report_open(c, &ev, &w, "the process ends and the stream still waits for it");
	}
}

/* The forms of the wait begin alike. */
_Static_assert(offsetof(struct acl_args_aclrtStreamWaitEventWithFlag, event) ==
		       offsetof(struct acl_args_aclrtStreamWaitEvent, event),
	"forms of the wait differ");

/* A reset makes the event one that nobody has recorded; only of this kind does the next wait block then. */
static void event_reset(struct checks *c, struct acl_event *ev)
{
	struct acl_object *e = event_of(ev);

	(void)c;
	if (!e || !succeeded(ev) || ld(&event_state(e)->maker) != EVENT_WITH_FLAG || ev->carry[CARRY_CAPTURE])
		return;
	rule_asked(ev, RULE("event-reset-before-wait"));
	st(&event_state(e)->records, 0);
	st(&event_state(e)->reset_by, stream_of(ev) ? object_ref(stream_of(ev)) : 0);
	st(&event_state(e)->reset_record, ld(&event_state(e)->position));
}

static bool wait_create(struct checks *c)
{
	c->waits = checks_alloc(c, sizeof(*c->waits));
	return c->waits != NULL;
}

static void wait_forked(struct checks *c)
{
	st(&c->waits->lock.held, 0);
	st(&c->waits->n, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtStreamWaitEvent, ACL_ENTER, waiting},
	{ACL_API_aclrtStreamWaitEventWithFlag, ACL_ENTER, waiting},
	{ACL_API_aclrtStreamWaitEventWithTimeout, ACL_ENTER, waiting},
	{ACL_API_aclrtStreamWaitEvent, ACL_LEAVE, waited},
	{ACL_API_aclrtStreamWaitEventWithFlag, ACL_LEAVE, waited},
	{ACL_API_aclrtStreamWaitEventWithTimeout, ACL_LEAVE, waited},
	{ACL_API_aclrtRecordEvent, ACL_ENTER | ACL_UNUSUAL, recording},
	{ACL_API_aclrtRecordEventWithFlag, ACL_ENTER | ACL_UNUSUAL, recording},
	{ACL_API_aclrtResetEvent, ACL_LEAVE, event_reset},
	{ACL_API_aclrtSynchronizeStream, ACL_ENTER, synchronising},
	{ACL_API_aclrtSynchronizeStream, ACL_LEAVE, synchronised},
	{ACL_API_aclrtSynchronizeStreamWithTimeout, ACL_LEAVE, synchronised},
};

const struct acl_topic topic_wait = {
	.name = "wait",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = wait_create,
	.finish = wait_finish,
	.forked = wait_forked,
};
