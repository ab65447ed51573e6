/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the real runtime's code was observed to return, as a table: streams and events.
 * V(new, old) is 9.1 and 8.5; where the real one crashes 107017 is expected.
 */
#include "oracle.h"

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

static const struct tap_case cases[] = {
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

ORACLE_MAIN(cases)
