/* SPDX-License-Identifier: Apache-2.0 */
/* The pointer map: buckets, size classes, block slabs. */
#include <sys/mman.h>
#include <unistd.h>

#include "checks/core.h"
#include "checks/map.h"

#define SLOTS 3
#define CLASS_MIN 6 /* blocks up to 64 bytes share the smallest class */
#define CLASSES 58
#define BLOCK_CHUNK 1024
#define BLOCK_CHUNKS 65536
#define BUSY 1u /* bit 0 of the sequence: a writer is inside */
#define SPILLED 2u /* bit 1: an entry of this bucket may lie in the next one */
#define STEP 4u
#define INDEX_BITS 26
#define DEAD_RING 256

struct slot {
	_Atomic uint64_t base; /* 0 = empty */
	_Atomic uint64_t what; /* size - 1 (low 32 bits) << 32 | kind << 26 | block index */
};

struct bucket {
	_Alignas(64) _Atomic uint64_t seq;
	struct slot slot[SLOTS];
	_Atomic uint16_t generation[SLOTS]; /* of the blocks: a look-up touches no other line */
	uint16_t pad;
};

struct table {
	uint64_t mask; /* buckets - 1 */
	struct bucket *bucket;
	struct table *next; /* among the spare ones */
};

struct size_class {
	_Atomic(struct table *) table;
	_Atomic uint64_t low, high; /* every block of the class lies within */
	uint64_t used, erased; /* under the lock; erased: since the table was made */
};

struct pointer_map {
	_Atomic uint64_t classes; /* bit k: class k is not empty (or was not) */
	struct size_class class[64];
	_Alignas(64) struct acl_lock lock;
	struct table *spare[48]; /* outgrown tables by size, used again by other classes */
	uint32_t carved, free_head, dead_at;
	_Atomic uint32_t live;
	uint32_t dead[DEAD_RING]; /* freed blocks rest here before their slot is used again */
	_Atomic(struct acl_block *) chunks[BLOCK_CHUNKS];
};

struct pointer_map *map_create(struct checks *c)
{
	return checks_alloc(c, sizeof(struct pointer_map));
}

static unsigned class_of(uint64_t size)
{
	unsigned bits = size > 1 ? 64 - (unsigned)__builtin_clzll(size - 1) : 0;

	return bits < CLASS_MIN ? CLASS_MIN : bits < CLASSES ? bits : CLASSES;
}

static struct acl_block *block_at(struct pointer_map *map, uint32_t index)
{
	struct acl_block *chunk =
		index / BLOCK_CHUNK < BLOCK_CHUNKS ? ld_acquire(&map->chunks[index / BLOCK_CHUNK]) : NULL;

	return chunk ? &chunk[index % BLOCK_CHUNK] : NULL;
}

/* Fills *place when slot n covers the address. */
static inline bool slot_covers(struct pointer_map *map, struct bucket *bucket, unsigned n, unsigned k,
	uint64_t address, struct acl_place *place)
{
	uint64_t base = ld_acquire(&bucket->slot[n].base), what = ld_acquire(&bucket->slot[n].what), size;
	struct acl_block *b = block_at(map, what & ((1u << INDEX_BITS) - 1));

	size = k <= 32 ? (what >> 32) + 1 : b ? ld(&b->size) : 0;
	place->block = b;
	place->base = base;
	place->size = size;
	place->kind = (what >> INDEX_BITS) & 63;
	place->generation = ld_acquire(&bucket->generation[n]);
	return base && b && address - base < size;
}

/* Blocks do not overlap, yet one may be near the address without covering it. */
static inline bool bucket_find(
	struct pointer_map *map, struct bucket *b, unsigned k, uint64_t address, struct acl_place *place)
{
	for (unsigned n = 0; n < SLOTS; n++)
		if (!((address - ld_acquire(&b->slot[n].base)) >> k) &&
			slot_covers(map, b, n, k, address, place))
			return true;
	return false;
}

/* Looks for a block of class k that covers the address and starts in the given granule. */
static inline bool granule_find(struct pointer_map *map, struct table *t, unsigned k, uint64_t granule,
	uint64_t address, struct acl_place *place)
{
	uint64_t mask = t->mask;

	for (uint64_t i = mix64(granule), tries = 0; tries <= mask; i++, tries++) {
		struct bucket *b = &t->bucket[i & mask];
		uint64_t seq;
		bool hit;

		do {
			for (unsigned spins = 0; __builtin_expect((seq = ld_acquire(&b->seq)) & BUSY, 0);
				spins++)
				if (spins > 1000)
					sched_yield();
			hit = bucket_find(map, b, k, address, place);
		} while (ld(&b->seq) != seq);
		if (hit)
			return true;
		if (!(seq & SPILLED))
			return false;
	}
	return false;
}

static inline bool class_find(struct pointer_map *map, unsigned k, uint64_t address, struct acl_place *place)
{
	struct size_class *class = &map->class[k];
	uint64_t granule = address >> (k + 1), before;
	struct table *t;

	if (address < ld(&class->low) || address >= ld(&class->high))
		return false;
	for (;;) {
		t = ld_acquire(&class->table);
		if (!t)
			return false;
		if (granule_find(map, t, k, granule, address, place))
			return true;
		before = (address - (UINT64_C(1) << k)) >> (k + 1);
		if (before != granule && granule_find(map, t, k, before, address, place))
			return true;
		/* An outgrown table is emptied and used elsewhere: what was not there may be in the new one.
		 */
		if (t == ld_acquire(&class->table))
			return false;
	}
}

static _Atomic uint8_t *hint_of(struct map_hints *hints, uint64_t address)
{
	return &hints->class[mix64(address >> 16) % MAP_HINTS];
}

void map_prefetch(struct pointer_map *map, uint64_t address, struct map_hints *hints)
{
	unsigned k = ld(hint_of(hints, address)) & 63;
	struct table *t = ld_acquire(&map->class[k].table);

	if (t)
		__builtin_prefetch(&t->bucket[mix64(address >> (k + 1)) & t->mask]);
}

/* The first place to look: the bucket itself, no search. */
static inline bool quick_find(struct pointer_map *map, unsigned k, uint64_t address, struct acl_place *place)
{
	struct table *t = ld_acquire(&map->class[k].table);
	struct bucket *b = t ? &t->bucket[mix64(address >> (k + 1)) & t->mask] : NULL;
	uint64_t seq = b ? ld_acquire(&b->seq) : BUSY;

	return !(seq & BUSY) && bucket_find(map, b, k, address, place) && ld(&b->seq) == seq;
}

/* Several classes must be asked: their cache misses overlap. */
static void prefetch_classes(struct pointer_map *map, uint64_t classes, uint64_t address)
{
	for (; classes & (classes - 1); classes &= classes - 1) {
		unsigned k = (unsigned)__builtin_ctzll(classes);
		struct size_class *class = &map->class[k];
		struct table *t = ld_acquire(&class->table);

		if (!t || address < ld(&class->low) || address >= ld(&class->high))
			continue;
		__builtin_prefetch(&t->bucket[mix64(address >> (k + 1)) & t->mask]);
		__builtin_prefetch(&t->bucket[mix64((address - (UINT64_C(1) << k)) >> (k + 1)) & t->mask]);
	}
}

static __attribute__((noinline)) bool search(
	struct pointer_map *map, uint64_t address, _Atomic uint8_t *hint, struct acl_place *place)
{
	uint64_t classes = ld_acquire(&map->classes);

	prefetch_classes(map, classes, address);
	for (; classes; classes &= classes - 1) {
		unsigned k = (unsigned)__builtin_ctzll(classes);

		if (!class_find(map, k, address, place))
			continue;
		if (hint)
			st(hint, (uint8_t)k);
		return true;
	}
	place->block = NULL;
	return false;
}

bool map_find(struct pointer_map *map, uint64_t address, struct map_hints *hints, struct acl_place *place)
{
	_Atomic uint8_t *hint = hints ? hint_of(hints, address) : NULL;

	if (hint && __builtin_expect(quick_find(map, ld(hint) & 63, address, place), 1))
		return true;
	return search(map, address, hint, place);
}

/* --- writers, all under the lock -------------------------------------------- */

static void write_slot(struct bucket *b, unsigned n, uint64_t base, uint64_t what, unsigned generation)
{
	struct slot *s = &b->slot[n];
	uint64_t seq = ld(&b->seq);

	atomic_store_explicit(&b->seq, seq | BUSY, memory_order_relaxed);
	/* Release: who sees a new word sees the bucket busy. */
	st_release(&s->base, 0);
	st_release(&s->what, what);
	st_release(&b->generation[n], (uint16_t)generation);
	st_release(&s->base, base);
	st_release(&b->seq, (seq & ~(uint64_t)BUSY) + STEP);
}

static void mark_spilled(struct bucket *b)
{
	if (!(ld(&b->seq) & SPILLED))
		atomic_fetch_or_explicit(&b->seq, SPILLED, memory_order_release);
}

static void table_put(struct size_class *class, struct table *t, unsigned k, uint64_t base, uint64_t what,
	unsigned generation)
{
	for (uint64_t i = mix64(base >> (k + 1));; i++) {
		struct bucket *b = &t->bucket[i & t->mask];

		for (unsigned n = 0; n < SLOTS; n++)
			if (!ld(&b->slot[n].base)) {
				write_slot(b, n, base, what, generation);
				class->used++;
				return;
			}
		mark_spilled(b);
	}
}

static struct table *table_new(struct checks *c, struct pointer_map *map, unsigned log)
{
	struct table *t = map->spare[log];

	if (t) {
		map->spare[log] = t->next;
		for (uint64_t i = 0; i <= t->mask; i++)
			for (unsigned n = 0; n < SLOTS; n++)
				write_slot(&t->bucket[i], n, 0, 0, 0);
		for (uint64_t i = 0; i <= t->mask; i++)
			atomic_fetch_and_explicit(
				&t->bucket[i].seq, ~(uint64_t)SPILLED, memory_order_release);
		return t;
	}
	t = checks_alloc(c, sizeof(*t));
	if (!t)
		return NULL;
	t->mask = (UINT64_C(1) << log) - 1;
	t->bucket = checks_alloc(c, (t->mask + 1) * sizeof(struct bucket));
	return t->bucket ? t : NULL;
}

/*
 * Readers may still be inside.  The pages go back (and read as zeros: empty
 * buckets, after which a reader looks which table is the present one); the
 * addresses stay for the next class that grows to this size.
 */
static void outgrown(struct pointer_map *map, struct table *t)
{
	unsigned log = 63 - (unsigned)__builtin_clzll(t->mask + 1);
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)t->bucket,
		  end = (uintptr_t)&t->bucket[t->mask + 1];

	begin = (begin + page - 1) & ~(page - 1);
	end &= ~(page - 1);
	if (begin < end)
		madvise((void *)begin, end - begin, MADV_DONTNEED);
	t->next = map->spare[log];
	map->spare[log] = t;
}

static bool class_grow(struct checks *c, struct pointer_map *map, unsigned k)
{
	struct size_class *class = &map->class[k];
	struct table *old = ld(&class->table), *new;
	unsigned log = 2;

	/* Room for about as many again; a little under half of the bound, so that one step of size is enough.
	 */
	while (class->used * 20 > (UINT64_C(1) << log) * SLOTS * 7)
		log++;
	if (log >= 48)
		return false;
	new = table_new(c, map, log);
	if (!new)
		return false;
	class->used = class->erased = 0;
	for (uint64_t i = 0; old && i <= old->mask; i++)
		for (unsigned n = 0; n < SLOTS; n++) {
			struct slot *s = &old->bucket[i].slot[n];

			if (ld(&s->base))
				table_put(class, new, k, ld(&s->base), ld(&s->what),
					ld(&old->bucket[i].generation[n]));
		}
	st_release(&class->table, new);
	if (old)
		outgrown(map, old);
	return true;
}

static void table_drop(struct pointer_map *map, struct acl_block *block)
{
	uint64_t base = ld(&block->base);
	unsigned k = class_of(ld(&block->size));
	struct table *t = ld(&map->class[k].table);

	for (uint64_t i = mix64(base >> (k + 1)), tries = 0; t && tries <= t->mask; i++, tries++) {
		struct bucket *b = &t->bucket[i & t->mask];

		for (unsigned n = 0; n < SLOTS; n++) {
			struct slot *s = &b->slot[n];

			if (ld(&s->base) != base || (ld(&s->what) & ((1u << INDEX_BITS) - 1)) != block->index)
				continue;
			write_slot(b, n, 0, 0, 0);
			map->class[k].used--;
			map->class[k].erased++;
			return;
		}
		if (!(ld(&b->seq) & SPILLED))
			return;
	}
}

static void remove_block(struct pointer_map *map, struct acl_block *block)
{
	uint32_t *place = &map->dead[map->dead_at++ % DEAD_RING];
	struct acl_block *oldest = *place ? block_at(map, *place - 1) : NULL;

	table_drop(map, block);
	st_release(&block->state, ACL_OBJECT_DEAD);
	drop(&map->live);
	*place = block->index + 1;
	if (!oldest)
		return;
	st(&oldest->state, ACL_OBJECT_FREE);
	/* 16 bits, as in the buckets; never 0. */
	st_release(&oldest->generation, ld(&oldest->generation) % 0xffff + 1);
	oldest->next_free = map->free_head;
	map->free_head = oldest->index + 1;
}

static struct acl_block *carve(struct checks *c, struct pointer_map *map)
{
	struct acl_block *b;

	if (map->free_head) {
		b = block_at(map, map->free_head - 1);
		map->free_head = b->next_free;
		return b;
	}
	if (map->carved >= (1u << INDEX_BITS)) {
		checks_in_trouble(c, "more memory blocks than the pointer map holds");
		return NULL;
	}
	if (map->carved % BLOCK_CHUNK == 0) {
		struct acl_block *chunk = checks_alloc(c, BLOCK_CHUNK * sizeof(*chunk));

		if (!chunk)
			return NULL;
		st_release(&map->chunks[map->carved / BLOCK_CHUNK], chunk);
	}
	b = block_at(map, map->carved);
	b->index = map->carved++;
	st(&b->generation, 1);
	return b;
}

static void widen(struct size_class *class, uint64_t base, uint64_t size)
{
	uint64_t low = ld(&class->low), high = ld(&class->high);

	if (!high || base < low)
		st(&class->low, base);
	if (base + size > high)
		st(&class->high, base + size);
}

static void remove_at(struct pointer_map *map, uint64_t address)
{
	struct acl_place there;

	if (map_find(map, address, NULL, &there))
		remove_block(map, there.block);
}

static bool enter_block(struct checks *c, struct pointer_map *map, struct acl_block *b)
{
	uint64_t base = ld(&b->base), size = ld(&b->size);
	unsigned k = class_of(size);
	struct size_class *class = &map->class[k];
	struct table *t = ld(&class->table);

	/* SPILLED marks stay behind when entries go: after as many erasures as there are slots it is time to
	 * sweep. */
	if ((!t || class->used * 10 >= (t->mask + 1) * SLOTS * 6 || class->erased > (t->mask + 1) * SLOTS) &&
		!class_grow(c, map, k))
		return false;
	widen(class, base, size);
	table_put(class, ld(&class->table), k, base,
		(uint64_t)(uint32_t)(size - 1) << 32 | (uint64_t)ld(&b->kind) << INDEX_BITS | b->index,
		ld(&b->generation));
	atomic_fetch_or_explicit(&map->classes, UINT64_C(1) << k, memory_order_release);
	return true;
}

struct acl_block *map_insert(struct checks *c, struct pointer_map *map, const struct acl_event *ev,
	uint64_t base, uint64_t size, unsigned kind, int device)
{
	struct moment born = {0};
	struct acl_block *b;

	if (!map || !base || !size || base + size < base)
		return NULL;
	moment_take(c, &born, ev, true);
	lock(&map->lock);
	/* The runtime gave the range out again: what lay there was released without our seeing it. */
	remove_at(map, base);
	remove_at(map, base + size - 1);
	b = carve(c, map);
	if (b) {
		st(&b->base, base);
		st(&b->size, size);
		st(&b->serial, bump(&c->serials) + 1);
		st(&b->owner, 0);
		st(&b->kind, kind);
		st(&b->device, device);
		st(&b->flags, 0);
		st(&b->policy, 0);
		st(&b->marks, 0);
		st(&b->captured, 0);
		st(&b->created.stack, ld(&born.stack));
		st(&b->created.tid, ld(&born.tid));
		st(&b->created.api, ld(&born.api));
		st(&b->created.caller, ld(&born.caller));
		st_release(&b->state, ACL_OBJECT_LIVE);
		bump(&map->live);
		if (!enter_block(c, map, b)) {
			remove_block(map, b);
			b = NULL;
		}
	}
	unlock(&map->lock);
	return b;
}

void map_erase(struct pointer_map *map, struct acl_block *block, uint32_t generation)
{
	lock(&map->lock);
	if (ld(&block->generation) == generation && ld(&block->state) != ACL_OBJECT_DEAD &&
		ld(&block->state) != ACL_OBJECT_FREE)
		remove_block(map, block);
	unlock(&map->lock);
}

bool block_going(struct acl_block *block, uint32_t generation)
{
	uint8_t live = ACL_OBJECT_LIVE;

	return ld_acquire(&block->generation) == generation &&
	       atomic_compare_exchange_strong(&block->state, &live, ACL_OBJECT_GOING);
}

void block_stays(struct acl_block *block, uint32_t generation)
{
	uint8_t going = ACL_OBJECT_GOING;

	if (ld_acquire(&block->generation) == generation)
		atomic_compare_exchange_strong(&block->state, &going, ACL_OBJECT_LIVE);
}

struct acl_block *map_next(struct pointer_map *map, uint32_t *cursor)
{
	struct acl_block *b;

	while ((b = block_at(map, *cursor)) != NULL) {
		uint8_t state = ld_acquire(&b->state);

		++*cursor;
		if (state == ACL_OBJECT_LIVE || state == ACL_OBJECT_GOING)
			return b;
	}
	return NULL;
}

uint32_t map_live(const struct pointer_map *map)
{
	return ld(&((struct pointer_map *)map)->live);
}

/* What a writer of the parent left half done is an empty slot: its block is unknown here. */
void map_forked(struct pointer_map *map)
{
	st(&map->lock.held, 0);
	for (unsigned k = 0; k < 64; k++) {
		struct table *t = ld(&map->class[k].table);

		for (uint64_t i = 0; t && i <= t->mask; i++)
			if (ld(&t->bucket[i].seq) & BUSY)
				atomic_fetch_and(&t->bucket[i].seq, ~(uint64_t)BUSY);
	}
}

struct acl_block *map_block(struct pointer_map *map, uint32_t index)
{
	return block_at(map, index);
}
