/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rules about contexts, threads, ends and uses of events must not speak. */
#include "fixture.h"

#include <string.h>

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS

/* A call that is on its way in a thread. */
struct on_its_way {
	struct acl_call_record ev;
	uint64_t args[4]; /* a time, or somewhere for an answer */
	uint64_t answer;
};

static void begin(struct fixture *fixture, struct on_its_way *call, unsigned api, uint32_t tid)
{
	memset(call, 0, sizeof(*call));
	call->args[0] = api == ACL_API_aclrtProcessReport || api == ACL_API_aclrtProcessHostFunc
				? 10
				: (uintptr_t)&call->answer;
	acl_call_record_init(&call->ev, api, call->args, 0x500000);
	call->ev.pid = 1;
	call->ev.tid = tid;
	call->ev.pthread_id = tid * 4096ul;
	call->ev.module = fixture->module;
	checks_enter(fixture->checks, &call->ev);
}

static void end(struct fixture *fixture, struct on_its_way *call, int64_t result)
{
	call->ev.result.i = result;
	checks_leave(fixture->checks, &call->ev);
}

static void in_thread(struct fixture *fixture, uint32_t tid)
{
	fixture->tid = tid;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
}

/* --- contexts ------------------------------------------------------------------------------ */

static void asked_whether_there_is_one(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtContext own = handle(1);
	int32_t device;

	(void)state;
	CALL(fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	CALL(fixture, aclrtDestroyContext, 0, .context = own);
	CALL(fixture, aclrtGetDevice, 107002, .deviceId = &device);
	CALL(fixture, aclrtGetCurrentContext, 107002, .context = &own);
	never(fixture, "context-lost-after-destroy");
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtResetDeviceForce, 0, .deviceId = 0);
	CALL(fixture, aclrtGetDevice, 107002, .deviceId = &device);
	never(fixture, "device-reset-clears-current");
	silent(fixture);
}

/* Another reason than ours, or none that we saw. */
static void other_reasons(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	fixture->tid = 2;
	CALL(fixture, aclrtSynchronizeDevice, 107002, 0);
	want(fixture, "current-context-missing:error");
	never(fixture, "device-reset-clears-current");
	never(fixture, "context-lost-after-destroy");
	never(fixture, "device-reset-while-thread-active");
	CALL(fixture, aclrtDestroyStream, 107003, .stream = handle(9));
	never(fixture, "stream-destroy-wrong-context");
}

static void back_to_the_default_on_purpose(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *e = fixture_event(fixture, 2, ACL_EVENT_SYNC);
	aclrtContext own = handle(3);

	(void)state;
	CALL(fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	never(fixture, "implicit-default-switch");
	/* The stream of a third context has nothing to do with the one that was replaced. */
	CALL(fixture, aclrtRecordEvent, 107003, .event = e, .stream = handle(8));
	never(fixture, "implicit-default-switch");
}

static void destroyed_where_the_runtime_lets(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);
	aclrtContext own = handle(3);

	(void)state;
	CALL(fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	/* Something below us has set the context that the stream needs. */
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	silent(fixture);
}

/* The thread has a context that something below us has set: which streams it waited for is unknown. */
static void device_wait_of_an_unknown_context(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096), *s = fixture_stream(fixture, 1);
	void *notify = handle(2);

	(void)state;
	CALL(fixture, aclrtCreateNotify, 0, .notify = &notify);
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(fixture, aclrtWaitAndResetNotify, 0, .notify = notify, .stream = s);
	fixture->tid = 2;
	CALL(fixture, aclrtSynchronizeDevice, 0, 0);
	fixture->tid = 1;
	CALL(fixture, aclrtDestroyNotify, 0, .notify = notify);
	silent(fixture);
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
		struct fixture *fixture = fixture_ready(ACL_CANN_9_1);
		aclrtContext own = handle(3);
		struct on_its_way call;

		fixture->tid = 2;
		if (cases[i].explicit)
			CALL(fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
		else
			CALL(fixture, aclrtSetDevice, 0, .deviceId = cases[i].other_device);
		begin(fixture, &call, cases[i].api, 2);
		fixture->dead_thread = cases[i].dead;
		fixture->tid = 1;
		if (cases[i].twice)
			CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
		else
			CALL(fixture, aclrtResetDeviceForce, 0, .deviceId = 0);
		never(fixture, "device-reset-while-thread-active");
		end(fixture, &call, 0);
	}
}

/* A call out of a callback is no call of its own, and a callback that has returned is over. */
static void callback_is_over(void **state)
{
	struct fixture *fixture = fixture_ready(ACL_CANN_9_1);
	struct on_its_way call;

	(void)state;
	in_thread(fixture, 2);
	memset(&call, 0, sizeof(call));
	acl_call_record_init(&call.ev, ACL_API_aclrtStreamQuery, call.args, 0x500000);
	call.ev.tid = 2;
	call.ev.pthread_id = 8192;
	call.ev.callback_depth = 1;
	checks_enter(fixture->checks, &call.ev);
	fixture->tid = 1;
	CALL(fixture, aclrtResetDeviceForce, 0, .deviceId = 0);
	CALL(fixture, aclFinalize, 0, 0);
	never(fixture, "finalize-race");
	never(fixture, "device-reset-while-thread-active");
}

/* What the found rule says of another thread: "error", "warning", "advice"; "" = nothing. */
static const char *said(const struct fixture *fixture, const char *rule)
{
	size_t n = strlen(rule);

	for (unsigned i = 0; i < fixture->n_found; i++)
		if (!strncmp(fixture->found[i].what, rule, n) && fixture->found[i].what[n] == ':')
			return fixture->found[i].what + n + 1;
	return "";
}

/* The process ends, or its device goes out of use, while another thread is in a call. */
static void ends_while_another_works(void **state)
{
	static const struct {
		unsigned api;
		bool dead, library, exit;
		const char *finalize, *reset;
	} cases[] = {
		{.api = ACL_API_aclrtSynchronizeDevice, .finalize = "error", .reset = "error"},
		{.api = ACL_API_aclmdlRICaptureThreadExchangeMode, .finalize = "error", .reset = ""},
		{.api = ACL_API_aclrtGetDeviceCount, .finalize = "error", .reset = ""}, /* of no device */
		{.api = ACL_API_aclrtProcessReport, .finalize = "", .reset = ""}, /* sit there for ever */
		{.api = ACL_API_aclrtProcessHostFunc, .finalize = "", .reset = ""},
		{.api = ACL_API_aclGetRecentErrMsg,
			.finalize = "",
			.reset = ""}, /* the runtime is not needed */
		{.api = ACL_API_aclrtSynchronizeDevice, .dead = true, .finalize = "", .reset = ""},
		{.api = ACL_API_aclrtSynchronizeDevice,
			.library = true,
			.finalize = "advice",
			.reset = "error"},
		{.api = ACL_API_aclrtSynchronizeDevice,
			.exit = true,
			.finalize = "warning",
			.reset = "warning"},
	};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *fixture = fixture_ready(ACL_CANN_9_1);
		unsigned n = i / 2;
		struct on_its_way call;

		if (i % 2)
			CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
		else
			in_thread(fixture, 2);
		fixture->tid = 1;
		begin(fixture, &call, cases[n].api, 2);
		fixture->dead_thread = cases[n].dead ? 2 : 0;
		fixture->other_code = cases[n].library ? 0x500000 : 0;
		fixture->in_exit = cases[n].exit;
		if (i % 2)
			CALL(fixture, aclFinalize, 0, 0);
		else
			CALL(fixture, aclrtResetDeviceForce, 0, .deviceId = 0);
		assert_string_equal(said(fixture, "finalize-race"), i % 2 ? cases[n].finalize : "");
		assert_string_equal(
			said(fixture, "device-reset-while-thread-active"), i % 2 ? "" : cases[n].reset);
		fixture_free(fixture);
	}
}

static void finalize_beside(void **state)
{
	struct fixture *fixture = fixture_ready(ACL_CANN_9_1);
	struct on_its_way reports, count;

	(void)state;
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	CALL(fixture, aclInit, 100002, .configPath = NULL);
	want(fixture, "init-repeat:warning");
	begin(fixture, &reports, ACL_API_aclrtProcessReport, 2);
	begin(fixture, &count, ACL_API_aclrtGetDeviceCount, 3);
	CALL(fixture, aclFinalizeReference, 0, .refCount = NULL); /* one is left */
	never(fixture, "finalize-race");
	end(fixture, &count, 0);
	CALL(fixture, aclFinalizeReference, 0, .refCount = NULL);
	never(fixture, "finalize-race");
	silent(fixture);
}

/* --- the end --------------------------------------------------------------------------------- */

static void ends_in_order(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	CALL(fixture, aclFinalize, 0, 0);
	CALL(fixture, aclFinalizeCallbackRegister, 0, .cbFunc = handle(1));
	CALL(fixture, aclInit, 0, .configPath = NULL); /* it will run after all */
	fixture->in_exit = true; /* an interpreter's end, not that of the process */
	CALL(fixture, aclFinalize, 0, 0);
	never(fixture, "finalize-in-destructor");
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	never(fixture, "finalize-callback-after-finalize");
	never(fixture, "finalize-reference-unbalanced");
	silent(fixture);
}

static void configurations(void **state)
{
	struct fixture *fixture = fixture_new(ACL_CANN_9_1);

	(void)state;
	CALL(fixture, aclInit, 0, .configPath = "same");
	CALL(fixture, aclInit, 100002, .configPath = "the same");
	CALL(fixture, aclInit, 100002, .configPath = NULL);
	CALL(fixture, aclInit, 100002, .configPath = "empty");
	CALL(fixture, aclInit, 100002, .configPath = "unreadable");
	CALL(fixture, aclFinalize, 0, 0);
	CALL(fixture, aclInit, 0, .configPath = "other"); /* taken all the same */
	never(fixture, "init-config-mismatch");
	CALL(fixture, aclFinalize, 0, 0);
	CALL(fixture, aclInit, 100000, .configPath = "other");
	want(fixture, "init-repeat:warning init-repeat:warning init-repeat:warning init-repeat:warning "
		      "init-config-mismatch:error");
}

/* --- events ----------------------------------------------------------------------------------- */

static void events_used_well(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2),
	     *pooled = fixture_event(fixture, 3, ACL_EVENT_SYNC);
	aclrtEvent plain = handle(4);
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
	aclrtEventStatus old_status = ACL_EVENT_STATUS_NOT_READY;
	float ms;

	(void)state;
	CALL(fixture, aclrtCreateEvent, 0, .event = &plain);
	CALL(fixture, aclrtRecordEvent, 0, .event = plain, .stream = s);
	/* A real wait; the query that any thread may make; a query of what the host has seen done. */
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = s, .event = plain);
	fixture->tid = 2;
	CALL(fixture, aclrtQueryEventStatus, 0, .event = plain, .status = &status);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	CALL(fixture, aclrtQueryEvent, 0, .event = plain, .status = &old_status);
	fixture->tid = 1;
	never(fixture, "event-wait-same-stream");
	never(fixture, "event-query-cross-thread");
	CALL(fixture, aclrtEventElapsedTime, 507000, .ms = &ms, .startEvent = plain, .endEvent = pooled);
	never(fixture, "event-elapsed-different-streams");
	/* A pool hands its event to the other device; imported and unknown ones have a device of their own.
	 */
	CALL(fixture, aclrtRecordEvent, 0, .event = pooled, .stream = t);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 1);
	CALL(fixture, aclrtRecordEvent, 0, .event = pooled, .stream = fixture_stream(fixture, 5));
	CALL(fixture, aclrtRecordEvent, 0, .event = handle(77), .stream = fixture_stream(fixture, 6));
	never(fixture, "event-cross-device");
}

static void events_destroyed_well(void **state)
{
	struct fixture *fixture = fixture_ready(ACL_CANN_9_1);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2),
	     *e = fixture_event(fixture, 3, ACL_EVENT_SYNC);

	(void)state;
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = t, .event = e);
	CALL(fixture, aclrtDestroyEvent, 0, .event = e); /* its own wait: the runtime keeps what it needs */
	e = fixture_event(fixture, 3, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	in_thread(fixture, 2);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = t, .event = e);
	CALL(fixture, aclrtDestroyStream, 0, .stream = t);
	fixture->tid = 1;
	CALL(fixture, aclrtDestroyEvent, 0, .event = e); /* no thread waits any more */
	never(fixture, "event-destroyed-in-use");
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	never(fixture, "event-timeline-unneeded"); /* one record is no habit */
}

/* Several streams wait for an event, let by another thread; all but one of them are done, and a fourth one
 * takes the place of one that is done. */
static void events_destroyed_while_one_waits(void **state)
{
	(void)state;
	for (unsigned left = 0; left <= 3; left++) {
		struct fixture *fixture = fixture_ready(ACL_CANN_9_1);
		void *s = fixture_stream(fixture, 1), *e = fixture_event(fixture, 2, ACL_EVENT_SYNC),
		     *waits[3];

		for (unsigned i = 0; i < 3; i++)
			waits[i] = fixture_stream(fixture, 3 + i);
		CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
		in_thread(fixture, 2);
		for (unsigned i = 0; i < 3; i++)
			CALL(fixture, aclrtStreamWaitEvent, 0, .stream = waits[i], .event = e);
		fixture->tid = 1;
		for (unsigned i = 0; i < 3; i++)
			if (i != left)
				CALL(fixture, aclrtSynchronizeStream, 0, .stream = waits[i]);
		CALL(fixture, aclrtStreamWaitEvent, 0, .stream = fixture_stream(fixture, 6), .event = e);
		CALL(fixture, aclrtDestroyEvent, 0, .event = e);
		want(fixture, left < 3 ? "event-destroyed-in-use:advice" : "");
	}
}

/* --- waits and streams --------------------------------------------------------------------------- */

#define SET(fixture, d, s)                                                                                   \
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = (d), .maxCount = 64, .count = 64, .stream = (s))

static void time_is_over(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	void *other = fixture_malloc(fixture, DEVICE_MEMORY + 0x10000, 4096);

	(void)state;
	SET(fixture, d, s);
	CALL(fixture, aclrtSynchronizeStreamWithTimeout, 507046, .stream = s, .timeout = 1);
	CALL(fixture, aclrtFree, 0, .devPtr = other); /* no task of the stream uses it */
	CALL(fixture, aclrtSynchronizeStreamWithTimeout, 507046, .stream = s, .timeout = 1);
	CALL(fixture, aclrtStreamAbort, 0, .stream = s);
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	never(fixture, "sync-timeout-ignored");
}

static void one_context(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);

	(void)state;
	SET(fixture, d, s);
	SET(fixture, d, NULL);
	CALL(fixture, aclrtSynchronizeDevice, 0, 0);
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	never(fixture, "sync-device-scope");
}

static void forced_without_harm(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2),
	     *u = fixture_stream(fixture, 3);
	void *e = fixture_event(fixture, 4, ACL_EVENT_SYNC),
	     *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);

	(void)state;
	/* The work is done; the wait is for what came before it; the stream was aborted. */
	SET(fixture, d, s);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	CALL(fixture, aclrtDestroyStreamForce, 0, .stream = s);
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = t);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = u, .event = e);
	SET(fixture, d, t);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = t);
	CALL(fixture, aclrtDestroyStreamForce, 0, .stream = t);
	t = fixture_stream(fixture, 2);
	SET(fixture, d, t);
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = t);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = u, .event = e);
	CALL(fixture, aclrtStreamAbort, 0, .stream = t);
	CALL(fixture, aclrtDestroyStreamForce, 0, .stream = t);
	never(fixture, "stream-destroy-force-pending");
}

static void begin_with(struct fixture *fixture, struct on_its_way *call, unsigned api, uint64_t argument)
{
	memset(call, 0, sizeof(*call));
	call->args[0] = argument;
	call->args[1] = (uintptr_t)handle(9); /* a function, where there is one */
	acl_call_record_init(&call->ev, api, call->args, 0x500000);
	call->ev.pid = 1;
	call->ev.tid = fixture->tid;
	call->ev.pthread_id = fixture->tid * 4096ul;
	call->ev.module = fixture->module;
	checks_enter(fixture->checks, &call->ev);
}

/* A library releases what it has on the device when that is reset: in its callback, before the device goes.
 */
static void released_by_the_reset(void **state)
{
	(void)state;
	for (unsigned released = 0; released < 2; released++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		void *s = fixture_stream(fixture, 1);
		aclmdlRI m = handle(30);
		struct on_its_way going;

		CALL(fixture, aclmdlRIBuildBegin, 0, .modelRI = &m);
		CALL(fixture, aclrtRegDeviceStateCallback, 0, .regName = "library", .callback = handle(9));
		begin_with(fixture, &going, ACL_API_aclrtResetDevice, 0);
		fixture_callback(fixture, ACL_API_aclrtRegDeviceStateCallback, NULL, true);
		if (released) {
			CALL(fixture, aclmdlRIDestroy, 0, .modelRI = m);
			CALL(fixture, aclrtDestroyStream, 0, .stream = s);
		}
		fixture_callback(fixture, ACL_API_aclrtRegDeviceStateCallback, NULL, false);
		silent(fixture);
		end(fixture, &going, 0);
		want(fixture,
			released ? ""
				 : "device-reset-with-live-objects:error model-outlives-context:warning");
	}
}

/* An imported one is a subject of its own. */
static void import_released_by_the_reset(void **state)
{
	(void)state;
	for (unsigned released = 0; released < 2; released++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		aclrtNotify n = handle(20);
		struct on_its_way going;

		CALL(fixture, aclrtNotifyImportByKey, 0, .notify = &n, .key = "a key");
		CALL(fixture, aclrtRegDeviceStateCallback, 0, .regName = "library", .callback = handle(9));
		begin_with(fixture, &going, ACL_API_aclrtResetDevice, 0);
		fixture_callback(fixture, ACL_API_aclrtRegDeviceStateCallback, NULL, true);
		if (released)
			CALL(fixture, aclrtDestroyNotify, 0, .notify = n);
		fixture_callback(fixture, ACL_API_aclrtRegDeviceStateCallback, NULL, false);
		silent(fixture);
		end(fixture, &going, 0);
		want(fixture, released ? "" : "notify-ipc-destroy-once:warning");
	}
}

/* The callback has run, and what it informed frees the memory, before the call that launched it is back. */
static void informed_before_the_launch_is_back(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096),
	     *e = fixture_malloc(fixture, DEVICE_MEMORY + (1ul << 30), 4096);
	struct on_its_way launch;

	(void)state;
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 4096, .value = 0, .count = 4096,
		.stream = s);
	begin_with(fixture, &launch, ACL_API_aclrtLaunchHostFunc, (uintptr_t)s);
	in_thread(fixture, 2);
	fixture_callback(fixture, ACL_API_aclrtLaunchHostFunc, NULL, true);
	fixture_callback(fixture, ACL_API_aclrtLaunchHostFunc, NULL, false);
	in_thread(fixture, 3);
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	silent(fixture);
	end(fixture, &launch, 0);
	in_thread(fixture, 1);
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = e, .maxCount = 4096, .value = 0, .count = 4096,
		.stream = s);
	CALL(fixture, aclrtFree, 0, .devPtr = e);
	want(fixture, "free-in-flight:advice");
}

/* The runtime calls back before a stream goes, and when it was made: there it is alive. */
static void used_while_it_goes(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *other = fixture_stream(fixture, 2);
	struct on_its_way going;
	int32_t id;

	(void)state;
	begin_with(fixture, &going, ACL_API_aclrtDestroyStream, (uintptr_t)s);
	fixture_callback(fixture, ACL_API_aclrtRegStreamStateCallback, s, true);
	CALL(fixture, aclrtStreamGetId, 0, .stream = s, .streamId = &id);
	silent(fixture);
	fixture_callback(fixture, ACL_API_aclrtRegStreamStateCallback, s, false);
	fixture_callback(fixture, ACL_API_aclrtRegStreamStateCallback, other, true);
	CALL(fixture, aclrtStreamGetId, 0, .stream = s, .streamId = &id);
	want(fixture, "stream-destroyed-handle:error");
	fixture_callback(fixture, ACL_API_aclrtRegStreamStateCallback, other, false);
	end(fixture, &going, 0);
	/* The next stream gets the same handle: its callback comes before the call that makes it is over. */
	fixture_callback(fixture, ACL_API_aclrtRegStreamStateCallback, s, true);
	CALL(fixture, aclrtStreamGetId, 0, .stream = s, .streamId = &id);
	silent(fixture);
	fixture_callback(fixture, ACL_API_aclrtRegStreamStateCallback, s, false);
	CALL(fixture, aclrtSynchronizeStream, 107017, .stream = s);
	want(fixture, "stream-destroyed-handle:error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked_whether_there_is_one),
		cmocka_unit_test(other_reasons),
		cmocka_unit_test(back_to_the_default_on_purpose),
		cmocka_unit_test(destroyed_where_the_runtime_lets),
		cmocka_unit_test(device_wait_of_an_unknown_context),
		cmocka_unit_test(reset_beside),
		cmocka_unit_test(callback_is_over),
		cmocka_unit_test(ends_while_another_works),
		cmocka_unit_test(finalize_beside),
		cmocka_unit_test(ends_in_order),
		cmocka_unit_test(configurations),
		cmocka_unit_test(events_used_well),
		cmocka_unit_test(events_destroyed_well),
		cmocka_unit_test(events_destroyed_while_one_waits),
		cmocka_unit_test(time_is_over),
		cmocka_unit_test(one_context),
		cmocka_unit_test(forced_without_harm),
		cmocka_unit_test(used_while_it_goes),
		cmocka_unit_test(informed_before_the_launch_is_back),
		cmocka_unit_test(released_by_the_reset),
		cmocka_unit_test(import_released_by_the_reset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("contexts, threads, ends", tests, NULL, NULL);
}
