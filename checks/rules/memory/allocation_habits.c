/* SPDX-License-Identifier: Apache-2.0 */
/* Habits of allocating: again and again what could be kept, more page-locked memory than is good. */
#include "checks/engine/finding_report.h"

#define SITES 256
#define PAIRS 64 /* in a row */
#define SHORT_LIFE 32 /* calls of the thread between allocation and release */
#define GAP 64 /* calls between one pair and the next */
#define SECOND UINT64_C(1000000000)

/* The allocations of one call site on one thread; a rough count, written by that thread. */
struct churn {
	_Atomic uint64_t key, base, size, since; /* since: calls of the thread when base was allocated */
	_Atomic uint64_t last, began; /* calls at the last pair; time of the first one */
	_Atomic uint32_t pairs;
};

struct allocation_state {
	struct churn site[SITES];
	_Atomic uint64_t total; /* bytes of the machine, 0 = not asked or unknown */
	_Atomic uint64_t counted, added; /* page-locked bytes when they were counted; allocated since */
	_Atomic bool said;
};

static struct allocation_state *allocations(struct checks *c)
{
	return module_state(c, allocation);
}

/* --- alloc-churn -------------------------------------------------------------------- */

static struct churn *site_of(struct checks *c, uint64_t caller, uint32_t tid, uint64_t *key)
{
	*key = mix64(caller ^ (uint64_t)tid << 40) | 1;
	return &allocations(c)->site[(*key >> 20) % SITES];
}

static void allocated(struct checks *c, struct acl_call_record *call)
{
	/* All begin with the variable and the size. */
	const struct acl_args_aclrtMalloc *a = call->args;
	struct churn *s;
	uint64_t key;

	s = site_of(c, call->caller, call->tid, &key);
	if (!succeeded(call) || !a->devPtr) {
		/* What comes now frees to make room. */
		store_relaxed(&s->pairs, 0);
		return;
	}
	if (load_relaxed(&s->key) != key || load_relaxed(&s->size) > 2 * a->size ||
		a->size > 2 * load_relaxed(&s->size) || calls_so_far(call) - load_relaxed(&s->last) > GAP)
		store_relaxed(&s->pairs, 0);
	store_relaxed(&s->key, key);
	store_relaxed(&s->base, (uintptr_t)*a->devPtr);
	store_relaxed(&s->size, a->size);
	store_relaxed(&s->since, calls_so_far(call));
	store_relaxed(&s->last, calls_so_far(call));
}

static void say_churn(struct checks *c, struct acl_call_record *call, const struct block_lookup *place)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	char size[24];

	grade.site = load_relaxed(&place->block->created.caller);
	f = finding_begin_as(c, call, RULE("alloc-churn"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "%u times in a row %s were allocated by %s and released a few calls later.", PAIRS,
		human_bytes(place->size, size), acl_apis[load_relaxed(&place->block->created.api)].name);
	finding_uint(f, "pairs", PAIRS);
	finding_bytes(f, "size", place->size);
	finding_block(c, f, "memory", place->block);
	finding_show(c, f);
}

/* The latest allocation of the site goes; true for the last of many such pairs in a row. */
static bool pair_completed(const struct acl_call_record *call, struct churn *s, uint64_t base)
{
	uint64_t calls = calls_so_far(call);

	if (load_relaxed(&s->base) != base || calls - load_relaxed(&s->since) > SHORT_LIFE)
		return false;
	store_relaxed(&s->last, calls);
	if (!load_relaxed(&s->pairs))
		store_relaxed(&s->began, call->time);
	store_relaxed(&s->pairs, load_relaxed(&s->pairs) + 1);
	/* Where somebody takes the time the pairs must come quickly as well. */
	if (load_relaxed(&s->pairs) == PAIRS && call->time && call->time - load_relaxed(&s->began) > SECOND)
		store_relaxed(&s->pairs, 0);
	return load_relaxed(&s->pairs) == PAIRS;
}

static void freeing(struct checks *c, struct acl_call_record *call)
{
	const void *address = ACL_ARGS(call, aclrtFree)->devPtr;
	uint64_t key;
	struct block_lookup place;
	struct churn *s;

	if (!address || !map_find(c->memory, (uintptr_t)address, &place) ||
		place.base != (uintptr_t)address || load_relaxed(&place.block->created.tid) != call->tid)
		return;
	s = site_of(c, load_relaxed(&place.block->created.caller), call->tid, &key);
	if (rule_broken(call, RULE("alloc-churn"),
		    load_relaxed(&s->key) == key && pair_completed(call, s, place.base)))
		say_churn(c, call, &place);
}

/* --- host-pinned-excess ---------------------------------------------------------------- */

static uint64_t count_pinned(struct checks *c)
{
	uint64_t bytes = 0;
	struct acl_block *b;

	map_each(c->memory, b) if (load_relaxed(&b->kind) == MEM_HOST) bytes += load_relaxed(&b->size);
	map_each(c->registered, b) bytes += load_relaxed(&b->size);
	return bytes;
}

static void say_pinned(struct checks *c, struct acl_call_record *call, uint64_t pinned, uint64_t total)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, call, RULE("host-pinned-excess"), &room);

	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "%llu MiB of the machine's %llu MiB are page-locked by this process now.",
		(unsigned long long)(pinned >> 20), (unsigned long long)(total >> 20));
	finding_bytes(f, "page-locked", pinned);
	finding_bytes(f, "memory of the machine", total);
	finding_show(c, f);
}

/* Counts what is left only when the sum of all that was ever added would be too much. */
static void pinned(struct checks *c, struct acl_call_record *call, uint64_t size)
{
	struct allocation_state *s = allocations(c);
	uint64_t total = load_relaxed(&s->total), now;

	if (!succeeded(call) || load_relaxed(&s->said))
		return;
	if (!total && c->host.memory_total) {
		total = c->host.memory_total(c->host.context);
		store_relaxed(&s->total, total);
	}
	if (!total)
		return;
	rule_evaluated(call, RULE("host-pinned-excess"));
	atomic_fetch_add(&s->added, size);
	if (load_relaxed(&s->counted) + load_relaxed(&s->added) <= total / 2)
		return;
	/* The block of this very call is not in the map yet. */
	now = count_pinned(c) + size;
	store_relaxed(&s->counted, now);
	store_relaxed(&s->added, 0);
	if (now <= total / 2)
		return;
	store_relaxed(&s->said, true);
	say_pinned(c, call, now, total);
}

static void pinned_allocated(struct checks *c, struct acl_call_record *call)
{
	allocated(c, call);
	pinned(c, call, ACL_ARGS(call, aclrtMallocHost)->size);
}

static void pinned_registered(struct checks *c, struct acl_call_record *call)
{
	if (ACL_ARGS(call, aclrtHostRegisterV2)->flag & ACL_HOST_REG_PINNED)
		pinned(c, call, ACL_ARGS(call, aclrtHostRegisterV2)->size);
}

static const struct check_hook hooks[] = {
	{ACL_API_aclrtMalloc, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocAlign32, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocCached, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocWithCfg, ACL_LEAVE, allocated},
	{ON_OP(ALLOCATE_HOST), ACL_LEAVE, pinned_allocated},
	{ON_OP_WITH(REGISTER_HOST, FLAGS), ACL_LEAVE, pinned_registered},
	{ON_OP(FREE_DEVICE), ACL_ENTER, freeing},
	{ACL_API_aclrtFreeHost, ACL_ENTER, freeing},
};

const struct check_module module_allocation = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct allocation_state),
};
