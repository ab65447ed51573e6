/* SPDX-License-Identifier: Apache-2.0 */
/* The pointer map: look-ups without a lock, and the life of blocks. */
#include "checks/engine/pointer_map_cursor.h"

const char *memory_kind_name(unsigned kind)
{
	static const char *const names[] = {"memory", "device memory", "page-locked host memory",
		"managed memory", "pool memory", "imported memory", "mapped memory", "reserved address range",
		"registered host memory", "device variable", "value of condition"};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : names[0];
}

_Static_assert(offsetof(struct pointer_map, head) == 0, "map_version reads the head");

/*
 * Under the lock, after the change: who read the version before it looked up
 * has either what was there until then, or looks again.
 */
static void map_changed(struct pointer_map *map)
{
	/* Release, for who acquires it to find what was changed; the lock orders the writers. */
	store_release(&map->head.version, load_relaxed(&map->head.version) + 1);
}

void map_touch(struct pointer_map *map)
{
	lock(&map->lock);
	map_changed(map);
	unlock(&map->lock);
}

struct pointer_map *map_create(struct checks *c)
{
	struct pointer_map *map = checks_permanent(c, sizeof(*map));

	if (!map)
		return NULL;
	map->checks = c;
	map->earlier = load_relaxed(&c->every_map);
	/* Release: who walks the list finds the members set. */
	while (!atomic_compare_exchange_weak_explicit(
		&c->every_map, &map->earlier, map, memory_order_release, memory_order_relaxed))
		;
	return map;
}

/* --- look-up ----------------------------------------------------------------- */

static inline unsigned slot_covers(struct bucket *b, unsigned n, uint64_t address)
{
	return address - load_acquire(&b->slot[n].base) <= load_acquire(&b->slot[n].last);
}

/*
 * Looks for the slot that covers the address and fills *place.  No branch depends
 * on which slot it is: the processor goes on while the line is still on its way.
 */
static inline bool bucket_find(
	struct pointer_map *map, struct bucket *b, uint64_t address, struct block_lookup *place)
{
	unsigned first = slot_covers(b, 0, address), second = slot_covers(b, 1, address),
		 third = slot_covers(b, 2, address), n = third << 1 | (second & ~third);
	uint32_t what = load_acquire(&b->slot[n].what), index = what & INDEX_MASK;

	place->base = load_acquire(&b->slot[n].base);
	place->size = (uint64_t)load_acquire(&b->slot[n].last) + 1;
	place->kind = what >> INDEX_BITS;
	place->index = index;
	place->generation = load_acquire(&b->generation[n]);
	place->block = load_acquire(&map->chunks[index / BLOCK_CHUNK]) + index % BLOCK_CHUNK;
	return first | second | third;
}

/* The same where sizes are beyond 32 bits: the block knows its own. */
static bool bucket_find_vast(
	struct pointer_map *map, struct bucket *b, uint64_t address, struct block_lookup *place)
{
	for (unsigned n = 0; n < SLOTS; n++) {
		uint64_t base = load_acquire(&b->slot[n].base) ^ VAST;
		uint32_t what = load_acquire(&b->slot[n].what);
		struct acl_block *block = block_at(map, what & INDEX_MASK);

		if (!block || load_relaxed(&block->base) != base ||
			address - base >= load_relaxed(&block->size))
			continue;
		*place = (struct block_lookup){.block = block,
			.base = base,
			.size = load_relaxed(&block->size),
			.index = what & INDEX_MASK,
			.generation = load_acquire(&b->generation[n]),
			.kind = (uint8_t)(what >> INDEX_BITS)};
		return true;
	}
	return false;
}

/* Writers hold the map's lock: to wait for it is to sleep while the writer does not run. */
static __attribute__((cold, noinline)) void wait_for_writer(struct pointer_map *map)
{
	lock(&map->lock);
	unlock(&map->lock);
}

/* Looks for a block of class k that covers the address and starts in the given granule. */
static bool granule_find(struct pointer_map *map, struct table *t, unsigned k, uint64_t granule,
	uint64_t address, struct block_lookup *place)
{
	uint64_t first = bucket_number(k, granule);

	for (uint64_t tries = 0; tries <= t->mask; tries++) {
		struct bucket *b = &t->bucket[bucket_after(first, tries) & t->mask];
		uint64_t seq;
		bool hit;

		do {
			while (__builtin_expect((seq = load_acquire(&b->seq)) & BUSY, 0))
				wait_for_writer(map);
			/* Acquires, so that the relaxed load behind them is not older than what they read. */
			hit = k < CLASS_VAST ? bucket_find(map, b, address, place)
					     : bucket_find_vast(map, b, address, place);
		} while (load_relaxed(&b->seq) != seq);
		if (hit)
			return true;
		if (!(seq & SPILLED))
			return false;
	}
	return false;
}

/* The buckets where an address is looked for first, by class. */
struct bucket_walk {
	const struct table *t;
	uint64_t address, row;
	unsigned classes; /* those left */
};

static inline struct bucket_walk buckets_at(const struct table *t, unsigned classes, uint64_t address)
{
	return (struct bucket_walk){t, address, row_of(address >> UNIT_LOG), classes};
}

static inline struct bucket *bucket_next(struct bucket_walk *w)
{
	unsigned k = (unsigned)__builtin_ctz(w->classes);
	uint64_t number, granule = w->address >> GRANULE_LOG(k);

	w->classes &= w->classes - 1;
	number = __builtin_expect(k - ROW_CLASS < CLASS_AFTER_ROW - ROW_CLASS, 1)
			 ? bucket_in_row(w->row, granule << 2 * (k - ROW_CLASS))
			 : bucket_number(k, granule);
	return &w->t->bucket[number & w->t->mask];
}

/* The empty asm: gcc drops calls of functions that do nothing but prefetch. */
static inline void fetch(const void *line)
{
	__builtin_prefetch(line);
	__asm__ volatile("");
}

/* Looks for a block of the run that covers the address. */
static inline __attribute__((always_inline)) bool run_find(
	struct run *r, uint64_t address, struct block_lookup *place)
{
	uint64_t seq = load_acquire(&r->seq), offset = address - load_acquire(&r->base),
		 i = run_slot(offset, load_acquire(&r->inverse)), state;
	struct run_slots *has;

	if (i >= load_acquire(&r->slots))
		return false;
	has = load_acquire(&r->has);
	state = load_acquire(&has->state[i / SLOTS_A_WORD]) >> i % SLOTS_A_WORD * 2 & 3;
	offset -= i * load_acquire(&r->stride);
	if (state == SLOT_EMPTY || offset > load_acquire(&r->last))
		return false;
	place->block = load_acquire(&r->blocks[i / BLOCK_CHUNK]) + i % BLOCK_CHUNK;
	place->index = r->first[i / BLOCK_CHUNK] + (uint32_t)(i % BLOCK_CHUNK);
	place->base = address - offset;
	place->size = (uint64_t)load_acquire(&r->last) + 1;
	place->kind = load_acquire(&r->kind);
	place->generation = __builtin_expect(state == SLOT_AGAIN, 0) ? load_acquire(&has->generation[i]) : 1;
	/* While it begins or ends there is nothing in it. Relaxed: any word above of a later life brought its
	 * count. */
	return !(seq & 1) && load_relaxed(&r->seq) == seq;
}

static inline __attribute__((always_inline)) bool region_find(struct pointer_map *map, struct table *t,
	uint64_t region, uint64_t address, struct block_lookup *place)
{
	return load_acquire(&t->near[region]) & RUN_HERE &&
	       __builtin_expect(run_find(&map->run[load_acquire(&t->run[region])], address, place), 1);
}

/* While the run begins or ends there is nothing in it. */
static inline void cursor_onto(struct map_cursor *k, struct run *r)
{
	k->run = NULL;
	k->seq = load_acquire(&r->seq);
	k->base = load_acquire(&r->base);
	k->inverse = load_acquire(&r->inverse);
	k->stride = load_acquire(&r->stride);
	k->slots = load_acquire(&r->slots);
	k->size = (uint64_t)load_acquire(&r->last) + 1;
	k->has = load_acquire(&r->has);
	k->kind = load_acquire(&r->kind);
	if (k->seq & 1 || load_acquire(&r->seq) != k->seq)
		k->slots = 0;
	else
		k->run = r;
}

void map_cursor_set(struct pointer_map *map, struct map_cursor *k, uint64_t address)
{
	struct table *t = load_acquire(&map->table);
	uint64_t region = t ? region_of(t, address) : 0;

	if (t && load_acquire(&t->near[region]) & RUN_HERE)
		cursor_onto(k, &map->run[load_acquire(&t->run[region])]);
}

void map_prefetch(struct pointer_map *map, uint64_t address)
{
	struct table *t = load_acquire(&map->table);
	uint64_t region, i;

	if (!t)
		return;
	/* The most likely one, before it is known of which classes there are any: its row is that of the
	 * others. */
	fetch(&t->bucket[bucket_number(ROW_WIDEST, address >> GRANULE_LOG(ROW_WIDEST)) & t->mask]);
	region = region_of(t, address);
	if (load_acquire(&t->near[region]) & RUN_HERE) {
		struct run *r = &map->run[load_acquire(&t->run[region])];

		i = run_slot(address - load_acquire(&r->base), load_acquire(&r->inverse));
		if (i < load_acquire(&r->slots))
			fetch(&load_acquire(&r->has)->state[i / SLOTS_A_WORD]);
	} else {
		for (struct bucket_walk w = buckets_at(t, classes_at(t, address), address); w.classes;)
			fetch(bucket_next(&w));
	}
}

/* Asks every class that may have a block there: in the address' granule, or in the one before. */
static bool classes_find(struct pointer_map *map, struct table *t, uint64_t classes, uint64_t address,
	unsigned before, struct block_lookup *place)
{
	for (uint64_t left = classes; left; left &= left - 1) {
		unsigned k = (unsigned)__builtin_ctzll(left);

		fetch(&t->bucket[bucket_number(k, (address >> GRANULE_LOG(k)) - before) & t->mask]);
	}
	for (; classes; classes &= classes - 1) {
		unsigned k = (unsigned)__builtin_ctzll(classes);

		if (granule_find(map, t, k, (address >> GRANULE_LOG(k)) - before, address, place))
			return true;
	}
	return false;
}

/* There is a table, as map_find() has seen: from the first block on there always is one. */
static __attribute__((noinline)) bool map_search(
	struct pointer_map *map, uint64_t address, struct block_lookup *place)
{
	struct table *t;
	uint32_t renewals;

	place->block = NULL;
	do {
		uint64_t classes;

		renewals = load_acquire(&map->renewals);
		t = load_acquire(&map->table);
		classes = classes_at(t, address) | load_acquire(&t->vast);
		/* Of most addresses that no table knows nothing is near. */
		if (!classes && !(load_acquire(&t->near[region_of(t, address)]) & RUN_HERE))
			continue;
		if (region_find(map, t, region_of(t, address), address, place) ||
			classes_find(map, t, classes, address, 0, place) ||
			classes_find(map, t, classes, address, 1, place))
			return true;
		/*
		 * An outgrown table is emptied: what was not there may be in the new one. That can be the
		 * same table again, filled anew meanwhile; the count tells. It was counted before the table
		 * was stored: to acquire the table is to see the count.
		 */
	} while (load_acquire(&map->table) != t || load_relaxed(&map->renewals) != renewals);
	place->block = NULL;
	return false;
}

/* The bucket of the class whose block covers the address, any if none does; no branch depends on which. */
static inline struct bucket *bucket_pick(const struct table *t, unsigned classes, uint64_t address)
{
	struct bucket_walk w = buckets_at(t, classes, address);
	struct bucket *b = bucket_next(&w);

	while (__builtin_expect(w.classes != 0, 0)) {
		struct bucket *other = bucket_next(&w);
		uintptr_t covers = slot_covers(other, 0, address) | slot_covers(other, 1, address) |
				   slot_covers(other, 2, address);

		b = (struct bucket *)((uintptr_t)b ^ (((uintptr_t)b ^ (uintptr_t)other) & -covers));
	}
	return b;
}

/* Nearly always the block lies in the first bucket where one would look. */
static __attribute__((noinline)) bool buckets_find(
	struct pointer_map *map, const struct table *t, uint64_t address, struct block_lookup *place)
{
	unsigned classes = classes_at(t, address);
	struct bucket *b;
	uint64_t seq;

	if (__builtin_expect(!classes, 0))
		return map_search(map, address, place);
	b = bucket_pick(t, classes, address);
	seq = load_acquire(&b->seq);
	if (__builtin_expect(bucket_find(map, b, address, place), 1) &&
		__builtin_expect(!(seq & BUSY) && load_relaxed(&b->seq) == seq, 1))
		return true;
	return map_search(map, address, place);
}

bool map_find(struct pointer_map *map, uint64_t address, struct block_lookup *place)
{
	struct table *t = load_acquire(&map->table);

	if (__builtin_expect(!t || !address, 0)) {
		place->block = NULL;
		return false;
	}
	return region_find(map, t, region_of(t, address), address, place) ||
	       buckets_find(map, t, address, place);
}

bool map_find_by(struct pointer_map *map, struct map_cursor *k, uint64_t address, struct block_lookup *place)
{
	struct table *t = load_acquire(&map->table);
	uint64_t region;

	if (__builtin_expect(!t || !address, 0)) {
		place->block = NULL;
		return false;
	}
	region = region_of(t, address);
	if (__builtin_expect(!(load_acquire(&t->near[region]) & RUN_HERE), 0))
		return buckets_find(map, t, address, place);
	cursor_onto(k, &map->run[load_acquire(&t->run[region])]);
	return map_find(map, address, place);
}

/* --- blocks, under the lock ------------------------------------------------- */

static void remove_block(struct pointer_map *map, struct acl_block *block)
{
	struct acl_block *oldest;
	uint32_t *place;

	counter_dec(&map->live);
	order_drop(map, block);
	if (block->run) {
		/* Stays dead until its slot is used again. */
		run_drop(map, block);
		store_release(&block->state, ACL_OBJECT_DESTROYED);
		return;
	}
	table_drop(map, block);
	store_release(&block->state, ACL_OBJECT_DESTROYED);
	place = &map->dead[map->dead_at++ % DEAD_RING];
	oldest = *place ? block_at(map, *place - 1) : NULL;
	*place = block->index + 1;
	if (!oldest)
		return;
	/* 16 bits, as in the buckets; never 0. */
	store_release(&oldest->generation, load_relaxed(&oldest->generation) % 0xffff + 1);
	oldest->next_free = map->free_head;
	map->free_head = oldest->index + 1;
}

static struct acl_block *allocate_slot(struct pointer_map *map)
{
	uint32_t next = load_relaxed(&map->carved);
	struct acl_block *b;

	if (map->free_head) {
		b = block_at(map, map->free_head - 1);
		map->free_head = b->next_free;
		return b;
	}
	if (next % BLOCK_CHUNK == 0)
		next = chunk_new(map);
	if (next == CHUNK_NONE)
		return NULL;
	b = block_at(map, next);
	b->index = next;
	store_relaxed(&map->carved, next + 1);
	store_relaxed(&b->generation, 1);
	return b;
}

/* Under the lock: the first block that touches the range, last included. */
static struct acl_block *first_in(struct pointer_map *map, uint64_t base, uint64_t last)
{
	struct block_lookup there;
	struct acl_block *b;

	if (map_find(map, base, &there))
		return there.block;
	b = order_from(map, base);
	return b && load_relaxed(&b->base) <= last ? b : NULL;
}

struct acl_block *map_first_in(struct pointer_map *map, uint64_t base, uint64_t size)
{
	uint64_t last = base + size - 1;
	struct acl_block *b;

	if (!map || !size || !map_live(map))
		return NULL;
	lock(&map->lock);
	b = first_in(map, base, last < base ? UINT64_MAX : last);
	unlock(&map->lock);
	return b;
}

struct acl_block *map_insert(struct checks *c, struct pointer_map *map, const struct acl_call_record *call,
	uint64_t base, uint64_t size, unsigned kind, int device)
{
	struct call_site_slot born = {0};
	struct acl_block *b;

	if (!map || !base || base + size <= base || size >> SIZE_MAX_LOG)
		return NULL;
	call_site_take(c, &born, call, true);
	lock(&map->lock);
	/* The runtime gave the range out again: what lay there was released without our seeing it. */
	while ((b = first_in(map, base, base + size - 1)) != NULL)
		remove_block(map, b);
	b = run_take(map, base, size, kind);
	if (!b)
		b = allocate_slot(map);
	if (b) {
		store_relaxed(&b->base, base);
		store_relaxed(&b->size, size);
		store_relaxed(&b->serial, counter_inc(&c->serials) + 1);
		store_relaxed(&b->owner, 0);
		store_relaxed(&b->kind, kind);
		store_relaxed(&b->device, device);
		store_relaxed(&b->flags, 0);
		store_relaxed(&b->policy, 0);
		store_relaxed(&b->marks, 0);
		store_relaxed(&b->captured, 0);
		call_site_move(&b->created, &born);
		store_release(&b->state, ACL_OBJECT_LIVE);
		counter_inc(&map->live);
		order_enter(map, b);
		if (b->run) {
			run_enter(map, b);
		} else if (!table_enter(map, b)) {
			remove_block(map, b);
			b = NULL;
		}
	}
	map_changed(map);
	unlock(&map->lock);
	return b;
}

void map_erase(struct pointer_map *map, struct acl_block *block, uint32_t generation)
{
	lock(&map->lock);
	if (load_relaxed(&block->generation) == generation &&
		load_relaxed(&block->state) != ACL_OBJECT_DESTROYED &&
		load_relaxed(&block->state) != ACL_OBJECT_FREE)
		remove_block(map, block);
	map_changed(map);
	unlock(&map->lock);
}

bool block_releasing(struct acl_block *block, uint32_t generation)
{
	uint8_t live = ACL_OBJECT_LIVE;

	return load_acquire(&block->generation) == generation &&
	       atomic_compare_exchange_strong(&block->state, &live, ACL_OBJECT_DESTROYING);
}

void block_release_failed(struct acl_block *block, uint32_t generation)
{
	uint8_t going = ACL_OBJECT_DESTROYING;

	if (load_acquire(&block->generation) == generation)
		atomic_compare_exchange_strong(&block->state, &going, ACL_OBJECT_LIVE);
}

/* The cursor, or the end of the chunk whose slots from there on were never used: those pages stay untouched.
 */
static uint32_t used_from(struct pointer_map *map, uint32_t cursor)
{
	uint32_t carved = load_relaxed(&map->carved), rest = -carved % BLOCK_CHUNK;

	return cursor >= carved && cursor - carved < rest ? carved + rest : cursor;
}

struct acl_block *map_next(struct pointer_map *map, uint32_t *cursor)
{
	struct acl_block *b;

	while (*cursor = used_from(map, *cursor), (b = block_at(map, *cursor)) != NULL) {
		uint8_t state = load_acquire(&b->state);

		++*cursor;
		if (state == ACL_OBJECT_LIVE || state == ACL_OBJECT_DESTROYING)
			return b;
	}
	return NULL;
}

uint32_t map_live(const struct pointer_map *map)
{
	return load_relaxed(&((struct pointer_map *)map)->live);
}

/*
 * What a writer of the parent left half done is an empty slot: its block is unknown here. Nothing is half
 * done where no thread held the lock: writers take it before they store anything else, and the copy of memory
 * that a fork makes has no later store of a thread without its earlier ones. So most forks touch no page of
 * the table here.
 */
void map_forked(struct pointer_map *map)
{
	struct table *t = load_relaxed(&map->table);

	if (!(load_relaxed(&map->lock.word) & LOCK_HELD))
		return;
	order_renew(map);
	for (unsigned number = 0; number < RUNS; number++)
		store_relaxed(
			&map->run[number].seq, (load_relaxed(&map->run[number].seq) + 1) & ~(uint64_t)1);
	for (uint64_t i = 0; t && i <= t->mask; i++)
		if (load_relaxed(&t->bucket[i].seq) & BUSY)
			store_relaxed(&t->bucket[i].seq, load_relaxed(&t->bucket[i].seq) & ~(uint64_t)BUSY);
}

void maps_forked(struct checks *c)
{
	for (struct pointer_map *map = load_acquire(&c->every_map); map; map = map->earlier)
		map_forked(map);
}

struct acl_block *map_block(struct pointer_map *map, uint32_t index)
{
	return block_at(map, index);
}

/* NULL: a reference to no block at all, or there never was such a map. */
static struct pointer_map *map_of(struct checks *c, uint64_t ref)
{
	switch (ref >> 58) {
	case REF_MEMORY:
		return c->maps[MAP_MEMORY];
	case REF_REGISTERED:
		return c->maps[MAP_REGISTERED];
	case REF_DECLARED:
		return load_acquire(&c->declared);
	}
	return NULL;
}

struct acl_block *block_of(struct checks *c, uint64_t ref)
{
	struct pointer_map *map = map_of(c, ref);
	uint32_t index = ref >> 32 & INDEX_MASK;
	struct acl_block *b = ref >> 58 == REF_VARIABLE ? &c->variables[index]
			      : map                     ? block_at(map, index)
							: NULL;
	uint8_t state = b ? load_acquire(&b->state) : ACL_OBJECT_FREE;

	return (state == ACL_OBJECT_LIVE || state == ACL_OBJECT_DESTROYING) &&
			       load_acquire(&b->generation) == (uint32_t)ref
		       ? b
		       : NULL;
}
