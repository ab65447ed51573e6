/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pointer map against a plain list, with few blocks and many steps: blocks of all sizes come over each
 * other, runs begin and end, cursors look on while they do, references outlive their blocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "checks/engine/pointer_map_cursor.h"
#include "tests/checks/bare_checker.h"

#define BLOCKS 120
#define OLD 64
#define AREA UINT64_C(0x120000000000)

static uint64_t random_state;

static uint64_t next(uint64_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 20) % below;
}

struct known {
	uint64_t base, size;
	struct acl_block *block; /* NULL: gone */
	uint64_t ref;
	unsigned kind;
};

struct game {
	struct checks *checks;
	struct pointer_map *map;
	struct map_cursor cursor;
	struct known all[BLOCKS];
	uint64_t old[OLD]; /* references to blocks that are gone */
	unsigned n_old, by_cursor;
	/* Where new blocks come: at multiples of the step, below the range, up to so large. */
	uint64_t step, range, largest;
};

static void game_begin(struct game *g, uint64_t step, uint64_t range, uint64_t largest)
{
	struct checks_host host = {.memory = counted};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};

	memset(g, 0, sizeof(*g));
	g->checks = checks_create(&config, &host);
	g->map = g->checks->maps[MAP_MEMORY];
	assert_non_null(g->map);
	g->step = step;
	g->range = range;
	g->largest = largest;
}

static bool touches(const struct known *k, uint64_t base, uint64_t size)
{
	return k->block && base < k->base + k->size && k->base < base + size;
}

static const struct known *known_at(const struct game *g, uint64_t address)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		if (touches(&g->all[i], address, 1))
			return &g->all[i];
	return NULL;
}

static void forget(struct game *g, struct known *k)
{
	assert_null(block_of(g->checks, k->ref));
	g->old[g->n_old++ % OLD] = k->ref;
	k->block = NULL;
}

/* --- what is found ---------------------------------------------------------------------------- */

static void is_known(const struct known *k, const struct acl_block *block, uint64_t base, uint64_t size,
	uint32_t index, uint32_t generation)
{
	assert_non_null(k);
	assert_ptr_equal(block, k->block);
	assert_int_equal(base, k->base);
	assert_int_equal(size, k->size);
	assert_int_equal(index, k->block->index);
	assert_int_equal(generation, load_relaxed(&k->block->generation));
	assert_true(generation > 0 && generation <= UINT16_MAX);
	assert_int_equal(load_relaxed(&k->block->kind), k->kind);
}

static void found_is(const struct game *g, bool found, const struct block_lookup *place, uint64_t address)
{
	const struct known *k = known_at(g, address);

	assert_int_equal(found, k != NULL);
	assert_int_equal(place->block != NULL, k != NULL);
	if (!k)
		return;
	is_known(k, place->block, place->base, place->size, place->index, place->generation);
	assert_int_equal(place->kind, k->kind);
}

/* The cursor as it was left, and what it finds there. */
static void compare_by_cursor(struct game *g, uint64_t address)
{
	struct cursor_block found;

	if (map_cursor_find(&g->cursor, address, &found) && map_cursor_found_holds(&g->cursor)) {
		is_known(known_at(g, address), found.block, found.base, found.size, found.index,
			found.generation);
		assert_int_equal(g->cursor.kind, load_relaxed(&found.block->kind));
		g->by_cursor++;
	}
}

static void compare(struct game *g, uint64_t address)
{
	struct block_lookup place;

	compare_by_cursor(g, address);
	map_prefetch(g->map, address);
	found_is(g, map_find(g->map, address, &place), &place, address);
	if (next(2)) {
		map_cursor_set(g->map, &g->cursor, address);
		compare_by_cursor(g, address);
	} else {
		found_is(g, map_find_by(g->map, &g->cursor, address, &place), &place, address);
	}
}

static void compare_range(struct game *g, uint64_t base, uint64_t size)
{
	const struct known *first = NULL;

	for (unsigned i = 0; i < BLOCKS; i++)
		if (touches(&g->all[i], base, size) && (!first || g->all[i].base < first->base))
			first = &g->all[i];
	assert_ptr_equal(map_first_in(g->map, base, size), first ? first->block : NULL);
}

static void compare_all(struct game *g)
{
	unsigned live = 0, seen = 0;
	struct acl_block *b;

	for (unsigned i = 0; i < BLOCKS; i++) {
		const struct known *k = &g->all[i];

		if (!k->block)
			continue;
		live++;
		assert_ptr_equal(block_of(g->checks, k->ref), k->block);
		compare(g, k->base);
		compare(g, k->base - 1);
		compare(g, k->base + k->size);
		compare(g, k->base + k->size - 1);
	}
	for (unsigned i = 0; i < OLD; i++)
		assert_null(block_of(g->checks, g->old[i]));
	assert_int_equal(map_live(g->map), live);
	map_each(g->map, b)
	{
		seen++;
		assert_ptr_equal(known_at(g, load_relaxed(&b->base))->block, b);
	}
	assert_int_equal(seen, live);
}

/* --- what changes ------------------------------------------------------------------------------ */

static void insert(struct game *g, struct known *k, uint64_t base, uint64_t size, unsigned kind)
{
	uint64_t version = map_version(g->map);
	struct known gone[BLOCKS];
	struct acl_block *b;

	memcpy(gone, g->all, sizeof(gone));
	b = map_insert(g->checks, g->map, NULL, base, size, kind, 3);
	assert_non_null(b);
	assert_int_not_equal(map_version(g->map), version);
	for (unsigned i = 0; i < BLOCKS; i++)
		if (touches(&gone[i], base, size))
			forget(g, &g->all[i]);
	*k = (struct known){base, size, b, block_ref(b, load_relaxed(&b->generation), false), kind};
	assert_int_equal(load_relaxed(&b->state), ACL_OBJECT_LIVE);
	assert_int_equal(load_relaxed(&b->device), 3);
	assert_int_equal(load_relaxed(&b->owner), 0);
	assert_int_equal(load_relaxed(&b->flags), 0);
	assert_int_equal(load_relaxed(&b->marks), 0);
	assert_int_equal(load_relaxed(&b->captured), 0);
	/* So that it is seen when the next one there does not begin anew. */
	store_relaxed(&b->captured, 1);
	block_owned(b, 77);
	block_marked(b, BLOCK_WORDS);
	block_reported(b);
}

static void erase(struct game *g, struct known *k)
{
	struct acl_block *b = k->block;
	uint32_t generation = load_relaxed(&b->generation);
	uint64_t version = map_version(g->map);

	/* A release that fails, and one that is of another life of the block. */
	if (next(2)) {
		assert_false(block_releasing(b, generation + 1));
		assert_true(block_releasing(b, generation));
		assert_false(block_releasing(b, generation));
		assert_ptr_equal(block_of(g->checks, k->ref), b);
		block_release_failed(b, generation + 1);
		assert_int_equal(load_relaxed(&b->state), ACL_OBJECT_DESTROYING);
		compare(g, k->base);
		if (next(2)) {
			block_release_failed(b, generation);
			assert_int_equal(load_relaxed(&b->state), ACL_OBJECT_LIVE);
			return;
		}
	}
	map_erase(g->map, b, generation + 1);
	assert_ptr_equal(block_of(g->checks, k->ref), b);
	map_erase(g->map, b, generation);
	assert_int_not_equal(map_version(g->map), version);
	forget(g, k);
	block_release_failed(b, generation);
	map_erase(g->map, b, generation);
}

static struct known *free_one(struct game *g)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		if (!g->all[i].block)
			return &g->all[i];
	return NULL;
}

static void step(struct game *g)
{
	struct known *k = &g->all[next(BLOCKS)], *empty = free_one(g);
	uint64_t base = AREA + next(g->range) * g->step, size = 1 + (g->largest >> next(24));

	if (size > g->largest)
		size = g->largest;
	if (k->block && (!empty || next(2))) {
		base = k->base;
		size = k->size;
		erase(g, k);
	} else if (empty) {
		insert(g, empty, base, size, MEM_DEVICE + (unsigned)next(3));
	}
	compare(g, base);
	compare(g, base + size);
	compare(g, base + size - 1);
	compare(g, base - 1);
	compare(g, AREA + next(g->range * g->step));
	compare_range(g, AREA + next(g->range) * g->step - next(2), 1 + next(4 * g->step));
}

/* A run over whatever is there: its blocks come one behind the other. */
static void run_of(struct game *g, uint64_t base, uint64_t stride, uint64_t size)
{
	unsigned kind = MEM_DEVICE + (unsigned)next(3);

	for (unsigned i = 0; i < 60; i++) {
		struct known *k = free_one(g);

		if (!k) {
			k = &g->all[next(BLOCKS)];
			map_erase(g->map, k->block, (uint32_t)k->ref);
			forget(g, k);
		}
		insert(g, k, base + i * stride, size, kind);
		compare(g, base + i * stride + size - 1);
	}
}

static void empty(struct game *g)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		if (g->all[i].block) {
			map_erase(g->map, g->all[i].block, (uint32_t)g->all[i].ref);
			forget(g, &g->all[i]);
		}
	compare_all(g);
	assert_int_equal(map_live(g->map), 0);
}

/* --- the tests ---------------------------------------------------------------------------------- */

static const struct {
	uint64_t step, range, largest;
} areas[] = {
	{1, 3000, 200}, /* all in a region */
	{64, 4000, 4096}, {512, 2048, 512}, {4096, 900, 65536}, {65536, 500, 1 << 20},
	{UINT64_C(1) << 20, 400, 3 << 20}, {UINT64_C(1) << 28, 300, UINT64_C(1) << 29},
	{UINT64_C(1) << 33, 100, UINT64_C(1) << 36}, /* sizes that do not fit into a slot */
};

static void blocks_of_all_sizes(void **state)
{
	static struct game g;

	(void)state;
	for (unsigned i = 0; i < sizeof(areas) / sizeof(areas[0]); i++) {
		game_begin(&g, areas[i].step, areas[i].range, areas[i].largest);
		random_state = 1 + i;
		for (unsigned n = 0; n < 1200; n++)
			step(&g);
		compare_all(&g);
		empty(&g);
		for (unsigned n = 0; n < 300; n++)
			step(&g);
		compare_all(&g);
	}
}

static void runs_come_and_go(void **state)
{
	static const uint64_t strides[] = {512, 768, 4096, 576, 8192, 65536, 1 << 17};
	static struct game g;

	(void)state;
	game_begin(&g, 256, 4096, 8192);
	random_state = 9;
	for (unsigned round = 0; round < 40; round++) {
		uint64_t stride = strides[next(7)], size = next(2) ? stride : stride - 64 * (1 + next(4));

		run_of(&g, AREA + next(64) * 4096 + next(2) * 64, stride, size);
		compare_all(&g);
		for (unsigned n = 0; n < 60; n++)
			step(&g);
		compare_all(&g);
		if (round % 5 == 4)
			empty(&g);
	}
	assert_true(g.by_cursor > 1000);
}

/* The generations of a block are 16 bits, and never 0: here of one of a run, and of those beside. */
static void generations_go_round(void **state)
{
	static struct game g;
	struct block_lookup place;

	(void)state;
	game_begin(&g, 4096, 64, 4096);
	run_of(&g, AREA, 4096, 4096);
	for (unsigned at = 0; at < 2; at++) {
		uint64_t base = at ? AREA + 65 * 1000003 : AREA + 40 * 4096;
		unsigned rounds = at ? 3000 : 70000;

		for (unsigned i = 0; i < rounds; i++) {
			struct acl_block *b = map_insert(g.checks, g.map, NULL, base, 4096, g.all[0].kind, 0);
			uint32_t generation = load_relaxed(&b->generation);

			assert_true(generation > 0 && generation <= UINT16_MAX);
			assert_int_equal(b->run != 0, !at);
			assert_true(map_find(g.map, base + 7, &place));
			assert_ptr_equal(place.block, b);
			assert_int_equal(place.generation, generation);
			map_erase(g.map, b, generation);
			assert_false(map_find(g.map, base + 7, &place));
		}
	}
}

/* However long blocks come and go, runs begin and end, and tables are outgrown. */
static void memory_stays(void **state)
{
	static struct game g;
	size_t before = 0;

	(void)state;
	game_begin(&g, 4096, 512, 65536);
	random_state = 5;
	for (unsigned round = 0; round < 60; round++) {
		if (round == 20)
			before = n_memory;
		run_of(&g, AREA + (UINT64_C(1) << 32) + round % 7 * 4096, 4096, 4096);
		for (unsigned n = 0; n < 100; n++)
			step(&g);
		empty(&g);
	}
	assert_int_equal(n_memory, before);
}

/* A thread looks on in the middle of a run that begins or ends: there is nothing in it then. */
static void run_that_ends(void **state)
{
	static struct game g;
	struct cursor_block found;
	struct block_lookup place;
	struct run *r;

	(void)state;
	game_begin(&g, 4096, 64, 4096);
	run_of(&g, AREA, 4096, 4096);
	r = &g.map->run[0];
	map_cursor_set(g.map, &g.cursor, AREA + 50 * 4096);
	assert_true(map_cursor_holds(&g.cursor));
	assert_true(map_cursor_find(&g.cursor, AREA + 50 * 4096, &found));
	counter_inc(&r->seq);
	assert_false(map_cursor_holds(&g.cursor));
	assert_false(map_find(g.map, AREA + 50 * 4096, &place));
	map_cursor_set(g.map, &g.cursor, AREA + 50 * 4096);
	assert_false(map_cursor_find(&g.cursor, AREA + 50 * 4096, &found));
	assert_true(map_cursor_holds(&g.cursor));
	assert_false(map_find_by(g.map, &g.cursor, AREA + 50 * 4096, &place));
	counter_inc(&r->seq);
	assert_true(map_find_by(g.map, &g.cursor, AREA + 50 * 4096, &place));
	assert_true(map_cursor_find(&g.cursor, AREA + 51 * 4096, &found));
	compare_all(&g);
}

static unsigned allocations_left;

static void *limited(void *context, size_t bytes)
{
	return allocations_left && allocations_left-- ? memory(context, bytes) : NULL;
}

#define MANY 4000

/* Some in runs, the others at no equal distances. */
static uint64_t place_of(unsigned i, uint64_t apart)
{
	return AREA + i * apart + (i / 500 % 2 ? 0 : i * i % 7 * 64);
}

/* However early memory is refused: a block is entered as a whole, or not at all, and none is lost. */
static void without_memory(void **state)
{
	static struct acl_block *blocks[MANY];
	struct block_lookup place;

	(void)state;
	for (unsigned allowed = 0; allowed < 16; allowed++) {
		struct checks *c = checker();
		struct pointer_map *map = c->maps[MAP_MEMORY];
		/* The regions of runs outgrow the table as well. */
		uint64_t apart = allowed % 2 ? 8192 : 1 << 17;
		unsigned live = 0;

		for (size_t bytes = 1 << 16; bytes >= 16; bytes /= 2)
			for (unsigned i = 0; i < 100; i++)
				checks_alloc(c, bytes);
		allocations_left = allowed;
		c->host.memory = limited;
		for (unsigned i = 0; i < MANY; i++) {
			blocks[i] = map_insert(c, map, NULL, place_of(i, apart), 4096, MEM_DEVICE, 0);
			live += blocks[i] != NULL;
			if (blocks[i] && i % 3 == 2) {
				map_erase(map, blocks[i], load_relaxed(&blocks[i]->generation));
				blocks[i] = NULL;
				live--;
			}
		}
		assert_int_equal(map_live(map), live);
		for (unsigned i = 0; i < MANY; i++) {
			assert_int_equal(map_find(map, place_of(i, apart) + 5, &place), blocks[i] != NULL);
			assert_ptr_equal(place.block, blocks[i]);
			assert_ptr_equal(map_first_in(map, place_of(i, apart), 64), blocks[i]);
		}
	}
}

/* As many as there are numbers: what comes then is not known, and that is said. */
static void no_numbers_left(void **state)
{
	static struct game g;
	unsigned known = 0;

	(void)state;
	game_begin(&g, 1, 1, 1);
	assert_non_null(map_insert(g.checks, g.map, NULL, AREA, 64, MEM_DEVICE, 0));
	g.map->chunked = BLOCK_CHUNKS;
	for (unsigned i = 1; i < 3 * BLOCK_CHUNK; i++)
		known += map_insert(g.checks, g.map, NULL, place_of(i, 8192), 64, MEM_DEVICE, 0) != NULL;
	assert_in_range(known, 1, BLOCK_CHUNK - 1);
	assert_int_equal(map_live(g.map), known + 1);
	assert_true(load_relaxed(&g.checks->degraded));
}

/* What is no block, and what ends beyond the last address. */
static void no_blocks(void **state)
{
	static struct game g;
	struct cursor_block by_cursor;
	struct block_lookup place;
	struct acl_block *b;

	(void)state;
	game_begin(&g, 1, 1, 1);
	/* Of a map that never had one. */
	map_prefetch(g.map, AREA);
	map_cursor_set(g.map, &g.cursor, AREA);
	assert_false(map_cursor_find(&g.cursor, AREA, &by_cursor));
	assert_false(map_find_by(g.map, &g.cursor, AREA, &place));
	assert_false(map_find(g.map, AREA, &place));
	assert_null(place.block);
	assert_null(map_insert(g.checks, g.map, NULL, 0, 64, MEM_DEVICE, 0));
	assert_null(map_insert(g.checks, g.map, NULL, 64, 0, MEM_DEVICE, 0));
	assert_null(map_insert(g.checks, g.map, NULL, UINT64_MAX - 63, 64, MEM_DEVICE, 0));
	assert_null(map_insert(g.checks, g.map, NULL, 64, UINT64_C(1) << 62, MEM_DEVICE, 0));
	assert_null(map_insert(g.checks, NULL, NULL, 64, 64, MEM_DEVICE, 0));
	assert_null(map_first_in(NULL, 64, 64));
	assert_null(map_first_in(g.map, 0, UINT64_MAX));
	assert_false(map_find(g.map, 0, &place));
	b = map_insert(g.checks, g.map, NULL, UINT64_MAX - 64, 64, MEM_DEVICE, 0);
	assert_non_null(b);
	assert_true(map_find(g.map, UINT64_MAX - 1, &place));
	assert_false(map_find(g.map, 0, &place));
	assert_false(map_find_by(g.map, &g.cursor, 0, &place));
	assert_ptr_equal(map_first_in(g.map, 1, UINT64_MAX), b);
	assert_ptr_equal(map_first_in(g.map, UINT64_MAX - 1, 64), b);
	b = map_insert(g.checks, g.map, NULL, 64, (UINT64_C(1) << 62) - 1, MEM_DEVICE, 0);
	assert_non_null(b);
	assert_true(map_find(g.map, UINT64_C(1) << 61, &place));
	assert_int_equal(place.size, (UINT64_C(1) << 62) - 1);
	assert_null(block_of(g.checks, 0));
	assert_null(block_of(g.checks, block_ref(b, load_relaxed(&b->generation), true)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_all_sizes),
		cmocka_unit_test(runs_come_and_go),
		cmocka_unit_test(generations_go_round),
		cmocka_unit_test(memory_stays),
		cmocka_unit_test(run_that_ends),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(no_numbers_left),
		cmocka_unit_test(no_blocks),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
