/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is not there, given to the functions that are no copies: what is known of memory holds in
 * whatever form it is handed over.
 */
#include "tasks.h"

#define PEERS ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS

/* --- memory that is there only in the fixed variant ------------------------------------------------- */

static void *physical_memory(void)
{
	static const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle h = NULL;

	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = MIB2, .prop = &prop);
	return h;
}

static void *unmapped(void)
{
	char *range = reserved_range(MIB2);

	map_at(range);
	if (bug)
		CALL(aclrtUnmapMem, .virPtr = range);
	return range;
}

static void *closed(void)
{
	static aclrtMemAccessDesc open = {.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	char *range = reserved_range(MIB2);

	CALL(aclrtMemMapNoAccess, .virPtr = range, .size = MIB2, .handle = physical_memory());
	if (!bug)
		CALL(aclrtMemSetAccess, .virPtr = range, .size = MIB2, .desc = &open, .count = 1);
	return range;
}

/* The variable was never set: nothing of the program lies at what it holds. */
static void *refused(void)
{
	void *d = (void *)(uintptr_t)0x12340000;

	CALL_FAILS(207001, aclrtMalloc, .devPtr = &d, .size = UINT64_C(1) << 50);
	if (!bug)
		CALL_DOES(aclrtMalloc, 0, d = make_range(SIZE, true), .devPtr = &d, .size = SIZE);
	return d;
}

static void *freed(void)
{
	void *d = make_device_memory(SIZE);

	if (bug)
		CALL(aclrtFree, .devPtr = d);
	return d;
}

static void *given_back(void)
{
	void *p = NULL;

	CALL_DOES(aclrtIpcMemImportByKey, 0, p = make_range(SIZE, true), .devPtr = &p,
		.key = pair_memory_key(1), .flags = PEERS);
	CALL(aclrtMemset, .devPtr = p, .maxCount = 64, .count = 64);
	if (bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	return p;
}

/* --- what is given it ------------------------------------------------------------------------------- */

static void status_to(void *memory)
{
	aclrtStream s = make_stream();

	CALL(aclrtGetOverflowStatus, .outputAddr = memory, .outputSize = 64, .stream = s);
	wait_for(s);
}

static void arguments_in(void *memory)
{
	aclrtStream s = make_stream();

	CALL(aclrtLaunchKernel, .funcHandle = make_function(), .numBlocks = 1, .argsData = memory,
		.argsSize = 64, .stream = s);
	wait_for(s);
}

static void numbers_on(aclrtStream s, void *result, void *counter)
{
	aclrtRandomNumTaskInfo info = {.dataType = ACL_FLOAT,
		.randomNumFuncParaInfo = {.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS,
			.paramInfo.uniformDisInfo = {.min.size = 4, .max.size = 4}},
		.randomResultAddr = result,
		.randomCounterAddr = counter,
		.randomSeed.size = 8,
		.randomNum = {.valueOrAddr = {16}, .size = 8}};

	CALL(aclrtRandomNumAsync, .taskInfo = &info, .stream = s);
}

static void numbers_with(void *result, void *counter)
{
	aclrtStream s = make_stream();

	numbers_on(s, result, counter);
	wait_for(s);
}

#define USES_OF(memory)                                                                                      \
	static void memory##_status(void)                                                                    \
	{                                                                                                    \
		status_to(memory());                                                                         \
	}                                                                                                    \
	static void memory##_arguments(void)                                                                 \
	{                                                                                                    \
		arguments_in(memory());                                                                      \
	}                                                                                                    \
	static void memory##_numbers(void)                                                                   \
	{                                                                                                    \
		void *other = make_device_memory(SIZE);                                                      \
                                                                                                             \
		numbers_with(memory(), other);                                                               \
	}                                                                                                    \
	static void memory##_counter(void)                                                                   \
	{                                                                                                    \
		void *other = make_device_memory(SIZE);                                                      \
                                                                                                             \
		numbers_with(other, memory());                                                               \
	}

USES_OF(unmapped)
USES_OF(closed)
USES_OF(refused)
USES_OF(freed)
USES_OF(given_back)

#define PAIRS_OF(rule, memory)                                                                               \
	PAIR(rule, memory##_status), PAIR(rule, memory##_arguments), PAIR(rule, memory##_numbers),           \
		PAIR(rule, memory##_counter)

/* --- others --------------------------------------------------------------------------------------- */

static void freed_for_peers(void)
{
	void *d = freed();

	CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 1);
	CALL_FAILS(bug ? 507899 : 0, aclrtMemP2PMap, .devPtr = d, .size = SIZE, .dstDevId = 1);
}

/* --- what else is written ----------------------------------------------------------------------------- */

struct launched {
	aclrtStream first, second;
	void *arguments;
};

/* A kernel that reads its arguments; fixed, the second stream comes behind it. */
static struct launched launched(void)
{
	struct launched l = {make_stream(), make_stream(), make_device_memory(SIZE)};

	CALL(aclrtMemset, .devPtr = l.arguments, .maxCount = SIZE, .count = SIZE);
	CALL(aclrtLaunchKernel, .funcHandle = make_function(), .numBlocks = 1, .argsData = l.arguments,
		.argsSize = 64, .stream = l.first);
	if (!bug)
		order(l.first, l.second);
	return l;
}

static void both_end(const struct launched *l)
{
	wait_for(l->first);
	wait_for(l->second);
}

static void numbers_over_arguments(void)
{
	void *counter = make_device_memory(SIZE);
	struct launched l = launched();

	numbers_on(l.second, l.arguments, counter);
	both_end(&l);
}

static void status_over_arguments(void)
{
	struct launched l = launched();

	CALL(aclrtGetOverflowStatus, .outputAddr = l.arguments, .outputSize = 64, .stream = l.second);
	both_end(&l);
}

static void word_over_arguments(void)
{
	struct launched l = launched();

	CALL(aclrtValueWrite, .devAddr = l.arguments, .value = 1, .stream = l.second);
	both_end(&l);
}

/* Numbers that go elsewhere leave a descriptor as it is. */
static void numbers_beside_a_described_copy(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	char *desc = make_device_memory(SIZE), *a = make_device_memory(SIZE), *b = make_device_memory(SIZE);

	CALL(aclrtMemset, .devPtr = a, .maxCount = SIZE, .count = SIZE);
	CALL(aclrtSetMemcpyDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = a,
		.dstAddr = b, .count = 64);
	numbers_on(first, b, a + 1024);
	if (!bug)
		order(first, second);
	CALL(aclrtMemcpyAsyncWithDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
		.stream = second);
	wait_for(first);
	wait_for(second);
}

static const struct pair pairs[] = {
	PAIRS_OF("vmm-use-unmapped", unmapped),
	PAIRS_OF("vmm-noaccess-used", closed),
	PAIRS_OF("alloc-result-unchecked", refused),
	PAIRS_OF("use-after-free", freed),
	PAIRS_OF("ipc-use-after-close", given_back),
	PAIR("use-after-free", freed_for_peers),
	PAIR("kernel-args-freed", numbers_over_arguments),
	PAIR("kernel-args-freed", status_over_arguments),
	PAIR("kernel-args-freed", word_over_arguments),
	PAIR("stream-race-copy", numbers_beside_a_described_copy),
};

PAIRS_MAIN("memory that is used", pairs)
