/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation, for the files that allocate in their own ways. */
#ifndef SOFTNPU_MEMORY_H
#define SOFTNPU_MEMORY_H

#include "tools/softnpu/memory/addrmap.h"
#include "tools/softnpu/core/device.h"

/* A block of size bytes (requested of them asked for) on a device or in pinned or managed memory, at a
 * multiple of align, a power of two. NULL: no room. */
struct block *memory_new(
	enum block_kind kind, struct device *dev, size_t size, size_t requested, size_t align);
/* page_type: that of a block. Memory of huge pages begins with one. */
uint32_t page_bytes(uint32_t page_type);
void memory_delete(struct block *b);
/* A pool's block goes: the pool counts it out. */
void pool_block_gone(struct block *b);
/* Block sizes of aclrtMalloc and of the other functions. */
size_t memory_padded(size_t size);
size_t memory_rounded(size_t size);
/* The address while it is there, else NULL. */
char *kept_find(const struct kept_memory *k, const struct device *dev);
/* The address, made if need be; NULL: no room. */
char *kept_make(struct kept_memory *k, struct device *dev, size_t size);
void kept_drop(struct kept_memory *k, const struct device *dev);
/* The device's range of addresses, open. NULL: 207001 was reported. */
struct arena *memory_arena(enum block_kind kind, struct device *dev);

#endif
