/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools: what is in use, where it was given back. */
#ifndef CHECKS_POOL_STATE_H
#define CHECKS_POOL_STATE_H

#include "checks/engine/instance.h"

#define POOL_STREAMS 8 /* streams on which memory was given back; of more nothing is known */

struct pool_state {
	_Alignas(8) struct acl_lock lock; /* stays with the slot */
	_Alignas(8) _Atomic uint64_t limit; /* bytes it can hold, 0 = unknown */
	_Atomic uint64_t bytes; /* in use */
	_Atomic uint32_t live;
	_Atomic bool captured; /* models allocate from it */
	struct {
		acl_ref stream;
		uint64_t position;
	} freed[POOL_STREAMS];
};

#define POOL_KEPT offsetof(struct pool_state, limit)

static inline struct pool_state *pool_state(struct acl_object *o)
{
	return object_extra(o);
}

#endif
