/* SPDX-License-Identifier: Apache-2.0 */
/* One question about the software runtime, one line with its answer: library.bats runs it with each setting
 * and without. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softnpu.h"
#include "acl/acl.h"

#define MIB (1u << 20)

static aclrtStream stream(void)
{
	aclrtStream s = NULL;

	aclrtCreateStream(&s);
	return s;
}

static char *device(size_t bytes)
{
	void *p = NULL;

	aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
	return p;
}

static int count(void)
{
	uint32_t n = 99;

	aclrtGetDeviceCount(&n);
	return (int)n;
}

static int empty_copy(void)
{
	char a[8];

	return aclrtMemcpy(a, 8, a, 0, ACL_MEMCPY_HOST_TO_HOST);
}

static int touch(void)
{
	*device(64) = 1;
	return 0;
}

static int large(void)
{
	void *p;

	return aclrtMalloc(&p, 2 * MIB, ACL_MEM_MALLOC_HUGE_FIRST);
}

static int large_host(void)
{
	void *p;

	return aclrtMallocHost(&p, 64 * MIB);
}

static int run_mode(void)
{
	aclrtRunMode mode = 99;

	aclrtGetRunMode(&mode);
	return (int)mode;
}

static int peer(void)
{
	int32_t can = 99;

	aclrtDeviceCanAccessPeer(&can, 0, 1);
	return can;
}

static int product(void)
{
	return !strcmp(aclrtGetSocName(), "Ascend310P3");
}

/* A kernel without a host function, and one second for it. */
static int kernel_done(void)
{
	aclrtStream s = stream();
	aclrtBinHandle binary = NULL;
	aclrtFuncHandle function = NULL;

	if (aclrtBinaryLoadFromData("binary", 6, NULL, &binary) ||
		aclrtBinaryGetFunction(binary, "k", &function) ||
		aclrtLaunchKernel(function, 1, device(64), 8, s))
		return -1;
	return aclrtSynchronizeStreamWithTimeout(s, getenv("SOFTNPU_KERNEL_US") ? 100 : 60000);
}

static int task_done(void)
{
	aclrtStream s = stream();

	if (aclrtMemsetAsync(device(64), 64, 0, 64, s))
		return -1;
	return aclrtSynchronizeStreamWithTimeout(
		s, getenv("SOFTNPU_TASK_US") || getenv("SOFTNPU_STREAM_US") ? 100 : 60000);
}

static int task_result(void)
{
	aclrtStream s = stream();

	return aclrtMemsetAsync(device(64), 64, 0, 64, s) ? -1 : aclrtSynchronizeStream(s);
}

static int unaligned(void)
{
	aclrtStream s = stream();
	char *a = device(256), *b = device(256);

	return aclrtMemcpyAsync(a, 64, b + 4, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, s) ? -1
										  : aclrtSynchronizeStream(s);
}

static int two_streams(void)
{
	aclrtStream s;

	stream();
	return aclrtCreateStream(&s);
}

static int two_events(void)
{
	aclrtEvent e;

	aclrtCreateEvent(&e);
	return aclrtCreateEvent(&e);
}

static int two_notifies(void)
{
	aclrtNotify n;

	aclrtCreateNotify(&n, 0);
	return aclrtCreateNotify(&n, 0);
}

static int handle_again(void)
{
	aclrtStream first = stream();

	aclrtDestroyStream(first);
	return stream() == first;
}

static void gate(void *open)
{
	pthread_mutex_lock(open);
	pthread_mutex_unlock(open);
}

static int workers(void)
{
	char path[64], name[32];
	int n = 0;

	for (int tid = getpid(); tid < getpid() + 64; tid++) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%d/comm", tid);
		file = fopen(path, "r");
		if (file && fgets(name, sizeof(name), file))
			n += !strcmp(name, "softnpu-worker\n");
		if (file)
			fclose(file);
	}
	return n;
}

/* Eight tasks become ready at the same time, behind a host function: 1 when more than two workers came for
 * them. */
static int at_once(void)
{
	static pthread_mutex_t open = PTHREAD_MUTEX_INITIALIZER;
	aclrtStream first = stream(), s[8];
	aclrtEvent e = NULL;

	aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);
	pthread_mutex_lock(&open);
	aclrtLaunchHostFunc(first, gate, &open);
	aclrtRecordEvent(e, first);
	for (int i = 0; i < 8; i++) {
		s[i] = stream();
		aclrtStreamWaitEvent(s[i], e);
		aclrtMemsetAsync(device(64), 64, 0, 64, s[i]);
	}
	pthread_mutex_unlock(&open);
	for (int i = 0; i < 8; i++)
		aclrtSynchronizeStream(s[i]);
	return workers() > 2;
}

/* A refused call: 1 when a line about it was written. */
static int logged(void)
{
	const char *file = getenv("SOFTNPU_LOG");

	aclrtMalloc(NULL, 0, 0);
	return file && !access(file, R_OK);
}

static const struct {
	const char *name;
	int (*ask)(void);
} questions[] = {{"count", count}, {"empty_copy", empty_copy}, {"touch", touch}, {"large", large},
	{"large_host", large_host}, {"run_mode", run_mode}, {"peer", peer}, {"product", product},
	{"kernel_done", kernel_done}, {"task_done", task_done}, {"task_result", task_result},
	{"unaligned", unaligned}, {"two_streams", two_streams}, {"two_events", two_events},
	{"two_notifies", two_notifies}, {"handle_again", handle_again}, {"at_once", at_once},
	{"logged", logged}};

int main(int argc, char **argv)
{
	for (unsigned i = 0; argc == 2 && i < sizeof(questions) / sizeof(questions[0]); i++) {
		if (strcmp(argv[1], questions[i].name))
			continue;
		if (aclInit(NULL) || (strcmp(argv[1], "count") && aclrtSetDevice(0)))
			return 2;
		printf("%d\n", questions[i].ask());
		fflush(stdout);
		_exit(0);
	}
	return 1;
}
