/* SPDX-License-Identifier: Apache-2.0 */
/* Object tables: handle value -> object, slabs, the ring of the dead. */
#include "checks/core.h"

#define CHUNK 64 /* objects in a slab chunk */
#define CHUNKS 4096
#define DEAD_RING 1024

void object_init(struct checks *c, unsigned kind, unsigned extension)
{
	struct object_kind *k = checks_alloc(c, sizeof(*k));

	if (!k)
		return;
	k->element = (uint32_t)((sizeof(struct acl_object) + extension + 63) & ~63u);
	c->kinds[kind] = k;
}

static struct acl_object *at(struct object_kind *k, uint32_t index)
{
	unsigned char *chunk = index / CHUNK < CHUNKS ? ld_acquire(&k->chunks[index / CHUNK]) : NULL;

	return chunk ? (struct acl_object *)(chunk + (size_t)(index % CHUNK) * k->element) : NULL;
}

struct acl_object *object_of(struct checks *c, acl_ref ref)
{
	struct object_kind *k = c->kinds[(ref >> 58) % ACL_HANDLE_COUNT];
	struct acl_object *o;

	if (!ref || !k)
		return NULL;
	o = at(k, (uint32_t)(ref >> 32) & ((1u << 26) - 1));
	return o && ld_acquire(&o->generation) == (uint32_t)ref ? o : NULL;
}

struct acl_object *object_live(struct checks *c, unsigned kind, const void *value)
{
	struct acl_object *o = object_find(c, kind, value);

	return o && object_usable(o) ? o : NULL;
}

/* Under the kind's lock. */
static bool index_grow(struct checks *c, struct object_kind *k)
{
	struct object_index *old = ld(&k->index), *new;
	uint32_t kept = 0, size = 256;

	for (uint32_t i = 0; old && i <= old->mask; i++)
		kept += ld(&old->slots[i].key) > ACL_VALUE_GONE;
	while (size < kept * 4)
		size *= 2;
	new = checks_alloc(c, sizeof(*new) + size * sizeof(new->slots[0]));
	if (!new)
		return false;
	new->mask = size - 1;
	for (uint32_t i = 0; old && i <= old->mask; i++) {
		uint64_t key = ld(&old->slots[i].key), j = mix64(key);

		if (key <= ACL_VALUE_GONE)
			continue;
		while (ld(&new->slots[j & new->mask].key))
			j++;
		st(&new->slots[j & new->mask].object, ld(&old->slots[i].object));
		st(&new->slots[j & new->mask].key, key);
		new->used++;
	}
	st_release(&k->index, new);
	return true;
}

/* Under the kind's lock: value now means o. Returns what it meant before. */
static struct acl_object *index_put(
	struct checks *c, struct object_kind *k, struct acl_object *o, uint64_t key)
{
	struct object_index *index = ld(&k->index);
	struct acl_object *before;
	uint64_t i;

	if ((!index || (index->used + 1) * 4 > (index->mask + 1) * 3) && !index_grow(c, k))
		return NULL;
	index = ld(&k->index);
	for (i = mix64(key); ld(&index->slots[i & index->mask].key); i++)
		if (ld(&index->slots[i & index->mask].key) == key)
			break;
	before = ld(&index->slots[i & index->mask].object);
	st_release(&index->slots[i & index->mask].object, o);
	if (!before) {
		st_release(&index->slots[i & index->mask].key, key);
		index->used++;
	}
	return before;
}

/* Under the kind's lock: forgets the value of an object that leaves the ring of the dead. */
static void index_drop(struct object_kind *k, struct acl_object *o)
{
	struct object_index *index = ld(&k->index);
	uint64_t key = ld(&o->value);

	if (!index || key <= ACL_VALUE_GONE)
		return;
	for (uint64_t i = mix64(key); ld(&index->slots[i & index->mask].key); i++) {
		if (ld(&index->slots[i & index->mask].key) != key)
			continue;
		if (ld(&index->slots[i & index->mask].object) == o)
			st_release(&index->slots[i & index->mask].key, ACL_VALUE_GONE);
		return;
	}
}

/* Under the kind's lock: an object nobody remembers. */
static struct acl_object *carve(struct checks *c, struct object_kind *k, unsigned kind)
{
	uint32_t index = ld(&k->count);
	struct acl_object *o;

	if (k->free_head) {
		o = at(k, k->free_head - 1);
		k->free_head = o->next_free;
		return o;
	}
	if (index >= CHUNK * CHUNKS) {
		checks_in_trouble(c, "too many objects of one kind");
		return NULL;
	}
	if (index % CHUNK == 0) {
		unsigned char *chunk = checks_alloc(c, (size_t)CHUNK * k->element);

		if (!chunk)
			return NULL;
		st_release(&k->chunks[index / CHUNK], chunk);
	}
	o = at(k, index);
	o->kind = (uint8_t)kind;
	o->index = index;
	st(&o->generation, 1);
	atomic_store_explicit(&k->count, index + 1, memory_order_release);
	return o;
}

/* Under the kind's lock: o enters the ring, whoever was there longest is forgotten and its slot is free
 * again. */
static void bury(struct object_kind *k, struct acl_object *o)
{
	uint32_t *place = &k->dead[k->dead_at++ % DEAD_RING];
	struct acl_object *oldest = *place ? at(k, *place - 1) : NULL;

	*place = o->index + 1;
	if (!oldest)
		return;
	index_drop(k, oldest);
	st(&oldest->state, ACL_OBJECT_FREE);
	atomic_fetch_add_explicit(&oldest->generation, 1, memory_order_release);
	oldest->next_free = k->free_head;
	k->free_head = oldest->index + 1;
}

void moment_take(struct checks *c, struct moment *m, const struct acl_event *ev, bool with_stack)
{
	uint32_t stack = ev ? ev->stack : 0;

	if (!ev)
		return;
	if (with_stack && !stack && c->host.stack)
		stack = c->host.stack(c->host.context, ev);
	st(&m->stack, stack);
	st(&m->tid, ev->tid);
	st(&m->api, ev->api);
	st(&m->caller, ev->caller);
}

void moment_copy(struct acl_moment *to, const struct moment *from)
{
	struct moment *m = (struct moment *)from;

	to->caller = ld(&m->caller);
	to->stack = ld(&m->stack);
	to->tid = ld(&m->tid);
	to->api = ld(&m->api);
}

static void moment_clear(struct moment *m)
{
	st(&m->caller, 0);
	st(&m->stack, 0);
	st(&m->tid, 0);
	st(&m->api, 0);
}

static void kill_locked(struct object_kind *k, struct acl_object *o, unsigned flags)
{
	atomic_fetch_or_explicit(&o->flags, (uint16_t)flags, memory_order_relaxed);
	st_release(&o->state, ACL_OBJECT_DEAD);
	bury(k, o);
}

/* Under the kind's lock. */
static void publish(struct checks *c, struct object_kind *k, struct acl_object *o, const void *value)
{
	struct acl_object *before;

	st(&o->value, (uintptr_t)value);
	if ((uintptr_t)value <= ACL_VALUE_GONE)
		return;
	before = index_put(c, k, o, (uintptr_t)value);
	/* The runtime gave the value out again: its last bearer died without our seeing it. */
	if (before && before != o && object_usable(before))
		kill_locked(k, before, ACL_OBJECT_BY_OWNER);
}

/* Word by word, since a reader with an old reference may be looking. */
static void clear_extra(struct object_kind *k, struct acl_object *o)
{
	_Atomic uint64_t *word = object_extra(o);

	for (size_t i = 0; i < (k->element - sizeof(*o)) / sizeof(*word); i++)
		st(&word[i], 0);
}

struct acl_object *object_create(
	struct checks *c, const struct acl_event *ev, unsigned kind, const void *value, unsigned flags)
{
	struct object_kind *k = c->kinds[kind];
	struct moment born = {0};
	struct acl_object *o;

	if (!k)
		return NULL;
	moment_take(c, &born, ev, true); /* the stack is taken before the lock */
	lock(&k->lock);
	o = carve(c, k, kind);
	if (o) {
		clear_extra(k, o);
		st(&o->flags, flags);
		st(&o->serial, bump(&c->serials) + 1);
		st(&o->version, 0);
		st(&o->context, 0);
		st(&o->parent, 0);
		st(&o->device, -1);
		st(&o->captured, 0);
		moment_clear(&o->last_used);
		moment_clear(&o->destroyed);
		st(&o->created.stack, born.stack);
		st(&o->created.tid, born.tid);
		st(&o->created.api, born.api);
		st(&o->created.caller, born.caller);
		st_release(&o->state, ACL_OBJECT_LIVE);
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

bool object_going(struct acl_object *o)
{
	uint8_t live = ACL_OBJECT_LIVE;

	return atomic_compare_exchange_strong(&o->state, &live, ACL_OBJECT_GOING);
}

void object_stays(struct acl_object *o)
{
	uint8_t going = ACL_OBJECT_GOING;

	atomic_compare_exchange_strong(&o->state, &going, ACL_OBJECT_LIVE);
}

void object_dead(struct checks *c, struct acl_object *o, const struct acl_event *ev, unsigned flags)
{
	struct object_kind *k = c->kinds[o->kind];

	moment_take(c, &o->destroyed, ev, true);
	lock(&k->lock);
	if (object_usable(o))
		kill_locked(k, o, flags);
	unlock(&k->lock);
}

struct acl_object *object_next(struct checks *c, unsigned kind, uint32_t *cursor)
{
	struct object_kind *k = c->kinds[kind];
	uint32_t count = k ? ld_acquire(&k->count) : 0;

	while (*cursor < count) {
		struct acl_object *o = at(k, (*cursor)++);

		if (o && ld_acquire(&o->state) != ACL_OBJECT_FREE)
			return o;
	}
	return NULL;
}
