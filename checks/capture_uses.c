/* SPDX-License-Identifier: Apache-2.0 */
/* What the tasks of a captured model use: objects, allocations and registered ranges, each with its first
 * use. */
#include "checks/state.h"

/* Blocks get references of their own beside the object kinds. */
#define REF_MEMORY UINT64_C(62)
#define REF_REGISTERED UINT64_C(63)

struct model_uses {
	uint32_t n, room; /* room is a power of two */
	struct model_use use[];
};

uint64_t block_ref(const struct acl_block *block, uint32_t generation, bool registered)
{
	return (registered ? REF_REGISTERED : REF_MEMORY) << 58 | (uint64_t)block->index << 32 | generation;
}

static size_t uses_bytes(uint32_t room)
{
	return sizeof(struct model_uses) + room * sizeof(struct model_use);
}

static struct model_use *uses_slot(struct model_uses *u, uint64_t what)
{
	uint64_t i = mix64(what);

	while (u->use[i & (u->room - 1)].what && u->use[i & (u->room - 1)].what != what)
		i++;
	return &u->use[i & (u->room - 1)];
}

/* Under the model's lock. */
static struct model_uses *uses_room(struct checks *c, struct model_state *m)
{
	struct model_uses *old = ld(&m->uses), *new;
	uint32_t room = old ? old->room * 2 : 16;

	if (old && old->n * 4 < old->room * 3)
		return old;
	new = checks_alloc(c, uses_bytes(room));
	if (!new)
		return old && old->n + 1 < old->room ? old : NULL;
	new->room = room;
	for (uint32_t i = 0; old && i < old->room; i++)
		if (old->use[i].what) {
			*uses_slot(new, old->use[i].what) = old->use[i];
			new->n++;
		}
	st(&m->uses, new);
	if (old)
		checks_forget(c, old, uses_bytes(old->room));
	return new;
}

/* True when it is the model's first use of it. */
static bool use_add(struct checks *c, struct acl_object *model, uint64_t what, const struct acl_event *ev)
{
	struct model_state *m = model_state(model);
	struct model_uses *u;
	struct model_use *use;
	bool first = false;

	lock(&m->lock);
	u = uses_room(c, m);
	use = u ? uses_slot(u, what) : NULL;
	if (use && !use->what) {
		*use = (struct model_use){what, ev->caller, ev->tid, ev->api, ld(&m->group)};
		u->n++;
		first = true;
	}
	unlock(&m->lock);
	return first;
}

void model_uses_object(
	struct checks *c, struct acl_object *model, struct acl_object *o, const struct acl_event *ev)
{
	if (o && object_usable(o) && use_add(c, model, object_ref(o), ev))
		bump(&o->captured);
}

void model_uses_address(
	struct checks *c, struct acl_object *model, const void *address, const struct acl_event *ev)
{
	struct acl_place place;

	if (!address)
		return;
	if (map_find(c->memory, (uintptr_t)address, &place) &&
		use_add(c, model, block_ref(place.block, place.generation, false), ev))
		bump(&place.block->captured);
	/* A registered range may lie over an allocation. */
	if (map_live(c->registered) && map_find(c->registered, (uintptr_t)address, &place) &&
		use_add(c, model, block_ref(place.block, place.generation, true), ev))
		bump(&place.block->captured);
}

struct acl_object *model_using(struct checks *c, uint64_t what, struct model_use *use)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_MODEL, o)
	{
		struct model_state *m = model_state(o);
		struct model_uses *u;
		bool found = false;

		if (!object_usable(o))
			continue;
		lock(&m->lock);
		u = ld(&m->uses);
		if (u) {
			*use = *uses_slot(u, what);
			/* What a task group used may have been replaced by an update. */
			found = use->what && !(use->in_group && ld(&m->updated));
		}
		unlock(&m->lock);
		if (found)
			return o;
	}
	return NULL;
}

static void use_over(struct checks *c, uint64_t what)
{
	struct acl_object *o;
	struct acl_block *b;

	if (what >> 58 < REF_MEMORY) {
		o = object_of(c, what);
		if (o)
			drop(&o->captured);
		return;
	}
	b = map_block(what >> 58 == REF_MEMORY ? c->memory : c->registered, what >> 32 & ((1u << 26) - 1));
	if (b && ld_acquire(&b->generation) == (uint32_t)what)
		drop(&b->captured);
}

void model_uses_end(struct checks *c, struct acl_object *model)
{
	struct model_state *m = model_state(model);
	struct model_uses *u;

	lock(&m->lock);
	u = ld(&m->uses);
	st(&m->uses, NULL);
	unlock(&m->lock);
	if (!u)
		return;
	for (uint32_t i = 0; i < u->room; i++)
		if (u->use[i].what)
			use_over(c, u->use[i].what);
	checks_forget(c, u, uses_bytes(u->room));
}
