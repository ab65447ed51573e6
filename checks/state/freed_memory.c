/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of released memory: a ring of the latest.  Readers look here
 * only for addresses that no live block covers, and the regions of what is in
 * the ring turn most of them away at once.
 */
#include "checks/state/freed_memory.h"
#include "checks/engine/address_regions.h"
#include "checks/engine/program_memory.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"

#define RING 512

struct entry {
	_Atomic uint64_t base, end;
	_Atomic uint8_t kind;
	_Atomic int8_t device;
	_Atomic bool by_reset;
	_Atomic uint64_t mapping;
	struct call_site_slot created, gone;
};

/*
 * How many entries touch a region of addresses; regions of one remainder are counted together.  A block that
 * touches more than a few is counted by regions of the next size, or as vast.
 */
#define REGIONS_LOG 9
static const unsigned region_sizes[] = {21, 30}; /* log2: 2 MiB, 1 GiB */
#define REGION_SIZES (sizeof(region_sizes) / sizeof(region_sizes[0]))

struct freed_ring {
	struct acl_lock lock;
	_Atomic uint32_t vast;
	_Atomic uint16_t touched[REGION_SIZES][1 << REGIONS_LOG];
	_Atomic uint32_t at;
	struct entry entry[RING];
};

struct freed_state {
	struct freed_ring memory, registered;
	_Atomic uint32_t uses; /* of memory that is gone */
	_Atomic bool others; /* libraries allocate below us */
};

/* Asked of page-locked memory only: the device's own is not mapped for the host, or never libc's. */
static uint64_t mapping_of(struct checks *c, const struct acl_block *b, const void *address, bool latest)
{
	if (b && load_relaxed(&b->kind) != MEM_HOST)
		return 0;
	return c->host.mapping ? c->host.mapping(c->host.context, address, latest) : 0;
}

/* Under the lock: an entry comes (1) or goes (-1). */
static void regions_count(struct freed_ring *r, uint64_t base, uint64_t end, int by)
{
	for (unsigned i = 0; i < REGION_SIZES; i++) {
		struct region_span span = region_span(base, end, region_sizes[i]);

		if (!regions_are_few(span))
			continue;
		for (uint64_t n = span.first; n <= span.last; n++) {
			_Atomic uint16_t *count = &r->touched[i][region_place(n, REGIONS_LOG)];

			store_relaxed(count, (uint16_t)(load_relaxed(count) + by));
		}
		return;
	}
	store_relaxed(&r->vast, load_relaxed(&r->vast) + (uint32_t)by);
}

/* Whether an entry may cover the address. */
static bool regions_ask(struct freed_ring *r, uint64_t address)
{
	bool may = load_relaxed(&r->vast);

	for (unsigned i = 0; i < REGION_SIZES; i++)
		may |= load_relaxed(&r->touched[i][region_place(address >> region_sizes[i], REGIONS_LOG)]);
	return may;
}

/* Under the lock: no search finds the entry any more. */
static void entry_clear(struct freed_ring *r, struct entry *e)
{
	uint64_t base = load_relaxed(&e->base);

	if (!base)
		return;
	store_release(&e->base, 0);
	regions_count(r, base, load_relaxed(&e->end), -1);
}

static void ring_put(struct checks *c, struct freed_ring *r, struct acl_call_record *call,
	struct acl_block *b, bool by_reset)
{
	uint64_t base = load_relaxed(&b->base), end = base + load_relaxed(&b->size);
	uint64_t mapping = mapping_of(c, b, (const void *)(uintptr_t)base, false);
	struct entry *e;

	lock(&r->lock);
	e = &r->entry[load_relaxed(&r->at) % RING];
	/* Readers take an entry only with the same base before and after: who reads (acquire) a word of this
	 * one sees that the former base is gone. Where it was created and freed is what is said of it only.
	 */
	entry_clear(r, e);
	store_release(&e->end, end);
	store_release(&e->kind, load_relaxed(&b->kind));
	store_release(&e->device, load_relaxed(&b->device));
	store_release(&e->by_reset, by_reset);
	store_release(&e->mapping, mapping);
	call_site_move(&e->created, &b->created);
	call_site_take(c, &e->gone, call, false);
	/* Before .at: who acquires that sees that the region is touched. */
	regions_count(r, base, end, 1);
	store_release(&e->base, base);
	store_release(&r->at, load_relaxed(&r->at) + 1);
	unlock(&r->lock);
}

static bool entry_read(struct entry *e, uint64_t address, struct freed_block *out)
{
	uint64_t base = load_acquire(&e->base), end = load_acquire(&e->end);

	if (!base || address < base || address >= end)
		return false;
	out->base = base;
	out->size = end - base;
	out->kind = load_acquire(&e->kind);
	out->device = load_acquire(&e->device);
	out->by_reset = load_acquire(&e->by_reset);
	out->mapping = load_acquire(&e->mapping);
	call_site_copy(&out->created, &e->created);
	call_site_copy(&out->gone, &e->gone);
	return load_relaxed(&e->base) == base;
}

bool freed_find(struct checks *c, const void *pointer, bool registered, struct freed_block *out)
{
	struct freed_state *s = module_state(c, freed);
	struct freed_ring *r = registered ? &s->registered : &s->memory;
	uint64_t address = (uintptr_t)pointer;
	uint32_t at = load_acquire(&r->at);

	if (!at || !regions_ask(r, address))
		return false;
	for (uint32_t back = 1; back <= RING && back <= at; back++)
		if (entry_read(&r->entry[(at - back) % RING], address, out))
			return true;
	return false;
}

/* The address is in use again, and of an unknown size: nothing that lay there is gone memory any more. */
static void ring_forget(struct freed_ring *r, uint64_t address)
{
	lock(&r->lock);
	for (unsigned i = 0; i < RING; i++) {
		uint64_t base = load_relaxed(&r->entry[i].base);

		if (base && address >= base && address < load_relaxed(&r->entry[i].end))
			entry_clear(r, &r->entry[i]);
	}
	unlock(&r->lock);
}

static void freed_forget(struct checks *c, uint64_t address)
{
	struct freed_state *s = module_state(c, freed);
	struct freed_ring *const rings[] = {&s->memory, &s->registered};

	for (unsigned i = 0; i < 2; i++)
		if (load_acquire(&rings[i]->at) && regions_ask(rings[i], address))
			ring_forget(rings[i], address);
}

/* Through it comes an address of memory, no handle. */
static bool hands_out(const struct acl_param *p)
{
	return p->dir == ACL_DIR_OUT && p->kind == ACL_KIND_POINTER && p->pointee_kind == ACL_KIND_POINTER &&
	       p->count == ACL_NONE;
}

/* A function of the runtime answered with an address. */
static void handed_out(struct checks *c, struct acl_call_record *call)
{
	const struct acl_api_info *info = &acl_apis[call->api];

	for (unsigned i = 0; i < info->n_params && succeeded(call); i++) {
		const struct acl_param *p = &acl_params(info)[i];
		void *const *out;

		if (!hands_out(p))
			continue;
		memcpy(&out, (const char *)call->args + p->offset, sizeof(out));
		if (out && *out)
			freed_forget(c, (uintptr_t)*out);
	}
}

void freed_history(struct acl_object_history *out, const void *freed)
{
	const struct freed_block *b = freed;

	out->handle = ACL_HANDLE_NONE;
	out->kind = memory_kind_name(b->kind);
	out->value = b->base;
	out->size = b->size;
	out->device = b->device;
	out->created = b->created;
	out->destroyed = b->gone;
}

bool freed_is_unmapped(struct checks *c, const void *address)
{
	return c->host.unmapped && c->host.unmapped(c->host.context, address);
}

bool freed_is_kept(struct checks *c, const void *address, const struct freed_block *b)
{
	return b->mapping && mapping_of(c, NULL, address, true) == b->mapping;
}

bool freed_taken_again(struct checks *c, struct acl_call_record *call, const void *address)
{
	enum acl_host_class class = host_class(c, call, ACL_CALL_PARAMS, address);

	return class >= ACL_HOST_STACK && class <= ACL_HOST_FILE;
}

bool freed_maybe_reused(struct checks *c)
{
	struct freed_state *s = module_state(c, freed);
	uint32_t n = counter_inc(&s->uses);

	/* The answer is a look at all libraries of the process: a mistake made over and over looks now and
	 * then. */
	if (!load_relaxed(&s->others) && (n < 16 || n % 64 == 0) &&
		other_submitters_possible(c, CHECKS_OTHER_WORK))
		store_relaxed(&s->others, true);
	return load_relaxed(&s->others);
}

/* Leave of a release, before the state of memory takes the block out. */
static void released(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;
	struct freed_state *s = module_state(c, freed);
	bool registered = acl_apis[call->api].operation == ACL_OP_UNREGISTER_HOST;

	if (b && succeeded(call))
		ring_put(c, registered ? &s->registered : &s->memory, call, b, false);
}

/* Leave of a pool's end, before the state of pools forgets what was still in use. */
static void pool_destroyed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *pool =
		object_find(c, ACL_HANDLE_POOL, ACL_ARGS(call, aclrtMemPoolDestroy)->memPool);
	struct freed_state *s = module_state(c, freed);
	struct acl_block *b;

	if (!pool || !succeeded(call))
		return;
	map_each(memory_blocks(c),
		b) if (load_relaxed(&b->kind) == MEM_POOL && load_relaxed(&b->owner) == object_ref(pool))
		ring_put(c, &s->memory, call, b, false);
}

/* Leave of a reset, before the state of devices forgets the memory of the device. */
static void freed_reset_leave(struct checks *c, struct acl_call_record *call)
{
	struct freed_state *s = module_state(c, freed);
	struct acl_block *b;

	if (!succeeded(call) || !call->state.device_ends)
		return;
	map_each(memory_blocks(c), b) if (load_relaxed(&b->device) == device_argument(call) &&
					  load_relaxed(&b->kind) != MEM_HOST)
		ring_put(c, &s->memory, call, b, true);
}

static void freed_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		/* What is allocated is a block and hides what was there, as far as it goes. */
		for (unsigned i = 0;
			acl_apis[api].operation_group != ACL_OP_GROUP_ALLOCATE && i < acl_apis[api].n_params;
			i++)
			if (hands_out(&acl_params(&acl_apis[api])[i])) {
				add(binder, api, ACL_LEAVE, handed_out);
				break;
			}
}

static const struct check_hook hooks[] = {
	{ON_OP(FREE_DEVICE), ACL_LEAVE, released},
	{ON_OP(FREE_HOST), ACL_LEAVE, released},
	{ON_OP(UNREGISTER_HOST), ACL_LEAVE, released},
	{ON_OP(FREE_POOL), ACL_LEAVE, released},
	{ACL_ANNOTATION_BLOCK_END, ACL_LEAVE, released},
	{ON_OP(RELEASE_ADDRESS), ACL_LEAVE, released},
	{ON_OP(DESTROY_POOL), ACL_LEAVE, pool_destroyed},
	{ON_OP(DEVICE_RESET), ACL_LEAVE, freed_reset_leave},
};

const struct check_module module_freed = {
	.order = 10,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct freed_state),
	.bind = freed_bind,
};
