/* SPDX-License-Identifier: Apache-2.0 */
/* Captures and models: what is remembered of them, and correct ways to use them, which stay silent. */
#include "order_calls.h"

#include "checks/state/capture_streams.h"
#include "checks/state/model_execution.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

static void begin(struct fixture *fixture, void *s)
{
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = RELAXED);
}

static aclmdlRI end(struct fixture *fixture, void *s, unsigned n)
{
	aclmdlRI m = handle(n);

	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &m);
	return m;
}

static aclmdlRI captured(struct fixture *fixture, void *s, unsigned n)
{
	begin(fixture, s);
	return end(fixture, s, n);
}

static void execute(struct fixture *fixture, aclmdlRI m, void *s)
{
	CALL(fixture, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = s);
}

static struct acl_object *model_of(struct fixture *fixture, aclmdlRI m)
{
	return object_live(fixture->checks, ACL_HANDLE_MODEL, m);
}

/* The stream is gone: that its flags could not be captured, or that it was being captured, is no news. */
static void begin_on_a_destroyed_stream(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtStream s = handle(1);

	(void)state;
	CALL(fixture, aclrtCreateStreamWithConfig, 0, .stream = &s, .flag = ACL_STREAM_DEVICE_USE_ONLY);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	CALL(fixture, aclmdlRICaptureBegin, 107000, .stream = s, .mode = RELAXED);
	want(fixture, "stream-destroyed-handle:error");
	never(fixture, "capture-begin-bad-stream-flag");
	never(fixture, "capture-begin-twice");
	assert_int_equal(fixture_count(fixture, "capture-begin-twice"), 0);
}

/* An end that is refused for its argument ends nothing. */
static void group_behind_a_refused_end(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtStream s = fixture_stream(fixture, 1);

	(void)state;
	begin(fixture, s);
	CALL(fixture, aclmdlRICaptureTaskGrpBegin, 0, .stream = s);
	CALL(fixture, aclmdlRICaptureTaskGrpEnd, 107000, .stream = s);
	want(fixture, "null-required-pointer:error");
	CALL(fixture, aclmdlRICaptureTaskGrpBegin, 107033, .stream = s);
	want(fixture, "taskgrp-begin-twice:error");
}

/* The thread that began the capture has ended, and a later one has its place. */
static void ended_in_the_place_of_a_thread(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclmdlRICaptureMode mode = RELAXED;
	aclrtStream s;
	aclmdlRI m = NULL;

	(void)state;
	s = fixture_stream(fixture, 1);
	fixture->pthread_id = 4096;
	fixture->tid = 100;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
	fixture->tid = 101;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclmdlRICaptureThreadExchangeMode, 0, .mode = &mode);
	CALL(fixture, aclmdlRICaptureEnd, 107038, .stream = s, .modelRI = &m);
	want(fixture, "capture-end-wrong-thread:error");
	never(fixture, "capture-exchange-not-restored");
}

/* --- order within a capture --------------------------------------------------------------- */

static void fork_to(struct fixture *fixture, void *from, void *to, unsigned n)
{
	void *e = fixture_event(fixture, n, ACL_EVENT_SYNC);

	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = from);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = to, .event = e);
}

static void set(struct fixture *fixture, void *d, void *s, unsigned line)
{
	struct acl_args_aclrtMemsetAsync args = {.devPtr = d, .maxCount = 64, .count = 64, .stream = s};

	fixture_call(fixture, ACL_API_aclrtMemsetAsync, &args, 0, line);
}

#define MANY_STREAMS 300

/* Of more streams than are followed nothing is known of the order, nor of the others' behind that. */
static void streams_of_a_wide_capture(void **state)
{
	static const unsigned streams[] = {14, 20, 255, MANY_STREAMS};

	(void)state;
	for (unsigned k = 0; k < sizeof(streams) / sizeof(streams[0]); k++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		unsigned n = streams[k];
		char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
		void *s[MANY_STREAMS], *origin = fixture_stream(fixture, 50);

		fixture->other_ways = 0;
		begin(fixture, origin);
		for (unsigned i = 0; i < n; i++) {
			s[i] = fixture_stream(fixture, 100 + i);
			fork_to(fixture, origin, s[i], 1000 + i);
		}
		set(fixture, d, s[0], 1);
		set(fixture, d + 64, s[1], 2);
		silent(fixture);
		set(fixture, d, s[1], 3);
		set(fixture, d, s[n - 1], 4);
		want(fixture, n == MANY_STREAMS ? "" : "stream-race-set:error stream-race-set:error");
		fixture_free(fixture);
	}
}

/* What a stream waited for before the capture had more streams comes before, too. */
static void order_from_before_more_streams(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	void *s[40];

	(void)state;
	fixture->other_ways = 0;
	for (unsigned i = 0; i < 40; i++)
		s[i] = fixture_stream(fixture, 100 + i);
	begin(fixture, s[0]);
	set(fixture, d, s[0], 1);
	for (unsigned i = 1; i < 40; i++) {
		fork_to(fixture, s[i - 1], s[i], 200 + i);
		set(fixture, d, s[i], 1 + i);
		set(fixture, d + 64 * i, s[i], 100 + i);
	}
	fork_to(fixture, s[39], s[1], 300);
	set(fixture, d, s[1], 200);
	set(fixture, d + 64ul * 38, s[1], 201);
	silent(fixture);
	set(fixture, d + 64ul * 39, s[20], 202);
	want(fixture, "stream-race-set:error");
	fixture_free(fixture);
}

/* A later wait keeps what the stream's former ones brought. */
static void waits_within_a_capture_add_up(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	void *s[4];

	(void)state;
	fixture->other_ways = 0;
	for (unsigned i = 0; i < 4; i++)
		s[i] = fixture_stream(fixture, 100 + i);
	begin(fixture, s[0]);
	for (unsigned i = 1; i < 4; i++)
		fork_to(fixture, s[0], s[i], 200 + i);
	set(fixture, d, s[1], 1);
	set(fixture, d + 64, s[2], 2);
	fork_to(fixture, s[1], s[3], 300);
	fork_to(fixture, s[2], s[3], 301);
	set(fixture, d, s[3], 3);
	set(fixture, d + 64, s[3], 4);
	silent(fixture);
	/* By way of the third stream. */
	fork_to(fixture, s[3], s[0], 302);
	set(fixture, d, s[0], 5);
	silent(fixture);
	set(fixture, d, s[1], 6);
	want(fixture, "stream-race-set:error");
	fixture_free(fixture);
}

/* What the event recorded comes before the wait, and what the stream did again behind it does not. */
static void task_again_behind_the_record(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	void *s = fixture_stream(fixture, 100), *other = fixture_stream(fixture, 101);

	(void)state;
	fixture->other_ways = 0;
	begin(fixture, s);
	set(fixture, d, s, 1);
	fork_to(fixture, s, other, 200);
	set(fixture, d + 64, s, 2);
	set(fixture, d, other, 3);
	silent(fixture);
	fork_to(fixture, other, s, 201);
	set(fixture, d, s, 4);
	fork_to(fixture, s, other, 202);
	set(fixture, d, s, 5);
	silent(fixture);
	set(fixture, d, other, 6);
	want(fixture, "stream-race-set:error");
	fixture_free(fixture);
}

/* --- executions ---------------------------------------------------------------------------- */

static void execution_ends_with_the_stream(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *other = fixture_stream(fixture, 2);
	aclmdlRI m = captured(fixture, s, 3);
	struct acl_object *model = model_of(fixture, m);
	struct model_execution e;

	(void)state;
	assert_false(model_executing(fixture->checks, model, NULL));
	CALL(fixture, aclmdlRIExecuteAsync, 507011, .modelRI = m, .stream = s);
	assert_false(model_executing(fixture->checks, model, NULL));
	execute(fixture, m, s);
	execute(fixture, m, other);
	assert_true(model_executing(fixture->checks, model, &e));
	assert_int_equal(load_relaxed(&e.stream->value), (uintptr_t)s);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	assert_true(model_executing(fixture->checks, model, &e));
	assert_int_equal(load_relaxed(&e.stream->value), (uintptr_t)other);
	CALL(fixture, aclrtDestroyStream, 0, .stream = other);
	assert_false(model_executing(fixture->checks, model, NULL));
	assert_int_equal(model_executions(model), 2);
}

static void many_executions(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *first = fixture_stream(fixture, 2);
	aclmdlRI m = captured(fixture, s, 3);
	struct acl_object *model = model_of(fixture, m);
	struct model_execution e;
	unsigned n = 0, on_first = 0;

	(void)state;
	execute(fixture, m, first);
	for (unsigned i = 0; i < 2 * MODEL_EXECUTIONS; i++)
		execute(fixture, m, s);
	/* The last one of a stream stands for those before it, and leaves those of others alone. */
	for (unsigned at = 0; model_execution_next(fixture->checks, model, &at, &e); n++)
		on_first += load_relaxed(&e.stream->value) == (uintptr_t)first;
	assert_int_equal(n, 2);
	assert_int_equal(on_first, 1);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	assert_true(model_executing(fixture->checks, model, &e));
	assert_int_equal(load_relaxed(&e.stream->value), (uintptr_t)first);
	/* Of too many streams the oldest ones are forgotten, those done are not kept. */
	for (unsigned i = 0; i < MODEL_EXECUTIONS; i++)
		execute(fixture, m, fixture_stream(fixture, 10 + i));
	n = 0;
	for (unsigned at = 0; model_execution_next(fixture->checks, model, &at, &e); n++)
		assert_true(load_relaxed(&e.stream->value) >= (uintptr_t)handle(10));
	assert_int_equal(n, MODEL_EXECUTIONS);
}

/* --- streams of a capture --------------------------------------------------------------------- */

/* What brought the streams back went past us: the runtime's answer counts. */
#define MODELS 200 /* more than may run at once */

/* A task meets each of the models that run, and no other one. */
static void tasks_among_models(const unsigned *run, unsigned n)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, MODELS * 4096ul);
	void *s = fixture_stream(fixture, 1), *other = fixture_stream(fixture, 2);
	aclmdlRI model[MODELS];

	fixture->other_ways = 0;
	for (unsigned i = 0; i < MODELS; i++) {
		begin(fixture, s);
		set(fixture, d + 4096ul * i, s, 1);
		model[i] = end(fixture, s, 1000 + i);
	}
	for (unsigned i = 0; i < n; i++)
		execute(fixture, model[run[i]], s);
	silent(fixture);
	for (unsigned i = 0; i < MODELS; i++) {
		bool runs = false;

		for (unsigned k = 0; k < n; k++)
			runs |= run[k] == i;
		set(fixture, d + 4096ul * i, other, 2 + i);
		want(fixture, runs ? "stream-race-set:error" : "");
	}
	fixture_free(fixture);
}

static void models_of_all_numbers(void **state)
{
	static const unsigned apart[] = {3, 70, 127, 133},
			      same_remainder[] = {3, 131, 4, 68, 132, 196, 70, 199};

	(void)state;
	tasks_among_models(apart, 4);
	tasks_among_models(same_remainder, 8);
}

static void joined_unseen(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *other = fixture_stream(fixture, 2),
	     *e = fixture_event(fixture, 3, ACL_EVENT_SYNC);

	(void)state;
	begin(fixture, s);
	join(fixture, e, s, other);
	end(fixture, s, 4);
	silent(fixture);
	/* And when it is refused though all is well as far as we see, no stream is blamed. */
	begin(fixture, s);
	join(fixture, e, s, other);
	join(fixture, e, other, s);
	CALL(fixture, aclmdlRICaptureEnd, 107025, .stream = s, .modelRI = &(aclmdlRI){NULL});
	want(fixture, "api-error:warning");
}

/* A wait for the stream's own record is no task, nor does it join anything. */
static void own_record(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *other = fixture_stream(fixture, 2),
	     *e = fixture_event(fixture, 3, ACL_EVENT_SYNC);

	(void)state;
	begin(fixture, s);
	join(fixture, e, s, other);
	join(fixture, e, other, other);
	CALL(fixture, aclmdlRICaptureEnd, 107025, .stream = s, .modelRI = &(aclmdlRI){NULL});
	want(fixture, "capture-unjoined-stream:error");
}

/* Back through another stream; the same event over and over. */
static void joined_through_another(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *e = fixture_event(fixture, 2, ACL_EVENT_SYNC), *streams[40];
	struct capture_stream one;
	struct acl_object *capture;
	unsigned at = 1;

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		streams[i] = fixture_stream(fixture, 10 + i);
	begin(fixture, s);
	capture = capture_of(fixture->checks, object_live(fixture->checks, ACL_HANDLE_STREAM, s));
	join(fixture, e, s, streams[0]);
	for (unsigned i = 1; i < 40; i++)
		join(fixture, e, streams[i - 1], streams[i]);
	join(fixture, e, streams[39], s);
	while (capture_stream_next(capture, &at, &one))
		assert_true(capture_stream_is_joined(&one));
	assert_int_equal(at, 41);
	end(fixture, s, 60);
	silent(fixture);
}

/* --- events of a graph and of others ------------------------------------------------------------ */

/* One model records, the other waits: who has seen the second done may have seen the first. */
static void order_of_two_models(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *one = fixture_stream(fixture, 2),
	     *two = fixture_stream(fixture, 3);
	void *e = fixture_event(fixture, 4, ACL_EVENT_SYNC);
	aclmdlRI first, second;

	(void)state;
	begin(fixture, s);
	CALL(fixture, aclrtRecordEventWithFlag, 0, .event = e, .stream = s,
		.flag = ACL_EVENT_RECORD_EXTERNAL);
	first = end(fixture, s, 5);
	begin(fixture, s);
	CALL(fixture, aclrtStreamWaitEventWithFlag, 0, .stream = s, .event = e,
		.flag = ACL_EVENT_WAIT_EXTERNAL);
	second = end(fixture, s, 6);
	execute(fixture, first, one);
	execute(fixture, second, two);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = two);
	CALL(fixture, aclrtDestroyStream, 0, .stream = one);
	silent(fixture);
}

/* --- as PyTorch captures ------------------------------------------------------------------------ */

static void exchange(struct fixture *fixture, aclmdlRICaptureMode mode, aclmdlRICaptureMode was)
{
	struct acl_args_aclmdlRICaptureThreadExchangeMode args = {.mode = &mode};
	struct acl_call_record call;

	fixture_enter(fixture, &call, ACL_API_aclmdlRICaptureThreadExchangeMode, &args, __LINE__);
	mode = was;
	fixture_leave(fixture, &call, 0);
}

/* Queried of every stream, for the status alone; the mode is exchanged around what a capture would refuse. */
/* A thread whose task is captured may be in the middle of the next one's capture, on another stream. */
static void captured_on_another_stream(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2),
	     *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	struct acl_args_aclrtMemsetAsync args = {.devPtr = d, .maxCount = 64, .count = 64, .stream = t};
	struct acl_call_record on_its_way;

	(void)state;
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = RELAXED);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = t, .mode = RELAXED);
	fixture->tid++;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	fixture_enter(fixture, &on_its_way, ACL_API_aclrtMemsetAsync, &args, __LINE__);
	fixture->tid--;
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	never(fixture, "capture-concurrent-host-use");
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 64, .count = 64, .stream = t);
	want(fixture, "capture-concurrent-host-use:advice");
	fixture_leave(fixture, &on_its_way, 0);
}

static void captured_by_two_threads(void **state)
{
	const aclmdlRICaptureMode global = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *idle = fixture_stream(fixture, 2), *d;
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	uint32_t first = fixture->tid;
	aclmdlRI none = NULL, m;

	(void)state;
	fixture->other_ways = 0;
	CALL(fixture, aclmdlRICaptureGetInfo, 0, .stream = idle, .status = &status, .modelRI = &none);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = global);
	exchange(fixture, RELAXED, global);
	d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 4096, .count = 4096);
	exchange(fixture, global, RELAXED);
	/* The task queue's thread captures, one call after the other. */
	fixture->tid = first + 1;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	fixture->tid = first;
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	m = end(fixture, s, 5);
	for (unsigned i = 0; i < 3; i++) {
		execute(fixture, m, i & 1 ? s : idle);
		CALL(fixture, aclrtSynchronizeStream, 0, .stream = i & 1 ? s : idle);
	}
	CALL(fixture, aclmdlRIDestroy, 0, .modelRI = m);
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	silent(fixture);
	never(fixture, "capture-alloc-not-replayed");
	never(fixture, "capture-exchange-no-effect");
	never(fixture, "capture-concurrent-host-use");
}

/* A captured task that failed and is put another way is not missing. */
static void tried_again(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);

	(void)state;
	begin(fixture, s);
	CALL(fixture, aclrtMemsetAsync, 507899, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	want(fixture, "api-error:warning");
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(fixture, aclrtReduceAsync, 207000, .dst = d, .src = d, .count = 64, .stream = s);
	CALL(fixture, aclrtLaunchHostFunc, 0, .stream = s, .fn = (aclrtHostFunc)handle(7));
	end(fixture, s, 5);
	never(fixture, "capture-error-ignored");
}

/* --- conditions ------------------------------------------------------------------------------------ */

/* A captured model with a condition, whose value the runtime says to lie there. */
static aclmdlRI model_with_value(struct fixture *fixture, void *s, uint64_t *value)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRI m = handle(2);
	aclmdlRICondHandle h = handle(3);

	begin(fixture, s);
	CALL(fixture, aclmdlRICaptureGetInfo, 0, .stream = s, .status = &status, .modelRI = &m);
	CALL(fixture, aclmdlRICondHandleCreate, 0, .modelRI = m, .flag = 1, .handle = &h);
	CALL(fixture, aclmdlRICondHandleGetCondPtr, 0, .handle = h, .ptr = &value);
	end(fixture, s, 2);
	return m;
}

/* Where a condition's value was the program may be given memory of its own. */
static void value_address_again(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *d;
	uint64_t *value = (uint64_t *)DEVICE_MEMORY;
	aclmdlRI m;

	(void)state;
	fixture->other_ways = 0;
	m = model_with_value(fixture, s, value);
	CALL(fixture, aclrtMemset, 0, .devPtr = value, .maxCount = 8, .count = 8);
	silent(fixture);
	CALL(fixture, aclmdlRIDestroy, 0, .modelRI = m);
	d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 64, .count = 64);
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	silent(fixture);
}

/* A value is 8 bytes: an answer that can be none is not followed. */
static void value_at_odd_addresses(void **state)
{
	(void)state;
	for (unsigned offset = 0; offset <= 16; offset++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		void *s = fixture_stream(fixture, 1);
		uint64_t *value = (uint64_t *)(DEVICE_MEMORY + offset);
		aclmdlRI m;

		fixture->other_ways = 0;
		m = model_with_value(fixture, s, value);
		CALL(fixture, aclmdlRIDestroy, 0, .modelRI = m);
		CALL(fixture, aclrtMemset, 0, .devPtr = value, .maxCount = 8, .count = 8);
		want(fixture, offset % 8 ? "" : "cond-ptr-after-destroy:error");
		fixture_free(fixture);
	}
}

/* A condition of the model that s is captured into, whose body is captured on t and sets d; the body. */
static aclmdlRI body_of(struct fixture *fixture, void *s, aclmdlRI model, void *t, unsigned n)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRICondHandle condition = handle(n);
	aclmdlRI body[1] = {handle(n + 1)};

	CALL(fixture, aclmdlRICaptureGetInfo, 0, .stream = s, .status = &status, .modelRI = &model);
	CALL(fixture, aclmdlRICondHandleCreate, 0, .modelRI = model, .defaultLaunchValue = 1,
		.flag = ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, .handle = &condition);
	CALL(fixture, aclmdlRIAddCondTask, 0,
		.params = {.handle = condition,
			.type = ACL_MODEL_RI_COND_TYPE_IF,
			.size = 1,
			.modelRIArray = body},
		.stream = s);
	CALL(fixture, aclmdlRICaptureToModelRIBegin, 0, .stream = t, .modelRI = body[0], .mode = RELAXED);
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = (void *)DEVICE_MEMORY, .maxCount = 64, .count = 64,
		.stream = t);
	return body[0];
}

/* There is no model, and its bodies are gone with it: a model of them keeps no memory. */
static void bodies_of_a_failed_capture(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2);
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	aclmdlRI out = NULL;

	(void)state;
	begin(fixture, s);
	body_of(fixture, s, handle(10), t, 11);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = t, .modelRI = NULL);
	CALL(fixture, aclmdlRICaptureEnd, 507903, .stream = s, .modelRI = &out);
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	never(fixture, "capture-resource-freed-before-destroy");
	fixture_free(fixture);
}

/* A body in a body ends with the model of the program, too. */
static void body_in_a_body(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2),
	     *u = fixture_stream(fixture, 3);
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	aclmdlRI m, body;

	(void)state;
	begin(fixture, s);
	body = body_of(fixture, s, handle(10), t, 11);
	body_of(fixture, t, body, u, 13);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = u, .modelRI = NULL);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = t, .modelRI = NULL);
	m = end(fixture, s, 10);
	CALL(fixture, aclmdlRIDestroy, 0, .modelRI = m);
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	silent(fixture);
	fixture_free(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_of_a_failed_capture),
		cmocka_unit_test(body_in_a_body),
		cmocka_unit_test(value_at_odd_addresses),
		cmocka_unit_test(begin_on_a_destroyed_stream),
		cmocka_unit_test(ended_in_the_place_of_a_thread),
		cmocka_unit_test(streams_of_a_wide_capture),
		cmocka_unit_test(order_from_before_more_streams),
		cmocka_unit_test(waits_within_a_capture_add_up),
		cmocka_unit_test(task_again_behind_the_record),
		cmocka_unit_test(execution_ends_with_the_stream),
		cmocka_unit_test(many_executions),
		cmocka_unit_test(models_of_all_numbers),
		cmocka_unit_test(joined_unseen),
		cmocka_unit_test(own_record),
		cmocka_unit_test(joined_through_another),
		cmocka_unit_test(order_of_two_models),
		cmocka_unit_test(captured_on_another_stream),
		cmocka_unit_test(group_behind_a_refused_end),
		cmocka_unit_test(captured_by_two_threads),
		cmocka_unit_test(tried_again),
		cmocka_unit_test(value_address_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("captures and models", tests, NULL, NULL);
}
