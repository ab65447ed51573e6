/* SPDX-License-Identifier: Apache-2.0 */
/* Where few threads can be started or none: work is refused, or it comes to an end; nothing waits for ever.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "common.h"

#define NO_LIMIT 1000
#define REFUSED 207005 /* ACL_ERROR_RT_RESOURCE_ALLOC_FAIL */

static atomic_int allowed = NO_LIMIT;

/* What the software runtime calls: a system that has no more threads. */
__attribute__((visibility("default"))) int pthread_create(
	pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		dlsym(RTLD_NEXT, "pthread_create");

	if (atomic_fetch_sub(&allowed, 1) <= 0) {
		atomic_fetch_add(&allowed, 1);
		return EAGAIN;
	}
	return real(t, attr, fn, arg);
}

static aclrtStream first, second;
static char *dev, *host;

static void begin(int threads)
{
	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	first = stream_new();
	second = stream_new();
	dev = device_new(64);
	host = host_new(64);
	atomic_store(&allowed, threads);
}

static aclError copy_on(aclrtStream s)
{
	return aclrtMemcpyAsync(dev, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, s);
}

static void nothing(void *arg)
{
	(void)arg;
}

/* Nothing is pending after a refusal, and the runtime can be left as usual. */
static void refuses_work(int threads)
{
	aclrtStreamStatus status = 9;
	aclrtEvent e;

	begin(threads);
	e = event_ex(ACL_EVENT_SYNC);
	IS(copy_on(first), REFUSED);
	IS(aclrtMemsetAsync(dev, 64, 1, 64, first), REFUSED);
	IS(aclrtRecordEvent(e, first), REFUSED);
	IS(aclrtLaunchHostFunc(first, nothing, NULL), REFUSED);
	OK(aclrtStreamQuery(first, &status));
	IS(status, ACL_STREAM_STATUS_COMPLETE);
	OK(aclrtSynchronizeStream(first));
	OK(aclrtSynchronizeDevice());
	OK(aclrtMemcpy(dev, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtDestroyStream(first));
	OK(aclrtDestroyStream(second));
	OK(aclrtResetDevice(0));
	OK(aclFinalize());
}

static void no_thread(void)
{
	refuses_work(0);
}

static void one_thread(void)
{
	refuses_work(1);
}

static void two_threads(void)
{
	refuses_work(2);
}

static void a_model_is_not_executed(void)
{
	aclmdlRI m = NULL;

	begin(0);
	OK(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(copy_on(first));
	OK(aclmdlRICaptureEnd(first, &m));
	IS(aclmdlRIExecuteAsync(m, second), REFUSED);
	OK(aclrtSynchronizeStream(second));
	OK(aclmdlRIDestroy(m));
}

static void threads_come_back(void)
{
	begin(0);
	IS(copy_on(first), REFUSED);
	atomic_store(&allowed, NO_LIMIT);
	memset(host, 7, 64);
	OK(copy_on(first));
	OK(aclrtSynchronizeStream(first));
	IS(dev[63], 7);
}

static atomic_int gate, ran;

static void count(void *arg)
{
	(void)arg;
	atomic_fetch_add(&ran, 1);
}

/* A host function waits for what another stream does. */
static void device_goes_on_beside_a_host_function(void)
{
	begin(3);
	gate_hold(first, &gate);
	OK(copy_on(second));
	OK(aclrtSynchronizeStream(second));
	gate_open(&gate);
	OK(aclrtSynchronizeStream(first));
}

/* More host functions than workers: one after the other, and copies beside them. */
static void host_functions_take_turns(void)
{
	aclrtStream streams[8];

	begin(NO_LIMIT);
	for (unsigned i = 0; i < COUNT(streams); i++)
		streams[i] = stream_new();
	atomic_store(&allowed, 3);
	gate_hold(first, &gate);
	for (unsigned i = 0; i < COUNT(streams); i++)
		OK(aclrtLaunchHostFunc(streams[i], count, NULL));
	OK(copy_on(second));
	OK(aclrtSynchronizeStream(second));
	gate_open(&gate);
	OK(aclrtSynchronizeDevice());
	IS(atomic_load(&ran), COUNT(streams));
}

/* A wait with a limit of time ends. */
static void a_wait_times_out(void)
{
	aclrtEvent e = NULL;

	begin(3);
	OK(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC));
	OK(aclrtStreamWaitEventWithTimeout(first, e, 1));
	IS(aclrtSynchronizeStream(first) != ACL_SUCCESS, 1);
}

/* What streams wait for is limited in seconds. */
static void waits_take_seconds(void)
{
	aclrtNotify n = NULL;
	aclrtEvent e = NULL;
	aclrtStream third;

	begin(NO_LIMIT);
	third = stream_new();
	OK(aclrtCreateEvent(&e));
	OK(aclrtCreateNotify(&n, 0));
	gate_hold(first, &gate);
	OK(aclrtRecordEvent(e, first));
	OK(aclrtRecordNotify(n, first));
	OK(aclrtStreamWaitEventWithTimeout(second, e, 60));
	OK(aclrtWaitAndResetNotify(n, third, 60));
	IS(aclrtSynchronizeStreamWithTimeout(second, 200), 507046);
	IS(aclrtSynchronizeStreamWithTimeout(third, 100), 507046);
	gate_open(&gate);
	OK(aclrtSynchronizeDevice());
	OK(aclrtDestroyNotify(n));
}

static long switches(void)
{
	struct rusage usage;

	OK(getrusage(RUSAGE_SELF, &usage));
	return usage.ru_nvcsw;
}

/* A word that never comes is looked at less and less often. */
static void a_word_that_never_comes(void)
{
	long before;

	begin(NO_LIMIT);
	OK(aclrtMemset(dev, 64, 0, 64));
	OK(aclrtValueWait(dev, 1, ACL_STREAM_WAIT_VALUE_GEQ, first));
	IS(aclrtSynchronizeStreamWithTimeout(first, 300), 507046);
	before = switches();
	IS(aclrtSynchronizeStreamWithTimeout(first, 1000), 507046);
	before = switches() - before;
	if (before > 2000)
		printf("# %ld changes of threads in a second\n", before);
	IS(before <= 2000, 1);
	OK(aclrtValueWrite(dev, 1, 0, second));
	OK(aclrtSynchronizeStreamWithTimeout(first, 5000));
}

/* The same by the system's own limit: there is no address space for a stack. */
static void no_memory_for_a_stack(void)
{
	struct rlimit limit = {1, RLIM_INFINITY};
	aclError rc;

	begin(NO_LIMIT);
	OK(setrlimit(RLIMIT_AS, &limit));
	if (mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		tap_skip("the limit of the address space is not kept");
	rc = copy_on(first);
	IS(rc == REFUSED || rc == ACL_ERROR_RT_MEMORY_ALLOCATION, 1);
	OK(aclrtSynchronizeStream(first));
}

static const struct tap_case cases[] = {C(no_thread), C(one_thread), C(two_threads),
	C(a_model_is_not_executed), C(threads_come_back), C(device_goes_on_beside_a_host_function),
	C(host_functions_take_turns), C(a_wait_times_out), C(waits_take_seconds), C(a_word_that_never_comes),
	C(no_memory_for_a_stack)};

int main(void)
{
	tap_run(cases, COUNT(cases), "", NULL);
	return tap_done();
}
