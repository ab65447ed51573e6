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
