/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the real runtime's code was observed to return, as a table: initialisation, devices, contexts.
 * V(new, old) is 9.1 and 8.5; where the real one crashes 107017 is expected.
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

/* Limits are the device's, and it begins anew after its last reset. */
static void limits_end_with_a_reset(void)
{
	uint32_t cores, all;

	OK(aclrtSetDevice(0));
	OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &all));
	OK(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 4));
	OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &cores));
	IS(cores, 4);
	OK(aclrtResetDevice(0));
	OK(aclrtSetDevice(0));
	OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &cores));
	IS(cores, all);
}

static const struct tap_case cases[] = {
	C(limits_end_with_a_reset),
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
};

ORACLE_MAIN(cases)
