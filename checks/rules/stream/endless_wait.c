/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host calls that never return: the stream they wait for, or whose work they let
 * end first, waits for an event or a notify that has no record, or a word that nothing
 * gives the value, or only what itself comes after the wait.  Said before the call is forwarded, and only
 * where no other thread can help.
 */
#include "checks/engine/finding_statement.h"
#include "checks/rules/stream/blocking_call.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/notify_state.h"
#include "checks/state/operation.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_state.h"
#include "checks/state/word_state.h"

#define OPEN_WAITS 64 /* of more, nothing is said */

/* A word that has not the value that is waited for. */
struct awaited_word {
	uint64_t address, block; /* block_ref; 0 = none */
	uint64_t value, flags;
};

/* A wait without a record or write that could end it. */
struct blocked_wait {
	acl_ref what, stream; /* event or notify; 0 = a word */
	struct awaited_word word;
	uint64_t position, caller;
	uint32_t tid;
	uint16_t api;
	bool reported;
	/* A record that comes after the wait itself, 0 = none. */
	acl_ref recorder;
};

struct endless_waits {
	struct acl_lock lock;
	_Atomic uint32_t n; /* in use, from the first on */
	_Atomic bool words_hidden; /* kernels or models may write words */
	struct blocked_wait at[OPEN_WAITS];
};

static struct endless_waits *blocked(struct checks *c)
{
	return module_state(c, endless_wait);
}

/* --- which waits are open --------------------------------------------------------------------------- */

static void blocked_add(struct checks *c, const struct acl_call_record *call, struct blocked_wait b)
{
	struct endless_waits *w = blocked(c);

	b.stream = object_ref(stream_of(call));
	b.position = call->state.position;
	b.caller = call->caller;
	b.tid = call->tid;
	b.api = call->api;
	checks_start_conditional(c);
	lock(&w->lock);
	if (load_relaxed(&w->n) < OPEN_WAITS)
		w->at[counter_inc(&w->n)] = b;
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
		blocked_add(c, call, (struct blocked_wait){.what = object_ref(e)});
}

static void blocking_notify_leave(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_NOTIFY);
	struct acl_object *n = value ? object_live(c, ACL_HANDLE_NOTIFY, value) : NULL;

	/* Time 0 is for ever here. */
	if (n && wait_is_plain(c, call) && !acl_arg_value(call->api, call->args, ACL_ROLE_TIMEOUT) &&
		load_relaxed(&notify_state(n)->balance) < 0 && !notify_is_shared(n))
		blocked_add(c, call, (struct blocked_wait){.what = object_ref(n)});
}

static void words_hide(struct checks *c, struct acl_call_record *call)
{
	(void)call;
	store_relaxed(&blocked(c)->words_hidden, true);
}

/* What is not seen may write the word as well. */
static bool word_is_shared(struct checks *c)
{
	return load_relaxed(&blocked(c)->words_hidden) || words_have_other_writers(c) ||
	       other_submitters_possible(c, CHECKS_OTHER_WORK);
}

/* Another thread might write it between the look at the word and this. */
static void blocking_word_leave(struct checks *c, struct acl_call_record *call)
{
	uint64_t address = (uintptr_t)acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
	struct block_lookup at;

	if (!word_wait_is_hopeless(call) || !wait_is_plain(c, call) || !nobody_else_can_act(c) ||
		word_is_shared(c) || !map_find(memory_blocks(c), address, &at))
		return;
	checks_when(c, WHEN_WORD_AWAITED);
	blocked_add(c, call,
		(struct blocked_wait){
			.word = {.address = address,
				.block = block_ref(at.block, at.generation, false),
				.value = acl_arg_value(call->api, call->args, ACL_ROLE_VALUE),
				.flags = acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS)}});
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

/* What a call records, or writes: a value in a word, or whatever in a range. */
struct ending {
	acl_ref what;
	uint64_t start, end;
	const uint64_t *value;
};

static bool is_about(const struct blocked_wait *b, const struct ending *e)
{
	if (e->what || b->what)
		return b->what == e->what;
	return e->start < b->word.address + 8 && e->end > b->word.address &&
	       !(e->value && e->start == b->word.address &&
		       !word_ends_wait(*e->value, b->word.value, b->word.flags));
}

/* It ends the wait, unless it cannot come before the wait is over. */
static void recorded(struct checks *c, struct acl_call_record *call, const struct ending *e)
{
	struct endless_waits *w = blocked(c);
	struct acl_object *s = stream_of(call);

	lock(&w->lock);
	for (uint32_t i = load_relaxed(&w->n); i-- > 0;) {
		struct acl_object *waiter = object_of(c, w->at[i].stream);
		struct awaited record = {.stream = s, .position = UINT64_MAX};

		if (!is_about(&w->at[i], e))
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
		recorded(c, call, &(struct ending){.what = object_ref(event_of(call))});
}

static void blocking_notify_record_enter(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_NOTIFY);
	struct acl_object *n = value ? object_live(c, ACL_HANDLE_NOTIFY, value) : NULL;

	if (n && load_relaxed(&blocked(c)->n))
		recorded(c, call, &(struct ending){.what = object_ref(n)});
}

static void blocking_write_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t address = (uintptr_t)acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS),
		 value = acl_arg_value(call->api, call->args, ACL_ROLE_VALUE);

	if (load_relaxed(&blocked(c)->n))
		recorded(c, call, &(struct ending){.start = address, .end = address + 8, .value = &value});
}

/* Memory that is not known may be anywhere. */
static void blocking_range_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = load_relaxed(&blocked(c)->n) ? operation_of(c, call) : NULL;

	for (uint64_t i = 0; op && i < op->n_entries; i++) {
		const struct op_access *dst = operation_entry(op, i).dst;
		uint64_t start = dst && dst->block.block ? (uintptr_t)dst->address : 0;

		recorded(c, call,
			&(struct ending){.start = start, .end = start ? start + dst->span : UINT64_MAX});
	}
}

/* --- what the host waits for --------------------------------------------------------------------------- */

/* Shared with others only after the wait: they may end it as well. */
static bool shared_since(struct checks *c, const struct blocked_wait *b)
{
	struct acl_object *what = object_of(c, b->what);

	return what ? what->kind == ACL_HANDLE_NOTIFY && notify_is_shared(what) : word_is_shared(c);
}

/* What it waits for is still there. */
static bool awaited_lives(struct checks *c, const struct blocked_wait *b)
{
	struct acl_object *what = b->what ? object_of(c, b->what) : NULL;
	struct block_lookup at;

	if (b->what)
		return what && object_usable(what);
	return map_find(memory_blocks(c), b->word.address, &at) &&
	       block_ref(at.block, at.generation, false) == b->word.block;
}

/* The wait that keeps the call from returning; false: none. Waits that are over are forgotten. */
static bool blocked_find(struct checks *c, const struct awaited *a, struct blocked_wait *out)
{
	struct endless_waits *w = blocked(c);
	bool found = false;

	lock(&w->lock);
	for (uint32_t i = load_relaxed(&w->n); !found && i-- > 0;) {
		struct acl_object *waiter = object_of(c, w->at[i].stream);

		if (!waiter || !object_usable(waiter) || !awaited_lives(c, &w->at[i]) ||
			!stream_pending(waiter, w->at[i].position)) {
			w->at[i] = w->at[counter_dec(&w->n) - 1];
			continue;
		}
		*out = w->at[i];
		found = !shared_since(c, out) && awaits(c, waiter, out, a);
	}
	unlock(&w->lock);
	return found;
}

static void blocked_reported(struct checks *c, const struct blocked_wait *b)
{
	struct endless_waits *w = blocked(c);

	lock(&w->lock);
	for (uint32_t i = 0; i < load_relaxed(&w->n); i++)
		if (w->at[i].stream == b->stream && w->at[i].position == b->position)
			w->at[i].reported = true;
	unlock(&w->lock);
}

static void wait_history(struct acl_object_history *h, const void *source)
{
	const struct blocked_wait *b = source;

	h->handle = ACL_HANDLE_NONE;
	h->kind = "waits";
	h->device = -1;
	h->last_used = (struct acl_call_site){.tid = b->tid, .caller = b->caller, .api = b->api};
}

static void endless_object_report(struct checks *c, struct acl_call_record *call,
	const struct blocked_wait *b, struct acl_object *waiter, struct acl_object *recorder)
{
	struct acl_object *what = object_of(c, b->what);

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

static void endless_word_report(struct checks *c, struct acl_call_record *call, const struct blocked_wait *b,
	struct acl_object *waiter, struct acl_object *recorder)
{
	struct finding_part address = part_address("word", (const void *)(uintptr_t)b->word.address),
			    value = part_uint("value", b->word.value);

	if (recorder)
		FINDING_BROKEN(c, call, RULE("stream-wait-cycle"),
			PARTS(part_history("the wait", wait_history, b),
				part_object("waiting stream", waiter), part_object("written on", recorder),
				address, value),
			"The wait of %s for a value of the word at 0x%llx comes before the write on %s that "
			"would end it: neither can go on. Submit the write before the wait, or on a stream "
			"that does not wait for this one.",
			STREAM_TEXT(waiter), (unsigned long long)b->word.address, STREAM_TEXT(recorder));
	else
		FINDING_BROKEN(c, call, RULE("stream-wait-never-satisfied"),
			PARTS(part_history("the wait", wait_history, b),
				part_object("waiting stream", waiter), address, value),
			"The wait of %s for a value of the word at 0x%llx does not end: no value put there "
			"ends it, and this is the only thread that calls the runtime. Write one that does "
			"before this call.",
			STREAM_TEXT(waiter), (unsigned long long)b->word.address);
}

static void endless_report(struct checks *c, struct acl_call_record *call, const struct blocked_wait *b)
{
	struct acl_object *waiter = object_of(c, b->stream),
			  *recorder = b->recorder ? object_of(c, b->recorder) : NULL;

	blocked_reported(c, b);
	if (b->what)
		endless_object_report(c, call, b, waiter, recorder);
	else
		endless_word_report(c, call, b, waiter, recorder);
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

/* A circle that is given up with a stream of it: what is dropped there could never have been done. */
static void dropped_check(struct checks *c, struct acl_call_record *call, const struct awaited *a)
{
	struct blocked_wait b;

	rule_evaluated(call, RULE("stream-wait-cycle"));
	if (blocked_find(c, a, &b) && !b.reported && object_of(c, b.recorder))
		endless_report(c, call, &b);
}

/* Of most streams and contexts that end nothing has to be asked. */
static bool any_blocked(struct checks *c)
{
	return load_relaxed(&blocked(c)->n);
}

/* A destroy lets the work of the stream end first, unless it is forced. */
static void endless_stream_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = {.stream = stream_of(call), .position = UINT64_MAX};

	if (!a.stream || call->state.capture || !any_blocked(c))
		return;
	if (stream_destroy_forced(call))
		dropped_check(c, call, &a);
	else
		awaited_check(c, call, &a);
}

static void endless_context_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = {
		.context = object_live(c, ACL_HANDLE_CONTEXT, ACL_ARGS(call, aclrtDestroyContext)->context)};

	if (a.context && any_blocked(c))
		awaited_check(c, call, &a);
}

/* Those that wait for the device first. */
static void endless_free_enter(struct checks *c, struct acl_call_record *call)
{
	if (acl_apis[call->api].mode == ACL_MODE_BLOCKING && any_blocked(c))
		endless_device_enter(c, call);
}

static void endless_forked(struct checks *c)
{
	store_relaxed(&blocked(c)->n, 0);
}

static const struct check_hook hooks[] = {
	{ON_OP(WAIT_EVENT), ACL_LEAVE, blocking_wait_leave},
	{ON_OP(WAIT_NOTIFY), ACL_LEAVE, blocking_notify_leave},
	{ON_OP(WAIT_VALUE), ACL_LEAVE, blocking_word_leave},
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_CONDITIONAL, blocking_record_enter},
	{ON_OP(RECORD_NOTIFY), ACL_ENTER | ACL_CONDITIONAL, blocking_notify_record_enter},
	{ON_OP(WRITE_VALUE), ACL_ENTER | ACL_CONDITIONAL, blocking_write_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_WHEN(WORD_AWAITED), blocking_range_enter},
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(WORD_AWAITED), blocking_range_enter},
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_WHEN(WORD_AWAITED), blocking_range_enter},
	{ON_OP(LAUNCH_KERNEL), ACL_ENTER, words_hide},
	{ON_GROUP(EXECUTE), ACL_ENTER, words_hide},
	{ON_GROUP(RANDOM), ACL_ENTER, words_hide},
	{ON_OP(COPY_DESCRIBED), ACL_ENTER, words_hide},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, endless_stream_enter},
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER, endless_event_enter},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_ENTER, endless_device_enter},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, endless_stream_destroy_enter},
	{ON_OP(DESTROY_CONTEXT), ACL_ENTER, endless_context_destroy_enter},
	{ON_OP(FREE_DEVICE), ACL_ENTER, endless_free_enter},
	{ON_OP(FREE_HOST), ACL_ENTER, endless_free_enter},
};

const struct check_module module_endless_wait = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct endless_waits),
	.forked = endless_forked,
};
