/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation out of reserved address ranges. */
#include "tools/softnpu/memory/arena.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/softnpu/core/memory_file.h"
#include "tools/softnpu/core/page_size.h"

#define SMALLEST_RANGE ((size_t)64 << 20)
#define HUGE_PAGE ((size_t)2 << 20)
#define LARGEST_PAGE ((size_t)1 << 30)
#define RELEASE_PAGES ((size_t)128 << 10) /* freed extents from this size on give their pages back */

struct extent {
	struct list all, bin;
	size_t offset, size;
	bool free;
};

static struct list arenas = {&arenas, &arenas};

size_t extent_offset(const struct extent *e)
{
	return e->offset;
}

static unsigned bin_of(size_t size)
{
	return 63u - (unsigned)__builtin_clzll(size | 1);
}

char *addresses_reserve(void *hint, size_t size, size_t align)
{
	size_t padded = size + align;
	char *p = mmap(hint, padded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *base;

	if (p == MAP_FAILED)
		return NULL;
	base = (char *)ALIGN_UP((uintptr_t)p, align);
	if (base > p)
		munmap(p, (size_t)(base - p));
	munmap(base + size, (size_t)(p + padded - base - size));
	return base;
}

/* Pages of every size that fits begin at multiples of it. */
static bool map_range(struct arena *a, size_t size, bool hidden)
{
	int prot = hidden && CFG(strict) ? PROT_NONE : PROT_READ | PROT_WRITE;
	int flags = MAP_SHARED | MAP_NORESERVE;

	a->fd = memory_file("softnpu");
	if (a->fd < 0)
		return false;
	if (ftruncate(a->fd, (off_t)size))
		goto fail;
	a->addr = addresses_reserve(NULL, size, size < LARGEST_PAGE ? HUGE_PAGE : LARGEST_PAGE);
	if (!a->addr)
		goto fail;
	if (mmap(a->addr, size, prot, flags | MAP_FIXED, a->fd, 0) == MAP_FAILED) {
		munmap(a->addr, size);
		goto fail;
	}
	a->shadow = a->addr;
	if (hidden)
		a->shadow = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, a->fd, 0);
	if (a->shadow != MAP_FAILED)
		return true;
	munmap(a->addr, size);
fail:
	close(a->fd);
	return false;
}

/* Devices larger than what this machine lets us reserve become smaller. */
bool arena_open(struct arena *a, size_t size, bool hidden)
{
	struct extent *e;

	if (a->size)
		return true;
	e = calloc(1, sizeof(*e));
	if (!e)
		return false;
	size = ALIGN_UP(size, HUGE_PAGE);
	while (!map_range(a, size, hidden)) {
		size = size / 2 / HUGE_PAGE * HUGE_PAGE;
		if (size < SMALLEST_RANGE) {
			free(e);
			return false;
		}
	}
	madvise(a->addr, size, MADV_DONTDUMP);
	list_init(&a->extents);
	for (unsigned i = 0; i < ARRAY_SIZE(a->bins); i++)
		list_init(&a->bins[i]);
	a->size = e->size = size;
	e->free = true;
	list_add(&a->extents, &e->all);
	list_add(&a->bins[bin_of(size)], &e->bin);
	list_add(&arenas, &a->link);
	return true;
}

static void bin_insert(struct arena *a, struct extent *e)
{
	e->free = true;
	list_add(&a->bins[bin_of(e->size)], &e->bin);
}

/* Cuts e at size; the rest becomes a free extent behind it. */
static bool split(struct arena *a, struct extent *e, size_t size)
{
	struct extent *rest;

	if (e->size == size)
		return true;
	rest = calloc(1, sizeof(*rest));
	if (!rest)
		return false;
	rest->offset = e->offset + size;
	rest->size = e->size - size;
	e->size = size;
	list_add(&e->all, &rest->all);
	bin_insert(a, rest);
	return true;
}

static size_t padding(const struct extent *e, size_t align)
{
	return ALIGN_UP(e->offset, align) - e->offset;
}

static struct extent *find_fit(struct arena *a, size_t size, size_t align)
{
	struct extent *e;

	for (unsigned b = bin_of(size); b < ARRAY_SIZE(a->bins); b++)
		list_for_each(e, &a->bins[b], bin) if (e->size >= size + padding(e, align)) return e;
	return NULL;
}

struct extent *arena_alloc(struct arena *a, size_t size, size_t align)
{
	struct extent *e, *front;
	size_t pad;

	size = ALIGN_UP(size, ARENA_GRAIN);
	if (!size || size > a->size || !(e = find_fit(a, size, align)))
		return NULL;
	pad = padding(e, align);
	list_del(&e->bin);
	if (pad) {
		front = e;
		if (!split(a, front, pad)) {
			bin_insert(a, front);
			return NULL;
		}
		e = container_of(front->all.next, struct extent, all);
		list_del(&e->bin);
		bin_insert(a, front);
	}
	if (!split(a, e, size)) {
		bin_insert(a, e);
		return NULL;
	}
	e->free = false;
	a->used += size;
	return e;
}

static void release_pages(struct arena *a, size_t offset, size_t size)
{
	size_t from = ALIGN_UP(offset, page_size()), to = (offset + size) / page_size() * page_size();

	if (size >= RELEASE_PAGES && to > from)
		fallocate(a->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
}

/* Appends the extent behind e to it when that is free. */
static void merge_next(struct arena *a, struct extent *e)
{
	struct extent *next = container_of(e->all.next, struct extent, all);

	if (e->all.next == &a->extents || !next->free)
		return;
	e->size += next->size;
	list_del(&next->bin);
	list_del(&next->all);
	free(next);
}

void arena_free(struct arena *a, struct extent *e)
{
	struct extent *prev = container_of(e->all.prev, struct extent, all);

	a->used -= e->size;
	e->free = true;
	release_pages(a, e->offset, e->size);
	merge_next(a, e);
	if (e->all.prev != &a->extents && prev->free) {
		list_del(&prev->bin);
		merge_next(a, prev);
		e = prev;
	}
	bin_insert(a, e);
}

void arenas_forget(void)
{
	while (!list_empty(&arenas)) {
		struct arena *a = list_first(&arenas, struct arena, link);

		list_del(&a->link);
		npu_keep(list_first(&a->extents, struct extent, all));
		memset(a, 0, sizeof(*a));
	}
}
