/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rules about limits, modes, options and information of tasks must not speak. */
#include "rig.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define CUBE ACL_RT_DEV_RES_CUBE_CORE

#define LAUNCH(rig, s)                                                                                       \
	CALL(rig, aclrtLaunchKernelV2, 0, .funcHandle = handle(99), .numBlocks = 1,                          \
		.argsData = (void *)DEVICE_MEMORY, .argsSize = 64, .stream = (s))

/* --- limits ------------------------------------------------------------------------------------------ */

static void limit_of_other_stream(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *t = rig_stream(rig, 2);

	(void)state;
	LAUNCH(rig, s);
	CALL(rig, aclrtSetStreamResLimit, 0, .stream = t, .type = CUBE, .value = 4);
	CALL(rig, aclrtSetDeviceResLimit, 0, .deviceId = 1, .type = CUBE, .value = 4);
	CALL(rig, aclrtSetStreamResLimit, 0, .stream = handle(3), .type = CUBE, .value = 4);
	never(rig, "res-limit-late");
	/* Copies are no kernels. */
	CALL(rig, aclrtMemsetAsync, 0, .devPtr = (void *)DEVICE_MEMORY, .maxCount = 64, .count = 64,
		.stream = t);
	CALL(rig, aclrtSetStreamResLimit, 0, .stream = t, .type = CUBE, .value = 8);
	never(rig, "res-limit-late");
}

static void limits_of_the_default_stream(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	uint32_t cores;

	(void)state;
	CALL(rig, aclrtSetStreamResLimit, 0, .stream = NULL, .type = CUBE, .value = 4);
	CALL(rig, aclrtUseStreamResInCurrentThread, 0, .stream = NULL);
	CALL(rig, aclrtGetResInCurrentThread, 0, .type = CUBE, .value = &cores);
	CALL(rig, aclrtUnuseStreamResInCurrentThread, 0, .stream = NULL);
	silent(rig);
}

/* Nobody knows whether the other thread is still there; nothing taken is nothing to give back. */
static void limits_of_other_threads(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *t = rig_stream(rig, 2);
	uint32_t cores;

	(void)state;
	CALL(rig, aclrtSetStreamResLimit, 0, .stream = s, .type = CUBE, .value = 4);
	rig->tid = 2;
	CALL(rig, aclrtSetDevice, 0, .deviceId = 0);
	CALL(rig, aclrtUseStreamResInCurrentThread, 0, .stream = s);
	rig->tid = 1;
	CALL(rig, aclrtUnuseStreamResInCurrentThread, 0, .stream = t);
	CALL(rig, aclrtDestroyStream, 0, .stream = s);
	CALL(rig, aclrtGetResInCurrentThread, 0, .type = CUBE, .value = &cores);
	silent(rig);
	rig->tid = 2;
	CALL(rig, aclrtGetResInCurrentThread, 0, .type = CUBE, .value = &cores);
	want(rig, "stream-res-bound-to-dead-stream:error");
}

/* A call that failed has set, taken and given back nothing. */
static void failed_limits(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1);

	(void)state;
	CALL(rig, aclrtUseStreamResInCurrentThread, 107000, .stream = s);
	CALL(rig, aclrtDestroyStream, 0, .stream = s);
	never(rig, "use-stream-res-without-limit");
	never(rig, "stream-res-bound-to-dead-stream");
}

static void limit_of_devices(void **state)
{
	struct rig *rig = rig_new(DOCUMENTS);
	size_t now = 65536;

	(void)state;
	CALL(rig, aclInit, 0, .configPath = NULL);
	CALL(rig, aclrtDeviceSetLimit, 0, .limit = ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, .value = 32768);
	CALL(rig, aclrtSetDevice, 0, .deviceId = 0);
	CALL(rig, aclrtDeviceGetLimit, 0, .limit = ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, .value = &now);
	CALL(rig, aclrtDeviceSetLimit, 0, .limit = ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, .value = 65536);
	CALL(rig, aclrtResetDevice, 0, .deviceId = 0);
	CALL(rig, aclrtDeviceSetLimit, 0, .limit = ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, .value = 65536);
	silent(rig);
	never(rig, "config-range-clamped");
	never(rig, "device-limit-visible-devices");
}

/* --- options, groups, time ---------------------------------------------------------------------------- */

static void option_errors(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	int64_t value;

	(void)state;
	CALL(rig, aclrtCtxGetSysParamOpt, 507000, .opt = ACL_OPT_DETERMINISTIC, .value = &value);
	CALL(rig, aclrtGetSysParamOpt, 107021, .opt = ACL_OPT_DETERMINISTIC, .value = &value);
	rig->tid = 2; /* without a context */
	CALL(rig, aclrtCtxGetSysParamOpt, 107021, .opt = ACL_OPT_DETERMINISTIC, .value = &value);
	never(rig, "ctx-sys-param-not-set");
}

static void no_groups(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	uint32_t count = 0;
	int32_t id;
	size_t n;

	(void)state;
	CALL(rig, aclrtGetGroupInfoDetail, 100000, .groupInfo = handle(1), .groupIndex = 5,
		.attr = ACL_GROUP_AICORE_INT, .attrValue = &id, .valueLen = 4, .paramRetSize = &n);
	CALL(rig, aclrtGetGroupCount, 0, .count = &count);
	CALL(rig, aclrtGetGroupInfoDetail, 100000, .groupInfo = handle(1), .groupIndex = 0,
		.attr = ACL_GROUP_AICORE_INT, .attrValue = &id, .valueLen = 4, .paramRetSize = &n);
	CALL(rig, aclrtSetGroup, 107014, .groupId = 0);
	never(rig, "group-order");
}

static void time_without_interval(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	uint64_t us, interval = 1000;

	(void)state;
	CALL(rig, aclrtSetOpExecuteTimeOutV2, 0, .timeout = 1, .actualTimeout = &us);
	CALL(rig, aclrtGetOpTimeOutInterval, 0, .interval = &interval);
	CALL(rig, aclrtSetOpExecuteTimeOutV2, 0, .timeout = 0, .actualTimeout = &us);
	CALL(rig, aclrtSetOpExecuteTimeOutV2, 0, .timeout = 254000, .actualTimeout = &us);
	silent(rig);
}

/* --- modes of streams -------------------------------------------------------------------------------------
 */

/* The default stream is always there; a stream of another device is not touched. */
static void saturation(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);

	(void)state;
	LAUNCH(rig, NULL);
	CALL(rig, aclrtSetDeviceSatMode, 0, .mode = ACL_RT_OVERFLOW_MODE_INFNAN);
	CALL(rig, aclrtSetDevice, 0, .deviceId = 1);
	rig_stream(rig, 1);
	CALL(rig, aclrtSetDevice, 0, .deviceId = 0);
	CALL(rig, aclrtSetDeviceSatMode, 0, .mode = ACL_RT_OVERFLOW_MODE_SATURATION);
	never(rig, "satmode-existing-streams");
	/* What failed has not set anything. */
	rig_stream(rig, 2);
	CALL(rig, aclrtSetDeviceSatMode, 207000, .mode = ACL_RT_OVERFLOW_MODE_INFNAN);
	never(rig, "satmode-existing-streams");
}

static void overflow_switch(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1);
	uint32_t now = 1;

	(void)state;
	CALL(rig, aclrtSetStreamOverflowSwitch, 0, .stream = s, .flag = 1);
	LAUNCH(rig, s);
	CALL(rig, aclrtSetStreamOverflowSwitch, 0, .stream = s, .flag = 1);
	CALL(rig, aclrtGetStreamOverflowSwitch, 0, .stream = s, .flag = &now);
	CALL(rig, aclrtSetStreamOverflowSwitch, 0, .stream = s, .flag = 1);
	CALL(rig, aclrtSetStreamOverflowSwitch, 0, .stream = handle(2), .flag = 0);
	never(rig, "stream-overflow-switch-existing-tasks");
}

static void read_something_else(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	char *d = rig_malloc(rig, DEVICE_MEMORY, 4096), *h = rig_malloc_host(rig, HOST_MEMORY, 4096);
	void *s = rig_stream(rig, 1), *e = rig_event(rig, 2, ACL_EVENT_SYNC);

	(void)state;
	CALL(rig, aclrtGetOverflowStatus, 0, .outputAddr = d, .outputSize = 64, .stream = s);
	CALL(rig, aclrtMemcpy, 0, .dst = h, .destMax = 64, .src = d + 64, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	CALL(rig, aclrtRecordEvent, 0, .event = e, .stream = s);
	CALL(rig, aclrtSynchronizeEvent, 0, .event = e);
	CALL(rig, aclrtMemcpy, 0, .dst = h, .destMax = 64, .src = d, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	silent(rig);
	/* Not asked for at all. */
	CALL(rig, aclrtGetOverflowStatus, 207000, .outputAddr = d + 128, .outputSize = 64, .stream = s);
	CALL(rig, aclrtMemcpy, 0, .dst = h, .destMax = 64, .src = d + 128, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	never(rig, "overflow-status-not-synchronised");
}

/* --- information kept with tasks --------------------------------------------------------------------------
 */

static void cache(struct rig *rig, void *s, uint32_t on)
{
	aclrtStreamAttrValue value = {.cacheOpInfoSwitch = on};

	CALL(rig, aclrtSetStreamAttribute, 0, .stream = s, .stmAttrType = ACL_STREAM_ATTR_CACHE_OP_INFO,
		.value = &value);
}

/* Which of two captures the last task went to is not known; of a stream from elsewhere, nothing. */
static void some_capture_keeps(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *t = rig_stream(rig, 2);

	(void)state;
	cache(rig, t, 1);
	CALL(rig, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(rig, aclmdlRICaptureBegin, 0, .stream = t, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	LAUNCH(rig, s);
	CALL(rig, aclrtCacheLastTaskOpInfo, 0, .infoPtr = rig, .infoSize = 64);
	silent(rig);
	rig = rig_ready(DOCUMENTS);
	CALL(rig, aclmdlRICaptureBegin, 0, .stream = handle(3), .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(rig, aclrtCacheLastTaskOpInfo, 0, .infoPtr = rig, .infoSize = 64);
	CALL(rig, aclrtCacheLastTaskExtendInfo, 0, .extendInfoPtr = (char *)rig, .infoSize = 64);
	silent(rig);
}

static void built_model_keeps(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	aclmdlRI model = handle(1);

	(void)state;
	CALL(rig, aclmdlRIBuildBegin, 0, .modelRI = &model);
	CALL(rig, aclrtCacheLastTaskExtendInfo, 0, .extendInfoPtr = (char *)rig, .infoSize = 64);
	silent(rig);
}

/* Switched on for one stream, captured on another. */
static void other_stream_left_on(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *t = rig_stream(rig, 2);
	aclmdlRI model = handle(3);

	(void)state;
	cache(rig, t, 1);
	CALL(rig, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(rig, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &model);
	never(rig, "opinfo-cache-left-on");
}

/* A stream that takes over the handle of a destroyed one has no thread yet. */
static void stream_handle_again(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1);

	(void)state;
	CALL(rig, aclrtSubscribeHostFunc, 0, .hostFuncThreadId = 1, .exeStream = s);
	CALL(rig, aclrtDestroyStream, 0, .stream = s);
	s = rig_stream(rig, 1);
	CALL(rig, aclrtSubscribeHostFunc, 0, .hostFuncThreadId = 2, .exeStream = s);
	CALL(rig, aclrtSubscribeHostFunc, 0, .hostFuncThreadId = 2, .exeStream = handle(2));
	CALL(rig, aclrtSubscribeHostFunc, 0, .hostFuncThreadId = 3, .exeStream = handle(2));
	silent(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_of_other_stream),
		cmocka_unit_test(limits_of_the_default_stream),
		cmocka_unit_test(limits_of_other_threads),
		cmocka_unit_test(failed_limits),
		cmocka_unit_test(limit_of_devices),
		cmocka_unit_test(option_errors),
		cmocka_unit_test(no_groups),
		cmocka_unit_test(time_without_interval),
		cmocka_unit_test(saturation),
		cmocka_unit_test(overflow_switch),
		cmocka_unit_test(read_something_else),
		cmocka_unit_test(some_capture_keeps),
		cmocka_unit_test(built_model_keeps),
		cmocka_unit_test(other_stream_left_on),
		cmocka_unit_test(stream_handle_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
