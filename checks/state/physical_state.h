/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory: references, exports, granularity. */
#ifndef CHECKS_PHYSICAL_STATE_H
#define CHECKS_PHYSICAL_STATE_H

#include "checks/engine/instance.h"
#include "checks/engine/pointer_map.h"

#define PHYSICAL_MAPPINGS 4 /* of one memory at once; of more, the first are compared */

struct physical_state {
	_Atomic uint32_t references;
	_Atomic uint32_t again; /* those of them that came later, by the same handle */
	struct call_site_slot again_at; /* the last of these */
	_Atomic uint64_t size; /* 0 = unknown */
	_Atomic bool exported, imported;
	_Atomic bool host; /* memory of the host */
	_Atomic bool parts; /* it was mapped from another byte on than its first */
	_Atomic uint64_t mapped[PHYSICAL_MAPPINGS]; /* block_ref of where, live or not */
};

static inline struct physical_state *physical_state(struct acl_object *o)
{
	return object_extra(o);
}

/* It was mapped there, all of it or from an offset on. */
void physical_mapped(struct checks *c, struct acl_object *o, const struct acl_block *block, uint64_t offset);
/* Whether any memory was ever mapped at one more address. */
bool physical_mapped_again(struct checks *c);
/*
 * Another live mapping of the same bytes, at or after *at in the list, which begins with 0; false: no more.
 * *shift: from its addresses to those of the block.
 */
bool physical_mapped_beside(struct checks *c, const struct acl_block *block, unsigned *at,
	struct block_lookup *beside, uint64_t *shift);

/* Bytes of which physical memory of these properties is a multiple: as the runtime answered, else the size of
 * its pages; 0 = unknown. */
uint64_t physical_granularity(struct checks *c, const aclrtPhysicalMemProp *p);

#endif
