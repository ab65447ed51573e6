/* SPDX-License-Identifier: Apache-2.0 */
/* What scenarios of both frames share: the switch between the runs, memory, ways to make objects, captures.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define SITES 10000
#include "paired.h"

bool bug;
char *lucky_block;

/* Blocks are kept until one begins where it should: no two begin at the same place. */
static void __attribute__((constructor)) find_lucky_block(void)
{
	do
		lucky_block = malloc(LUCKY_BYTES);
	while (lucky_block && (uintptr_t)lucky_block % 64 && malloc(24));
}

char heap_memory[1 << 16] __attribute__((aligned(4096)));
void *answer[64];

aclrtStream make_stream(void)
{
	aclrtStream s = NULL;

	CALL_DOES(aclrtCreateStream, 0, s = make_address(), .stream = &s);
	return s;
}

aclrtStream make_stream_flags(uint32_t flags)
{
	aclrtStream s = NULL;

	CALL_DOES(aclrtCreateStreamWithConfig, 0, s = make_address(), .stream = &s, .flag = flags);
	return s;
}

aclrtEvent make_event(void)
{
	aclrtEvent e = NULL;

	CALL_DOES(aclrtCreateEvent, 0, e = make_address(), .event = &e);
	return e;
}

void callback_ran(void)
{
	pair_callback_begin(ACL_API_aclrtLaunchHostFunc, NULL);
	pair_callback_end(ACL_API_aclrtLaunchHostFunc, NULL);
}

aclrtEvent make_event_ex(uint32_t flags)
{
	aclrtEvent e = NULL;

	CALL_DOES(aclrtCreateEventExWithFlag, 0, e = make_address(), .event = &e, .flag = flags);
	return e;
}

aclrtEvent make_event_flag(uint32_t flags)
{
	aclrtEvent e = NULL;

	CALL_DOES(aclrtCreateEventWithFlag, 0, e = make_address(), .event = &e, .flag = flags);
	return e;
}

aclrtContext make_context(void)
{
	aclrtContext x = NULL;

	CALL_DOES(aclrtCreateContext, 0, x = make_address(), .context = &x, .deviceId = 0);
	return x;
}

void *make_device_memory(size_t bytes)
{
	void *p = NULL;

	CALL_DOES(aclrtMalloc, 0, p = make_range(bytes, true), .devPtr = &p, .size = bytes);
	return p;
}

void *make_host_memory(size_t bytes)
{
	void *p = NULL;

	CALL_DOES(aclrtMallocHost, 0, p = make_range(bytes, false), .hostPtr = &p, .size = bytes);
	return p;
}

aclrtFuncHandle make_function(void)
{
	aclrtFuncHandle f = NULL;
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromData, 0, b = make_address(), .data = heap_memory, .length = 4096,
		.binHandle = &b);
	CALL_DOES(aclrtBinaryGetFunction, 0, f = make_address(), .binHandle = b, .kernelName = "add",
		.funcHandle = &f);
	return f;
}

void capture_begin(aclrtStream s)
{
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
}

aclmdlRI capture_end(aclrtStream s)
{
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
	return m;
}

void capture_join(aclrtStream s, aclrtStream other)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = other, .event = e);
}

static void stay(void *unused)
{
	(void)unused;
	usleep(100000);
}

void make_busy(aclrtStream stream)
{
	CALL(aclrtLaunchHostFunc, .stream = stream, .fn = stay);
}
