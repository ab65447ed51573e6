/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the real runtime's code was observed to return, as a table: initialisation,
 * devices, memory, streams, events.  V(new, old) is 9.1 and 8.5; where the real
 * one crashes 107017 is expected.
 */
#include "oracle.h"

/* --- initialisation, finalisation ------------------------------------------------ */

static void init_twice(void)
{
	OK(aclInit(NULL));
	IS(aclInit(NULL), 100002);
}

static void finalize_twice(void)
{
	OK(aclInit(NULL));
	OK(aclFinalize());
	IS(aclFinalize(), 100037);
}

static void finalize_without_init(void)
{
	OK(aclFinalize());
}

static void init_again(void)
{
	OK(aclInit(NULL));
	OK(aclFinalize());
	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
}

static void no_init(void)
{
	void *p;
	aclrtStream s;

	OK(aclrtSetDevice(0));
	OK(aclrtMalloc(&p, 64, 0));
	OK(aclrtCreateStream(&s));
	OK(aclrtDestroyStream(s));
	OK(aclrtFree(p));
	OK(aclrtResetDevice(0));
}

static void finalize_before_destroy(void)
{
	atomic_int gate;
	aclrtStream s;

	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	s = stream_new();
	gate_hold(s, &gate);
	OK(aclFinalize());
	IS(atomic_load(&gate), 0); /* it did not wait */
	OK(aclrtMemsetAsync(device_new(64), 64, 0, 64, s));
	gate_open(&gate);
	OK(aclrtDestroyStream(s));
	OK(aclrtResetDevice(0));
}

/* --- devices and contexts ------------------------------------------------------------ */

static void device_counted(void)
{
	int32_t id;
	void *p;

	OK(aclrtSetDevice(0));
	OK(aclrtSetDevice(0));
	OK(aclrtResetDevice(0));
	OK(aclrtMalloc(&p, 64, 0));
	OK(aclrtResetDevice(0));
	IS(aclrtGetDevice(&id), 107002);
	IS(aclrtMalloc(&p, 64, 0), 107002);
	IS(aclrtResetDevice(0), 507007);
}

static void reset_force(void)
{
	void *p;

	OK(aclrtSetDevice(0));
	OK(aclrtSetDevice(0));
	OK(aclrtResetDeviceForce(0));
	IS(aclrtMalloc(&p, 64, 0), 107002);
	IS(aclrtResetDeviceForce(0), 507007);
}

static void reset_never_set(void)
{
	IS(aclrtResetDevice(0), 507007);
	IS(aclrtResetDeviceForce(1), 507007);
}

static void bad_device(void)
{
	IS(aclrtSetDevice(-1), 107001);
	IS(aclrtSetDevice(99), 107001);
}

static void *set_device_in_thread(void *arg)
{
	OK(aclrtSetDevice(0));
	return arg;
}

static void in_thread(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	OK(pthread_create(&t, NULL, fn, arg));
	OK(pthread_join(t, NULL));
}

static void count_is_of_the_process(void)
{
	void *p;

	OK(aclrtSetDevice(0));
	in_thread(set_device_in_thread, NULL);
	OK(aclrtResetDevice(0));
	OK(aclrtMalloc(&p, 64, 0));
	OK(aclrtResetDevice(0));
	IS(aclrtMalloc(&p, 64, 0), 107002);
}

static void no_device_set(void)
{
	char a[64], b[64];
	aclrtStream s;
	aclrtEvent e;
	int32_t id;
	void *p;

	IS(aclrtMalloc(&p, 64, 0), 107002);
	IS(aclrtMallocHost(&p, 64), 107002);
	IS(aclrtCreateStream(&s), 107002);
	IS(aclrtCreateEvent(&e), 107002);
	IS(aclrtSynchronizeDevice(), 107002);
	IS(aclrtMemcpy(a, 64, b, 64, ACL_MEMCPY_HOST_TO_HOST), 107002);
	IS(aclrtGetDevice(&id), 107002);
}

struct shared_with_thread {
	aclrtStream s;
	void *dev, *host;
};

static void *use_without_device(void *arg)
{
	struct shared_with_thread *w = arg;
	aclrtEvent e;
	void *p;

	IS(aclrtMalloc(&p, 64, 0), 107002);
	IS(aclrtSynchronizeStream(w->s), 107002);
	IS(aclrtCreateEvent(&e), 107002);
	IS(aclrtMemcpyAsync(w->dev, 64, w->host, 64, ACL_MEMCPY_HOST_TO_DEVICE, w->s), 107002);
	return NULL;
}

static void thread_without_device(void)
{
	struct shared_with_thread w;

	OK(aclrtSetDevice(0));
	w.s = stream_new();
	w.dev = device_new(64);
	w.host = host_new(64);
	in_thread(use_without_device, &w);
}

static void reset_with_live_objects(void)
{
	aclrtStream s;
	aclrtEvent e;

	OK(aclrtSetDevice(0));
	s = stream_new();
	OK(aclrtCreateEvent(&e));
	device_new(64);
	OK(aclrtMemcpyAsync(device_new(64), 64, host_new(64), 64, ACL_MEMCPY_HOST_TO_DEVICE, s));
	OK(aclrtResetDevice(0));
	IS(aclrtSynchronizeStream(s), V(107017, 107002));
	IS(aclrtDestroyStream(s), V(107017, 107002));
	IS(aclrtDestroyEvent(e), 107017);
}

static void reset_then_stream(void)
{
	aclrtStream s;

	putenv("SOFTNPU_HANDLE_REUSE=0"); /* or the next default stream is found behind it */
	OK(aclrtSetDevice(0));
	s = stream_new();
	OK(aclrtResetDevice(0));
	OK(aclrtSetDevice(0));
	IS(aclrtSynchronizeStream(s), 107017);
}

static void execute_after_reset(void)
{
	aclmdlRI m;

	OK(aclrtSetDevice(0));
	m = capture_copy(stream_new());
	OK(aclrtResetDevice(0));
	IS(aclmdlRIExecuteAsync(m, NULL), 107017);
}

static void destroyed_context(void)
{
	aclrtContext c;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateContext(&c, 0));
	OK(aclrtDestroyContext(c));
	IS(aclrtDestroyContext(c), 107002);
	IS(aclrtSetCurrentContext(c), V(107000, 0));
}

static void default_context(void)
{
	aclrtContext c;

	OK(aclrtSetDevice(0));
	OK(aclrtGetCurrentContext(&c));
	IS(aclrtDestroyContext(c), 107002);
}

static void other_context(void)
{
	aclrtContext a, b;
	aclrtStream s;
	aclrtEvent e;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateContext(&b, 0));
	s = stream_new();
	OK(aclrtCreateContext(&a, 0));
	OK(aclrtCreateEvent(&e));
	IS(aclrtMemcpyAsync(device_new(64), 64, host_new(64), 64, ACL_MEMCPY_HOST_TO_DEVICE, s), 107003);
	IS(aclrtDestroyStream(s), 107003);
	IS(aclrtRecordEvent(e, s), 107003);
	OK(aclrtSynchronizeStream(s));
}

static void other_device(void)
{
	aclrtStream s;
	aclrtEvent e;

	OK(aclrtSetDevice(0));
	s = stream_new();
	OK(aclrtSetDevice(1));
	OK(aclrtCreateEvent(&e));
	IS(aclrtMemcpyAsync(device_new(64), 64, host_new(64), 64, ACL_MEMCPY_HOST_TO_DEVICE, s), 107003);
	IS(aclrtRecordEvent(e, s), 107003);
	IS(aclrtDestroyStream(s), 107003);
	OK(aclrtSynchronizeStream(s));
}

static void leave_everything(void)
{
	aclrtEvent e;

	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	stream_new();
	device_new(64);
	OK(aclrtCreateEvent(&e));
}

/* --- memory ------------------------------------------------------------------------- */

static void bad_allocations(void)
{
	void *p;

	OK(aclrtSetDevice(0));
	IS(aclrtMalloc(&p, 0, 0), 100000);
	IS(aclrtMalloc(NULL, 64, 0), 100000);
	IS(aclrtMallocHost(&p, 0), 100000);
	IS(aclrtFree(NULL), 100000);
	IS(aclrtFreeHost(NULL), 100000);
}

static void bad_frees(void)
{
	char stack[64], *d;
	void *p;

	OK(aclrtSetDevice(0));
	p = device_new(64);
	OK(aclrtFree(p));
	IS(aclrtFree(p), 107000);
	d = device_new(4096);
	IS(aclrtFree(d + 64), 107000);
	IS(aclrtFree(stack), 107000);
	IS(aclrtFreeHost(stack), 107000);
	IS(aclrtFreeHost(d), 107000);
}

static void copy_sizes(void)
{
	void *d, *h;

	OK(aclrtSetDevice(0));
	d = device_new(64);
	h = host_new(64);
	IS(aclrtMemcpy(d, 32, h, 64, ACL_MEMCPY_HOST_TO_DEVICE), 107000);
	IS(aclrtMemset(d, 32, 0, 64), 107000);
	IS(aclrtMemcpy(d, 64, h, 0, ACL_MEMCPY_HOST_TO_DEVICE), V(0, 107000));
	IS(aclrtMemcpy(d, 0, h, 0, ACL_MEMCPY_HOST_TO_DEVICE), V(0, 107000));
	IS(aclrtMemcpyAsync(d, 64, h, 0, ACL_MEMCPY_HOST_TO_DEVICE, NULL), V(0, 107000));
	IS(aclrtMemset(d, 64, 0, 0), V(0, 107000));
}

static void copy_arguments(void)
{
	void *d, *h;

	OK(aclrtSetDevice(0));
	d = device_new(64);
	h = host_new(64);
	IS(aclrtMemcpy(NULL, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpy(d, 64, NULL, 64, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpyAsync(NULL, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL), 100000);
	IS(aclrtMemcpyAsync(d, 64, NULL, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL), 100000);
	IS(aclrtMemcpy(d, 64, h, 64, (aclrtMemcpyKind)99), 100000);
	IS(aclrtMemcpyAsync(d, 64, h, 64, (aclrtMemcpyKind)99, NULL), 100000);
}

static void copy_wrong_kind(void)
{
	void *d, *d2, *h;

	OK(aclrtSetDevice(0));
	d = device_new(64);
	d2 = device_new(64);
	h = host_new(64);
	OK(aclrtMemcpy(d, 64, h, 64, ACL_MEMCPY_DEVICE_TO_HOST));
	OK(aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
	OK(aclrtMemcpyAsync(d, 64, d2, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	OK(aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
	OK(aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_HOST_TO_HOST, NULL));
	OK(aclrtSynchronizeStream(NULL));
}

static void copy_host_to_host(void)
{
	char a[64], b[64];

	OK(aclrtSetDevice(0));
	IS(aclrtMemcpyAsync(host_new(64), 64, host_new(64), 64, ACL_MEMCPY_HOST_TO_HOST, NULL), 207000);
	IS(aclrtMemcpyAsync(a, 64, b, 64, ACL_MEMCPY_HOST_TO_HOST, NULL), 207000);
	IS(aclrtMemcpyAsync(a, 64, b, 64, ACL_MEMCPY_DEFAULT, NULL), 207000);
	OK(aclrtSynchronizeStream(NULL));
}

static void copy_odd_addresses(void)
{
	char *d, *d2, *h;

	OK(aclrtSetDevice(0));
	d = device_new(64);
	d2 = device_new(64);
	h = host_new(64);
	OK(aclrtMemcpyAsync(d + 1, 5, h + 3, 5, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	OK(aclrtMemcpyAsync(d2 + 7, 5, d + 1, 5, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
	OK(aclrtMemcpyAsync(h + 9, 5, d2 + 7, 5, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
	OK(aclrtMemsetAsync(d + 11, 5, 1, 5, NULL));
	OK(aclrtSynchronizeStream(NULL));
}

static void copy_pageable(void)
{
	aclrtStream s;
	atomic_int gate;
	char host[64] = "x";
	pthread_t opener;

	OK(aclrtSetDevice(0));
	s = stream_new();
	gate_hold(s, &gate);
	OK(pthread_create(&opener, NULL, open_later, &gate));
	OK(aclrtMemcpyAsync(device_new(64), 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, s));
	IS(atomic_load(&gate), 1); /* the stream was synchronised first */
	OK(pthread_join(opener, NULL));
}

static void copy_2d_pitch(void)
{
	void *d, *h;

	OK(aclrtSetDevice(0));
	d = device_new(N_BYTES);
	h = host_new(N_BYTES);
	IS(aclrtMemcpy2d(d, 16, h, 64, 32, 4, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpy2dAsync(d, 64, h, 16, 32, 4, ACL_MEMCPY_HOST_TO_DEVICE, NULL), 100000);
}

static void unregister_twice(void)
{
	void *h = NULL, *d = NULL;

	OK(aclrtSetDevice(0));
	OK(posix_memalign(&h, 4096, 8192));
	OK(aclrtHostRegister(h, 8192, ACL_HOST_REGISTER_MAPPED, &d));
	OK(aclrtHostUnregister(h));
	IS(aclrtHostUnregister(h), 507911);
	free(h);
}

static void free_while_pending(void)
{
	void *d, *h;
	atomic_int gate;
	aclrtStream s;

	OK(aclrtSetDevice(0));
	s = stream_new();
	d = device_new(N_BYTES);
	h = host_new(N_BYTES);
	gate_hold(s, &gate);
	OK(aclrtMemcpyAsync(d, N_BYTES, h, N_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, s));
	OK(aclrtFree(d));
	OK(aclrtFreeHost(h));
	device_new(N_BYTES);
	IS(atomic_load(&gate), 0);
	gate_open(&gate);
	OK(aclrtSynchronizeStream(s));
}

/* --- streams and events -------------------------------------------------------------- */

static void null_stream(void)
{
	aclrtStreamStatus status;
	aclrtEvent e;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateEvent(&e));
	OK(aclrtMemcpyAsync(device_new(64), 64, host_new(64), 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	OK(aclrtSynchronizeStream(NULL));
	OK(aclrtRecordEvent(e, NULL));
	OK(aclrtStreamWaitEvent(NULL, e));
	OK(aclrtStreamQuery(NULL, &status));
}

static void null_handles(void)
{
	OK(aclrtSetDevice(0));
	IS(aclrtDestroyStream(NULL), 100000);
	IS(aclrtDestroyStreamForce(NULL), 100000);
	IS(aclrtCreateStream(NULL), 100000);
	IS(aclrtRecordEvent(NULL, NULL), 100000);
	IS(aclrtStreamWaitEvent(NULL, NULL), 100000);
	IS(aclrtSynchronizeEvent(NULL), 100000);
	IS(aclrtDestroyEvent(NULL), 100000);
	IS(aclrtResetEvent(NULL, NULL), 100000);
	IS(aclrtCreateEvent(NULL), 100000);
}

static void default_stream_handle(void)
{
	aclrtStream s = NULL;

	OK(aclrtSetDevice(0));
	OK(aclrtCtxGetCurrentDefaultStream(&s));
	TRUE(s);
	OK(aclrtDestroyStream(s));
}

static void invented_handle(void)
{
	OK(aclrtSetDevice(0));
	IS(aclrtSynchronizeStream((aclrtStream)0x1234), 107017);
}

static void dead_stream(void)
{
	aclrtStream s;
	aclrtEvent e;

	OK(aclrtSetDevice(0));
	s = stream_new();
	OK(aclrtCreateEvent(&e));
	OK(aclrtRecordEvent(e, NULL));
	OK(aclrtDestroyStream(s));
	IS(aclrtDestroyStream(s), V(107017, 107003));
	IS(aclrtMemcpyAsync(device_new(64), 64, host_new(64), 64, ACL_MEMCPY_HOST_TO_DEVICE, s),
		V(107017, 107003));
	IS(aclrtRecordEvent(e, s), V(107017, 107003));
	IS(aclrtStreamWaitEvent(s, e), V(107017, 107003));
	IS(aclrtSynchronizeStream(s), 107017);
}

static void dead_event(void)
{
	aclrtEvent e;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateEvent(&e));
	OK(aclrtDestroyEvent(e));
	IS(aclrtDestroyEvent(e), 107017);
	IS(aclrtRecordEvent(e, NULL), 107017);
	IS(aclrtStreamWaitEvent(NULL, e), 107017);
}

static void destroy_waits(void)
{
	atomic_int gate;
	pthread_t opener;
	aclrtStream s;

	OK(aclrtSetDevice(0));
	for (int force = 0; force < 2; force++) {
		s = stream_new();
		gate_hold(s, &gate);
		OK(pthread_create(&opener, NULL, open_later, &gate));
		OK(force ? aclrtDestroyStreamForce(s) : aclrtDestroyStream(s));
		IS(atomic_load(&gate), 1);
		OK(pthread_join(opener, NULL));
	}
}

static void destroy_event_does_not_wait(void)
{
	aclrtStream s, s2;
	atomic_int gate;
	aclrtEvent e;

	OK(aclrtSetDevice(0));
	s = stream_new();
	s2 = stream_new();
	OK(aclrtCreateEvent(&e));
	gate_hold(s, &gate);
	OK(aclrtRecordEvent(e, s));
	OK(aclrtStreamWaitEvent(s2, e));
	OK(aclrtDestroyEvent(e));
	IS(atomic_load(&gate), 0);
	gate_open(&gate);
	OK(aclrtSynchronizeStream(s2));
}

static void sync_calls_ignore_streams(void)
{
	aclrtStream s, other;
	atomic_int gate, gate0;
	void *d;

	OK(aclrtSetDevice(0));
	s = stream_new();
	other = stream_new();
	d = device_new(64);
	gate_hold(s, &gate);
	OK(aclrtSynchronizeStream(NULL));
	OK(aclrtSynchronizeStream(other));
	gate_hold(NULL, &gate0);
	OK(aclrtMemcpy(d, 64, host_new(64), 64, ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtMemset(d, 64, 0, 64));
	IS(atomic_load(&gate) + atomic_load(&gate0), 0);
	gate_open(&gate);
	gate_open(&gate0);
}

static void waiting_calls(void)
{
	aclrtContext c;
	pthread_t opener;
	atomic_int gate;

	for (int how = 0; how < 3; how++) {
		OK(how == 2 ? aclrtCreateContext(&c, 0) : aclrtSetDevice(0));
		gate_hold(stream_new(), &gate);
		OK(pthread_create(&opener, NULL, open_later, &gate));
		OK(how == 0        ? aclrtSynchronizeDevice()
			: how == 1 ? aclrtResetDeviceForce(0)
				   : aclrtDestroyContext(c));
		IS(atomic_load(&gate), 1);
		OK(pthread_join(opener, NULL));
	}
}

static void queries_while_pending(void)
{
	aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_COMPLETE;
	aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
	atomic_int gate;
	aclrtStream s;
	aclrtEvent e;

	OK(aclrtSetDevice(0));
	s = stream_new();
	OK(aclrtCreateEvent(&e));
	gate_hold(s, &gate);
	OK(aclrtRecordEvent(e, s));
	OK(aclrtStreamQuery(s, &status));
	IS(status, ACL_STREAM_STATUS_NOT_READY);
	OK(aclrtQueryEventStatus(e, &recorded));
	IS(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
	IS(aclrtSynchronizeStreamWithTimeout(s, 5), 507046);
	IS(aclrtSynchronizeEventWithTimeout(e, 5), 507047);
	gate_open(&gate);
}

static void wait_before_record(void)
{
	aclrtEvent d, f, x;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateEvent(&d));
	IS(aclrtStreamWaitEvent(NULL, d), 107000);
	x = event_ex(ACL_EVENT_SYNC);
	OK(aclrtStreamWaitEvent(NULL, x));
	x = event_ex(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	OK(aclrtStreamWaitEvent(NULL, x));
	OK(aclrtSynchronizeStream(NULL));
	OK(aclrtCreateEventWithFlag(&f, ACL_EVENT_SYNC));
	OK(aclrtStreamWaitEvent(NULL, f));
	OK(aclrtRecordEvent(f, stream_new())); /* or the default stream would wait for ever */
	OK(aclrtCreateEventWithFlag(
		&f, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS));
	OK(aclrtStreamWaitEvent(NULL, f));
	OK(aclrtRecordEvent(f, stream_new()));
	OK(aclrtSynchronizeStream(NULL));
}

static void events_without_sync(void)
{
	static const uint32_t flags[] = {ACL_EVENT_TIME_LINE, ACL_EVENT_CAPTURE_STREAM_PROGRESS};
	aclrtEvent e;

	OK(aclrtSetDevice(0));
	for (unsigned i = 0; i < 4; i++) {
		OK(i & 1 ? aclrtCreateEventExWithFlag(&e, flags[i / 2])
			 : aclrtCreateEventWithFlag(&e, flags[i / 2]));
		IS(aclrtStreamWaitEvent(NULL, e), 207000);
		OK(aclrtRecordEvent(e, NULL));
		IS(aclrtStreamWaitEvent(NULL, e), 207000);
		IS(aclrtResetEvent(e, NULL), 207000);
	}
	IS(aclrtResetEvent(event_ex(ACL_EVENT_SYNC), NULL), 207000);
	IS(aclrtCreateEventWithFlag(&e, 0), 107000);
}

static void event_before_record(void)
{
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
	aclrtEvent e, e2;
	float ms;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateEvent(&e));
	OK(aclrtCreateEvent(&e2));
	OK(aclrtSynchronizeEvent(e));
	OK(aclrtQueryEventStatus(e, &status));
	IS(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
	IS(aclrtEventElapsedTime(&ms, e, e2), 507000);
	OK(aclrtRecordEvent(e, NULL));
	OK(aclrtSynchronizeStream(NULL));
	IS(aclrtEventElapsedTime(&ms, e, e2), 507000);
}

static void elapsed_time(void)
{
	aclrtEvent a, b, sync;
	float ms = 0;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateEvent(&a));
	OK(aclrtCreateEvent(&b));
	OK(aclrtCreateEventWithFlag(&sync, ACL_EVENT_SYNC));
	OK(aclrtRecordEvent(a, NULL));
	OK(aclrtRecordEvent(sync, NULL));
	OK(aclrtSynchronizeStream(NULL));
	usleep(1000);
	OK(aclrtRecordEvent(b, NULL));
	OK(aclrtSynchronizeStream(NULL));
	OK(aclrtEventElapsedTime(&ms, b, a));
	TRUE(ms < 0);
	IS(aclrtEventElapsedTime(&ms, sync, sync), 107006);
}

static void stream_config(void)
{
	aclrtStream s;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateStreamWithConfig(&s, 99, 0));
	IS(aclrtCreateStreamWithConfig(&s, 0, 0xff), 107000);
}

static void count_call(void *arg)
{
	atomic_fetch_add((atomic_int *)arg, 1);
}

static void callbacks(void)
{
	atomic_int calls = 0;
	aclrtStream s;

	OK(aclrtSetDevice(0));
	s = stream_new();
	IS(aclrtLaunchCallback(count_call, &calls, ACL_CALLBACK_BLOCK, s), 107015);
	OK(aclrtLaunchHostFunc(s, count_call, &calls));
	OK(aclrtSynchronizeStream(s));
	IS(atomic_load(&calls), 1);
}

static void subscribe_with_gettid(void)
{
	atomic_int calls = 0;
	aclrtStream s;

	OK(aclrtSetDevice(0));
	s = stream_new();
	OK(aclrtSubscribeReport((uint64_t)gettid(), s));
	OK(aclrtLaunchCallback(count_call, &calls, ACL_CALLBACK_BLOCK, s));
	IS(aclrtSynchronizeStreamWithTimeout(s, 20), 507046);
	IS(atomic_load(&calls), 0);
}

#define C(name)                                                                                              \
	{                                                                                                    \
#name, name                                                                                  \
	}

static const struct tap_case cases[] = {
	C(init_twice),
	C(finalize_twice),
	C(finalize_without_init),
	C(init_again),
	C(no_init),
	C(finalize_before_destroy),
	C(device_counted),
	C(reset_force),
	C(reset_never_set),
	C(bad_device),
	C(count_is_of_the_process),
	C(no_device_set),
	C(thread_without_device),
	C(reset_with_live_objects),
	C(reset_then_stream),
	C(execute_after_reset),
	C(destroyed_context),
	C(default_context),
	C(other_context),
	C(other_device),
	C(leave_everything),
	C(bad_allocations),
	C(bad_frees),
	C(copy_sizes),
	C(copy_arguments),
	C(copy_wrong_kind),
	C(copy_host_to_host),
	C(copy_odd_addresses),
	C(copy_pageable),
	C(copy_2d_pitch),
	C(unregister_twice),
	C(free_while_pending),
	C(null_stream),
	C(null_handles),
	C(default_stream_handle),
	C(invented_handle),
	C(dead_stream),
	C(dead_event),
	C(destroy_waits),
	C(destroy_event_does_not_wait),
	C(sync_calls_ignore_streams),
	C(waiting_calls),
	C(queries_while_pending),
	C(wait_before_record),
	C(events_without_sync),
	C(event_before_record),
	C(elapsed_time),
	C(stream_config),
	C(callbacks),
	C(subscribe_with_gettid),
};

int main(void)
{
	oracle_run(cases, COUNT(cases));
	return tap_done();
}
