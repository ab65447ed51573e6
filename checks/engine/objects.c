/* SPDX-License-Identifier: Apache-2.0 */
/* Object tables: handle value -> object, slabs, the ring of the dead. */
#include "checks/engine/instance.h"

#define CHUNK OBJECT_CHUNK
#define CHUNKS OBJECT_CHUNKS
#define RARE_POOL 8192 /* bytes of rare parts made at once */

static struct object_room no_room; /* never written */

void object_init(struct checks *c, unsigned kind, unsigned extension, unsigned kept, unsigned rare)
{
	struct object_kind *k = checks_alloc(c, sizeof(*k));

	if (!k)
		return;
	k->element = (uint32_t)((sizeof(struct acl_object) + extension + 63) & ~63u);
	k->kept = kept;
	store_relaxed(&k->room, &no_room);
	k->rare = rare ? (rare + 7) & ~7u : (unsigned)sizeof(struct object_rare);
	if (object_index_create(c, &k->index))
		c->kinds[kind] = k;
}

struct acl_object *object_live(struct checks *c, unsigned kind, const void *value)
{
	struct acl_object *o = object_find(c, kind, value);

	return o && object_usable(o) ? o : NULL;
}

/* Under the kind's lock: made with the first object, since most programs have objects of few kinds. */
static struct object_room *room_made(struct checks *c, struct object_kind *k)
{
	struct object_room *room = load_relaxed(&k->room);

	if (room != &no_room)
		return room;
	room = checks_alloc(c, sizeof(*room));
	if (room)
		store_release(&k->room, room);
	return room;
}

/* Under the kind's lock: the next chunk of the slab. */
static bool chunk_add(struct checks *c, struct object_kind *k, uint32_t number)
{
	struct object_room *room = room_made(c, k);
	unsigned char *chunk = room ? checks_alloc(c, (size_t)CHUNK * k->element) : NULL;
	struct call_site_slot *created = chunk ? checks_alloc(c, CHUNK * sizeof(*created)) : NULL;

	if (!created) {
		checks_forget(c, chunk, (size_t)CHUNK * k->element);
		return false;
	}
	/* Who finds an object finds its chunk, and so the array beside. */
	store_relaxed(&room->chunks[number].created, created);
	store_release(&room->chunks[number].objects, chunk);
	return true;
}

/* Under the kind's lock: an object that no one refers to. */
static struct acl_object *allocate_slot(struct checks *c, struct object_kind *k, unsigned kind)
{
	uint32_t index = load_relaxed(&k->count);
	struct acl_object *o = k->free_head ? object_in_slab(k, k->free_head - 1) : NULL;

	if (o) {
		k->free_head = (uint32_t)load_relaxed(&o->serial);
		return o;
	}
	if (index >= CHUNK * CHUNKS) {
		checks_degrade(c, "too many objects of one kind");
		return NULL;
	}
	if (index % CHUNK == 0 && !chunk_add(c, k, index / CHUNK))
		return NULL;
	o = object_in_slab(k, index);
	o->kind = (uint8_t)kind;
	store_relaxed(&o->live_value, NOT_LIVE(o));
	store_relaxed(&o->ref, (uint64_t)kind << 58 | (uint64_t)index << 32 | 1);
	atomic_store_explicit(&k->count, index + 1, memory_order_release);
	return o;
}

static acl_ref next_generation(acl_ref ref)
{
	return (ref & ~(uint64_t)UINT32_MAX) | (uint32_t)(ref + 1);
}

static struct call_site_slot nowhere; /* never written */

/* Under the kind's lock: o enters the ring, whoever was there longest is forgotten and its slot is free
 * again. */
static void retire_locked(struct object_kind *k, struct acl_object *o, const struct call_site_slot *where)
{
	uint32_t at = k->dead_at++ % OBJECT_DEAD;
	struct dead_object *d = &load_relaxed(&k->room)->dead[at];
	uint32_t before = load_relaxed(&d->number);
	struct acl_object *oldest = before ? object_in_slab(k, before - 1) : NULL;

	store_relaxed(&d->number, object_number(o) + 1);
	call_site_move(&d->destroyed, where);
	store_relaxed(&o->dead_at, (uint16_t)at);
	if (!oldest)
		return;
	object_index_remove(&k->index, oldest);
	store_relaxed(&oldest->state, ACL_OBJECT_FREE);
	store_release(&oldest->ref, next_generation(object_ref(oldest)));
	store_relaxed(&oldest->serial, k->free_head);
	k->free_head = before;
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
	call_site_set_where(m, call);
}

void call_site_copy(struct acl_call_site *to, const struct call_site_slot *from)
{
	struct call_site_slot *m = (struct call_site_slot *)from;

	to->caller = call_site_caller(m);
	to->stack = load_relaxed(&m->stack);
	to->tid = load_relaxed(&m->tid);
	to->api = (uint16_t)call_site_api(m);
}

static struct call_site_slot *created_slot(struct object_kind *k, const struct acl_object *o)
{
	uint32_t number = object_number(o);

	/* Relaxed: o was found, see chunk_add(). */
	return load_relaxed(&load_relaxed(&k->room)->chunks[number / CHUNK].created) + number % CHUNK;
}

const struct call_site_slot *object_created(const struct checks *c, const struct acl_object *o)
{
	return created_slot(c->kinds[o->kind], o);
}

void object_destroyed_at(const struct checks *c, const struct acl_object *o, struct acl_call_site *to)
{
	struct acl_object *object = (struct acl_object *)o;
	struct object_kind *k = c->kinds[o->kind];
	struct dead_object *d = &load_relaxed(&k->room)->dead[load_relaxed(&object->dead_at)];

	*to = (struct acl_call_site){0};
	/* Acquire: when it is destroyed, its place in the ring was filled. */
	if (load_acquire(&object->state) == ACL_OBJECT_DESTROYED &&
		load_relaxed(&d->number) == object_number(o) + 1)
		call_site_copy(to, &d->destroyed);
}

/* Under the kind's lock. */
static void *rare_allocate(struct checks *c, struct object_kind *k)
{
	unsigned char *r = k->rare_pool;

	if ((size_t)(k->rare_end - r) < k->rare) {
		r = checks_alloc(c, RARE_POOL);
		k->rare_end = r ? r + RARE_POOL : NULL;
	}
	k->rare_pool = r ? r + k->rare : NULL;
	return r;
}

static void kill_locked(
	struct object_kind *k, struct acl_object *o, const struct call_site_slot *where, unsigned flags)
{
	atomic_fetch_or_explicit(&o->flags, (uint16_t)flags, memory_order_relaxed);
	retire_locked(k, o, where);
	store_release(&o->state, ACL_OBJECT_DESTROYED);
	store_release(&o->live_value, NOT_LIVE(o));
}

void *object_rare_new(struct checks *c, struct acl_object *o)
{
	struct object_kind *k = c->kinds[o->kind];
	struct object_rare *r;

	lock(&k->lock);
	r = load_relaxed(&o->rare);
	if (!r) {
		r = rare_allocate(c, k);
		store_release(&o->rare, r);
	}
	if (!r && object_usable(o)) {
		object_index_remove(&k->index, o);
		kill_locked(k, o, &nowhere, ACL_OBJECT_BY_OWNER);
	}
	unlock(&k->lock);
	return r;
}

/* Under the kind's lock. */
static void publish(struct checks *c, struct object_kind *k, struct acl_object *o, const void *value)
{
	struct acl_object *before = object_index_put(c, &k->index, o, (uintptr_t)value);

	/* The runtime gave the value out again: its last bearer died without our seeing it. */
	if (before && before != o && object_usable(before))
		kill_locked(k, before, &nowhere, ACL_OBJECT_BY_OWNER);
	if (load_relaxed(&o->state) == ACL_OBJECT_LIVE)
		store_release(&o->live_value, value ? (uintptr_t)value : NOT_LIVE(o));
}

/* Word by word, since a reader with an old reference may be looking. */
static void clear_words(_Atomic uint64_t *word, size_t from, size_t bytes)
{
	for (size_t i = from / sizeof(*word); i < bytes / sizeof(*word); i++)
		store_relaxed(&word[i], 0);
}

/* Under the kind's lock: nothing of the slot's former object is left. */
static void clear(struct object_kind *k, struct acl_object *o)
{
	clear_words(object_extra(o), k->kept, k->element - sizeof(*o));
	if (load_relaxed(&o->rare))
		clear_words((void *)load_relaxed(&o->rare), 0, k->rare);
	store_relaxed(&o->steady, 0);
	store_relaxed(&o->context, 0);
	store_relaxed(&o->device, -1);
	call_site_move(&o->last_used, &nowhere);
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
		clear(k, o);
		store_relaxed(&o->flags, flags);
		store_relaxed(&o->serial, counter_inc(&c->serials) + 1);
		call_site_move(created_slot(k, o), &born);
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

void object_answered(struct checks *c, unsigned kind, const void *value)
{
	struct object_kind *k = c->kinds[kind];
	struct acl_object *o = object_in(k, value);

	if (!o)
		return;
	lock(&k->lock);
	if (object_in(k, value) == o && !object_usable(o))
		object_index_remove(&k->index, o);
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
	struct call_site_slot where = {0};

	call_site_take(c, &where, call, true);
	lock(&k->lock);
	if (object_usable(o))
		kill_locked(k, o, &where, flags);
	unlock(&k->lock);
}
