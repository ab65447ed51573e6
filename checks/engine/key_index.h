/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key -> 64-bit value: open addressing, grown by copying.  Readers take no lock and
 * may still look into a table that was outgrown: it keeps its content until it is
 * used again, and the count of renewals shows them then that they were late.  Writers
 * hold their own lock.  The same tables are used again, so that keys which come and go
 * for ever need no more memory than those that are there at once.
 */
#ifndef CHECKS_KEY_INDEX_H
#define CHECKS_KEY_INDEX_H

#include <stddef.h>

#include "checks/engine/atomics.h"

struct checks;

#define KEY_NONE 0 /* no key: nothing was ever there */
#define KEY_GONE UINT64_MAX /* no key either: something was taken out */

struct key_slot {
	_Atomic uint64_t key, value;
};

struct key_table {
	uint32_t mask, used; /* used: slots not empty, gone ones included; under the lock */
	uint32_t shift; /* of a key's product: what is left is the slot where its search begins */
	struct key_table *next; /* among the outgrown ones */
	uint64_t *owner; /* by slot, behind the slots: what the key belongs to, 0 = nothing; under the lock */
	struct key_slot slots[];
};

/* Whether what a key belongs to is no more. */
typedef bool (*key_owner_gone_fn)(struct checks *c, uint64_t owner);

struct key_index {
	_Atomic(struct key_table *) table;
	_Atomic uint32_t renewals;
	struct key_table *outgrown;
	key_owner_gone_fn gone; /* NULL: keys belong to nothing */
};

static inline bool key_valid(uint64_t key)
{
	return key + 1 > 1;
}

/* Where the search for a key begins: handles are often as far from each other, and so are these slots. */
static inline uint64_t key_place(const struct key_table *t, uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) >> t->shift;
}

/* The slot with the key as the table is just now; NULL: none. */
static inline struct key_slot *key_slot_in(struct key_table *t, uint64_t key)
{
	for (uint64_t i = key_place(t, key);; i++) {
		struct key_slot *slot = &t->slots[i & t->mask];
		uint64_t found = load_acquire(&slot->key);

		if (found == key)
			return slot;
		if (!found)
			return NULL;
	}
}

/* false: the key is not there. The value may be that of a moment ago. */
static inline bool key_index_get(struct key_index *x, uint64_t key, uint64_t *value)
{
	uint32_t renewals;
	bool found;

	if (!key_valid(key))
		return false;
	do {
		struct key_table *t;
		struct key_slot *slot;

		renewals = load_acquire(&x->renewals);
		t = load_acquire(&x->table);
		slot = t ? key_slot_in(t, key) : NULL;
		found = slot != NULL;
		if (found)
			*value = load_acquire(&slot->value);
		/* Relaxed: whatever was read above of a renewed table was an acquire. */
	} while (__builtin_expect(load_relaxed(&x->renewals) != renewals, 0));
	return found;
}

/*
 * Under the lock: the key has this value now, and goes when its owner does. *before: its former value, 0 =
 * none. false: no memory, and nothing has changed.
 */
bool key_index_put(struct checks *c, struct key_index *x, uint64_t key, uint64_t value, uint64_t owner,
	uint64_t *before);
/* Under the lock. */
void key_index_remove(struct key_index *x, uint64_t key);
void key_index_clear(struct key_index *x);
/* Entries one by one, in no order, beginning with *cursor 0; for times when few are added. */
bool key_index_next(struct key_index *x, uint32_t *cursor, uint64_t *key, uint64_t *value);

#endif
