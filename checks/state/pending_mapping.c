/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Physical memory that is mapped at several addresses.  Accesses are kept with the mapping they go through,
 * which may not be unmapped before they are done; in conflict they are with those through any other one.
 */
#include "checks/state/pending_inside.h"

void mappings_meet(struct entering *e, const struct block_lookup *place, bool models)
{
	const struct pending_access own = e->access;
	struct block_lookup beside;
	unsigned at = 0;

	while (!conflict_is_sure(e) && physical_mapped_beside(e->c, place->block, &at, &beside, &e->shift)) {
		e->access.start = own.start - e->shift;
		e->access.end = own.end - e->shift;
		compare_with_block(e, &beside);
		if (models)
			replays_meet(e, &beside);
	}
	e->access = own;
	e->shift = 0;
}
