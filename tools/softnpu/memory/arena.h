/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address ranges that memory is allocated from: one for each device, one for
 * pinned and one for managed memory.  They are never unmapped, so that a copy
 * that is still pending when its memory is freed cannot bring the process down.
 */
#ifndef SOFTNPU_ARENA_H
#define SOFTNPU_ARENA_H

#include "tools/softnpu/core/npu.h"

#define ARENA_GRAIN 512u /* base addresses of allocations */

struct extent;

struct arena {
	char *addr; /* where the program sees it; inaccessible for device memory under SOFTNPU_STRICT */
	char *shadow; /* where the workers reach the same bytes */
	size_t size; /* of the range */
	size_t used; /* of it allocated */
	int fd; /* the memory itself, so that VMM can map parts of it elsewhere and other processes can open
		   it */
	struct list extents; /* in address order */
	struct list bins[64]; /* free extents by the logarithm of their size */
	struct list link; /* of all arenas */
};

/* Free addresses from a multiple of align (a power of two) on, where nothing is yet; hint: where they should
 * be, or NULL. NULL: there are none. */
char *addresses_reserve(void *hint, size_t size, size_t align);
/* Reserves the range at first use. hidden: the program's view may be protected. */
bool arena_open(struct arena *a, size_t size, bool hidden);
/* NULL when it does not fit. align is a power of two. */
struct extent *arena_alloc(struct arena *a, size_t size, size_t align);
void arena_free(struct arena *a, struct extent *e);
size_t extent_offset(const struct extent *e);
/* In a forked child: the parent's memory is not ours. */
void arenas_forget(void);

#endif
