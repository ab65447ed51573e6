/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory: references, exports, granularity. */
#ifndef CHECKS_PHYSICAL_STATE_H
#define CHECKS_PHYSICAL_STATE_H

#include "checks/engine/instance.h"

struct physical_state {
	_Atomic uint32_t references;
	_Atomic uint64_t size; /* 0 = unknown */
	_Atomic bool exported, imported;
	_Atomic bool host; /* memory of the host */
};

static inline struct physical_state *physical_state(struct acl_object *o)
{
	return object_extra(o);
}

/* Bytes of which physical memory of these properties is a multiple: as the runtime answered, else the size of
 * its pages; 0 = unknown. */
uint64_t physical_granularity(struct checks *c, const aclrtPhysicalMemProp *p);

#endif
