/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointer map: address -> block, for blocks of any size.  A block lies in the one
 * hash table under its first byte's granule; granules are as large as the largest
 * blocks of the size class, so whatever covers an address starts in one of two
 * granules a class, however large it is.  Which classes there are near an address
 * is kept by region.  A bucket is one cache line with a sequence count; readers
 * take no lock.
 */
#ifndef CHECKS_MAP_H
#define CHECKS_MAP_H

#include "checks/object.h"

enum acl_memory_kind {
	MEM_NONE,
	MEM_DEVICE, /* aclrtMalloc and relatives */
	MEM_HOST, /* aclrtMallocHost: page-locked */
	MEM_MANAGED,
	MEM_POOL, /* piece of a memory pool */
	MEM_IMPORTED, /* of another process */
	MEM_MAPPED, /* physical memory mapped into reserved addresses */
	MEM_RESERVED, /* reserved address range */
	MEM_REGISTERED /* the program's own host memory, registered */
};

/* What happened to a block, for rules that need no more than that. */
enum block_mark {
	BLOCK_DESCRIBED = 1u << 0, /* a descriptor was put into it */
	BLOCK_SAID = 1u << 1 /* an advice about it was given */
};

struct acl_block {
	_Atomic uint64_t base, size;
	_Atomic uint64_t serial;
	_Atomic uint64_t owner; /* acl_ref of the context it was made in, of pool memory its pool, of mapped
				   memory the physical memory; 0 = unknown */
	struct moment created;
	_Atomic uint32_t generation;
	_Atomic uint32_t captured; /* live captured models that use it */
	_Atomic uint8_t state; /* enum acl_object_state */
	_Atomic uint8_t kind; /* enum acl_memory_kind */
	_Atomic int8_t device; /* -1 = unknown or host */
	_Atomic uint8_t flags; /* enum acl_object_flag */
	_Atomic uint8_t policy; /* 1 + aclrtMemMallocPolicy without its upper bits, 0 = unknown */
	_Atomic uint8_t marks; /* enum block_mark */
	uint8_t run; /* number + 1 of the run it belongs to for good, 0 = none */
	uint32_t index;
	uint32_t next_free;
};

/* What a lookup found; a copy, so it stays true to itself. */
struct acl_place {
	struct acl_block *block; /* NULL: no table knows the address */
	uint64_t base, size;
	uint32_t generation;
	uint8_t kind; /* enum acl_memory_kind */
	uint32_t index; /* of the block: for tables beside the map, where the block's own line is too far */
};

struct pointer_map;

struct pointer_map *map_create(struct checks *c);

bool map_find(struct pointer_map *map, uint64_t address, struct acl_place *place);
/* Fetches the lines that map_find will look at first. */
void map_prefetch(struct pointer_map *map, uint64_t address);
/* A new block; whatever was known at its first or last byte is gone. NULL: no memory. */
struct acl_block *map_insert(struct checks *c, struct pointer_map *map, const struct acl_event *ev,
	uint64_t base, uint64_t size, unsigned kind, int device);
/* Removes the block unless it is gone already. */
void map_erase(struct pointer_map *map, struct acl_block *block, uint32_t generation);
bool block_going(struct acl_block *block, uint32_t generation);
void block_stays(struct acl_block *block, uint32_t generation);
/* Every block that is in the map, in no order. */
struct acl_block *map_next(struct pointer_map *map, uint32_t *cursor);
struct acl_block *map_block(struct pointer_map *map, uint32_t index);
uint32_t map_live(const struct pointer_map *map);
/* In a child after fork: the lock may have been somebody else's. */
void map_forked(struct pointer_map *map);

#define map_each(map, b) for (uint32_t at_ = 0; ((b) = map_next(map, &at_)) != NULL;)

#endif
