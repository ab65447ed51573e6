/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of allocators that the program brings. */
#ifndef CHECKS_ALLOCATOR_STATE_H
#define CHECKS_ALLOCATOR_STATE_H

#include "checks/engine/instance.h"

struct desc_state {
	_Atomic uint64_t allocator; /* the program's pointer */
	_Atomic uint32_t parts; /* set so far */
};

static inline struct desc_state *desc_state(struct acl_object *o)
{
	return object_extra(o);
}

#endif
