/* SPDX-License-Identifier: Apache-2.0 */
/* The writers' part of the index: entries come and go, tables are outgrown and used again. */
#include "checks/engine/key_index.h"
#include "checks/engine/instance.h"

#define SLOTS_MIN 16

static size_t key_table_bytes(uint32_t slots, bool owned)
{
	return sizeof(struct key_table) + slots * (sizeof(struct key_slot) + (owned ? sizeof(uint64_t) : 0));
}

/* An outgrown table of this size, empty again; readers may be in it. */
static struct key_table *key_table_again(struct key_index *x, uint32_t slots)
{
	struct key_table **at = &x->outgrown, *t;

	while (*at && (*at)->mask != slots - 1)
		at = &(*at)->next;
	t = *at;
	if (!t)
		return NULL;
	*at = t->next;
	t->used = 0;
	for (uint32_t i = 0; i < slots; i++) {
		/* Release: who misses a key sees that the table was renewed.  Values come before their keys.
		 */
		store_release(&t->slots[i].key, KEY_NONE);
		if (t->owner)
			t->owner[i] = 0;
	}
	return t;
}

static struct key_table *key_table_new(struct checks *c, const struct key_index *x, uint32_t slots)
{
	struct key_table *t = checks_alloc(c, key_table_bytes(slots, x->gone != NULL));

	if (!t)
		return NULL;
	t->mask = slots - 1;
	t->shift = (uint32_t)__builtin_clzll(slots) + 1;
	t->owner = x->gone ? (uint64_t *)&t->slots[slots] : NULL;
	return t;
}

static bool slot_kept(struct checks *c, const struct key_index *x, struct key_table *t, uint32_t i)
{
	return key_valid(load_relaxed(&t->slots[i].key)) &&
	       (!t->owner || !t->owner[i] || !x->gone(c, t->owner[i]));
}

/* Key and value where there is none of it yet. */
static void slot_fill(struct key_table *t, uint64_t key, uint64_t value, uint64_t owner)
{
	uint64_t i = key_place(t, key);

	while (load_relaxed(&t->slots[i & t->mask].key))
		i++;
	if (t->owner)
		t->owner[i & t->mask] = owner;
	/* Who finds the key finds its value, and nobody the value of a former life: table_again counted
	 * before. */
	store_release(&t->slots[i & t->mask].value, value);
	store_release(&t->slots[i & t->mask].key, key);
	t->used++;
}

/* A table for what is there, without what is gone. */
static bool renew(struct checks *c, struct key_index *x)
{
	struct key_table *old = load_relaxed(&x->table), *new;
	uint32_t kept = 0, slots = SLOTS_MIN;

	for (uint32_t i = 0; old && i <= old->mask; i++)
		kept += slot_kept(c, x, old, i);
	while (slots < kept * 4)
		slots *= 2;
	/* Before a word of the table that is used again: who reads one of those (acquire) sees the count. */
	store_release(&x->renewals, load_relaxed(&x->renewals) + 1);
	new = key_table_again(x, slots);
	if (!new)
		new = key_table_new(c, x, slots);
	if (!new)
		return false;
	for (uint32_t i = 0; old && i <= old->mask; i++)
		if (slot_kept(c, x, old, i))
			slot_fill(new, load_relaxed(&old->slots[i].key), load_relaxed(&old->slots[i].value),
				old->owner ? old->owner[i] : 0);
	if (old) {
		old->next = x->outgrown;
		x->outgrown = old;
	}
	store_release(&x->table, new);
	return true;
}

bool key_index_put(
	struct checks *c, struct key_index *x, uint64_t key, uint64_t value, uint64_t owner, uint64_t *before)
{
	struct key_table *t = load_relaxed(&x->table);
	struct key_slot *slot = t && key_valid(key) ? key_slot_in(t, key) : NULL;

	*before = 0;
	if (!key_valid(key))
		return false;
	if (slot) {
		*before = load_relaxed(&slot->value);
		if (t->owner)
			t->owner[slot - t->slots] = owner;
		store_release(&slot->value, value);
		return true;
	}
	if ((!t || (t->used + 1) * 4 > (t->mask + 1) * 3) && !renew(c, x))
		return false;
	slot_fill(load_relaxed(&x->table), key, value, owner);
	return true;
}

void key_index_remove(struct key_index *x, uint64_t key)
{
	struct key_table *t = load_relaxed(&x->table);
	struct key_slot *slot = t && key_valid(key) ? key_slot_in(t, key) : NULL;

	if (slot)
		store_release(&slot->key, KEY_GONE);
}

void key_index_clear(struct key_index *x)
{
	struct key_table *t = load_relaxed(&x->table);

	for (uint32_t i = 0; t && i <= t->mask; i++)
		if (key_valid(load_relaxed(&t->slots[i].key)))
			store_release(&t->slots[i].key, KEY_GONE);
}

bool key_index_next(struct key_index *x, uint32_t *cursor, uint64_t *key, uint64_t *value)
{
	struct key_table *t = load_acquire(&x->table);

	while (t && *cursor <= t->mask) {
		struct key_slot *slot = &t->slots[(*cursor)++];

		*key = load_acquire(&slot->key);
		*value = load_acquire(&slot->value);
		if (key_valid(*key))
			return true;
	}
	return false;
}
