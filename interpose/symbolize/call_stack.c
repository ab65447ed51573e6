/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks, interned in a table that only grows. */
#include <stdatomic.h>
#include <string.h>

#include "interpose/common/thread_state.h"
#include "interpose/common/tool_arena.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/symbolize/python_frames.h"
#include "interpose/symbolize/unwind.h"
#include "interpose/symbolize/call_stack.h"

#define BUCKETS 16384
#define CHUNK_WORDS (128u * 1024) /* 1 MiB of stacks */
#define CHUNKS 1024

/* An interned stack; its id is its place: chunk number and word inside the chunk. */
struct record {
	_Atomic uint32_t next; /* of the same bucket */
	uint32_t hash;
	uint64_t n;
	uint64_t ips[];
};

static _Atomic uint32_t buckets[BUCKETS];
static _Atomic(uint64_t *) chunks[CHUNKS];
static _Atomic uint32_t next_word = 1; /* 0 = no stack */

static struct record *record_of(uint32_t id)
{
	uint64_t *chunk = atomic_load_explicit(&chunks[id / CHUNK_WORDS], memory_order_acquire);

	return (struct record *)(chunk + id % CHUNK_WORDS);
}

static uint64_t *chunk_at(uint32_t index)
{
	uint64_t *chunk, *none = NULL;

	if (index >= CHUNKS)
		return NULL;
	chunk = atomic_load_explicit(&chunks[index], memory_order_acquire);
	if (chunk)
		return chunk;
	chunk = arena_alloc(CHUNK_WORDS * sizeof(*chunk));
	/* A loser's untouched pages cost address space only. */
	if (chunk && !atomic_compare_exchange_strong(&chunks[index], &none, chunk))
		chunk = none;
	return chunk;
}

/* Room for a stack of n frames; 0 when there is none left. */
static uint32_t room(unsigned n)
{
	uint32_t words = sizeof(struct record) / 8 + n, at = atomic_load(&next_word), start;

	do {
		start = at;
		if (start % CHUNK_WORDS + words > CHUNK_WORDS)
			start = (start / CHUNK_WORDS + 1) * CHUNK_WORDS;
		if (start / CHUNK_WORDS >= CHUNKS)
			return 0;
	} while (!atomic_compare_exchange_weak(&next_word, &at, start + words));
	return chunk_at(start / CHUNK_WORDS) ? start : 0;
}

static uint32_t find(uint32_t id, uint32_t hash, const uint64_t *ips, unsigned n)
{
	while (id) {
		const struct record *r = record_of(id);

		if (r->hash == hash && r->n == n && !memcmp(r->ips, ips, n * sizeof(*ips)))
			return id;
		id = atomic_load_explicit(&r->next, memory_order_acquire);
	}
	return 0;
}

static uint32_t hash_of(const uint64_t *ips, unsigned n)
{
	uint64_t h = n;

	for (unsigned i = 0; i < n; i++)
		h = (h ^ ips[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
	return (uint32_t)(h >> 16);
}

uint32_t stack_intern(const uint64_t *ips, unsigned n)
{
	uint32_t hash = hash_of(ips, n);
	_Atomic uint32_t *bucket = &buckets[hash % BUCKETS];
	uint32_t head = atomic_load_explicit(bucket, memory_order_acquire), id = find(head, hash, ips, n);
	struct record *r;

	if (id)
		return id;
	id = room(n);
	if (!id)
		return 0;
	r = record_of(id);
	r->hash = hash;
	r->n = n;
	memcpy(r->ips, ips, n * sizeof(*ips));
	/* Two threads may intern the same stack at once: it then has two ids, which is harmless. */
	do {
		atomic_store_explicit(&r->next, head, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(
		bucket, &head, id, memory_order_release, memory_order_acquire));
	return id;
}

uint32_t stack_take(uint64_t caller)
{
	/* Not on the stack, which may be small; the tool is at work here once a thread. */
	uint64_t *ips = thread_self()->frames;
	unsigned n = unwind_stack(ips, STACK_MAX);

	if (!n && caller)
		ips[n++] = caller;
	for (unsigned i = 0; i < n; i++)
		ips[i] = module_mark(ips[i]);
	n = python_merge(ips, n, STACK_MAX);
	return n ? stack_intern(ips, n) : 0;
}

unsigned stack_frames(uint32_t id, const uint64_t **ips)
{
	const struct record *r;

	if (!id)
		return 0;
	r = record_of(id);
	*ips = r->ips;
	return (unsigned)r->n;
}
