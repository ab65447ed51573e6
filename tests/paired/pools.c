/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about memory pools, allocators of the program's own, and shared buffers. */
#include "paired.h"

#define MIB (1u << 20)

/* --- pools ---------------------------------------------------------------------------- */

static aclrtMemPool make_pool(size_t limit)
{
	aclrtMemPoolProps props = {.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}, .maxSize = limit};
	aclrtMemPool pool = NULL;

	CALL_DOES(aclrtMemPoolCreate, 0, pool = make_address(), .memPool = &pool, .poolProps = &props);
	return pool;
}

static void *take(aclrtMemPool pool, size_t bytes, aclrtStream s)
{
	void *p = NULL;

	CALL_DOES(aclrtMemPoolMallocAsync, 0, p = make_range(bytes, true), .ptr = &p, .size = bytes,
		.memPool = pool, .stream = s);
	return p;
}

/* A copy by descriptor stays inside a device: memory of a pool is the device's, too. */
static void descriptor_across_pools(void)
{
	void *desc = make_device_memory(4096), *here = take(make_pool(0), MIB, make_stream()), *there;

	if (bug)
		CALL(aclrtSetDevice, .deviceId = 1);
	there = take(make_pool(0), MIB, make_stream());
	if (bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	CALL_FAILS(bug ? 107000 : 0, aclrtSetMemcpyDesc, .desc = desc,
		.kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = here, .dstAddr = there, .count = 64);
}

static void freed_into_no_pool(void)
{
	aclrtStream s = make_stream();
	void *d = bug ? make_device_memory(MIB) : take(make_pool(0), MIB, s);

	CALL(aclrtMemPoolFreeAsync, .ptr = d, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void pool_larger_than_device(void)
{
	aclrtMemPoolProps props = {.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtMemPool pool = NULL;
	size_t left = 0, total = 0;

	CALL_DOES(aclrtGetMemInfo, 0, total = (size_t)64 << 30;
		  left = total, .attr = ACL_HBM_MEM, .free = &left, .total = &total);
	props.maxSize = total + bug;
	CALL_DOES(aclrtMemPoolCreate, bug ? 107000 : 0, if (!bug) pool = make_address(), .memPool = &pool,
		.poolProps = &props);
	if (!bug)
		CALL(aclrtMemPoolDestroy, .memPool = pool);
}

static void set_attribute(aclrtMemPool pool, aclrtMemPoolAttr attr, uint64_t value)
{
	CALL_FAILS(bug ? 507000 : 0, aclrtMemPoolSetAttr, .memPool = pool, .attr = attr, .value = &value);
}

static void pool_mark_raised(void)
{
	set_attribute(make_pool(0), ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, bug);
}

static void pool_reserve_mark_raised(void)
{
	set_attribute(make_pool(0), ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, bug ? 4096 : 0);
}

static void pool_threshold_too_large(void)
{
	set_attribute(make_pool(4 * MIB), ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 4 * MIB + bug);
}

static void pool_in_use(void)
{
	aclrtMemPool pool = make_pool(0);
	aclrtStream s = make_stream();
	void *p = take(pool, MIB, s);

	if (!bug) {
		CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
		CALL(aclrtSynchronizeStream, .stream = s);
	}
	CALL(aclrtMemPoolDestroy, .memPool = pool);
}

static void pool_not_waited_for(void)
{
	aclrtMemPool pool = make_pool(0);
	aclrtStream s = make_stream();
	void *p = take(pool, MIB, s);

	if (bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemPoolDestroy, .memPool = pool);
}

/* The host function behind the release has run, and may have woken the thread that destroys the pool. */
static void pool_waited_for_by_host_function(void)
{
	aclrtMemPool pool = make_pool(0);
	aclrtStream s = make_stream();
	void *p = take(pool, MIB, s);

	if (bug)
		CALL(aclrtLaunchHostFunc, .stream = s, .fn = HANDLE);
	CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
	if (!bug) {
		CALL(aclrtLaunchHostFunc, .stream = s, .fn = HANDLE);
		pair_launched_begins();
	}
	callback_ran();
	CALL(aclrtMemPoolDestroy, .memPool = pool);
}

/* The pool takes its memory along. */
static void pool_memory_outlives_pool(void)
{
	aclrtMemPool pool = make_pool(0);
	aclrtStream s = make_stream();
	void *p = take(pool, MIB, s);

	if (bug)
		CALL(aclrtMemPoolDestroy, .memPool = pool);
	CALL(aclrtMemsetAsync, .devPtr = p, .maxCount = 64, .count = 64, .stream = s);
	if (!bug) {
		CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
		CALL(aclrtSynchronizeStream, .stream = s);
		CALL(aclrtMemPoolDestroy, .memPool = pool);
	}
}

/* A release that failed released nothing; what another pool holds does not matter. */
static void pool_release_failed(void)
{
	aclrtMemPool pool = make_pool(0), other = make_pool(0);
	aclrtStream s = make_stream();
	void *p = take(pool, MIB, s);

	take(other, MIB, s);
	CALL_FAILS(bug ? 107000 : 0, aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemPoolDestroy, .memPool = pool);
}

/* What was refused has put nothing on its stream. */
static void pool_release_repeated(void)
{
	aclrtMemPool pool = make_pool(0);
	aclrtStream s = make_stream(), other = make_stream();
	void *p = take(pool, MIB, s);

	CALL(aclrtSynchronizeStream, .stream = s);
	CALL_FAILS(107000, aclrtMemPoolFreeAsync, .ptr = p, .stream = other);
	CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemPoolDestroy, .memPool = pool);
}

static void pool_small(void)
{
	aclrtMemPool pool = make_pool(0);
	aclrtStream s = make_stream();

	for (unsigned i = 0; i < 40; i++)
		take(pool, bug ? 512 : MIB, s);
}

/* The same sizes one after the other need the room once. */
static void pool_small_in_turn(void)
{
	aclrtMemPool pool = make_pool(0);
	aclrtStream s = make_stream();

	for (unsigned i = 0; i < 40; i++) {
		void *p = take(pool, 512, s);

		if (!bug && i > 4)
			CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
	}
}

static void pool_trim_beyond(void)
{
	aclrtMemPool pool = make_pool(8 * MIB);

	CALL_FAILS(bug ? 507000 : 0, aclrtMemPoolTrimTo, .memPool = pool,
		.minBytesToKeep = bug ? 16 * MIB : 8 * MIB);
}

static void pool_trim_used(void)
{
	aclrtMemPool pool = make_pool(64 * MIB);
	aclrtStream s = make_stream();
	void *p = take(pool, 4 * MIB, s);

	take(pool, 2 * MIB, s);
	CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL_FAILS(
		bug ? 507000 : 0, aclrtMemPoolTrimTo, .memPool = pool, .minBytesToKeep = bug ? 0 : 2 * MIB);
}

/* --- allocators ------------------------------------------------------------------------- */

static char my_allocator[8];
static int function;
#define FUNCTION ((void *)&function)

static aclrtAllocatorDesc make_desc(bool complete)
{
	aclrtAllocatorDesc d;
	struct acl_args_aclrtAllocatorCreateDesc args = {0};
	struct acl_call_record ev;

	if (pair_enter(&ev, ACL_API_aclrtAllocatorCreateDesc, &args, __LINE__))
		ev.result.p = make_address();
	d = (aclrtAllocatorDesc)(uintptr_t)ev.result.p;
	pair_leave(&ev, (int64_t)(uintptr_t)d);
	CALL(aclrtAllocatorSetObjToDesc, .allocatorDesc = d, .allocator = my_allocator);
	CALL(aclrtAllocatorSetAllocFuncToDesc, .allocatorDesc = d, .func = FUNCTION);
	if (complete)
		CALL(aclrtAllocatorSetFreeFuncToDesc, .allocatorDesc = d, .func = FUNCTION);
	CALL(aclrtAllocatorSetGetAddrFromBlockFuncToDesc, .allocatorDesc = d, .func = FUNCTION);
	return d;
}

static void desc_incomplete(void)
{
	aclrtStream s = make_stream();
	aclrtAllocatorDesc d = make_desc(!bug);

	CALL_FAILS(bug ? 100000 : 0, aclrtAllocatorRegister, .stream = s, .allocatorDesc = d);
	CALL(aclrtAllocatorUnregister, .stream = s);
	CALL(aclrtAllocatorDestroyDesc, .allocatorDesc = d);
}

static void desc_destroyed_twice(void)
{
	aclrtAllocatorDesc d = make_desc(true);

	CALL(aclrtAllocatorDestroyDesc, .allocatorDesc = d);
	if (bug)
		CALL(aclrtAllocatorDestroyDesc, .allocatorDesc = d);
}

/* What is registered is a copy. */
static void desc_used_late(void)
{
	aclrtStream s = make_stream();
	aclrtAllocatorDesc d = make_desc(true);

	if (bug)
		CALL(aclrtAllocatorDestroyDesc, .allocatorDesc = d);
	CALL(aclrtAllocatorRegister, .stream = s, .allocatorDesc = d);
	if (!bug)
		CALL(aclrtAllocatorDestroyDesc, .allocatorDesc = d);
	CALL(aclrtAllocatorUnregister, .stream = s);
}

static void desc_left(void)
{
	aclrtAllocatorDesc d = make_desc(true);

	if (!bug)
		CALL(aclrtAllocatorDestroyDesc, .allocatorDesc = d);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize, );
	pair_exit();
}

static aclrtStream with_allocator(void)
{
	aclrtStream s = make_stream();
	aclrtAllocatorDesc d = make_desc(true);

	CALL(aclrtAllocatorRegister, .stream = s, .allocatorDesc = d);
	CALL(aclrtAllocatorDestroyDesc, .allocatorDesc = d);
	return s;
}

static void destroyed_registered(void)
{
	aclrtStream s = with_allocator();

	if (!bug)
		CALL(aclrtAllocatorUnregister, .stream = s);
	CALL(aclrtDestroyStream, .stream = s);
}

static void exit_registered(void)
{
	aclrtStream s = with_allocator();

	if (!bug) {
		CALL(aclrtAllocatorUnregister, .stream = s);
		CALL(aclrtDestroyStream, .stream = s);
	}
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize, );
	pair_exit();
}

static void asked_unregistered(void)
{
	aclrtStream s = with_allocator();

	if (bug)
		CALL(aclrtAllocatorUnregister, .stream = s);
	CALL_FAILS(bug ? 100000 : 0, aclrtAllocatorGetByStream, .stream = s);
	if (!bug)
		CALL(aclrtAllocatorUnregister, .stream = s);
}

static void launch(aclrtStream s)
{
	CALL(aclrtLaunchKernel, .funcHandle = HANDLE, .numBlocks = 1, .argsData = DEVICE, .argsSize = 8,
		.stream = s);
}

static void operate(aclrtStream s)
{
	CALL(aclopExecuteV2, .opType = "Add", .stream = s);
}

/* Launches bring their memory, operators ask the allocator. */
static void two_streams(void)
{
	aclrtStream a = with_allocator(), b = with_allocator();

	if (bug)
		operate(a);
	else
		launch(a);
	operate(b);
}

static void two_streams_after_a_callback(void)
{
	aclrtStream a = with_allocator(), b = with_allocator();

	callback_ran();
	operate(a);
	/* It may tell the program that the operator is done. */
	if (!bug) {
		CALL(aclrtLaunchHostFunc, .stream = a, .fn = HANDLE);
		pair_launched_begins();
	}
	operate(b);
}

static void two_models(void)
{
	aclrtStream a = with_allocator(), b = with_allocator();

	CALL(aclmdlExecuteAsync, .modelId = 1, .input = HANDLE, .output = HANDLE, .stream = a);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = a);
	CALL(aclmdlExecuteAsyncV2, .modelId = 1, .input = HANDLE, .output = HANDLE, .stream = b);
}

/* Each with an allocator of its own. */
static void two_allocators(void)
{
	aclrtStream a = with_allocator(), b = make_stream();
	aclrtAllocatorDesc d = make_desc(true);

	if (!bug)
		CALL(aclrtAllocatorSetObjToDesc, .allocatorDesc = d, .allocator = OTHER);
	CALL(aclrtAllocatorRegister, .stream = b, .allocatorDesc = d);
	operate(a);
	operate(b);
}

/* The work of the one waits for that of the other. */
static void two_streams_in_order(void)
{
	aclrtStream a = with_allocator(), b = with_allocator();
	aclrtEvent e = make_event();

	operate(a);
	if (!bug) {
		CALL(aclrtRecordEvent, .event = e, .stream = a);
		CALL(aclrtStreamWaitEvent, .event = e, .stream = b);
	}
	operate(b);
}

/* --- shared buffers ---------------------------------------------------------------------- */

static aclrtMbuf make_buffer(size_t bytes)
{
	aclrtMbuf b = NULL;

	CALL_DOES(aclrtAllocBuf, 0, b = make_address(), .buf = &b, .size = bytes);
	return b;
}

static void buffer_left(void)
{
	aclrtMbuf b = make_buffer(4096), second = NULL;

	CALL_DOES(aclrtCopyBufRef, 0, second = make_address(), .buf = b, .newBuf = &second);
	CALL(aclrtFreeBuf, .buf = b);
	if (!bug)
		CALL(aclrtFreeBuf, .buf = second);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize, );
	pair_exit();
}

static void buffer_freed_twice(void)
{
	aclrtMbuf b = make_buffer(4096);

	/* A queue may have given the buffer to us again. */
	if (!bug)
		pair_unseen(CHECKS_OTHER_QUEUES);
	CALL(aclrtFreeBuf, .buf = b);
	CALL_FAILS(bug ? 107000 : 0, aclrtFreeBuf, .buf = b);
}

static void buffer_freed_once(void)
{
	aclrtMbuf b = make_buffer(4096);

	CALL(aclrtFreeBuf, .buf = b);
	if (bug)
		CALL_FAILS(107000, aclrtFreeBuf, .buf = b);
}

static void data_too_long(void)
{
	aclrtMbuf b = make_buffer(4000);
	void *data = NULL;
	size_t size = 0;

	CALL_DOES(aclrtGetBufData, 0, size = 4096, .buf = b, .dataPtr = &data, .size = &size);
	CALL(aclrtSetBufDataLen, .buf = b, .len = bug ? size + 1 : size - 1);
	CALL(aclrtFreeBuf, .buf = b);
}

/* The program has not asked for the size; the runtime refuses what it has no room for. */
static void data_too_long_for_request(void)
{
	aclrtMbuf b = make_buffer(4096);

	CALL_FAILS(bug ? 107000 : 0, aclrtSetBufDataLen, .buf = b, .len = bug ? 1u << 20 : 4000);
	/* Rounded up it may have more than was requested. */
	if (!bug)
		CALL(aclrtSetBufDataLen, .buf = make_buffer(64), .len = 80);
	CALL(aclrtFreeBuf, .buf = b);
}

static void chain_too_long(void)
{
	aclrtMbuf head = make_buffer(64);

	for (unsigned i = 0; i < (bug ? 128 : 127); i++)
		CALL_FAILS(
			i == 127 ? 207012 : 0, aclrtAppendBufChain, .headBuf = head, .buf = make_buffer(64));
}

/* What is appended brings the buffers that are behind it. */
static void chains_too_long(void)
{
	aclrtMbuf head = make_buffer(64), other = make_buffer(64);

	for (unsigned i = 1; i < 64; i++) {
		CALL(aclrtAppendBufChain, .headBuf = head, .buf = make_buffer(64));
		CALL(aclrtAppendBufChain, .headBuf = other, .buf = make_buffer(64));
	}
	if (bug)
		CALL(aclrtAppendBufChain, .headBuf = other, .buf = make_buffer(64));
	CALL_FAILS(bug ? 207012 : 0, aclrtAppendBufChain, .headBuf = head, .buf = other);
}

static const struct pair pairs[] = {
	PAIR("pool-free-invalid", freed_into_no_pool),
	PAIR("desc-cross-device", descriptor_across_pools),
	PAIR("pool-create-props", pool_larger_than_device),
	PAIR("pool-attr-invalid", pool_mark_raised),
	PAIR("pool-attr-invalid", pool_reserve_mark_raised),
	PAIR("pool-attr-invalid", pool_threshold_too_large),
	PAIR("pool-destroy-live", pool_in_use),
	PAIR("pool-destroy-live", pool_not_waited_for),
	PAIR("pool-destroy-live", pool_waited_for_by_host_function),
	PAIR("pool-destroy-live", pool_release_failed),
	PAIR("pool-destroy-live", pool_release_repeated),
	PAIR_ALSO("pool-use-after-async-free", pool_memory_outlives_pool, "pool-destroy-live"),
	PAIR("pool-small-allocations", pool_small),
	PAIR("pool-small-allocations", pool_small_in_turn),
	PAIR("pool-trim-range", pool_trim_beyond),
	PAIR("pool-trim-range", pool_trim_used),
	PAIR("allocator-register-args", desc_incomplete),
	PAIR("allocator-desc-lifetime", desc_destroyed_twice),
	PAIR("allocator-desc-lifetime", desc_used_late),
	PAIR("allocator-desc-lifetime", desc_left),
	PAIR("allocator-not-unregistered", destroyed_registered),
	PAIR_ALSO("allocator-not-unregistered", exit_registered, "device-reset-with-live-objects"),
	PAIR("allocator-not-unregistered", asked_unregistered),
	PAIR("allocator-shared-streams", two_streams),
	PAIR("allocator-shared-streams", two_streams_after_a_callback),
	PAIR("allocator-shared-streams", two_allocators),
	PAIR("allocator-shared-streams", two_models),
	PAIR("allocator-shared-streams", two_streams_in_order),
	PAIR("leak-mbuf", buffer_left),
	PAIR("leak-mbuf", buffer_freed_twice),
	PAIR("leak-mbuf", buffer_freed_once),
	PAIR("mbuf-size-and-chain", data_too_long),
	PAIR_AVOIDS("mbuf-size-and-chain", data_too_long_for_request),
	PAIR("mbuf-size-and-chain", chain_too_long),
	PAIR("mbuf-size-and-chain", chains_too_long),
};

PAIRS_MAIN("pools, allocators, shared buffers", pairs)
