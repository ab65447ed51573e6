/* SPDX-License-Identifier: Apache-2.0 */
/* One row of the table beside it (oracle_rows) as calls: rows NAME prints what they return. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_rt_allocator.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED
#define MIB2 ((size_t)2 << 20)

static void row(long code)
{
	printf(" %ld", code);
}

/* What the calls of a row need; a failure of these is none of its answers. */
static void need(aclError code)
{
	if (code) {
		printf(" prepared:%d", code);
		exit(0);
	}
}

static aclrtStream stream(void)
{
	aclrtStream s = NULL;

	need(aclrtCreateStream(&s));
	return s;
}

static aclrtEvent event(uint32_t flag)
{
	aclrtEvent e = NULL;

	need(aclrtCreateEventWithFlag(&e, flag));
	return e;
}

static aclrtEvent event_ex(uint32_t flag)
{
	aclrtEvent e = NULL;

	need(aclrtCreateEventExWithFlag(&e, flag));
	return e;
}

static void *device(void)
{
	void *p = NULL;

	need(aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	return p;
}

static void in_thread(void *(*fn)(void *), void *argument)
{
	pthread_t t;

	need(pthread_create(&t, NULL, fn, argument));
	need(pthread_join(t, NULL));
}

static aclrtStream capturing(void)
{
	aclrtStream s = stream();

	need(aclmdlRICaptureBegin(s, RELAXED));
	return s;
}

static aclmdlRI model(void)
{
	aclrtStream s = capturing();
	aclmdlRI m = NULL;

	need(aclrtMemsetAsync(device(), 64, 0, 64, s));
	need(aclmdlRICaptureEnd(s, &m));
	return m;
}

/* --- captures and events ----------------------------------------------------------------- */

static void captured_event_recorded_outside(void)
{
	aclrtStream s = capturing();
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	aclrtEventRecordedStatus status;
	aclmdlRI m;

	need(aclrtRecordEvent(e, s));
	need(aclrtRecordEvent(e, stream()));
	row(aclrtQueryEventStatus(e, &status));
	row(aclrtSynchronizeEvent(e));
	row(aclrtStreamWaitEvent(s, e));
	row(aclrtStreamWaitEvent(stream(), e));
	row(aclmdlRICaptureEnd(s, &m));
}

static void external_event(void)
{
	aclrtEvent e = event(ACL_EVENT_EXTERNAL);
	aclrtEventRecordedStatus status;
	float ms;

	row(aclrtQueryEventStatus(e, &status));
	row(aclrtSynchronizeEvent(e));
	row(aclrtSynchronizeEventWithTimeout(e, 10));
	row(aclrtEventElapsedTime(&ms, e, e));
}

static void capture_on_persistent_stream(void)
{
	aclrtStream s;

	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	row(aclmdlRICaptureBegin(s, RELAXED));
}

static void times_of_captured_event(void)
{
	aclrtStream s = capturing();
	aclrtEvent e = event_ex(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	uint64_t us;
	float ms;

	need(aclrtRecordEvent(e, s));
	row(aclrtEventElapsedTime(&ms, e, e));
	row(aclrtEventGetTimestamp(e, &us));
}

static void *info(void *s)
{
	aclmdlRICaptureStatus status;
	aclmdlRI m;

	row(aclmdlRICaptureGetInfo(s, &status, &m));
	return NULL;
}

static void capture_info_without_device(void)
{
	in_thread(info, capturing());
}

static void capture_info_in_other_context(void)
{
	aclrtStream s = capturing();
	aclrtContext other;

	need(aclrtCreateContext(&other, 0));
	info(s);
}

static void copy_while_updating_and_capturing(void)
{
	aclrtStream s = capturing(), u = stream();
	void *d = device();
	aclrtTaskGrp g;
	aclmdlRI m;

	need(aclmdlRICaptureTaskGrpBegin(s));
	need(aclmdlRICaptureTaskGrpEnd(s, &g));
	need(aclmdlRICaptureEnd(s, &m));
	need(aclmdlRICaptureTaskUpdateBegin(u, g));
	need(aclmdlRICaptureBegin(u, RELAXED));
	row(aclrtMemcpyAsync(d, 64, (char *)d + 128, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, u));
}

static void reduce_in_capture(void)
{
	char *d = device();

	row(aclrtReduceAsync(d, d + 128, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, capturing(), NULL));
}

static void event_ids(void)
{
	uint32_t id;

	row(aclrtGetEventId(event(ACL_EVENT_SYNC), &id));
	row(aclrtGetEventId(event(ACL_EVENT_TIME_LINE), &id));
	row(aclrtGetEventId(event(ACL_EVENT_CAPTURE_STREAM_PROGRESS), &id));
	row(aclrtGetEventId(event_ex(ACL_EVENT_SYNC), &id));
}

static void event_flag_four(void)
{
	aclrtEvent e;

	row(aclrtCreateEventWithFlag(&e, 0x4));
	row(aclrtCreateEventExWithFlag(&e, 0x4));
}

static void timestamp_of_sync_event(void)
{
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = stream();
	uint64_t us;

	need(aclrtRecordEvent(e, s));
	need(aclrtSynchronizeStream(s));
	row(aclrtEventGetTimestamp(e, &us));
}

static void wait_with_timeout_for_null(void)
{
	row(aclrtStreamWaitEventWithTimeout(stream(), NULL, 10));
}

/* --- models ------------------------------------------------------------------------------- */

static void destroyed(void *data)
{
	(void)data;
}

static void destroyed_too(void *data)
{
	(void)data;
}

static void destroy_callbacks(void)
{
	aclmdlRI m = model();

	row(aclmdlRIDestroyRegisterCallback(m, destroyed, NULL));
	row(aclmdlRIDestroyRegisterCallback(m, destroyed, NULL));
	row(aclmdlRIDestroyRegisterCallback(m, NULL, NULL));
	row(aclmdlRIDestroyRegisterCallback(NULL, destroyed, NULL));
	row(aclmdlRIDestroyUnregisterCallback(m, destroyed_too));
}

static void build_ended_twice(void)
{
	aclrtStream s;
	aclmdlRI m;

	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	need(aclmdlRIBuildBegin(&m, 0));
	row(aclmdlRIBindStream(m, NULL, 0));
	need(aclmdlRIBindStream(m, s, ACL_MODEL_STREAM_FLAG_HEAD));
	need(aclmdlRIEndTask(m, s));
	row(aclmdlRIBuildEnd(m, NULL));
	row(aclmdlRIBuildEnd(m, NULL));
}

static void model_information(void)
{
	char name[4];
	aclmdlRI m = model();

	need(aclmdlRISetName(m, "long enough"));
	row(aclmdlRIGetName(m, sizeof(name), name));
	row(aclmdlRIGetStreams(m, NULL, NULL));
	row(aclmdlRIAbort(NULL));
}

static void model_destroyed_after_reset(void)
{
	aclmdlRI m = model();

	need(aclrtResetDeviceForce(0));
	row(aclmdlRIDestroy(m));
}

/* --- devices, contexts, the process -------------------------------------------------------- */

static void primary_context_state(void)
{
	uint32_t flags;
	int32_t active;

	row(aclrtGetPrimaryCtxState(0, NULL, &active));
	row(aclrtGetPrimaryCtxState(0, &flags, &active));
	row(aclrtGetPrimaryCtxState(0, NULL, NULL));
}

static void device_information(void)
{
	size_t bytes, total;
	int64_t value;

	row(aclrtGetDeviceInfo(99, ACL_DEV_ATTR_AICPU_CORE_NUM, &value));
	row(aclrtGetDeviceInfo(0, (aclrtDevAttr)9999, &value));
	row(aclrtGetMemInfo((aclrtMemAttr)99, &bytes, &total));
}

static void peers(void)
{
	int32_t can;

	row(aclrtDeviceCanAccessPeer(&can, 0, 99));
	row(aclrtDeviceEnablePeerAccess(99, 0));
	row(aclrtDeviceCanAccessPeer(NULL, 0, 1));
}

static void *destroy_context(void *context)
{
	need(aclrtSetDevice(0));
	need(aclrtDestroyContext(context));
	return NULL;
}

static void current_context_destroyed_elsewhere(void)
{
	aclrtContext own, current;

	need(aclrtCreateContext(&own, 0));
	in_thread(destroy_context, own);
	row(aclrtGetCurrentContext(&current));
}

static aclError at_init(const char *config, size_t bytes, void *data)
{
	(void)config, (void)bytes, (void)data;
	return ACL_SUCCESS;
}

static void callbacks_not_registered(void)
{
	row(aclrtRegDeviceStateCallback("unknown", NULL, NULL));
	row(aclrtRegStreamStateCallback("unknown", NULL, NULL));
	need(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, at_init, NULL));
	row(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, at_init, NULL));
	need(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, at_init));
	row(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, at_init));
}

static void last_error_of_arguments(void)
{
	row(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	row(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

static void finalized_by_reference(void)
{
	uint64_t left = 7;

	row(aclFinalizeReference(&left));
	left = 7;
	aclFinalizeReference(&left);
	row((long)left);
}

/* --- streams and memory --------------------------------------------------------------------- */

static void stream_flags(void)
{
	uint32_t priority = 99;
	aclrtStream s;

	row(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_HUGE));
	row(aclrtCreateStreamWithConfig(&s, 0, 0x40));
	need(aclrtCreateStreamWithConfig(&s, UINT32_MAX, 0));
	need(aclrtStreamGetPriority(s, &priority));
	row(priority);
}

static void stream_attributes(void)
{
	aclrtStreamAttrValue value = {.failureMode = 5};

	row(aclrtSetStreamAttribute(stream(), ACL_STREAM_ATTR_FAILURE_MODE, &value));
	row(aclrtSetStreamFailureMode(stream(), 9));
	row(aclrtSetStreamAttribute(stream(), ACL_STREAM_ATTR_FAILURE_MODE, NULL));
}

static void saturation_and_notifies(void)
{
	aclrtNotify n;
	int32_t pid = 1;

	row(aclrtSetDeviceSatMode((aclrtFloatOverflowMode)7));
	row(aclrtCntNotifyCreate(NULL, 0));
	row(aclrtCntNotifyDestroy(NULL));
	need(aclrtCreateNotify(&n, 0));
	row(aclrtNotifySetImportPid(n, &pid, 0));
}

static void rows_of_nothing(void)
{
	void *d = device(), *h = NULL;
	aclrtStream s = stream();

	need(aclrtMallocHost(&h, 4096));
	row(aclrtMemcpy2d(d, 64, h, 64, 0, 4, ACL_MEMCPY_HOST_TO_DEVICE));
	row(aclrtMemcpy2d(d, 64, h, 64, 16, 0, ACL_MEMCPY_HOST_TO_DEVICE));
	row(aclrtMemcpy2dAsync(d, 64, h, 64, 0, 4, ACL_MEMCPY_HOST_TO_DEVICE, s));
	row(aclrtMemcpy2dAsync(d, 64, h, 64, 16, 0, ACL_MEMCPY_HOST_TO_DEVICE, s));
}

static void batches(void)
{
	void *to[] = {NULL, NULL}, *from[] = {NULL, NULL};
	size_t room[] = {64, 16}, bytes[] = {64, 64}, first = 0, failed = 77;
	aclrtMemcpyBatchAttr attribute = {.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

	for (int i = 0; i < 2; i++) {
		to[i] = device();
		need(aclrtMallocHost(&from[i], 64));
	}
	row(aclrtMemcpyBatch(to, room, from, bytes, 1, &attribute, &first, 0, &failed));
	aclrtMemcpyBatch(to, room, from, bytes, 2, &attribute, &first, 1, &failed);
	row((long)failed);
}

static void device_pointers(void)
{
	static char mine[4096] __attribute__((aligned(4096)));
	void *p;

	row(aclrtHostGetDevicePointer(mine, &p, 0));
	need(aclrtHostRegister(mine, sizeof(mine), ACL_HOST_REGISTER_MAPPED, &p));
	row(aclrtHostGetDevicePointer(mine, &p, 1));
}

static void reduce_of_bool(void)
{
	char *d = device();

	row(aclrtReduceAsync(d, d + 128, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_BOOL, stream(), NULL));
}

static void physical_memory_nowhere(void)
{
	aclrtPhysicalMemProp prop = {.memAttr = ACL_HBM_MEM_HUGE, .location.type = (aclrtMemLocationType)77};
	aclrtDrvMemHandle h;

	row(aclrtMallocPhysical(&h, MIB2, &prop, 0));
}

/* --- read in the published source ------------------------------------------------------------ */

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

#define ROW(name)                                                                                            \
	{                                                                                                    \
#name, name                                                                                  \
	}
static const struct {
	const char *name;
	void (*run)(void);
} rows[] = {ROW(captured_event_recorded_outside), ROW(external_event), ROW(capture_on_persistent_stream),
	ROW(times_of_captured_event), ROW(capture_info_without_device), ROW(capture_info_in_other_context),
	ROW(copy_while_updating_and_capturing), ROW(reduce_in_capture), ROW(event_ids), ROW(event_flag_four),
	ROW(timestamp_of_sync_event), ROW(wait_with_timeout_for_null), ROW(destroy_callbacks),
	ROW(build_ended_twice), ROW(model_information), ROW(model_destroyed_after_reset),
	ROW(primary_context_state), ROW(device_information), ROW(peers),
	ROW(current_context_destroyed_elsewhere), ROW(callbacks_not_registered), ROW(last_error_of_arguments),
	ROW(finalized_by_reference), ROW(stream_flags), ROW(stream_attributes), ROW(saturation_and_notifies),
	ROW(rows_of_nothing), ROW(batches), ROW(device_pointers), ROW(reduce_of_bool),
	ROW(physical_memory_nowhere), ROW(rows_of_nothing_without_more), ROW(batch_of_nothing),
	ROW(batch_index_of_outer_refusals), ROW(batch_index_of_entries), ROW(batch_on_dead_stream),
	ROW(batch_of_pageable_memory), ROW(memory_usage_of_nothing), ROW(allocations_for_device),
	ROW(allocations_by_address_flag), ROW(limits_of_devices), ROW(limits_of_streams_without_device),
	ROW(limits_of_dead_stream), ROW(options_of_process), ROW(limits_of_process),
	ROW(events_reset_elsewhere), ROW(allocator_of_dead_stream), ROW(callbacks_of_modules),
	ROW(callbacks_that_fail), ROW(places_of_devices), ROW(atomic_capabilities), ROW(empty_binary),
	ROW(saturation_without_device), ROW(sizes_of_odd_types), ROW(attribute_of_shared_memory),
	ROW(key_of_dead_notify), ROW(faults_beside_dead_objects), ROW(capture_end_on_joined_stream),
	ROW(host_mapping_of_bad_device)};

/* Without a name: the names. */
int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (argc < 2)
			puts(rows[i].name);
		else if (!strcmp(argv[1], rows[i].name)) {
			need(aclInit(NULL));
			need(aclrtSetDevice(0));
			rows[i].run();
			return 0;
		}
	}
	return argc >= 2;
}
