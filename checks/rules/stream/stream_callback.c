/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host callbacks: which thread serves which stream, and the two mechanisms that do
 * not go together.
 */
#include "checks/rules/stream/stream_callback.h"
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/rules/stream/blocking_call.h"
#include "checks/rules/stream/host_function_thread.h"
#include "checks/state/stream_state.h"
#include "checks/state/init_state.h"

#define MOST_THREADS 1024
#define THREAD_BEGINS_MS 100

struct callbacks {
	struct value_table report; /* acl_ref or handle of a stream -> thread id that processes its reports */
	struct value_table subscribed; /* thread id ever subscribed -> the last count it was in */
	struct value_table
		host_function; /* acl_ref of a stream -> 1: the runtime has run its host functions */
	_Atomic uint32_t threads; /* distinct ids ever subscribed */
	struct acl_lock counting;
	uint32_t counts; /* of the threads that serve streams now */
	struct value_table processing; /* pthread id -> enum processing */
	struct value_table
		refused; /* pthread id -> where its first aclrtProcessReport was that was refused */
	struct value_table
		launched; /* thread id -> where the last aclrtLaunchCallback was that it is to run */
	struct value_table blocking; /* acl_ref of a stream -> position of the last one it waits for */
	struct value_table unrun; /* thread id -> callbacks launched for it that have not begun */
	struct value_table waited; /* acl_ref of a stream -> milliseconds of waits for it that timed out */
};

/* What a thread did with aclrtProcessReport: a call may be under way until the end of the process. */
enum processing { NEVER, CALLING, REFUSED, PROCESSING };

static struct callbacks *callbacks(struct checks *c)
{
	return module_state(c, callback);
}

uint64_t callback_thread_of(struct checks *c, struct acl_object *stream)
{
	return value_table_value(&callbacks(c)->report, object_ref(stream));
}

static bool stream_made_here(struct acl_object *s)
{
	return object_is_known(s) && load_acquire(&s->state) == ACL_OBJECT_LIVE;
}

/* Whether the rule is broken. */
static bool check_callback(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	bool broken, const char *detail, const char *name, uint64_t value)
{
	return FINDING_OF(c, call, rule, broken,
		PARTS(name ? part_uint(name, value) : part_none(), part_object("stream", stream_of(call))),
		"%s", detail);
}

/* A callback may begin before its launch is back: the number is below 0 then. */
static void unrun_add(struct checks *c, uint64_t thread, int change)
{
	struct callbacks *k = callbacks(c);

	lock(&k->counting);
	value_table_set(
		c, &k->unrun, thread, value_table_value(&k->unrun, thread) + (uint64_t)(int64_t)change);
	unlock(&k->counting);
}

/* --- subscriptions ------------------------------------------------------------------------ */

static const char has_thread[] = "The stream has a thread for its callbacks already.";
static const char host_function_used[] = "aclrtLaunchHostFunc was used on this stream before.";

/*
 * A stream that the thread serves now.  A thread that serves none any more is a
 * new one to the runtime, and its id may belong to another by now.
 */
static struct acl_object *served_by(struct checks *c, uint64_t thread)
{
	struct acl_object *s;

	object_each(
		c, ACL_HANDLE_STREAM, s) if (object_usable(s) && callback_thread_of(c, s) == thread) return s;
	return NULL;
}

/* Threads that serve streams now; no more than were ever subscribed. */
static uint32_t serving_threads(struct checks *c)
{
	struct callbacks *k = callbacks(c);
	uint32_t ever = load_relaxed(&k->threads), n = 0;
	struct acl_object *s;

	if (ever < MOST_THREADS)
		return ever;
	lock(&k->counting);
	k->counts++;
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		uint64_t thread = object_usable(s) ? callback_thread_of(c, s) : 0;

		if (thread && value_table_value(&k->subscribed, thread) != k->counts)
			n += value_table_set(c, &k->subscribed, thread, k->counts);
	}
	unlock(&k->counting);
	return n;
}

static void check_thread(
	struct checks *c, struct acl_call_record *call, struct acl_object *s, uint64_t thread)
{
	struct acl_object *other = served_by(c, thread);
	uint32_t threads;

	if (other) {
		if (load_relaxed(&other->device) >= 0 && load_relaxed(&s->device) >= 0)
			check_callback(c, call, RULE("subscribe-thread-two-devices"),
				load_relaxed(&other->device) != load_relaxed(&s->device),
				"The thread serves streams of another device already.", "its device",
				(uint64_t)load_relaxed(&other->device));
		rule_evaluated(call, RULE("subscribe-thread-limit"));
		return;
	}
	threads = serving_threads(c);
	check_callback(c, call, RULE("subscribe-thread-limit"), threads >= MOST_THREADS,
		"A process can subscribe 1024 threads.", "threads", threads);
}

static void report_subscribe_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t now;

	if (!stream_made_here(s))
		return;
	now = value_table_value(&callbacks(c)->report, object_ref(s));
	check_callback(c, call, RULE("subscribe-duplicate"), now, has_thread, "its thread", now);
	check_callback(c, call, RULE("callback-mechanisms-mixed"),
		!now && value_table_value(&callbacks(c)->host_function, object_ref(s)), host_function_used,
		NULL, 0);
	check_thread(c, call, s, acl_arg_value(call->api, call->args, ACL_ROLE_THREAD));
}

/* A stream that another library made is known by its handle. */
static uint64_t report_key(struct checks *c, const struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	return s ? object_ref(s) : (uintptr_t)stream_argument(c, call);
}

/* Whether such a stream is still the one that was subscribed only the runtime knows: its answer decides. */
static void foreign_subscribed_twice(struct checks *c, struct acl_call_record *call)
{
	uint64_t key = report_key(c, call), now = key ? value_table_value(&callbacks(c)->report, key) : 0;

	if (!stream_made_here(stream_of(call)) && now)
		check_callback(c, call, RULE("subscribe-duplicate"),
			error_of(call) == ACL_ERROR_RT_STREAM_SUBSCRIBE, has_thread, "its thread", now);
}

/* What gettid() answers, of a thread that has made calls; a pthread id is the address of something of the
 * thread. */
static bool is_thread_number(struct checks *c, const struct acl_call_record *call, uint64_t id)
{
	struct acl_thread *t;
	bool number = id == call->tid;

	thread_each(c, t)
	{
		if (load_relaxed(&t->pthread_id) == id)
			return false;
		number |= load_relaxed(&t->tid) == id;
	}
	return number;
}

/* The runtime takes any number, and hands callbacks to nothing. */
static void check_pthread_id(struct checks *c, struct acl_call_record *call, uint64_t thread)
{
	bool number = is_thread_number(c, call, thread);

	check_callback(c, call, RULE("subscribe-thread-not-processing"), number,
		"threadId is the number of a thread, as gettid() answers it, and no pthread id: callbacks of "
		"the "
		"stream run on no thread.",
		"threadId", thread);
	/* All that comes of it. */
	if (number)
		value_table_set(c, &callbacks(c)->processing, thread, REFUSED);
}

static void report_subscribe_leave(struct checks *c, struct acl_call_record *call)
{
	uint64_t thread = acl_arg_value(call->api, call->args, ACL_ROLE_THREAD), key = report_key(c, call),
		 last;
	struct acl_object *s = stream_of(call);

	foreign_subscribed_twice(c, call);
	if (!key || !succeeded(call) || !thread)
		return;
	if (s)
		value_table_set_object(c, &callbacks(c)->report, s, thread);
	else
		value_table_set(c, &callbacks(c)->report, key, thread);
	if (!value_table_get(&callbacks(c)->subscribed, thread, &last)) {
		counter_inc(&callbacks(c)->threads);
		value_table_set(c, &callbacks(c)->subscribed, thread, 0);
	}
	check_pthread_id(c, call, thread);
}

static void report_unsubscribe_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t thread = acl_arg_value(call->api, call->args, ACL_ROLE_THREAD), now;
	struct acl_object *s = stream_of(call);

	if (!stream_made_here(s))
		return;
	now = value_table_value(&callbacks(c)->report, object_ref(s));
	check_callback(c, call, RULE("unsubscribe-not-subscribed"), now != thread || !now,
		now ? "Another thread is subscribed for the stream."
		    : "The stream has no thread for its callbacks.",
		now ? "its thread" : NULL, now);
}

static void report_unsubscribe_leave(struct checks *c, struct acl_call_record *call)
{
	uint64_t thread = acl_arg_value(call->api, call->args, ACL_ROLE_THREAD), key = report_key(c, call);

	if (!succeeded(call) || !key)
		return;
	/* Which of them were of this stream is not known. */
	value_table_set(c, &callbacks(c)->unrun, thread, 0);
	if (stream_of(call))
		value_table_set_object(c, &callbacks(c)->report, stream_of(call), 0);
	else
		value_table_set(c, &callbacks(c)->report, key, 0);
}

/* --- launches ------------------------------------------------------------------------------- */

/* Two mechanisms: a callback that says whether it blocks runs on the subscribed thread, another on the
 * runtime's. */
static bool runs_on_subscribed(unsigned api)
{
	return acl_apis[api].operation == ACL_OP_LAUNCH_HOST_FUNCTION &&
	       acl_arg_has(api, ACL_ROLE_BLOCK_TYPE);
}

static void callback_on_subscribed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	bool none, mixed;

	if (!stream_made_here(s))
		return;
	none = !value_table_value(&callbacks(c)->report, object_ref(s));
	mixed = none && value_table_value(&callbacks(c)->host_function, object_ref(s));
	check_callback(c, call, RULE("callback-mechanisms-mixed"), mixed, host_function_used, NULL, 0);
	check_callback(c, call, RULE("callback-not-subscribed"), none && !mixed,
		"No thread is subscribed for the callbacks of this stream.", NULL, 0);
}

static void callback_on_runtime(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t thread;

	if (!stream_made_here(s))
		return;
	thread = value_table_value(&callbacks(c)->report, object_ref(s));
	check_callback(c, call, RULE("callback-mechanisms-mixed"), thread && !host_function_thread_of(c, s),
		"A thread is subscribed for the callbacks of this stream.", "its thread", thread);
}

static void callback_launch_enter(struct checks *c, struct acl_call_record *call)
{
	if (runs_on_subscribed(call->api))
		callback_on_subscribed(c, call);
	else
		callback_on_runtime(c, call);
}

/* --- who runs them ---------------------------------------------------------------------------- */

static void callback_launch_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t thread;

	if (!s || !succeeded(call))
		return;
	if (!runs_on_subscribed(call->api)) {
		if (!host_function_thread_of(c, s))
			value_table_set_object(c, &callbacks(c)->host_function, s, 1);
		return;
	}
	thread = value_table_value(&callbacks(c)->report, object_ref(s));
	if (!thread || call->state.capture)
		return;
	unrun_add(c, thread, 1);
	if (is_checked(call))
		value_table_set(c, &callbacks(c)->launched, thread, call_site_where(call));
	if (acl_arg_value(call->api, call->args, ACL_ROLE_BLOCK_TYPE) == ACL_CALLBACK_BLOCK)
		value_table_set_object(c, &callbacks(c)->blocking, s, call->state.position);
}

/* The thread that is to run the callback waits for the stream that waits for the callback. */
static void callback_stream_synchronise(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t position;

	if (!s || !stream_rarely(s, callback) || call->callback_depth)
		return;
	position = value_table_value(&callbacks(c)->blocking, object_ref(s));
	/* One that has begun needs the thread no more. */
	if (!position || stream_rarely(s, begun) >= position || !stream_pending(s, position))
		return;
	check_callback(c, call, RULE("subscribe-thread-not-processing"),
		value_table_value(&callbacks(c)->report, object_ref(s)) == call->pthread_id,
		"This thread is the one that runs the callbacks of the stream, and the stream waits for one.",
		NULL, 0);
}

/* It has made calls, and lives no more. */
static bool thread_ended(struct checks *c, uint64_t thread)
{
	struct acl_thread *t;

	thread_each(c, t)
	{
		if (load_relaxed(&t->pthread_id) == thread)
			return c->host.thread_lives &&
			       !c->host.thread_lives(c->host.context, load_relaxed(&t->tid));
	}
	return false;
}

/* Callbacks are left that it was to run. */
static bool thread_left_some(struct checks *c, uint64_t thread)
{
	return (int64_t)value_table_value(&callbacks(c)->unrun, thread) > 0 && thread_ended(c, thread);
}

/* The thread that is to run a callback of the stream and has never asked for one, or has ended; 0: none. */
static uint64_t idle_thread(struct checks *c, struct acl_object *s)
{
	uint64_t callback = s ? stream_rarely(s, callback) : 0, thread, last;

	if (!callback || !stream_pending(s, callback))
		return 0;
	thread = value_table_value(&callbacks(c)->report, object_ref(s));
	if (!thread || !value_table_get(&callbacks(c)->launched, thread, &last))
		return 0;
	return value_table_value(&callbacks(c)->processing, thread) == NEVER || thread_left_some(c, thread)
		       ? thread
		       : 0;
}

/* late: it may still come, and is advice until the process ends. */
static void idle_thread_report(struct checks *c, struct acl_call_record *call, uint64_t thread, bool late)
{
	bool ended = value_table_value(&callbacks(c)->processing, thread) != NEVER;

	FINDING(c, call, "subscribe-thread-not-processing", true,
		PARTS(part_advice(late), part_uint("its thread", thread),
			part_object("stream", stream_of(call))),
		"%s",
		ended ? "Callbacks that were launched for the thread of the stream have not run, and the "
			"thread has ended."
		      : "Callbacks were launched on the stream, and no thread of the subscribed pthread id "
			"has called aclrtProcessReport.");
	/* The end of the process has no more to say about it. */
	if (!late)
		value_table_set(c, &callbacks(c)->processing, thread, REFUSED);
	if (ended)
		value_table_set(c, &callbacks(c)->unrun, thread, 0);
}

/* The only thread blocks: none will come. */
static void idle_thread_synchronise(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t thread = call->callback_depth ? 0 : idle_thread(c, s);

	if (thread && thread != call->pthread_id && no_other_thread(c))
		idle_thread_report(c, call, thread, false);
}

/* A thread that was just begun may need its time, and one that has much to prepare needs more. */
static void idle_thread_timed_out(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	int64_t timeout = (int32_t)acl_arg_value(call->api, call->args, ACL_ROLE_TIMEOUT);
	uint64_t thread, waited;

	if (error_of(call) != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT || timeout <= 0)
		return;
	thread = idle_thread(c, s);
	if (!thread || thread == call->pthread_id)
		return;
	waited = value_table_value(&callbacks(c)->waited, object_ref(s)) + (uint64_t)timeout;
	value_table_set_object(c, &callbacks(c)->waited, s, waited);
	if (waited >= THREAD_BEGINS_MS)
		idle_thread_report(c, call, thread, true);
}

static void report_process_enter(struct checks *c, struct acl_call_record *call)
{
	if (is_checked(call) && value_table_value(&callbacks(c)->processing, call->pthread_id) == NEVER)
		value_table_set(c, &callbacks(c)->processing, call->pthread_id, CALLING);
}

/* A loop may begin before its thread is subscribed, and outlive the subscription. */
static void report_process_leave(struct checks *c, struct acl_call_record *call)
{
	bool refused = error_of(call) == ACL_ERROR_RT_THREAD_SUBSCRIBE;

	if (!is_checked(call) || value_table_value(&callbacks(c)->processing, call->pthread_id) == PROCESSING)
		return;
	if (refused && !value_table_value(&callbacks(c)->refused, call->pthread_id))
		value_table_set(c, &callbacks(c)->refused, call->pthread_id, call_site_where(call));
	value_table_set(c, &callbacks(c)->processing, call->pthread_id, refused ? REFUSED : PROCESSING);
}

static void callback_ran(
	struct checks *c, const struct acl_call_record *outer, const void *argument, bool begins)
{
	(void)argument;
	if (!begins || !runs_on_subscribed(outer->api))
		return;
	value_table_set(c, &callbacks(c)->processing, outer->pthread_id, PROCESSING);
	unrun_add(c, outer->pthread_id, -1);
}

static void check_callback_at_end(struct checks *c, const struct acl_rule *rule, bool broken, uint64_t where,
	uint64_t thread, const char *detail)
{
	FINDING_OF(c, NULL, rule, broken,
		PARTS(part_site(thread), part_where(where), part_handle("thread", thread)), detail,
		(unsigned long long)thread);
}

/* A program that ends has subscribed and processed all that it ever will. */
static void callbacks_finish(struct checks *c, enum checks_end kind)
{
	struct callbacks *k = callbacks(c);
	uint64_t thread, value;
	uint32_t at = 0;

	if (!end_is_whole(c, kind))
		return;
	while (value_table_next(&k->processing, &at, &thread, &value)) {
		bool refused = value == REFUSED && !value_table_get(&k->subscribed, thread, &value);

		check_callback_at_end(c, RULE("processreport-not-subscribed"), refused,
			value_table_value(&k->refused, thread), thread,
			"Thread 0x%llx called aclrtProcessReport, and no aclrtSubscribeReport ever named its "
			"pthread id.");
	}
	at = 0;
	while (value_table_next(&k->launched, &at, &thread, &value))
		check_callback_at_end(c, RULE("subscribe-thread-not-processing"),
			value_table_value(&k->processing, thread) == NEVER, value, thread,
			"Callbacks were launched for thread 0x%llx, and no thread of this pthread id ever "
			"called aclrtProcessReport.");
}

/* Threads of the parent: in the child no thread processes for them, nor is to. */
static void callbacks_forked(struct checks *c)
{
	value_table_clear(&callbacks(c)->processing);
	value_table_clear(&callbacks(c)->refused);
	value_table_clear(&callbacks(c)->launched);
	value_table_clear(&callbacks(c)->unrun);
}

static const struct check_hook hooks[] = {
	{ON_OP(CALLBACK_SUBSCRIBE), ACL_ENTER, report_subscribe_enter},
	{ON_OP(CALLBACK_SUBSCRIBE), ACL_LEAVE, report_subscribe_leave},
	{ON_OP(CALLBACK_UNSUBSCRIBE), ACL_ENTER, report_unsubscribe_enter},
	{ON_OP(CALLBACK_UNSUBSCRIBE), ACL_LEAVE, report_unsubscribe_leave},
	{ON_OP(LAUNCH_HOST_FUNCTION), ACL_ENTER, callback_launch_enter},
	{ON_OP(LAUNCH_HOST_FUNCTION), ACL_LEAVE, callback_launch_leave},
	{ON_OP(CALLBACK_PROCESS), ACL_ENTER, report_process_enter},
	{ON_OP(CALLBACK_PROCESS), ACL_LEAVE, report_process_leave},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, callback_stream_synchronise},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, idle_thread_synchronise},
	{ON_OP(SYNCHRONISE_STREAM), ACL_FAILED, idle_thread_timed_out},
};

const struct check_module module_callback = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct callbacks),
	.callback = callback_ran,
	.finish = callbacks_finish,
	.forked = callbacks_forked,
};
