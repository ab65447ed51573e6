/* SPDX-License-Identifier: Apache-2.0 */
/* What the tasks of a model use, captured or built: objects, allocations and registered ranges, each with its
 * first use. */
#include "checks/engine/instance.h"
#include "checks/state/binary_state.h"
#include "checks/state/capture_change.h"
#include "checks/state/capture_state.h"
#include "checks/state/memory_state.h"

struct model_uses {
	uint32_t n, room; /* room is a power of two */
	acl_ref model; /* that uses it: the slot may hold another one by now */
	struct model_use use[];
};

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

/* Under the model's lock: its uses, NULL = none. */
static struct model_uses *uses_of(struct acl_object *model)
{
	struct model_uses *u = load_relaxed(&model_state(model)->uses);

	return u && u->model == object_ref(model) ? u : NULL;
}

/* Under the model's lock. */
static struct model_uses *uses_room(struct checks *c, struct acl_object *model)
{
	struct model_uses *old = uses_of(model), *new;
	uint32_t room = old ? old->room * 2 : 16;

	if (old && old->n * 4 < old->room * 3)
		return old;
	new = checks_alloc(c, uses_bytes(room));
	if (!new)
		return old && old->n + 1 < old->room ? old : NULL;
	new->room = room;
	new->model = object_ref(model);
	for (uint32_t i = 0; old && i < old->room; i++)
		if (old->use[i].what) {
			*uses_slot(new, old->use[i].what) = old->use[i];
			new->n++;
		}
	store_relaxed(&model_state(model)->uses, new);
	if (old)
		checks_forget(c, old, uses_bytes(old->room));
	return new;
}

static void use_over(struct checks *c, uint64_t what)
{
	struct object_rare *r;
	struct acl_object *o;
	struct acl_block *b;

	if (ref_kind(what) < REF_VARIABLE) {
		o = object_of(c, what);
		r = o ? object_rare(o) : NULL;
		if (r)
			counter_dec(&r->captured);
		return;
	}
	b = block_of(c, what);
	if (b)
		counter_dec(&b->captured);
}

static void uses_forget(struct checks *c, struct model_uses *u)
{
	for (uint32_t i = 0; u && i < u->room; i++)
		if (u->use[i].what)
			use_over(c, u->use[i].what);
	if (u)
		checks_forget(c, u, uses_bytes(u->room));
}

/* Under the model's lock: one use more.  True when it is the first of it. */
static bool use_note(struct model_uses *u, struct model_use *use, const struct model_use *now)
{
	bool first = !use->what, in_group = now->in_group && (first || use->in_group);

	/* A task that is seen to use it says more than an argument, and one that stays as it is more still.
	 */
	if (first || (use->given && !now->given) || (tasks_made_by(use->api) && !tasks_made_by(now->api)))
		*use = *now;
	/* Else also by a task that no update replaces. */
	use->in_group = in_group;
	u->n += first;
	return first;
}

/* True when it is the model's first use of it. */
static bool use_add(struct checks *c, struct acl_object *model, uint64_t what, bool given,
	const struct acl_call_record *call)
{
	struct model_state *m = model_state(model);
	struct model_uses *u, *former;
	struct model_use *use;
	bool first;

	lock(&m->lock);
	/* The slot's last model went without our seeing it. */
	former = uses_of(model) ? NULL : load_relaxed(&m->uses);
	if (former)
		store_relaxed(&m->uses, NULL);
	u = uses_room(c, model);
	use = u ? uses_slot(u, what) : NULL;
	first = use && use_note(u, use,
			       &(struct model_use){what, call->caller, call->tid, call->api,
				       load_relaxed(&m->groups) > 0, given});
	unlock(&m->lock);
	uses_forget(c, former);
	return first;
}

void model_uses_object(
	struct checks *c, struct acl_object *model, struct acl_object *o, const struct acl_call_record *call)
{
	struct object_rare *r = o && object_usable(o) ? object_rare_make(c, o) : NULL;

	if (r && use_add(c, model, object_ref(o), false, call))
		counter_inc(&r->captured);
}

void model_uses_address(
	struct checks *c, struct acl_object *model, const void *address, const struct acl_call_record *call)
{
	struct block_lookup place;

	if (!address)
		return;
	if (map_find(memory_blocks(c), (uintptr_t)address, &place) &&
		use_add(c, model, block_ref(place.block, place.generation, false), false, call))
		counter_inc(&place.block->captured);
	/* A registered range may lie over an allocation. */
	if (map_live(registered_ranges(c)) && map_find(registered_ranges(c), (uintptr_t)address, &place) &&
		use_add(c, model, block_ref(place.block, place.generation, true), false, call))
		counter_inc(&place.block->captured);
}

void model_given_address(
	struct checks *c, struct acl_object *model, uint64_t address, const struct acl_call_record *call)
{
	struct block_lookup place;

	if (map_find(memory_blocks(c), address, &place) && !kind_is_host(place.kind) &&
		use_add(c, model, block_ref(place.block, place.generation, false), true, call))
		counter_inc(&place.block->captured);
}

void model_uses_handles(struct checks *c, struct acl_object *model, const struct acl_call_record *call)
{
	const struct acl_api_info *info = &acl_apis[call->api];

	for (unsigned i = 0; i < info->n_params; i++) {
		const struct acl_param *p = &acl_params(info)[i];
		const void *value;

		if (p->dir != ACL_DIR_IN || p->life != ACL_LIFE_USE)
			continue;
		memcpy(&value, (const char *)call->args + p->offset, sizeof(value));
		if (p->handle == ACL_HANDLE_NOTIFY || p->handle == ACL_HANDLE_CNT_NOTIFY)
			model_uses_object(c, model, object_find(c, p->handle, value), call);
		else if (p->handle == ACL_HANDLE_FUNCTION)
			model_uses_object(
				c, model, binary_of(c, object_find(c, ACL_HANDLE_FUNCTION, value)), call);
	}
}

/* What a task group used may have been replaced by an update. */
static bool use_counts(struct acl_object *model, const struct model_use *use)
{
	return use->what && !(use->in_group && load_relaxed(&model_state(model)->updated));
}

static bool model_uses(struct acl_object *model, uint64_t what, struct model_use *use)
{
	struct model_state *m = model_state(model);
	struct model_uses *u;
	bool found = false;

	lock(&m->lock);
	u = uses_of(model);
	if (u) {
		*use = *uses_slot(u, what);
		found = use_counts(model, use);
	}
	unlock(&m->lock);
	return found;
}

struct acl_object *model_using_next(struct checks *c, uint64_t what, uint32_t *at, struct model_use *use)
{
	struct acl_object *o;

	while ((o = object_next(c, ACL_HANDLE_MODEL, at)) != NULL)
		/* A part of a model that is not known ends with that one, unseen. */
		if (object_usable(o) &&
			(!load_relaxed(&model_state(o)->sub) || load_relaxed(&model_state(o)->parent)) &&
			model_uses(o, what, use))
			return o;
	return NULL;
}

bool model_use_next(struct acl_object *model, uint32_t *at, struct model_use *use)
{
	struct model_state *m = model_state(model);
	struct model_uses *u;
	bool found = false;

	lock(&m->lock);
	u = uses_of(model);
	while (u && !found && *at < u->room) {
		*use = u->use[(*at)++];
		found = use_counts(model, use);
	}
	unlock(&m->lock);
	return found;
}

void model_uses_end(struct checks *c, struct acl_object *model)
{
	struct model_state *m = model_state(model);
	struct model_uses *u;

	lock(&m->lock);
	u = load_relaxed(&m->uses);
	store_relaxed(&m->uses, NULL);
	unlock(&m->lock);
	uses_forget(c, u);
}

/* Under the model's lock: a table of the uses that stay, which leave u; NULL: none, or no memory. */
static struct model_uses *uses_staying(struct checks *c, struct model_uses *u, unsigned tasks)
{
	struct model_uses *staying = checks_alloc(c, uses_bytes(u->room));

	if (!staying)
		return NULL;
	staying->room = u->room;
	staying->model = u->model;
	for (uint32_t i = 0; i < u->room; i++) {
		if (!u->use[i].what || tasks_made_by(u->use[i].api) & tasks)
			continue;
		*uses_slot(staying, u->use[i].what) = u->use[i];
		u->use[i].what = 0;
		staying->n++;
	}
	return staying;
}

void model_uses_changed(struct checks *c, struct acl_object *model, unsigned tasks)
{
	struct model_state *m = model_state(model);
	struct model_uses *u;

	lock(&m->lock);
	u = uses_of(model);
	if (u)
		store_relaxed(&m->uses, uses_staying(c, u, tasks));
	unlock(&m->lock);
	uses_forget(c, u);
}
