/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of allocators that the program brings. */
#ifndef CHECKS_ALLOCATOR_STATE_H
#define CHECKS_ALLOCATOR_STATE_H

#include "checks/engine/instance.h"

/* What a description must have before it can be registered. */
enum allocator_part {
	ALLOCATOR_OBJECT = 1,
	ALLOCATOR_ALLOCATE = 2,
	ALLOCATOR_FREE = 4,
	ALLOCATOR_ADDRESS = 8,
	ALLOCATOR_COMPLETE = 15
};

struct allocator_desc_state {
	_Atomic uint64_t allocator; /* the program's pointer */
	_Atomic uint32_t parts; /* enum allocator_part, set so far */
};

static inline struct allocator_desc_state *allocator_desc_state(struct acl_object *o)
{
	return object_extra(o);
}

#endif
