/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of released memory: a ring of the latest.  Readers look here
 * only for addresses that no live block covers, and the range of everything
 * in the ring turns most of them away at once.
 */
#include "checks/freed.h"
#include "checks/report.h"

#define RING 512

struct entry {
	_Atomic uint64_t base, end;
	_Atomic uint8_t kind;
	_Atomic int8_t device;
	_Atomic bool by_reset;
	struct moment created, gone;
};

struct freed_ring {
	struct acl_lock lock;
	_Atomic uint64_t low, high; /* everything ever in the ring lies within */
	_Atomic uint32_t at;
	struct entry entry[RING];
};

struct freed_state {
	struct freed_ring memory, registered;
};

static void moment_move(struct moment *to, struct moment *from)
{
	st(&to->caller, ld(&from->caller));
	st(&to->stack, ld(&from->stack));
	st(&to->tid, ld(&from->tid));
	st(&to->api, ld(&from->api));
}

static void ring_put(
	struct checks *c, struct freed_ring *r, struct acl_event *ev, struct acl_block *b, bool by_reset)
{
	uint64_t base = ld(&b->base), end = base + ld(&b->size);
	struct entry *e;

	lock(&r->lock);
	e = &r->entry[ld(&r->at) % RING];
	/* Readers take an entry only with the same base before and after. */
	st_release(&e->base, 0);
	st(&e->end, end);
	st(&e->kind, ld(&b->kind));
	st(&e->device, ld(&b->device));
	st(&e->by_reset, by_reset);
	moment_move(&e->created, &b->created);
	moment_take(c, &e->gone, ev, false);
	st_release(&e->base, base);
	if (!ld(&r->high) || base < ld(&r->low))
		st(&r->low, base);
	if (end > ld(&r->high))
		st(&r->high, end);
	st_release(&r->at, ld(&r->at) + 1);
	unlock(&r->lock);
}

static bool entry_read(struct entry *e, uint64_t address, struct freed_block *out)
{
	uint64_t base = ld_acquire(&e->base), end = ld(&e->end);

	if (!base || address < base || address >= end)
		return false;
	out->base = base;
	out->size = end - base;
	out->kind = ld(&e->kind);
	out->device = ld(&e->device);
	out->by_reset = ld(&e->by_reset);
	moment_copy(&out->created, &e->created);
	moment_copy(&out->gone, &e->gone);
	return ld_acquire(&e->base) == base;
}

bool freed_find(struct checks *c, const void *pointer, bool registered, struct freed_block *out)
{
	struct freed_state *s = c->topic[TOPIC_FREED];
	struct freed_ring *r = registered ? &s->registered : &s->memory;
	uint64_t address = (uintptr_t)pointer;
	uint32_t at = ld_acquire(&r->at);

	if (!at || address < ld(&r->low) || address >= ld(&r->high))
		return false;
	for (uint32_t back = 1; back <= RING && back <= at; back++)
		if (entry_read(&r->entry[(at - back) % RING], address, out))
			return true;
	return false;
}

void finding_freed(struct acl_finding *f, const char *role, const struct freed_block *b)
{
	struct acl_biography *bio;

	if (f->n_objects >= ACL_FINDING_OBJECTS)
		return;
	bio = &f->objects[f->n_objects++];
	bio->role = role;
	bio->handle = ACL_HANDLE_NONE;
	bio->kind = memory_kind_name(b->kind);
	bio->value = b->base;
	bio->size = b->size;
	bio->device = b->device;
	bio->created = b->created;
	bio->destroyed = b->gone;
}

/* Leave of a release, before the memory topic takes the block out. */
static void released(struct checks *c, struct acl_event *ev)
{
	struct acl_block *b = (struct acl_block *)(uintptr_t)ev->carry[CARRY_GOING];
	struct freed_state *s = c->topic[TOPIC_FREED];

	if (b && succeeded(ev))
		ring_put(c, ev->api == ACL_API_aclrtHostUnregister ? &s->registered : &s->memory, ev, b,
			false);
}

/* Leave of a pool's end, before the pool topic forgets what was still in use. */
static void pool_destroyed(struct checks *c, struct acl_event *ev)
{
	struct acl_object *pool = object_find(c, ACL_HANDLE_POOL, ACL_ARGS(ev, aclrtMemPoolDestroy)->memPool);
	struct freed_state *s = c->topic[TOPIC_FREED];
	struct acl_block *b;

	if (!pool || !succeeded(ev))
		return;
	map_each(c->memory, b) if (ld(&b->kind) == MEM_POOL && ld(&b->owner) == object_ref(pool))
		ring_put(c, &s->memory, ev, b, false);
}

/* Leave of a reset, before the device topic forgets the memory of the device. */
static void reset(struct checks *c, struct acl_event *ev)
{
	struct freed_state *s = c->topic[TOPIC_FREED];
	struct acl_block *b;

	if (!succeeded(ev) || !ev->carry[CARRY_NOTE])
		return;
	map_each(c->memory, b) if (ld(&b->device) == device_argument(ev) && ld(&b->kind) != MEM_HOST)
		ring_put(c, &s->memory, ev, b, true);
}

static bool freed_create(struct checks *c)
{
	c->topic[TOPIC_FREED] = checks_alloc(c, sizeof(struct freed_state));
	return c->topic[TOPIC_FREED] != NULL;
}

static void freed_forked(struct checks *c)
{
	struct freed_state *s = c->topic[TOPIC_FREED];

	st(&s->memory.lock.held, 0);
	st(&s->registered.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtFree, ACL_LEAVE, released},
	{ACL_API_aclrtFreeWithDevSync, ACL_LEAVE, released},
	{ACL_API_aclrtFreeHost, ACL_LEAVE, released},
	{ACL_API_aclrtFreeHostWithDevSync, ACL_LEAVE, released},
	{ACL_API_aclrtMemPoolFreeAsync, ACL_LEAVE, released},
	{ACL_API_aclrtMemPoolDestroy, ACL_LEAVE, pool_destroyed},
	{ACL_API_aclrtReleaseMemAddress, ACL_LEAVE, released},
	{ACL_API_aclrtHostUnregister, ACL_LEAVE, released},
	{ACL_API_aclrtResetDevice, ACL_LEAVE, reset},
	{ACL_API_aclrtResetDeviceForce, ACL_LEAVE, reset},
	{ACL_API_aclrtResetDeviceWithoutTsdVXX, ACL_LEAVE, reset},
};

const struct acl_topic topic_freed = {
	.name = "freed",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = freed_create,
	.forked = freed_forked,
};
