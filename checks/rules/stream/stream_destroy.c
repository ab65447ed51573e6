/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of streams: destroyed with work no one waited for or others wait for,
 * or while callbacks are expected; waited for after an abort.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/binding_state.h"
#include "checks/state/event_state.h"
#include "checks/state/order_state.h"
#include "checks/rules/stream/blocking_call.h"
#include "checks/rules/stream/stream_callback.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

#define RECORDS_BEHIND 64 /* of a stream that is destroyed; of more, nothing is said */
#define DEAD_RECORDS 128

struct stream_ends {
	struct value_table aborted; /* acl_ref of a stream -> 1 + where it stood at its last abort */
	struct value_table given_up; /* the same for a wait for it that timed out */
	/* acl_ref of a stream -> its last work, times DEAD_RECORDS, and how many events were recorded behind
	 * it that are destroyed. */
	struct value_table dead;
};

static struct stream_ends *stream_ends(struct checks *c)
{
	return module_state(c, stream_end);
}

static struct value_table *aborted(struct checks *c)
{
	return &stream_ends(c)->aborted;
}

static bool stream_is_own(struct acl_object *s)
{
	return s && !(load_relaxed(&s->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_DEFAULT));
}

/* The last task of work that was not seen done, 0 = none, or it was thrown away on purpose before. */
static uint64_t own_work_pending(struct checks *c, struct acl_object *s)
{
	uint64_t work = load_acquire(&stream_state(s)->work), stopped = 0;

	value_table_get(aborted(c), object_ref(s), &stopped);
	return work && work >= stopped && stream_pending(s, work) ? work : 0;
}

/* Another stream waits for a record behind the work. */
static struct acl_object *waiter_behind(struct checks *c, struct acl_object *s, uint64_t work)
{
	struct acl_object *waiter;
	uint32_t cursor = 0;
	uint64_t task = 0;

	do
		waiter = stream_waiter(c, s, &cursor, &task);
	while (waiter && task < work);
	return waiter;
}

#define SEEN_ELSEWHERE (ACL_EVENT_EXTERNAL | ACL_EVENT_IPC | ACL_EVENT_DEVICE_USE_ONLY)

/* Who waits for it is seen: it is of this process and its streams alone, and no thread waits just now. */
static bool event_is_followed(struct acl_object *e)
{
	const struct event_state *s = event_state(e);

	return object_usable(e) && !(load_relaxed(&e->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED)) &&
	       load_relaxed(&event_state_marks(s)->maker) != EVENT_IMPORTED &&
	       !(load_relaxed(&s->flags) & SEEN_ELSEWHERE) &&
	       !load_relaxed(&event_state_marks(s)->captured) &&
	       !load_relaxed(&event_state_marks(s)->external) && !load_relaxed(&s->host_waits);
}

static uint64_t dead_records_behind(struct checks *c, struct acl_object *s, uint64_t work)
{
	uint64_t dead = value_table_value(&stream_ends(c)->dead, object_ref(s));

	return dead / DEAD_RECORDS == work ? dead % DEAD_RECORDS : 0;
}

/* The event of the record is gone: a wait for it would have been seen, and none can follow. */
static void recorded_event_destroyed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *s;
	uint64_t position, work, records;

	s = e && succeeded(call) ? latest_record(c, e, &position) : NULL;
	work = s ? load_acquire(&stream_state(s)->work) : 0;
	if (!work || position <= work || !stream_pending(s, work) || !event_is_followed(e))
		return;
	records = dead_records_behind(c, s, work);
	if (records < RECORDS_BEHIND)
		value_table_set_object(c, &stream_ends(c)->dead, s, work * DEAD_RECORDS + records + 1);
}

/* All that stands behind the work are records of events, each the latest of its event. */
static bool only_records_behind(struct checks *c, struct acl_object *s, uint64_t work)
{
	uint64_t behind = stream_submitted(s) - work, position;
	struct acl_object *e;

	if (behind > RECORDS_BEHIND)
		return false;
	behind -= dead_records_behind(c, s, work);
	object_each(c, ACL_HANDLE_EVENT, e)
	{
		if (latest_record(c, e, &position) == s && position > work && event_is_followed(e))
			behind--;
	}
	return !behind;
}

/*
 * A wait or notify behind the work, or a record that another stream waits for, may announce its end
 * whom we do not see; so may a host function that has run.  A task found wrong before explains what is
 * left.
 */
static bool end_is_unseen(struct checks *c, struct acl_object *s, uint64_t work)
{
	if (stream_rarely(s, may_fail) || host_may_be_informed(c, s, work))
		return true;
	return stream_submitted(s) > work && (waiter_behind(c, s, work) || !only_records_behind(c, s, work));
}

static void stream_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t work;

	if (!stream_is_own(s) || call->state.capture || call->in_exit || stream_destroy_forced(call) ||
		binding_was(c, s))
		return;
	work = own_work_pending(c, s);
	FINDING(c, call, "stream-destroy-pending", work && !end_is_unseen(c, s, work),
		PARTS(part_object("stream", s)),
		"Tasks were put on the stream, and nothing the host did shows that they are done.");
}

/* After a wait that timed out the program gives its tasks up. */
static bool given_up(struct checks *c, struct acl_object *s, uint64_t work)
{
	return value_table_value(&stream_ends(c)->given_up, object_ref(s)) > work;
}

static void say_forced(
	struct checks *c, struct acl_call_record *call, struct acl_object *s, struct acl_object *waiter)
{
	FINDING_BROKEN(c, call, RULE("stream-destroy-force-pending"),
		PARTS(waiter ? part_none() : part_severity(ACL_SEV_WARNING), part_object("stream", s),
			part_object("waiting stream", waiter)),
		"%s",
		waiter ? "A stream waits for an event behind tasks that nothing shows to be done, and they "
			 "may be discarded"
		       : "Nothing the host did shows that the tasks of the stream are done, and they may "
			 "be discarded");
}

/* What others wait for is thrown away, or what no one has waited for. */
static void stream_force_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *waiter;
	uint64_t work;

	if (!stream_is_own(s) || call->state.capture || call->in_exit || !stream_destroy_forced(call))
		return;
	if (load_acquire(&stream_state(s)->work))
		rule_evaluated(call, RULE("stream-destroy-force-pending"));
	work = own_work_pending(c, s);
	if (!work || host_may_be_informed(c, s, work) || stream_in_known_circle(c, s))
		return;
	waiter = waiter_behind(c, s, work);
	if (waiter || (!end_is_unseen(c, s, work) && !given_up(c, s, work) && !binding_was(c, s)))
		say_forced(c, call, s, waiter);
}

static void stream_wait_failed(struct checks *c, struct acl_call_record *call)
{
	if (stream_of(call) && error_of(call) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
		value_table_set_object(
			c, &stream_ends(c)->given_up, stream_of(call), stream_submitted(stream_of(call)) + 1);
}

/* The thread that processes reports is in the middle of it. */
static bool thread_processes_reports(struct checks *c, uint64_t pthread_id)
{
	struct acl_thread *t;

	thread_each(c, t) if (load_relaxed(&t->pthread_id) == pthread_id)
	{
		unsigned inside = thread_inside(c, t);

		return inside && acl_apis[inside - 1].operation == ACL_OP_CALLBACK_PROCESS;
	}
	return false;
}

static void subscribed_stream_destroy(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t thread;
	bool processes;

	if (!stream_is_own(s) || call->in_exit)
		return;
	thread = callback_thread_of(c, s);
	/* The runtime ends the subscription itself; only a callback under way is in danger. */
	processes = thread && thread_processes_reports(c, thread);
	FINDING(c, call, "stream-destroyed-while-subscribed", thread,
		PARTS(part_advice(!processes), part_handle("thread", thread), part_object("stream", s)),
		"A thread is subscribed for the callbacks of the stream%s.",
		processes ? " and processes reports right now" : "");
}

/* Remembers where the stream stood. */
static void stream_abort_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s && succeeded(call))
		value_table_set_object(c, aborted(c), s, stream_submitted(s) + 1);
}

/* A wait for a record that was on the stream when it was aborted. */
static void aborted_event_synchronise(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *s;
	uint64_t position, stopped = 0;

	if (__builtin_expect(value_table_empty(aborted(c)), 1) || !e)
		return;
	s = latest_record(c, e, &position);
	if (s && value_table_get(aborted(c), object_ref(s), &stopped) && stopped)
		FINDING(c, call, "stream-abort-then-sync", position < stopped,
			PARTS(part_object("event", e), part_object("stream", s)),
			"The stream was aborted after the event was recorded on it.");
}

static void aborted_stream_synchronise(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t stopped = 0;

	if (__builtin_expect(value_table_empty(aborted(c)), 1) || !s)
		return;
	/* A task since then needs another wait. */
	if (value_table_get(aborted(c), object_ref(s), &stopped) && stopped)
		FINDING(c, call, "stream-abort-then-sync", stream_submitted(s) + 1 <= stopped,
			PARTS(part_object("stream", s)), "The stream was aborted and has got no task since.");
}

static const struct check_hook hooks[] = {
	{ON_OP(DESTROY_STREAM), ACL_ENTER, stream_destroy_enter},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, subscribed_stream_destroy},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, stream_force_enter},
	{ON_OP(DESTROY_EVENT), ACL_LEAVE, recorded_event_destroyed},
	{ON_OP(SYNCHRONISE_STREAM), ACL_FAILED, stream_wait_failed},
	{ON_OP(STREAM_ABORT), ACL_LEAVE, stream_abort_leave},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, aborted_stream_synchronise},
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER, aborted_event_synchronise},
};

const struct check_module module_stream_end = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct stream_ends),
};
