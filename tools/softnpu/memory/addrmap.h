/* SPDX-License-Identifier: Apache-2.0 */
/* What an address is: blocks that were allocated, ranges that were registered or reserved. */
#ifndef SOFTNPU_ADDRMAP_H
#define SOFTNPU_ADDRMAP_H

#include "tools/softnpu/memory/arena.h"
#include "tools/softnpu/core/npu.h"

enum block_kind {
	BLOCK_DEVICE, /* aclrtMalloc and its family */
	BLOCK_PINNED, /* aclrtMallocHost */
	BLOCK_MANAGED, /* aclrtMemAllocManaged */
	BLOCK_POOL, /* aclrtMemPoolMallocAsync */
	BLOCK_IMPORTED, /* another process's device memory */
	BLOCK_RESERVED /* aclrtReserveMemAddress: addresses, with or without memory behind */
};

struct block {
	char *addr; /* as the program knows it */
	size_t size; /* bytes that belong to it */
	size_t requested; /* bytes that were asked for */
	enum block_kind kind;
	int device;
	uint32_t page_type; /* 0 normal, 1 huge, 2 huge 1G */
	char *shadow; /* where we reach addr */
	struct arena *arena; /* NULL: not out of an arena */
	struct extent *extent;
	void *owner; /* pool, import or reservation record */
	bool returned; /* to its pool: gone as soon as the stream gets there */
};

struct registration {
	char *addr;
	size_t size;
	uint32_t flags;
};

bool block_insert(struct block *b);
void block_remove(struct block *b);
struct block *block_find(const void *addr); /* the one that contains addr */
struct block *block_at(const void *addr); /* the one that begins there */
void blocks_each(void (*fn)(struct block *, void *), void *arg); /* fn may remove the block it is given */

bool registration_insert(struct registration *r);
void registration_remove(struct registration *r);
struct registration *registration_find(const void *addr);
/* One that overlaps the range. */
struct registration *registration_overlap(const void *addr, size_t size);

/* In a forked child. */
void addrmap_forget(void);

enum location { LOC_HOST, LOC_DEVICE, LOC_MANAGED, LOC_UNREGISTERED };

/* Where an address lies and how a worker reaches it. */
struct place {
	enum location loc;
	int device; /* for LOC_DEVICE */
	char *host; /* the address to use */
	size_t room; /* bytes behind it that belong together */
	bool safe; /* always mapped; otherwise access may fault */
};

struct place place_of(const void *addr);
/* Reserved addresses are where the memory is that is mapped there (vmm.c). False: none is. */
bool mapped_at(const struct block *b, const void *addr, enum location *loc, int *device);
/* An arena becomes known to place_of. */
void place_arena(struct arena *a, enum location loc, int device);

#endif
