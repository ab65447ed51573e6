/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks: taken with libunwind (the C library's backtrace where that is
 * not to be had), interned in a table that only grows.
 *
 * libunwind exports the names of libgcc_s's unwinder; in the global scope it
 * would take over the program's C++ exceptions and make them many times
 * slower, so it is opened hidden and never linked.
 */
#include <stdatomic.h>
#include <string.h>

#include "interpose/core.h"
#include "interpose/elfsym.h"
#include "interpose/hidden.h"
#include "interpose/stack.h"

#define OWN_FRAMES 12 /* of the tool, above the caller */
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

typedef int (*backtrace_fn)(void **, int);

static _Atomic(backtrace_fn) take_backtrace;
static _Atomic uint32_t buckets[BUCKETS];
static _Atomic(uint64_t *) chunks[CHUNKS];
static _Atomic uint32_t next_word = 1; /* 0 = no stack */

/* TSan's runtime: there libunwind's thread destructor locks a mutex when TSan has left the thread already. */
extern void __tsan_init(void) __attribute__((weak));

void stack_prepare(void)
{
	backtrace_fn take = NULL;
	void *library, *one[1];

	if (atomic_load(&take_backtrace))
		return;
	library = __tsan_init ? NULL : hidden_open("libunwind.so.8");
	if (library)
		take = (backtrace_fn)hidden_symbol(library, "unw_backtrace");
	if (!take) {
		/* Twenty times slower; its first use opens libgcc_s, which must not happen in a hot call. */
		take = (backtrace_fn)elf_libc("backtrace");
		if (take)
			take(one, 1);
	}
	atomic_store(&take_backtrace, take);
}

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

static uint32_t intern(const uint64_t *ips, unsigned n)
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

/* The tool's own frames are dropped wherever they stand: at the top, and under callbacks. */
static unsigned strip(void **raw, int n, uint64_t *ips)
{
	unsigned kept = 0;

	for (int i = 0; i < n && kept < STACK_MAX; i++) {
		/* cppcheck-suppress uninitvar ; the unwinder filled it */
		if (raw[i] && !module_is_self((uintptr_t)raw[i]))
			ips[kept++] = (uintptr_t)raw[i];
	}
	return kept;
}

uint32_t stack_take(uint64_t caller)
{
	backtrace_fn take = atomic_load_explicit(&take_backtrace, memory_order_relaxed);
	void *raw[STACK_MAX + OWN_FRAMES];
	uint64_t ips[STACK_MAX];
	unsigned n = 0;

	if (take)
		n = strip(raw, take(raw, STACK_MAX + OWN_FRAMES), ips);
	if (!n && caller)
		ips[n++] = caller;
	return n ? intern(ips, n) : 0;
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
