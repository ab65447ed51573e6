/* SPDX-License-Identifier: Apache-2.0 */
/* The one lock of the runtime, waiting, time, fork. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "tools/softnpu/core/npu.h"
#include "tools/softnpu/core/object.h"
#include "tools/softnpu/core/lane.h"
#include "tools/softnpu/core/device.h"
#include "tools/softnpu/memory/addrmap.h"
#include "tools/softnpu/sync/callback.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/core/ipc.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void npu_lock(void)
{
	npu_fork_init();
	pthread_mutex_lock(&lock);
}

void npu_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void npu_cond_init(pthread_cond_t *cv)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cv, &attr);
	pthread_condattr_destroy(&attr);
}

bool npu_wait(pthread_cond_t *cv, uint64_t deadline)
{
	struct timespec ts = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};

	if (!deadline)
		return pthread_cond_wait(cv, &lock) == 0;
	return pthread_cond_timedwait(cv, &lock, &ts) != ETIMEDOUT;
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
	pthread_mutex_init(&lock, NULL);
	sched_forget();
	objects_forget();
	/* The list of arenas runs through the devices. */
	arenas_forget();
	addrmap_forget();
	captures_forget();
	callbacks_forget();
	ipc_memory_forget();
	devices_forget();
}

static void register_fork(void)
{
	pthread_atfork(npu_lock, npu_unlock, child_after_fork);
}

void npu_fork_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, register_fork);
}
