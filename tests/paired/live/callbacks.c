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

/* A model that sets d, with a callback behind that; it has run once, and informed. */
static aclmdlRI informing_model(void)
{
	aclmdlRI model;

	sem_init(&informed, 0, 0);
	capture_begin(ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	aclrtMemsetAsync(d, N, 1, N, s);
	aclrtLaunchHostFunc(s, inform, NULL);
	model = capture_end();
	aclmdlRIExecuteAsync(model, s);
	sem_wait(&informed);
	return model;
}

/* The second execution informs when its own callback begins. */
PAIR_WITH("async-result-used-before-sync", read_between_executions, .settings = SLOW)
{
	static char result[N];
	aclmdlRI model = informing_model();

	aclmdlRIExecuteAsync(model, s);
	if (!bug)
		sem_wait(&informed);
	aclrtMemcpy(result, N, d, N, ACL_MEMCPY_DEVICE_TO_HOST);
	aclrtSynchronizeStream(s);
	aclmdlRIDestroy(model);
}

PAIR_WITH("stream-race-set", copy_between_executions, .settings = SLOW)
{
	aclmdlRI model = informing_model();
	aclrtStream next = NULL;

	aclrtCreateStream(&next);
	aclmdlRIExecuteAsync(model, s);
	if (!bug)
		sem_wait(&informed);
	aclrtMemcpyAsync(h, N, d, N, ACL_MEMCPY_DEVICE_TO_HOST, next);
	aclrtSynchronizeStream(next);
	aclrtSynchronizeStream(s);
	aclrtDestroyStream(next);
	aclmdlRIDestroy(model);
}

/* More streams execute the model than it remembers: the callback of any of them informs. */
PAIR_WITH("async-result-used-before-sync", read_after_many_executions, .settings = SLOW)
{
	static char result[N];
	aclmdlRI model = informing_model();
	aclrtStream streams[6];

	for (int i = 0; i < 6; i++)
		aclrtCreateStream(&streams[i]);
	for (int i = 0; i < 6; i++) {
		aclmdlRIExecuteAsync(model, streams[i]);
		if (!bug || i < 5)
			sem_wait(&informed);
	}
	aclrtMemcpy(result, N, d, N, ACL_MEMCPY_DEVICE_TO_HOST);
	for (int i = 0; i < 6; i++) {
		aclrtSynchronizeStream(streams[i]);
		aclrtDestroyStream(streams[i]);
	}
	aclmdlRIDestroy(model);
}
