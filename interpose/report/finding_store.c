/* SPDX-License-Identifier: Apache-2.0 */
/* An arena for finding texts: grows by mapped blocks up to a bound, never shrinks. */
#include "interpose/report/finding_store.h"

#include <string.h>
#include <sys/mman.h>

#include "interpose/common/tool_memory.h"

#define BLOCK_SIZE (1u << 20)
#define BLOCKS_MAX 64
#define BUCKETS 1024

static struct {
	char *block;
	size_t used;
	unsigned blocks;
	struct stored_finding *first, **last;
	struct stored_finding *bucket[BUCKETS];
} arena;

static void *store_take(size_t size)
{
	void *p;

	size = (size + 15) & ~(size_t)15;
	if (size > BLOCK_SIZE)
		return NULL;
	if (!arena.block || arena.used + size > BLOCK_SIZE) {
		if (arena.blocks == BLOCKS_MAX)
			return NULL;
		p = tool_memory_map(BLOCK_SIZE, 0);
		if (!p)
			return NULL;
		tool_memory_add(p, BLOCK_SIZE);
		arena.block = p;
		arena.used = 0;
		arena.blocks++;
	}
	p = arena.block + arena.used;
	arena.used += size;
	return p;
}

struct stored_finding *finding_store_add(uint64_t serial, const char *json, size_t length)
{
	struct stored_finding *k = store_take(sizeof(*k) + length + 1);

	if (!k)
		return NULL;
	k->next = NULL;
	k->serial = serial;
	k->length = length;
	memcpy(k->json, json, length);
	k->json[length] = '\0';
	k->chain = arena.bucket[serial % BUCKETS];
	arena.bucket[serial % BUCKETS] = k;
	if (!arena.last)
		arena.last = &arena.first;
	*arena.last = k;
	arena.last = &k->next;
	return k;
}

struct stored_finding *finding_store_find(uint64_t serial)
{
	struct stored_finding *k = arena.bucket[serial % BUCKETS];

	while (k && k->serial != serial)
		k = k->chain;
	return k;
}

struct stored_finding *finding_store_first(void)
{
	return arena.first;
}

/* The parent's blocks stay mapped, shared copy-on-write; the child starts with none. */
void finding_store_forked(void)
{
	memset(&arena, 0, sizeof(arena));
}
