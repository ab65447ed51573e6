/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host calls that never return: the stream they wait for waits for an event or
 * a notify that has no record, or only one that itself comes after the wait.
 * Said before the call is forwarded, and only where no other thread can help.
 */
#include "checks/engine/finding_statement.h"
#include "checks/rules/stream/blocking_call.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/notify_state.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_state.h"

#define OPEN_WAITS 64 /* of more, nothing is said */

/* A wait without a record that could end it. */
struct blocked_wait {
	acl_ref what, stream; /* event or notify; 0 = free */
	uint64_t position, caller;
	uint32_t tid;
	uint16_t api;
	/* A record that comes after the wait itself, 0 = none. */
	acl_ref recorder;
};

struct endless_waits {
	struct acl_lock lock;
	_Atomic uint32_t n; /* in use, from the first on */
	struct blocked_wait at[OPEN_WAITS];
};

static struct endless_waits *blocked(struct checks *c)
{
	return module_state(c, endless_wait);
}

/* --- which waits are open --------------------------------------------------------------------------- */

static void blocked_add(struct checks *c, const struct acl_call_record *call, const struct acl_object *what)
{
	struct endless_waits *w = blocked(c);

	checks_start_conditional(c);
	lock(&w->lock);
	if (load_relaxed(&w->n) < OPEN_WAITS)
		w->at[counter_inc(&w->n)] = (struct blocked_wait){.what = object_ref(what),
			.stream = object_ref(stream_of(call)),
			.position = call->state.position,
			.caller = call->caller,
			.tid = call->tid,
			.api = call->api};
	unlock(&w->lock);
}

/* Other processes, kernels or models may end it. */
static bool event_is_shared(const struct acl_call_record *call, struct acl_object *e)
{
	const struct event_state *s = event_state(e);

	return load_relaxed(&event_state_marks(s)->maker) != EVENT_WITH_FLAG ||
	       !(load_relaxed(&s->flags) & ACL_EVENT_SYNC) ||
	       load_relaxed(&s->flags) & (ACL_EVENT_EXTERNAL | ACL_EVENT_IPC) ||
	       load_relaxed(&event_state_marks(s)->external) || event_flag_external(call);
}

static bool notify_is_shared(struct acl_object *n)
{
	return load_relaxed(&notify_state(n)->flags) &
	       (NOTIFY_IMPORTED | NOTIFY_EXPORTED | NOTIFY_NUMBERED | NOTIFY_CAPTURED);
}

/* Of a model it is not known when it runs. */
static bool wait_is_plain(struct checks *c, const struct acl_call_record *call)
{
	return task_runs_now(c, call) && succeeded(call) && is_checked(call);
}

static void blocking_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call);

	if (e && wait_is_plain(c, call) && waits_for_ever(call) && !load_relaxed(&event_state(e)->records) &&
		!event_is_shared(call, e))
		blocked_add(c, call, e);
}

static void blocking_notify_leave(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_NOTIFY);
	struct acl_object *n = value ? object_live(c, ACL_HANDLE_NOTIFY, value) : NULL;

	/* Time 0 is for ever here. */
	if (n && wait_is_plain(c, call) && !acl_arg_value(call->api, call->args, ACL_ROLE_TIMEOUT) &&
		load_relaxed(&notify_state(n)->balance) < 0 && !notify_is_shared(n))
		blocked_add(c, call, n);
}

/* The streams that a call waits for, or a record comes after. */
struct awaited {
	struct acl_object *stream, *context; /* either one, or the streams of a context */
	uint64_t position; /* of the stream: UINT64_MAX = all of it */
};

static bool awaits(
	struct checks *c, struct acl_object *waiter, const struct blocked_wait *b, const struct awaited *a)
{
	struct clock *k;
	bool found;

	if (a->context)
		return load_relaxed(&waiter->context) == object_ref(a->context);
	if (a->stream == waiter)
		return b->position <= a->position;
	k = order_clock(a->stream, a->position);
	found = clock_position(k, object_ref(waiter)) >= b->position;
	clock_release(c, k);
	return found;
}

/* A record ends the wait, unless it cannot come before the wait is over. */
static void recorded(struct checks *c, struct acl_call_record *call, acl_ref what)
{
	struct endless_waits *w = blocked(c);
	struct acl_object *s = stream_of(call);

	lock(&w->lock);
	for (uint32_t i = load_relaxed(&w->n); i-- > 0;) {
		struct acl_object *waiter = object_of(c, w->at[i].stream);
		struct awaited record = {.stream = s, .position = UINT64_MAX};

		if (w->at[i].what != what)
			continue;
		if (waiter && s && !call->state.capture && stream_pending(waiter, w->at[i].position) &&
			awaits(c, waiter, &w->at[i], &record))
			w->at[i].recorder = object_ref(s);
		else
			w->at[i] = w->at[counter_dec(&w->n) - 1];
	}
	unlock(&w->lock);
}

static void blocking_record_enter(struct checks *c, struct acl_call_record *call)
{
	if (__builtin_expect(load_relaxed(&blocked(c)->n) != 0, 0) && event_of(call))
		recorded(c, call, object_ref(event_of(call)));
}

static void blocking_notify_record_enter(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_NOTIFY);
	struct acl_object *n = value ? object_live(c, ACL_HANDLE_NOTIFY, value) : NULL;

	if (n && load_relaxed(&blocked(c)->n))
		recorded(c, call, object_ref(n));
}

/* --- what the host waits for --------------------------------------------------------------------------- */

/* Shared with others only after the wait: they may end it as well. */
static bool shared_since(struct acl_object *what)
{
	return what->kind == ACL_HANDLE_NOTIFY && notify_is_shared(what);
}

/* The wait that keeps the call from returning; false: none. Waits that are over are forgotten. */
static bool blocked_find(struct checks *c, const struct awaited *a, struct blocked_wait *out)
{
	struct endless_waits *w = blocked(c);
	bool found = false;

	lock(&w->lock);
	for (uint32_t i = load_relaxed(&w->n); !found && i-- > 0;) {
		struct acl_object *waiter = object_of(c, w->at[i].stream),
				  *what = object_of(c, w->at[i].what);

		if (!waiter || !what || !object_usable(waiter) || !object_usable(what) ||
			!stream_pending(waiter, w->at[i].position)) {
			w->at[i] = w->at[counter_dec(&w->n) - 1];
			continue;
		}
		*out = w->at[i];
		found = !shared_since(what) && awaits(c, waiter, out, a);
	}
	unlock(&w->lock);
	return found;
}

static void wait_history(struct acl_object_history *h, const void *source)
{
	const struct blocked_wait *b = source;

	h->handle = ACL_HANDLE_NONE;
	h->kind = "waits";
	h->device = -1;
	h->last_used = (struct acl_call_site){.tid = b->tid, .caller = b->caller, .api = b->api};
}

static void endless_report(struct checks *c, struct acl_call_record *call, const struct blocked_wait *b)
{
	struct acl_object *what = object_of(c, b->what), *waiter = object_of(c, b->stream);
	struct acl_object *recorder = b->recorder ? object_of(c, b->recorder) : NULL;

	if (recorder)
		FINDING_BROKEN(c, call, RULE("stream-wait-cycle"),
			PARTS(part_history("the wait", wait_history, b),
				part_object("waiting stream", waiter), part_object("what it waits for", what),
				part_object("recorded on", recorder)),
			"The wait of %s for %s 0x%llx comes before its record on %s: neither can go on. "
			"Submit the record before the wait, or on a stream that does not wait for this one.",
			STREAM_TEXT(waiter), acl_handle_names[what->kind],
			(unsigned long long)load_relaxed(&what->value), STREAM_TEXT(recorder));
	else
		FINDING_BROKEN(c, call, RULE("stream-wait-never-satisfied"),
			PARTS(part_history("the wait", wait_history, b),
				part_object("waiting stream", waiter),
				part_object("what it waits for", what)),
			"The wait of %s for %s 0x%llx does not end: nothing records it, and this is the only "
			"thread that calls the runtime. Record it before this call.",
			STREAM_TEXT(waiter), acl_handle_names[what->kind],
			(unsigned long long)load_relaxed(&what->value));
}

static void awaited_check(struct checks *c, struct acl_call_record *call, const struct awaited *a)
{
	struct blocked_wait b;

	if (!waits_for_ever(call))
		return;
	rule_evaluated(call, RULE("stream-wait-cycle"));
	rule_evaluated(call, RULE("stream-wait-never-satisfied"));
	if (__builtin_expect(load_relaxed(&blocked(c)->n) != 0, 0) && blocked_find(c, a, &b) &&
		nobody_else_can_act(c))
		endless_report(c, call, &b);
}

static void endless_stream_enter(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = {.stream = stream_of(call), .position = UINT64_MAX};

	if (a.stream && !call->state.capture)
		awaited_check(c, call, &a);
}

static void endless_event_enter(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = {.stream = call->state.observed, .position = call->state.observed_position};

	if (a.stream)
		awaited_check(c, call, &a);
}

static void endless_device_enter(struct checks *c, struct acl_call_record *call)
{
	bool known;
	struct awaited a = {.context = context_current(c, thread_of(call), &known)};

	if (a.context)
		awaited_check(c, call, &a);
}

static void endless_forked(struct checks *c)
{
	store_relaxed(&blocked(c)->n, 0);
}

static const struct check_hook hooks[] = {
	{ON_OP(WAIT_EVENT), ACL_LEAVE, blocking_wait_leave},
	{ON_OP(WAIT_NOTIFY), ACL_LEAVE, blocking_notify_leave},
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_CONDITIONAL, blocking_record_enter},
	{ON_OP(RECORD_NOTIFY), ACL_ENTER | ACL_CONDITIONAL, blocking_notify_record_enter},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, endless_stream_enter},
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER, endless_event_enter},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_ENTER, endless_device_enter},
};

const struct check_module module_endless_wait = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct endless_waits),
	.forked = endless_forked,
};
