/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rules about limits, modes, options and information of tasks must not speak. */
#include "fixture.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define CUBE ACL_RT_DEV_RES_CUBE_CORE

#define LAUNCH(fixture, s)                                                                                   \
	CALL(fixture, aclrtLaunchKernelV2, 0, .funcHandle = handle(99), .numBlocks = 1,                      \
		.argsData = (void *)(DEVICE_MEMORY + (1ul << 30)), .argsSize = 64, .stream = (s))

/* --- limits ------------------------------------------------------------------------------------------ */

static void limit_of_other_stream(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2);

	(void)state;
	LAUNCH(fixture, s);
	CALL(fixture, aclrtSetStreamResLimit, 0, .stream = t, .type = CUBE, .value = 4);
	CALL(fixture, aclrtSetDeviceResLimit, 0, .deviceId = 1, .type = CUBE, .value = 4);
	CALL(fixture, aclrtSetStreamResLimit, 0, .stream = handle(3), .type = CUBE, .value = 4);
	never(fixture, "res-limit-late");
	/* Copies are no kernels. */
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = (void *)DEVICE_MEMORY, .maxCount = 64, .count = 64,
		.stream = t);
	CALL(fixture, aclrtSetStreamResLimit, 0, .stream = t, .type = CUBE, .value = 8);
	never(fixture, "res-limit-late");
}

/* A kernel whose accesses are declared runs with the former limit as well. */
static void limit_behind_a_declared_kernel(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);

	(void)state;
	assert_null(SAY(fixture, KERNEL_READS, .stream = s,
		.address = fixture_malloc(fixture, DEVICE_MEMORY, 4096), .bytes = 64));
	LAUNCH(fixture, s);
	CALL(fixture, aclrtSetStreamResLimit, 0, .stream = s, .type = CUBE, .value = 4);
	want(fixture, "res-limit-late:advice");
}

static void limits_of_the_default_stream(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	uint32_t cores;

	(void)state;
	CALL(fixture, aclrtSetStreamResLimit, 0, .stream = NULL, .type = CUBE, .value = 4);
	CALL(fixture, aclrtUseStreamResInCurrentThread, 0, .stream = NULL);
	CALL(fixture, aclrtGetResInCurrentThread, 0, .type = CUBE, .value = &cores);
	CALL(fixture, aclrtUnuseStreamResInCurrentThread, 0, .stream = NULL);
	silent(fixture);
}

/* It is not known whether the other thread is still there; nothing taken is nothing to give back. */
static void limits_of_other_threads(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2);
	uint32_t cores;

	(void)state;
	CALL(fixture, aclrtSetStreamResLimit, 0, .stream = s, .type = CUBE, .value = 4);
	fixture->tid = 2;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtUseStreamResInCurrentThread, 0, .stream = s);
	fixture->tid = 1;
	CALL(fixture, aclrtUnuseStreamResInCurrentThread, 0, .stream = t);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	CALL(fixture, aclrtGetResInCurrentThread, 0, .type = CUBE, .value = &cores);
	silent(fixture);
	fixture->tid = 2;
	CALL(fixture, aclrtGetResInCurrentThread, 0, .type = CUBE, .value = &cores);
	want(fixture, "stream-res-bound-to-dead-stream:error");
}

/* A call that failed has set, taken and given back nothing. */
static void failed_limits(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);

	(void)state;
	CALL(fixture, aclrtUseStreamResInCurrentThread, 107000, .stream = s);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	never(fixture, "use-stream-res-without-limit");
	never(fixture, "stream-res-bound-to-dead-stream");
}

static void limit_of_devices(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);
	size_t now = 65536;

	(void)state;
	CALL(fixture, aclInit, 0, .configPath = NULL);
	CALL(fixture, aclrtDeviceSetLimit, 0, .limit = ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, .value = 32768);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtDeviceGetLimit, 0, .limit = ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, .value = &now);
	CALL(fixture, aclrtDeviceSetLimit, 0, .limit = ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, .value = 65536);
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtDeviceSetLimit, 0, .limit = ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, .value = 65536);
	silent(fixture);
	never(fixture, "config-range-clamped");
	never(fixture, "device-limit-visible-devices");
}

/* Reset, the limit is none: the value it had before is another one. */
static void limit_after_reset(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);

	(void)state;
	CALL(fixture, aclrtSetDeviceResLimit, 0, .deviceId = 0, .type = CUBE, .value = 4);
	CALL(fixture, aclrtSetDeviceResLimit, 0, .deviceId = 1, .type = CUBE, .value = 4);
	LAUNCH(fixture, s);
	CALL(fixture, aclrtResetDeviceResLimit, 0, .deviceId = 1);
	CALL(fixture, aclrtResetDeviceResLimit, 507000, .deviceId = 0);
	CALL(fixture, aclrtSetDeviceResLimit, 0, .deviceId = 0, .type = CUBE, .value = 4);
	never(fixture, "res-limit-late");
	CALL(fixture, aclrtResetDeviceResLimit, 0, .deviceId = 0);
	want(fixture, "api-error:warning");
	CALL(fixture, aclrtSetDeviceResLimit, 0, .deviceId = 0, .type = CUBE, .value = 4);
	want(fixture, "res-limit-late:advice");
}

/* The same of a stream, and of each kind of its cores. */
static void limit_of_a_stream_after_reset(void **state)
{
	static const aclrtDevResLimitType types[] = {CUBE, ACL_RT_DEV_RES_VECTOR_CORE};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		void *s = fixture_stream(fixture, 1), *other = fixture_stream(fixture, 2);

		CALL(fixture, aclrtSetStreamResLimit, 0, .stream = s, .type = types[i], .value = 4);
		CALL(fixture, aclrtSetStreamResLimit, 0, .stream = other, .type = types[i], .value = 4);
		LAUNCH(fixture, s);
		LAUNCH(fixture, other);
		CALL(fixture, aclrtResetStreamResLimit, 0, .stream = other);
		CALL(fixture, aclrtResetStreamResLimit, 507000, .stream = s);
		CALL(fixture, aclrtResetStreamResLimit, 107000, .stream = handle(9));
		CALL(fixture, aclrtSetStreamResLimit, 0, .stream = s, .type = types[i], .value = 4);
		never(fixture, "res-limit-late");
		CALL(fixture, aclrtSetStreamResLimit, 0, .stream = other, .type = types[i], .value = 4);
		want(fixture, "res-limit-late:advice api-error:warning api-error:warning");
		CALL(fixture, aclrtResetStreamResLimit, 0, .stream = s);
		CALL(fixture, aclrtSetStreamResLimit, 0, .stream = s, .type = types[i], .value = 4);
		want(fixture, "res-limit-late:advice");
		fixture_free(fixture);
	}
}

static void stack_of_the_configuration(void **state)
{
	static const struct {
		const char *path, *found;
	} cases[] = {{"stack of 32768", ""}, {"stack of 49152", ""}, {"stack of 7864320", ""},
		{"stack of 33000", "config-range-clamped:advice"},
		{"stack of 16384", "config-range-clamped:advice"},
		{"stack of 7880704", "config-range-clamped:advice"}, {"without", ""}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *fixture = fixture_new(DOCUMENTS);

		CALL(fixture, aclInit, 0, .configPath = cases[i].path);
		want(fixture, cases[i].found);
		assert_int_equal(fixture_count(fixture, "device-limit-visible-devices"), 0);
		fixture_free(fixture);
	}
}

/* Device 0 sets it: hidden, that fails, and aclInit says why. */
static void stack_by_a_hidden_device(void **state)
{
	const struct checks_config hidden = {.target = DOCUMENTS, .visible_devices = "1,2"},
				   visible = {.target = DOCUMENTS, .visible_devices = "0,1"};
	struct fixture *fixture = fixture_with(&hidden);

	(void)state;
	CALL(fixture, aclInit, 0, .configPath = "stack of 32768");
	want(fixture, "device-limit-visible-devices:advice");
	fixture_free(fixture);
	fixture = fixture_with(&hidden);
	CALL(fixture, aclInit, 507000, .configPath = "stack of 33000");
	want(fixture, "device-limit-visible-devices:advice api-error:warning");
	fixture_free(fixture);
	fixture = fixture_with(&hidden);
	CALL(fixture, aclInit, 0, .configPath = "without");
	silent(fixture);
	/* The file of a repeated call is not read. */
	CALL(fixture, aclInit, 100002, .configPath = "stack of 33000");
	never(fixture, "device-limit-visible-devices");
	fixture_free(fixture);
	fixture = fixture_with(&visible);
	CALL(fixture, aclInit, 0, .configPath = "stack of 32768");
	silent(fixture);
	assert_int_equal(fixture_count(fixture, "device-limit-visible-devices"), 1);
	fixture_free(fixture);
}

/* A context of the program's own beside the device that the configuration names. */
static void default_device_of_the_configuration(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);
	aclrtContext context = handle(1);

	(void)state;
	CALL(fixture, aclInit, 0, .configPath = "default device");
	CALL(fixture, aclrtCreateContext, 0, .context = &context, .deviceId = 0);
	want(fixture, "default-device-explicit-context:advice");
	context = handle(2);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtCreateContext, 0, .context = &context, .deviceId = 0);
	silent(fixture);
	fixture_free(fixture);
	fixture = fixture_new(DOCUMENTS);
	CALL(fixture, aclInit, 0, .configPath = "no default");
	CALL(fixture, aclrtCreateContext, 0, .context = &context, .deviceId = 0);
	silent(fixture);
	fixture_free(fixture);
}

/* --- options, groups, time ---------------------------------------------------------------------------- */

static void option_errors(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	int64_t value;

	(void)state;
	CALL(fixture, aclrtCtxGetSysParamOpt, 507000, .opt = ACL_OPT_DETERMINISTIC, .value = &value);
	CALL(fixture, aclrtGetSysParamOpt, 107021, .opt = ACL_OPT_DETERMINISTIC, .value = &value);
	fixture->tid = 2; /* without a context */
	CALL(fixture, aclrtCtxGetSysParamOpt, 107021, .opt = ACL_OPT_DETERMINISTIC, .value = &value);
	never(fixture, "ctx-sys-param-not-set");
}

static void no_groups(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	uint32_t count = 0;
	int32_t id;
	size_t n;

	(void)state;
	CALL(fixture, aclrtGetGroupInfoDetail, 100000, .groupInfo = handle(1), .groupIndex = 5,
		.attr = ACL_GROUP_AICORE_INT, .attrValue = &id, .valueLen = 4, .paramRetSize = &n);
	CALL(fixture, aclrtGetGroupCount, 0, .count = &count);
	CALL(fixture, aclrtGetGroupInfoDetail, 100000, .groupInfo = handle(1), .groupIndex = 0,
		.attr = ACL_GROUP_AICORE_INT, .attrValue = &id, .valueLen = 4, .paramRetSize = &n);
	CALL(fixture, aclrtSetGroup, 107014, .groupId = 0);
	never(fixture, "group-order");
}

/* A group that was asked for exists: it is refused for another reason. */
static void group_of_the_answer(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	uint32_t count = 3;
	int32_t id = 7;
	size_t n;

	(void)state;
	CALL(fixture, aclrtGetGroupCount, 0, .count = &count);
	CALL(fixture, aclrtGetGroupInfoDetail, 0, .groupInfo = handle(1), .groupIndex = 1,
		.attr = ACL_GROUP_GROUPID_INT, .attrValue = &id, .valueLen = 4, .paramRetSize = &n);
	CALL(fixture, aclrtSetGroup, 107014, .groupId = 7);
	never(fixture, "group-order");
	CALL(fixture, aclrtSetGroup, 107014, .groupId = 8);
	want(fixture, "group-order:error api-error:warning");
}

static void time_without_interval(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	uint64_t us, interval = 1000;

	(void)state;
	CALL(fixture, aclrtSetOpExecuteTimeOutV2, 0, .timeout = 1, .actualTimeout = &us);
	CALL(fixture, aclrtGetOpTimeOutInterval, 0, .interval = &interval);
	CALL(fixture, aclrtSetOpExecuteTimeOutV2, 0, .timeout = 0, .actualTimeout = &us);
	CALL(fixture, aclrtSetOpExecuteTimeOutV2, 0, .timeout = 254000, .actualTimeout = &us);
	silent(fixture);
}

/* --- modes of streams -------------------------------------------------------------------------------------
 */

/* The default stream is always there; a stream of another device is not touched. */
static void saturation(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	LAUNCH(fixture, NULL);
	CALL(fixture, aclrtSetDeviceSatMode, 0, .mode = ACL_RT_OVERFLOW_MODE_INFNAN);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 1);
	fixture_stream(fixture, 1);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtSetDeviceSatMode, 0, .mode = ACL_RT_OVERFLOW_MODE_SATURATION);
	never(fixture, "satmode-existing-streams");
	/* What failed has not set anything. */
	fixture_stream(fixture, 2);
	CALL(fixture, aclrtSetDeviceSatMode, 207000, .mode = ACL_RT_OVERFLOW_MODE_INFNAN);
	never(fixture, "satmode-existing-streams");
}

static void overflow_switch(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);
	uint32_t now = 1;

	(void)state;
	CALL(fixture, aclrtSetStreamOverflowSwitch, 0, .stream = s, .flag = 1);
	LAUNCH(fixture, s);
	CALL(fixture, aclrtSetStreamOverflowSwitch, 0, .stream = s, .flag = 1);
	CALL(fixture, aclrtGetStreamOverflowSwitch, 0, .stream = s, .flag = &now);
	CALL(fixture, aclrtSetStreamOverflowSwitch, 0, .stream = s, .flag = 1);
	CALL(fixture, aclrtSetStreamOverflowSwitch, 0, .stream = handle(2), .flag = 0);
	never(fixture, "stream-overflow-switch-existing-tasks");
}

/* What the runtime answered is what the stream has, by whichever call. */
static void overflow_switch_told(void **state)
{
	static const char late[] = "stream-overflow-switch-existing-tasks:advice";
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2);
	aclrtStreamAttrValue value = {.overflowSwitch = 1};
	uint32_t on = 1, off = 0;

	(void)state;
	LAUNCH(fixture, s);
	LAUNCH(fixture, t);
	CALL(fixture, aclrtGetStreamOverflowSwitch, 507000, .stream = s, .flag = &off);
	want(fixture, "api-error:warning");
	CALL(fixture, aclrtGetStreamOverflowSwitch, 0, .stream = s, .flag = &on);
	CALL(fixture, aclrtSetStreamOverflowSwitch, 0, .stream = s, .flag = 1);
	silent(fixture);
	CALL(fixture, aclrtSetStreamOverflowSwitch, 0, .stream = s, .flag = 0);
	want(fixture, late);
	/* By an attribute; the other attributes say nothing of it. */
	CALL(fixture, aclrtGetStreamAttribute, 0, .stream = t,
		.stmAttrType = ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, .value = &value);
	value.overflowSwitch = 0;
	CALL(fixture, aclrtGetStreamAttribute, 0, .stream = t, .stmAttrType = ACL_STREAM_ATTR_FAILURE_MODE,
		.value = &value);
	CALL(fixture, aclrtGetStreamAttribute, 507000, .stream = t,
		.stmAttrType = ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, .value = &value);
	want(fixture, "api-error:warning");
	CALL(fixture, aclrtSetStreamOverflowSwitch, 0, .stream = t, .flag = 1);
	silent(fixture);
	CALL(fixture, aclrtGetStreamAttribute, 0, .stream = t,
		.stmAttrType = ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, .value = &value);
	CALL(fixture, aclrtSetStreamOverflowSwitch, 0, .stream = t, .flag = 1);
	want(fixture, late);
}

static void read_something_else(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096),
	     *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096);
	void *s = fixture_stream(fixture, 1), *e = fixture_event(fixture, 2, ACL_EVENT_SYNC);

	(void)state;
	CALL(fixture, aclrtGetOverflowStatus, 0, .outputAddr = d, .outputSize = 64, .stream = s);
	CALL(fixture, aclrtMemcpy, 0, .dst = h, .destMax = 64, .src = d + 64, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	CALL(fixture, aclrtSynchronizeEvent, 0, .event = e);
	CALL(fixture, aclrtMemcpy, 0, .dst = h, .destMax = 64, .src = d, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	silent(fixture);
	/* Not asked for at all. */
	CALL(fixture, aclrtGetOverflowStatus, 207000, .outputAddr = d + 128, .outputSize = 64, .stream = s);
	CALL(fixture, aclrtMemcpy, 0, .dst = h, .destMax = 64, .src = d + 128, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	never(fixture, "overflow-status-not-synchronised");
}

/* --- information kept with tasks --------------------------------------------------------------------------
 */

static void cache(struct fixture *fixture, void *s, uint32_t on)
{
	aclrtStreamAttrValue value = {.cacheOpInfoSwitch = on};

	CALL(fixture, aclrtSetStreamAttribute, 0, .stream = s, .stmAttrType = ACL_STREAM_ATTR_CACHE_OP_INFO,
		.value = &value);
}

/* Which of two captures the last task went to is not known; of a stream from elsewhere, nothing. */
static void some_capture_keeps(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2);

	(void)state;
	cache(fixture, t, 1);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = t, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	LAUNCH(fixture, s);
	CALL(fixture, aclrtCacheLastTaskOpInfo, 0, .infoPtr = fixture, .infoSize = 64);
	silent(fixture);
	fixture = fixture_ready(DOCUMENTS);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = handle(3),
		.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(fixture, aclrtCacheLastTaskOpInfo, 0, .infoPtr = fixture, .infoSize = 64);
	CALL(fixture, aclrtCacheLastTaskExtendInfo, 0, .extendInfoPtr = (char *)fixture, .infoSize = 64);
	silent(fixture);
}

static void built_model_keeps(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclmdlRI model = handle(1);

	(void)state;
	CALL(fixture, aclmdlRIBuildBegin, 0, .modelRI = &model);
	CALL(fixture, aclrtCacheLastTaskExtendInfo, 0, .extendInfoPtr = (char *)fixture, .infoSize = 64);
	silent(fixture);
}

/* Switched on for one stream, captured on another. */
static void other_stream_left_on(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2);
	aclmdlRI model = handle(3);

	(void)state;
	cache(fixture, t, 1);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &model);
	never(fixture, "opinfo-cache-left-on");
}

/* A stream that takes over the handle of a destroyed one has no thread yet. */
static void stream_handle_again(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);

	(void)state;
	CALL(fixture, aclrtSubscribeHostFunc, 0, .hostFuncThreadId = 1, .exeStream = s);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	s = fixture_stream(fixture, 1);
	CALL(fixture, aclrtSubscribeHostFunc, 0, .hostFuncThreadId = 2, .exeStream = s);
	CALL(fixture, aclrtSubscribeHostFunc, 0, .hostFuncThreadId = 2, .exeStream = handle(2));
	CALL(fixture, aclrtSubscribeHostFunc, 0, .hostFuncThreadId = 3, .exeStream = handle(2));
	silent(fixture);
}

/* However many callbacks run at once, and have run: what each received is known. */
static void many_failures_at_once(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	unsigned api = ACL_API_aclrtSetExceptionInfoCallback;

	(void)state;
	for (unsigned i = 1; i <= 500; i++)
		fixture_callback(fixture, api, handle(i), true);
	fixture_callback(fixture, api, handle(1), false);
	for (unsigned i = 2; i <= 500; i++)
		CALL(fixture, aclrtGetTaskIdFromExceptionInfo, 0, .info = handle(i));
	never(fixture, "exc-info-escaped");
	/* A callback that is registered below the interface may run with an information at that address. */
	CALL(fixture, aclrtGetTaskIdFromExceptionInfo, 0, .info = handle(1));
	never(fixture, "exc-info-escaped");
	fixture->other_ways = 0;
	CALL(fixture, aclrtGetTaskIdFromExceptionInfo, 0, .info = handle(1));
	want(fixture, "exc-info-escaped:error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_of_other_stream),
		cmocka_unit_test(limit_behind_a_declared_kernel),
		cmocka_unit_test(limits_of_the_default_stream),
		cmocka_unit_test(limits_of_other_threads),
		cmocka_unit_test(failed_limits),
		cmocka_unit_test(limit_of_devices),
		cmocka_unit_test(limit_after_reset),
		cmocka_unit_test(limit_of_a_stream_after_reset),
		cmocka_unit_test(stack_of_the_configuration),
		cmocka_unit_test(stack_by_a_hidden_device),
		cmocka_unit_test(default_device_of_the_configuration),
		cmocka_unit_test(option_errors),
		cmocka_unit_test(no_groups),
		cmocka_unit_test(group_of_the_answer),
		cmocka_unit_test(time_without_interval),
		cmocka_unit_test(saturation),
		cmocka_unit_test(overflow_switch),
		cmocka_unit_test(overflow_switch_told),
		cmocka_unit_test(read_something_else),
		cmocka_unit_test(some_capture_keeps),
		cmocka_unit_test(built_model_keeps),
		cmocka_unit_test(other_stream_left_on),
		cmocka_unit_test(stream_handle_again),
		cmocka_unit_test(many_failures_at_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
