/* SPDX-License-Identifier: Apache-2.0 */
/* Short names for the C11 atomics of the tables; everything shared between threads is read and written
 * through these. */
#ifndef CHECKS_ATOM_H
#define CHECKS_ATOM_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define ld(p) atomic_load_explicit(p, memory_order_relaxed)
#define ld_acquire(p) atomic_load_explicit(p, memory_order_acquire)
#define st(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#define st_release(p, v) atomic_store_explicit(p, v, memory_order_release)
#define bump(p) atomic_fetch_add_explicit(p, 1, memory_order_relaxed)
#define drop(p) atomic_fetch_sub_explicit(p, 1, memory_order_relaxed)

/*
 * A lock for the cold paths (create, destroy, grow).  Held for well under a
 * microsecond, never while calling out.  Not a pthread mutex: a fork must be
 * able to make it anew without asking who held it.
 */
struct acl_lock {
	_Atomic uint32_t held;
};

static inline void lock(struct acl_lock *l)
{
	for (unsigned tries = 0; atomic_exchange_explicit(&l->held, 1, memory_order_acquire); tries++)
		if (tries > 64)
			sched_yield();
}

static inline void unlock(struct acl_lock *l)
{
	atomic_store_explicit(&l->held, 0, memory_order_release);
}

/* Raises *p to at least v. */
static inline void raise_to(_Atomic uint64_t *p, uint64_t v)
{
	uint64_t old = ld(p);

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
