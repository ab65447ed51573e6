/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of released memory: a ring of the latest.  Readers look here
 * only for addresses that no live block covers, and the range of everything
 * in the ring turns most of them away at once.
 */
#include "checks/state/freed_memory.h"
#include "checks/engine/program_memory.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"

#define RING 512

struct entry {
	_Atomic uint64_t base, end;
	_Atomic uint8_t kind;
	_Atomic int8_t device;
	_Atomic bool by_reset;
	struct call_site_slot created, gone;
};

struct freed_ring {
	struct acl_lock lock;
	_Atomic uint64_t low, high; /* everything ever in the ring lies within */
	_Atomic uint32_t at;
	struct entry entry[RING];
};

struct freed_state {
	struct freed_ring memory, registered;
	_Atomic uint32_t uses; /* of memory that is gone */
	_Atomic bool others; /* libraries allocate below us */
};

static void moment_move(struct call_site_slot *to, struct call_site_slot *from)
{
	store_relaxed(&to->caller, load_relaxed(&from->caller));
	store_relaxed(&to->stack, load_relaxed(&from->stack));
	store_relaxed(&to->tid, load_relaxed(&from->tid));
	store_relaxed(&to->api, load_relaxed(&from->api));
}

static void ring_put(struct checks *c, struct freed_ring *r, struct acl_call_record *call,
	struct acl_block *b, bool by_reset)
{
	uint64_t base = load_relaxed(&b->base), end = base + load_relaxed(&b->size);
	struct entry *e;

	lock(&r->lock);
	e = &r->entry[load_relaxed(&r->at) % RING];
	/* Readers take an entry only with the same base before and after. */
	store_release(&e->base, 0);
	store_relaxed(&e->end, end);
	store_relaxed(&e->kind, load_relaxed(&b->kind));
	store_relaxed(&e->device, load_relaxed(&b->device));
	store_relaxed(&e->by_reset, by_reset);
	moment_move(&e->created, &b->created);
	call_site_take(c, &e->gone, call, false);
	store_release(&e->base, base);
	if (!load_relaxed(&r->high) || base < load_relaxed(&r->low))
		store_relaxed(&r->low, base);
	if (end > load_relaxed(&r->high))
		store_relaxed(&r->high, end);
	store_release(&r->at, load_relaxed(&r->at) + 1);
	unlock(&r->lock);
}

static bool entry_read(struct entry *e, uint64_t address, struct freed_block *out)
{
	uint64_t base = load_acquire(&e->base), end = load_relaxed(&e->end);

	if (!base || address < base || address >= end)
		return false;
	out->base = base;
	out->size = end - base;
	out->kind = load_relaxed(&e->kind);
	out->device = load_relaxed(&e->device);
	out->by_reset = load_relaxed(&e->by_reset);
	call_site_copy(&out->created, &e->created);
	call_site_copy(&out->gone, &e->gone);
	return load_acquire(&e->base) == base;
}

bool freed_find(struct checks *c, const void *pointer, bool registered, struct freed_block *out)
{
	struct freed_state *s = module_state(c, freed);
	struct freed_ring *r = registered ? &s->registered : &s->memory;
	uint64_t address = (uintptr_t)pointer;
	uint32_t at = load_acquire(&r->at);

	if (!at || address < load_relaxed(&r->low) || address >= load_relaxed(&r->high))
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
			store_release(&r->entry[i].base, 0);
	}
	unlock(&r->lock);
}

static void freed_forget(struct checks *c, uint64_t address)
{
	struct freed_state *s = module_state(c, freed);
	struct freed_ring *const rings[] = {&s->memory, &s->registered};

	for (unsigned i = 0; i < 2; i++)
		if (load_acquire(&rings[i]->at) && address >= load_relaxed(&rings[i]->low) &&
			address < load_relaxed(&rings[i]->high))
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
		const struct acl_param *p = &info->params[i];
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
	static const char here;
	char byte;

	/* Where reading fails anyhow it proves nothing. */
	return program_read(c, &here, &byte, 1) && !program_read(c, address, &byte, 1);
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

	if (b && succeeded(call))
		ring_put(c, call->api == ACL_API_aclrtHostUnregister ? &s->registered : &s->memory, call, b,
			false);
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
static void reset(struct checks *c, struct acl_call_record *call)
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
			if (hands_out(&acl_apis[api].params[i])) {
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
	{ON_OP(DEVICE_RESET), ACL_LEAVE, reset},
};

const struct check_module module_freed = {
	.order = 10,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct freed_state),
	.bind = freed_bind,
};
