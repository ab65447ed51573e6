/* SPDX-License-Identifier: Apache-2.0 */
/* The pointer map's table as its writers see it: entries come and go, tables are outgrown. */
#include "checks/engine/pages.h"
#include "checks/engine/pointer_map_inside.h"

static void mark(_Atomic uint8_t *region, unsigned bit)
{
	uint8_t classes = load_relaxed(region);

	if (!(classes >> bit & 1))
		store_release(region, (uint8_t)(classes | 1u << bit));
}

static void mark_regions(struct table *t, unsigned k, uint64_t base, uint64_t size)
{
	uint64_t last = base + size - 1;

	if (k >= CLASS_FAR)
		store_release(&t->vast, load_relaxed(&t->vast) | UINT64_C(1) << k);
	else if (k >= CLASS_NEAR)
		for (uint64_t r = base >> FAR_LOG; r <= last >> FAR_LOG; r++)
			mark(far_of(t, r << FAR_LOG), k - CLASS_NEAR);
	else
		for (uint64_t r = base >> NEAR_LOG; r <= last >> NEAR_LOG; r++)
			mark(&t->near[region_of(t, r << NEAR_LOG)], k);
}

/* What a slot says of a block. */
struct entry {
	uint64_t base;
	uint32_t last, what;
	unsigned generation;
};

static void write_slot(struct bucket *b, unsigned n, struct entry e)
{
	struct slot *s = &b->slot[n];
	uint64_t seq = load_relaxed(&b->seq);

	store_relaxed(&b->seq, seq | BUSY);
	/* Release: who sees a new word sees the bucket busy. */
	store_release(&s->base, 0);
	store_release(&s->last, e.last);
	store_release(&s->what, e.what);
	store_release(&b->generation[n], (uint16_t)e.generation);
	store_release(&s->base, e.base);
	store_release(&b->seq, (seq & ~(uint64_t)BUSY) + STEP);
}

static uint64_t slot_base(unsigned k, uint64_t base)
{
	return k < CLASS_VAST ? base : base ^ VAST;
}

/* Whether the bucket has room, and room is left for one that has to lie there. */
static bool has_room(struct bucket *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SLOTS; i++)
		n += !load_relaxed(&b->slot[i].base);
	return n > 1 && !(load_relaxed(&b->seq) & SPILLED);
}

/*
 * A small block may lie where larger ones would: in a region that has some anyway a look-up then has no other
 * bucket to look at.
 */
static unsigned class_for(const struct table *t, uint64_t base, uint64_t size)
{
	unsigned least = class_of(size), k = ROW_WIDEST, classes;

	if (least >= k)
		return least;
	classes = load_relaxed(&t->near[region_of(t, base)]) &
		  load_relaxed(&t->near[region_of(t, base + size - 1)]);
	for (; k > least; k--)
		if (classes >> k & 1 &&
			has_room(&t->bucket[bucket_number(k, base >> GRANULE_LOG(k)) & t->mask]))
			break;
	return k;
}

static void table_put(struct table *t, uint64_t base, uint64_t size, struct entry e)
{
	unsigned k = class_for(t, base, size);
	uint64_t first = bucket_number(k, base >> GRANULE_LOG(k));

	e.base = slot_base(k, base);
	e.last = (uint32_t)(size - 1);
	mark_regions(t, k, base, size);
	for (uint64_t tries = 0;; tries++) {
		struct bucket *b = &t->bucket[bucket_after(first, tries) & t->mask];

		for (unsigned n = 0; n < SLOTS; n++)
			if (!load_relaxed(&b->slot[n].base)) {
				write_slot(b, n, e);
				return;
			}
		if (!(load_relaxed(&b->seq) & SPILLED))
			store_release(&b->seq, load_relaxed(&b->seq) | SPILLED);
	}
}

/* Into another table; the block is asked only where the slot does not say all. */
static void table_move(struct pointer_map *map, struct table *to, struct bucket *b, unsigned n)
{
	uint64_t base = load_relaxed(&b->slot[n].base), size = (uint64_t)load_relaxed(&b->slot[n].last) + 1;
	struct entry e = {
		.what = load_relaxed(&b->slot[n].what), .generation = load_relaxed(&b->generation[n])};

	if (!base)
		return;
	if (base & VAST) {
		struct acl_block *block = block_at(map, e.what & INDEX_MASK);

		base = load_relaxed(&block->base);
		size = load_relaxed(&block->size);
	}
	table_put(to, base, size, e);
}

static size_t map_table_bytes(const struct table *t)
{
	return (t->mask + 1) * sizeof(struct bucket) + 2 * (t->regions + 1) + FAR_REGIONS;
}

/* A spare table holds zeros where its pages went back, old entries where they could not. */
static struct table *map_table_again(struct table *t)
{
	uint64_t fresh = ++t->epoch << 40; /* no reader of its former life finds its sequence again */

	/* Release: who misses a block because of any of these sees that the table was renewed. */
	for (uint64_t i = 0; i <= t->mask; i++) {
		store_release(&t->bucket[i].seq, fresh);
		for (unsigned n = 0; n < SLOTS; n++)
			write_slot(&t->bucket[i], n, (struct entry){0});
	}
	/* In a region's run stands what it likes while near does not name one. */
	for (uint64_t r = 0; r <= t->regions; r++)
		store_release(&t->near[r], 0);
	for (uint64_t r = 0; r < FAR_REGIONS; r++)
		store_release(&t->far[r], 0);
	store_release(&t->vast, 0);
	return t;
}

static struct table *map_table_new(struct pointer_map *map, unsigned log, uint64_t regions)
{
	struct table *t;

	for (struct table **spare = &map->spare[log]; (t = *spare) != NULL; spare = &t->next)
		if (t->regions == regions - 1) {
			*spare = t->next;
			return map_table_again(t);
		}
	t = checks_alloc(map->checks, sizeof(*t));
	if (!t)
		return NULL;
	t->mask = (UINT64_C(1) << log) - 1;
	t->regions = regions - 1;
	t->bucket = checks_alloc(map->checks, map_table_bytes(t));
	t->far = (_Atomic uint8_t *)(t->bucket + t->mask + 1);
	t->near = t->far + FAR_REGIONS;
	t->run = t->near + regions;
	return t->bucket ? t : NULL;
}

/*
 * Readers may still be inside.  The pages go back (and read as zeros: empty
 * buckets, after which a reader looks which table is the present one); the
 * addresses stay for the next table of this size.
 */
static void outgrown(struct pointer_map *map, struct table *t)
{
	unsigned log = 63 - (unsigned)__builtin_clzll(t->mask + 1);

	pages_give_back(t->bucket, map_table_bytes(t));
	t->next = map->spare[log];
	map->spare[log] = t;
}

/* A new table for what is in use now: a third full, so that it is not outgrown soon. */
bool table_renew(struct pointer_map *map, uint64_t regions)
{
	struct table *old = load_relaxed(&map->table), *new;
	unsigned log = TABLE_MIN, regions_log = REGIONS_LOG_MIN;

	while (map->used * 20 > (UINT64_C(1) << log) * SLOTS * 7)
		log++;
	while (UINT64_C(1) << regions_log < 4 * (map->claimed + regions))
		regions_log++;
	if (regions_log < log + 1)
		regions_log = log + 1;
	/* Fewer regions could put two runs on one. */
	while (old && UINT64_C(1) << regions_log <= old->regions)
		regions_log++;
	store_release(&map->renewals, load_relaxed(&map->renewals) + 1);
	new = log <= TABLE_MAX ? map_table_new(map, log, UINT64_C(1) << regions_log) : NULL;
	if (!new)
		return false;
	for (uint64_t i = 0; old && i <= old->mask; i++)
		for (unsigned n = 0; n < SLOTS; n++)
			table_move(map, new, &old->bucket[i], n);
	runs_mark(map, new);
	map->erased = 0;
	store_release(&map->table, new);
	store_relaxed(&map->head.large, new->regions >= REGIONS_CACHED);
	if (old)
		outgrown(map, old);
	return true;
}

bool table_enter(struct pointer_map *map, struct acl_block *b)
{
	struct table *t = load_relaxed(&map->table);

	/*
	 * SPILLED marks and classes of regions stay behind when entries go: after as many erasures as there
	 * are slots it is time to sweep.
	 */
	if (!t || map->used * 10 >= (t->mask + 1) * SLOTS * 6 || map->erased > (t->mask + 1) * SLOTS) {
		if (!table_renew(map, 0))
			return false;
		t = load_relaxed(&map->table);
	}
	table_put(t, load_relaxed(&b->base), load_relaxed(&b->size),
		(struct entry){.what = (uint32_t)load_relaxed(&b->kind) << INDEX_BITS | b->index,
			.generation = load_relaxed(&b->generation)});
	map->used++;
	return true;
}

/* Most blocks are gone: their pages are worth more elsewhere. */
static void shrink(struct pointer_map *map)
{
	struct table *t = load_relaxed(&map->table);

	if (t && t->mask >= 1024 && map->used * 40 < (t->mask + 1) * SLOTS)
		table_renew(map, 0);
}

/* Where it was put, if it is of this class there. */
static bool drop_of_class(struct pointer_map *map, struct table *t, struct acl_block *block, unsigned k)
{
	uint64_t base = slot_base(k, load_relaxed(&block->base)), seq = SPILLED,
		 first = bucket_number(k, load_relaxed(&block->base) >> GRANULE_LOG(k));

	for (uint64_t tries = 0; seq & SPILLED && tries <= t->mask; tries++) {
		struct bucket *b = &t->bucket[bucket_after(first, tries) & t->mask];

		for (unsigned n = 0; n < SLOTS; n++) {
			struct slot *s = &b->slot[n];

			if (load_relaxed(&s->base) != base ||
				(load_relaxed(&s->what) & INDEX_MASK) != block->index)
				continue;
			write_slot(b, n, (struct entry){0});
			map->used--;
			map->erased++;
			shrink(map);
			return true;
		}
		seq = load_relaxed(&b->seq);
	}
	return false;
}

void table_drop(struct pointer_map *map, struct acl_block *block)
{
	unsigned k = class_of(load_relaxed(&block->size));
	struct table *t = load_relaxed(&map->table);

	while (t && !drop_of_class(map, t, block, k) && ++k < CLASS_AFTER_ROW)
		;
}
