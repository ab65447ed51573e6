/* SPDX-License-Identifier: Apache-2.0 */
/* The one lock of the runtime, waiting, time, fork. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tools/softnpu/core/npu.h"
#include "tools/softnpu/core/object.h"
#include "tools/softnpu/core/lane.h"
#include "tools/softnpu/core/device.h"
#include "tools/softnpu/core/exception.h"
#include "tools/softnpu/core/state_callback.h"
#include "tools/softnpu/memory/addrmap.h"
#include "tools/softnpu/sync/callback.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/core/ipc.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __thread bool takes_no_signals;
/* Of the program, while its thread has the lock. */
static __thread sigset_t mask;
static __thread int cancellable;

/*
 * A handler that interrupts a thread with the lock would wait for itself. Faults are let through: blocked
 * ones end the process whatever the program has set up.
 */
static void hold_signals(sigset_t *before)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
	sigset_t set;

	sigfillset(&set);
	for (unsigned i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(&set, faults[i]);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

void npu_own_thread(void)
{
	takes_no_signals = true;
}

void npu_lock(void)
{
	sigset_t before;
	int state;

	if (takes_no_signals) {
		pthread_mutex_lock(&lock);
		return;
	}
	/* A thread that may be cancelled anywhere would take the lock with it. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	hold_signals(&before);
	pthread_mutex_lock(&lock);
	mask = before;
	cancellable = state;
}

void npu_unlock(void)
{
	/* A handler that runs as soon as it may uses the variable, too. */
	const sigset_t before = mask;
	const int state = cancellable;

	pthread_mutex_unlock(&lock);
	if (takes_no_signals)
		return;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_setcancelstate(state, NULL);
}

/* With the kernel's own wait: a condition variable of the C library has a lock inside, and would give ours
 * back only after signals are let in again. */
bool npu_wait(struct npu_condition *c, uint64_t deadline)
{
	struct timespec ts = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
	const uint32_t seen = atomic_load(&c->changes);
	long rc;
	int why;

	npu_unlock();
	rc = syscall(SYS_futex, &c->changes, FUTEX_WAIT_BITSET_PRIVATE, seen, deadline ? &ts : NULL, NULL,
		FUTEX_BITSET_MATCH_ANY);
	why = errno;
	npu_lock();
	return !rc || why != ETIMEDOUT;
}

static void changed(struct npu_condition *c, int threads)
{
	atomic_fetch_add(&c->changes, 1);
	syscall(SYS_futex, &c->changes, FUTEX_WAKE_PRIVATE, threads);
}

void npu_changed(struct npu_condition *c)
{
	changed(c, INT_MAX);
}

void npu_changed_for_one(struct npu_condition *c)
{
	changed(c, 1);
}

uint64_t npu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t npu_deadline_ms(int64_t ms)
{
	return ms < 0 ? 0 : npu_now() + (uint64_t)ms * 1000000u;
}

void npu_keep(const void *p)
{
	static struct kept {
		struct kept *next;
		const void *p;
	} * kept;
	struct kept *k = malloc(sizeof(*k));

	if (!k)
		return;
	k->p = p;
	k->next = kept;
	kept = k;
}

/*
 * A forked child has none of the workers and must not share device memory with
 * its parent: it forgets all objects and begins as a new process.
 */
static void child_after_fork(void)
{
	sched_forget();
	objects_forget();
	/* The list of arenas runs through the devices. */
	arenas_forget();
	addrmap_forget();
	captures_forget();
	callbacks_forget();
	ipc_memory_forget();
	devices_forget();
	init_forget();
	snapshot_forget();
	exceptions_forget();
	state_callbacks_forget();
	timeouts_forget();
	labels_forget();
	allocators_forget();
	symbols_forget();
	options_forget();
	limits_forget();
	faults_forget();
	errors_forget();
	npu_unlock();
}

/*
 * Before the program can: its own handlers run while ours do not have the lock, and in the child after all
 * was forgotten, so that they may call us.
 */
__attribute__((constructor)) static void register_fork(void)
{
	pthread_atfork(npu_lock, npu_unlock, child_after_fork);
}
