/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of device memory that streams write and wait for.  A wait is order only
 * where one write can end it: the word certainly held another value before (or one
 * stream counts it up), and only these calls write it.  Every other wait is for
 * what is not seen.
 */
#include "checks/state/word_state.h"

#include "checks/engine/evidence.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"
#include "checks/state/task_range.h"
#include "checks/state/value_history.h"

#define WORDS 1024 /* by their addresses: of two with the same place the later one is known */
#define BLOCK_BITS 4096

struct word {
	struct acl_lock lock;
	_Atomic uint64_t block; /* block_ref of the memory, 0 = nothing is known */
	_Atomic uint64_t address;
	struct value_history values;
	bool taken; /* a wait went on behind the newest one: who changes the word next may not be seen */
};

struct words {
	_Atomic bool others; /* models or other processes may write words */
	_Atomic uint64_t blocks[BLOCK_BITS / 64]; /* bit n: of blocks with that number, modulo BLOCK_BITS */
	struct word word[WORDS];
};

/* Of a call: that nothing known ends the wait. */
static const char hopeless_note;

static struct words *words(struct checks *c)
{
	return module_state(c, word);
}

static uint64_t word_address(const struct acl_call_record *call)
{
	return (uintptr_t)acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
}

/* The block of words that are followed; false: of memory that others may write unseen. */
static bool words_in(
	struct checks *c, const struct acl_call_record *call, uint64_t address, struct block_lookup *at)
{
	return !load_relaxed(&words(c)->others) && lookup_find(c, call, (const void *)address, 1, at) &&
	       at->kind == MEM_DEVICE;
}

static struct word *word_lock_at(struct checks *c, uint64_t address)
{
	struct word *w = &words(c)->word[mix64(address) % WORDS];

	lock(&w->lock);
	return w;
}

/* The word that the call is about, locked; NULL: it is not followed. */
static struct word *word_lock(struct checks *c, const struct acl_call_record *call, struct block_lookup *at)
{
	return words_in(c, call, word_address(call), at) ? word_lock_at(c, word_address(call)) : NULL;
}

static bool word_is(const struct word *w, uint64_t address, const struct block_lookup *at)
{
	return load_relaxed(&w->block) == block_ref(at->block, at->generation, false) &&
	       load_relaxed(&w->address) == address;
}

/* Nothing is known of it yet. */
static void word_begin(struct word *w, uint64_t address, const struct block_lookup *at)
{
	value_begin(&w->values);
	store_relaxed(&w->block, block_ref(at->block, at->generation, false));
	store_relaxed(&w->address, address);
}

/* --- writes ------------------------------------------------------------------------------------ */

static bool words_may_be_in(struct checks *c, const struct block_lookup *at)
{
	return load_relaxed(&words(c)->blocks[at->index % BLOCK_BITS / 64]) >> at->index % 64 & 1;
}

/* Who else writes into the block is looked at from now on. */
static void block_has_words(struct checks *c, const struct block_lookup *at)
{
	if (words_may_be_in(c, at))
		return;
	atomic_fetch_or(&words(c)->blocks[at->index % BLOCK_BITS / 64], UINT64_C(1) << at->index % 64);
	checks_when(c, WHEN_WORDS_KNOWN);
}

/* Under the lock: the call's stream puts the value there. */
static void word_written(struct checks *c, const struct acl_call_record *call, struct word *w,
	uint64_t address, const struct block_lookup *at, uint64_t value)
{
	if (!word_is(w, address, at))
		word_begin(w, address, at);
	value_changed(c, call, &w->values,
		(struct value_change){.value = value, .act = VALUE_SET, .followed = words_may_be_in(c, at)});
	w->taken = false;
}

static void word_forget(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup at;
	struct word *w = word_lock(c, call, &at);

	if (!w)
		return;
	store_relaxed(&w->block, 0);
	unlock(&w->lock);
}

/* --- words that the host sets: how flags begin --------------------------------------------------- */

#define SET_AT_ONCE 512 /* bytes; more of them are memory for other things, and only known words are set */

static uint64_t word_set_to(const struct acl_call_record *call)
{
	uint64_t value = acl_arg_value(call->api, call->args, ACL_ROLE_VALUE);

	return acl_apis[call->api].operation == ACL_OP_SET_BYTES ? (uint8_t)value * 0x0101010101010101u
								 : (uint32_t)value * 0x100000001u;
}

/* Whether a write that was put on a stream before may still change it. */
static bool writes_pending(struct checks *c, const struct word *w)
{
	for (unsigned i = 0; i < VALUE_CHANGES && w->values.latest[i].position; i++) {
		struct acl_object *s = object_of(c, w->values.latest[i].stream);

		if (s && stream_pending(s, w->values.latest[i].position))
			return true;
	}
	return false;
}

static void word_set(struct checks *c, uint64_t address, const struct block_lookup *at, uint64_t value)
{
	struct word *w = word_lock_at(c, address);
	bool known = !word_is(w, address, at) || !writes_pending(c, w);

	word_begin(w, address, at);
	w->taken = false;
	if (known)
		value_is(&w->values, value, words_may_be_in(c, at));
	else
		store_relaxed(&w->block, 0);
	unlock(&w->lock);
}

/* Bytes of a block. */
struct touched {
	const struct block_lookup *at;
	uint64_t start, end;
};

/* Calls act for each word of the range of which something is known; no lock is held. */
static void known_words_each(struct checks *c, struct acl_call_record *call, const struct touched *t,
	void (*act)(struct checks *, struct acl_call_record *, const struct touched *, uint64_t))
{
	struct words *all = words(c);

	if (!words_may_be_in(c, t->at) || t->at->kind != MEM_DEVICE)
		return;
	if (t->end - t->start <= SET_AT_ONCE) {
		for (uint64_t address = t->start & ~7ull; address < t->end; address += 8)
			if (word_is(&all->word[mix64(address) % WORDS], address, t->at))
				act(c, call, t, address);
		return;
	}
	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t address = load_relaxed(&all->word[i].address);

		if (address + 8 > t->start && address < t->end && word_is(&all->word[i], address, t->at))
			act(c, call, t, address);
	}
}

static void known_word_set(
	struct checks *c, struct acl_call_record *call, const struct touched *t, uint64_t address)
{
	/* A part of it has another value. */
	if (address < t->start || address + 8 > t->end)
		return;
	word_set(c, address, t->at, word_set_to(call));
}

static void word_set_leave(struct checks *c, struct acl_call_record *call)
{
	uint64_t address = (uintptr_t)acl_arg_pointer(call->api, call->args, ACL_ROLE_DST), end;
	const struct operation *op = operation_of(c, call);
	struct block_lookup at;

	if (!op->n_entries || !succeeded(call) || !words_in(c, call, address, &at))
		return;
	end = address + operation_entry(op, 0).dst->span;
	if (end > at.base + at.size)
		return;
	if (end - address > SET_AT_ONCE) {
		known_words_each(c, call, &(struct touched){&at, address, end}, known_word_set);
		return;
	}
	/* So small a block is for words. */
	if (at.size <= SET_AT_ONCE)
		block_has_words(c, &at);
	for (address = (address + 7) & ~7ull; address + 8 <= end; address += 8)
		word_set(c, address, &at, word_set_to(call));
}

/* --- sets on a stream, and what else is put where words are ---------------------------------------- */

/* All of the word is in the range. */
static bool word_is_set(const struct acl_call_record *call, const struct touched *t, uint64_t address)
{
	return acl_apis[call->api].operation_group == ACL_OP_GROUP_SET && address >= t->start &&
	       address + 8 <= t->end;
}

static void known_word_overwritten(
	struct checks *c, struct acl_call_record *call, const struct touched *t, uint64_t address)
{
	struct word *w;

	if (stream_of(call) && call->state.position && !task_runs_now(c, call)) {
		store_relaxed(&words(c)->others, true);
		return;
	}
	w = word_lock_at(c, address);
	if (word_is(w, address, t->at) && word_is_set(call, t, address) && call->state.position)
		word_written(c, call, w, address, t->at, word_set_to(call));
	else if (word_is(w, address, t->at))
		store_relaxed(&w->block, 0);
	unlock(&w->lock);
}

static void ranges_overwritten(struct checks *c, struct acl_call_record *call)
{
	struct task_range r[TASK_RANGES];
	unsigned n = task_ranges(c, call, r);
	struct block_lookup at;

	for (unsigned i = 0; i < n; i++) {
		uint64_t start = (uintptr_t)r[i].at;

		if (r[i].flags != ACCESS_READS && map_find(memory_blocks(c), start, &at))
			known_words_each(c, call, &(struct touched){&at, start, start + r[i].bytes},
				known_word_overwritten);
	}
}

static __attribute__((noinline)) void words_overwritten(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	if (task_ranges_possible(call->api))
		ranges_overwritten(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		const struct op_access *dst = operation_entry(op, i).dst;
		uint64_t start = dst ? (uintptr_t)dst->address : 0;

		if (dst && dst->block.block && dst->span <= access_room(dst))
			known_words_each(c, call, &(struct touched){&dst->block, start, start + dst->span},
				known_word_overwritten);
	}
}

/* Nearly every copy: in its block are no words. Saves no registers. */
static void words_overwritten_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = thread_of(call)->operation;

	if (!call->plain || op->batch || words_may_be_in(c, &op->first[1].block))
		words_overwritten(c, call);
}

static void known_word_forget(
	struct checks *c, struct acl_call_record *call, const struct touched *t, uint64_t address)
{
	struct word *w = word_lock_at(c, address);

	(void)call;
	if (word_is(w, address, t->at))
		store_relaxed(&w->block, 0);
	unlock(&w->lock);
}

/* In enter: whom the write wakes may submit the next wait before this call is back. */
static void word_write_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t address = word_address(call);
	bool known = stream_of(call) && call->state.position;
	struct block_lookup at;
	struct word *w;

	if (known && !task_runs_now(c, call)) {
		store_relaxed(&words(c)->others, true);
		return;
	}
	if (!words_in(c, call, address, &at))
		return;
	block_has_words(c, &at);
	/* Of a stream that is not known it is not known when; between two words it is a part of both. */
	if (!known || address & 7)
		known_words_each(c, call, &(struct touched){&at, address, address + 8}, known_word_forget);
	if (!known)
		return;
	w = word_lock_at(c, address);
	word_written(c, call, w, address, &at, acl_arg_value(call->api, call->args, ACL_ROLE_VALUE));
	unlock(&w->lock);
}

/* Nothing was put on the stream. */
static void words_set_failed(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	const struct op_access *dst = op->n_entries ? operation_entry(op, 0).dst : NULL;

	if (dst && dst->block.block)
		known_words_each(c, call,
			&(struct touched){
				&dst->block, (uintptr_t)dst->address, (uintptr_t)dst->address + dst->span},
			known_word_forget);
}

static void word_others_write(struct checks *c, struct acl_call_record *call)
{
	(void)call;
	store_relaxed(&words(c)->others, true);
}

/* --- waits --------------------------------------------------------------------------------------- */

static struct value_test word_test(uint64_t value, uint64_t flags)
{
	switch (flags) {
	case ACL_STREAM_WAIT_VALUE_GEQ:
		return (struct value_test){VALUE_AT_LEAST_AROUND, value};
	case ACL_STREAM_WAIT_VALUE_EQ:
		return (struct value_test){VALUE_EQUAL, value};
	case ACL_STREAM_WAIT_VALUE_AND:
		return (struct value_test){VALUE_ANY_BIT, value};
	case ACL_STREAM_WAIT_VALUE_NOR:
		return (struct value_test){VALUE_ANY_BIT_CLEAR, value};
	}
	return (struct value_test){VALUE_WHATEVER, value};
}

bool word_ends_wait(uint64_t word, uint64_t value, uint64_t flags)
{
	const struct value_test t = word_test(value, flags);

	return value_passes(&t, word);
}

/* Both end the wait; of a counter that one stream counts up it is the earlier one that does. */
static bool counts_on(
	const struct value_test *t, const struct value_change *earlier, const struct value_change *later)
{
	return t->is == VALUE_AT_LEAST_AROUND && earlier->stream && earlier->stream == later->stream &&
	       earlier->value < later->value;
}

/*
 * Only the newest write, or of a counter the first that is enough, and only behind another value: what was
 * waited for before may have been taken back unseen.
 */
static bool end_is_sure(const struct word *w, const struct value_end *end, const struct value_test *t)
{
	const struct value_change *latest = w->values.latest;
	unsigned n = 0; /* writes, the newest ones, that are enough */

	while (n < VALUE_CHANGES && latest[n].position && value_passes(t, latest[n].value)) {
		if (n && !counts_on(t, &latest[n], &latest[n - 1]))
			return false;
		n++;
	}
	return n < VALUE_CHANGES && latest[n].position && end->by & ((1u << n) - 1);
}

static void word_wait_enter(struct checks *c, struct acl_call_record *call)
{
	const struct value_test t = word_test(acl_arg_value(call->api, call->args, ACL_ROLE_VALUE),
		acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS));
	struct acl_object *s = stream_of(call);
	struct value_end end = {0};
	struct block_lookup at;
	struct word *w;

	if (!s || !call->state.position || !task_runs_now(c, call))
		return;
	w = word_lock(c, call, &at);
	if (!w)
		return;
	if (word_is(w, word_address(call), &at) && !w->taken)
		end = value_end(c, &w->values, s, &t);
	if (end_is_sure(w, &end, &t)) {
		value_wait_begins(call, &w->values, &end);
		w->taken = true;
	} else {
		if (end.base && !end.ends && end.base->followed)
			call_note_set(call, &hopeless_note, true);
		/* Behind it the word may be changed by whom it was waited for. */
		store_relaxed(&w->block, 0);
	}
	unlock(&w->lock);
}

static void word_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup at;
	struct word *w;
	bool known;

	if (!stream_of(call) || !call->state.position || !succeeded(call) || call->state.capture)
		return;
	w = value_wait_known(call) ? word_lock(c, call, &at) : NULL;
	known = value_wait_ordered(c, call, w && word_is(w, word_address(call), &at) ? &w->values : NULL);
	if (w)
		unlock(&w->lock);
	if (known)
		return;
	evidence_ends(c, CHECKS_END_VALUE_WAIT);
	stream_waits_unseen(c, stream_of(call), call->state.position, false);
}

bool word_wait_is_hopeless(struct acl_call_record *call)
{
	return call_note(call, &hopeless_note);
}

bool words_have_other_writers(struct checks *c)
{
	return load_relaxed(&words(c)->others);
}

static const struct check_hook hooks[] = {
	{ON_OP(WRITE_VALUE), ACL_ENTER, word_write_enter},
	{ON_OP(WRITE_VALUE), ACL_FAILED, word_forget},
	{ON_OP(WAIT_VALUE), ACL_ENTER, word_wait_enter},
	{ON_OP(WAIT_VALUE), ACL_LEAVE, word_wait_leave},
	{ON_OP(SET_BYTES), ACL_LEAVE | ACL_IF_NOT_ASYNC, word_set_leave},
	{ON_OP(SET_WORDS), ACL_LEAVE | ACL_IF_NOT_ASYNC, word_set_leave},
	{ON_GROUP(SET), ACL_ENTER | ACL_IF_ASYNC | ACL_WHEN(WORDS_KNOWN), words_overwritten_enter},
	{ON_GROUP(SET), ACL_FAILED | ACL_IF_ASYNC, words_set_failed},
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(WORDS_KNOWN), words_overwritten_enter},
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_WHEN(WORDS_KNOWN), words_overwritten_enter},
	{ON_OP(TASK_SET_PARAMETERS), ACL_ENTER, word_others_write},
	{ON_OP(RANDOM), ACL_ENTER | ACL_WHEN(WORDS_KNOWN), words_overwritten_enter},
	{ON_OP(OVERFLOW_READ), ACL_ENTER | ACL_WHEN(WORDS_KNOWN), words_overwritten_enter},
	{ON_OP(EXPORT_MEMORY), ACL_ENTER, word_others_write},
	{ON_OP(MAP_PEER), ACL_ENTER, word_others_write},
};

const struct check_module module_word = {
	.order = 39, /* the stream has its position */
	.state_size = sizeof(struct words),
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
