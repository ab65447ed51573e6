/* SPDX-License-Identifier: Apache-2.0 */
/* Where the accesses in flight of a block are kept, see pending_access.h: a place for each, as long as there
 * are. */
#ifndef CHECKS_ACCESS_PLACE_H
#define CHECKS_ACCESS_PLACE_H

#include "checks/engine/pointer_map.h"

/*
 * The blocks with the lowest numbers have a place of their own.  The others share as many, by their address:
 * so a program with that many blocks can have the place's line fetched together with what names the block.
 */
#define OWN_PLACES 65536
#define SHARED_LOG 16
#define REGISTERED_PLACES 4096
#define VARIABLES 1024 /* of devices; of more, nothing is known */
#define PLACES (OWN_PLACES + (1 << SHARED_LOG) + REGISTERED_PLACES + VARIABLES)

/* Of blocks at equal distances no two lie close. */
static inline uint32_t shared_place(uint64_t base)
{
	return OWN_PLACES + (uint32_t)(base * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SHARED_LOG));
}

static inline uint32_t access_place(unsigned kind, uint32_t index, uint64_t base)
{
	if (__builtin_expect(kind >= MEM_REGISTERED, 0))
		return OWN_PLACES + (1 << SHARED_LOG) +
		       (kind == MEM_REGISTERED ? index % REGISTERED_PLACES : REGISTERED_PLACES + index);
	return __builtin_expect(index < OWN_PLACES, 1) ? index : shared_place(base);
}

/* Fetches the place of a block that begins at the address, where it is likely to be shared. */
void access_place_fetch(struct checks *c, uint64_t address);

#endif
