/* SPDX-License-Identifier: Apache-2.0 */
/* Object tables: handle value -> object, slabs, the ring of the dead. */
#include "checks/engine/instance.h"

#define CHUNK OBJECT_CHUNK
#define CHUNKS 4096
#define DEAD_RING 1024

void object_init(struct checks *c, unsigned kind, unsigned extension, unsigned kept)
{
	struct object_kind *k = checks_alloc(c, sizeof(*k));

	if (!k)
		return;
	k->element = (uint32_t)((sizeof(struct acl_object) + extension + 63) & ~63u);
	k->kept = kept;
	if (key_index_create(c, &k->index))
		c->kinds[kind] = k;
}

static struct acl_object *at(struct object_kind *k, uint32_t index)
{
	unsigned char *chunk = index / CHUNK < CHUNKS ? load_acquire(&k->chunks[index / CHUNK]) : NULL;

	return chunk ? (struct acl_object *)(chunk + (size_t)(index % CHUNK) * k->element) : NULL;
}

struct acl_object *object_live(struct checks *c, unsigned kind, const void *value)
{
	struct acl_object *o = object_find(c, kind, value);

	return o && object_usable(o) ? o : NULL;
}

/* Under the kind's lock: forgets the value of an object that leaves the ring of the dead. */
static void index_drop(struct object_kind *k, struct acl_object *o)
{
	uint64_t key = load_relaxed(&o->value), now;

	if (key_index_get(&k->index, key, &now) && now == (uintptr_t)o)
		key_index_remove(&k->index, key);
}

/* Under the kind's lock: an object that no one refers to. */
static struct acl_object *allocate_slot(struct checks *c, struct object_kind *k, unsigned kind)
{
	uint32_t index = load_relaxed(&k->count);
	struct acl_object *o;

	if (k->free_head) {
		o = at(k, k->free_head - 1);
		k->free_head = o->next_free;
		return o;
	}
	if (index >= CHUNK * CHUNKS) {
		checks_degrade(c, "too many objects of one kind");
		return NULL;
	}
	if (index % CHUNK == 0) {
		unsigned char *chunk = checks_alloc(c, (size_t)CHUNK * k->element);

		if (!chunk)
			return NULL;
		store_release(&k->chunks[index / CHUNK], chunk);
	}
	o = at(k, index);
	o->kind = (uint8_t)kind;
	o->index = index;
	store_relaxed(&o->live_value, NOT_LIVE(o));
	store_relaxed(&o->ref, (uint64_t)kind << 58 | (uint64_t)index << 32 | 1);
	atomic_store_explicit(&k->count, index + 1, memory_order_release);
	return o;
}

static acl_ref next_generation(acl_ref ref)
{
	return (ref & ~(uint64_t)UINT32_MAX) | (uint32_t)(ref + 1);
}

/* Under the kind's lock: o enters the ring, whoever was there longest is forgotten and its slot is free
 * again. */
static void retire_locked(struct object_kind *k, struct acl_object *o)
{
	uint32_t *place = &k->dead[k->dead_at++ % DEAD_RING];
	struct acl_object *oldest = *place ? at(k, *place - 1) : NULL;

	*place = o->index + 1;
	if (!oldest)
		return;
	index_drop(k, oldest);
	store_relaxed(&oldest->state, ACL_OBJECT_FREE);
	store_release(&oldest->ref, next_generation(object_ref(oldest)));
	oldest->next_free = k->free_head;
	k->free_head = oldest->index + 1;
}

void call_site_take(
	struct checks *c, struct call_site_slot *m, const struct acl_call_record *call, bool with_stack)
{
	uint32_t stack = call ? call->stack : 0;

	if (!call)
		return;
	if (with_stack && !stack && c->host.stack)
		stack = c->host.stack(c->host.context, call);
	store_relaxed(&m->stack, stack);
	store_relaxed(&m->tid, call->tid);
	store_relaxed(&m->api, call->api);
	store_relaxed(&m->caller, call->caller);
}

void call_site_copy(struct acl_call_site *to, const struct call_site_slot *from)
{
	struct call_site_slot *m = (struct call_site_slot *)from;

	to->caller = load_relaxed(&m->caller);
	to->stack = load_relaxed(&m->stack);
	to->tid = load_relaxed(&m->tid);
	to->api = load_relaxed(&m->api);
}

static void call_site_clear(struct call_site_slot *m)
{
	store_relaxed(&m->caller, 0);
	store_relaxed(&m->stack, 0);
	store_relaxed(&m->tid, 0);
	store_relaxed(&m->api, 0);
}

static void kill_locked(struct object_kind *k, struct acl_object *o, unsigned flags)
{
	atomic_fetch_or_explicit(&o->flags, (uint16_t)flags, memory_order_relaxed);
	store_release(&o->state, ACL_OBJECT_DESTROYED);
	store_release(&o->live_value, NOT_LIVE(o));
	retire_locked(k, o);
}

/* Under the kind's lock. */
static void publish(struct checks *c, struct object_kind *k, struct acl_object *o, const void *value)
{
	struct acl_object *before;
	uint64_t found;

	store_relaxed(&o->value, (uintptr_t)value);
	key_index_put(c, &k->index, (uintptr_t)value, (uintptr_t)o, 0, &found);
	before = (struct acl_object *)(uintptr_t)found;
	/* The runtime gave the value out again: its last bearer died without our seeing it. */
	if (before && before != o && object_usable(before))
		kill_locked(k, before, ACL_OBJECT_BY_OWNER);
	if (load_relaxed(&o->state) == ACL_OBJECT_LIVE)
		store_release(&o->live_value, value ? (uintptr_t)value : NOT_LIVE(o));
}

/* Word by word, since a reader with an old reference may be looking. */
static void clear_extra(struct object_kind *k, struct acl_object *o)
{
	_Atomic uint64_t *word = object_extra(o);

	for (size_t i = k->kept / sizeof(*word); i < (k->element - sizeof(*o)) / sizeof(*word); i++)
		store_relaxed(&word[i], 0);
}

struct acl_object *object_create(struct checks *c, const struct acl_call_record *call, unsigned kind,
	const void *value, unsigned flags)
{
	struct object_kind *k = c->kinds[kind];
	struct call_site_slot born = {0};
	struct acl_object *o;

	if (!k)
		return NULL;
	call_site_take(c, &born, call, true); /* the stack is taken before the lock */
	lock(&k->lock);
	o = allocate_slot(c, k, kind);
	if (o) {
		clear_extra(k, o);
		store_relaxed(&o->flags, flags);
		store_relaxed(&o->serial, counter_inc(&c->serials) + 1);
		store_relaxed(&o->version, 0);
		store_relaxed(&o->context, 0);
		store_relaxed(&o->parent, 0);
		store_relaxed(&o->device, -1);
		store_relaxed(&o->captured, 0);
		call_site_clear(&o->last_used);
		call_site_clear(&o->destroyed);
		store_relaxed(&o->created.stack, born.stack);
		store_relaxed(&o->created.tid, born.tid);
		store_relaxed(&o->created.api, born.api);
		store_relaxed(&o->created.caller, born.caller);
		store_release(&o->state, ACL_OBJECT_LIVE);
		publish(c, k, o, value);
	}
	unlock(&k->lock);
	return o;
}

void object_name(struct checks *c, struct acl_object *o, const void *value)
{
	struct object_kind *k = c->kinds[o->kind];

	lock(&k->lock);
	publish(c, k, o, value);
	unlock(&k->lock);
}

bool object_destroying(struct acl_object *o)
{
	uint8_t live = ACL_OBJECT_LIVE;

	if (!atomic_compare_exchange_strong(&o->state, &live, ACL_OBJECT_DESTROYING))
		return false;
	store_release(&o->live_value, NOT_LIVE(o));
	return true;
}

void object_destroy_failed(struct acl_object *o)
{
	uint8_t destroying = ACL_OBJECT_DESTROYING;
	uint64_t value = load_relaxed(&o->value);

	/* Before the state: afterwards another call may destroy it. */
	if (value)
		store_release(&o->live_value, value);
	if (!atomic_compare_exchange_strong(&o->state, &destroying, ACL_OBJECT_LIVE))
		atomic_compare_exchange_strong(&o->live_value, &value, NOT_LIVE(o));
}

void object_destroyed(
	struct checks *c, struct acl_object *o, const struct acl_call_record *call, unsigned flags)
{
	struct object_kind *k = c->kinds[o->kind];

	call_site_take(c, &o->destroyed, call, true);
	lock(&k->lock);
	if (object_usable(o))
		kill_locked(k, o, flags);
	unlock(&k->lock);
}

struct acl_object *object_next(struct checks *c, unsigned kind, uint32_t *cursor)
{
	struct object_kind *k = c->kinds[kind];
	uint32_t count = k ? load_acquire(&k->count) : 0;

	while (*cursor < count) {
		struct acl_object *o = at(k, (*cursor)++);

		if (o && load_acquire(&o->state) != ACL_OBJECT_FREE)
			return o;
	}
	return NULL;
}
