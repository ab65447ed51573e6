/* SPDX-License-Identifier: Apache-2.0 */
/* The mission rules where they must stay silent, and the state machines behind them. */
#include "fixture.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define GLOBAL ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED
#define SIZE 4096ul

struct scenario {
	struct fixture *fixture;
	char *d, *h;
	void *s;
};

static struct scenario scenario(int target)
{
	struct scenario sc = {.fixture = fixture_ready(target)};

	sc.d = fixture_malloc(sc.fixture, DEVICE_MEMORY, SIZE);
	sc.h = fixture_malloc_host(sc.fixture, HOST_MEMORY, SIZE);
	sc.s = fixture_stream(sc.fixture, 1);
	return sc;
}

#define BEGIN(sc, how) CALL((sc).fixture, aclmdlRICaptureBegin, 0, .stream = (sc).s, .mode = how)
#define SET(sc, stream_)                                                                                     \
	CALL((sc).fixture, aclrtMemsetAsync, 0, .devPtr = (sc).d, .maxCount = SIZE, .count = SIZE,           \
		.stream = stream_)
#define SYNC_COPY(sc, error)                                                                                 \
	CALL((sc).fixture, aclrtMemcpy, error, .dst = (sc).d, .destMax = SIZE, .src = (sc).h, .count = SIZE, \
		.kind = ACL_MEMCPY_HOST_TO_DEVICE)
#define RECORD(sc, e, stream_) CALL((sc).fixture, aclrtRecordEvent, 0, .event = e, .stream = stream_)
#define WAIT(sc, stream_, e) CALL((sc).fixture, aclrtStreamWaitEvent, 0, .stream = stream_, .event = e)
#define SYNC(sc, stream_, error) CALL((sc).fixture, aclrtSynchronizeStream, error, .stream = stream_)

static void *end(struct scenario *sc, unsigned n)
{
	aclmdlRI model = handle(n);

	CALL(sc->fixture, aclmdlRICaptureEnd, 0, .stream = sc->s, .modelRI = &model);
	return model;
}

static void other_thread(struct fixture *fixture, uint32_t tid)
{
	bool fresh = fixture->tid != tid;

	fixture->tid = tid;
	if (fresh)
		CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
}

static unsigned exchange(struct fixture *fixture, aclmdlRICaptureMode mode)
{
	CALL(fixture, aclmdlRICaptureThreadExchangeMode, 0, .mode = &mode);
	return mode;
}

/* --- captures ------------------------------------------------------------------------- */

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
		struct scenario sc = scenario(DOCUMENTS);

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
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);
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
	SYNC_COPY(sc, 107030);
	want(sc.fixture, "capture-unsafe-sync-memop:error");
}

static void capture_self_copy_and_nothing(void **state)
{
	struct scenario sc = scenario(DOCUMENTS);

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
	struct scenario sc = scenario(DOCUMENTS);

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.fixture, aclrtMemsetD32, 0, .ptr = sc.h, .memSize = SIZE, .value = 7, .N = 8);
	silent(sc.fixture);
	CALL(sc.fixture, aclrtMemsetD32, 0, .ptr = sc.d, .memSize = SIZE, .value = 7, .N = 8);
	want(sc.fixture, "capture-unsafe-unchecked-memop:error");
}

static void capture_unrelated_calls(void **state)
{
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);
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
		struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);

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
	struct scenario sc = scenario(ACL_CANN_8_5);
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
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(ACL_CANN_8_1);

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
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);
	aclrtDeviceStatus status = 0;

	(void)state;
	BEGIN(sc, GLOBAL);
	other_thread(sc.fixture, 2);
	CALL(sc.fixture, aclrtQueryDeviceStatus, 0, .deviceId = 0, .deviceStatus = &status);
	silent(sc.fixture);
}

static void capture_sync_of_other_context(void **state)
{
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);

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
	struct scenario sc = scenario(DOCUMENTS);
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
	struct scenario sc = scenario(DOCUMENTS);

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

/* --- contexts ----------------------------------------------------------------------------- */

static void context_probes_and_lower_layers(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);
	int32_t device = 0;
	aclrtContext context = NULL;
	void *p = (void *)DEVICE_MEMORY;

	(void)state;
	CALL(fixture, aclInit, 0, .configPath = NULL);
	CALL(fixture, aclrtGetDevice, 107002, .deviceId = &device);
	CALL(fixture, aclrtGetCurrentContext, 107002, .context = &context);
	silent(fixture);
	/* A library below us has set a device: the call works. */
	CALL(fixture, aclrtMalloc, 0, .devPtr = &p, .size = SIZE);
	silent(fixture);
	CALL(fixture, aclrtMalloc, 107002, .devPtr = &p, .size = SIZE);
	want(fixture, "current-context-missing:error");
}

static void context_of_other_thread(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtStream s = NULL;

	(void)state;
	fixture->tid = 2;
	CALL(fixture, aclrtCreateStream, 107002, .stream = &s);
	want(fixture, "current-context-missing:error");
	assert_non_null(strstr(fixture->found[0].detail, "not inherited"));
}

static void context_streams_by_context(void **state)
{
	struct scenario sc = scenario(DOCUMENTS);
	aclrtContext dflt = handle(6), own = handle(7);

	(void)state;
	CALL(sc.fixture, aclrtGetCurrentContext, 0, .context = &dflt);
	CALL(sc.fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	CALL(sc.fixture, aclrtSynchronizeStream, 0, .stream = sc.s); /* not bound to the context */
	silent(sc.fixture);
	CALL(sc.fixture, aclrtMemsetAsync, 107003, .devPtr = sc.d, .maxCount = SIZE, .count = SIZE,
		.stream = sc.s);
	want(sc.fixture, "stream-other-context-use:error");
	CALL(sc.fixture, aclrtSetCurrentContext, 0, .context = dflt);
	SET(sc, sc.s);
	silent(sc.fixture);
}

static void context_switched_below(void **state)
{
	struct scenario sc = scenario(DOCUMENTS);
	aclrtContext own = handle(7);

	(void)state;
	CALL(sc.fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	SET(sc, sc.s); /* it worked: somebody below switched back */
	silent(sc.fixture);
}

static void context_destroyed_empty(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtContext own = handle(7);
	void *e;

	(void)state;
	CALL(fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	e = fixture_event(fixture, 1, ACL_EVENT_SYNC); /* events do not matter */
	CALL(fixture, aclrtDestroyContext, 0, .context = own);
	want(fixture, "");
	(void)e;
}

/* --- events --------------------------------------------------------------------------------- */

static void wait_after_record(void **state)
{
	struct scenario sc = scenario(DOCUMENTS);
	void *other = fixture_stream(sc.fixture, 2), *e = fixture_event(sc.fixture, 3, ACL_EVENT_SYNC);

	(void)state;
	RECORD(sc, e, sc.s);
	WAIT(sc, other, e);
	RECORD(sc, e, sc.s); /* again, without a reset */
	WAIT(sc, other, e);
	silent(sc.fixture);
}

static void wait_by_maker_and_target(void **state)
{
	(void)state;
	for (int target = -1; target <= ACL_CANN_9_2; target++) {
		struct scenario sc = scenario(target);
		void *ex = fixture_event(sc.fixture, 3, ACL_EVENT_SYNC);
		aclrtEvent plain = handle(4);

		WAIT(sc, sc.s, ex);
		want(sc.fixture, target >= ACL_CANN_8_5 ? "event-wait-before-record:warning"
							: "event-wait-before-record:error");
		CALL(sc.fixture, aclrtCreateEvent, 0, .event = &plain);
		CALL(sc.fixture, aclrtStreamWaitEvent, 107000, .stream = sc.s, .event = plain);
		want(sc.fixture, "event-wait-before-record:error");
	}
}

static void wait_failed_record(void **state)
{
	struct scenario sc = scenario(DOCUMENTS);
	void *e = fixture_event(sc.fixture, 3, ACL_EVENT_SYNC);

	(void)state;
	CALL(sc.fixture, aclrtRecordEvent, 107003, .event = e, .stream = sc.s);
	want(sc.fixture, "api-error:warning");
	WAIT(sc, sc.s, e);
	want(sc.fixture, "event-wait-before-record:error");
}

static void wait_that_blocks(void **state)
{
	struct scenario sc = scenario(DOCUMENTS);
	void *other = fixture_stream(sc.fixture, 2);
	aclrtEvent e = handle(3);

	(void)state;
	CALL(sc.fixture, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	WAIT(sc, other, e);
	RECORD(sc, e, sc.s); /* in time */
	SYNC(sc, other, 0);
	silent(sc.fixture);
	CALL(sc.fixture, aclrtResetEvent, 0, .event = e, .stream = other);
	WAIT(sc, other, e);
	silent(sc.fixture);
	SYNC(sc, other, 0); /* nobody else could record */
	want(sc.fixture, "event-wait-before-record:error");
}

static void wait_recorded_by_other_thread(void **state)
{
	struct scenario sc = scenario(DOCUMENTS);
	void *other = fixture_stream(sc.fixture, 2);
	aclrtEvent e = handle(3);

	(void)state;
	other_thread(sc.fixture, 2);
	CALL(sc.fixture, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	WAIT(sc, other, e);
	SYNC(sc, other, 0); /* the first thread recorded meanwhile, for all we know */
	silent(sc.fixture);
	sc.fixture->tid = 1;
	RECORD(sc, e, sc.s);
	checks_finish(sc.fixture->checks, CHECKS_END_QUICK);
	silent(sc.fixture);
}

static void wait_open_at_the_end(void **state)
{
	struct scenario sc = scenario(DOCUMENTS);
	aclrtEvent e = handle(3);

	(void)state;
	CALL(sc.fixture, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	WAIT(sc, sc.s, e);
	silent(sc.fixture);
	checks_finish(sc.fixture->checks, CHECKS_END_EXIT);
	assert_string_equal(sc.fixture->found[0].what, "finalize-missing-at-exit:warning");
	want(sc.fixture,
		"event-wait-before-record:error finalize-missing-at-exit:warning leak-device-memory:warning "
		"leak-host-memory:warning leak-objects:warning leak-objects:warning");
}

/* --- life ------------------------------------------------------------------------------------- */

static void init_missing_exemptions(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);
	int32_t major, minor, patch;

	(void)state;
	CALL(fixture, aclrtGetVersion, 0, .majorVersion = &major, .minorVersion = &minor,
		.patchVersion = &patch);
	CALL(fixture, aclrtGetSocName, 0);
	silent(fixture);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	want(fixture, "init-missing:error");
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 1); /* once per process */
	silent(fixture);
}

static void finalize_after_counted_sets(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	CALL(fixture, aclFinalize, 0);
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	silent(fixture);
}

static void finalize_with_device(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS), *newer = fixture_ready(ACL_CANN_8_5),
		       *late = fixture_ready(DOCUMENTS);

	(void)state;
	CALL(fixture, aclFinalize, 0);
	want(fixture, "finalize-before-reset:error");
	CALL(newer, aclFinalize, 0);
	want(newer, "finalize-before-reset:warning");
	late->in_exit = true;
	CALL(late, aclFinalize, 0);
	want(late, "finalize-before-reset:warning");
}

static void end_of_other_kinds(void **state)
{
	struct scenario quick = scenario(DOCUMENTS), child = scenario(DOCUMENTS);

	(void)state;
	checks_finish(quick.fixture->checks, CHECKS_END_QUICK);
	silent(quick.fixture);
	checks_forked(child.fixture->checks);
	checks_finish(child.fixture->checks, CHECKS_END_EXIT);
	silent(child.fixture);
}

static void leaks_once_by_device(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		fixture_malloc(fixture, DEVICE_MEMORY + i * (1ul << 20), SIZE);
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	want(fixture, "leak-device-memory:warning");
	assert_non_null(strstr(fixture->found[0].detail, "8 blocks of 32 KiB"));
	CALL(fixture, aclFinalize, 0);
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	silent(fixture);
}

static void leaks_not_twice(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	fixture_event(fixture, 1, ACL_EVENT_SYNC);
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	want(fixture, "device-reset-with-live-objects:error");
	CALL(fixture, aclFinalize, 0);
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	silent(fixture);
}

/* --- release -------------------------------------------------------------------------------------- */

static void free_by_run_mode(void **state)
{
	struct scenario sc = scenario(DOCUMENTS), unified = scenario(DOCUMENTS);
	aclrtRunMode mode = ACL_DEVICE;

	(void)state;
	CALL(sc.fixture, aclrtFree, 0, .devPtr = sc.h);
	want(sc.fixture, "free-host-with-device-free:error");
	CALL(sc.fixture, aclrtFreeHost, 107000, .hostPtr = sc.d);
	want(sc.fixture, "free-device-with-host-free:error");
	CALL(sc.fixture, aclrtFree, 0, .devPtr = sc.d); /* the refused call freed nothing */
	silent(sc.fixture);
	CALL(unified.fixture, aclrtGetRunMode, 0, .runMode = &mode);
	CALL(unified.fixture, aclrtFree, 0, .devPtr = unified.h);
	want(unified.fixture, "free-host-with-device-free:warning");
	CALL(unified.fixture, aclrtFreeHost, 0, .hostPtr = unified.d);
	silent(unified.fixture);
}

static void unified_memory(void **state)
{
	struct scenario asked = scenario(DOCUMENTS), not_asked = scenario(DOCUMENTS),
			newer = scenario(ACL_CANN_9_1);
	aclrtRunMode mode = ACL_DEVICE;

	(void)state;
	SYNC_COPY(not_asked, 0);
	silent(not_asked.fixture);
	CALL(asked.fixture, aclrtGetRunMode, 0, .runMode = &mode);
	SYNC_COPY(asked, 0);
	want(asked.fixture, "rc-mode-host-copy:error");
	CALL(newer.fixture, aclrtGetRunMode, 0, .runMode = &mode);
	SYNC_COPY(newer, 0);
	want(newer.fixture, "rc-mode-host-copy:perf");
}

/* --- peers ------------------------------------------------------------------------------------------ */

struct pair {
	struct fixture *fixture;
	void *zero, *one; /* memory of device 0 and of device 1 */
	void *s0, *s1;
};

static struct pair pair(void)
{
	struct pair p = {.fixture = fixture_ready(DOCUMENTS)};

	p.zero = fixture_malloc(p.fixture, DEVICE_MEMORY, SIZE);
	p.s0 = fixture_stream(p.fixture, 1);
	CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 1);
	p.one = fixture_malloc(p.fixture, DEVICE_MEMORY + (1ul << 30), SIZE);
	p.s1 = fixture_stream(p.fixture, 2);
	return p;
}

#define ENABLE(p, peer) CALL((p).fixture, aclrtDeviceEnablePeerAccess, 0, .peerDeviceId = peer)
#define ACROSS(p, stream_)                                                                                   \
	CALL((p).fixture, aclrtMemcpyAsync, 0, .dst = (p).one, .destMax = SIZE, .src = (p).zero,             \
		.count = SIZE, .kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = stream_)

static void peer_directions(void **state)
{
	struct pair none = pair(), right = pair(), wrong = pair(), undone = pair();

	(void)state;
	ACROSS(none, none.s1);
	want(none.fixture, "peer-copy-not-enabled:error");
	ENABLE(right, 0); /* device 1 is current: towards the source */
	ACROSS(right, right.s1);
	silent(right.fixture);
	CALL(wrong.fixture, aclrtSetDevice, 0, .deviceId = 0);
	ENABLE(wrong, 1);
	CALL(wrong.fixture, aclrtSetDevice, 0, .deviceId = 1);
	ACROSS(wrong, wrong.s1);
	want(wrong.fixture, "peer-copy-not-enabled:warning");
	ENABLE(undone, 0);
	CALL(undone.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = 0);
	ACROSS(undone, undone.s1);
	want(undone.fixture, "peer-copy-not-enabled:error");
}

static void peer_imports_enable(void **state)
{
	struct pair p = pair();
	void *imported = NULL;

	(void)state;
	CALL(p.fixture, aclrtIpcMemImportByKey, 0, .devPtr = &imported, .key = "key",
		.flags = ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	ACROSS(p, p.s1);
	silent(p.fixture);
}

static void peer_denied(void **state)
{
	struct pair p = pair();
	int32_t can = 0;

	(void)state;
	CALL(p.fixture, aclrtDeviceCanAccessPeer, 0, .canAccessPeer = &can, .deviceId = 1, .peerDeviceId = 0);
	ENABLE(p, 0);
	want(p.fixture, "peer-access-denied:error");
	ACROSS(p, p.s1);
	want(p.fixture, "peer-access-denied:error");
	can = 1; /* asked again, answered otherwise */
	CALL(p.fixture, aclrtDeviceCanAccessPeer, 0, .canAccessPeer = &can, .deviceId = 1, .peerDeviceId = 0);
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	silent(p.fixture);
}

/* Everything of device 0 but what the rule is about. */
static void leave_device_zero(struct pair *p)
{
	CALL(p->fixture, aclrtFree, 0, .devPtr = p->zero);
	CALL(p->fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(p->fixture, aclrtDestroyStream, 0, .stream = p->s0);
	CALL(p->fixture, aclrtResetDeviceForce, 0, .deviceId = 0);
}

static void peer_reset_pending(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	leave_device_zero(&p);
	want(p.fixture, "peer-device-reset-in-use:error");
}

static void peer_reset_after_sync(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	SYNC(p, p.s1, 507005); /* end of sequence: drained all the same */
	leave_device_zero(&p);
	want(p.fixture, "");
}

static void peer_reset_after_failed_sync(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	CALL(p.fixture, aclrtSynchronizeStreamWithTimeout, 507046, .stream = p.s1, .timeout = 1);
	leave_device_zero(&p);
	want(p.fixture, "peer-device-reset-in-use:error");
}

/* s0 waited for s1, and s0 was synchronised: s1 is done that far. */
static void peer_reset_after_transitive_sync(void **state)
{
	struct pair p = pair();
	void *e = fixture_event(p.fixture, 5, ACL_EVENT_SYNC);

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	RECORD(p, e, p.s1);
	CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 0);
	WAIT(p, p.s0, e);
	SYNC(p, p.s0, 0);
	leave_device_zero(&p);
	want(p.fixture, "");
}

static void peer_reset_after_query(void **state)
{
	struct pair p = pair();
	void *e = fixture_event(p.fixture, 5, ACL_EVENT_SYNC);
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	RECORD(p, e, p.s1);
	CALL(p.fixture, aclrtQueryEventStatus, 0, .event = e, .status = &status);
	leave_device_zero(&p);
	want(p.fixture, "");
}

static void peer_reset_after_query_not_ready(void **state)
{
	struct pair p = pair();
	void *e = fixture_event(p.fixture, 5, ACL_EVENT_SYNC);
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	RECORD(p, e, p.s1);
	CALL(p.fixture, aclrtQueryEventStatus, 0, .event = e, .status = &status);
	leave_device_zero(&p);
	want(p.fixture, "peer-device-reset-in-use:error");
}

static void peer_reset_after_failed_copy(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	CALL(p.fixture, aclrtMemcpyAsync, 507899, .dst = p.one, .destMax = SIZE, .src = p.zero, .count = SIZE,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = p.s1);
	want(p.fixture, "api-error:warning");
	leave_device_zero(&p);
	want(p.fixture, "");
}

static void peer_reset_after_opaque_wait(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 0);
	/* A word in memory that s1 may have written last. */
	CALL(p.fixture, aclrtValueWait, 0, .devAddr = p.zero, .value = 1, .flag = ACL_STREAM_WAIT_VALUE_EQ,
		.stream = p.s0);
	SYNC(p, p.s0, 0);
	leave_device_zero(&p);
	want(p.fixture, "");
}

/* The functions had no arguments before 9.1: the runtime that is there decides. */
static void snapshot_arguments_of_the_runtime(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);

	(void)state;
	CALL(fixture, aclrtSnapShotProcessLock, 0, .pid = 4711);
	never(fixture, "snapshot-bad-args");
	CALL(fixture, aclrtSnapShotProcessUnlock, 0, .pid = (int)fixture->pid);
	silent(fixture);
	checks_set_runtime(fixture->checks, ACL_CANN_9_1);
	CALL(fixture, aclrtSnapShotProcessLock, 0, .pid = 4711);
	want(fixture, "snapshot-bad-args:error");
}

/* The call was not forwarded; its answer is ours, and no failure of the runtime's. */
static void function_the_runtime_lacks(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	int64_t value;

	(void)state;
	fixture->missing = true;
	CALL(fixture, aclrtCtxGetSysParamOpt, 207000, .opt = ACL_OPT_DETERMINISTIC, .value = &value);
	fixture->missing = false;
	assert_int_equal(fixture->n_found, 1);
	assert_string_equal(fixture->found[0].rule->id, "api-missing-in-runtime");
	assert_non_null(
		strstr(fixture->found[0].detail, "aclrtCtxGetSysParamOpt is not in the loaded runtime"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capture_modes),
		cmocka_unit_test(capture_mode_is_of_context),
		cmocka_unit_test(capture_exchange_restores),
		cmocka_unit_test(capture_self_copy_and_nothing),
		cmocka_unit_test(capture_d32_on_host_memory),
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
		cmocka_unit_test(context_probes_and_lower_layers),
		cmocka_unit_test(context_of_other_thread),
		cmocka_unit_test(context_streams_by_context),
		cmocka_unit_test(context_switched_below),
		cmocka_unit_test(context_destroyed_empty),
		cmocka_unit_test(wait_after_record),
		cmocka_unit_test(wait_by_maker_and_target),
		cmocka_unit_test(wait_failed_record),
		cmocka_unit_test(wait_that_blocks),
		cmocka_unit_test(wait_recorded_by_other_thread),
		cmocka_unit_test(wait_open_at_the_end),
		cmocka_unit_test(init_missing_exemptions),
		cmocka_unit_test(finalize_after_counted_sets),
		cmocka_unit_test(finalize_with_device),
		cmocka_unit_test(end_of_other_kinds),
		cmocka_unit_test(leaks_once_by_device),
		cmocka_unit_test(leaks_not_twice),
		cmocka_unit_test(free_by_run_mode),
		cmocka_unit_test(unified_memory),
		cmocka_unit_test(peer_directions),
		cmocka_unit_test(peer_imports_enable),
		cmocka_unit_test(peer_denied),
		cmocka_unit_test(peer_reset_pending),
		cmocka_unit_test(peer_reset_after_sync),
		cmocka_unit_test(peer_reset_after_failed_sync),
		cmocka_unit_test(peer_reset_after_transitive_sync),
		cmocka_unit_test(peer_reset_after_query),
		cmocka_unit_test(peer_reset_after_query_not_ready),
		cmocka_unit_test(peer_reset_after_failed_copy),
		cmocka_unit_test(peer_reset_after_opaque_wait),
		cmocka_unit_test(snapshot_arguments_of_the_runtime),
		cmocka_unit_test(function_the_runtime_lacks),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
