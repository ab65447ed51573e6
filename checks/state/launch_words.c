/* SPDX-License-Identifier: Apache-2.0 */
/* The latest launches, with the words that may be addresses among their arguments. */
#include "checks/state/launch_words.h"
#include "checks/engine/program_memory.h"
#include "checks/state/capture_change.h"
#include "checks/state/declared_kernel.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

#define LAUNCHES 64

struct launch {
	_Atomic uint32_t seq; /* odd: it is being written; 0: never was */
	_Atomic uint32_t n;
	_Atomic uint64_t stream, position;
	_Atomic uint64_t serial; /* no memory that was there at the launch has a later one */
	struct call_site_slot where;
	_Atomic uint64_t words[LAUNCH_WORDS];
};

struct launch_words {
	_Atomic uint32_t n;
	struct launch launches[LAUNCHES];
};

static struct launch_words *launches(struct checks *c)
{
	return module_state(c, launch_words);
}

/* NULL: another thread still writes it, so many launches ago. */
static struct launch *place_take(struct checks *c)
{
	struct launch_words *w = launches(c);
	struct launch *l = &w->launches[counter_inc(&w->n) % LAUNCHES];
	uint32_t seq = load_relaxed(&l->seq);

	return !(seq & 1) && atomic_compare_exchange_strong(&l->seq, &seq, seq + 1) ? l : NULL;
}

/* Device memory has high addresses: small numbers are none. */
static bool may_be_address(uint64_t word)
{
	return word >> 32 && word + 1 > 1;
}

/* They are used whenever the model is executed. */
static void model_given(
	struct checks *c, const struct acl_call_record *call, const uint64_t *words, unsigned n)
{
	struct acl_object *model = object_of(c, call->state.capture);

	for (unsigned i = 0; model && i < n && i < LAUNCH_WORDS; i++)
		if (may_be_address(words[i]))
			model_given_address(c, model, words[i], call);
}

static void stream_given(
	struct checks *c, const struct acl_call_record *call, const uint64_t *words, unsigned n)
{
	struct launch *l = place_take(c);
	uint32_t kept = 0;

	if (!l)
		return;
	/* Each a release: who reads one of these words sees that the launch is being written. */
	for (unsigned i = 0; i < n && i < LAUNCH_WORDS; i++)
		if (may_be_address(words[i]))
			store_release(&l->words[kept++], words[i]);
	store_release(&l->n, kept);
	store_release(&l->stream, object_ref(stream_of(call)));
	store_release(&l->position, call->state.position);
	store_release(&l->serial, load_relaxed(&c->serials));
	store_release(&l->where.where, call_site_where(call));
	store_release(&l->where.tid, call->tid);
	store_release(&l->where.stack, call->stack);
	store_release(&l->seq, load_relaxed(&l->seq) + 1);
}

void launch_words_add(struct checks *c, struct acl_call_record *call, const uint64_t *words, unsigned n)
{
	if (!succeeded(call))
		return;
	if (checks_happened(c, WHEN_WORDS))
		words_given(c, words, n);
	/* Of a declared one it is known better. */
	if (kernel_accesses(call))
		return;
	if (call->state.capture)
		model_given(c, call, words, n);
	else if (task_runs_now(c, call))
		stream_given(c, call, words, n);
}

/* The first word that lies in the block; 0: none. */
static uint64_t word_inside(struct launch *l, uint64_t base, uint64_t size)
{
	uint32_t n = load_acquire(&l->n);

	for (uint32_t i = 0; i < n && i < LAUNCH_WORDS; i++) {
		uint64_t word = load_acquire(&l->words[i]);

		if (word - base < size)
			return word;
	}
	return 0;
}

static void where_read(struct acl_call_site *to, struct call_site_slot *from)
{
	uint64_t where = load_acquire(&from->where);

	*to = (struct acl_call_site){.caller = where >> CALL_SITE_API_BITS,
		.stack = load_acquire(&from->stack),
		.tid = load_acquire(&from->tid),
		.api = (uint16_t)where};
}

/* false: it was given none, or is being written; then it is a new one. */
static bool launch_has(
	struct checks *c, struct launch *l, const struct acl_block *block, struct launch_given *out)
{
	struct acl_block *b = (struct acl_block *)block;
	uint32_t seq = load_acquire(&l->seq);
	uint64_t position = load_acquire(&l->position);

	if (!seq || seq & 1 || load_relaxed(&b->serial) > load_acquire(&l->serial))
		return false;
	out->stream = object_of(c, load_acquire(&l->stream));
	out->end = load_relaxed(&b->base) + load_relaxed(&b->size);
	out->address = word_inside(l, load_relaxed(&b->base), load_relaxed(&b->size));
	where_read(&out->where, &l->where);
	/* Relaxed: whatever was read above was an acquire. */
	if (!out->address || load_relaxed(&l->seq) != seq)
		return false;
	if (out->stream && !task_surely_pending(c, out->stream, position))
		out->stream = NULL;
	return true;
}

static bool launch_reaches_host(struct checks *c, struct launch *l)
{
	uint32_t n = load_acquire(&l->n);
	struct block_lookup place;

	for (uint32_t i = 0; i < n && i < LAUNCH_WORDS; i++)
		if (memory_find(c, load_acquire(&l->words[i]), &place) && kind_is_host(place.kind))
			return true;
	return false;
}

bool launches_reach_host(struct checks *c)
{
	for (unsigned i = 0; i < LAUNCHES; i++)
		if (launch_reaches_host(c, &launches(c)->launches[i]))
			return true;
	return false;
}

bool launch_was_given(struct checks *c, const struct acl_block *block, struct launch_given *out)
{
	struct launch_words *w = launches(c);
	struct launch_given there;
	uint32_t n = load_relaxed(&w->n);
	bool found = false;

	for (uint32_t i = 0; i < LAUNCHES && i < n; i++) {
		if (!launch_has(c, &w->launches[(n - 1 - i) % LAUNCHES], block, &there))
			continue;
		*out = there;
		found = true;
		if (there.stream)
			break;
	}
	return found;
}

unsigned launch_words_read(struct checks *c, const void *at, uint64_t bytes, uint64_t words[LAUNCH_WORDS])
{
	const uint64_t most = LAUNCH_WORDS * sizeof(*words);

	bytes = (bytes < most ? bytes : most) & ~(uint64_t)7;
	return at && bytes && program_trusted(c, at, words, bytes) ? (unsigned)(bytes / sizeof(*words)) : 0;
}

/* Host arguments that lie on a device are another rule's: nothing reads them here. */
static void words_launch_leave(struct checks *c, struct acl_call_record *call)
{
	const void *at = acl_arg_pointer(call->api, call->args, ACL_ROLE_HOST_ARGUMENTS);
	uint64_t bytes = acl_arg_value(call->api, call->args, ACL_ROLE_ARGUMENT_BYTES), words[LAUNCH_WORDS];
	struct block_lookup place;

	if (succeeded(call) && at && !(lookup_find(c, call, at, 0, &place) && !kind_is_host(place.kind)))
		launch_words_add(c, call, words, launch_words_read(c, at, bytes, words));
}

static const struct check_hook hooks[] = {
	{ON_OP_WITH(LAUNCH_KERNEL, HOST_ARGUMENTS), ACL_LEAVE, words_launch_leave},
};

const struct check_module module_launch_words = {
	.order = 45, /* its end before that of what is declared of the kernel */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct launch_words),
};
