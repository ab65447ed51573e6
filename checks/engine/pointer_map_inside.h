/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the pointer map: buckets, the classes of regions, block slabs. */
#ifndef CHECKS_POINTER_MAP_INSIDE_H
#define CHECKS_POINTER_MAP_INSIDE_H

#include "checks/engine/instance.h"
#include "checks/engine/pointer_map.h"

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
 * one granule, and smaller ones that lie near such (class_for()).  Which classes a region of addresses has
 * blocks of stands in one byte: near ones by 64 KiB (classes 0 to 6), far ones by 256 MiB (7 to 14).
 */
#define NEAR_LOG 16
#define FAR_LOG 28
#define FAR_REGIONS 4096
#define GRANULE_LOG(k) (6 + 2 * (k))
#define CLASS_NEAR 7 /* first class beyond: more than 256 KiB */
#define CLASS_FAR 15 /* first class beyond: more than 16 GiB */
#define CLASS_VAST 14 /* first class whose sizes do not fit into a slot */
#define VAST (UINT64_C(1) << 63) /* inverted in the base of their slots: no address is near */
#define SIZE_MAX_LOG 62
#define RUN_HERE 0x80u /* the other bit of a near region: blocks of a run may lie there */
#define REGIONS_LOG_MIN 13
#define REGIONS_CACHED (UINT64_C(1) << 15) /* a table of fewer lies in the caches anyway */

/*
 * Allocators give blocks of one size out at equal distances.  Such a run needs no
 * entry per block: where an address lies in it is reckoned, and two bits say whether
 * there is a block.  A million blocks then are 256 KiB to look at, where entries
 * would be 64 MiB that no cache holds.
 */
#define RUNS 120
#define TRENDS 64
#define RUN_AFTER 32 /* so many blocks at equal distances make a run */
#define RUN_SLOTS 65536
#define RUN_GAP 16 /* so many blocks may be missing where it grows */
/* A block claims two regions at most, and the inverse is exact. */
#define RUN_STRIDE_MAX ((uint64_t)1 << 17)

#define SLOTS_A_WORD 32
enum { SLOT_EMPTY, SLOT_FIRST, SLOT_AGAIN };

struct run_slots {
	_Atomic uint64_t state[RUN_SLOTS / SLOTS_A_WORD]; /* two bits a slot; FIRST: its generation is 1 */
	_Atomic uint16_t generation[RUN_SLOTS];
};

struct run {
	_Alignas(64) _Atomic uint64_t seq; /* odd: it begins or ends */
	_Atomic uint64_t base, stride, inverse; /* inverse: 2^64 / stride, rounded up */
	_Atomic uint32_t last; /* size - 1 */
	_Atomic uint32_t slots; /* 0 = not in use */
	_Atomic uint8_t kind;
	_Atomic(struct run_slots *) has;
	_Atomic(struct acl_block *) blocks[RUN_SLOTS / BLOCK_CHUNK];
	uint32_t
		first[RUN_SLOTS / BLOCK_CHUNK]; /* index of the chunk's first block, there before the chunk */
	/* Under the lock; look-ups read no line that insertions write. */
	_Alignas(64) uint64_t claimed; /* its regions are marked up to this address */
	uint32_t live;
};

/* The blocks of a size as they came: whether they make a run. */
struct trend {
	uint64_t base, size, stride;
	uint32_t count;
	uint8_t kind, run; /* run: number + 1 of the run that grows, 0 = none */
};

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
	uint64_t mask, regions; /* buckets - 1; bytes of near, and of run, - 1 */
	struct bucket *bucket;
	_Atomic uint8_t *near, *far; /* by region: bit k, a block of class k (7 + k) overlaps it, or did */
	_Atomic uint8_t *run; /* by near region: number of the run with blocks there */
	_Atomic uint64_t vast; /* the same for all addresses: classes from CLASS_FAR on */
	struct table *next; /* among the spare ones */
	uint64_t epoch; /* how often it was used before */
};

struct pointer_map {
	struct map_head head;
	_Atomic(struct table *) table;
	_Atomic uint32_t renewals; /* of the table, counted before */
	struct checks *checks;
	struct pointer_map *earlier; /* made before this one, of the same checker */
	_Alignas(64) struct acl_lock lock;
	uint64_t used, erased; /* entries of the table; erased: since it was made */
	uint64_t claimed; /* regions of runs */
	struct table *spare[TABLE_MAX + 1]; /* outgrown tables by size, used again */
	uint32_t chunked, free_head, dead_at;
	_Atomic uint32_t
		carved; /* behind the last slot that was ever used; what follows in its chunk was not */
	uint32_t root; /* of the blocks by address: index + 1, 0 = none */
	_Atomic uint32_t live;
	uint32_t dead[DEAD_RING]; /* freed blocks rest here before their slot is used again */
	struct trend trend[TRENDS]; /* by size; several may share one */
	uint32_t runs; /* ever begun */
	struct run run[RUNS];
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
		index / BLOCK_CHUNK < BLOCK_CHUNKS ? load_acquire(&map->chunks[index / BLOCK_CHUNK]) : NULL;

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

static inline uint64_t region_of(const struct table *t, uint64_t address)
{
	return ((address >> NEAR_LOG) + region_mix(address)) & t->regions;
}

static inline _Atomic uint8_t *far_of(const struct table *t, uint64_t address)
{
	return &t->far[((address >> FAR_LOG) + region_mix(address)) % FAR_REGIONS];
}

/* Bit k: a block of class k may cover the address; others below CLASS_FAR do not. */
static inline unsigned classes_at(const struct table *t, uint64_t address)
{
	return (load_acquire(&t->near[region_of(t, address)]) & ~RUN_HERE) |
	       (unsigned)load_acquire(far_of(t, address)) << CLASS_NEAR;
}

/* --- buckets ------------------------------------------------------------------- */

/*
 * Where to look for blocks of one class is known, not of which class the one at an address is: there is a
 * bucket to look at for each class that its region has.  The buckets of all that begins in the same 64 KiB
 * lie in one row, a page of them, so that they cost one walk of the page tables.  Below 1 KiB rows are of
 * fewer bytes, for no row to have too many blocks.
 */
#define ROW_LOG 6
#define ROW_CLASS 2 /* from this class on a row is of 64 KiB, a bucket of it 1 KiB */
#define UNIT_LOG GRANULE_LOG(ROW_CLASS)
#define CLASS_AFTER_ROW 6 /* first class of which a granule is more than a row */
#define ROW_WIDEST (CLASS_AFTER_ROW - 1)
/* Behind a full one: its neighbour, which the processor fetches along, then a pair in another row; all pairs
 * get their turn, as half of it is odd. */
#define NEXT_PAIR ((1u << ROW_LOG) + 2)

static inline uint64_t row_of(uint64_t unit)
{
	return mix64(unit >> ROW_LOG);
}

/* Numbers of buckets, before they are cut to the table's size. */
static inline uint64_t bucket_in_row(uint64_t row, uint64_t unit)
{
	return row << ROW_LOG | ((unit ^ row >> 40) & ((1u << ROW_LOG) - 1));
}

static inline uint64_t bucket_number(unsigned k, uint64_t granule)
{
	uint64_t unit = k > ROW_CLASS ? granule << 2 * (k - ROW_CLASS) : granule;

	return bucket_in_row(row_of(unit), unit);
}

/* Where entries lie for which there was no room, one try after the other. */
static inline uint64_t bucket_after(uint64_t first, uint64_t tries)
{
	return (first + tries / 2 * NEXT_PAIR) ^ (tries & 1);
}

/* Slot of a run an address falls to; beyond its slots when it is beyond the run. */
static inline uint64_t run_slot(uint64_t offset, uint64_t inverse)
{
	return (uint64_t)((unsigned __int128)offset * inverse >> 64);
}

/* --- blocks by address (pointer_map_order.c), all under the lock ------------------------- */

void order_enter(struct pointer_map *map, struct acl_block *b);
void order_drop(struct pointer_map *map, struct acl_block *b);
/* The block with the lowest base from the address on; NULL: none. */
struct acl_block *order_from(struct pointer_map *map, uint64_t address);
/* From the live blocks: some writer may have left it half done. */
void order_renew(struct pointer_map *map);

/* --- the table (pointer_map_table.c), all under the lock ---------------------------------- */

/* A block that is complete; false: no memory. */
bool table_enter(struct pointer_map *map, struct acl_block *b);
void table_drop(struct pointer_map *map, struct acl_block *block);
/* A table for what is in use now, and for more regions of runs. */
bool table_renew(struct pointer_map *map, uint64_t regions);

/* --- runs (pointer_map_run.c), all under the lock ------------------------------------------ */

/* A free block of a run that the range falls to, NULL = none; run_enter makes it known. */
struct acl_block *run_take(struct pointer_map *map, uint64_t base, uint64_t size, unsigned kind);
void run_enter(struct pointer_map *map, struct acl_block *b);
void run_drop(struct pointer_map *map, struct acl_block *b);
/* Marks the regions of all runs in a new table, which has no fewer regions than the old one. */
void runs_mark(struct pointer_map *map, struct table *t);
/* A chunk of blocks never used: index of the first. */
#define CHUNK_NONE UINT32_MAX
uint32_t chunk_new(struct pointer_map *map);

#endif
