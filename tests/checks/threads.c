/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rules about contexts, threads, ends and uses of events must not speak. */
#include "rig.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS

/* A call that is on its way in a thread. */
struct on_its_way {
	struct acl_event ev;
	uint64_t args[4]; /* a time, or somewhere for an answer */
	uint64_t answer;
};

static void begin(struct rig *rig, struct on_its_way *call, unsigned api, uint32_t tid)
{
	memset(call, 0, sizeof(*call));
	call->args[0] = api == ACL_API_aclrtProcessReport ? 10 : (uintptr_t)&call->answer;
	acl_event_init(&call->ev, api, call->args, 0x500000);
	call->ev.pid = 1;
	call->ev.tid = tid;
	call->ev.pthread_id = tid * 4096ul;
	call->ev.module = rig->module;
	checks_enter(rig->checks, &call->ev);
}

static void end(struct rig *rig, struct on_its_way *call, int64_t result)
{
	call->ev.result.i = result;
	checks_leave(rig->checks, &call->ev);
}

static void in_thread(struct rig *rig, uint32_t tid)
{
	rig->tid = tid;
	CALL(rig, aclrtSetDevice, 0, .deviceId = 0);
}

/* --- contexts ------------------------------------------------------------------------------ */

static void asked_whether_there_is_one(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	aclrtContext own = handle(1);
	int32_t device;

	(void)state;
	CALL(rig, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	CALL(rig, aclrtDestroyContext, 0, .context = own);
	CALL(rig, aclrtGetDevice, 107002, .deviceId = &device);
	CALL(rig, aclrtGetCurrentContext, 107002, .context = &own);
	never(rig, "context-lost-after-destroy");
	CALL(rig, aclrtSetDevice, 0, .deviceId = 0);
	CALL(rig, aclrtResetDeviceForce, 0, .deviceId = 0);
	CALL(rig, aclrtGetDevice, 107002, .deviceId = &device);
	never(rig, "device-reset-clears-current");
	silent(rig);
}

/* Another reason than ours, or none that we saw. */
static void other_reasons(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);

	(void)state;
	rig->tid = 2;
	CALL(rig, aclrtSynchronizeDevice, 107002, 0);
	want(rig, "current-context-missing:error");
	never(rig, "device-reset-clears-current");
	never(rig, "context-lost-after-destroy");
	never(rig, "device-reset-while-thread-active");
	CALL(rig, aclrtDestroyStream, 107003, .stream = handle(9));
	never(rig, "stream-destroy-wrong-context");
}

static void back_to_the_default_on_purpose(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *e = rig_event(rig, 2, ACL_EVENT_SYNC);
	aclrtContext own = handle(3);

	(void)state;
	CALL(rig, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	CALL(rig, aclrtSetDevice, 0, .deviceId = 0);
	CALL(rig, aclrtRecordEvent, 0, .event = e, .stream = s);
	never(rig, "implicit-default-switch");
	/* The stream of a third context has nothing to do with the one that was replaced. */
	CALL(rig, aclrtRecordEvent, 107003, .event = e, .stream = handle(8));
	never(rig, "implicit-default-switch");
}

static void destroyed_where_the_runtime_lets(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1);
	aclrtContext own = handle(3);

	(void)state;
	CALL(rig, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	/* Something below us has set the context that the stream needs. */
	CALL(rig, aclrtDestroyStream, 0, .stream = s);
	silent(rig);
}

/* --- other threads ------------------------------------------------------------------------- */

static void reset_beside(void **state)
{
	static const struct {
		uint32_t dead;
		unsigned api;
		bool explicit, twice, other_device;
	} cases[] = {
		{.dead = 2, .api = ACL_API_aclrtSynchronizeDevice}, /* it ended in the middle of the call */
		{.api = ACL_API_aclrtProcessReport},
		{.api = ACL_API_aclrtGetRunMode}, /* needs no device */
		{.api = ACL_API_aclrtSynchronizeDevice, .explicit = true}, /* survives the reset */
		{.api = ACL_API_aclrtSynchronizeDevice, .twice = true}, /* only counted down */
		{.api = ACL_API_aclrtSynchronizeDevice, .other_device = true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig *rig = rig_ready(ACL_CANN_9_1);
		aclrtContext own = handle(3);
		struct on_its_way call;

		rig->tid = 2;
		if (cases[i].explicit)
			CALL(rig, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
		else
			CALL(rig, aclrtSetDevice, 0, .deviceId = cases[i].other_device);
		begin(rig, &call, cases[i].api, 2);
		rig->dead_thread = cases[i].dead;
		rig->tid = 1;
		if (cases[i].twice)
			CALL(rig, aclrtResetDevice, 0, .deviceId = 0);
		else
			CALL(rig, aclrtResetDeviceForce, 0, .deviceId = 0);
		never(rig, "device-reset-while-thread-active");
		end(rig, &call, 0);
	}
}

/* A call out of a callback is no call of its own, and a callback that has returned is over. */
static void callback_is_over(void **state)
{
	struct rig *rig = rig_ready(ACL_CANN_9_1);
	struct on_its_way call;

	(void)state;
	in_thread(rig, 2);
	memset(&call, 0, sizeof(call));
	acl_event_init(&call.ev, ACL_API_aclrtStreamQuery, call.args, 0x500000);
	call.ev.tid = 2;
	call.ev.pthread_id = 8192;
	call.ev.callback_depth = 1;
	checks_enter(rig->checks, &call.ev);
	rig->tid = 1;
	CALL(rig, aclrtResetDeviceForce, 0, .deviceId = 0);
	CALL(rig, aclFinalize, 0, 0);
	never(rig, "finalize-race");
	never(rig, "device-reset-while-thread-active");
}

static void finalize_beside(void **state)
{
	struct rig *rig = rig_ready(ACL_CANN_9_1);
	struct on_its_way reports, count;

	(void)state;
	CALL(rig, aclrtResetDevice, 0, .deviceId = 0);
	CALL(rig, aclInit, 100002, .configPath = NULL);
	want(rig, "init-repeat:warning");
	begin(rig, &reports, ACL_API_aclrtProcessReport, 2);
	begin(rig, &count, ACL_API_aclrtGetDeviceCount, 3);
	CALL(rig, aclFinalizeReference, 0, .refCount = NULL); /* one is left */
	never(rig, "finalize-race");
	end(rig, &count, 0);
	CALL(rig, aclFinalizeReference, 0, .refCount = NULL);
	never(rig, "finalize-race");
	silent(rig);
}

/* --- the end --------------------------------------------------------------------------------- */

static void ends_in_order(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);

	(void)state;
	CALL(rig, aclrtResetDevice, 0, .deviceId = 0);
	CALL(rig, aclFinalize, 0, 0);
	CALL(rig, aclFinalizeCallbackRegister, 0, .cbFunc = handle(1));
	CALL(rig, aclInit, 0, .configPath = NULL); /* it will run after all */
	rig->in_exit = true; /* an interpreter's end, not that of the process */
	CALL(rig, aclFinalize, 0, 0);
	never(rig, "finalize-in-destructor");
	checks_finish(rig->checks, CHECKS_END_EXIT);
	never(rig, "finalize-callback-after-finalize");
	never(rig, "finalize-reference-unbalanced");
	silent(rig);
}

static void configurations(void **state)
{
	struct rig *rig = rig_new(ACL_CANN_9_1);

	(void)state;
	CALL(rig, aclInit, 0, .configPath = "same");
	CALL(rig, aclInit, 100002, .configPath = "the same");
	CALL(rig, aclInit, 100002, .configPath = NULL);
	CALL(rig, aclInit, 100002, .configPath = "empty");
	CALL(rig, aclInit, 100002, .configPath = "unreadable");
	CALL(rig, aclFinalize, 0, 0);
	CALL(rig, aclInit, 0, .configPath = "other"); /* taken all the same */
	never(rig, "init-config-mismatch");
	CALL(rig, aclFinalize, 0, 0);
	CALL(rig, aclInit, 100000, .configPath = "other");
	want(rig, "init-repeat:warning init-repeat:warning init-repeat:warning init-repeat:warning "
		  "init-config-mismatch:error");
}

/* --- events ----------------------------------------------------------------------------------- */

static void events_used_well(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *t = rig_stream(rig, 2), *pooled = rig_event(rig, 3, ACL_EVENT_SYNC);
	aclrtEvent plain = handle(4);
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
	aclrtEventStatus old_status = ACL_EVENT_STATUS_NOT_READY;
	float ms;

	(void)state;
	CALL(rig, aclrtCreateEvent, 0, .event = &plain);
	CALL(rig, aclrtRecordEvent, 0, .event = plain, .stream = s);
	/* A real wait; the query that any thread may make; a query of what the host has seen done. */
	CALL(rig, aclrtStreamWaitEvent, 0, .stream = s, .event = plain);
	rig->tid = 2;
	CALL(rig, aclrtQueryEventStatus, 0, .event = plain, .status = &status);
	CALL(rig, aclrtSynchronizeStream, 0, .stream = s);
	CALL(rig, aclrtQueryEvent, 0, .event = plain, .status = &old_status);
	rig->tid = 1;
	never(rig, "event-wait-same-stream");
	never(rig, "event-query-cross-thread");
	CALL(rig, aclrtEventElapsedTime, 507000, .ms = &ms, .startEvent = plain, .endEvent = pooled);
	never(rig, "event-elapsed-different-streams");
	/* A pool hands its event to the other device; imported and unknown ones have a device of their own.
	 */
	CALL(rig, aclrtRecordEvent, 0, .event = pooled, .stream = t);
	CALL(rig, aclrtSetDevice, 0, .deviceId = 1);
	CALL(rig, aclrtRecordEvent, 0, .event = pooled, .stream = rig_stream(rig, 5));
	CALL(rig, aclrtRecordEvent, 0, .event = handle(77), .stream = rig_stream(rig, 6));
	never(rig, "event-cross-device");
}

static void events_destroyed_well(void **state)
{
	struct rig *rig = rig_ready(ACL_CANN_9_1);
	void *s = rig_stream(rig, 1), *t = rig_stream(rig, 2), *e = rig_event(rig, 3, ACL_EVENT_SYNC);

	(void)state;
	CALL(rig, aclrtRecordEvent, 0, .event = e, .stream = s);
	CALL(rig, aclrtStreamWaitEvent, 0, .stream = t, .event = e);
	CALL(rig, aclrtDestroyEvent, 0, .event = e); /* its own wait: the runtime keeps what it needs */
	e = rig_event(rig, 3, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	CALL(rig, aclrtRecordEvent, 0, .event = e, .stream = s);
	in_thread(rig, 2);
	CALL(rig, aclrtStreamWaitEvent, 0, .stream = t, .event = e);
	CALL(rig, aclrtDestroyStream, 0, .stream = t);
	rig->tid = 1;
	CALL(rig, aclrtDestroyEvent, 0, .event = e); /* nobody waits any more */
	never(rig, "event-destroyed-in-use");
	checks_finish(rig->checks, CHECKS_END_EXIT);
	never(rig, "event-timeline-unneeded"); /* one record is no habit */
}

/* --- waits and streams --------------------------------------------------------------------------- */

#define SET(rig, d, s)                                                                                       \
	CALL(rig, aclrtMemsetAsync, 0, .devPtr = (d), .maxCount = 64, .count = 64, .stream = (s))

static void time_is_over(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *d = rig_malloc(rig, DEVICE_MEMORY, 4096);
	void *other = rig_malloc(rig, DEVICE_MEMORY + 0x10000, 4096);

	(void)state;
	SET(rig, d, s);
	CALL(rig, aclrtSynchronizeStreamWithTimeout, 507046, .stream = s, .timeout = 1);
	CALL(rig, aclrtFree, 0, .devPtr = other); /* no task of the stream uses it */
	CALL(rig, aclrtSynchronizeStreamWithTimeout, 507046, .stream = s, .timeout = 1);
	CALL(rig, aclrtStreamAbort, 0, .stream = s);
	CALL(rig, aclrtFree, 0, .devPtr = d);
	never(rig, "sync-timeout-ignored");
}

static void one_context(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *d = rig_malloc(rig, DEVICE_MEMORY, 4096);

	(void)state;
	SET(rig, d, s);
	SET(rig, d, NULL);
	CALL(rig, aclrtSynchronizeDevice, 0, 0);
	CALL(rig, aclrtFree, 0, .devPtr = d);
	never(rig, "sync-device-scope");
}

static void forced_without_harm(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *t = rig_stream(rig, 2), *u = rig_stream(rig, 3);
	void *e = rig_event(rig, 4, ACL_EVENT_SYNC), *d = rig_malloc(rig, DEVICE_MEMORY, 4096);

	(void)state;
	/* Nobody waits; the wait is for what came before the work; the stream was aborted. */
	SET(rig, d, s);
	CALL(rig, aclrtDestroyStreamForce, 0, .stream = s);
	CALL(rig, aclrtRecordEvent, 0, .event = e, .stream = t);
	CALL(rig, aclrtStreamWaitEvent, 0, .stream = u, .event = e);
	SET(rig, d, t);
	CALL(rig, aclrtDestroyStreamForce, 0, .stream = t);
	t = rig_stream(rig, 2);
	SET(rig, d, t);
	CALL(rig, aclrtRecordEvent, 0, .event = e, .stream = t);
	CALL(rig, aclrtStreamWaitEvent, 0, .stream = u, .event = e);
	CALL(rig, aclrtStreamAbort, 0, .stream = t);
	CALL(rig, aclrtDestroyStreamForce, 0, .stream = t);
	never(rig, "stream-destroy-force-pending");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked_whether_there_is_one),
		cmocka_unit_test(other_reasons),
		cmocka_unit_test(back_to_the_default_on_purpose),
		cmocka_unit_test(destroyed_where_the_runtime_lets),
		cmocka_unit_test(reset_beside),
		cmocka_unit_test(callback_is_over),
		cmocka_unit_test(finalize_beside),
		cmocka_unit_test(ends_in_order),
		cmocka_unit_test(configurations),
		cmocka_unit_test(events_used_well),
		cmocka_unit_test(events_destroyed_well),
		cmocka_unit_test(time_is_over),
		cmocka_unit_test(one_context),
		cmocka_unit_test(forced_without_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("contexts, threads, ends", tests, NULL, NULL);
}
