/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pointer map alone: nanoseconds a look-up, an insertion and an erasure,
 * bytes a block.  Prints a table; the bounds stand in it and are not enforced
 * here, since other programs share the machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "checks/core.h"

#define MILLION 1000000u
#define LOOKS 4000000u

static void *memory(void *context, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)context;
	/* As the preload library's memory is. */
	if (p != MAP_FAILED && bytes >= 4u << 20)
		madvise(p, bytes, MADV_HUGEPAGE);
	return p == MAP_FAILED ? NULL : p;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static long resident(void)
{
	long total, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%ld %ld", &total, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

static uint32_t random_state = 1;

static uint32_t next(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 1;
}

/* Blocks of 512 B to 64 KiB, 128 KiB apart. */
static uint64_t base_of(uint32_t i)
{
	return 0x120000000000ul + (uint64_t)i * (128u << 10);
}

static uint64_t size_of(uint32_t i)
{
	return 512ul << (i * 2654435761u >> 29);
}

static double looks(struct pointer_map *map, uint32_t blocks, uint32_t stride)
{
	struct acl_place place;
	unsigned missed = 0;
	double begin = now();

	for (uint32_t i = 0; i < LOOKS; i++) {
		uint32_t b = next() % blocks * stride;

		missed += !map_find(map, base_of(b) + (i & 448), &place);
	}
	if (missed)
		printf("missed %u of %u\n", missed, LOOKS);
	return (now() - begin) / LOOKS;
}

int main(void)
{
	struct checks_host host = {.memory = memory};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};
	struct checks *c = checks_create(&config, &host);
	struct pointer_map *map = map_create(c), *few = map_create(c);
	static struct acl_block *blocks[MILLION];
	double begin, ten, working, random;
	long before;

	for (uint32_t i = 0; i < 10; i++)
		map_insert(c, few, NULL, base_of(i), size_of(i), MEM_DEVICE, 0);
	before = resident();
	begin = now();
	for (uint32_t i = 0; i < MILLION; i++)
		blocks[i] = map_insert(c, map, NULL, base_of(i), size_of(i), MEM_DEVICE, 0);
	printf("insert, up to 1 000 000 live   %8.0f ns  (bound 5 000)\n", (now() - begin) / MILLION);
	printf("resident                       %8.0f bytes a block  (bound 160)\n",
		(double)(resident() - before - (long)sizeof(blocks)) / MILLION);
	ten = looks(few, 10, 1);
	working = looks(map, 1000, MILLION / 1000);
	random = looks(map, MILLION, 1);
	printf("look-up, 10 live               %8.1f ns\n", ten);
	printf("look-up, 1 000 of 1 000 000    %8.1f ns  (x%.2f)\n", working, working / ten);
	printf("look-up, random of 1 000 000   %8.1f ns  (+%.1f)\n", random, random - ten);
	begin = now();
	for (uint32_t i = 0; i < 100; i++)
		map_insert(
			c, map, NULL, 0x400000000000ul + ((uint64_t)i << 37), 64ul << 30, MEM_RESERVED, -1);
	printf("insert 64 GiB reservations     %8.0f ns\n", (now() - begin) / 100);
	begin = now();
	for (uint32_t i = 0; i < 100; i++)
		map_insert(c, map, NULL, 0x110000000000ul + ((uint64_t)i << 13), 4096, MEM_DEVICE, 0);
	printf("insert blocks of 4 KiB         %8.0f ns\n", (now() - begin) / 100);
	begin = now();
	for (uint32_t i = 0; i < MILLION; i++)
		map_erase(map, blocks[i], ld(&blocks[i]->generation));
	printf("erase                          %8.0f ns  (bound 5 000)\n", (now() - begin) / MILLION);
	return 0;
}
