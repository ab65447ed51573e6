/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live pairs of tasks with a callback of the program behind them: it informs the program of their end once it
 * has begun, and of nothing before.  Tasks take long enough that a callback has not begun when a call that
 * does not wait follows its launch.
 */
#include "live.h"

#include <pthread.h>
#include <semaphore.h>

#define SLOW "SOFTNPU_TASK_US=300000"

static sem_t informed;

static void inform(void *data)
{
	(void)data;
	sem_post(&informed);
}

static void launch_informing(aclrtStream stream)
{
	sem_init(&informed, 0, 0);
	aclrtLaunchHostFunc(stream, inform, NULL);
}

PAIR_WITH("free-in-flight", free_before_callback, .settings = SLOW)
{
	void *p = NULL;

	aclrtMalloc(&p, N, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMemsetAsync(p, N, 0, N, s);
	launch_informing(s);
	if (!bug)
		sem_wait(&informed);
	aclrtFree(p);
	aclrtSynchronizeStream(s);
}

PAIR_WITH("free-host-in-flight", free_host_before_callback, .settings = SLOW)
{
	void *p = NULL;

	aclrtMallocHost(&p, N);
	aclrtMemcpyAsync(p, N, d, N, ACL_MEMCPY_DEVICE_TO_HOST, s);
	launch_informing(s);
	if (!bug)
		sem_wait(&informed);
	aclrtFreeHost(p);
	aclrtSynchronizeStream(s);
}

/* The callback is on another stream, which waits for the copy's. */
PAIR_WITH("stream-race-copy", copy_before_callback_of_other, .settings = SLOW)
{
	aclrtStream behind = NULL, next = NULL;
	aclrtEvent e = NULL;

	aclrtCreateStream(&behind);
	aclrtCreateStream(&next);
	aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC);
	aclrtMemcpyAsync(d, N, h, N, ACL_MEMCPY_HOST_TO_DEVICE, s);
	aclrtRecordEvent(e, s);
	aclrtStreamWaitEvent(behind, e);
	launch_informing(behind);
	if (!bug)
		sem_wait(&informed);
	aclrtMemcpyAsync(h, N, d, N, ACL_MEMCPY_DEVICE_TO_HOST, next);
	aclrtSynchronizeStream(next);
	aclrtSynchronizeStream(behind);
	aclrtSynchronizeStream(s);
	aclrtDestroyEvent(e);
	aclrtDestroyStream(behind);
	aclrtDestroyStream(next);
}

/* One callback has begun; the copy is behind it, before the next one. */
PAIR_WITH("async-result-used-before-sync", read_between_callbacks, .settings = SLOW)
{
	static char result[N];

	launch_informing(s);
	sem_wait(&informed);
	aclrtMemcpyAsync(h, N, d, N, ACL_MEMCPY_DEVICE_TO_HOST, s);
	launch_informing(s);
	if (!bug)
		sem_wait(&informed);
	aclrtMemcpy(result, N, h, N, ACL_MEMCPY_HOST_TO_HOST);
	aclrtSynchronizeStream(s);
}
