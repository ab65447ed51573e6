/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointer map: address -> block, for blocks of any size.  A block lies in the one
 * hash table under its first byte's granule; granules are as large as the largest
 * blocks of the size class, so whatever covers an address starts in one of two
 * granules a class, however large it is.  Which classes there are near an address
 * is kept by region.  A bucket is one cache line with a sequence count; readers
 * take no lock.
 */
#ifndef CHECKS_POINTER_MAP_H
#define CHECKS_POINTER_MAP_H

#include "checks/engine/objects.h"

enum acl_memory_kind {
	MEM_NONE,
	MEM_DEVICE, /* aclrtMalloc and relatives */
	MEM_HOST, /* aclrtMallocHost: page-locked */
	MEM_MANAGED,
	MEM_POOL, /* piece of a memory pool */
	MEM_IMPORTED, /* of another process */
	MEM_MAPPED, /* physical memory mapped into reserved addresses */
	MEM_RESERVED, /* reserved address range */
	MEM_REGISTERED, /* the program's own host memory, registered */
	MEM_VARIABLE, /* of device code; in no map (state/variable_state.h) */
	MEM_CONDITION /* of a captured model, by its handle; beside the variables */
};

/* "device memory", "page-locked host memory" … */
const char *memory_kind_name(unsigned kind);

/* What happened to a block, for rules that need no more than that. */
enum block_mark {
	BLOCK_DESCRIBED = 1u << 0, /* a descriptor was put into it */
	BLOCK_REPORTED = 1u << 1, /* an advice about it was given */
	BLOCK_DECLARED = 1u << 2, /* a part of an allocation, declared by the program */
	BLOCK_NO_ACCESS = 1u << 3, /* a mapping that no access was granted to yet */
	BLOCK_PINNED = 1u << 4, /* a registration that locks pages … */
	BLOCK_UNMAPPED = 1u << 5, /* … and maps nothing for a device */
	BLOCK_WORDS = 1u << 6, /* streams write words there */
	BLOCK_ARGUMENTS = 1u << 7 /* a kernel was launched whose arguments lie there */
};

/*
 * Number of a block for tables beside the maps: declared blocks have numbers behind those of all
 * others. As .index of a look-up.
 */
#define DECLARED_NUMBERS (1u << 25)

struct acl_block {
	_Atomic uint64_t base, size;
	_Atomic uint64_t serial;
	_Atomic uint64_t owner; /* acl_ref of the context it was made in, of pool memory its pool, of mapped
				   memory the physical memory; 0 = unknown */
	struct call_site_slot created;
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
	uint32_t left, right; /* in the tree by address, under the map's lock: index + 1, 0 = none */
};

/* What a lookup found; a copy, so it stays true to itself. */
struct block_lookup {
	struct acl_block *block; /* NULL: no table knows the address */
	uint64_t base, size;
	union {
		struct {
			uint32_t index; /* of the block: for tables beside the map, where its own line is too
					   far */
			uint32_t generation;
		};
		uint64_t number; /* both */
	};
	uint8_t kind; /* enum acl_memory_kind */
};

/* What a look-up of the block finds. */
static inline struct block_lookup block_found(struct acl_block *b, uint32_t generation)
{
	return (struct block_lookup){.block = b,
		.base = load_relaxed(&b->base),
		.size = load_relaxed(&b->size),
		.index = b->index,
		.generation = generation,
		.kind = load_relaxed(&b->kind)};
}

struct pointer_map;

/* The maps there are: what they hold, and how rules get at them, is in state/memory_state.h. */
enum map_id { MAP_MEMORY, MAP_REGISTERED, MAP_RESERVED, MAP_COUNT };

/* What a pointer map begins with: changes after every change, for those who remember what they looked up. */
struct map_head {
	_Atomic uint64_t version;
	_Atomic bool large; /* its table may lie outside of the caches */
};

static inline uint64_t map_version(const struct pointer_map *map)
{
	return load_acquire(&((struct map_head *)map)->version);
}

static inline bool map_is_large(const struct pointer_map *map)
{
	return load_relaxed(&((struct map_head *)map)->large);
}

struct pointer_map *map_create(struct checks *c);

bool map_find(struct pointer_map *map, uint64_t address, struct block_lookup *place);
/* Fetches the lines that map_find will look at first; of use only for a large map. */
void map_prefetch(struct pointer_map *map, uint64_t address);
/* The first block, by address, that touches [base, base + size); NULL: none.  Takes the lock, O(log n). */
struct acl_block *map_first_in(struct pointer_map *map, uint64_t base, uint64_t size);
/* A new block; whatever was known inside of it is gone. NULL: no memory. */
struct acl_block *map_insert(struct checks *c, struct pointer_map *map, const struct acl_call_record *call,
	uint64_t base, uint64_t size, unsigned kind, int device);
/* Removes the block unless it is gone already. */
void map_erase(struct pointer_map *map, struct acl_block *block, uint32_t generation);
bool block_releasing(struct acl_block *block, uint32_t generation);
void block_release_failed(struct acl_block *block, uint32_t generation);
/* Every block that is in the map, in no order. */
struct acl_block *map_next(struct pointer_map *map, uint32_t *cursor);
struct acl_block *map_block(struct pointer_map *map, uint32_t index);
uint32_t map_live(const struct pointer_map *map);
/* In a child after fork: another process may have held the lock. */
void map_forked(struct pointer_map *map);
/* Every map that map_create() made. */
void maps_forked(struct checks *c);

/* Who looked something up in the map looks again: something else has changed that it depends on. */
void map_touch(struct pointer_map *map);

static inline uint32_t block_number(const struct acl_block *b)
{
	bool declared = load_relaxed(&((struct acl_block *)b)->marks) & BLOCK_DECLARED;

	return declared ? b->index + DECLARED_NUMBERS : b->index;
}

/* References to blocks, beside those to objects (acl_ref): a kind no object has, index, generation. */
#define REF_VARIABLE UINT64_C(60)
#define REF_DECLARED UINT64_C(61)
#define REF_MEMORY UINT64_C(62)
#define REF_REGISTERED UINT64_C(63)

static inline uint64_t block_ref(const struct acl_block *block, uint32_t generation, bool registered)
{
	struct acl_block *b = (struct acl_block *)block;

	return (load_relaxed(&b->marks) & BLOCK_DECLARED        ? REF_DECLARED
		       : registered                             ? REF_REGISTERED
		       : load_relaxed(&b->kind) >= MEM_VARIABLE ? REF_VARIABLE
								: REF_MEMORY)
		       << 58 |
	       (uint64_t)block->index << 32 | generation;
}

/* The object it belongs to. */
static inline void block_owned(struct acl_block *b, uint64_t owner)
{
	store_relaxed(&b->owner, owner);
}

static inline void block_marked(struct acl_block *b, enum block_mark mark)
{
	atomic_fetch_or(&b->marks, mark);
}

static inline void block_unmarked(struct acl_block *b, enum block_mark mark)
{
	atomic_fetch_and(&b->marks, (uint8_t)~mark);
}

/* A finding has named it: it is not reported as left behind once more. */
static inline void block_reported(struct acl_block *b)
{
	atomic_fetch_or(&b->flags, ACL_OBJECT_REPORTED);
}

/* The block a reference means, NULL when that generation is gone. */
struct acl_block *block_of(struct checks *c, uint64_t ref);

#define map_each(map, b) for (uint32_t at_ = 0; ((b) = map_next(map, &at_)) != NULL;)

#endif
