/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the pointer map: blocks of one size at equal distances, as allocators give them out. */
#include "checks/engine/pointer_map_inside.h"

uint32_t chunk_new(struct pointer_map *map)
{
	struct acl_block *chunk;

	if (map->chunked >= BLOCK_CHUNKS) {
		checks_degrade(map->checks, "more memory blocks than the pointer map holds");
		return CHUNK_NONE;
	}
	chunk = checks_alloc(map->checks, BLOCK_CHUNK * sizeof(*chunk));
	if (!chunk)
		return CHUNK_NONE;
	store_release(&map->chunks[map->chunked], chunk);
	return map->chunked++ * BLOCK_CHUNK;
}

/* --- regions of a run --------------------------------------------------------- */

/* Where the regions not yet claimed begin. */
static uint64_t unclaimed(const struct run *r)
{
	return r->claimed ? r->claimed : load_relaxed(&r->base) >> NEAR_LOG << NEAR_LOG;
}

static void mark_run(struct table *t, uint64_t region, unsigned number)
{
	/* In this order: who sees the bit sees whose region it is. */
	store_release(&t->run[region], (uint8_t)number);
	store_release(&t->near[region], (uint8_t)(load_relaxed(&t->near[region]) | RUN_HERE));
}

static bool is_of_other(const struct table *t, uint64_t region, unsigned number)
{
	return load_relaxed(&t->near[region]) & RUN_HERE && load_relaxed(&t->run[region]) != number;
}

/* Marks all regions up to the address; false: one is another run's, or no memory. */
static bool claim(struct pointer_map *map, unsigned number, uint64_t last)
{
	struct run *r = &map->run[number];
	uint64_t from = unclaimed(r), to = (last >> NEAR_LOG << NEAR_LOG) + (1u << NEAR_LOG);
	uint64_t count = from < to ? (to - from) >> NEAR_LOG : 0;
	struct table *t = load_relaxed(&map->table);

	if (!t || (map->claimed + count) * 2 > t->regions) {
		if (!table_renew(map, count))
			return false;
		t = load_relaxed(&map->table);
	}
	for (uint64_t at = from; at < to; at += 1u << NEAR_LOG)
		if (is_of_other(t, region_of(t, at), number))
			return false;
	for (uint64_t at = from; at < to; at += 1u << NEAR_LOG)
		mark_run(t, region_of(t, at), number);
	map->claimed += count;
	if (count)
		r->claimed = to;
	return true;
}

static void unclaim(struct pointer_map *map, unsigned number)
{
	struct run *r = &map->run[number];
	struct table *t = load_relaxed(&map->table);

	for (uint64_t at = load_relaxed(&r->base) >> NEAR_LOG << NEAR_LOG; at < r->claimed;
		at += 1u << NEAR_LOG) {
		uint64_t region = region_of(t, at);

		map->claimed--;
		if (!is_of_other(t, region, number))
			store_release(
				&t->near[region], (uint8_t)(load_relaxed(&t->near[region]) & ~RUN_HERE));
	}
	r->claimed = 0;
}

void runs_mark(struct pointer_map *map, struct table *t)
{
	for (unsigned number = 0; number < map->runs; number++) {
		const struct run *r = &map->run[number];

		for (uint64_t at = load_relaxed(&r->base) >> NEAR_LOG << NEAR_LOG; at < r->claimed;
			at += 1u << NEAR_LOG)
			mark_run(t, region_of(t, at), number);
	}
}

/* --- their life ------------------------------------------------------------------ */

/*
 * Readers find nothing in it meanwhile, as there is nothing. The odd count is relaxed, for each word behind
 * it is a release: who reads one of them reads that count.
 */
static void run_set(struct run *r, uint64_t base, uint64_t stride, uint64_t size, unsigned kind)
{
	uint64_t seq = load_relaxed(&r->seq);

	store_relaxed(&r->seq, seq + 1);
	store_release(&r->slots, 0);
	store_release(&r->base, base);
	store_release(&r->stride, stride);
	store_release(&r->inverse, UINT64_MAX / stride + 1);
	store_release(&r->last, (uint32_t)(size - 1));
	store_release(&r->kind, (uint8_t)kind);
	store_release(&r->seq, seq + 2);
}

/* Number of a run for blocks of this kind from base on, RUNS = none. */
static unsigned run_begin(struct pointer_map *map, const struct trend *like, uint64_t base)
{
	unsigned number = 0;
	struct run *r;

	while (number < map->runs && (load_relaxed(&map->run[number].slots) || map->run[number].claimed))
		number++;
	if (number == RUNS)
		return RUNS;
	r = &map->run[number];
	if (!load_relaxed(&r->has))
		store_release(&r->has, checks_alloc(map->checks, sizeof(struct run_slots)));
	if (!load_relaxed(&r->has))
		return RUNS;
	if (number == map->runs)
		map->runs++;
	run_set(r, base, like->stride, like->size, like->kind);
	return number;
}

static void run_end(struct pointer_map *map, unsigned number)
{
	struct run *r = &map->run[number];

	unclaim(map, number);
	run_set(r, load_relaxed(&r->base), load_relaxed(&r->stride), (uint64_t)load_relaxed(&r->last) + 1,
		load_relaxed(&r->kind));
	for (unsigned k = 0; k < TRENDS; k++)
		if (map->trend[k].run == number + 1)
			map->trend[k].run = 0;
}

/* --- blocks ------------------------------------------------------------------------ */

static unsigned slot_state(const struct run *r, uint64_t i)
{
	return load_relaxed(&load_relaxed(&r->has)->state[i / SLOTS_A_WORD]) >> i % SLOTS_A_WORD * 2 & 3;
}

static void set_state(struct run *r, uint64_t i, uint64_t state)
{
	_Atomic uint64_t *word = &load_relaxed(&r->has)->state[i / SLOTS_A_WORD];
	unsigned at = i % SLOTS_A_WORD * 2;

	store_release(word, (load_relaxed(word) & ~(UINT64_C(3) << at)) | state << at);
}

static struct acl_block *slot_block(struct pointer_map *map, unsigned number, uint32_t i)
{
	struct run *r = &map->run[number];
	unsigned c = i / BLOCK_CHUNK;
	struct acl_block *b;

	if (!load_relaxed(&r->blocks[c])) {
		r->first[c] = chunk_new(map);
		if (r->first[c] == CHUNK_NONE)
			return NULL;
		store_release(&r->blocks[c], block_at(map, r->first[c]));
	}
	b = load_relaxed(&r->blocks[c]) + i % BLOCK_CHUNK;
	b->index = r->first[c] + i % BLOCK_CHUNK;
	b->run = (uint8_t)(number + 1);
	/* 16 bits, as in the buckets; never 0. */
	store_release(&b->generation, load_relaxed(&b->generation) % 0xffff + 1);
	return b;
}

static struct acl_block *take_of(
	struct pointer_map *map, unsigned number, uint64_t base, uint64_t size, unsigned kind)
{
	struct run *r = &map->run[number];
	uint64_t offset = base - load_relaxed(&r->base), i = run_slot(offset, load_relaxed(&r->inverse));

	if (load_relaxed(&r->last) != size - 1 || load_relaxed(&r->kind) != kind)
		return NULL;
	/* What lies before the run is as far from it as no slot is. */
	if (i >= RUN_SLOTS || i * load_relaxed(&r->stride) != offset ||
		i >= load_relaxed(&r->slots) + RUN_GAP)
		return NULL;
	if (i < load_relaxed(&r->slots) ? slot_state(r, i) != SLOT_EMPTY
					: !claim(map, number, base + size - 1))
		return NULL;
	return slot_block(map, number, (uint32_t)i);
}

/* What came last of this size: as many blocks of one kind and size, equally far apart? */
static bool is_trend(struct trend *t, uint64_t base, uint64_t size, unsigned kind)
{
	bool alike = t->size == size && t->kind == kind;
	uint64_t stride = alike ? base - t->base : 0;

	/* A step down is a stride that is too large. */
	t->count = alike && stride == t->stride ? t->count + 1 : 0;
	t->base = base;
	t->size = size;
	t->stride = stride;
	t->kind = (uint8_t)kind;
	return t->count >= RUN_AFTER && stride >= size && stride <= RUN_STRIDE_MAX;
}

struct acl_block *run_take(struct pointer_map *map, uint64_t base, uint64_t size, unsigned kind)
{
	struct trend *trend = &map->trend[mix64(size) % TRENDS];
	bool begins = is_trend(trend, base, size, kind);
	struct table *t = load_relaxed(&map->table);
	struct acl_block *b = NULL;
	uint64_t region = t ? region_of(t, base) : 0;

	if (size > RUN_STRIDE_MAX)
		return NULL;
	if (t && load_relaxed(&t->near[region]) & RUN_HERE)
		b = take_of(map, load_relaxed(&t->run[region]), base, size, kind);
	if (!b && trend->run)
		b = take_of(map, trend->run - 1u, base, size, kind);
	if (!b && begins) {
		unsigned number = run_begin(map, trend, base);

		trend->run = number < RUNS ? (uint8_t)(number + 1) : 0;
		trend->count = 0;
		b = number < RUNS ? take_of(map, number, base, size, kind) : NULL;
	}
	return b;
}

void run_enter(struct pointer_map *map, struct acl_block *b)
{
	struct run *r = &map->run[b->run - 1];
	uint64_t i = run_slot(load_relaxed(&b->base) - load_relaxed(&r->base), load_relaxed(&r->inverse));

	/* Generation, state, slots: each is read only by who has read the next one (acquire). */
	store_release(&load_relaxed(&r->has)->generation[i], (uint16_t)load_relaxed(&b->generation));
	set_state(r, i, load_relaxed(&b->generation) == 1 ? SLOT_FIRST : SLOT_AGAIN);
	if (i >= load_relaxed(&r->slots))
		store_release(&r->slots, (uint32_t)i + 1);
	r->live++;
}

void run_drop(struct pointer_map *map, struct acl_block *b)
{
	struct run *r = &map->run[b->run - 1];
	uint64_t i = run_slot(load_relaxed(&b->base) - load_relaxed(&r->base), load_relaxed(&r->inverse));

	set_state(r, i, SLOT_EMPTY);
	if (!--r->live)
		run_end(map, b->run - 1);
}
