/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about limits, modes, options, and information kept with tasks. */
#include "paired.h"

#define STACK ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE

static void launch(aclrtStream s)
{
	CALL(aclrtLaunchKernelV2, .funcHandle = HANDLE, .numBlocks = 1, .argsData = DEVICE, .argsSize = 64,
		.stream = s);
}

/* --- limits of devices ---------------------------------------------------------------------------- */

static void limit_late(void)
{
	CALL(aclInit, .configPath = NULL);
	if (bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtDeviceSetLimit, .limit = STACK, .value = 65536);
	if (!bug)
		CALL(aclrtSetDevice, .deviceId = 0);
}

/* The same value again changes nothing. */
static void limit_again(void)
{
	CALL(aclInit, .configPath = NULL);
	CALL(aclrtDeviceSetLimit, .limit = STACK, .value = 65536);
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtDeviceSetLimit, .limit = STACK, .value = bug ? 131072 : 65536);
}

static void limit_hidden(void)
{
	CALL(aclInit, .configPath = NULL);
	CALL_FAILS(bug ? 107000 : 0, aclrtDeviceSetLimit, .limit = STACK, .value = 65536);
}

static void limit_unsupported(void)
{
	CALL(aclInit, .configPath = NULL);
	CALL_FAILS(bug ? 107000 : 0, aclrtDeviceSetLimit,
		.limit = bug ? ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE : STACK, .value = 32768);
}

/* Both stacks of SIMT kernels 0, whichever comes second. */
static void limit_both_none(void)
{
	CALL(aclInit, .configPath = NULL);
	CALL(aclrtDeviceSetLimit, .limit = ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, .value = bug ? 0 : 128);
	CALL_FAILS(bug ? 107000 : 0, aclrtDeviceSetLimit, .limit = ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE);
}

static void limit_both_none_again(void)
{
	CALL(aclInit, .configPath = NULL);
	CALL(aclrtDeviceSetLimit, .limit = ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE, .value = bug ? 0 : 128);
	CALL_FAILS(bug ? 107000 : 0, aclrtDeviceSetLimit, .limit = ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE);
}

static void limit_of(aclrtDeviceLimit limit, size_t value)
{
	CALL(aclInit, .configPath = NULL);
	CALL(aclrtDeviceSetLimit, .limit = limit, .value = value);
}

static void odd_stack(void)
{
	limit_of(STACK, bug ? 33000 : 48 << 10);
}

static void small_stack(void)
{
	limit_of(STACK, bug ? 16 << 10 : 32 << 10);
}

static void odd_thread_stack(void)
{
	limit_of(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, bug ? 1000 : 1024);
}

static void large_buffer(void)
{
	limit_of(ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE, bug ? 128 << 20 : 64 << 20);
}

/* --- limits of cores -------------------------------------------------------------------------------- */

static void cores_told(uint32_t *cores)
{
	CALL_DOES(aclrtGetDeviceResLimit, 0, *cores = 24, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE,
		.value = cores);
}

/* What was answered first is what there is; later answers may be limits of the program's own. */
static void device_limit_above_cores(void)
{
	uint32_t cores = 0;

	cores_told(&cores);
	CALL(aclrtSetDeviceResLimit, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = cores / 2);
	CALL_DOES(aclrtGetDeviceResLimit, 0, cores = 12, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE,
		.value = &cores);
	CALL_FAILS(bug ? 107000 : 0, aclrtSetDeviceResLimit, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE,
		.value = 2 * cores + bug);
}

static void stream_limit_above_cores(void)
{
	aclrtStream s = make_stream();
	uint32_t cores = 0;

	cores_told(&cores);
	CALL_FAILS(bug ? 107000 : 0, aclrtSetStreamResLimit, .stream = s, .type = ACL_RT_DEV_RES_CUBE_CORE,
		.value = cores + bug);
	CALL(aclrtDestroyStream, .stream = s);
}

/* How many cores there are was never asked: the runtime's answer decides. */
static void device_limit_refused(void)
{
	CALL_FAILS(bug ? 107000 : 0, aclrtSetDeviceResLimit, .deviceId = 0,
		.type = ACL_RT_DEV_RES_VECTOR_CORE, .value = bug ? 4096 : 1);
}

static void stream_limit_refused(void)
{
	aclrtStream s = make_stream();

	CALL_FAILS(bug ? 107000 : 0, aclrtSetStreamResLimit, .stream = s, .type = ACL_RT_DEV_RES_VECTOR_CORE,
		.value = bug ? 4096 : 1);
	CALL(aclrtDestroyStream, .stream = s);
}

static void stream_limit_late(void)
{
	aclrtStream s = make_stream();

	if (bug)
		launch(s);
	CALL(aclrtSetStreamResLimit, .stream = s, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 4);
	if (!bug)
		launch(s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void stream_limit_again(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSetStreamResLimit, .stream = s, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 4);
	launch(s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtSetStreamResLimit, .stream = s, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = bug ? 8 : 4);
}

static void device_limit_after_capture(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = NULL;

	if (!bug)
		CALL(aclrtSetDeviceResLimit, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 4);
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(aclrtMemsetAsync, .devPtr = DEVICE, .maxCount = 64, .count = 64, .stream = s);
	CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
	if (bug)
		CALL(aclrtSetDeviceResLimit, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 4);
}

static void use_unlimited(void)
{
	aclrtStream s = make_stream();

	if (!bug)
		CALL(aclrtSetStreamResLimit, .stream = s, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 4);
	CALL(aclrtUseStreamResInCurrentThread, .stream = s);
	CALL(aclrtUnuseStreamResInCurrentThread, .stream = s);
}

static aclrtStream limited_stream(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSetStreamResLimit, .stream = s, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 4);
	return s;
}

static void use_reset(void)
{
	aclrtStream s = limited_stream();

	if (bug)
		CALL(aclrtResetStreamResLimit, .stream = s);
	CALL(aclrtUseStreamResInCurrentThread, .stream = s);
	CALL(aclrtUnuseStreamResInCurrentThread, .stream = s);
}

static void unuse_other(void)
{
	aclrtStream s = limited_stream(), t = limited_stream();

	CALL(aclrtUseStreamResInCurrentThread, .stream = s);
	CALL(aclrtUnuseStreamResInCurrentThread, .stream = bug ? t : s);
}

static void destroy_used(void)
{
	aclrtStream s = limited_stream();

	CALL(aclrtUseStreamResInCurrentThread, .stream = s);
	if (!bug)
		CALL(aclrtUnuseStreamResInCurrentThread, .stream = s);
	CALL(aclrtDestroyStream, .stream = s);
}

/* Other limits taken in between are those the thread works with, the default stream's as well. */
static void destroy_formerly_used(void)
{
	aclrtStream s = limited_stream();

	CALL(aclrtSetStreamResLimit, .stream = NULL, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 4);
	CALL(aclrtUseStreamResInCurrentThread, .stream = s);
	if (!bug)
		CALL(aclrtUseStreamResInCurrentThread, .stream = NULL);
	CALL(aclrtDestroyStream, .stream = s);
}

/* Another thread destroys it: whether this one goes on shows when it asks. */
static void ask_after_destroy(void)
{
	aclrtStream s = limited_stream();

	CALL(aclrtUseStreamResInCurrentThread, .stream = s);
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	if (bug)
		CALL(aclrtDestroyStream, .stream = s);
	pair_thread(0);
	CALL(aclrtGetResInCurrentThread, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = OUT);
}

/* --- options and groups ------------------------------------------------------------------------------ */

static void ask_unset_option(void)
{
	if (!bug)
		CALL(aclrtCtxSetSysParamOpt, .opt = ACL_OPT_DETERMINISTIC, .value = 1);
	CALL_FAILS(bug ? 107021 : 0, aclrtCtxGetSysParamOpt, .opt = ACL_OPT_DETERMINISTIC, .value = OUT);
}

/* What is set in one context is not set in another. */
static void ask_option_of_other_context(void)
{
	aclrtContext first = make_context(), second = make_context();

	CALL(aclrtSetCurrentContext, .context = bug ? first : second);
	CALL(aclrtCtxSetSysParamOpt, .opt = ACL_OPT_DETERMINISTIC, .value = 1);
	CALL(aclrtSetCurrentContext, .context = second);
	CALL_FAILS(bug ? 107021 : 0, aclrtCtxGetSysParamOpt, .opt = ACL_OPT_DETERMINISTIC, .value = OUT);
}

static void count_groups(uint32_t n)
{
	CALL(aclrtGetGroupCount, .count = &n);
}

static void group_index(void)
{
	count_groups(2);
	CALL_FAILS(bug ? 100000 : 0, aclrtGetGroupInfoDetail, .groupInfo = HANDLE, .groupIndex = bug ? 2 : 1,
		.attr = ACL_GROUP_AICORE_INT, .attrValue = OUT, .valueLen = 4, .paramRetSize = OUT);
}

static aclrtGroupInfo *make_group_info(void)
{
	struct acl_args_aclrtCreateGroupInfo args = {0};
	struct acl_call_record ev;
	aclrtGroupInfo *info;

	if (pair_enter(&ev, ACL_API_aclrtCreateGroupInfo, &args, __LINE__))
		ev.result.p = make_address();
	info = (aclrtGroupInfo *)(uintptr_t)ev.result.p;
	pair_leave(&ev, (int64_t)(uintptr_t)info);
	return info;
}

/* What aclrtCreateGroupInfo makes is empty. */
static void group_not_queried(void)
{
	aclrtGroupInfo *info = make_group_info();
	int32_t cores = 0;
	size_t n = 0;

	if (!bug)
		CALL(aclrtGetAllGroupInfo, .groupInfo = info);
	CALL_FAILS(bug ? 100000 : 0, aclrtGetGroupInfoDetail, .groupInfo = info, .groupIndex = 0,
		.attr = ACL_GROUP_AICORE_INT, .attrValue = &cores, .valueLen = sizeof(cores),
		.paramRetSize = &n);
	CALL(aclrtDestroyGroupInfo, .groupInfo = info);
}

static void group_info_left(void)
{
	aclrtGroupInfo *info = make_group_info();

	if (!bug)
		CALL(aclrtDestroyGroupInfo, .groupInfo = info);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize, );
	pair_exit();
}

static void group_unknown(void)
{
	int32_t id = 7;

	count_groups(2);
	CALL(aclrtGetGroupInfoDetail, .groupInfo = HANDLE, .groupIndex = 1, .attr = ACL_GROUP_GROUPID_INT,
		.attrValue = &id, .valueLen = sizeof(id), .paramRetSize = OUT);
	CALL_FAILS(bug ? 107014 : 0, aclrtSetGroup, .groupId = bug ? 99 : id);
}

/* --- time limits ---------------------------------------------------------------------------------------- */

/* The interval is as long as the device says. */
static uint64_t interval(void)
{
	uint64_t us = 4000000;

	CALL(aclrtGetOpTimeOutInterval, .interval = &us);
	return us;
}

static void short_time(void)
{
	uint64_t us = interval();

	CALL(aclrtSetOpExecuteTimeOutV2, .timeout = bug ? us / 2 : us * 2, .actualTimeout = OUT);
}

static void long_time(void)
{
	uint64_t us = interval();

	CALL(aclrtSetOpExecuteTimeOutV2, .timeout = us * (bug ? 255 : 254), .actualTimeout = OUT);
}

/* --- modes of streams --------------------------------------------------------------------------------------
 */

static void saturate_late(void)
{
	if (bug)
		make_stream();
	CALL(aclrtSetDeviceSatMode, .mode = ACL_RT_OVERFLOW_MODE_INFNAN);
	if (!bug)
		make_stream();
}

static void saturate_as_before(void)
{
	aclrtFloatOverflowMode now = ACL_RT_OVERFLOW_MODE_INFNAN;

	make_stream();
	CALL(aclrtGetDeviceSatMode, .mode = &now);
	if (bug)
		now = now == ACL_RT_OVERFLOW_MODE_INFNAN ? ACL_RT_OVERFLOW_MODE_SATURATION
							 : ACL_RT_OVERFLOW_MODE_INFNAN;
	CALL(aclrtSetDeviceSatMode, .mode = now);
}

static void switch_late(void)
{
	aclrtStream s = make_stream();

	launch(s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtSetStreamOverflowSwitch, .stream = s, .flag = 1);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void read_status(void)
{
	aclrtStream s = make_stream();
	char *status = make_device_memory(4096), *h = make_host_memory(4096);

	CALL(aclrtGetOverflowStatus, .outputAddr = status, .outputSize = 64, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemcpy, .dst = h, .destMax = 64, .src = status, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* Fixed, the status comes behind the copy. */
static void status_over_a_copy(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	char *status = make_device_memory(4096), *h = make_host_memory(4096);
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	CALL(aclrtMemset, .devPtr = status, .maxCount = 4096, .count = 4096);
	CALL(aclrtMemcpyAsync, .dst = h, .destMax = 64, .src = status, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = other);
	CALL(aclrtRecordEvent, .event = e, .stream = other);
	if (!bug)
		CALL(aclrtStreamWaitEvent, .stream = s, .event = e);
	CALL_EACH(0, ROLE(ADDRESS, status), ROLE(BYTES, 64), ROLE(STREAM, s));
	CALL(aclrtSynchronizeStream, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void read_each_status(void)
{
	aclrtStream s = make_stream();
	char *status = make_device_memory(4096), *h = make_host_memory(4096);

	CALL_EACH(0, ROLE(ADDRESS, status), ROLE(BYTES, 64), ROLE(STREAM, s));
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemcpy, .dst = h, .destMax = 64, .src = status, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void read_status_in_rows(void)
{
	aclrtStream s = make_stream();
	char *status = make_device_memory(4096), *h = make_host_memory(4096);

	/* The status in the second row, and another one in the gap behind it. */
	CALL(aclrtMemset, .devPtr = status, .maxCount = 4096, .count = 4096);
	CALL(aclrtGetOverflowStatus, .outputAddr = status + 1024, .outputSize = 64, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtGetOverflowStatus, .outputAddr = status + 1024 + 64, .outputSize = 64, .stream = s);
	CALL(aclrtMemcpy2d, .dst = h, .dpitch = 1024, .src = status, .spitch = 1024, .width = 64, .height = 3,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void read_status_in_batch(void)
{
	aclrtStream s = make_stream();
	char *status = make_device_memory(4096), *h = make_host_memory(4096);
	void *dsts[] = {h, h + 64}, *srcs[] = {status + 1024, status};
	size_t sizes[] = {64, 64}, index = 0, failed;
	aclrtMemcpyBatchAttr attribute = {
		.dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST, .srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

	CALL(aclrtMemset, .devPtr = status, .maxCount = 4096, .count = 4096);
	CALL(aclrtGetOverflowStatus, .outputAddr = status, .outputSize = 64, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemcpyBatch, .dsts = dsts, .destMaxs = sizes, .srcs = srcs, .sizes = sizes, .numBatches = 2,
		.attrs = &attribute, .attrsIndexes = &index, .numAttrs = 1, .failIndex = &failed);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void switch_late_by_attribute(void)
{
	aclrtStream s = make_stream();
	aclrtStreamAttrValue on = {.overflowSwitch = 1};

	launch(s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtSetStreamAttribute, .stream = s, .stmAttrType = ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK,
		.value = &on);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* --- information kept with tasks --------------------------------------------------------------------------
 */

static void set_cache(aclrtStream s, uint32_t on)
{
	aclrtStreamAttrValue value = {.cacheOpInfoSwitch = on};

	CALL(aclrtSetStreamAttribute, .stream = s, .stmAttrType = ACL_STREAM_ATTR_CACHE_OP_INFO,
		.value = &value);
}

static void end_capture(aclrtStream s)
{
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
}

static void keep_switched_off(void)
{
	aclrtStream s = make_stream();

	if (!bug)
		set_cache(s, 1);
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	launch(s);
	CALL_FAILS(bug ? 507000 : 0, aclrtCacheLastTaskOpInfo, .infoPtr = heap_memory, .infoSize = 64);
	set_cache(s, 0);
	end_capture(s);
}

static void keep_uncaptured(void)
{
	aclrtStream s = make_stream();

	set_cache(s, 1);
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	launch(s);
	if (bug) {
		set_cache(s, 0);
		end_capture(s);
	}
	CALL_FAILS(bug ? 107000 : 0, aclrtCacheLastTaskOpInfo, .infoPtr = heap_memory, .infoSize = 64);
	if (!bug) {
		set_cache(s, 0);
		end_capture(s);
	}
}

static void extend_uncaptured(void)
{
	aclrtStream s = make_stream();

	if (!bug)
		CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	launch(s);
	CALL_FAILS(
		bug ? 107000 : 0, aclrtCacheLastTaskExtendInfo, .extendInfoPtr = heap_memory, .infoSize = 64);
	if (!bug)
		end_capture(s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* Sizes, where everything else is as it should be. */
static void keep_much(void)
{
	aclrtStream s = make_stream();

	set_cache(s, 1);
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	launch(s);
	CALL_FAILS(
		bug ? 107000 : 0, aclrtCacheLastTaskOpInfo, .infoPtr = heap_memory, .infoSize = 65536 + bug);
	set_cache(s, 0);
	end_capture(s);
}

static void extend_much(void)
{
	aclrtStream s = make_stream();

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	launch(s);
	CALL(aclrtCacheLastTaskExtendInfo, .extendInfoPtr = heap_memory, .infoSize = 4096 + bug);
	end_capture(s);
}

static void cache_left_on(void)
{
	aclrtStream s = make_stream();

	set_cache(s, 1);
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	launch(s);
	if (!bug)
		set_cache(s, 0);
	end_capture(s);
}

/* --- threads for host functions ------------------------------------------------------------------------ */

static void subscribe_twice(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(1), .exeStream = s);
	if (!bug)
		CALL(aclrtUnSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(1), .exeStream = s);
	CALL_FAILS(bug ? 107011 : 0, aclrtSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(2),
		.exeStream = s);
}

static const struct pair pairs[] = {
	PAIR_BARE("device-limit-after-setdevice", limit_late),
	PAIR_BARE("device-limit-after-setdevice", limit_again),
	PAIR_WITH("device-limit-visible-devices", limit_hidden, .bare = true, .visible = {"1,2", "0,1"}),
	PAIR_WITH("device-limit-visible-devices", limit_hidden, .bare = true, .visible = {"3,0", "00,x"}),
	PAIR_WITH("device-limit-visible-devices", limit_hidden, .bare = true, .visible = {"0,0", "0,10"}),
	PAIR_WITH("device-limit-type-unsupported", limit_unsupported, .bare = true, .soc = "Ascend910B1"),
	PAIR_WITH("device-limit-type-unsupported", limit_both_none, .bare = true, .soc = "Ascend950PR"),
	PAIR_WITH("device-limit-type-unsupported", limit_both_none_again, .bare = true, .soc = "Ascend950PR"),
	PAIR_BARE("config-range-clamped", odd_stack),
	PAIR_BARE("config-range-clamped", small_stack),
	PAIR_WITH("config-range-clamped", odd_thread_stack, .bare = true, .soc = "Ascend950PR"),
	PAIR_WITH("config-range-clamped", large_buffer, .bare = true, .soc = "Ascend950PR"),
	PAIR("res-limit-too-large", device_limit_above_cores),
	PAIR("res-limit-too-large", stream_limit_above_cores),
	PAIR("res-limit-too-large", device_limit_refused),
	PAIR("res-limit-too-large", stream_limit_refused),
	PAIR("res-limit-late", stream_limit_late),
	PAIR("res-limit-late", stream_limit_again),
	PAIR("res-limit-late", device_limit_after_capture),
	PAIR("use-stream-res-without-limit", use_unlimited),
	PAIR("use-stream-res-without-limit", use_reset),
	PAIR("use-stream-res-without-limit", unuse_other),
	PAIR("stream-res-bound-to-dead-stream", destroy_used),
	PAIR("stream-res-bound-to-dead-stream", destroy_formerly_used),
	PAIR("stream-res-bound-to-dead-stream", ask_after_destroy),
	PAIR("ctx-sys-param-not-set", ask_unset_option),
	PAIR("ctx-sys-param-not-set", ask_option_of_other_context),
	PAIR_WITH("group-order", group_index, .soc = "Ascend310P3"),
	PAIR_WITH("group-order", group_unknown, .soc = "Ascend310P3"),
	PAIR_WITH("group-order", group_not_queried, .soc = "Ascend310P3"),
	PAIR_WITH("leak-objects", group_info_left, .soc = "Ascend310P3"),
	PAIR_CALL("op-timeout-units", aclrtSetOpExecuteTimeOut, (.timeout = 5000000), (.timeout = 5)),
	PAIR("op-timeout-units", short_time),
	PAIR("op-timeout-units", long_time),
	PAIR("satmode-existing-streams", saturate_late),
	PAIR("satmode-existing-streams", saturate_as_before),
	PAIR("stream-overflow-switch-existing-tasks", switch_late),
	PAIR("stream-overflow-switch-existing-tasks", switch_late_by_attribute),
	PAIR("overflow-status-not-synchronised", read_status),
	PAIR_EACH("overflow-status-not-synchronised", read_each_status, OVERFLOW_READ),
	PAIR_EACH("stream-race-copy", status_over_a_copy, OVERFLOW_READ),
	PAIR("overflow-status-not-synchronised", read_status_in_rows),
	PAIR("overflow-status-not-synchronised", read_status_in_batch),
	PAIR("opinfo-cache-misuse", keep_switched_off),
	PAIR("opinfo-cache-misuse", keep_uncaptured),
	PAIR("opinfo-cache-misuse", keep_much),
	PAIR("extinfo-cache-misuse", extend_uncaptured),
	PAIR("extinfo-cache-misuse", extend_much),
	PAIR("opinfo-cache-left-on", cache_left_on),
	PAIR("hostfunc-subscribe-misuse", subscribe_twice),
};

PAIRS_MAIN("rules about limits and modes", pairs)
