/* SPDX-License-Identifier: Apache-2.0 */
/* Habits of allocating: again and again what could be kept, more page-locked memory than is good. */

#include "checks/engine/finding_statement.h"
#include "checks/state/memory_state.h"

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
	_Atomic uint64_t total; /* bytes of the machine, 0 = unknown */
	_Atomic uint64_t counted, added; /* page-locked bytes when they were counted; allocated since */
	_Atomic bool said;
};

static struct allocation_state *allocations(struct checks *c)
{
	return module_state(c, allocation);
}

/* --- alloc-churn -------------------------------------------------------------------- */

static struct churn *habit_site(struct checks *c, uint64_t caller, uint32_t tid, uint64_t *key)
{
	*key = mix64(caller ^ (uint64_t)tid << 40) | 1;
	return &allocations(c)->site[(*key >> 20) % SITES];
}

static void habit_allocate_leave(struct checks *c, struct acl_call_record *call)
{
	/* All begin with the variable and the size. */
	const struct acl_args_aclrtMalloc *a = call->args;
	struct churn *s;
	uint64_t key;

	s = habit_site(c, call->caller, call->tid, &key);
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
	/* Where the process takes the time the pairs must come quickly as well. */
	if (load_relaxed(&s->pairs) == PAIRS && call->time && call->time - load_relaxed(&s->began) > SECOND)
		store_relaxed(&s->pairs, 0);
	return load_relaxed(&s->pairs) == PAIRS;
}

static void habit_free_enter(struct checks *c, struct acl_call_record *call)
{
	const void *address = ACL_ARGS(call, aclrtFree)->devPtr;
	struct block_lookup place;
	struct churn *s;
	uint64_t key;
	char size[24];

	if (!address || !map_find(memory_blocks(c), (uintptr_t)address, &place) ||
		place.base != (uintptr_t)address || load_relaxed(&place.block->created.tid) != call->tid)
		return;
	s = habit_site(c, call_site_caller(&place.block->created), call->tid, &key);
	FINDING(c, call, "alloc-churn", load_relaxed(&s->key) == key && pair_completed(call, s, place.base),
		PARTS(part_site(call_site_caller(&place.block->created)), part_uint("pairs", PAIRS),
			part_bytes("size", place.size), part_block("memory", place.block)),
		"%u times in a row %s were allocated by %s and released a few calls later.", PAIRS,
		human_bytes(place.size, size), acl_apis[call_site_api(&place.block->created)].name);
}

/* --- host-pinned-excess ---------------------------------------------------------------- */

static uint64_t count_pinned(struct checks *c)
{
	uint64_t bytes = 0;
	struct acl_block *b;

	map_each(memory_blocks(c), b) if (load_relaxed(&b->kind) == MEM_HOST) bytes += load_relaxed(&b->size);
	/* What is only mapped was page-locked before, or need not be. */
	map_each(registered_ranges(c), b) if (load_relaxed(&b->marks) & BLOCK_PINNED) bytes +=
		load_relaxed(&b->size);
	return bytes;
}

/* Of all that was ever added: is more left than half of the machine's memory?  Counted only when it may be.
 */
static bool too_much_pinned(struct checks *c, struct allocation_state *s, uint64_t size, uint64_t total)
{
	atomic_fetch_add(&s->added, size);
	if (load_relaxed(&s->counted) + load_relaxed(&s->added) <= total / 2)
		return false;
	/* The block of this very call is not in the map yet. */
	store_relaxed(&s->counted, count_pinned(c) + size);
	store_relaxed(&s->added, 0);
	return load_relaxed(&s->counted) > total / 2;
}

static void pinned(struct checks *c, struct acl_call_record *call, uint64_t size)
{
	struct allocation_state *s = allocations(c);
	uint64_t total = load_relaxed(&s->total);

	if (!succeeded(call) || load_relaxed(&s->said))
		return;
	if (!total && c->host.memory_total) {
		total = c->host.memory_total(c->host.context);
		store_relaxed(&s->total, total);
	}
	if (total && FINDING(c, call, "host-pinned-excess", too_much_pinned(c, s, size, total),
			     PARTS(part_bytes("page-locked", load_relaxed(&s->counted)),
				     part_bytes("memory of the machine", total)),
			     "%llu MiB of the machine's %llu MiB are page-locked by this process now.",
			     (unsigned long long)(load_relaxed(&s->counted) >> 20),
			     (unsigned long long)(total >> 20)))
		store_relaxed(&s->said, true);
}

static void pinned_allocated(struct checks *c, struct acl_call_record *call)
{
	habit_allocate_leave(c, call);
	pinned(c, call, ACL_ARGS(call, aclrtMallocHost)->size);
}

static void pinned_registered(struct checks *c, struct acl_call_record *call)
{
	if (ACL_ARGS(call, aclrtHostRegisterV2)->flag & ACL_HOST_REG_PINNED)
		pinned(c, call, ACL_ARGS(call, aclrtHostRegisterV2)->size);
}

/* Both 0: the device has no memory of that kind, and the call succeeds all the same. */
static void memory_told(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetMemInfo *a = call->args;

	if (succeeded(call) && a->free && a->total)
		FINDING(c, call, "meminfo-attr-invalid", !*a->free && !*a->total,
			PARTS(part_enum("attr", "aclrtMemAttr", a->attr)),
			"Both answers are 0: the device has no such memory.");
}

static const struct check_hook hooks[] = {
	{ON_OP(ALLOCATE_DEVICE), ACL_LEAVE, habit_allocate_leave},
	{ON_OP(ALLOCATE_HOST), ACL_LEAVE, pinned_allocated},
	{ON_OP(INFO_MEMORY), ACL_LEAVE, memory_told},
	{ON_OP_WITH(REGISTER_HOST, FLAGS), ACL_LEAVE, pinned_registered},
	{ON_OP(FREE_DEVICE), ACL_ENTER, habit_free_enter},
	{ON_OP(FREE_HOST), ACL_ENTER, habit_free_enter},
};

const struct check_module module_allocation = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct allocation_state),
};
