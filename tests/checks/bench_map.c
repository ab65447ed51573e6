/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pointer map alone, a million blocks in several patterns: nanoseconds a
 * look-up, an insertion and an erasure, bytes a block.  Prints a table; nothing
 * is enforced here, since other programs share the machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "checks/engine/instance.h"
#include "tests/checks/bare_checker.h"

#define MILLION 1000000u
#define LOOKS 2000000u
#define HUGE ((size_t)2 << 20)

/* As the preload library's: large tables on huge pages. */
static void *memory_huge(void *context, size_t bytes)
{
	size_t more = bytes >= 2 * HUGE ? HUGE : 0;
	char *p = mmap(NULL, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)context;
	if (p == MAP_FAILED)
		return NULL;
	if (more) {
		p += -(uintptr_t)p & (HUGE - 1);
		madvise(p, bytes, MADV_HUGEPAGE);
	}
	return p;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static uint32_t random_state = 1;

static uint32_t next(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 1;
}

/* --- patterns ------------------------------------------------------------------- */

struct pattern {
	const char *name;
	uint64_t unit; /* distance, at least */
	uint64_t size;
	bool mixed; /* 512 bytes up to size */
	bool strewn; /* distances differ */
};

static const struct pattern patterns[] = {
	{"4 KiB, 512 bytes apart", 4608, 4096, false, false},
	{"512 bytes, eight a page", 512, 512, false, false},
	{"4 KiB, anyhow apart", 16384, 4096, false, true},
	{"512 bytes to 64 KiB, 128 KiB apart", 128u << 10, 64u << 10, true, false},
};

static uint64_t base_of(const struct pattern *p, uint32_t i)
{
	return 0x120000000000ul + i * p->unit + (p->strewn ? i * 2654435761u >> 19 & ~511u : 0);
}

static uint64_t size_of(const struct pattern *p, uint32_t i)
{
	return p->mixed ? 512ul << (i * 2654435761u >> 29) : p->size;
}

/* inside: anywhere in the block, not at its first bytes. */
static double looks(
	struct pointer_map *map, const struct pattern *p, uint32_t blocks, uint32_t stride, bool inside)
{
	struct block_lookup place;
	unsigned missed = 0;
	double begin = now();

	for (uint32_t i = 0; i < LOOKS; i++) {
		uint32_t b = next() % blocks * stride;
		uint64_t offset = inside ? i * 40503u % size_of(p, b) : i & 448;

		missed += !map_find(map, base_of(p, b) + offset, &place);
	}
	if (missed)
		printf("missed %u of %u\n", missed, LOOKS);
	return (now() - begin) / LOOKS;
}

static struct acl_block *blocks[MILLION];

static void measure(struct checks *c, const struct pattern *p)
{
	struct pointer_map *map = map_create(c), *few = map_create(c);
	double begin, ten, working, random, inserted, bytes;
	long before;

	for (uint32_t i = 0; i < 10; i++)
		map_insert(c, few, NULL, base_of(p, i), size_of(p, i), MEM_DEVICE, 0);
	memset(blocks, 1, sizeof(blocks));
	before = resident();
	begin = now();
	for (uint32_t i = 0; i < MILLION; i++)
		blocks[i] = map_insert(c, map, NULL, base_of(p, i), size_of(p, i), MEM_DEVICE, 0);
	inserted = (now() - begin) / MILLION;
	bytes = (double)(resident() - before) / MILLION;
	ten = looks(few, p, 10, 1, false);
	working = looks(map, p, 1000, MILLION / 1000, false);
	random = looks(map, p, MILLION, 1, false);
	printf("| %s | %.1f | %.1f (x%.2f) | %.1f (+%.1f) | %.1f |", p->name, ten, working, working / ten,
		random, random - ten, looks(map, p, MILLION, 1, true));
	begin = now();
	for (uint32_t i = 0; i < MILLION; i++)
		map_erase(map, blocks[i], load_relaxed(&blocks[i]->generation));
	printf(" %.0f | %.0f | %.0f |\n", inserted, (now() - begin) / MILLION, bytes);
	fflush(stdout);
}

int main(void)
{
	struct checks_host host = {.memory = memory_huge};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};
	struct checks *c = checks_create(&config, &host);
	struct pointer_map *map = map_create(c);
	double begin;

	printf("| 1 000 000 blocks | look-up, 10 live | 1 000 of them | at random | inside | insert | erase "
	       "| "
	       "bytes a block |\n|---|---|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		measure(c, &patterns[i]);
	begin = now();
	for (uint32_t i = 0; i < 100; i++)
		map_insert(
			c, map, NULL, 0x200000000000ul + ((uint64_t)i << 37), 64ul << 30, MEM_RESERVED, -1);
	printf("\n64 GiB reservations: %.0f ns an insertion", (now() - begin) / 100);
	begin = now();
	for (uint32_t i = 0; i < 100; i++)
		map_insert(c, map, NULL, 0x110000000000ul + ((uint64_t)i << 13), 4096, MEM_DEVICE, 0);
	printf(", blocks of 4 KiB beside them %.0f ns\n", (now() - begin) / 100);
	return 0;
}
