/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock for the cold paths (create, destroy, grow).  Held for well under a
 * microsecond, never while calling out.  Who waits sleeps: a real-time thread
 * that spins would keep the owner from the processor.
 *
 * Not a pthread mutex: its word says which process holds it, so a forked child
 * finds every lock of its parent free, and none has to be remembered and made
 * anew there.
 */
#ifndef CHECKS_LOCK_H
#define CHECKS_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK_HELD 1u
#define LOCK_WAITERS 2u /* beside HELD: a thread may sleep */
#define LOCK_PROCESS 4u /* the step from a process to its child */

struct acl_lock {
	_Atomic uint32_t word; /* process | LOCK_HELD …; without HELD, or of another process, it is free */
};

/* Number of this process among its ancestors, in the upper bits. */
extern _Atomic uint32_t lock_process;

/* In a forked child, before anything else: what threads of the parent held is free. */
void locks_forked(void);

void lock_wait(struct acl_lock *l) __attribute__((cold));
void lock_wake(struct acl_lock *l) __attribute__((cold));

/*
 * Acquire to take it, release to leave it: what was written inside is read inside. The number of the process
 * is relaxed, it changes only where there is one thread.
 */
static inline void lock(struct acl_lock *l)
{
	uint32_t process = atomic_load_explicit(&lock_process, memory_order_relaxed);

	if (__builtin_expect(!atomic_compare_exchange_strong_explicit(&l->word, &process, process | LOCK_HELD,
				     memory_order_acquire, memory_order_relaxed),
		    0))
		lock_wait(l);
}

/* Without waiting; false: another thread has it. */
static inline bool lock_at_once(struct acl_lock *l)
{
	uint32_t process = atomic_load_explicit(&lock_process, memory_order_relaxed);

	return atomic_compare_exchange_strong_explicit(
		&l->word, &process, process | LOCK_HELD, memory_order_acquire, memory_order_relaxed);
}

static inline void unlock(struct acl_lock *l)
{
	uint32_t process = atomic_load_explicit(&lock_process, memory_order_relaxed);
	uint32_t word = atomic_exchange_explicit(&l->word, process, memory_order_release);

#ifdef LOCK_TRAP /* tests of one thread notice that a lock was never taken */
	if (!(word & LOCK_HELD))
		__builtin_trap();
#endif
	if (__builtin_expect(word & LOCK_WAITERS, 0))
		lock_wake(l);
}

#endif
