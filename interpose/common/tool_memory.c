/* SPDX-License-Identifier: Apache-2.0 */
/* Notes mappings without a lock; residence is asked of the kernel. */
#include "interpose/common/tool_memory.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPPINGS 1024
#define PAGES_AT_ONCE 4096

static struct {
	_Atomic uintptr_t at; /* 0 = not written yet */
	size_t bytes;
} mappings[MAPPINGS];
static _Atomic unsigned n_mappings;

/* The kernel goes down from our library; the program is hardly ever so large that it gets here. */
#define DISTANCE (UINT64_C(1) << 38)
/* Lower there is no such place: a small address space. */
#define LOWEST (UINT64_C(1) << 34)

/* Where the next mapping may lie; 0 = not asked yet. */
static _Atomic uintptr_t next_place;

void *tool_memory_place(size_t bytes)
{
	uintptr_t here = (uintptr_t)&next_place, none = 0;
	size_t step = (bytes + 0xffff) & ~(size_t)0xffff;

	if (here < DISTANCE + LOWEST)
		return NULL;
	atomic_compare_exchange_strong(&next_place, &none, (here - DISTANCE) & ~(uintptr_t)0x1fffff);
	return (void *)atomic_fetch_add(&next_place, step);
}

void *tool_memory_map(size_t bytes, int flags)
{
	void *p = mmap(tool_memory_place(bytes), bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void tool_memory_add(const void *at, size_t bytes)
{
	unsigned i = atomic_fetch_add_explicit(&n_mappings, 1, memory_order_relaxed);

	if (i >= MAPPINGS)
		return;
	mappings[i].bytes = bytes;
	atomic_store_explicit(&mappings[i].at, (uintptr_t)at, memory_order_release);
}

/* Bytes of a mapping that lie in memory. */
static uint64_t resident(uintptr_t at, size_t bytes, size_t page)
{
	uintptr_t end = at + bytes;
	uint64_t pages = 0;

	at -= at % page;
	while (at < end) {
		unsigned char in[PAGES_AT_ONCE];
		size_t n = (end - at + page - 1) / page;

		n = n < PAGES_AT_ONCE ? n : PAGES_AT_ONCE;
		if (mincore((void *)at, n * page, in))
			break;
		for (size_t i = 0; i < n; i++)
			pages += in[i] & 1;
		at += n * page;
	}
	return pages * page;
}

void tool_memory_usage(uint64_t *mapped, uint64_t *used)
{
	unsigned n = atomic_load(&n_mappings);
	long page = sysconf(_SC_PAGESIZE);

	*mapped = *used = 0;
	for (unsigned i = 0; i < n && i < MAPPINGS; i++) {
		uintptr_t at = atomic_load_explicit(&mappings[i].at, memory_order_acquire);

		if (!at)
			continue;
		*mapped += mappings[i].bytes;
		*used += resident(at, mappings[i].bytes, page > 0 ? (size_t)page : 4096);
	}
}
