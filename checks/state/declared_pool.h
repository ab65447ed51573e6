/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pools of memory that the program declares, and the blocks it hands out of
 * them: the parts of an allocation that a caching allocator makes.  A block is
 * memory of its own; what of the pool is in no block is free.  Order is not
 * a matter of blocks but of bytes: accesses in flight are kept with the
 * allocation, as the next block may have the same bytes.
 */
#ifndef CHECKS_DECLARED_POOL_H
#define CHECKS_DECLARED_POOL_H

#include "checks/engine/instance.h"

/* The allocation that a declared block lies in; false: it is gone. */
bool declared_home(struct checks *c, const struct acl_block *block, struct block_lookup *home);
/* Stream that a declared block belongs to; NULL: none was named, or it is gone. */
struct acl_object *declared_stream(struct checks *c, const struct acl_block *block);

/* As the address is looked up while there are pools; false: it is in none. found->block is NULL where it is
 * in no block. */
bool declared_look_up(struct checks *c, uint64_t address, struct block_lookup *found);

static inline bool declared_find(struct checks *c, uint64_t address, struct block_lookup *found)
{
	return __builtin_expect(load_acquire(&c->declared) != NULL, 0) && declared_look_up(c, address, found);
}

/* For the state of memory: a block is given back. */
void declared_end_enter(struct checks *c, struct acl_call_record *call);
void declared_end_leave(struct checks *c, struct acl_call_record *call);

#endif
