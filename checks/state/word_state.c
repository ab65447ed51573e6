/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of device memory that streams write and wait for.  A wait is order only
 * where one write can end it: the word certainly held another value before, and
 * nobody but these calls writes it.  Every other wait is for what is not seen.
 */
#include "checks/engine/evidence.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

#define WORDS 1024 /* by their addresses: of two with the same place the later one is known */
#define WRITES 3 /* of a word that are remembered */

struct written {
	acl_ref stream; /* 0: the host has set it */
	uint64_t position; /* 0 = none */
	uint64_t value;
	bool settled; /* all writes before it come before it on the device as well */
};

struct word {
	struct acl_lock lock;
	uint64_t block; /* block_ref of the memory, 0 = nothing is known */
	uint64_t address;
	struct written latest[WRITES]; /* newest first */
	bool taken; /* a wait went on behind the newest one: who changes the word next may not be seen */
};

struct words {
	_Atomic bool others; /* models or other processes may write words */
	struct word word[WORDS];
};

/* Of a call: acl_ref of the stream of the write that ends the wait, and its position. */
static const char awaited_stream_note, awaited_position_note;

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
	return w->block == block_ref(at->block, at->generation, false) && w->address == address;
}

/* Nothing is known of it yet. */
static void word_begin(struct word *w, uint64_t address, const struct block_lookup *at)
{
	memset(w->latest, 0, sizeof(w->latest));
	w->block = block_ref(at->block, at->generation, false);
	w->address = address;
}

/* A write that is done, whose stream is gone or that the stream's next task comes behind. */
static bool write_is_before(struct checks *c, const struct written *w, struct acl_object *stream)
{
	struct acl_object *source = object_of(c, w->stream);

	return !source || order_is_before(source, w->position, stream);
}

/* --- writes ------------------------------------------------------------------------------------ */

static bool write_settles(struct checks *c, const struct word *w, struct acl_object *s)
{
	const struct written *last = &w->latest[0], *before = &w->latest[1];

	if (!last->position)
		return true;
	if (!write_is_before(c, last, s))
		return false;
	return last->settled || (before->position && before->settled && write_is_before(c, before, s));
}

/* In enter: whom the write wakes may submit the next wait before this call is back. */
static void word_write_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	struct block_lookup at;
	struct written now;
	struct word *w;

	if (!s || !call->state.position)
		return;
	if (!task_runs_now(c, call)) {
		store_relaxed(&words(c)->others, true);
		return;
	}
	w = word_lock(c, call, &at);
	if (!w)
		return;
	if (!word_is(w, word_address(call), &at))
		word_begin(w, word_address(call), &at);
	now = (struct written){object_ref(s), call->state.position,
		acl_arg_value(call->api, call->args, ACL_ROLE_VALUE), write_settles(c, w, s)};
	memmove(w->latest + 1, w->latest, sizeof(w->latest) - sizeof(w->latest[0]));
	w->latest[0] = now;
	w->taken = false;
	unlock(&w->lock);
}

static void word_forget(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup at;
	struct word *w = word_lock(c, call, &at);

	if (!w)
		return;
	w->block = 0;
	unlock(&w->lock);
}

/* --- words that the host sets: how flags begin --------------------------------------------------- */

#define SET_AT_ONCE 64 /* words; more of them are memory for other things */

static uint64_t word_set_to(const struct acl_call_record *call)
{
	uint64_t value = acl_arg_value(call->api, call->args, ACL_ROLE_VALUE);

	return acl_apis[call->api].operation == ACL_OP_SET_BYTES ? (uint8_t)value * 0x0101010101010101u
								 : (uint32_t)value * 0x100000001u;
}

/* Whether a write that was put on a stream before may still change it. */
static bool writes_pending(struct checks *c, const struct word *w)
{
	for (unsigned i = 0; i < WRITES && w->latest[i].position; i++) {
		struct acl_object *s = object_of(c, w->latest[i].stream);

		if (s && stream_pending(s, w->latest[i].position))
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
		w->latest[0] = (struct written){.position = 1, .value = value, .settled = true};
	else
		w->block = 0;
	unlock(&w->lock);
}

static void word_set_leave(struct checks *c, struct acl_call_record *call)
{
	uint64_t address = (uintptr_t)acl_arg_pointer(call->api, call->args, ACL_ROLE_DST), end;
	const struct operation *op = operation_of(c, call);
	struct block_lookup at;

	if (!op->n_entries || operation_entry(op, 0).dst->span > SET_AT_ONCE * sizeof(uint64_t) ||
		!succeeded(call) || !words_in(c, call, address, &at))
		return;
	end = address + operation_entry(op, 0).dst->span;
	for (address = (address + 7) & ~7ull; address + 8 <= end && end <= at.base + at.size; address += 8)
		word_set(c, address, &at, word_set_to(call));
}

static void word_others_write(struct checks *c, struct acl_call_record *call)
{
	(void)call;
	store_relaxed(&words(c)->others, true);
}

/* --- waits --------------------------------------------------------------------------------------- */

static bool ends_wait(const struct acl_call_record *call, uint64_t word)
{
	uint64_t value = acl_arg_value(call->api, call->args, ACL_ROLE_VALUE);

	switch (acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS)) {
	case ACL_STREAM_WAIT_VALUE_GEQ:
		return (int64_t)(word - value) >= 0;
	case ACL_STREAM_WAIT_VALUE_EQ:
		return word == value;
	case ACL_STREAM_WAIT_VALUE_AND:
		return word & value;
	case ACL_STREAM_WAIT_VALUE_NOR:
		return ~(word | value);
	}
	return true;
}

/*
 * Only the newest write ends it: the ones before do not, back to one that comes before the wait and behind
 * all others.
 */
static bool is_the_only_end(
	struct checks *c, const struct acl_call_record *call, const struct word *w, struct acl_object *s)
{
	if (!w->latest[0].position || w->taken || !ends_wait(call, w->latest[0].value))
		return false;
	for (unsigned i = 1; i < WRITES && w->latest[i].position; i++) {
		if (ends_wait(call, w->latest[i].value))
			return false;
		if (w->latest[i].settled && write_is_before(c, &w->latest[i], s))
			return true;
	}
	return false;
}

static void word_wait_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	struct block_lookup at;
	struct word *w;

	if (!s || !call->state.position || !task_runs_now(c, call))
		return;
	w = word_lock(c, call, &at);
	if (!w)
		return;
	if (word_is(w, word_address(call), &at) && is_the_only_end(c, call, w, s)) {
		call_note_set(call, &awaited_stream_note, w->latest[0].stream);
		call_note_set(call, &awaited_position_note, w->latest[0].position);
		w->taken = true;
	} else {
		/* Behind it the word may be changed by whom it was waited for. */
		w->block = 0;
	}
	unlock(&w->lock);
}

static void word_wait_leave(struct checks *c, struct acl_call_record *call)
{
	acl_ref ref = call_note(call, &awaited_stream_note);
	struct acl_object *source = ref ? object_of(c, ref) : NULL;

	if (!stream_of(call) || !call->state.position || !succeeded(call) || call->state.capture)
		return;
	if (!source)
		evidence_ends(c, CHECKS_END_VALUE_WAIT);
	stream_waits_for(
		c, stream_of(call), call->state.position, source, call_note(call, &awaited_position_note));
}

static const struct check_hook hooks[] = {
	{ON_OP(WRITE_VALUE), ACL_ENTER, word_write_enter},
	{ON_OP(WRITE_VALUE), ACL_FAILED, word_forget},
	{ON_OP(WAIT_VALUE), ACL_ENTER, word_wait_enter},
	{ON_OP(WAIT_VALUE), ACL_LEAVE, word_wait_leave},
	{ON_OP(SET_BYTES), ACL_LEAVE | ACL_IF_NOT_ASYNC, word_set_leave},
	{ON_OP(SET_WORDS), ACL_LEAVE | ACL_IF_NOT_ASYNC, word_set_leave},
	{ON_OP(TASK_SET_PARAMETERS), ACL_ENTER, word_others_write},
	{ON_OP(EXPORT_MEMORY), ACL_ENTER, word_others_write},
};

const struct check_module module_word = {
	.order = 39, /* the stream has its position */
	.state_size = sizeof(struct words),
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
