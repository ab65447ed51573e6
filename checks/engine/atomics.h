/* SPDX-License-Identifier: Apache-2.0 */
/* Short names for the C11 atomics of the tables; everything shared between threads is read and written
 * through these. */
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

/* Raises *p to at least v. */
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

#endif
