/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host calls that never return: the stream they wait for, or whose work they let
 * end first, waits for an event or a notify that has no record, or a word that nothing
 * gives the value, or only what itself comes after the wait, or after others that wait in turn for what comes
 * after this one.  Said before the call is forwarded, and only where no other thread can help.
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
	bool timed; /* the runtime gives it up after a time, and the stream fails then */
	/* Its record, if there is one, comes after the waits of these places, and is on that stream. */
	uint64_t behind;
	acl_ref recorder;
};

struct endless_waits {
	struct acl_lock lock;
	_Atomic uint64_t used; /* a bit for each place */
	_Atomic bool words_hidden; /* kernels or models may write words */
	_Atomic bool given_up; /* a timed wait was: which records are left is not known since */
	struct blocked_wait at[OPEN_WAITS];
};

/* Loops over the places of a set. */
#define each_place(i, set)                                                                                   \
	for (uint64_t set_ = (set), i = 0; set_ && (i = (uint64_t)__builtin_ctzll(set_), true);              \
		set_ &= set_ - 1)
#define PLACE(i) (1ull << (i))

static struct endless_waits *blocked(struct checks *c)
{
	return module_state(c, endless_wait);
}

static bool any_blocked(struct checks *c)
{
	return load_relaxed(&blocked(c)->used) != 0;
}

/* --- which waits are open --------------------------------------------------------------------------- */

/* Waits that are over, and with them those whose record came after no other one. */
static void blocked_over(struct endless_waits *w, uint64_t over)
{
	uint64_t used = load_relaxed(&w->used);

	while (over) {
		uint64_t next = 0;

		used &= ~over;
		each_place(i, used)
		{
			if (!(w->at[i].behind & over))
				continue;
			w->at[i].behind &= ~over;
			if (!w->at[i].behind)
				next |= PLACE(i);
		}
		over = next;
	}
	store_relaxed(&w->used, used);
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

/* By another thread between the look at it and the note of the wait: its record found no wait. */
static bool recorded_meanwhile(const struct blocked_wait *b, struct acl_object *what)
{
	if (!what || b->behind)
		return false;
	return what->kind == ACL_HANDLE_NOTIFY       ? load_relaxed(&notify_state(what)->balance) >= 0
	       : what->kind == ACL_HANDLE_CNT_NOTIFY ? load_relaxed(&notify_state(what)->records) != 0
						     : load_relaxed(&event_state(what)->records) != 0;
}

static bool still_waits(struct checks *c, const struct blocked_wait *b)
{
	struct acl_object *waiter = object_of(c, b->stream);

	return waiter && object_usable(waiter) && awaited_lives(c, b) &&
	       !recorded_meanwhile(b, object_of(c, b->what)) && stream_pending(waiter, b->position);
}

/* Forgets waits that are over. */
static void blocked_sweep(struct checks *c, struct endless_waits *w)
{
	uint64_t over = 0;

	each_place(i, load_relaxed(&w->used))
	{
		if (!still_waits(c, &w->at[i]))
			over |= PLACE(i);
	}
	blocked_over(w, over);
}

static void blocked_add(struct checks *c, const struct acl_call_record *call, struct blocked_wait b)
{
	struct endless_waits *w = blocked(c);

	b.stream = object_ref(stream_of(call));
	b.position = call->state.position;
	b.caller = call->caller;
	b.tid = call->tid;
	b.api = call->api;
	checks_when(c, WHEN_BLOCKED);
	lock(&w->lock);
	if (!~load_relaxed(&w->used))
		blocked_sweep(c, w);
	if (~load_relaxed(&w->used)) {
		unsigned place = (unsigned)__builtin_ctzll(~load_relaxed(&w->used));

		w->at[place] = b;
		store_relaxed(&w->used, load_relaxed(&w->used) | PLACE(place));
	}
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

static void blocking_count_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *n = notify_of(c, call);
	bool timed;

	if (n && wait_is_plain(c, call) && counter_wait_is_hopeless(c, call, &timed) &&
		!(timed && load_relaxed(&blocked(c)->given_up)) && !notify_is_shared(n))
		blocked_add(c, call, (struct blocked_wait){.what = object_ref(n), .timed = timed});
}

static void blocking_notify_leave(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_NOTIFY);
	struct acl_object *n = value ? object_live(c, ACL_HANDLE_NOTIFY, value) : NULL;
	bool timed = acl_arg_value(call->api, call->args, ACL_ROLE_TIMEOUT) != 0; /* 0 is for ever here */

	if (n && wait_is_plain(c, call) && !(timed && load_relaxed(&blocked(c)->given_up)) &&
		load_relaxed(&notify_state(n)->balance) < 0 && !notify_is_shared(n))
		blocked_add(c, call, (struct blocked_wait){.what = object_ref(n), .timed = timed});
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
	bool failed; /* it was given up: a timed wait was among what it waited for */
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

/* The open waits that the stream's next task comes after. */
static uint64_t waits_before(struct checks *c, struct endless_waits *w, struct acl_object *s)
{
	const struct awaited next = {.stream = s, .position = UINT64_MAX};
	uint64_t before = 0;

	each_place(i, load_relaxed(&w->used))
	{
		struct acl_object *waiter = object_of(c, w->at[i].stream);

		if (waiter && stream_pending(waiter, w->at[i].position) &&
			awaits(c, waiter, &w->at[i], &next))
			before |= PLACE(i);
	}
	return before;
}

/* Waits for the same. */
static uint64_t waits_about(struct endless_waits *w, const struct ending *e)
{
	uint64_t about = 0;

	each_place(i, load_relaxed(&w->used))
	{
		if (is_about(&w->at[i], e))
			about |= PLACE(i);
	}
	return about;
}

/* A record of a notify ends one of them, and which one is not known. */
static bool ends_only_one(struct checks *c, const struct ending *e, uint64_t about)
{
	struct acl_object *what = e->what ? object_of(c, e->what) : NULL;

	return what && what->kind == ACL_HANDLE_NOTIFY && about & (about - 1);
}

/* Ends the wait when it comes after no other one.  Of two records, and of one that may end another wait, only
 * those are followed that come after the wait itself. */
static void recorded(struct checks *c, struct acl_call_record *call, const struct ending *e)
{
	struct endless_waits *w = blocked(c);
	struct acl_object *s = call->state.capture ? NULL : stream_of(call);
	uint64_t about, before, over = 0;
	bool unsure;

	lock(&w->lock);
	about = waits_about(w, e);
	before = about && s ? waits_before(c, w, s) : 0;
	unsure = ends_only_one(c, e, about);
	each_place(i, about)
	{
		struct blocked_wait *b = &w->at[i];

		if (!before || ((unsure || b->behind) && !(before & PLACE(i))))
			over |= PLACE(i);
		else if (!b->behind) {
			b->behind = before;
			b->recorder = object_ref(s);
		}
	}
	blocked_over(w, over);
	unlock(&w->lock);
}

static void blocking_record_enter(struct checks *c, struct acl_call_record *call)
{
	if (__builtin_expect(any_blocked(c), 0) && event_of(call))
		recorded(c, call, &(struct ending){.what = object_ref(event_of(call))});
}

static void blocking_notify_record_enter(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_NOTIFY);
	struct acl_object *n = value ? object_live(c, ACL_HANDLE_NOTIFY, value) : NULL;

	if (n && any_blocked(c))
		recorded(c, call, &(struct ending){.what = object_ref(n)});
}

static void blocking_count_record_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *n = any_blocked(c) ? notify_of(c, call) : NULL;

	if (n)
		recorded(c, call, &(struct ending){.what = object_ref(n)});
}

static void blocking_write_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t address = (uintptr_t)acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS),
		 value = acl_arg_value(call->api, call->args, ACL_ROLE_VALUE);

	if (any_blocked(c))
		recorded(c, call, &(struct ending){.start = address, .end = address + 8, .value = &value});
}

/* Memory that is not known may be anywhere. */
static void blocking_range_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = any_blocked(c) ? operation_of(c, call) : NULL;

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

	return what ? what->kind != ACL_HANDLE_EVENT && notify_is_shared(what) : word_is_shared(c);
}

/* A wait that never ends, and what its record comes after. */
struct stuck_wait {
	struct blocked_wait wait, before;
	uint64_t way; /* the places that led to it */
};

/* Those that nothing ends, or (timed) nothing before their time, and whose record comes after such a one. */
static uint64_t waits_stuck(struct checks *c, struct endless_waits *w, bool timed)
{
	uint64_t stuck = 0, over = 0;

	each_place(i, load_relaxed(&w->used))
	{
		if (!shared_since(c, &w->at[i]) && (timed || !w->at[i].timed))
			stuck |= PLACE(i);
	}
	do {
		stuck &= ~over;
		over = 0;
		each_place(i, stuck)
		{
			if (w->at[i].behind && !(w->at[i].behind & stuck))
				over |= PLACE(i);
		}
	} while (over);
	return stuck;
}

/* From one of them on: the wait that nothing records, or the first one of a circle. */
static void stuck_follow(const struct endless_waits *w, uint64_t stuck, uint64_t from, struct stuck_wait *out)
{
	unsigned i = (unsigned)__builtin_ctzll(from);
	uint64_t others;

	for (out->way = 0; w->at[i].behind && !(out->way & PLACE(i));) {
		out->way |= PLACE(i);
		/* Of a record that comes after the wait itself no other one is asked. */
		if (!(w->at[i].behind & PLACE(i)))
			i = (unsigned)__builtin_ctzll(w->at[i].behind & stuck);
	}
	out->way |= PLACE(i);
	out->wait = w->at[i];
	/* On its own stream the record comes after the wait without another one. */
	others = out->wait.recorder != out->wait.stream ? out->wait.behind & stuck & ~PLACE(i) : 0;
	if (others)
		out->before = w->at[__builtin_ctzll(others)];
}

/* The wait that keeps the call from returning; false: none. */
static bool blocked_find(struct checks *c, const struct awaited *a, struct stuck_wait *out)
{
	struct endless_waits *w = blocked(c);
	uint64_t stuck, keep = 0;

	lock(&w->lock);
	blocked_sweep(c, w);
	stuck = waits_stuck(c, w, a->failed);
	each_place(i, stuck)
	{
		struct acl_object *waiter = object_of(c, w->at[i].stream);

		if (waiter && awaits(c, waiter, &w->at[i], a))
			keep |= PLACE(i);
	}
	*out = (struct stuck_wait){0};
	if (keep)
		stuck_follow(w, stuck, keep, out);
	unlock(&w->lock);
	return keep != 0;
}

static void blocked_reported(struct checks *c, const struct stuck_wait *s)
{
	struct endless_waits *w = blocked(c);

	lock(&w->lock);
	each_place(i, s->way & load_relaxed(&w->used))
	{
		w->at[i].reported = true;
	}
	unlock(&w->lock);
}

bool stream_in_known_circle(struct checks *c, struct acl_object *stream)
{
	struct endless_waits *w = blocked(c);
	bool found = false;

	if (!any_blocked(c))
		return false;
	lock(&w->lock);
	each_place(i, load_relaxed(&w->used))
	{
		const struct blocked_wait *b = &w->at[i];

		found |= b->reported && b->recorder &&
			 (b->stream == object_ref(stream) || b->recorder == object_ref(stream));
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

/* Of a circle of several waits the next one; the waiting stream has its name in the text. */
static struct finding_part part_waiter(const struct stuck_wait *s, struct acl_object *waiter)
{
	return s->before.stream ? part_history("the wait before the record", wait_history, &s->before)
				: part_object("waiting stream", waiter);
}

static void endless_object_report(struct checks *c, struct acl_call_record *call, const struct stuck_wait *s,
	struct acl_object *waiter, struct acl_object *recorder)
{
	const struct blocked_wait *b = &s->wait;
	struct acl_object *what = object_of(c, b->what);

	if (recorder)
		FINDING_BROKEN(c, call, RULE("stream-wait-cycle"),
			PARTS(part_history("the wait", wait_history, b), part_waiter(s, waiter),
				part_object("what it waits for", what), part_object("recorded on", recorder)),
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

static void endless_word_report(struct checks *c, struct acl_call_record *call, const struct stuck_wait *s,
	struct acl_object *waiter, struct acl_object *recorder)
{
	const struct blocked_wait *b = &s->wait;
	struct finding_part address = part_address("word", (const void *)(uintptr_t)b->word.address),
			    value = part_uint("value", b->word.value);

	if (recorder)
		FINDING_BROKEN(c, call, RULE("stream-wait-cycle"),
			PARTS(part_history("the wait", wait_history, b), part_waiter(s, waiter),
				part_object("written on", recorder), address, value),
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

static void endless_report(struct checks *c, struct acl_call_record *call, const struct stuck_wait *s)
{
	const struct blocked_wait *b = &s->wait;
	struct acl_object *waiter = object_of(c, b->stream),
			  *recorder = b->recorder ? object_of(c, b->recorder) : NULL;

	blocked_reported(c, s);
	if (b->what)
		endless_object_report(c, call, s, waiter, recorder);
	else
		endless_word_report(c, call, s, waiter, recorder);
}

static void awaited_check(struct checks *c, struct acl_call_record *call, const struct awaited *a)
{
	struct stuck_wait s;

	if (!waits_for_ever(call))
		return;
	rule_evaluated(call, RULE("stream-wait-cycle"));
	rule_evaluated(call, RULE("stream-wait-never-satisfied"));
	if (__builtin_expect(any_blocked(c), 0) && blocked_find(c, a, &s) && nobody_else_can_act(c))
		endless_report(c, call, &s);
}

/* A circle that is given up with a stream of it: what is dropped there could never have been done. */
static void dropped_check(struct checks *c, struct acl_call_record *call, const struct awaited *a)
{
	struct stuck_wait s;

	rule_evaluated(call, RULE("stream-wait-cycle"));
	if (blocked_find(c, a, &s) && !s.wait.reported && object_of(c, s.wait.recorder))
		endless_report(c, call, &s);
}

/* The time was over, and nothing comes that could end it later. */
static void timed_out_check(struct checks *c, struct acl_call_record *call, const struct awaited *a)
{
	if (time_was_over(call) && any_blocked(c) && nobody_else_can_act(c))
		dropped_check(c, call, a);
}

/* One of the waits that led to it is timed. */
static bool was_given_up(struct checks *c, const struct stuck_wait *s)
{
	struct endless_waits *w = blocked(c);
	bool found = false;

	lock(&w->lock);
	each_place(i, s->way & load_relaxed(&w->used))
	{
		found |= w->at[i].timed;
	}
	unlock(&w->lock);
	return found;
}

static void timed_waits_over(struct checks *c)
{
	struct endless_waits *w = blocked(c);
	uint64_t over = 0;

	store_relaxed(&w->given_up, true);
	lock(&w->lock);
	each_place(i, load_relaxed(&w->used))
	{
		if (w->at[i].timed)
			over |= PLACE(i);
	}
	blocked_over(w, over);
	unlock(&w->lock);
}

/* The stream was waited for, and the answer is that the time of a wait was over: in a circle it had to be. */
static void endless_stream_given_up(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = {
		.stream = stream_of(call), .position = call->state.observed_position, .failed = true};
	struct stuck_wait s;

	if (!a.stream || error_of(call) != ACL_ERROR_RT_WAIT_TIMEOUT)
		return;
	rule_evaluated(call, RULE("stream-wait-cycle"));
	if (any_blocked(c) && blocked_find(c, &a, &s) && object_of(c, s.wait.recorder) &&
		was_given_up(c, &s) && nobody_else_can_act(c))
		endless_report(c, call, &s);
	timed_waits_over(c);
}

static void endless_stream_enter(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = {.stream = stream_of(call), .position = UINT64_MAX};

	if (a.stream && !call->state.capture)
		awaited_check(c, call, &a);
}

static void endless_stream_timed_out(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = {.stream = stream_of(call), .position = call->state.observed_position};

	if (a.stream && !call->state.capture)
		timed_out_check(c, call, &a);
}

static void endless_event_enter(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = {.stream = call->state.observed, .position = call->state.observed_position};

	if (a.stream)
		awaited_check(c, call, &a);
}

static void endless_event_timed_out(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = {.stream = call->state.observed, .position = call->state.observed_position};

	if (a.stream)
		timed_out_check(c, call, &a);
}

static struct awaited streams_of_context(struct checks *c, const struct acl_call_record *call)
{
	bool known;

	return (struct awaited){.context = context_current(c, thread_of(call), &known)};
}

static void endless_device_enter(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = streams_of_context(c, call);

	if (a.context)
		awaited_check(c, call, &a);
}

static void endless_device_timed_out(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = streams_of_context(c, call);

	if (a.context)
		timed_out_check(c, call, &a);
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

static void endless_stream_abort_enter(struct checks *c, struct acl_call_record *call)
{
	struct awaited a = {.stream = stream_of(call), .position = UINT64_MAX};

	if (a.stream && any_blocked(c))
		dropped_check(c, call, &a);
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
	store_relaxed(&blocked(c)->used, 0);
}

static const struct check_hook hooks[] = {
	{ON_OP(WAIT_EVENT), ACL_LEAVE, blocking_wait_leave},
	{ON_OP(WAIT_NOTIFY), ACL_LEAVE, blocking_notify_leave},
	{ON_OP(WAIT_COUNT_NOTIFY), ACL_LEAVE, blocking_count_leave},
	{ON_OP(WAIT_VALUE), ACL_LEAVE, blocking_word_leave},
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_WHEN(BLOCKED), blocking_record_enter},
	{ON_OP(RECORD_NOTIFY), ACL_ENTER | ACL_WHEN(BLOCKED), blocking_notify_record_enter},
	{ON_OP(RECORD_COUNT_NOTIFY), ACL_ENTER | ACL_WHEN(BLOCKED), blocking_count_record_enter},
	{ON_OP(WRITE_VALUE), ACL_ENTER | ACL_WHEN(BLOCKED), blocking_write_enter},
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
	{ON_OP(SYNCHRONISE_STREAM), ACL_FAILED, endless_stream_timed_out},
	{ON_OP(SYNCHRONISE_STREAM), ACL_FAILED, endless_stream_given_up},
	{ON_OP(SYNCHRONISE_EVENT), ACL_FAILED, endless_event_timed_out},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_FAILED, endless_device_timed_out},
	{ON_OP(STREAM_ABORT), ACL_ENTER, endless_stream_abort_enter},
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
