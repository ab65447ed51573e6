/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that take each other's objects away in the middle of everything: what calls answer is not looked
 * at, but each comes back, and nothing that is gone is touched.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "softnpu.h"

#define THREADS 6u
#define OBJECTS 6u
#define CALLS 1000u

typedef _Atomic(void *) shared_object;

static shared_object streams[OBJECTS], events[OBJECTS], notifies[OBJECTS], models[OBJECTS], groups[OBJECTS],
	contexts[OBJECTS];
static void *memory, *host;

static __thread unsigned seed;

static unsigned drawn(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

static void *any(shared_object *of)
{
	return atomic_load(&of[drawn(OBJECTS)]);
}

/* Puts an object among the others; the one that was there is the caller's, who destroys it. */
static void *put(shared_object *among, void *object)
{
	return atomic_exchange(&among[drawn(OBJECTS)], object);
}

static void nothing(const softnpu_launch *launch)
{
	(void)launch;
}

static void soon(void *data)
{
	(void)data;
	usleep(50);
}

static void a_stream(void)
{
	aclrtStream s = NULL;

	/* Its work may wait for what never comes. */
	if (!aclrtCreateStream(&s) && (s = put(streams, s)))
		aclrtDestroyStreamForce(s);
}

static void an_event(void)
{
	static const uint32_t flags[] = {ACL_EVENT_SYNC, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, ACL_EVENT_IPC};
	aclrtEvent e = NULL;
	aclError rc =
		drawn(2) ? aclrtCreateEvent(&e) : aclrtCreateEventExWithFlag(&e, flags[drawn(COUNT(flags))]);

	if (!rc && (e = put(events, e)))
		aclrtDestroyEvent(e);
}

static void a_notify(void)
{
	aclrtNotify n = NULL;

	if (!aclrtCreateNotify(&n, 0) && (n = put(notifies, n)))
		aclrtDestroyNotify(n);
}

static void tasks(void)
{
	aclrtStream s = any(streams);

	aclrtMemcpyAsync(memory, N_BYTES, host, N_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, s);
	aclrtLaunchHostFunc(s, soon, NULL);
	aclrtRecordEvent(any(events), s);
	aclrtStreamWaitEvent(any(streams), any(events));
	aclrtResetEvent(any(events), s);
	aclrtValueWrite(memory, drawn(3), 0, s);
}

static void notified(void)
{
	aclrtNotify n = any(notifies);

	aclrtWaitAndResetNotify(n, any(streams), 1);
	aclrtRecordNotify(n, any(streams));
}

static void waits(void)
{
	aclrtEventRecordedStatus status;

	aclrtSynchronizeStreamWithTimeout(any(streams), 2);
	aclrtSynchronizeEventWithTimeout(any(events), 2);
	aclrtQueryEventStatus(any(events), &status);
}

static void a_callback(void)
{
	uint64_t self = (uint64_t)pthread_self();
	aclrtStream s = any(streams);

	aclrtSubscribeReport(self, s);
	aclrtLaunchCallback(soon, NULL, drawn(2) ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK, s);
	aclrtProcessReport(1);
	aclrtUnSubscribeReport(self, s);
}

/* Of two streams, with a group; whatever becomes of it in the hands of others. */
static void a_model(void)
{
	aclrtStream s = any(streams), side = any(streams);
	aclrtEvent fork = any(events), join = any(events);
	aclrtTaskGrp group;
	aclmdlRI m = NULL;

	if (aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED))
		return;
	aclrtRecordEvent(fork, s);
	aclrtStreamWaitEvent(side, fork);
	aclrtMemsetAsync(memory, 64, 1, 64, side);
	aclrtRecordEvent(join, side);
	aclrtStreamWaitEvent(s, join);
	aclmdlRICaptureTaskGrpBegin(s);
	softnpu_launch_host("nothing", nothing, NULL, 0, s);
	if (!aclmdlRICaptureTaskGrpEnd(s, &group))
		put(groups, group);
	if (aclmdlRICaptureEnd(s, &m) || !(m = put(models, m)))
		return;
	/* Destroying waits ten seconds for executions. */
	aclrtDeviceTaskAbort(0, 5);
	aclrtDeviceTaskAbort(1, 5);
	aclmdlRIDestroy(m);
}

static void executions(void)
{
	aclmdlRIExecuteAsync(any(models), any(streams));
	aclmdlRIExecuteAsync(any(models), any(streams));
	if (!drawn(4))
		aclmdlRIAbort(any(models));
}

static void an_update(void)
{
	aclrtStream s = any(streams);

	if (aclmdlRICaptureTaskUpdateBegin(s, any(groups)))
		return;
	softnpu_launch_host("nothing", nothing, NULL, 0, s);
	aclmdlRICaptureTaskUpdateEnd(s);
}

static void model_tasks(void)
{
	aclmdlRI m = any(models);
	uint32_t n = 4, n_tasks = 8;
	aclmdlRITaskParams params;
	aclmdlRITask list[8];
	aclrtStream of[4];

	if (aclmdlRIGetStreams(m, of, &n) || !n || aclmdlRIGetTasksByStream(of[0], list, &n_tasks) ||
		!n_tasks)
		return;
	aclmdlRITaskGetParams(list[0], &params);
	if (!drawn(4))
		aclmdlRITaskDisable(list[n_tasks - 1]);
	aclmdlRIUpdate(m);
}

static void an_abort(void)
{
	aclrtStreamAbort(any(streams));
	if (!drawn(40))
		aclrtDeviceTaskAbort(0, 5);
}

static void contexts_and_devices(void)
{
	aclrtContext context = NULL;

	if (!drawn(20) && !aclrtCreateContext(&context, (int32_t)drawn(2)) &&
		(context = put(contexts, context)))
		aclrtDestroyContext(context);
	if (drawn(4))
		aclrtSetDevice((int32_t)drawn(2));
	else
		aclrtSetCurrentContext(any(contexts));
	if (!drawn(100))
		aclrtResetDevice((int32_t)drawn(2));
}

static void *work(void *number)
{
	static void (*const what[])(void) = {a_stream, an_event, a_notify, tasks, tasks, notified, waits,
		a_callback, a_model, executions, executions, an_update, model_tasks, an_abort,
		contexts_and_devices};

	seed = (unsigned)(uintptr_t)number;
	aclrtSetDevice(0);
	for (unsigned i = 0; i < CALLS; i++)
		what[drawn(COUNT(what))]();
	return NULL;
}

static void all_at_once(void)
{
	pthread_t threads[THREADS];

	alarm(100);
	OK(aclrtSetDevice(0));
	memory = device_new(N_BYTES);
	host = host_new(N_BYTES);
	for (uintptr_t i = 0; i < THREADS; i++)
		OK(pthread_create(&threads[i], NULL, work, (void *)(i + 1)));
	for (unsigned i = 0; i < THREADS; i++)
		OK(pthread_join(threads[i], NULL));
}

static const struct tap_case cases[] = {C(all_at_once)};

int main(void)
{
	static const char *const failing[] = {"SOFTNPU_CANN=9.2", "SOFTNPU_FAULT_TASK=300", NULL};
	static const char *const one_worker[] = {"SOFTNPU_CANN=8.5", "SOFTNPU_WORKERS=1", NULL};

	tap_run(cases, 1, "", NULL);
	tap_run(cases, 1, "a task fails: ", failing);
	tap_run(cases, 1, "one worker: ", one_worker);
	return tap_done();
}
