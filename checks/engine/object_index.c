/* SPDX-License-Identifier: Apache-2.0 */
/* The index of objects: its readers' search, and the writers' part. */
#include "checks/engine/instance.h"
#include "checks/engine/pages.h"

#define LOG_MIN 4
#define LOG_LARGE 13

/* In the slots that were left. No handle is 0, and none this address: it is neither found nor at hand. */
static struct acl_object left = {.live_value = NOT_LIVE(&left)};

/* 0 is no handle, and the other is what programs put where they have none. */
static bool value_valid(uint64_t value)
{
	return value + 1 > 1;
}

/*
 * The object with the value, as the table is just now, and its slot; NULL: none.  An object with another
 * value may have been in the slot with this one, which is another's since: a new value is stored after the
 * slot was given away, so who acquires it sees that when looking at the slot again.
 */
static inline struct acl_object *object_in_table(struct object_table *t, uint64_t value, object_slot **slot)
{
	uint64_t i = object_place(t, value);
	struct acl_object *o;

	/* Acquire: who finds an object finds its value; and see object_table_again(). */
	while (*slot = &t->slots[i], (o = load_acquire(*slot)) != NULL && load_acquire(&o->value) != value)
		if (load_relaxed(*slot) == o)
			i = (i + 1) & t->mask;
	return o;
}

struct acl_object *object_index_get(struct object_index *x, uint64_t value)
{
	struct acl_object *found;
	struct object_table *t;
	uint32_t renewals;
	object_slot *slot;

	if (!value_valid(value))
		return NULL;
	/* Of an outgrown table the pages go back: what was not there may be in the new one. It was counted
	 * before the new one was stored, so the count alone does not show it. */
	do {
		renewals = load_acquire(&x->renewals);
		t = load_acquire(&x->table);
		found = object_in_table(t, value, &slot);
		/* Relaxed: whatever was read above of a renewed table was an acquire. */
	} while (__builtin_expect(load_relaxed(&x->renewals) != renewals, 0) ||
		 (!found && load_relaxed(&x->table) != t));
	return found;
}

static unsigned table_log(const struct object_table *t)
{
	return 64 - t->shift;
}

static size_t object_table_bytes(unsigned log)
{
	return sizeof(object_slot) << log;
}

/* Readers may still be inside; what they miss there they look for in the table that is the present one. */
static void outgrown(struct object_index *x, struct object_table *t)
{
	pages_give_back((void *)t->slots, object_table_bytes(table_log(t)));
	x->outgrown[table_log(t)] = t;
}

/* An outgrown table, empty again; readers may be in it. */
static struct object_table *object_table_again(struct object_table *t)
{
	/* Release: who misses a value sees that the table was renewed. What went back is empty already. */
	for (uint64_t i = 0; i <= t->mask; i++)
		if (load_relaxed(&t->slots[i]))
			store_release(&t->slots[i], NULL);
	return t;
}

/* NULL: no memory. */
static struct object_table *object_table_new(struct checks *c, struct object_index *x, unsigned log)
{
	struct object_table *t = x->outgrown[log];

	x->outgrown[log] = NULL;
	if (t)
		return object_table_again(t);
	t = checks_alloc(c, sizeof(*t));
	if (!t)
		return NULL;
	t->slots = checks_alloc(c, object_table_bytes(log));
	t->mask = (uint32_t)((UINT64_C(1) << log) - 1);
	t->shift = 64 - log;
	if (t->slots)
		return t;
	checks_forget(c, t, sizeof(*t));
	return NULL;
}

/*
 * Nothing in the table has the value: into the first slot that is empty or was left.  A reader who was past
 * it came before.  An object that was given two values may be met twice.
 */
static void slot_fill(struct object_index *x, struct object_table *t, struct acl_object *o, uint64_t value)
{
	uint64_t i = object_place(t, value);
	struct acl_object *there;

	while ((there = load_relaxed(&t->slots[i])) != NULL && there != o && there != &left)
		i = (i + 1) & t->mask;
	x->used += !there;
	/* Who finds the object finds its value: that was stored before. */
	store_release(&t->slots[i], o);
}

static struct acl_object *slot_kept(const struct object_table *t, uint64_t i)
{
	struct acl_object *o = load_relaxed(&t->slots[i]);

	return o && o != &left ? o : NULL;
}

/* A table for so many: a quarter full at most, so that what is sought is mostly in the first slot; a large
 * one three eighths, for its memory. */
static unsigned log_for(uint64_t objects)
{
	unsigned log = LOG_MIN;

	while (UINT64_C(1) << log < objects * 4 && log < LOG_LARGE)
		log++;
	while (UINT64_C(3) << log < objects * 8)
		log++;
	return log;
}

/* A table for what is there. */
static bool renew(struct checks *c, struct object_index *x)
{
	struct object_table *old = load_relaxed(&x->table), *new;
	uint64_t slots = old ? old->mask + UINT64_C(1) : 0, kept = 0;
	unsigned log;

	for (uint64_t i = 0; i < slots; i++)
		kept += slot_kept(old, i) != NULL;
	log = log_for(kept);
	/* Before a word of the table that is used again: who reads one of those (acquire) sees the count. */
	store_release(&x->renewals, load_relaxed(&x->renewals) + 1);
	new = log < OBJECT_TABLES ? object_table_new(c, x, log) : NULL;
	if (!new)
		return false;
	x->used = 0;
	for (uint64_t i = 0; i < slots; i++) {
		struct acl_object *o = slot_kept(old, i);

		if (o)
			slot_fill(x, new, o, load_relaxed(&o->value));
	}
	store_release(&x->table, new);
	if (old)
		outgrown(x, old);
	return true;
}

bool object_index_create(struct checks *c, struct object_index *x)
{
	return renew(c, x);
}

/* Room for one object more, with empty slots left. */
static bool has_room(const struct object_index *x, const struct object_table *t)
{
	return (x->used + UINT64_C(1)) * 4 <= (t->mask + UINT64_C(1)) * 3;
}

struct acl_object *object_index_put(
	struct checks *c, struct object_index *x, struct acl_object *o, uint64_t value)
{
	struct object_table *t = load_relaxed(&x->table);
	struct acl_object *before = NULL;
	object_slot *slot = NULL;

	if (value_valid(value))
		before = object_in_table(t, value, &slot);
	/* Release: see object_in_table(). */
	store_release(&o->value, value);
	if (before)
		store_release(slot, o);
	else if (value_valid(value) && (has_room(x, t) || renew(c, x)))
		slot_fill(x, load_relaxed(&x->table), o, value);
	return before;
}

/*
 * Where the next slot is empty, no search goes on behind this one: it is empty again, and so are those before
 * it that were left.  Who misses a value here misses none that is there, see object_table_again().
 */
static void slot_leave(struct object_index *x, struct object_table *t, uint64_t i)
{
	store_release(&t->slots[i], &left);
	if (load_relaxed(&t->slots[(i + 1) & t->mask]))
		return;
	for (; load_relaxed(&t->slots[i]) == &left; i = (i - 1) & t->mask) {
		store_release(&t->slots[i], NULL);
		x->used--;
	}
}

void object_index_remove(struct object_index *x, struct acl_object *o)
{
	struct object_table *t = load_relaxed(&x->table);
	uint64_t value = load_relaxed(&o->value);
	object_slot *slot;

	if (value_valid(value) && object_in_table(t, value, &slot) == o)
		slot_leave(x, t, (uint64_t)(slot - t->slots));
}
