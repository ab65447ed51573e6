/* SPDX-License-Identifier: Apache-2.0 */
/* What many scenarios give to a stream: a copy or a set of a whole block, an event between two streams. */
#ifndef PAIRED_TASKS_H
#define PAIRED_TASKS_H

#include "paired.h"

#define SIZE 4096 /* of every block */
#define UP ACL_MEMCPY_HOST_TO_DEVICE
#define DOWN ACL_MEMCPY_DEVICE_TO_HOST
#define INSIDE ACL_MEMCPY_DEVICE_TO_DEVICE

static inline void copy_on(aclrtStream s, void *dst, const void *src, aclrtMemcpyKind kind)
{
	CALL(aclrtMemcpyAsync, .dst = dst, .destMax = SIZE, .src = src, .count = SIZE, .kind = kind,
		.stream = s);
}

static inline void set_on(aclrtStream s, void *dst)
{
	CALL(aclrtMemsetAsync, .devPtr = dst, .maxCount = SIZE, .count = SIZE, .stream = s);
}

static inline void wait_for(aclrtStream s)
{
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* What the fixed variant has between two streams. */
static inline void order(aclrtStream before, aclrtStream after)
{
	aclrtEvent e = make_event();

	CALL(aclrtRecordEvent, .event = e, .stream = before);
	CALL(aclrtStreamWaitEvent, .stream = after, .event = e);
}

/* --- memory mapped into reserved addresses ----------------------------------------------------------------
 */

#define MIB2 (2u << 20)

static inline char *reserved_range(size_t bytes)
{
	void *range = NULL;

	CALL_DOES(
		aclrtReserveMemAddress, 0, range = make_range(bytes, true), .virPtr = &range, .size = bytes);
	return range;
}

static inline void map_at(char *at)
{
	static const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle h = NULL;

	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = MIB2, .prop = &prop);
	CALL(aclrtMapMem, .virPtr = at, .size = MIB2, .handle = h);
}

/* Side by side. */
static inline char *two_mappings(void)
{
	char *range = reserved_range(2 * MIB2);

	map_at(range);
	map_at(range + MIB2);
	return range;
}

/* --- models of one kernel --------------------------------------------------------------------------------
 */

static inline aclmdlRI model_on(aclrtStream s)
{
	capture_begin(s);
	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = make_function(), .numBlocks = 1, .stream = s,
		.hostArgs = heap_memory, .argsSize = 64);
	return capture_end(s);
}

/* The only one that a captured model has. */
static inline aclrtStream inner_stream(aclmdlRI m)
{
	aclrtStream inner = NULL;
	uint32_t n = 1;

	CALL_DOES(aclmdlRIGetStreams, 0, inner = make_address(), .modelRI = m, .streams = &inner,
		.numStreams = &n);
	return inner;
}

/* again: the handle that the runtime gives to its only task, NULL = a new one. */
static inline aclmdlRITask task_on(aclrtStream inner, void *again)
{
	aclmdlRITask task = NULL;
	uint32_t n = 1;

	CALL_DOES(aclmdlRIGetTasksByStream, 0, task = again ? again : make_address(), .stream = inner,
		.tasks = &task, .numTasks = &n);
	return task;
}

static inline aclmdlRITask task_of(aclmdlRI m)
{
	return task_on(inner_stream(m), NULL);
}

#endif
