/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a lock: a look or two, then it sleeps in the kernel until the owner leaves. */
#include "checks/engine/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef LOOKS
#define LOOKS 64 /* about as long as the lock is held; longer when its owner does not run */
#endif

_Atomic uint32_t lock_process;

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
	int saved = errno;

	syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
	errno = saved;
}

/* wanted: the word to write, with WAITERS after a sleep, since others may sleep still. */
static bool try_lock(struct acl_lock *l, uint32_t seen, uint32_t wanted)
{
	bool free = !(seen & LOCK_HELD) ||
		    (seen ^ wanted) >= LOCK_PROCESS; /* taken by a thread of the parent process */

	return free && atomic_compare_exchange_strong_explicit(
			       &l->word, &seen, wanted, memory_order_acquire, memory_order_relaxed);
}

void lock_wait(struct acl_lock *l)
{
	uint32_t wanted = atomic_load_explicit(&lock_process, memory_order_relaxed) | LOCK_HELD;

	for (unsigned looks = 0;; looks++) {
		uint32_t seen = atomic_load_explicit(&l->word, memory_order_relaxed);

		if (try_lock(l, seen, wanted))
			return;
		if (looks < LOOKS) {
			relax();
			continue;
		}
		wanted |= LOCK_WAITERS;
		if ((seen ^ wanted) < LOCK_PROCESS && seen & LOCK_HELD &&
			/* Relaxed: nothing is read through WAITERS; the kernel compares the word again. */
			(seen & LOCK_WAITERS || atomic_compare_exchange_strong_explicit(&l->word, &seen,
							wanted, memory_order_relaxed, memory_order_relaxed)))
			futex(&l->word, FUTEX_WAIT, wanted);
	}
}

void lock_wake(struct acl_lock *l)
{
	futex(&l->word, FUTEX_WAKE, 1);
}

void locks_forked(void)
{
	atomic_fetch_add_explicit(&lock_process, LOCK_PROCESS, memory_order_relaxed);
}
