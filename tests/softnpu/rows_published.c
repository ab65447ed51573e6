/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of oracle_rows whose answers were read in the published source. */
#include "acl/acl_rt_memory_soma.h"
#include "rows.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void rows_of_nothing_without_more(void)
{
	aclrtStream gone = stream();

	need(aclrtDestroyStream(gone));
	row(aclrtMemcpy2d(NULL, 0, NULL, 0, 0, 4, ACL_MEMCPY_HOST_TO_DEVICE));
	row(aclrtMemcpy2d(NULL, 0, NULL, 0, 4, 0, ACL_MEMCPY_DEVICE_TO_DEVICE));
	row(aclrtMemcpy2dAsync(NULL, 0, NULL, 0, 0, 4, ACL_MEMCPY_DEFAULT, gone));
	row(aclrtMemcpy2d(NULL, 0, NULL, 0, 0, 4, ACL_MEMCPY_HOST_TO_HOST));
}

/* A batch to device memory, from what is given. */
struct batch {
	void *to[2], *from[2];
	size_t bytes[2], first, failed;
	aclrtMemcpyBatchAttr attribute;
};

static void batch(struct batch *b, void *from)
{
	*b = (struct batch){
		.bytes = {64, 64}, .failed = 77, .attribute = {.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	for (int i = 0; i < 2; i++) {
		b->to[i] = device();
		b->from[i] = from;
	}
}

static void *pinned(void)
{
	void *p = NULL;

	need(aclrtMallocHost(&p, 64));
	return p;
}

static void batch_now(struct batch *b, size_t attributes)
{
	row(aclrtMemcpyBatch(
		b->to, b->bytes, b->from, b->bytes, 2, &b->attribute, &b->first, attributes, &b->failed));
	row((long)b->failed);
}

static void batch_later(struct batch *b, aclrtStream s)
{
	row(aclrtMemcpyBatchAsync(
		b->to, b->bytes, b->from, b->bytes, 2, &b->attribute, &b->first, 1, &b->failed, s));
	row((long)b->failed);
}

static void batch_of_nothing(void)
{
	struct batch b;

	batch(&b, pinned());
	b.bytes[0] = b.bytes[1] = 0;
	batch_now(&b, 0);
}

static void batches_of_nothing_without_more(void)
{
	size_t none[2] = {0, 0}, failed = 77;
	aclrtStream gone = stream();

	need(aclrtDestroyStream(gone));
	row(aclrtMemcpyBatch(NULL, NULL, NULL, none, 2, NULL, NULL, 0, &failed));
	row((long)failed);
	row(aclrtMemcpyBatchAsync(NULL, NULL, NULL, none, 2, NULL, NULL, 0, &failed, gone));
	row(aclrtMemcpyBatchV2(NULL, NULL, NULL, none, 2, NULL, NULL, 0));
	row(aclrtMemcpyBatchAsyncV2(NULL, NULL, NULL, none, 2, NULL, NULL, 0, gone));
	row(aclrtMemcpyBatch(NULL, NULL, NULL, none, 0, NULL, NULL, 0, &failed));
	row(aclrtMemcpyBatch(NULL, NULL, NULL, none, 2, NULL, NULL, 0, NULL));
}

static void batch_index_of_outer_refusals(void)
{
	size_t little[] = {64, 16};
	struct batch b;

	batch(&b, pinned());
	row(aclrtMemcpyBatch(b.to, little, b.from, b.bytes, 2, &b.attribute, &b.first, 0, &b.failed));
	row((long)b.failed);
	b.attribute.rsv[0] = 1;
	batch_now(&b, 1);
}

static void batch_index_of_entries(void)
{
	struct batch b;

	batch(&b, pinned());
	b.bytes[1] = 0;
	batch_later(&b, stream());
	b.bytes[1] = 64;
	b.from[1] = NULL;
	batch_later(&b, stream());
	b.from[1] = b.to[0];
	batch_later(&b, stream());
	b.attribute.srcLoc.type = (aclrtMemLocationType)77;
	batch_later(&b, stream());
	b.first = 1;
	batch_later(&b, stream());
}

static void batch_on_dead_stream(void)
{
	aclrtStream gone = stream();
	struct batch b;

	need(aclrtDestroyStream(gone));
	batch(&b, pinned());
	b.first = 1;
	batch_later(&b, gone);
}

static void batch_of_pageable_memory(void)
{
	static char mine[64];
	struct batch b;

	batch(&b, mine);
	batch_later(&b, stream());
}

static void memory_usage_of_nothing(void)
{
	aclrtMemUsageInfo usage;
	size_t found = 7;

	row(aclrtGetMemUsageInfo(0, &usage, 0, &found));
	row((long)found);
	found = 7;
	row(aclrtGetMemUsageInfo(99, &usage, 1, &found));
	row((long)found);
}

static void *configured(void *attribute)
{
	aclrtMallocConfig one = {attribute, 1}, none = {attribute, 0}, missing = {NULL, 0};
	void *p;

	row(aclrtMallocHostWithCfg(&p, 64, &one));
	row(aclrtMallocHostWithCfg(&p, 64, &none));
	row(aclrtMallocHostWithCfg(&p, 64, &missing));
	row(aclrtMallocWithCfg(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST, &one));
	row(aclrtMallocWithCfg(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST, &none));
	row(aclrtMallocWithCfg(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST, &missing));
	return NULL;
}

static void allocations_for_device(void)
{
	aclrtMallocAttribute attribute = {.attr = ACL_RT_MEM_ATTR_DEVICE_ID};

	configured(&attribute);
	in_thread(configured, &attribute);
}

static void allocations_by_address_flag(void)
{
	aclrtMallocAttribute attribute = {.attr = ACL_RT_MEM_ATTR_VA_FLAG};

	configured(&attribute);
}

static void limits_of_devices(void)
{
	const aclrtDevResLimitType unknown = (aclrtDevResLimitType)9;

	row(aclrtSetDeviceResLimit(-1, unknown, 1));
	row(aclrtSetDeviceResLimit(99, unknown, 1));
	row(aclrtSetDeviceResLimit(99, ACL_RT_DEV_RES_CUBE_CORE, 9999));
	row(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 9999));
}

static void *limits_elsewhere(void *s)
{
	uint32_t cores;

	row(aclrtSetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, 2));
	row(aclrtGetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, &cores));
	row(cores);
	row(aclrtUseStreamResInCurrentThread(s));
	row(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &cores));
	row(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &cores));
	row(aclrtUnuseStreamResInCurrentThread(s));
	row(aclrtResetStreamResLimit(s));
	row(aclrtSetStreamResLimit(NULL, ACL_RT_DEV_RES_CUBE_CORE, 2));
	row(aclrtUseStreamResInCurrentThread(NULL));
	return NULL;
}

static void limits_of_streams_without_device(void)
{
	in_thread(limits_elsewhere, stream());
}

static void limits_of_dead_stream(void)
{
	aclrtStream gone = stream();

	need(aclrtDestroyStream(gone));
	row(aclrtSetStreamResLimit(gone, (aclrtDevResLimitType)9, 2));
	row(aclrtResetStreamResLimit(gone));
}

static void options_of_process(void)
{
	int64_t value = 9;

	row(aclrtSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 1));
	row(aclrtGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value));
	need(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	row(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	row(value);
}

static void limit(aclrtDeviceLimit which, size_t wanted)
{
	size_t value = 7;

	row(aclrtDeviceSetLimit(which, wanted));
	row(aclrtDeviceGetLimit(which, &value));
	row((long)value);
}

static void limits_of_process(void)
{
	limit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 256);
	limit(ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE, 2 << 20);
	limit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 16384);
	limit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 40000);
	limit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 512);
	limit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 65536);
	limit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, (64u << 20) + 1);
}

static void events_reset_elsewhere(void)
{
	aclrtEvent ex = event_ex(ACL_EVENT_SYNC), shared = event_ex(ACL_EVENT_IPC);
	aclrtStream s = stream();
	aclrtContext other;

	need(aclrtCreateContext(&other, 0));
	row(aclrtResetEvent(ex, s));
	row(aclrtResetEvent(shared, s));
	row(aclrtResetEvent(event(ACL_EVENT_SYNC), s));
}

static void *give(aclrtAllocator object, size_t size)
{
	(void)object, (void)size;
	return NULL;
}

static void take(aclrtAllocator object, aclrtAllocatorBlock block)
{
	(void)object, (void)block;
}

static void *where(aclrtAllocatorBlock block)
{
	return block;
}

static void *allocator_elsewhere(void *s)
{
	aclrtAllocatorDesc d = aclrtAllocatorCreateDesc(), found = NULL;
	aclrtAllocator object = NULL;
	int mine;

	row(aclrtAllocatorRegister(s, d));
	need(aclrtAllocatorSetObjToDesc(d, &mine));
	need(aclrtAllocatorSetAllocFuncToDesc(d, give));
	need(aclrtAllocatorSetFreeFuncToDesc(d, take));
	need(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(d, where));
	row(aclrtAllocatorUnregister(s));
	row(aclrtAllocatorGetByStream(s, &found, &object, NULL, NULL, NULL, NULL));
	row(aclrtAllocatorRegister(s, d));
	need(aclrtAllocatorDestroyDesc(d));
	row(aclrtAllocatorGetByStream(s, &found, &object, NULL, NULL, NULL, NULL));
	row(found == d && object == &mine);
	row(aclrtAllocatorUnregister(s));
	row(aclrtAllocatorGetByStream(s, &found, NULL, NULL, NULL, NULL, NULL));
	return NULL;
}

static void allocator_of_dead_stream(void)
{
	aclrtStream gone = stream();

	need(aclrtDestroyStream(gone));
	in_thread(allocator_elsewhere, gone);
}

static void taken_by(aclrtStream s, aclrtAllocatorFreeFunc fn)
{
	aclrtAllocatorFreeFunc found = NULL;
	aclrtAllocatorDesc d;

	row(aclrtAllocatorGetByStream(s, &d, NULL, NULL, &found, NULL, NULL));
	row(found == fn);
}

/* It is registered as it is then. */
static void allocator_changed_later(void)
{
	aclrtAllocatorFreeFunc other = (aclrtAllocatorFreeFunc)(uintptr_t)64;
	aclrtAllocatorDesc d = aclrtAllocatorCreateDesc();
	aclrtStream s = stream();

	need(aclrtAllocatorSetObjToDesc(d, &s));
	need(aclrtAllocatorSetAllocFuncToDesc(d, give));
	need(aclrtAllocatorSetFreeFuncToDesc(d, take));
	need(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(d, where));
	row(aclrtAllocatorRegister(s, d));
	row(aclrtAllocatorSetFreeFuncToDesc(d, other));
	taken_by(s, take);
	row(aclrtAllocatorRegister(s, d));
	taken_by(s, other);
}

static int callbacks_run;

static aclError fail_at_init(const char *config, size_t bytes, void *data)
{
	callbacks_run = callbacks_run * 10 + (config && !bytes && data ? 1 : 9);
	return 4711;
}

static aclError run_at_end(void *data)
{
	callbacks_run = callbacks_run * 10 + 2;
	return data ? 4712 : 0;
}

static void callbacks_of_modules(void)
{
	row(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, at_init, NULL));
	row(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, fail_at_init, NULL));
	row(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, fail_at_init));
	row(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, at_init));
	row(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, run_at_end));
	need(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, run_at_end, NULL));
	need(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, run_at_end, NULL));
	need(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_TDT_QUEUE, run_at_end, NULL));
	row(aclFinalize());
	row(callbacks_run);
}

static void callbacks_that_fail(void)
{
	int data;
	uint64_t left = 7;

	need(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_MODEL, run_at_end, &data));
	row(aclFinalizeReference(&left));
	row((long)left);
	row(aclFinalize());
	need(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, run_at_end));
	row(aclFinalize());
	need(aclInitCallbackRegister(ACL_REG_TYPE_ACL_OP_EXECUTOR, fail_at_init, &data));
	row(aclInit(NULL));
	need(aclFinalize());
	need(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, fail_at_init, &data));
	row(aclInit(NULL));
	row(aclFinalizeReference(&left));
	row((long)left);
	row(callbacks_run);
}

static void *places(void *two)
{
	void **place = two;

	row(aclrtCtxGetFloatOverflowAddr(&place[0]));
	row(aclrtGetHardwareSyncAddr(&place[1]));
	row(place[0] && place[1]);
	return NULL;
}

static void places_of_devices(void)
{
	void *two[2] = {NULL};

	in_thread(places, two);
	places(two);
}

static void atomic_capabilities(void)
{
	aclrtAtomicOperation operations[] = {
		ACL_RT_ATOMIC_OPERATION_INTEGER_ADD, ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH};
	uint32_t can[] = {7, 7};

	row(aclrtDeviceGetHostAtomicCapabilities(can, operations, 2, 0));
	row(can[0]);
	row(can[1]);
}

static void empty_binary(void)
{
	aclrtBinary binary = aclrtCreateBinary("", 0);
	aclrtBinHandle loaded;

	row(binary != NULL);
	row(aclrtBinaryLoad(binary, &loaded));
	row(aclrtDestroyBinary(binary));
}

static void *saturation(void *mode)
{
	aclrtFloatOverflowMode now = (aclrtFloatOverflowMode)7;

	if (mode)
		row(aclrtSetDeviceSatMode(*(aclrtFloatOverflowMode *)mode));
	row(aclrtGetDeviceSatMode(&now));
	row(now);
	return NULL;
}

static void saturation_without_device(void)
{
	aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_SATURATION;

	in_thread(saturation, &mode);
	saturation(NULL);
}

/* One function below the interface clears for both. */
static void overflow_without_device(void)
{
	void *place = device();

	need(aclrtResetDevice(0));
	row(aclrtResetOverflowStatus(NULL));
	row(aclrtResetFloatOverflowStatus(NULL));
	row(aclrtGetOverflowStatus(place, 64, NULL));
	row(aclrtGetFloatOverflowStatus(place, 64, NULL));
}

static void sizes_of_odd_types(void)
{
	row((long)aclDataTypeSize(ACL_INT4));
	row((long)aclDataTypeSize(ACL_UINT1));
	row((long)aclDataTypeSize(ACL_FLOAT6_E3M2));
	row((long)aclDataTypeSize((aclDataType)99));
	row((long)aclDataTypeSize(ACL_DT_UNDEFINED));
}

static void attribute_of_shared_memory(void)
{
	row(aclrtIpcMemSetAttr(
		"unknown", ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO));
}

static void key_of_dead_notify(void)
{
	char key[128];
	aclrtNotify n;

	need(aclrtCreateNotify(&n, 0));
	need(aclrtDestroyNotify(n));
	row(aclrtNotifyGetExportKey(n, key, 0, 9));
}

/* --- two faults in one call: which is noticed -------------------------------------------- */

static void faults_beside_dead_objects(void)
{
	aclmdlRI m = model();
	aclrtStream s = stream();
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	aclmdlRICondTaskParams params = {.size = 0};
	aclmdlRICondHandle handle;

	need(aclmdlRIDestroy(m));
	need(aclrtDestroyStream(s));
	need(aclrtDestroyEvent(e));
	row(aclmdlRICaptureBegin(s, (aclmdlRICaptureMode)9));
	row(aclmdlRIExecute(m, 0));
	row(aclmdlRICondHandleCreate(m, 0, (aclmdlRICondHandleFlag)9, &handle));
	row(aclmdlRIAddCondTask(params, s, 1));
	row(aclrtSynchronizeEventWithTimeout(e, 0));
	row(aclrtSynchronizeEventWithTimeout(e, -2));
}

/* Calls with a destroyed stream that have another fault as well: the outer layer's are noticed first. */
static void copies_to_dead_stream(void)
{
	aclrtStream gone = stream();
	char *to = device(), *from = pinned();

	need(aclrtDestroyStream(gone));
	row(aclrtMemcpyAsync(to, 16, from, 64, ACL_MEMCPY_HOST_TO_DEVICE, gone));
	row(aclrtMemcpyAsync(NULL, 16, from, 64, ACL_MEMCPY_HOST_TO_DEVICE, gone));
	row(aclrtMemcpyAsync(to, 16, from, 64, (aclrtMemcpyKind)9, gone));
	row(aclrtMemcpyAsyncWithCondition(to, 16, from, 64, ACL_MEMCPY_HOST_TO_DEVICE, gone));
	row(aclrtMemsetAsync(to, 16, 0, 64, gone));
	row(aclrtMemcpy2dAsync(to, 8, from, 8, 8, 6000000, ACL_MEMCPY_HOST_TO_DEVICE, gone));
	row(aclrtReduceAsync(to, from, 0, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, gone, NULL));
	row(aclrtReduceAsync(to + 1, from, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, gone, NULL));
	row(aclrtValueWrite(to, 1, 9, gone));
	row(aclrtValueWait(to, 1, 9, gone));
}

static void offsets_to_dead_stream(void)
{
	aclrtStream gone = stream();
	void *to = device();
	const void *from = to;

	need(aclrtDestroyStream(gone));
	row(aclrtMemcpyAsyncWithOffset(&to, 4096, 0, &from, 64, 0, ACL_MEMCPY_HOST_TO_DEVICE, gone));
	row(aclrtMemcpyAsyncWithOffset(NULL, 4096, 0, &from, 64, 0, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, gone));
	row(aclrtMemcpyAsyncWithOffset(NULL, 0, 0, NULL, 0, 0, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, gone));
}

/* What is copied and from where is looked at first, whose stream it is only where something is queued. */
static void copies_on_other_contexts_stream(void)
{
	static char mine[64];
	aclrtStream there = stream();
	char *to = device(), *other = device(), *from = pinned(), *beside = pinned();
	aclrtContext here;

	need(aclrtCreateContext(&here, 0));
	row(aclrtMemcpyAsync(beside, 64, from, 64, ACL_MEMCPY_HOST_TO_HOST, there));
	row(aclrtMemcpyAsync(to, 64, to, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, there));
	row(aclrtMemcpyAsync(to, 64, mine, 64, ACL_MEMCPY_DEVICE_TO_HOST, there));
	row(aclrtMemcpyAsync(to, 64, mine, 64, ACL_MEMCPY_HOST_TO_DEVICE, there));
	row(aclrtMemcpyAsync(to, 64, other, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, there));
	row(aclrtMemcpy2dAsync(beside, 8, from, 8, 8, 2, ACL_MEMCPY_HOST_TO_DEVICE, there));
	row(aclrtMemcpy2dAsync(to, 8, mine, 8, 8, 2, ACL_MEMCPY_HOST_TO_DEVICE, there));
	row(aclrtMemcpy2dAsync(to, 8, from, 8, 8, 2, ACL_MEMCPY_HOST_TO_DEVICE, there));
}

static void *copy_here(void *from)
{
	char here[64] = "";

	row(aclrtMemcpy(here, 64, here, 64, ACL_MEMCPY_HOST_TO_HOST));
	row(aclrtMemcpy(here, 64, from, 64, ACL_MEMCPY_HOST_TO_HOST));
	row(aclrtMemcpyAsync(from, 64, from, 64, ACL_MEMCPY_HOST_TO_HOST, NULL));
	return NULL;
}

static void copies_without_device(void)
{
	in_thread(copy_here, pinned());
}

/* The outer layer hands them on as 32 bits. */
static void lengths_of_33_bits(void)
{
	const size_t wraps = (size_t)1 << 32;
	int32_t pid = 1;
	char key[128];
	aclrtNotify n;

	need(aclrtCreateNotify(&n, 0));
	row(aclrtIpcMemGetExportKey(device(), 64, key, wraps, 0));
	row(aclrtNotifyGetExportKey(n, key, wraps, 0));
	row(aclrtNotifySetImportPid(n, &pid, wraps));
	row(aclrtNotifySetImportPid(n, &pid, wraps / 2));
	row(aclrtIpcMemSetImportPid("unknown", &pid, wraps));
	row(aclrtIpcMemSetImportPid("unknown", &pid, SIZE_MAX));
}

static void launched(void *data)
{
	(void)data;
}

static void work_for_dead_stream(void)
{
	aclrtStream gone = stream(), live = stream();
	aclrtEvent e = event(ACL_EVENT_SYNC);
	char *place = device();
	uint32_t tasks;

	need(aclrtDestroyStream(gone));
	row(aclrtLaunchCallback(NULL, NULL, (aclrtCallbackBlockType)9, gone));
	row(aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, gone));
	row(aclrtLaunchHostFunc(gone, NULL, NULL));
	row(aclrtLaunchHostFunc(gone, launched, NULL));
	row(aclrtGetOverflowStatus(place, 8, gone));
	row(aclrtGetFloatOverflowStatus(NULL, 64, gone));
	row(aclrtNpuGetFloatOverFlowStatus(place, 8, 0, gone));
	row(aclrtSwitchStream(place, (aclrtCondition)9, place, ACL_RT_SWITCH_INT32, gone, NULL, live));
	row(aclrtSwitchStream(place, (aclrtCondition)9, place, ACL_RT_SWITCH_INT32, live, NULL, gone));
	row(aclrtStreamWaitEventWithTimeout(gone, NULL, 1));
	row(aclrtStreamWaitEventWithTimeout(gone, e, -1));
	row(aclmdlRIGetTasksByStream(gone, NULL, NULL));
	row(aclmdlRIGetTasksByStream(NULL, NULL, &tasks));
}

static void questions_to_dead_model(void)
{
	aclmdlRI m = model();
	char name[8];

	need(aclmdlRIDestroy(m));
	row(aclmdlRIGetName(m, 0, NULL));
	row(aclmdlRIGetName(m, 0, name));
	row(aclmdlRIGetStreams(m, NULL, NULL));
	row(aclmdlRIDestroyRegisterCallback(m, NULL, NULL));
	row(aclmdlRIDestroyUnregisterCallback(m, NULL));
	row(aclmdlRIDebugJsonPrint(m, "model.json", 99));
	row(aclmdlRICaptureToModelRIBegin(stream(), m, (aclmdlRICaptureMode)9));
}

static void processes_of_dead_notify(void)
{
	int32_t pid = 1;
	aclrtServerPid server = {.pid = &pid, .num = 1}, empty = {.num = 1}, two = {.pid = &pid, .num = 2};
	aclrtNotify n, live;

	need(aclrtCreateNotify(&live, 0));
	need(aclrtCreateNotify(&n, 0));
	need(aclrtDestroyNotify(n));
	row(aclrtNotifySetImportPid(n, &pid, 0));
	row(aclrtNotifySetImportPidInterServer(n, &server, 0));
	row(aclrtNotifySetImportPidInterServer(n, &server, 1));
	row(aclrtNotifySetImportPidInterServer(n, &empty, 1));
	row(aclrtNotifySetImportPidInterServer(live, &two, 1));
	row(aclrtNotifyBatchReset(&live, (size_t)1 << 32));
}

static void prefetches(void)
{
	aclrtMemManagedLocation to = {.type = ACL_MEM_LOCATIONTYPE_DEVICE, .id = 0}, nowhere = {.id = 0};
	aclrtMemManagedRangeAttribute attributes[] = {
		ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, (aclrtMemManagedRangeAttribute)99};
	size_t bytes = 64, first = 0, sizes[] = {4, 4};
	const void *at, *null = NULL;
	int32_t values[2] = {7, 7};
	void *into[] = {&values[0], &values[1]}, *managed;

	need(aclrtMemAllocManaged(&managed, 4096, ACL_RT_MEM_ATTACH_GLOBAL));
	at = managed;
	row(aclrtMemManagedPrefetchAsync(managed, 64, nowhere, 0, NULL));
	row(aclrtMemManagedPrefetchBatchAsync(&at, &bytes, 1, &nowhere, &first, 1, 0, NULL));
	row(aclrtMemManagedPrefetchBatchAsync(&null, &bytes, 1, &to, &first, 1, 0, NULL));
	row(aclrtMemManagedPrefetchBatchAsync(&at, &bytes, 1, &to, &first, 1, 0, NULL));
	row(aclrtMemManagedGetAttrs(attributes, 2, managed, 4096, into, sizes));
	row(values[0]);
}

/* The pool has its memory back before the stream gets there. */
static void pool_block_freed_twice(void)
{
	aclrtMemPoolProps props = {
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}, .maxSize = (size_t)4 << 20};
	aclrtStream held = stream(), other = stream();
	aclrtMemPool pool;
	aclrtNotify n;
	uint64_t used = 77;
	void *p;

	need(aclrtMemPoolCreate(&pool, &props));
	need(aclrtMemPoolMallocAsync(&p, props.maxSize, pool, held));
	need(aclrtCreateNotify(&n, 0));
	need(aclrtWaitAndResetNotify(n, held, 0));
	row(aclrtMemPoolFreeAsync(p, held));
	row(aclrtMemPoolFreeAsync(p, held));
	row(aclrtMemPoolFreeAsync(p, other));
	row(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used));
	row((long)used);
	row(aclrtMemPoolMallocAsync(&p, props.maxSize, pool, held));
	need(aclrtRecordNotify(n, other));
	need(aclrtSynchronizeStream(held));
	row(aclrtMemPoolFreeAsync(p, held));
	need(aclrtSynchronizeStream(held));
}

static void *keys_here(void *unused)
{
	aclrtIpcEventHandle handle = {.reserved = ""};
	aclrtNotify n;
	aclrtEvent e;

	row(aclrtNotifyImportByKey(&n, "nothing", 0));
	row(aclrtIpcOpenEventHandle(handle, &e));
	return unused;
}

static void keys_without_device(void)
{
	in_thread(keys_here, NULL);
}

static void repairs(void)
{
	aclrtErrorInfo error = {.tryRepair = 0, .errorType = ACL_RT_ERROR_OTHERS};

	row(aclrtRepairError(1, &error));
	error.tryRepair = 1;
	row(aclrtRepairError(1, &error));
	row(aclrtRepairError(0, &error));
	error.errorType = ACL_RT_NO_ERROR;
	row(aclrtRepairError(1, &error));
	row(aclrtRepairError(0, &error));
}

static void *cache_here(void *unused)
{
	row(aclrtCacheLastTaskOpInfo("info", 4));
	row(aclrtCacheLastTaskExtendInfo("{}", 2));
	return unused;
}

static void information_of_last_task(void)
{
	aclrtStream s = stream();
	aclrtContext other;
	void *d = device();

	in_thread(cache_here, NULL);
	need(aclrtMemsetAsync(d, 64, 0, 64, s));
	cache_here(NULL);
	need(aclrtCreateContext(&other, 0));
	cache_here(NULL);
}

static void work_on_other_contexts_stream(void)
{
	aclrtStream there = stream();
	void *d = device();
	aclrtContext here;

	need(aclrtCreateContext(&here, 0));
	row(aclrtCmoAsync(d, 64, ACL_RT_CMO_TYPE_PREFETCH, there));
	row(aclrtResetOverflowStatus(there));
	row(aclrtSetStreamOverflowSwitch(there, 1));
	row(aclrtStreamAbort(there));
}

static void capture_end_on_joined_stream(void)
{
	aclrtStream s = capturing(), joined = stream();
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	aclmdlRI m = (aclmdlRI)&s;

	need(aclrtRecordEvent(e, s));
	need(aclrtStreamWaitEvent(joined, e));
	row(aclmdlRICaptureEnd(joined, &m));
	row(m == NULL);
	row(aclmdlRICaptureEnd(s, &m));
}

static void host_mapping_of_bad_device(void)
{
	aclrtHostMemMapCapability found;

	row(aclrtHostMemMapCapabilities(99, (aclrtHacType)99, &found));
	row(aclrtHostMemMapCapabilities(0, (aclrtHacType)99, &found));
}

const struct row rows_published[] = {ROW(rows_of_nothing_without_more), ROW(batch_of_nothing),
	ROW(batches_of_nothing_without_more), ROW(batch_index_of_outer_refusals), ROW(batch_index_of_entries),
	ROW(batch_on_dead_stream), ROW(batch_of_pageable_memory), ROW(memory_usage_of_nothing),
	ROW(allocations_for_device), ROW(allocations_by_address_flag), ROW(limits_of_devices),
	ROW(limits_of_streams_without_device), ROW(limits_of_dead_stream), ROW(options_of_process),
	ROW(limits_of_process), ROW(events_reset_elsewhere), ROW(allocator_of_dead_stream),
	ROW(allocator_changed_later), ROW(callbacks_of_modules), ROW(callbacks_that_fail),
	ROW(places_of_devices), ROW(atomic_capabilities), ROW(empty_binary), ROW(saturation_without_device),
	ROW(overflow_without_device), ROW(sizes_of_odd_types), ROW(attribute_of_shared_memory),
	ROW(key_of_dead_notify), ROW(faults_beside_dead_objects), ROW(capture_end_on_joined_stream),
	ROW(host_mapping_of_bad_device), ROW(copies_to_dead_stream), ROW(offsets_to_dead_stream),
	ROW(work_for_dead_stream), ROW(questions_to_dead_model), ROW(processes_of_dead_notify),
	ROW(prefetches), ROW(copies_on_other_contexts_stream), ROW(copies_without_device),
	ROW(lengths_of_33_bits), ROW(pool_block_freed_twice), ROW(keys_without_device), ROW(repairs),
	ROW(information_of_last_task), ROW(work_on_other_contexts_stream), {NULL, NULL}};
