/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which refusal comes first when a call has several reasons to be refused, and objects in the states that
 * calls refuse.  The real runtime's published source looks at handles, then at the state of each object, then
 * for a context, and only then whether the objects are of that context.
 */
#ifndef SOFTNPU_ORDER_H
#define SOFTNPU_ORDER_H

#include "oracle.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED
#define INVENTED ((void *)0x1234)
#define NO_DEVICE 99
#define MIB2 ((size_t)2 << 20)

static aclrtStream s, captured, bound, foreign, persistent, device_only, cpu_schedule;
static aclmdlRI building;
static aclrtContext first_context;
static char *dev, *dev2, *host;

static inline aclrtStream stream_with(uint32_t flags)
{
	aclrtStream stream = NULL;

	OK(aclrtCreateStreamWithConfig(&stream, 0, flags));
	return stream;
}

/* The context that is current has all streams but foreign. */
static inline void setup(void)
{
	aclrtContext other;

	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	OK(aclrtGetCurrentContext(&first_context));
	OK(aclrtCreateContext(&other, 0));
	foreign = stream_new();
	OK(aclrtSetCurrentContext(first_context));
	s = stream_new();
	captured = stream_new();
	persistent = stream_with(ACL_STREAM_PERSISTENT);
	bound = stream_with(ACL_STREAM_PERSISTENT);
	device_only = stream_with(ACL_STREAM_DEVICE_USE_ONLY);
	cpu_schedule = stream_with(ACL_STREAM_CPU_SCHEDULE);
	OK(aclmdlRIBuildBegin(&building, 0));
	OK(aclmdlRIBindStream(building, bound, ACL_MODEL_STREAM_FLAG_HEAD));
	dev = device_new(N_BYTES);
	dev2 = device_new(N_BYTES);
	host = host_new(N_BYTES);
}

static inline void begin_capture(void)
{
	OK(aclmdlRICaptureBegin(captured, RELAXED));
}

static inline aclmdlRI end_capture(void)
{
	aclmdlRI m = NULL;

	OK(aclmdlRICaptureEnd(captured, &m));
	return m;
}

struct order_thread {
	void (*run)(void);
};

static inline void *order_run(void *arg)
{
	((struct order_thread *)arg)->run();
	return NULL;
}

/* On a thread that has set no device. */
static inline void without_context(void (*run)(void))
{
	struct order_thread thread = {run};
	pthread_t t;

	OK(pthread_create(&t, NULL, order_run, &thread));
	OK(pthread_join(t, NULL));
}

#endif
