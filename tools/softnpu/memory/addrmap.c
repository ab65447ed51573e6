/* SPDX-License-Identifier: Apache-2.0 */
/* Interval trees over blocks and registrations; location of an address. */
#include "tools/softnpu/memory/addrmap.h"

#include <search.h>
#include <stdlib.h>

/* Blocks and registrations begin alike, and so do the keys that look them up. */
struct interval {
	char *addr;
	size_t size;
};

_Static_assert(offsetof(struct block, size) == offsetof(struct interval, size), "interval");
_Static_assert(offsetof(struct registration, size) == offsetof(struct interval, size), "interval");

static void *blocks, *registrations;

/* Overlapping intervals compare equal; those in a tree never overlap. */
static int compare(const void *x, const void *y)
{
	const struct interval *a = x, *b = y;

	if (a->addr + a->size <= b->addr)
		return -1;
	return b->addr + b->size <= a->addr;
}

static void *addrmap_find(void *const *tree, const void *addr, size_t size)
{
	struct interval key = {(char *)addr, size};
	void **node = tfind(&key, tree, compare);

	return node ? *node : NULL;
}

static bool insert(void **tree, void *interval)
{
	void **node = tsearch(interval, tree, compare);

	return node && *node == interval;
}

bool block_insert(struct block *b)
{
	return insert(&blocks, b);
}

void block_remove(struct block *b)
{
	tdelete(b, &blocks, compare);
}

struct block *block_find(const void *addr)
{
	return addrmap_find(&blocks, addr, 1);
}

struct block *block_at(const void *addr)
{
	struct block *b = block_find(addr);

	return b && b->addr == addr ? b : NULL;
}

static struct collected {
	struct block **list;
	size_t n, capacity;
} * collecting;

static void collect(const void *node, VISIT visit, int depth)
{
	struct collected *c = collecting;

	(void)depth;
	if (visit != postorder && visit != leaf)
		return;
	if (c->n == c->capacity) {
		size_t capacity = c->capacity ? c->capacity * 2 : 64;
		struct block **list = realloc(c->list, capacity * sizeof(*list));

		if (!list)
			return;
		c->list = list;
		c->capacity = capacity;
	}
	c->list[c->n++] = *(struct block *const *)node;
}

void blocks_each(void (*fn)(struct block *, void *), void *arg)
{
	struct collected c = {0};

	collecting = &c;
	twalk(blocks, collect);
	for (size_t i = 0; i < c.n; i++)
		fn(c.list[i], arg);
	free(c.list);
}

bool registration_insert(struct registration *r)
{
	return insert(&registrations, r);
}

void registration_remove(struct registration *r)
{
	tdelete(r, &registrations, compare);
}

struct registration *registration_find(const void *addr)
{
	return addrmap_find(&registrations, addr, 1);
}

struct registration *registration_overlap(const void *addr, size_t size)
{
	return addrmap_find(&registrations, addr, size);
}

void addrmap_forget(void)
{
	npu_keep(blocks);
	npu_keep(registrations);
	blocks = registrations = NULL;
}

/* At most one for each device, one for pinned and one for managed memory. */
static struct {
	struct arena *arena;
	enum location loc;
	int device;
} known[MAX_DEVICES + 2];
static unsigned known_count;

void place_arena(struct arena *a, enum location loc, int device)
{
	for (unsigned i = 0; i < known_count; i++)
		if (known[i].arena == a)
			return;
	known[known_count].arena = a;
	known[known_count].loc = loc;
	known[known_count++].device = device;
}

static bool place_in_arena(const char *addr, struct place *p)
{
	for (unsigned i = 0; i < known_count; i++) {
		const struct arena *a = known[i].arena;

		if (!a->size || addr < a->addr || addr >= a->addr + a->size)
			continue;
		*p = (struct place){known[i].loc, known[i].device, a->shadow + (addr - a->addr),
			(size_t)(a->addr + a->size - addr), true};
		return true;
	}
	return false;
}

struct place place_of(const void *addr)
{
	struct place p = {LOC_UNREGISTERED, -1, (char *)addr, SIZE_MAX, false};
	struct block *b;

	if (place_in_arena(addr, &p))
		return p;
	b = block_find(addr);
	if (b) {
		size_t offset = (size_t)((const char *)addr - b->addr);

		p = (struct place){LOC_DEVICE, b->device, b->shadow + offset, b->size - offset, false};
		if (b->kind == BLOCK_RESERVED)
			mapped_at(b, addr, &p.loc, &p.device);
		return p;
	}
	if (registration_find(addr))
		p.loc = LOC_HOST;
	return p;
}
