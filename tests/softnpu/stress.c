/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads do everything at once; each operation must succeed and each copy
 * arrive.  Built plainly and with the sanitizers.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#define THREADS 6u
#define ROUNDS 60u

struct worker {
	unsigned number, seed;
	aclrtStream s, s2;
	unsigned char *in, *out;
	void *dev;
	atomic_int calls;
};

static aclrtEvent shared_event;
static aclrtNotify shared_notify;

static unsigned pick(struct worker *w, unsigned n)
{
	w->seed = w->seed * 1103515245u + 12345u;
	return (w->seed >> 16) % n;
}

static void count_call(void *arg)
{
	atomic_fetch_add((atomic_int *)arg, 1);
}

/* Host to device on one stream, back on the other, an event between. */
static void round_trip(struct worker *w)
{
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	unsigned char value = (unsigned char)pick(w, 256);

	memset(w->in, value, N_BYTES);
	OK(aclrtMemcpyAsync(w->dev, N_BYTES, w->in, N_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, w->s));
	OK(aclrtRecordEvent(e, w->s));
	OK(aclrtStreamWaitEvent(w->s2, e));
	OK(aclrtMemcpyAsync(w->out, N_BYTES, w->dev, N_BYTES, ACL_MEMCPY_DEVICE_TO_HOST, w->s2));
	OK(aclrtDestroyEvent(e));
	OK(aclrtSynchronizeStream(w->s2));
	IS(memcmp(w->in, w->out, N_BYTES), 0);
}

static void replay(struct worker *w)
{
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC), join = event_ex(ACL_EVENT_SYNC);
	unsigned char value = (unsigned char)pick(w, 256);
	aclmdlRI m;

	OK(aclmdlRICaptureBegin(w->s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclrtMemcpyAsync(w->dev, N_BYTES, w->in, N_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, w->s));
	OK(aclrtRecordEvent(fork, w->s));
	OK(aclrtStreamWaitEvent(w->s2, fork));
	OK(aclrtMemcpyAsync(w->out, N_BYTES, w->dev, N_BYTES, ACL_MEMCPY_DEVICE_TO_HOST, w->s2));
	OK(aclrtRecordEvent(join, w->s2));
	OK(aclrtStreamWaitEvent(w->s, join));
	OK(aclmdlRICaptureEnd(w->s, &m));
	for (int i = 0; i < 3; i++) {
		memset(w->in, value + i, N_BYTES);
		OK(aclmdlRIExecuteAsync(m, i & 1 ? w->s : w->s2));
		OK(aclrtSynchronizeStream(i & 1 ? w->s : w->s2));
		IS(memcmp(w->in, w->out, N_BYTES), 0);
	}
	OK(aclmdlRIDestroy(m));
	OK(aclrtDestroyEvent(fork));
	OK(aclrtDestroyEvent(join));
}

static void shared_objects(struct worker *w)
{
	aclrtEventRecordedStatus status;

	OK(aclrtRecordEvent(shared_event, w->s));
	OK(aclrtStreamWaitEvent(w->s2, shared_event));
	OK(aclrtQueryEventStatus(shared_event, &status));
	OK(aclrtSynchronizeEvent(shared_event));
	OK(aclrtRecordNotify(shared_notify, w->s));
	OK(aclrtSynchronizeStream(w->s2));
}

static void short_lives(struct worker *w)
{
	aclrtStream s = stream_new();
	void *p = device_new(1 + pick(w, 100000)), *h = host_new(1 + pick(w, 100000));

	OK(aclrtMemsetAsync(p, 1, 3, 1, s));
	OK(aclrtLaunchHostFunc(s, count_call, &w->calls));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtFree(p));
	OK(aclrtFreeHost(h));
	OK(aclrtDestroyStream(s));
}

static void values(struct worker *w)
{
	OK(aclrtValueWrite(w->dev, 0, 0, w->s));
	OK(aclrtSynchronizeStream(w->s));
	OK(aclrtValueWait(w->dev, 7, ACL_STREAM_WAIT_VALUE_EQ, w->s2));
	OK(aclrtValueWrite(w->dev, 7, 0, w->s));
	OK(aclrtSynchronizeStream(w->s2));
}

/* Questions about devices. */
static void ask(struct worker *w)
{
	int32_t can, device;
	int64_t cores;

	OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
	OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &cores));
	OK(aclrtGetLogicDevIdByUserDevId(0, &device));
	OK(aclrtGetDevice(&device));
	(void)w;
}

static void *work(void *arg)
{
	static void (*const what[])(struct worker *) = {
		round_trip, replay, shared_objects, short_lives, values, ask};
	struct worker *w = arg;

	OK(aclrtSetDevice(0));
	w->s = stream_new();
	w->s2 = stream_new();
	w->in = host_new(N_BYTES);
	w->out = host_new(N_BYTES);
	w->dev = device_new(N_BYTES);
	for (unsigned i = 0; i < ROUNDS; i++)
		what[pick(w, COUNT(what))](w);
	OK(aclrtDestroyStream(w->s));
	OK(aclrtDestroyStream(w->s2));
	OK(aclrtFreeHost(w->in));
	OK(aclrtFreeHost(w->out));
	OK(aclrtFree(w->dev));
	OK(aclrtResetDevice(0));
	return NULL;
}

static void all_at_once(void)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];

	OK(aclrtSetDevice(0));
	shared_event = event_ex(ACL_EVENT_SYNC);
	OK(aclrtCreateNotify(&shared_notify, ACL_NOTIFY_DEFAULT));
	memset(workers, 0, sizeof(workers));
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].number = i;
		workers[i].seed = i * 7919 + 1;
		OK(pthread_create(&threads[i], NULL, work, &workers[i]));
	}
	for (unsigned i = 0; i < THREADS; i++)
		OK(pthread_join(threads[i], NULL));
	OK(aclrtDestroyEvent(shared_event));
	OK(aclrtDestroyNotify(shared_notify));
	OK(aclrtResetDevice(0));
}

/* More streams than there could be threads, all waiting for one event. */
static void thousands_of_streams(void)
{
	enum { STREAMS = 3000 };
	static aclrtStream s[STREAMS];
	atomic_int gate, calls = 0;
	aclrtStream first;
	aclrtEvent e;

	OK(aclrtSetDevice(0));
	first = stream_new();
	e = event_ex(ACL_EVENT_SYNC);
	gate_hold(first, &gate);
	OK(aclrtRecordEvent(e, first));
	for (unsigned i = 0; i < STREAMS; i++) {
		s[i] = stream_new();
		OK(aclrtStreamWaitEvent(s[i], e));
		OK(aclrtLaunchHostFunc(s[i], count_call, &calls));
	}
	IS(atomic_load(&calls), 0);
	gate_open(&gate);
	OK(aclrtSynchronizeDevice());
	IS(atomic_load(&calls), STREAMS);
	for (unsigned i = 0; i < STREAMS; i++)
		OK(aclrtDestroyStream(s[i]));
	OK(aclrtResetDevice(0));
}

/* ThreadSanitizer sleeps a second at each exit by default. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "atexit_sleep_ms=0";
}

static const struct tap_case cases[] = {
	{"all at once", all_at_once},
	{"thousands of streams", thousands_of_streams},
};

int main(void)
{
	static const char *const few_workers[] = {"SOFTNPU_WORKERS=1", NULL};
	static const char *const latency[] = {"SOFTNPU_TASK_US=20", NULL};

	tap_run(cases, COUNT(cases), "", NULL);
	tap_run(cases, COUNT(cases), "one worker: ", few_workers);
	tap_run(cases, 1, "slow tasks: ", latency);
	return tap_done();
}
