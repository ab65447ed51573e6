/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for events that were not recorded. */
#include "checks/engine/finding_statement.h"
#include "checks/rules/copy/earlier_access.h"
#include "checks/rules/stream/blocking_call.h"
#include "checks/state/event_state.h"
#include "checks/state/init_state.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

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

static struct wait_list *waits(struct checks *c)
{
	return module_state(c, wait);
}

static void report_unrecorded(struct checks *c, struct acl_call_record *call, struct acl_object *e,
	struct acl_object *s, int relaxed_to, const char *consequence)
{
	FINDING_BROKEN(c, call, RULE("event-wait-before-record"),
		PARTS(part_relaxed_to(relaxed_to), part_object("event", e), part_object("waiting stream", s)),
		"No aclrtRecordEvent of event 0x%llx has been submitted: %s.",
		(unsigned long long)load_relaxed(&e->value), consequence);
}

static bool waits_for_outside(const struct acl_call_record *call, struct acl_object *e)
{
	return load_relaxed(&event_marks(e)->maker) == EVENT_IMPORTED ||
	       load_relaxed(&event_marks(e)->external) ||
	       load_relaxed(&event_state(e)->flags) & (ACL_EVENT_EXTERNAL | ACL_EVENT_IPC) ||
	       event_flag_external(call);
}

/* Of a call: a real wait until a record comes, which may be never. */
static const char open_wait_note;

static void unrecorded_wait_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call);
	struct event_state *s;

	if (!e || !object_usable(e) || call->state.capture || waits_for_outside(call, e))
		return;
	rule_evaluated(call, RULE("event-wait-before-record"));
	s = event_state(e);
	if (load_relaxed(&s->records))
		return;
	switch (load_relaxed(&event_state_marks(s)->maker)) {
	case EVENT_PLAIN:
		report_unrecorded(c, call, e, stream_of(call), NOT_RELAXED, "the runtime refuses the wait");
		break;
	case EVENT_EX:
		if (!(load_relaxed(&s->flags) & ACL_EVENT_SYNC))
			break;
		report_unrecorded(
			c, call, e, stream_of(call), -1, "the wait ends at once and orders nothing");
		stream_runs_on(call);
		break;
	case EVENT_WITH_FLAG:
		/* A real wait, until a record comes: checked when none can come any more. That of a model is
		 * one only when it runs. */
		if (load_relaxed(&s->flags) & ACL_EVENT_SYNC && task_runs_now(c, call))
			call_note_set(call, &open_wait_note, 1);
		break;
	}
}

/* Record, wait of one stream, reset by it, and now the wait of another for the same record. */
static bool record_taken_back(struct acl_object *o, struct acl_object *s)
{
	struct event_rare *e = object_rare(o);

	return e && load_relaxed(&e->reset_by) && load_relaxed(&e->reset_by) != object_ref(s) &&
	       load_relaxed(&e->reset_record) == load_relaxed(&event_state(o)->position);
}

static void unrecorded_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct wait_list *w = waits(c);
	uint32_t stack = call->stack;
	bool room;

	if (!call_note(call, &open_wait_note) || !succeeded(call) || !is_checked(call) || !stream_of(call))
		return;
	if (!stack && c->host.stack)
		stack = c->host.stack(c->host.context, call);
	checks_when(c, WHEN_WAIT_OPEN);
	lock(&w->lock);
	room = load_relaxed(&w->n) < LIST;
	if (room) {
		w->wait[load_relaxed(&w->n)] = (struct open_wait){object_ref(event_of(call)),
			object_ref(stream_of(call)), call->state.position, call->caller, call->tid, stack,
			call->api, record_taken_back(event_of(call), stream_of(call))};
		counter_inc(&w->n);
	}
	unlock(&w->lock);
	if (!room)
		checks_degrade(c, "more waits for events without a record than the checker follows");
}

/* A record submitted by any thread ends the question. */
static void unrecorded_wait_recorded(struct checks *c, struct acl_call_record *call)
{
	struct wait_list *w = waits(c);
	acl_ref ref;

	if (__builtin_expect(!load_relaxed(&w->n), 1) || !event_of(call))
		return;
	ref = object_ref(event_of(call));
	lock(&w->lock);
	for (uint32_t i = load_relaxed(&w->n); i-- > 0;)
		if (w->wait[i].event == ref) {
			w->wait[i] = w->wait[load_relaxed(&w->n) - 1];
			counter_dec(&w->n);
		}
	unlock(&w->lock);
}

/* Takes out an open wait of the stream (any when 0). */
static bool open_wait_take(struct wait_list *w, acl_ref stream, struct open_wait *out)
{
	bool found = false;

	lock(&w->lock);
	for (uint32_t i = load_relaxed(&w->n); !found && i-- > 0;)
		if (!stream || w->wait[i].stream == stream) {
			*out = w->wait[i];
			w->wait[i] = w->wait[load_relaxed(&w->n) - 1];
			counter_dec(&w->n);
			found = true;
		}
	unlock(&w->lock);
	return found;
}

/* Reported beside the wait that has no record any more. */
static void report_taken_back(
	struct checks *c, struct acl_call_record *call, struct acl_object *e, struct acl_object *s)
{
	struct acl_object *by = object_of(c, event_rarely(e, reset_by));

	/* Evaluated here: the reset may have been one that does not count, of the runtime itself. */
	FINDING(c, call, "event-reset-before-wait", true,
		PARTS(part_beside(BESIDE_AS_REASON), part_object("event", e), part_object("reset by", by),
			part_object("waiting stream", s)),
		"Another stream reset event 0x%llx before this wait was submitted: the record is gone.",
		(unsigned long long)load_relaxed(&e->value));
}

static void report_open(
	struct checks *c, struct acl_call_record *call, const struct open_wait *w, const char *consequence)
{
	struct acl_object *e = object_of(c, w->event);

	if (!e || load_relaxed(&event_state(e)->records))
		return;
	report_unrecorded(c, call, e, object_of(c, w->stream), NOT_RELAXED, consequence);
	if (w->after_reset)
		report_taken_back(c, call, e, object_of(c, w->stream));
}

static void unrecorded_wait_synchronise(struct checks *c, struct acl_call_record *call)
{
	struct open_wait w;

	if (__builtin_expect(!load_relaxed(&waits(c)->n), 1) || !stream_of(call) || !waits_for_ever(call) ||
		!nobody_else_can_act(c))
		return;
	if (open_wait_take(waits(c), object_ref(stream_of(call)), &w))
		report_open(c, call, &w, "this call waits for a stream that waits for it");
}

static void unrecorded_wait_synchronised(struct checks *c, struct acl_call_record *call)
{
	struct open_wait w;

	if (__builtin_expect(!load_relaxed(&waits(c)->n), 1) || !stream_of(call) || succeeded(call))
		return;
	if (open_wait_take(waits(c), object_ref(stream_of(call)), &w))
		report_open(c, call, &w, "the stream still waits for it");
}

/* There is no call any more: the wait itself speaks. */
static void report_at_end(struct checks *c, const struct open_wait *w)
{
	_Alignas(8) char args[ACL_MAX_PARAMS * sizeof(uint64_t)] = {0};
	struct acl_object *e = object_of(c, w->event), *s = object_of(c, w->stream);
	struct acl_call_record call;

	acl_call_record_init(&call, w->api, args, w->caller);
	acl_slot_set(args, acl_role_slots[w->api][ACL_ROLE_EVENT], e ? load_relaxed(&e->value) : 0);
	acl_slot_set(args, acl_role_slots[w->api][ACL_ROLE_STREAM], s ? load_relaxed(&s->value) : 0);
	call.tid = w->tid;
	call.stack = w->stack;
	report_open(c, &call, w, "the process ends and the stream still waits for it");
}

static void wait_finish(struct checks *c, enum checks_end kind)
{
	struct open_wait w;

	while (end_is_whole(c, kind) && open_wait_take(waits(c), 0, &w))
		report_at_end(c, &w);
}

/* Another stream that waits for the event, where the reset may overtake the wait. */
static struct acl_object *overtaken_stream(
	struct checks *c, const struct acl_call_record *call, struct acl_object *event)
{
	struct event_wait *w;
	struct acl_object *s;
	uint64_t put, at;

	for (unsigned i = 0; (w = event_wait_at(event, i)) != NULL; i++) {
		s = event_wait_stream(c, w, &put);
		at = event_wait_position(put);
		if (s && object_usable(s) && s != stream_of(call) && stream_pending(s, at) &&
			!stream_rarely(s, may_fail) && !host_may_be_informed(c, s, at) &&
			!order_is_before(s, at, stream_of(call)))
			return s;
	}
	return NULL;
}

/* A wait of another stream after it would have nothing to wait for, and one that is not done neither. */
static void unrecorded_reset_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *s = NULL;

	if (!event_reset_counts(call))
		return;
	if (e && object_usable(e) && !waits_for_outside(call, e) && task_runs_now(c, call) &&
		!order_unseen(c, stream_of(call)))
		s = overtaken_stream(c, call, e);
	FINDING(c, call, "event-reset-before-wait", s,
		PARTS(part_advice(order_may_be_unseen(c, s, stream_of(call))), part_object("event", e),
			part_object("waiting stream", s), part_object("stream", stream_of(call))),
		"A wait of %s for the event may not be done, and nothing orders the reset behind it: then it "
		"waits for another record.",
		STREAM_TEXT(s));
}

static void wait_forked(struct checks *c)
{
	store_relaxed(&waits(c)->n, 0);
}

static const struct check_hook hooks[] = {
	{ON_OP(WAIT_EVENT), ACL_ENTER, unrecorded_wait_enter},
	{ON_OP(WAIT_EVENT), ACL_LEAVE, unrecorded_wait_leave},
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_WHEN(WAIT_OPEN), unrecorded_wait_recorded},
	{ON_OP(RESET_EVENT), ACL_LEAVE, unrecorded_reset_leave},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, unrecorded_wait_synchronise},
	{ON_OP(SYNCHRONISE_STREAM), ACL_LEAVE, unrecorded_wait_synchronised},
};

const struct check_module module_wait = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct wait_list),
	.finish = wait_finish,
	.forked = wait_forked,
};
