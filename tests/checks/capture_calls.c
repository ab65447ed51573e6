/* SPDX-License-Identifier: Apache-2.0 */
/* What may be called while a stream is captured, and what its model needs afterwards. */
#include "fixture.h"
#include "scenario.h"

static void *end(struct scenario *sc, unsigned n)
{
	aclmdlRI model = handle(n);

	CALL(sc->fixture, aclmdlRICaptureEnd, 0, .stream = sc->s, .modelRI = &model);
	return model;
}

static unsigned exchange(struct fixture *fixture, aclmdlRICaptureMode mode)
{
	CALL(fixture, aclmdlRICaptureThreadExchangeMode, 0, .mode = &mode);
	return mode;
}

/* Every combination of capture mode, exchange mode and own or other thread, as the runtime answers. */
static void capture_modes(void **state)
{
	static const struct {
		unsigned begin, exchange;
		bool own, refused;
	} table[] = {
		{GLOBAL, GLOBAL, true, true},
		{GLOBAL, THREAD_LOCAL, true, true},
		{GLOBAL, RELAXED, true, false},
		{GLOBAL, GLOBAL, false, true},
		{GLOBAL, THREAD_LOCAL, false, false},
		{GLOBAL, RELAXED, false, false},
		{THREAD_LOCAL, GLOBAL, true, true},
		{THREAD_LOCAL, THREAD_LOCAL, true, true},
		{THREAD_LOCAL, RELAXED, true, false},
		{THREAD_LOCAL, GLOBAL, false, false},
		{THREAD_LOCAL, THREAD_LOCAL, false, false},
		{RELAXED, GLOBAL, true, false},
		{RELAXED, THREAD_LOCAL, true, false},
		{RELAXED, RELAXED, true, false},
		{RELAXED, GLOBAL, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct scenario sc = scenario(DOCUMENTS, SIZE);

		BEGIN(sc, table[i].begin);
		if (!table[i].own)
			other_thread(sc.fixture, 2);
		exchange(sc.fixture, table[i].exchange);
		SYNC_COPY(sc, table[i].refused ? 107030 : 0);
		if (!table[i].refused)
			silent(sc.fixture);
		else if (table[i].own)
			want(sc.fixture, "capture-unsafe-sync-memop:error");
		else
			want(sc.fixture, "capture-unsafe-other-thread-global:error");
	}
}

static void capture_mode_is_of_context(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclrtContext own = handle(7);

	(void)state;
	BEGIN(sc, GLOBAL);
	sc.fixture->tid = 2;
	CALL(sc.fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	SYNC_COPY(sc, 0);
	silent(sc.fixture);
}

static void capture_exchange_restores(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclmdlRICaptureMode mode = RELAXED;

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.fixture, aclmdlRICaptureThreadExchangeMode, 0, .mode = &mode);
	SYNC_COPY(sc, 0);
	mode = GLOBAL;
	CALL(sc.fixture, aclmdlRICaptureThreadExchangeMode, 107000,
		.mode = &mode); /* failed: still relaxed */
	want(sc.fixture, "api-error:warning");
	SYNC_COPY(sc, 0);
	silent(sc.fixture);
	exchange(sc.fixture, GLOBAL);
	mode = RELAXED + 1; /* no mode: whatever the answer, it sets none */
	CALL(sc.fixture, aclmdlRICaptureThreadExchangeMode, 0, .mode = &mode);
	want(sc.fixture, "capture-begin-bad-mode:error");
	SYNC_COPY(sc, 107030);
	want(sc.fixture, "capture-unsafe-sync-memop:error");
}

static void capture_self_copy_and_nothing(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.fixture, aclrtMemcpy, 0, .dst = sc.d, .destMax = SIZE, .src = sc.d, .count = SIZE,
		.kind = ACL_MEMCPY_DEFAULT);
	CALL(sc.fixture, aclrtMemcpy, 0, .dst = sc.d, .destMax = SIZE, .src = sc.h, .count = 0,
		.kind = ACL_MEMCPY_DEFAULT);
	want(sc.fixture, "");
}

static void capture_d32_on_host_memory(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.fixture, aclrtMemsetD32, 0, .ptr = sc.h, .memSize = SIZE, .value = 7, .N = 8);
	silent(sc.fixture);
	CALL(sc.fixture, aclrtMemsetD32, 0, .ptr = sc.d, .memSize = SIZE, .value = 7, .N = 8);
	want(sc.fixture, "capture-unsafe-unchecked-memop:error");
}

/* They are set at once, and are no part of the model. */
static void capture_async_words_of_the_host(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *other = fixture_stream(sc.fixture, 2);

	(void)state;
	BEGIN(sc, RELAXED);
	SET(sc, sc.s);
	CALL(sc.fixture, aclrtMemsetD32Async, 0, .ptr = sc.h, .memSize = SIZE, .value = 7, .N = 8,
		.stream = sc.s);
	silent(sc.fixture);
	COPY(sc, sc.d, sc.h, SIZE, HOST_TO_DEVICE, other);
	CALL(sc.fixture, aclrtMemsetD32Async, 0, .ptr = sc.h, .memSize = SIZE, .value = 7, .N = 8,
		.stream = sc.s);
	want(sc.fixture, "memset-async-host-unordered:advice");
	SYNC(sc, other, 0);
	end(&sc, 9);
	CALL(sc.fixture, aclrtFreeHost, 0, .hostPtr = sc.h);
	silent(sc.fixture);
}

static void capture_unrelated_calls(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *other = fixture_stream(sc.fixture, 2), *e = fixture_event(sc.fixture, 3, ACL_EVENT_SYNC), *more;
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
	aclmdlRICaptureStatus captured = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRI model = handle(9);

	(void)state;
	RECORD(sc, e, other);
	BEGIN(sc, GLOBAL);
	CALL(sc.fixture, aclmdlRICaptureGetInfo, 0, .stream = sc.s, .status = &captured, .modelRI = &model);
	SYNC(sc, other, 0);
	CALL(sc.fixture, aclrtQueryEventStatus, 0, .event = e, .status = &status);
	more = fixture_malloc(sc.fixture, DEVICE_MEMORY + (1ul << 20), SIZE);
	CALL(sc.fixture, aclrtFree, 0, .devPtr = more);
	fixture_event(sc.fixture, 4, ACL_EVENT_SYNC);
	assert_ptr_equal(end(&sc, 9), handle(9));
	SYNC(sc, sc.s, 0);
	silent(sc.fixture);
}

static void capture_fork_and_join(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *other = fixture_stream(sc.fixture, 2), *fork = fixture_event(sc.fixture, 3, ACL_EVENT_SYNC);
	void *join = fixture_event(sc.fixture, 4, ACL_EVENT_SYNC), *model;

	(void)state;
	BEGIN(sc, GLOBAL);
	RECORD(sc, fork, sc.s);
	WAIT(sc, other, fork);
	SYNC(sc, other, 107027);
	want(sc.fixture, "capture-sync-stream:error");
	SET(sc, other);
	RECORD(sc, join, other);
	WAIT(sc, sc.s, join);
	model = end(&sc, 9);
	SYNC(sc, other, 0); /* both are free again */
	CALL(sc.fixture, aclrtSynchronizeEvent, 0,
		.event = fork); /* the events, too, with nothing to wait for */
	want(sc.fixture, "capture-event-used-outside-graph:warning");
	CALL(sc.fixture, aclrtDestroyEvent, 0, .event = fork);
	CALL(sc.fixture, aclrtDestroyEvent, 0, .event = join);
	CALL(sc.fixture, aclmdlRIDestroy, 0, .modelRI = model);
	silent(sc.fixture);
}

static void capture_wrong_ends_change_nothing(void **state)
{
	static const int errors[] = {100000, 107000, 107003, 107029, 107036};
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclmdlRI model = NULL;

	(void)state;
	BEGIN(sc, RELAXED);
	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		CALL(sc.fixture, aclmdlRICaptureEnd, errors[i], .stream = sc.s, .modelRI = &model);
		sc.fixture->n_seen = sc.fixture->n_found;
		SYNC(sc, sc.s, 107027);
		want(sc.fixture, i ? "" : "capture-sync-stream:error"); /* the second one is the same site */
	}
	end(&sc, 9);
	SYNC(sc, sc.s, 0);
	silent(sc.fixture);
}

static void capture_failed_ends_end_it(void **state)
{
	static const int errors[] = {107024, 107025, 107033, 107038, 507903};

	(void)state;
	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct scenario sc = scenario(DOCUMENTS, SIZE);
		aclmdlRI model = NULL;

		BEGIN(sc, GLOBAL);
		SET(sc, sc.s);
		CALL(sc.fixture, aclmdlRICaptureEnd, errors[i], .stream = sc.s, .modelRI = &model);
		want(sc.fixture, "api-error:warning");
		SYNC(sc, sc.s, 0);
		CALL(sc.fixture, aclrtSynchronizeDevice, 0);
		SYNC_COPY(sc, 0);
		CALL(sc.fixture, aclrtFree, 0, .devPtr = sc.d); /* no model uses it */
		silent(sc.fixture);
	}
}

static void capture_ended_by_other_thread(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *model;

	(void)state;
	BEGIN(sc, RELAXED);
	SET(sc, sc.s);
	other_thread(sc.fixture, 2);
	model = end(&sc, 9);
	sc.fixture->tid = 1;
	SET(sc, NULL);
	SYNC_COPY(sc, 0);
	CALL(sc.fixture, aclmdlRIDestroy, 0, .modelRI = model);
	silent(sc.fixture);
}

static void capture_default_stream_of_others(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);

	(void)state;
	BEGIN(sc, THREAD_LOCAL);
	other_thread(sc.fixture, 2);
	SET(sc, NULL); /* eager work of a thread that does not capture */
	SYNC(sc, NULL, 0);
	silent(sc.fixture);
	sc.fixture->tid = 1;
	SET(sc, NULL);
	want(sc.fixture, "capture-default-stream-op:error");
}

static void capture_default_stream_by_handle(void **state)
{
	struct scenario sc = scenario(ACL_CANN_8_5, SIZE);
	aclrtStream dflt = handle(8);

	(void)state;
	CALL(sc.fixture, aclrtCtxGetCurrentDefaultStream, 0, .stream = &dflt);
	BEGIN(sc, GLOBAL);
	SET(sc, dflt);
	want(sc.fixture, "capture-default-stream-op:warning");
	CALL(sc.fixture, aclmdlRICaptureBegin, 207000, .stream = dflt, .mode = GLOBAL);
	want(sc.fixture, "capture-begin-default-stream:error");
}

static void capture_model_on_default_stream(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *model;

	(void)state;
	BEGIN(sc, GLOBAL);
	SET(sc, sc.s);
	model = end(&sc, 9);
	CALL(sc.fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = NULL);
	SYNC(sc, NULL, 0);
	silent(sc.fixture);
}

static void capture_config_before_first_task(void **state)
{
	struct scenario sc = scenario(ACL_CANN_8_1, SIZE);

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.fixture, aclrtSetDeviceResLimit, 0, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE,
		.value = 8);
	silent(sc.fixture);
	SET(sc, sc.s);
	CALL(sc.fixture, aclrtSetDeviceResLimit, 0, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE,
		.value = 8);
	want(sc.fixture, "capture-config-ineffective:error");
	end(&sc, 9);
	CALL(sc.fixture, aclrtSetDeviceResLimit, 0, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE,
		.value = 8);
	silent(sc.fixture);
}

static void capture_attribute_of_torch(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclrtStreamAttrValue value = {0};

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.fixture, aclrtSetStreamAttribute, 0, .stream = sc.s,
		.stmAttrType = ACL_STREAM_ATTR_CACHE_OP_INFO, .value = &value);
	silent(sc.fixture);
	CALL(sc.fixture, aclrtSetStreamAttribute, 107027, .stream = sc.s,
		.stmAttrType = ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, .value = &value);
	want(sc.fixture, "capture-overflow-config:error");
}

static void capture_query_by_watchdog(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclrtDeviceStatus status = 0;

	(void)state;
	BEGIN(sc, GLOBAL);
	other_thread(sc.fixture, 2);
	CALL(sc.fixture, aclrtQueryDeviceStatus, 0, .deviceId = 0, .deviceStatus = &status);
	silent(sc.fixture);
}

static void capture_sync_of_other_context(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclrtContext own = handle(7);

	(void)state;
	BEGIN(sc, GLOBAL);
	other_thread(sc.fixture, 2);
	CALL(sc.fixture, aclrtSynchronizeDevice, 107027);
	want(sc.fixture, "capture-sync-device:error");
	CALL(sc.fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	CALL(sc.fixture, aclrtSynchronizeDevice, 0);
	silent(sc.fixture);
}

static void capture_wait_external(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclrtEvent external = handle(5);
	void *e = fixture_event(sc.fixture, 6, ACL_EVENT_SYNC), *model;

	(void)state;
	CALL(sc.fixture, aclrtCreateEventWithFlag, 0, .event = &external, .flag = ACL_EVENT_EXTERNAL);
	BEGIN(sc, GLOBAL);
	WAIT(sc, sc.s, external); /* waiting first is what they are for */
	CALL(sc.fixture, aclrtStreamWaitEventWithFlag, 0, .stream = sc.s, .event = e,
		.flag = ACL_EVENT_WAIT_EXTERNAL);
	model = end(&sc, 9);
	silent(sc.fixture);
	CALL(sc.fixture, aclrtDestroyEvent, 0, .event = external);
	want(sc.fixture, "capture-notify-destroyed-before-destroy:error");
	CALL(sc.fixture, aclmdlRIDestroy, 0, .modelRI = model);
	CALL(sc.fixture, aclrtDestroyEvent, 0, .event = e);
	silent(sc.fixture);
}

static void capture_event_again_outside(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *other = fixture_stream(sc.fixture, 2), *e = fixture_event(sc.fixture, 3, ACL_EVENT_SYNC);
	aclrtEventRecordedStatus status = 0;

	(void)state;
	BEGIN(sc, GLOBAL);
	RECORD(sc, e, sc.s);
	CALL(sc.fixture, aclrtSynchronizeEvent, 107028, .event = e);
	want(sc.fixture, "capture-sync-event:error");
	RECORD(sc, e, other); /* its latest record is outside; it stays captured (oracle.md, 7) */
	CALL(sc.fixture, aclrtQueryEventStatus, 107028, .event = e, .status = &status);
	want(sc.fixture, "capture-sync-event:error");
	WAIT(sc, sc.s, e);
	silent(sc.fixture);
	end(&sc, 4);
	CALL(sc.fixture, aclrtSynchronizeEvent, 0, .event = e);
	silent(sc.fixture);
}

/* A further stream that waits for it joins the capture. */
static void capture_joined_by_event_again_outside(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *other = fixture_stream(sc.fixture, 2), *e = fixture_event(sc.fixture, 3, ACL_EVENT_SYNC),
	     *third = fixture_stream(sc.fixture, 4);

	(void)state;
	BEGIN(sc, GLOBAL);
	RECORD(sc, e, sc.s);
	RECORD(sc, e, other);
	WAIT(sc, third, e);
	SYNC(sc, other, 0);
	silent(sc.fixture);
	SYNC(sc, third, 107027);
	want(sc.fixture, "capture-sync-stream:error");
}

static void model_frees_after_destroy(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *model;

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.fixture, aclrtMemcpyAsync, 0, .dst = sc.d, .destMax = SIZE, .src = sc.h, .count = SIZE,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = sc.s);
	model = end(&sc, 9);
	CALL(sc.fixture, aclmdlRIDestroy, 107037, .modelRI = model); /* running: it stays */
	want(sc.fixture, "api-error:warning");
	CALL(sc.fixture, aclrtFreeHost, 0, .hostPtr = sc.h);
	want(sc.fixture, "capture-host-buffer-freed:error");
	CALL(sc.fixture, aclmdlRIDestroy, 0, .modelRI = model);
	CALL(sc.fixture, aclrtFree, 0, .devPtr = sc.d);
	silent(sc.fixture);
}

static void model_of_reused_memory(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);

	(void)state;
	BEGIN(sc, GLOBAL);
	SET(sc, sc.s);
	end(&sc, 9);
	CALL(sc.fixture, aclrtFree, 0, .devPtr = sc.d);
	want(sc.fixture, "capture-resource-freed-before-destroy:error");
	fixture_malloc(
		sc.fixture, DEVICE_MEMORY, SIZE); /* the address again: another block, no part of the model */
	CALL(sc.fixture, aclrtFree, 0, .devPtr = sc.d);
	silent(sc.fixture);
}

static void model_updated_task_group(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclrtTaskGrp group = handle(11);
	void *update = fixture_stream(sc.fixture, 2);

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.fixture, aclmdlRICaptureTaskGrpBegin, 0, .stream = sc.s);
	CALL(sc.fixture, aclrtLaunchKernel, 0, .funcHandle = handle(20), .numBlocks = 1, .argsData = sc.d,
		.argsSize = 64, .stream = sc.s);
	CALL(sc.fixture, aclmdlRICaptureTaskGrpEnd, 0, .stream = sc.s, .handle = &group);
	end(&sc, 9);
	CALL(sc.fixture, aclmdlRICaptureTaskUpdateBegin, 0, .stream = update, .handle = group);
	CALL(sc.fixture, aclmdlRICaptureTaskUpdateEnd, 0, .stream = update);
	CALL(sc.fixture, aclrtFree, 0, .devPtr = sc.d); /* the update may have replaced the task */
	silent(sc.fixture);
}

static void capture_torn_down_by_counted_reset(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);

	(void)state;
	CALL(sc.fixture, aclrtSetDevice, 0, .deviceId = 0);
	BEGIN(sc, GLOBAL);
	CALL(sc.fixture, aclrtResetDevice, 0, .deviceId = 0); /* one of two */
	silent(sc.fixture);
	CALL(sc.fixture, aclrtFree, 0, .devPtr = sc.d);
	CALL(sc.fixture, aclrtFreeHost, 0, .hostPtr = sc.h);
	CALL(sc.fixture, aclrtResetDevice, 0, .deviceId = 0);
	want(sc.fixture, "capture-context-torn-down:error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capture_modes),
		cmocka_unit_test(capture_mode_is_of_context),
		cmocka_unit_test(capture_exchange_restores),
		cmocka_unit_test(capture_self_copy_and_nothing),
		cmocka_unit_test(capture_d32_on_host_memory),
		cmocka_unit_test(capture_async_words_of_the_host),
		cmocka_unit_test(capture_unrelated_calls),
		cmocka_unit_test(capture_fork_and_join),
		cmocka_unit_test(capture_wrong_ends_change_nothing),
		cmocka_unit_test(capture_failed_ends_end_it),
		cmocka_unit_test(capture_ended_by_other_thread),
		cmocka_unit_test(capture_default_stream_of_others),
		cmocka_unit_test(capture_default_stream_by_handle),
		cmocka_unit_test(capture_model_on_default_stream),
		cmocka_unit_test(capture_config_before_first_task),
		cmocka_unit_test(capture_attribute_of_torch),
		cmocka_unit_test(capture_query_by_watchdog),
		cmocka_unit_test(capture_sync_of_other_context),
		cmocka_unit_test(capture_wait_external),
		cmocka_unit_test(capture_event_again_outside),
		cmocka_unit_test(capture_joined_by_event_again_outside),
		cmocka_unit_test(model_frees_after_destroy),
		cmocka_unit_test(model_of_reused_memory),
		cmocka_unit_test(model_updated_task_group),
		cmocka_unit_test(capture_torn_down_by_counted_reset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
