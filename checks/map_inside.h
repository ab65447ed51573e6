/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the pointer map: buckets, the classes of regions, block slabs. */
#ifndef CHECKS_MAP_INSIDE_H
#define CHECKS_MAP_INSIDE_H

#include "checks/core.h"
#include "checks/map.h"

#define SLOTS 3
#define TABLE_MIN 5 /* log2 of the buckets */
#define TABLE_MAX 40
#define BLOCK_CHUNK 1024
#define BLOCK_CHUNKS 65536
#define BUSY 1u /* bit 0 of the sequence: a writer is inside */
#define SPILLED 2u /* bit 1: an entry of this bucket may lie in the next one */
#define STEP 4u
#define INDEX_BITS 26
#define INDEX_MASK ((1u << INDEX_BITS) - 1)
#define DEAD_RING 256

/*
 * Size classes: class k holds blocks of more than a quarter of its granule, up to
 * one granule.  Which classes a region of addresses has blocks of stands in one
 * byte: near ones by 64 KiB (classes 0 to 7), far ones by 256 MiB (8 to 15).
 */
#define NEAR_LOG 16
#define FAR_LOG 28
#define GRANULE_LOG(k) (6 + 2 * (k))
#define CLASS_NEAR 8 /* first class beyond: more than 1 MiB */
#define CLASS_FAR 16 /* first class beyond: more than 64 GiB */
#define CLASS_VAST 14 /* first class whose sizes do not fit into a slot */
#define VAST (UINT64_C(1) << 63) /* inverted in the base of their slots: no address is near */
#define SIZE_MAX_LOG 62
#define REGIONS_MIN ((uint64_t)1 << 13)

struct slot {
	_Atomic uint64_t base; /* 0 = empty: so are the others then */
	_Atomic uint32_t last; /* size - 1; its low bits from CLASS_VAST on */
	_Atomic uint32_t what; /* kind << 26 | block index */
};

struct bucket {
	_Alignas(64) _Atomic uint64_t seq;
	struct slot slot[SLOTS];
	_Atomic uint16_t generation[SLOTS]; /* of the blocks: a look-up touches no other line */
	uint16_t pad;
};

struct table {
	uint64_t mask, regions; /* buckets - 1; bytes of near, and of far, - 1 */
	struct bucket *bucket;
	_Atomic uint8_t *near, *far; /* by region: bit k, a block of class k (8 + k) overlaps it, or did */
	_Atomic uint64_t vast; /* the same for all addresses: classes from CLASS_FAR on */
	struct table *next; /* among the spare ones */
	uint64_t epoch; /* how often it was used before */
};

struct pointer_map {
	_Atomic(struct table *) table;
	struct checks *checks;
	_Alignas(64) struct acl_lock lock;
	uint64_t used, erased; /* entries of the table; erased: since it was made */
	struct table *spare[TABLE_MAX + 1]; /* outgrown tables by size, used again */
	uint32_t carved, free_head, dead_at;
	_Atomic uint32_t live;
	uint32_t dead[DEAD_RING]; /* freed blocks rest here before their slot is used again */
	_Atomic(struct acl_block *) chunks[BLOCK_CHUNKS];
};

static inline unsigned class_of(uint64_t size)
{
	unsigned bits = size > 64 ? 64 - (unsigned)__builtin_clzll(size - 1) : 6;

	return (bits - 5) / 2;
}

static inline struct acl_block *block_at(struct pointer_map *map, uint32_t index)
{
	struct acl_block *chunk =
		index / BLOCK_CHUNK < BLOCK_CHUNKS ? ld_acquire(&map->chunks[index / BLOCK_CHUNK]) : NULL;

	return chunk ? &chunk[index % BLOCK_CHUNK] : NULL;
}

/* --- regions ----------------------------------------------------------------- */

/*
 * Neighbours stay neighbours, so that the bytes of what is in use are few lines;
 * what lies far apart shares a byte at random, which costs a vain look.
 */
static inline uint64_t region_mix(uint64_t address)
{
	return (address >> 36) * 0x9e3779b1u;
}

static inline _Atomic uint8_t *near_of(const struct table *t, uint64_t address)
{
	return &t->near[((address >> NEAR_LOG) + region_mix(address)) & t->regions];
}

static inline _Atomic uint8_t *far_of(const struct table *t, uint64_t address)
{
	return &t->far[((address >> FAR_LOG) + region_mix(address)) & t->regions];
}

/* Bit k: a block of class k may cover the address; others below CLASS_FAR do not. */
static inline unsigned classes_at(const struct table *t, uint64_t address)
{
	return ld_acquire(near_of(t, address)) | (unsigned)ld_acquire(far_of(t, address)) << CLASS_NEAR;
}

static inline struct bucket *bucket_of(const struct table *t, uint64_t granule)
{
	return &t->bucket[mix64(granule) & t->mask];
}

/* --- the table (map_table.c), all under the lock ---------------------------------- */

/* A block that is complete; false: no memory. */
bool table_enter(struct pointer_map *map, struct acl_block *b);
void table_drop(struct pointer_map *map, struct acl_block *block);

#endif
