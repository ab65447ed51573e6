/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about memory of tasks that are no copies: whose it is, of which kind, how large. */
#include "paired.h"

#define MIB (1u << 20)

/* On device 1; device 0 is current again. */
static void *memory_of_other_device(void)
{
	void *p;

	CALL(aclrtSetDevice, .deviceId = 1);
	p = make_device_memory(MIB);
	CALL(aclrtSetDevice, .deviceId = 0);
	return p;
}

static void reduce(void *dst, const void *src, aclrtStream s)
{
	CALL(aclrtReduceAsync, .dst = dst, .src = src, .count = 64, .kind = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
		.type = ACL_FLOAT, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void reduce_from_other_device(void)
{
	void *far = memory_of_other_device(), *near = make_device_memory(MIB), *dst = make_device_memory(MIB);

	reduce(dst, bug ? far : near, make_stream());
}

static void reduce_to_other_device(void)
{
	void *far = memory_of_other_device(), *near = make_device_memory(MIB), *src = make_device_memory(MIB);

	reduce(bug ? far : near, src, make_stream());
}

/* With a barrier it is a task of a model that is built task by task. */
static void prefetch(void *p)
{
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT);
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	CALL(aclmdlRIBindStream, .modelRI = m, .stream = s);
	CALL_EACH(0, ROLE(ADDRESS, p), ROLE(BYTES, 4096), ROLE(TYPE, ACL_RT_CMO_TYPE_PREFETCH),
		ROLE(STREAM, s));
	CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	CALL(aclmdlRIBuildEnd, .modelRI = m);
}

static void prefetch_host_memory(void)
{
	void *h = make_host_memory(MIB), *d = make_device_memory(MIB);

	prefetch(bug ? h : d);
}

static void prefetch_other_device(void)
{
	void *far = memory_of_other_device(), *near = make_device_memory(MIB);

	prefetch(bug ? far : near);
}

static void describe_host_memory(void)
{
	void *h = make_host_memory(MIB), *d = make_device_memory(MIB), *desc = make_device_memory(4096);

	CALL(aclrtCmoSetDesc, .cmoDesc = desc, .src = bug ? h : d, .size = 4096);
}

static void describe_other_device(void)
{
	void *far = memory_of_other_device(), *near = make_device_memory(MIB);

	CALL(aclrtCmoSetDesc, .cmoDesc = make_device_memory(4096), .src = bug ? far : near, .size = 4096);
}

static void counter_too_small(void)
{
	char *counter = make_device_memory(4096);
	aclrtRandomNumTaskInfo info = {.dataType = ACL_FLOAT,
		.randomNumFuncParaInfo.paramInfo.dropoutBitmaskInfo.dropoutRation.size = 4,
		.randomResultAddr = counter,
		.randomCounterAddr = counter + 4096 - (bug ? 15 : 16),
		.randomSeed.size = 8,
		.randomNum.size = 8};
	aclrtStream s = make_stream();

	CALL(aclrtRandomNumAsync, .taskInfo = &info, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void status_to(void *out)
{
	aclrtStream s = make_stream();

	CALL(aclrtGetOverflowStatus, .outputAddr = out, .outputSize = 64, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void status_in_host_memory(void)
{
	void *h = make_host_memory(4096), *d = make_device_memory(4096);

	status_to(bug ? h : d);
}

static void status_in_own_memory(void)
{
	void *d = make_device_memory(4096);

	status_to(bug ? (void *)heap_memory : d);
}

static void status_in_too_little(void)
{
	char *d = make_device_memory(64);

	CALL_EACH(0, ROLE(ADDRESS, bug ? d + 16 : d), ROLE(BYTES, 64), ROLE(STREAM, make_stream()));
}

static void words_in_managed_memory(void)
{
	void *managed = NULL, *d = make_device_memory(MIB);

	CALL_DOES(aclrtMemAllocManaged, 0, managed = make_range(2 * MIB, true), .ptr = &managed,
		.size = 2 * MIB, .flag = ACL_RT_MEM_ATTACH_GLOBAL);
	CALL_EACH(bug ? 107000 : 0, ROLE(DST, bug ? managed : d), ROLE(LIMIT, 4096), ROLE(NUMBER, 1024),
		ROLE(STREAM, make_stream()));
}

static const struct pair pairs[] = {
	PAIR("reduce-arguments", reduce_from_other_device),
	PAIR("reduce-arguments", reduce_to_other_device),
	PAIR_EACH("cmo-target-invalid", prefetch_host_memory, CACHE_MAINTAIN),
	PAIR_EACH("cmo-target-invalid", prefetch_other_device, CACHE_MAINTAIN),
	PAIR("cmo-target-invalid", describe_host_memory),
	PAIR("cmo-target-invalid", describe_other_device),
	PAIR("random-task-arguments", counter_too_small),
	PAIR("overflow-output-size", status_in_host_memory),
	PAIR("overflow-output-size", status_in_own_memory),
	PAIR_EACH("overflow-output-size", status_in_too_little, OVERFLOW_READ),
	PAIR_EACH("memsetd32-args", words_in_managed_memory, SET_WORDS),
};

PAIRS_MAIN("memory of tasks", pairs)
