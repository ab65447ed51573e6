/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: what is known of an address. */
#ifndef CHECKS_MEMORY_STATE_H
#define CHECKS_MEMORY_STATE_H

#include "checks/engine/instance.h"
#include "checks/engine/pointer_map.h"
#include "checks/state/declared_pool.h"

struct op_access;
struct operation;

/* Allocations, and what is mapped or imported. */
static inline struct pointer_map *memory_blocks(const struct checks *c)
{
	return c->maps[MAP_MEMORY];
}

/* Host ranges of aclrtHostRegister. */
static inline struct pointer_map *registered_ranges(const struct checks *c)
{
	return c->maps[MAP_REGISTERED];
}

/* Address ranges without memory of their own. */
static inline struct pointer_map *reserved_ranges(const struct checks *c)
{
	return c->maps[MAP_RESERVED];
}

void lookup_fill(struct checks *c, struct known_lookup *known, uint64_t address, uint64_t version);

/* Changes whenever what is known of some address does. */
static inline uint64_t lookup_version(const struct checks *c)
{
	return map_version(memory_blocks(c)) + map_version(registered_ranges(c));
}

/*
 * What is known of an address: allocations first, then registered ranges.
 * hint: its role in the call, 0 or 1.  Most calls use the blocks of the call
 * before; good until the next question about this role.
 */
static inline const struct block_lookup *lookup_of(
	struct checks *c, const struct acl_call_record *call, const void *address, unsigned hint)
{
	struct known_lookup *known = &thread_of(call)->known[hint % 2];
	uint64_t version = lookup_version(c), at = (uintptr_t)address;

	if (known->version != version || (known->address != at && at - known->place.base >= known->reach))
		lookup_fill(c, known, at, version);
	return &known->place;
}

static inline bool lookup_find(struct checks *c, const struct acl_call_record *call, const void *address,
	unsigned hint, struct block_lookup *place)
{
	*place = *lookup_of(c, call, address, hint);
	return place->block != NULL;
}

/* The allocation at an address, NULL = none; several rules of a call that look for the same one look once. */
static inline const struct block_lookup *allocation_at(
	struct checks *c, const struct acl_call_record *call, const void *address, unsigned hint)
{
	const struct block_lookup *place = lookup_of(c, call, address, hint);

	return place->block && place->kind != MEM_REGISTERED ? place : NULL;
}

static inline bool lookup_allocation(struct checks *c, const struct acl_call_record *call,
	const void *address, unsigned hint, struct block_lookup *place)
{
	*place = *lookup_of(c, call, address, hint);
	return place->block && place->kind != MEM_REGISTERED;
}

/* The memory at an address as a call that uses it sees it: a declared block, an allocation, a registered
 * range. */
static inline bool memory_find(struct checks *c, uint64_t address, struct block_lookup *found)
{
	if (declared_find(c, address, found))
		return found->block != NULL;
	return map_find(memory_blocks(c), address, found) ||
	       (map_live(registered_ranges(c)) && map_find(registered_ranges(c), address, found));
}

/* Bytes that the runtime really has behind the base of a block: sizes are rounded up. */
uint64_t memory_rounded(const struct block_lookup *place);
/* An address no table knows, in what rounding up has added to the allocation before it. */
bool memory_behind(struct checks *c, uint64_t address, struct block_lookup *place);

/* Class of an address no table knows; looked up once per call and parameter. */
enum acl_host_class host_class(
	struct checks *c, struct acl_call_record *call, unsigned param, const void *address);
/* Whether a device cannot read there: page-locked memory, the program's stack, heap or files. */
bool memory_is_host(struct checks *c, struct acl_call_record *call, unsigned param, const void *address);
/* Device whose memory it is, of mapped addresses that of the physical memory behind them; -1 = unknown or
 * none. */
int memory_device(struct checks *c, const struct block_lookup *place);
/* Memory of this kind is the host's. */
static inline bool kind_is_host(unsigned kind)
{
	return kind == MEM_HOST || kind == MEM_REGISTERED;
}

static inline bool kind_is_device(unsigned kind)
{
	return kind == MEM_DEVICE || kind == MEM_POOL || kind == MEM_MANAGED || kind == MEM_IMPORTED ||
	       kind == MEM_MAPPED;
}

#endif
