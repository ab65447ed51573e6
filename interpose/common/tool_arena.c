/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the tool in mapped chunks that are filled without a lock. */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "interpose/common/tool_arena.h"
#include "interpose/common/tool_memory.h"

#define ARENA_CHUNK (256u * 1024)
#define ARENA_LARGE (64u * 1024)
#define HUGE_PAGE ((size_t)2 << 20)
#define PAGE_MAX ((size_t)64 << 10) /* of any kernel */

/* A chunk begins with its own fill mark; full ones are forgotten. */
struct chunk {
	_Atomic size_t used;
};

static _Atomic(struct chunk *) current;

/* Not reserved: so the kernel does not join our mappings with the program's, which host_address.c looks at.
 */
static void *map_pages(size_t bytes)
{
	return tool_memory_map(bytes, MAP_NORESERVE);
}

static void *counted(void *p, size_t bytes)
{
	if (p)
		tool_memory_add(p, bytes);
	return p;
}

/*
 * Tables that are hashed into: without huge pages nearly every look-up misses the TLB as well.  What lies
 * before and behind is given back: pages that are never touched count in a limit of the process' data all the
 * same.
 */
static void *map_huge(size_t bytes)
{
	size_t pages = (bytes + PAGE_MAX - 1) & ~(size_t)(PAGE_MAX - 1);
	char *p = map_pages(pages + HUGE_PAGE);
	size_t before = -(uintptr_t)p & (HUGE_PAGE - 1);

	if (!p)
		return NULL;
	if (before)
		munmap(p, before);
	p += before;
	munmap(p + pages, HUGE_PAGE - before);
	madvise(p, pages, MADV_HUGEPAGE);
	return counted(p, pages);
}

static void *arena_take(struct chunk *c, size_t bytes)
{
	size_t at = atomic_fetch_add_explicit(&c->used, bytes, memory_order_relaxed);

	return at + bytes <= ARENA_CHUNK ? (char *)c + at : NULL;
}

void *arena_alloc(size_t bytes)
{
	bytes = (bytes + 63) & ~(size_t)63; /* whole cache lines: two owners never share one */
	if (bytes >= 2 * HUGE_PAGE)
		return map_huge(bytes);
	if (bytes >= ARENA_LARGE)
		return counted(map_pages(bytes), bytes);
	for (;;) {
		struct chunk *c = atomic_load_explicit(&current, memory_order_acquire), *fresh;
		void *p = c ? arena_take(c, bytes) : NULL;

		if (p)
			return p;
		fresh = map_pages(ARENA_CHUNK);
		if (!fresh)
			return NULL;
		atomic_store_explicit(&fresh->used, 64, memory_order_relaxed);
		if (atomic_compare_exchange_strong(&current, &c, fresh))
			tool_memory_add(fresh, ARENA_CHUNK);
		else
			munmap(fresh, ARENA_CHUNK);
	}
}

const char *arena_string(const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = arena_alloc(n);

	return copy ? memcpy(copy, s, n) : NULL;
}
