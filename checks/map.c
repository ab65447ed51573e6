/* SPDX-License-Identifier: Apache-2.0 */
/* The pointer map: look-ups without a lock, and the life of blocks. */
#include "checks/map_inside.h"

struct pointer_map *map_create(struct checks *c)
{
	struct pointer_map *map = checks_alloc(c, sizeof(*map));

	if (map)
		map->checks = c;
	return map;
}

/* --- look-up ----------------------------------------------------------------- */

static inline unsigned slot_covers(struct bucket *b, unsigned n, uint64_t address)
{
	return address - ld_acquire(&b->slot[n].base) <= ld_acquire(&b->slot[n].last);
}

/*
 * Looks for the slot that covers the address and fills *place.  No branch depends
 * on which slot it is: the processor goes on while the line is still on its way.
 */
static inline bool bucket_find(
	struct pointer_map *map, struct bucket *b, uint64_t address, struct acl_place *place)
{
	unsigned first = slot_covers(b, 0, address), second = slot_covers(b, 1, address),
		 third = slot_covers(b, 2, address), n = third << 1 | (second & ~third);
	uint32_t what = ld_acquire(&b->slot[n].what), index = what & INDEX_MASK;

	place->base = ld_acquire(&b->slot[n].base);
	place->size = (uint64_t)ld_acquire(&b->slot[n].last) + 1;
	place->kind = what >> INDEX_BITS;
	place->index = index;
	place->generation = ld_acquire(&b->generation[n]);
	place->block = ld_acquire(&map->chunks[index / BLOCK_CHUNK]) + index % BLOCK_CHUNK;
	return first | second | third;
}

/* The same where sizes are beyond 32 bits: the block knows its own. */
static bool bucket_find_vast(
	struct pointer_map *map, struct bucket *b, uint64_t address, struct acl_place *place)
{
	for (unsigned n = 0; n < SLOTS; n++) {
		uint64_t base = ld_acquire(&b->slot[n].base) ^ VAST;
		uint32_t what = ld_acquire(&b->slot[n].what);
		struct acl_block *block = block_at(map, what & INDEX_MASK);

		if (!block || ld(&block->base) != base || address - base >= ld(&block->size))
			continue;
		*place = (struct acl_place){block, base, ld(&block->size), ld_acquire(&b->generation[n]),
			(uint8_t)(what >> INDEX_BITS), what & INDEX_MASK};
		return true;
	}
	return false;
}

/* Looks for a block of class k that covers the address and starts in the given granule. */
static bool granule_find(struct pointer_map *map, struct table *t, unsigned k, uint64_t granule,
	uint64_t address, struct acl_place *place)
{
	for (uint64_t i = mix64(granule), tries = 0; tries <= t->mask; i++, tries++) {
		struct bucket *b = &t->bucket[i & t->mask];
		uint64_t seq;
		bool hit;

		do {
			for (unsigned spins = 0; __builtin_expect((seq = ld_acquire(&b->seq)) & BUSY, 0);
				spins++)
				if (spins > 1000)
					sched_yield();
			hit = k < CLASS_VAST ? bucket_find(map, b, address, place)
					     : bucket_find_vast(map, b, address, place);
		} while (ld(&b->seq) != seq);
		if (hit)
			return true;
		if (!(seq & SPILLED))
			return false;
	}
	return false;
}

/* The empty asm: gcc drops calls of functions that do nothing but prefetch. */
static inline void fetch(const struct table *t, uint64_t granule)
{
	__builtin_prefetch(bucket_of(t, granule));
	__asm__ volatile("");
}

static inline void fetch_classes(const struct table *t, uint64_t classes, uint64_t address, unsigned before)
{
	for (; classes; classes &= classes - 1)
		fetch(t, (address >> GRANULE_LOG((unsigned)__builtin_ctzll(classes))) - before);
}

/* Looks for a block of the run that covers the address. */
static inline bool run_find(struct run *r, uint64_t address, struct acl_place *place)
{
	uint64_t seq = ld_acquire(&r->seq), offset = address - ld_acquire(&r->base),
		 i = run_slot(offset, ld_acquire(&r->inverse)), state;
	struct run_slots *has;

	if (i >= ld_acquire(&r->slots))
		return false;
	has = ld_acquire(&r->has);
	state = ld_acquire(&has->state[i / SLOTS_A_WORD]) >> i % SLOTS_A_WORD * 2 & 3;
	offset -= i * ld_acquire(&r->stride);
	if (state == SLOT_EMPTY || offset > ld_acquire(&r->last))
		return false;
	place->block = ld_acquire(&r->blocks[i / BLOCK_CHUNK]) + i % BLOCK_CHUNK;
	place->base = address - offset;
	place->size = (uint64_t)ld_acquire(&r->last) + 1;
	place->kind = ld_acquire(&r->kind);
	place->generation = __builtin_expect(state == SLOT_AGAIN, 0) ? ld_acquire(&has->generation[i]) : 1;
	/* While it begins or ends there is nothing in it. */
	return !(seq & 1) && ld(&r->seq) == seq;
}

static inline bool region_find(
	struct pointer_map *map, struct table *t, uint64_t address, struct acl_place *place)
{
	uint64_t region = region_of(t, address);

	return ld_acquire(&t->near[region]) & RUN_HERE &&
	       __builtin_expect(run_find(&map->run[ld_acquire(&t->run[region])], address, place), 1);
}

void map_prefetch(struct pointer_map *map, uint64_t address)
{
	struct table *t = ld_acquire(&map->table);
	uint64_t region, i;

	if (!t || t->regions < REGIONS_CACHED)
		return;
	region = region_of(t, address);
	if (ld_acquire(&t->near[region]) & RUN_HERE) {
		struct run *r = &map->run[ld_acquire(&t->run[region])];

		i = run_slot(address - ld_acquire(&r->base), ld_acquire(&r->inverse));
		if (i < ld_acquire(&r->slots))
			__builtin_prefetch(&ld_acquire(&r->has)->state[i / SLOTS_A_WORD]);
		__asm__ volatile("");
	} else {
		fetch_classes(t, classes_at(t, address), address, 0);
	}
}

/* Asks every class that may have a block there: in the address' granule, or in the one before. */
static bool classes_find(struct pointer_map *map, struct table *t, uint64_t classes, uint64_t address,
	unsigned before, struct acl_place *place)
{
	fetch_classes(t, classes, address, before);
	for (; classes; classes &= classes - 1) {
		unsigned k = (unsigned)__builtin_ctzll(classes);

		if (granule_find(map, t, k, (address >> GRANULE_LOG(k)) - before, address, place))
			return true;
	}
	return false;
}

static __attribute__((noinline)) bool search(
	struct pointer_map *map, uint64_t address, struct acl_place *place)
{
	struct table *t = address ? ld_acquire(&map->table) : NULL, *before;

	do {
		uint64_t classes = t ? classes_at(t, address) | ld_acquire(&t->vast) : 0;

		if (t && (region_find(map, t, address, place) ||
				 classes_find(map, t, classes, address, 0, place) ||
				 classes_find(map, t, classes, address, 1, place)))
			return true;
		/* An outgrown table is emptied: what was not there may be in the new one. */
		before = t;
		t = t ? ld_acquire(&map->table) : NULL;
	} while (t != before);
	place->block = NULL;
	return false;
}

/* The bucket of the class whose block covers the address, any if none does; no branch depends on which. */
static inline struct bucket *bucket_pick(const struct table *t, unsigned classes, uint64_t address)
{
	struct bucket *b = bucket_of(t, address >> GRANULE_LOG((unsigned)__builtin_ctz(classes)));

	while (__builtin_expect((classes &= classes - 1) != 0, 0)) {
		struct bucket *other = bucket_of(t, address >> GRANULE_LOG((unsigned)__builtin_ctz(classes)));
		uintptr_t covers = slot_covers(other, 0, address) | slot_covers(other, 1, address) |
				   slot_covers(other, 2, address);

		b = (struct bucket *)((uintptr_t)b ^ (((uintptr_t)b ^ (uintptr_t)other) & -covers));
	}
	return b;
}

/* Nearly always the block lies in the first bucket where one would look. */
bool map_find(struct pointer_map *map, uint64_t address, struct acl_place *place)
{
	struct table *t = ld_acquire(&map->table);
	unsigned classes = t && address ? classes_at(t, address) : 0;
	struct bucket *b;
	uint64_t seq;

	if (t && region_find(map, t, address, place))
		return true;
	if (__builtin_expect(!classes, 0))
		return search(map, address, place);
	b = bucket_pick(t, classes, address);
	seq = ld_acquire(&b->seq);
	if (__builtin_expect(bucket_find(map, b, address, place), 1) &&
		__builtin_expect(!(seq & BUSY) && ld(&b->seq) == seq, 1))
		return true;
	return search(map, address, place);
}

/* --- blocks, under the lock ------------------------------------------------- */

static void remove_block(struct pointer_map *map, struct acl_block *block)
{
	struct acl_block *oldest;
	uint32_t *place;

	drop(&map->live);
	if (block->run) {
		/* Stays dead until its slot is used again. */
		run_drop(map, block);
		st_release(&block->state, ACL_OBJECT_DEAD);
		return;
	}
	table_drop(map, block);
	st_release(&block->state, ACL_OBJECT_DEAD);
	place = &map->dead[map->dead_at++ % DEAD_RING];
	oldest = *place ? block_at(map, *place - 1) : NULL;
	*place = block->index + 1;
	if (!oldest)
		return;
	st(&oldest->state, ACL_OBJECT_FREE);
	/* 16 bits, as in the buckets; never 0. */
	st_release(&oldest->generation, ld(&oldest->generation) % 0xffff + 1);
	oldest->next_free = map->free_head;
	map->free_head = oldest->index + 1;
}

static struct acl_block *carve(struct pointer_map *map)
{
	struct acl_block *b;

	if (map->free_head) {
		b = block_at(map, map->free_head - 1);
		map->free_head = b->next_free;
		return b;
	}
	if (map->carved == map->carved_end) {
		uint32_t first = chunk_new(map);

		if (first == CHUNK_NONE)
			return NULL;
		map->carved = first;
		map->carved_end = first + BLOCK_CHUNK;
	}
	b = block_at(map, map->carved);
	b->index = map->carved++;
	st(&b->generation, 1);
	return b;
}

static void remove_at(struct pointer_map *map, uint64_t address)
{
	struct acl_place there;

	if (map_find(map, address, &there))
		remove_block(map, there.block);
}

struct acl_block *map_insert(struct checks *c, struct pointer_map *map, const struct acl_event *ev,
	uint64_t base, uint64_t size, unsigned kind, int device)
{
	struct moment born = {0};
	struct acl_block *b;

	if (!map || !base || !size || base + size < base || size >> SIZE_MAX_LOG)
		return NULL;
	moment_take(c, &born, ev, true);
	lock(&map->lock);
	/* The runtime gave the range out again: what lay there was released without our seeing it. */
	remove_at(map, base);
	remove_at(map, base + size - 1);
	b = run_take(map, base, size, kind);
	if (!b)
		b = carve(map);
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
		if (b->run) {
			run_enter(map, b);
		} else if (!table_enter(map, b)) {
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
	struct table *t = ld(&map->table);

	st(&map->lock.held, 0);
	for (unsigned number = 0; number < RUNS; number++)
		st(&map->run[number].seq, (ld(&map->run[number].seq) + 1) & ~(uint64_t)1);
	for (uint64_t i = 0; t && i <= t->mask; i++)
		if (ld(&t->bucket[i].seq) & BUSY)
			st(&t->bucket[i].seq, ld(&t->bucket[i].seq) & ~(uint64_t)BUSY);
}

struct acl_block *map_block(struct pointer_map *map, uint32_t index)
{
	return block_at(map, index);
}
