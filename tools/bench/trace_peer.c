/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_peer CALLS: calls the linked runtime and says the nanoseconds of a copy and of a record: CPU time of
 * the thread, and time that passed.  A program for all ways of seeing its calls, those of other tools
 * included.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"

#define BYTES 4096

static aclrtStream stream;
static aclrtEvent event;
static void *device, *host;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static __attribute__((noinline)) void copies(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		aclrtMemcpyAsync(device, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static __attribute__((noinline)) void records(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		aclrtRecordEvent(event, stream);
}

static void measure(void (*loop)(unsigned long), unsigned long n, double *cpu, double *passed)
{
	double cpu_at = now(CLOCK_THREAD_CPUTIME_ID), at = now(CLOCK_MONOTONIC);

	loop(n);
	*cpu = (now(CLOCK_THREAD_CPUTIME_ID) - cpu_at) / (double)n;
	*passed = (now(CLOCK_MONOTONIC) - at) / (double)n;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	double cpu[2], passed[2];

	if (!n)
		n = 1;
	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC);
	aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMallocHost(&host, BYTES);
	/* The first of a place and of a function cost more. */
	copies(n / 10 + 1);
	records(n / 10 + 1);
	measure(copies, n, &cpu[0], &passed[0]);
	measure(records, n, &cpu[1], &passed[1]);
	printf("%.1f %.1f %.1f %.1f\n", cpu[0], cpu[1], passed[0], passed[1]);
	return 0;
}
