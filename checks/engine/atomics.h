/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short names for the C11 atomics of the tables; everything shared between threads is read and written
 * through these.
 *
 * Which order, and why:
 * - What others find through a word (a table by its pointer, a value by its key, a block by its slot) is
 * stored before the word; the word is stored with release and loaded with acquire.
 * - Sequence counts have no fences: ThreadSanitizer does not see them. The writer makes the count odd
 * (relaxed), stores all words with release, makes it even with release. The reader loads the count with
 * acquire, all words with acquire, then the count again (relaxed). A word of the writer's was stored after
 * the odd count: who acquires it reads that count or a later one in the end, and looks again. A word from
 * before is ruled out by the even count that was acquired first. So each load of a word
 * is an acquire; tests/litmus names those without which alone a reader would be wrong.
 * - Words that a table is emptied with are stored with release too: "nothing there" is only believed by who
 * then sees that no other table has become the present one.
 * - Counts of events, and values that only say what they say, are relaxed.
 */
#ifndef CHECKS_ATOMICS_H
#define CHECKS_ATOMICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "checks/engine/lock.h"

#define load_relaxed(p) atomic_load_explicit(p, memory_order_relaxed)
#define load_acquire(p) atomic_load_explicit(p, memory_order_acquire)
#define store_relaxed(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#define store_release(p, v) atomic_store_explicit(p, v, memory_order_release)
#define counter_inc(p) atomic_fetch_add_explicit(p, 1, memory_order_relaxed)
#define counter_dec(p) atomic_fetch_sub_explicit(p, 1, memory_order_relaxed)

/* Raises *p to at least v. Release: who acquires the value sees what came before it; the loop's load does not
 * read through it, so it need not acquire. */
static inline void raise_to(_Atomic uint64_t *p, uint64_t v)
{
	uint64_t old = load_relaxed(p);

	while (old < v && !atomic_compare_exchange_weak_explicit(
				  p, &old, v, memory_order_release, memory_order_relaxed))
		;
}

static inline uint64_t mix64(uint64_t x)
{
	x *= 0x9e3779b97f4a7c15u;
	return x ^ (x >> 32);
}

/* A further word of a hash. */
static inline uint64_t mix64_add(uint64_t hash, uint64_t word)
{
	return mix64(hash ^ word);
}

#endif
