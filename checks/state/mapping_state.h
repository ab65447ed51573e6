/* SPDX-License-Identifier: Apache-2.0 */
/* What is mapped into reserved ranges of addresses. */
#ifndef CHECKS_MAPPING_STATE_H
#define CHECKS_MAPPING_STATE_H

#include "checks/engine/instance.h"
#include "checks/state/memory_state.h"

#define MAPPINGS 256 /* side by side that are looked at */

struct mapping_state {
	struct pointer_map
		*mapped; /* live mappings; BLOCK_NO_ACCESS: mapped without access, none granted yet */
	_Atomic bool unfollowed; /* there are mappings of which we do not know where */
};

static inline struct mapping_state *mapped_ranges(struct checks *c)
{
	return module_state(c, mapping);
}

/* The live reservation that covers an address. */
static inline bool reservation_at(struct checks *c, const void *address, struct block_lookup *place)
{
	return address && map_find(reserved_ranges(c), (uintptr_t)address, place);
}

/* The mapping behind the last one that was looked at; NULL: none that begins before the end. */
struct acl_block *next_mapping(struct checks *c, struct acl_block *b, uint64_t from, uint64_t end);
/* The first address of the range where nothing is mapped, the end of the range when there is none. */
uint64_t first_gap(struct checks *c, uint64_t base, uint64_t size);

#endif
