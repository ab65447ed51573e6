/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handle value -> object, as the key index does it (key_index.h): open addressing, grown
 * by copying, readers without a lock that may still look into an outgrown table.  The
 * objects hold their values themselves, so a slot is no more than their address, and
 * all that is read of a slot is one word.
 */
#ifndef CHECKS_OBJECT_INDEX_H
#define CHECKS_OBJECT_INDEX_H

#include <stddef.h>

#include "checks/engine/atomics.h"

struct acl_object;
struct checks;

/* NULL = never used; an object without value = left. */
typedef _Atomic(struct acl_object *) object_slot;

/* The slots are a piece of memory of their own that they fill: large ones are of large pages. */
struct object_table {
	object_slot *slots;
	uint32_t mask, shift; /* of a value's product: what is left is the slot where its search begins */
};

#define OBJECT_TABLES 32

struct object_index {
	_Atomic(struct object_table *) table;
	_Atomic uint32_t renewals;
	uint32_t used; /* slots of the table that are not empty; under the lock, as what follows */
	struct object_table *outgrown[OBJECT_TABLES]; /* by the logarithm of its slots: to be used again */
};

/* Where the search for a value begins: handles are often as far from each other, and so are these slots. */
static inline uint64_t object_place(const struct object_table *t, uint64_t value)
{
	return value * UINT64_C(0x9e3779b97f4a7c15) >> t->shift;
}

/* With this it has a table, which object_at_hand() expects. false: no memory. */
bool object_index_create(struct checks *c, struct object_index *x);
/* The object in the index whose value this is, in any state; NULL: none. */
struct acl_object *object_index_get(struct object_index *x, uint64_t value);
/*
 * Under the lock: the object has this value now, and is found by it.  Returns the one that was found by it
 * before, NULL = none.  Without memory it is not found.
 */
struct acl_object *object_index_put(
	struct checks *c, struct object_index *x, struct acl_object *o, uint64_t value);
/* Under the lock: the object is found no more, if it was. */
void object_index_remove(struct object_index *x, struct acl_object *o);

#endif
