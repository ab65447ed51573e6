/* SPDX-License-Identifier: Apache-2.0 */
/* The mission rules where they must stay silent, and the state machines behind them. */
#include "rig.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define GLOBAL ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED
#define SIZE 4096ul

struct scene {
	struct rig *rig;
	char *d, *h;
	void *s;
};

static struct scene scene(int target)
{
	struct scene sc = {.rig = rig_ready(target)};

	sc.d = rig_malloc(sc.rig, DEVICE_MEMORY, SIZE);
	sc.h = rig_malloc_host(sc.rig, HOST_MEMORY, SIZE);
	sc.s = rig_stream(sc.rig, 1);
	return sc;
}

#define BEGIN(sc, how) CALL((sc).rig, aclmdlRICaptureBegin, 0, .stream = (sc).s, .mode = how)
#define SET(sc, stream_)                                                                                     \
	CALL((sc).rig, aclrtMemsetAsync, 0, .devPtr = (sc).d, .maxCount = SIZE, .count = SIZE,               \
		.stream = stream_)
#define SYNC_COPY(sc, error)                                                                                 \
	CALL((sc).rig, aclrtMemcpy, error, .dst = (sc).d, .destMax = SIZE, .src = (sc).h, .count = SIZE,     \
		.kind = ACL_MEMCPY_HOST_TO_DEVICE)
#define RECORD(sc, e, stream_) CALL((sc).rig, aclrtRecordEvent, 0, .event = e, .stream = stream_)
#define WAIT(sc, stream_, e) CALL((sc).rig, aclrtStreamWaitEvent, 0, .stream = stream_, .event = e)
#define SYNC(sc, stream_, error) CALL((sc).rig, aclrtSynchronizeStream, error, .stream = stream_)

static void *end(struct scene *sc, unsigned n)
{
	aclmdlRI model = handle(n);

	CALL(sc->rig, aclmdlRICaptureEnd, 0, .stream = sc->s, .modelRI = &model);
	return model;
}

static void other_thread(struct rig *rig, uint32_t tid)
{
	bool fresh = rig->tid != tid;

	rig->tid = tid;
	if (fresh)
		CALL(rig, aclrtSetDevice, 0, .deviceId = 0);
}

static unsigned exchange(struct rig *rig, aclmdlRICaptureMode mode)
{
	CALL(rig, aclmdlRICaptureThreadExchangeMode, 0, .mode = &mode);
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
		struct scene sc = scene(DOCUMENTS);

		BEGIN(sc, table[i].begin);
		if (!table[i].own)
			other_thread(sc.rig, 2);
		exchange(sc.rig, table[i].exchange);
		SYNC_COPY(sc, table[i].refused ? 107030 : 0);
		if (!table[i].refused)
			silent(sc.rig);
		else if (table[i].own)
			want(sc.rig, "capture-unsafe-sync-memop:error");
		else
			want(sc.rig, "capture-unsafe-other-thread-global:error");
	}
}

static void capture_mode_is_of_context(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	aclrtContext own = handle(7);

	(void)state;
	BEGIN(sc, GLOBAL);
	sc.rig->tid = 2;
	CALL(sc.rig, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	SYNC_COPY(sc, 0);
	silent(sc.rig);
}

static void capture_exchange_restores(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	aclmdlRICaptureMode mode = RELAXED;

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.rig, aclmdlRICaptureThreadExchangeMode, 0, .mode = &mode);
	SYNC_COPY(sc, 0);
	mode = GLOBAL;
	CALL(sc.rig, aclmdlRICaptureThreadExchangeMode, 107000, .mode = &mode); /* failed: still relaxed */
	want(sc.rig, "api-error:warning");
	SYNC_COPY(sc, 0);
	silent(sc.rig);
	exchange(sc.rig, GLOBAL);
	SYNC_COPY(sc, 107030);
	want(sc.rig, "capture-unsafe-sync-memop:error");
}

static void capture_self_copy_and_nothing(void **state)
{
	struct scene sc = scene(DOCUMENTS);

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.rig, aclrtMemcpy, 0, .dst = sc.d, .destMax = SIZE, .src = sc.d, .count = SIZE,
		.kind = ACL_MEMCPY_DEFAULT);
	CALL(sc.rig, aclrtMemcpy, 0, .dst = sc.d, .destMax = SIZE, .src = sc.h, .count = 0,
		.kind = ACL_MEMCPY_DEFAULT);
	want(sc.rig, "");
}

static void capture_d32_on_host_memory(void **state)
{
	struct scene sc = scene(DOCUMENTS);

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.rig, aclrtMemsetD32, 0, .ptr = sc.h, .memSize = SIZE, .value = 7, .N = 8);
	silent(sc.rig);
	CALL(sc.rig, aclrtMemsetD32, 0, .ptr = sc.d, .memSize = SIZE, .value = 7, .N = 8);
	want(sc.rig, "capture-unsafe-unchecked-memop:error");
}

static void capture_unrelated_calls(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	void *other = rig_stream(sc.rig, 2), *e = rig_event(sc.rig, 3, ACL_EVENT_SYNC), *more;
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
	aclmdlRICaptureStatus captured = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRI model = handle(9);

	(void)state;
	RECORD(sc, e, other);
	BEGIN(sc, GLOBAL);
	CALL(sc.rig, aclmdlRICaptureGetInfo, 0, .stream = sc.s, .status = &captured, .modelRI = &model);
	SYNC(sc, other, 0);
	CALL(sc.rig, aclrtQueryEventStatus, 0, .event = e, .status = &status);
	more = rig_malloc(sc.rig, DEVICE_MEMORY + (1ul << 20), SIZE);
	CALL(sc.rig, aclrtFree, 0, .devPtr = more);
	rig_event(sc.rig, 4, ACL_EVENT_SYNC);
	assert_ptr_equal(end(&sc, 9), handle(9));
	SYNC(sc, sc.s, 0);
	silent(sc.rig);
}

static void capture_fork_and_join(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	void *other = rig_stream(sc.rig, 2), *fork = rig_event(sc.rig, 3, ACL_EVENT_SYNC);
	void *join = rig_event(sc.rig, 4, ACL_EVENT_SYNC), *model;

	(void)state;
	BEGIN(sc, GLOBAL);
	RECORD(sc, fork, sc.s);
	WAIT(sc, other, fork);
	SYNC(sc, other, 107027);
	want(sc.rig, "capture-sync-stream:error");
	SET(sc, other);
	RECORD(sc, join, other);
	WAIT(sc, sc.s, join);
	model = end(&sc, 9);
	SYNC(sc, other, 0); /* both are free again */
	CALL(sc.rig, aclrtSynchronizeEvent, 0, .event = fork);
	CALL(sc.rig, aclrtDestroyEvent, 0, .event = fork);
	CALL(sc.rig, aclrtDestroyEvent, 0, .event = join);
	CALL(sc.rig, aclmdlRIDestroy, 0, .modelRI = model);
	silent(sc.rig);
}

static void capture_wrong_ends_change_nothing(void **state)
{
	static const int errors[] = {100000, 107000, 107003, 107029, 107036};
	struct scene sc = scene(DOCUMENTS);
	aclmdlRI model = NULL;

	(void)state;
	BEGIN(sc, RELAXED);
	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		CALL(sc.rig, aclmdlRICaptureEnd, errors[i], .stream = sc.s, .modelRI = &model);
		sc.rig->n_seen = sc.rig->n_found;
		SYNC(sc, sc.s, 107027);
		want(sc.rig, i ? "" : "capture-sync-stream:error"); /* the second one is the same site */
	}
	end(&sc, 9);
	SYNC(sc, sc.s, 0);
	silent(sc.rig);
}

static void capture_failed_ends_end_it(void **state)
{
	static const int errors[] = {107024, 107025, 107033, 107038, 507903};

	(void)state;
	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct scene sc = scene(DOCUMENTS);
		aclmdlRI model = NULL;

		BEGIN(sc, GLOBAL);
		SET(sc, sc.s);
		CALL(sc.rig, aclmdlRICaptureEnd, errors[i], .stream = sc.s, .modelRI = &model);
		want(sc.rig, "api-error:warning");
		SYNC(sc, sc.s, 0);
		CALL(sc.rig, aclrtSynchronizeDevice, 0);
		SYNC_COPY(sc, 0);
		CALL(sc.rig, aclrtFree, 0, .devPtr = sc.d); /* no model uses it */
		silent(sc.rig);
	}
}

static void capture_ended_by_other_thread(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	void *model;

	(void)state;
	BEGIN(sc, RELAXED);
	SET(sc, sc.s);
	other_thread(sc.rig, 2);
	model = end(&sc, 9);
	sc.rig->tid = 1;
	SET(sc, NULL);
	SYNC_COPY(sc, 0);
	CALL(sc.rig, aclmdlRIDestroy, 0, .modelRI = model);
	silent(sc.rig);
}

static void capture_default_stream_of_others(void **state)
{
	struct scene sc = scene(DOCUMENTS);

	(void)state;
	BEGIN(sc, THREAD_LOCAL);
	other_thread(sc.rig, 2);
	SET(sc, NULL); /* eager work of a thread that does not capture */
	SYNC(sc, NULL, 0);
	silent(sc.rig);
	sc.rig->tid = 1;
	SET(sc, NULL);
	want(sc.rig, "capture-default-stream-op:error");
}

static void capture_default_stream_by_handle(void **state)
{
	struct scene sc = scene(ACL_CANN_8_5);
	aclrtStream dflt = handle(8);

	(void)state;
	CALL(sc.rig, aclrtCtxGetCurrentDefaultStream, 0, .stream = &dflt);
	BEGIN(sc, GLOBAL);
	SET(sc, dflt);
	want(sc.rig, "capture-default-stream-op:warning");
	CALL(sc.rig, aclmdlRICaptureBegin, 207000, .stream = dflt, .mode = GLOBAL);
	want(sc.rig, "capture-begin-default-stream:error");
}

static void capture_model_on_default_stream(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	void *model;

	(void)state;
	BEGIN(sc, GLOBAL);
	SET(sc, sc.s);
	model = end(&sc, 9);
	CALL(sc.rig, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = NULL);
	SYNC(sc, NULL, 0);
	silent(sc.rig);
}

static void capture_config_before_first_task(void **state)
{
	struct scene sc = scene(ACL_CANN_8_1);

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.rig, aclrtSetDeviceResLimit, 0, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 8);
	silent(sc.rig);
	SET(sc, sc.s);
	CALL(sc.rig, aclrtSetDeviceResLimit, 0, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 8);
	want(sc.rig, "capture-config-ineffective:error");
	end(&sc, 9);
	CALL(sc.rig, aclrtSetDeviceResLimit, 0, .deviceId = 0, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 8);
	silent(sc.rig);
}

static void capture_attribute_of_torch(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	aclrtStreamAttrValue value = {0};

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.rig, aclrtSetStreamAttribute, 0, .stream = sc.s, .stmAttrType = ACL_STREAM_ATTR_CACHE_OP_INFO,
		.value = &value);
	silent(sc.rig);
	CALL(sc.rig, aclrtSetStreamAttribute, 107027, .stream = sc.s,
		.stmAttrType = ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, .value = &value);
	want(sc.rig, "capture-overflow-config:error");
}

static void capture_query_by_watchdog(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	aclrtDeviceStatus status = 0;

	(void)state;
	BEGIN(sc, GLOBAL);
	other_thread(sc.rig, 2);
	CALL(sc.rig, aclrtQueryDeviceStatus, 0, .deviceId = 0, .deviceStatus = &status);
	silent(sc.rig);
}

static void capture_sync_of_other_context(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	aclrtContext own = handle(7);

	(void)state;
	BEGIN(sc, GLOBAL);
	other_thread(sc.rig, 2);
	CALL(sc.rig, aclrtSynchronizeDevice, 107027);
	want(sc.rig, "capture-sync-device:error");
	CALL(sc.rig, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	CALL(sc.rig, aclrtSynchronizeDevice, 0);
	silent(sc.rig);
}

static void capture_wait_external(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	aclrtEvent external = handle(5);
	void *e = rig_event(sc.rig, 6, ACL_EVENT_SYNC), *model;

	(void)state;
	CALL(sc.rig, aclrtCreateEventWithFlag, 0, .event = &external, .flag = ACL_EVENT_EXTERNAL);
	BEGIN(sc, GLOBAL);
	WAIT(sc, sc.s, external); /* waiting first is what they are for */
	CALL(sc.rig, aclrtStreamWaitEventWithFlag, 0, .stream = sc.s, .event = e,
		.flag = ACL_EVENT_WAIT_EXTERNAL);
	model = end(&sc, 9);
	silent(sc.rig);
	CALL(sc.rig, aclrtDestroyEvent, 0, .event = external);
	want(sc.rig, "capture-notify-destroyed-before-destroy:error");
	CALL(sc.rig, aclmdlRIDestroy, 0, .modelRI = model);
	CALL(sc.rig, aclrtDestroyEvent, 0, .event = e);
	silent(sc.rig);
}

static void capture_event_again_outside(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	void *other = rig_stream(sc.rig, 2), *e = rig_event(sc.rig, 3, ACL_EVENT_SYNC);

	(void)state;
	BEGIN(sc, GLOBAL);
	RECORD(sc, e, sc.s);
	CALL(sc.rig, aclrtSynchronizeEvent, 107028, .event = e);
	want(sc.rig, "capture-sync-event:error");
	RECORD(sc, e, other); /* its latest record is outside now */
	CALL(sc.rig, aclrtSynchronizeEvent, 0, .event = e);
	silent(sc.rig);
}

static void model_frees_after_destroy(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	void *model;

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.rig, aclrtMemcpyAsync, 0, .dst = sc.d, .destMax = SIZE, .src = sc.h, .count = SIZE,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = sc.s);
	model = end(&sc, 9);
	CALL(sc.rig, aclmdlRIDestroy, 107037, .modelRI = model); /* running: it stays */
	want(sc.rig, "api-error:warning");
	CALL(sc.rig, aclrtFreeHost, 0, .hostPtr = sc.h);
	want(sc.rig, "capture-host-buffer-freed:error");
	CALL(sc.rig, aclmdlRIDestroy, 0, .modelRI = model);
	CALL(sc.rig, aclrtFree, 0, .devPtr = sc.d);
	silent(sc.rig);
}

static void model_of_reused_memory(void **state)
{
	struct scene sc = scene(DOCUMENTS);

	(void)state;
	BEGIN(sc, GLOBAL);
	SET(sc, sc.s);
	end(&sc, 9);
	CALL(sc.rig, aclrtFree, 0, .devPtr = sc.d);
	want(sc.rig, "capture-resource-freed-before-destroy:error");
	rig_malloc(sc.rig, DEVICE_MEMORY, SIZE); /* the address again: another block, no part of the model */
	CALL(sc.rig, aclrtFree, 0, .devPtr = sc.d);
	silent(sc.rig);
}

static void model_updated_task_group(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	aclrtTaskGrp group = handle(11);
	void *update = rig_stream(sc.rig, 2);

	(void)state;
	BEGIN(sc, GLOBAL);
	CALL(sc.rig, aclmdlRICaptureTaskGrpBegin, 0, .stream = sc.s);
	CALL(sc.rig, aclrtLaunchKernel, 0, .funcHandle = handle(20), .numBlocks = 1, .argsData = sc.d,
		.argsSize = 64, .stream = sc.s);
	CALL(sc.rig, aclmdlRICaptureTaskGrpEnd, 0, .stream = sc.s, .handle = &group);
	end(&sc, 9);
	CALL(sc.rig, aclmdlRICaptureTaskUpdateBegin, 0, .stream = update, .handle = group);
	CALL(sc.rig, aclmdlRICaptureTaskUpdateEnd, 0, .stream = update);
	CALL(sc.rig, aclrtFree, 0, .devPtr = sc.d); /* the update may have replaced the task */
	silent(sc.rig);
}

static void capture_torn_down_by_counted_reset(void **state)
{
	struct scene sc = scene(DOCUMENTS);

	(void)state;
	CALL(sc.rig, aclrtSetDevice, 0, .deviceId = 0);
	BEGIN(sc, GLOBAL);
	CALL(sc.rig, aclrtResetDevice, 0, .deviceId = 0); /* one of two */
	silent(sc.rig);
	CALL(sc.rig, aclrtFree, 0, .devPtr = sc.d);
	CALL(sc.rig, aclrtFreeHost, 0, .hostPtr = sc.h);
	CALL(sc.rig, aclrtResetDevice, 0, .deviceId = 0);
	want(sc.rig, "capture-context-torn-down:error");
}

/* --- contexts ----------------------------------------------------------------------------- */

static void context_probes_and_lower_layers(void **state)
{
	struct rig *rig = rig_new(DOCUMENTS);
	int32_t device = 0;
	aclrtContext context = NULL;
	void *p = (void *)DEVICE_MEMORY;

	(void)state;
	CALL(rig, aclInit, 0, .configPath = NULL);
	CALL(rig, aclrtGetDevice, 107002, .deviceId = &device);
	CALL(rig, aclrtGetCurrentContext, 107002, .context = &context);
	silent(rig);
	/* A library below us has set a device: the call works. */
	CALL(rig, aclrtMalloc, 0, .devPtr = &p, .size = SIZE);
	silent(rig);
	CALL(rig, aclrtMalloc, 107002, .devPtr = &p, .size = SIZE);
	want(rig, "current-context-missing:error");
}

static void context_of_other_thread(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	aclrtStream s = NULL;

	(void)state;
	rig->tid = 2;
	CALL(rig, aclrtCreateStream, 107002, .stream = &s);
	want(rig, "current-context-missing:error");
	assert_non_null(strstr(rig->found[0].detail, "not inherited"));
}

static void context_streams_by_context(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	aclrtContext dflt = handle(6), own = handle(7);

	(void)state;
	CALL(sc.rig, aclrtGetCurrentContext, 0, .context = &dflt);
	CALL(sc.rig, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	CALL(sc.rig, aclrtSynchronizeStream, 0, .stream = sc.s); /* not bound to the context */
	silent(sc.rig);
	CALL(sc.rig, aclrtMemsetAsync, 107003, .devPtr = sc.d, .maxCount = SIZE, .count = SIZE,
		.stream = sc.s);
	want(sc.rig, "stream-other-context-use:error");
	CALL(sc.rig, aclrtSetCurrentContext, 0, .context = dflt);
	SET(sc, sc.s);
	silent(sc.rig);
}

static void context_switched_below(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	aclrtContext own = handle(7);

	(void)state;
	CALL(sc.rig, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	SET(sc, sc.s); /* it worked: somebody below switched back */
	silent(sc.rig);
}

static void context_destroyed_empty(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	aclrtContext own = handle(7);
	void *e;

	(void)state;
	CALL(rig, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	e = rig_event(rig, 1, ACL_EVENT_SYNC); /* events do not matter */
	CALL(rig, aclrtDestroyContext, 0, .context = own);
	want(rig, "");
	(void)e;
}

/* --- events --------------------------------------------------------------------------------- */

static void wait_after_record(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	void *other = rig_stream(sc.rig, 2), *e = rig_event(sc.rig, 3, ACL_EVENT_SYNC);

	(void)state;
	RECORD(sc, e, sc.s);
	WAIT(sc, other, e);
	RECORD(sc, e, sc.s); /* again, without a reset */
	WAIT(sc, other, e);
	silent(sc.rig);
}

static void wait_by_maker_and_target(void **state)
{
	(void)state;
	for (int target = -1; target <= ACL_CANN_9_2; target++) {
		struct scene sc = scene(target);
		void *ex = rig_event(sc.rig, 3, ACL_EVENT_SYNC);
		aclrtEvent plain = handle(4);

		WAIT(sc, sc.s, ex);
		want(sc.rig, target >= ACL_CANN_8_5 ? "event-wait-before-record:warning"
						    : "event-wait-before-record:error");
		CALL(sc.rig, aclrtCreateEvent, 0, .event = &plain);
		CALL(sc.rig, aclrtStreamWaitEvent, 107000, .stream = sc.s, .event = plain);
		want(sc.rig, "event-wait-before-record:error");
	}
}

static void wait_failed_record(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	void *e = rig_event(sc.rig, 3, ACL_EVENT_SYNC);

	(void)state;
	CALL(sc.rig, aclrtRecordEvent, 107003, .event = e, .stream = sc.s);
	want(sc.rig, "api-error:warning");
	WAIT(sc, sc.s, e);
	want(sc.rig, "event-wait-before-record:error");
}

static void wait_that_blocks(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	void *other = rig_stream(sc.rig, 2);
	aclrtEvent e = handle(3);

	(void)state;
	CALL(sc.rig, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	WAIT(sc, other, e);
	RECORD(sc, e, sc.s); /* in time */
	SYNC(sc, other, 0);
	silent(sc.rig);
	CALL(sc.rig, aclrtResetEvent, 0, .event = e, .stream = other);
	WAIT(sc, other, e);
	silent(sc.rig);
	SYNC(sc, other, 0); /* nobody else could record */
	want(sc.rig, "event-wait-before-record:error");
}

static void wait_recorded_by_other_thread(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	void *other = rig_stream(sc.rig, 2);
	aclrtEvent e = handle(3);

	(void)state;
	other_thread(sc.rig, 2);
	CALL(sc.rig, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	WAIT(sc, other, e);
	SYNC(sc, other, 0); /* the first thread recorded meanwhile, for all we know */
	silent(sc.rig);
	sc.rig->tid = 1;
	RECORD(sc, e, sc.s);
	checks_finish(sc.rig->checks, CHECKS_END_QUICK);
	silent(sc.rig);
}

static void wait_open_at_the_end(void **state)
{
	struct scene sc = scene(DOCUMENTS);
	aclrtEvent e = handle(3);

	(void)state;
	CALL(sc.rig, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	WAIT(sc, sc.s, e);
	silent(sc.rig);
	checks_finish(sc.rig->checks, CHECKS_END_EXIT);
	assert_string_equal(sc.rig->found[0].what, "finalize-missing-at-exit:warning");
	want(sc.rig,
		"event-wait-before-record:error finalize-missing-at-exit:warning leak-device-memory:warning "
		"leak-host-memory:warning leak-objects:warning leak-objects:warning");
}

/* --- life ------------------------------------------------------------------------------------- */

static void init_missing_exemptions(void **state)
{
	struct rig *rig = rig_new(DOCUMENTS);
	int32_t major, minor, patch;

	(void)state;
	CALL(rig, aclrtGetVersion, 0, .majorVersion = &major, .minorVersion = &minor, .patchVersion = &patch);
	CALL(rig, aclrtGetSocName, 0);
	silent(rig);
	CALL(rig, aclrtSetDevice, 0, .deviceId = 0);
	want(rig, "init-missing:error");
	CALL(rig, aclrtSetDevice, 0, .deviceId = 1); /* once per process */
	silent(rig);
}

static void finalize_after_counted_sets(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);

	(void)state;
	CALL(rig, aclrtSetDevice, 0, .deviceId = 0);
	CALL(rig, aclrtResetDevice, 0, .deviceId = 0);
	CALL(rig, aclFinalize, 0);
	checks_finish(rig->checks, CHECKS_END_EXIT);
	silent(rig);
}

static void finalize_with_device(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS), *newer = rig_ready(ACL_CANN_8_5),
		   *late = rig_ready(DOCUMENTS);

	(void)state;
	CALL(rig, aclFinalize, 0);
	want(rig, "finalize-before-reset:error");
	CALL(newer, aclFinalize, 0);
	want(newer, "finalize-before-reset:warning");
	late->in_exit = true;
	CALL(late, aclFinalize, 0);
	want(late, "finalize-before-reset:warning");
}

static void end_of_other_kinds(void **state)
{
	struct scene quick = scene(DOCUMENTS), child = scene(DOCUMENTS);

	(void)state;
	checks_finish(quick.rig->checks, CHECKS_END_QUICK);
	silent(quick.rig);
	checks_forked(child.rig->checks);
	checks_finish(child.rig->checks, CHECKS_END_EXIT);
	silent(child.rig);
}

static void leaks_once_by_device(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		rig_malloc(rig, DEVICE_MEMORY + i * (1ul << 20), SIZE);
	CALL(rig, aclrtResetDevice, 0, .deviceId = 0);
	want(rig, "leak-device-memory:warning");
	assert_non_null(strstr(rig->found[0].detail, "8 blocks of 32 KiB"));
	CALL(rig, aclFinalize, 0);
	checks_finish(rig->checks, CHECKS_END_EXIT);
	silent(rig);
}

static void leaks_not_twice(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);

	(void)state;
	rig_event(rig, 1, ACL_EVENT_SYNC);
	CALL(rig, aclrtResetDevice, 0, .deviceId = 0);
	want(rig, "device-reset-with-live-objects:error");
	CALL(rig, aclFinalize, 0);
	checks_finish(rig->checks, CHECKS_END_EXIT);
	silent(rig);
}

/* --- release -------------------------------------------------------------------------------------- */

static void free_by_run_mode(void **state)
{
	struct scene sc = scene(DOCUMENTS), unified = scene(DOCUMENTS);
	aclrtRunMode mode = ACL_DEVICE;

	(void)state;
	CALL(sc.rig, aclrtFree, 0, .devPtr = sc.h);
	want(sc.rig, "free-host-with-device-free:error");
	CALL(sc.rig, aclrtFreeHost, 107000, .hostPtr = sc.d);
	want(sc.rig, "free-device-with-host-free:error");
	CALL(sc.rig, aclrtFree, 0, .devPtr = sc.d); /* the refused call freed nothing */
	silent(sc.rig);
	CALL(unified.rig, aclrtGetRunMode, 0, .runMode = &mode);
	CALL(unified.rig, aclrtFree, 0, .devPtr = unified.h);
	want(unified.rig, "free-host-with-device-free:warning");
	CALL(unified.rig, aclrtFreeHost, 0, .hostPtr = unified.d);
	silent(unified.rig);
}

static void unified_memory(void **state)
{
	struct scene asked = scene(DOCUMENTS), not_asked = scene(DOCUMENTS), newer = scene(ACL_CANN_9_1);
	aclrtRunMode mode = ACL_DEVICE;

	(void)state;
	SYNC_COPY(not_asked, 0);
	silent(not_asked.rig);
	CALL(asked.rig, aclrtGetRunMode, 0, .runMode = &mode);
	SYNC_COPY(asked, 0);
	want(asked.rig, "rc-mode-host-copy:error");
	CALL(newer.rig, aclrtGetRunMode, 0, .runMode = &mode);
	SYNC_COPY(newer, 0);
	want(newer.rig, "rc-mode-host-copy:perf");
}

/* --- peers ------------------------------------------------------------------------------------------ */

struct pair {
	struct rig *rig;
	void *zero, *one; /* memory of device 0 and of device 1 */
	void *s0, *s1;
};

static struct pair pair(void)
{
	struct pair p = {.rig = rig_ready(DOCUMENTS)};

	p.zero = rig_malloc(p.rig, DEVICE_MEMORY, SIZE);
	p.s0 = rig_stream(p.rig, 1);
	CALL(p.rig, aclrtSetDevice, 0, .deviceId = 1);
	p.one = rig_malloc(p.rig, DEVICE_MEMORY + (1ul << 30), SIZE);
	p.s1 = rig_stream(p.rig, 2);
	return p;
}

#define ENABLE(p, peer) CALL((p).rig, aclrtDeviceEnablePeerAccess, 0, .peerDeviceId = peer)
#define ACROSS(p, stream_)                                                                                   \
	CALL((p).rig, aclrtMemcpyAsync, 0, .dst = (p).one, .destMax = SIZE, .src = (p).zero, .count = SIZE,  \
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = stream_)

static void peer_directions(void **state)
{
	struct pair none = pair(), right = pair(), wrong = pair(), undone = pair();

	(void)state;
	ACROSS(none, none.s1);
	want(none.rig, "peer-copy-not-enabled:error");
	ENABLE(right, 0); /* device 1 is current: towards the source */
	ACROSS(right, right.s1);
	silent(right.rig);
	CALL(wrong.rig, aclrtSetDevice, 0, .deviceId = 0);
	ENABLE(wrong, 1);
	CALL(wrong.rig, aclrtSetDevice, 0, .deviceId = 1);
	ACROSS(wrong, wrong.s1);
	want(wrong.rig, "peer-copy-not-enabled:warning");
	ENABLE(undone, 0);
	CALL(undone.rig, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = 0);
	ACROSS(undone, undone.s1);
	want(undone.rig, "peer-copy-not-enabled:error");
}

static void peer_imports_enable(void **state)
{
	struct pair p = pair();
	void *imported = NULL;

	(void)state;
	CALL(p.rig, aclrtIpcMemImportByKey, 0, .devPtr = &imported, .key = "key",
		.flags = ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	ACROSS(p, p.s1);
	silent(p.rig);
}

static void peer_denied(void **state)
{
	struct pair p = pair();
	int32_t can = 0;

	(void)state;
	CALL(p.rig, aclrtDeviceCanAccessPeer, 0, .canAccessPeer = &can, .deviceId = 1, .peerDeviceId = 0);
	ENABLE(p, 0);
	want(p.rig, "peer-access-denied:error");
	ACROSS(p, p.s1);
	want(p.rig, "peer-access-denied:error");
	can = 1; /* asked again, answered otherwise */
	CALL(p.rig, aclrtDeviceCanAccessPeer, 0, .canAccessPeer = &can, .deviceId = 1, .peerDeviceId = 0);
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	silent(p.rig);
}

/* Everything of device 0 but what the rule is about. */
static void leave_device_zero(struct pair *p)
{
	CALL(p->rig, aclrtFree, 0, .devPtr = p->zero);
	CALL(p->rig, aclrtSetDevice, 0, .deviceId = 0);
	CALL(p->rig, aclrtDestroyStream, 0, .stream = p->s0);
	CALL(p->rig, aclrtResetDeviceForce, 0, .deviceId = 0);
}

static void peer_reset_pending(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	leave_device_zero(&p);
	want(p.rig, "peer-device-reset-in-use:error");
}

static void peer_reset_after_sync(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	SYNC(p, p.s1, 507005); /* end of sequence: drained all the same */
	leave_device_zero(&p);
	want(p.rig, "");
}

static void peer_reset_after_failed_sync(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	CALL(p.rig, aclrtSynchronizeStreamWithTimeout, 507046, .stream = p.s1, .timeout = 1);
	leave_device_zero(&p);
	want(p.rig, "peer-device-reset-in-use:error");
}

/* s0 waited for s1, and s0 was synchronised: s1 is done that far. */
static void peer_reset_after_transitive_sync(void **state)
{
	struct pair p = pair();
	void *e = rig_event(p.rig, 5, ACL_EVENT_SYNC);

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	RECORD(p, e, p.s1);
	CALL(p.rig, aclrtSetDevice, 0, .deviceId = 0);
	WAIT(p, p.s0, e);
	SYNC(p, p.s0, 0);
	leave_device_zero(&p);
	want(p.rig, "");
}

static void peer_reset_after_query(void **state)
{
	struct pair p = pair();
	void *e = rig_event(p.rig, 5, ACL_EVENT_SYNC);
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	RECORD(p, e, p.s1);
	CALL(p.rig, aclrtQueryEventStatus, 0, .event = e, .status = &status);
	leave_device_zero(&p);
	want(p.rig, "");
}

static void peer_reset_after_query_not_ready(void **state)
{
	struct pair p = pair();
	void *e = rig_event(p.rig, 5, ACL_EVENT_SYNC);
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	RECORD(p, e, p.s1);
	CALL(p.rig, aclrtQueryEventStatus, 0, .event = e, .status = &status);
	leave_device_zero(&p);
	want(p.rig, "peer-device-reset-in-use:error");
}

static void peer_reset_after_failed_copy(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	CALL(p.rig, aclrtMemcpyAsync, 507899, .dst = p.one, .destMax = SIZE, .src = p.zero, .count = SIZE,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = p.s1);
	want(p.rig, "api-error:warning");
	leave_device_zero(&p);
	want(p.rig, "");
}

static void peer_reset_after_opaque_wait(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	CALL(p.rig, aclrtSetDevice, 0, .deviceId = 0);
	/* A word in memory that s1 may have written last. */
	CALL(p.rig, aclrtValueWait, 0, .devAddr = p.zero, .value = 1, .flag = ACL_STREAM_WAIT_VALUE_EQ,
		.stream = p.s0);
	SYNC(p, p.s0, 0);
	leave_device_zero(&p);
	want(p.rig, "");
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
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
