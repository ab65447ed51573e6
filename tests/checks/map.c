/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pointer map against a plain model: places at fixed distances, each with or
 * without a block, so that what lies at an address is known without a search.
 * Then the same with readers beside the writer; meant for the sanitizers too.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "checks/engine/instance.h"
#include "tests/checks/bare_checker.h"

#define CHECK(condition)                                                                                     \
	do {                                                                                                 \
		if (!(condition) && counter_inc(&failures) < 10)                                             \
			printf("# line %d: %s\n", __LINE__, #condition);                                     \
	} while (0)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#define LESS 8 /* they are slow */
#else
#define SANITIZED 0
#define LESS 1
#endif

static _Atomic unsigned failures;
static unsigned tests_done, tests_failed;

static uint64_t next(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/* --- the model ------------------------------------------------------------------ */

struct place {
	struct acl_block *block; /* NULL: none */
	uint64_t size;
	uint32_t generation;
	uint8_t kind;
};

struct arena {
	uint64_t base, stride, max; /* max: of sizes */
	uint32_t count;
	bool mixed; /* sizes: any, or all max */
	struct place *place;
};

static void *kept[256]; /* the arenas of the running test */
static unsigned n_kept;

static struct arena arena_new(uint64_t base, uint64_t stride, uint64_t max, uint32_t count, bool mixed)
{
	struct place *place = calloc(count, sizeof(*place));

	kept[n_kept++] = place;
	return (struct arena){base, stride, max, count, mixed, place};
}

static uint64_t some_size(const struct arena *a, uint64_t *random)
{
	uint64_t size = a->max >> next(random) % 8, less = next(random) % 3;

	if (!a->mixed)
		return a->max;
	return size > less ? size - less : 1;
}

static void put(struct checks *c, struct pointer_map *map, struct arena *a, uint32_t i, uint64_t size)
{
	struct place *p = &a->place[i];

	p->kind = 1 + i / 4000 % 3;
	p->size = size;
	p->block = map_insert(c, map, NULL, a->base + i * a->stride, size, p->kind, 0);
	CHECK(p->block);
	p->generation = p->block ? load_relaxed(&p->block->generation) : 0;
}

static void take_away(struct pointer_map *map, struct arena *a, uint32_t i)
{
	struct place *p = &a->place[i];

	if (p->block)
		map_erase(map, p->block, p->generation);
	p->block = NULL;
}

static void compare(struct pointer_map *map, const struct arena *a, uint64_t address)
{
	uint64_t i = (address - a->base) / a->stride, offset = (address - a->base) % a->stride;
	const struct place *p = address >= a->base && i < a->count ? &a->place[i] : NULL;
	bool known = p && p->block && offset < p->size;
	struct block_lookup found;

	map_prefetch(map, address);
	CHECK(map_find(map, address, &found) == known);
	CHECK((found.block != NULL) == known);
	if (!known || !found.block)
		return;
	CHECK(found.block == p->block && found.base == address - offset && found.size == p->size);
	CHECK(found.generation == p->generation && found.kind == p->kind);
	CHECK(found.index == found.block->index);
	CHECK(load_relaxed(&found.block->base) == found.base &&
		load_relaxed(&found.block->size) == found.size);
}

/* First and last byte, the next one, one inside. */
static void compare_place(struct pointer_map *map, const struct arena *a, uint32_t i, uint64_t *random)
{
	uint64_t base = a->base + i * a->stride;

	compare(map, a, base);
	compare(map, a, base + next(random) % a->stride);
	compare(map, a, base - 1);
	if (a->place[i].block) {
		compare(map, a, base + a->place[i].size - 1);
		compare(map, a, base + a->place[i].size);
	}
}

static void compare_all(struct pointer_map *map, struct arena *arenas, unsigned n, uint64_t *random)
{
	unsigned live = 0, seen = 0;
	struct acl_block *b;

	for (unsigned k = 0; k < n; k++)
		for (uint32_t i = 0; i < arenas[k].count; i++) {
			compare_place(map, &arenas[k], i, random);
			live += arenas[k].place[i].block != NULL;
		}
	CHECK(map_live(map) == live);
	map_each(map, b) seen++;
	CHECK(seen == live);
}

static void fill(struct checks *c, struct pointer_map *map, struct arena *a, uint64_t *random)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (!a->place[i].block && next(random) % 40)
			put(c, map, a, i, some_size(a, random));
}

static void empty(struct pointer_map *map, struct arena *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		take_away(map, a, i);
}

/* Blocks come and go at random; some are given out again without having been released. */
static void churn(struct checks *c, struct pointer_map *map, struct arena *arenas, unsigned n, unsigned steps,
	uint64_t *random)
{
	while (steps--) {
		struct arena *a = &arenas[next(random) % n];
		uint32_t i = (uint32_t)(next(random) % a->count);

		if (a->place[i].block && next(random) % 8)
			take_away(map, a, i);
		else
			put(c, map, a, i, next(random) % 16 ? some_size(a, random) : 1 + a->max / 3);
		compare_place(map, a, i, random);
		compare(map, a, a->base + next(random) % (a->count * a->stride));
	}
}

/* --- against the model ------------------------------------------------------------ */

static void any_sizes(void)
{
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	uint64_t random = 88172645463325252u;
	struct arena arenas[] = {
		arena_new(0x120000000000, 4608, 4096, 9000, false), /* page sized, a little apart */
		arena_new(0x120100000000 + 64, 512, 512, 20000, false), /* many on a page, no gap */
		arena_new(0x130000000000, 128u << 10, 64u << 10, 9000, true),
		arena_new(0x150000000000, 24576, 24576, 9000, true), /* small ones beside large ones */
		arena_new(0x7f0000000001, 100, 64, 5000, true), /* odd addresses */
		arena_new(0x200000000000, (256ul << 30) + 4096, 128ul << 30, 60, true), /* reservations */
		arena_new(0x140000000000, 3u << 20, 2u << 20, 2000, true),
		/* No gap, at the bound of the runs. */
		arena_new(0x0000ffff0000, 128u << 10, 128u << 10, 300, false),
		arena_new(0xffff800000000000, 8192, 8192, 500, false), /* upper half */
	};
	unsigned n = sizeof(arenas) / sizeof(arenas[0]);

	for (unsigned k = 0; k < n; k++)
		fill(c, map, &arenas[k], &random);
	compare_all(map, arenas, n, &random);
	churn(c, map, arenas, n, 60000 / LESS, &random);
	compare_all(map, arenas, n, &random);
	for (unsigned k = 0; k < n; k++)
		empty(map, &arenas[k]);
	CHECK(map_live(map) == 0);
	compare_all(map, arenas, n, &random);
	for (unsigned k = 0; k < n; k++)
		fill(c, map, &arenas[k], &random);
	compare_all(map, arenas, n, &random);
}

/* The same addresses, cut up another way each time. */
static void cut_anew(void)
{
	static const uint32_t strides[] = {512, 576, 4096, 1000, 65536, 1u << 20, 64, 4096};
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	uint64_t random = 4711;

	for (unsigned k = 0; k < sizeof(strides) / sizeof(strides[0]); k++) {
		struct arena a = arena_new(0x120000000000, strides[k], strides[k] - k % 2 * 8, 3000, false);

		fill(c, map, &a, &random);
		compare_all(map, &a, 1, &random);
		churn(c, map, &a, 1, 3000 / LESS, &random);
		compare_all(map, &a, 1, &random);
		empty(map, &a);
	}
}

/* More runs at once than there are, far apart and close together. */
static void many_runs(void)
{
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	static struct arena arenas[150];
	uint64_t random = 99;

	for (unsigned k = 0; k < 150; k++) {
		arenas[k] = arena_new(
			0x120000000000 + ((uint64_t)k << (k % 3 ? 38 : 21)) + (k % 3 ? 1ul << 37 : 0),
			256 + k % 5 * 64, 256, 200, false);
		fill(c, map, &arenas[k], &random);
	}
	compare_all(map, arenas, 150, &random);
	churn(c, map, arenas, 150, 20000 / LESS, &random);
	for (unsigned k = 0; k < 150; k += 2)
		empty(map, &arenas[k]);
	compare_all(map, arenas, 150, &random);
	for (unsigned k = 0; k < 150; k += 2)
		fill(c, map, &arenas[k], &random);
	compare_all(map, arenas, 150, &random);
}

/* Most of what needed a large table goes: what is left shares its smaller successor's regions. */
static void runs_crowded(void)
{
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	struct arena arenas[101];
	uint64_t random = 7;

	for (unsigned k = 0; k < 100; k++) {
		arenas[k] = arena_new(((uint64_t)(k * k + 300) << 36) + ((uint64_t)k << 24), 4608, 4096,
			3000 / LESS, false);
		fill(c, map, &arenas[k], &random);
	}
	for (unsigned k = 0; k < 100; k++)
		if (k % 6)
			empty(map, &arenas[k]);
	arenas[100] = arena_new(0x7ffff0000000, 128u << 10, 64u << 10, 500, true);
	fill(c, map, &arenas[100], &random);
	compare_all(map, arenas, 101, &random);
	churn(c, map, arenas, 101, 20000 / LESS, &random);
	compare_all(map, arenas, 101, &random);
}

/* What entries took is given back when the blocks are gone. */
static void gives_back(void)
{
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	struct arena a = arena_new(0x120000000000, 128u << 10, 64u << 10, 200000 / LESS, true);
	uint64_t random = 1;
	long full;

	fill(c, map, &a, &random);
	full = resident();
	empty(map, &a);
	CHECK(SANITIZED || full - resident() > 200000l * 32);
	fill(c, map, &a, &random);
	CHECK(SANITIZED || resident() < full + full / 10);
	for (uint32_t i = 0; i < a.count; i += 97)
		compare_place(map, &a, i, &random);
}

/* --- with readers ------------------------------------------------------------------ */

#define STILL 512 /* places whose blocks stay, every other one */

struct scenario {
	struct pointer_map *map;
	struct arena *arenas;
	unsigned n;
	uint64_t seed;
	_Atomic bool *over;
	_Atomic uint64_t looked;
};

/* Even places hold a block all the time; odd ones hold theirs or none, never another size. */
static void *reader(void *scenario)
{
	struct scenario *s = scenario;
	uint64_t random = s->seed;

	while (!atomic_load(s->over)) {
		const struct arena *a = &s->arenas[next(&random) % s->n];
		uint64_t i = next(&random) % a->count, offset = next(&random) % a->max;
		uint64_t base = a->base + i * a->stride;
		struct block_lookup found;

		map_prefetch(s->map, base + offset);
		if (map_find(s->map, base + offset, &found))
			CHECK(found.base == base && found.size == a->max && found.kind == MEM_DEVICE);
		else
			CHECK(i % 2);
		CHECK(!map_find(s->map, base + a->max, &found));
		counter_inc(&s->looked);
	}
	return NULL;
}

static void with_readers(void)
{
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	_Atomic bool over = false;
	/* The first two make runs; the last one comes and goes as a whole. */
	struct arena arenas[] = {arena_new(0x120000000000, 4608, 4096, STILL, false),
		arena_new(0x140000000000, 512 + 64, 512, STILL, false),
		arena_new(0x7f0000000000, 3u << 20, 2u << 20, STILL, false)};
	struct arena tide = arena_new(0x130000000000, 4608, 4096, 4000, false);
	struct scenario scenarios[2];
	pthread_t threads[2];
	uint64_t random = 5, looked = 0;

	for (unsigned k = 0; k < 3; k++)
		for (uint32_t i = 0; i < STILL; i++)
			arenas[k].place[i].block = map_insert(c, map, NULL,
				arenas[k].base + i * arenas[k].stride, arenas[k].max, MEM_DEVICE, 0);
	for (unsigned t = 0; t < 2; t++) {
		scenarios[t] = (struct scenario){map, arenas, 3, t + 77, &over, 0};
		pthread_create(&threads[t], NULL, reader, &scenarios[t]);
	}
	for (unsigned round = 0; round < 6 || looked < 20000; round++) {
		/* Every third tide is irregular: the table grows and shrinks under the readers. */
		tide.mixed = round % 3 == 2;
		fill(c, map, &tide, &random);
		for (unsigned i = 0; i < 3000 / LESS; i++) {
			struct arena *a = &arenas[next(&random) % 3];
			uint32_t at = (uint32_t)(next(&random) % STILL) | 1;
			struct place *p = &a->place[at];

			if (p->block)
				map_erase(map, p->block, load_relaxed(&p->block->generation));
			p->block = p->block ? NULL
					    : map_insert(c, map, NULL, a->base + at * a->stride, a->max,
						      MEM_DEVICE, 0);
		}
		empty(map, &tide);
		looked = atomic_load(&scenarios[0].looked) + atomic_load(&scenarios[1].looked);
	}
	atomic_store(&over, true);
	for (unsigned t = 0; t < 2; t++)
		pthread_join(threads[t], NULL);
}

static void run(const char *name, void (*test)(void))
{
	unsigned before = failures;

	test();
	while (n_kept)
		free(kept[--n_kept]);
	printf("%s %u - %s\n", failures > before ? "not ok" : "ok", ++tests_done, name);
	tests_failed += failures > before;
	fflush(stdout);
}

int main(void)
{
	printf("1..6\n");
	run("blocks of any size come and go", any_sizes);
	run("addresses cut up anew", cut_anew);
	run("more runs than there is room for", many_runs);
	run("runs that share regions", runs_crowded);
	run("memory comes back", gives_back);
	run("readers beside a writer", with_readers);
	return tests_failed != 0;
}
