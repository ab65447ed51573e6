/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order that the checker does not see: behind it rules are silent, and the place is counted.  Each beside
 * what is found when the order is none.
 */
#define SITES 60000
#include "order_calls.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define BYTES 4096u

struct two {
	struct fixture *f;
	void *s, *t, *d, *h;
};

/* A copy is on its way on the first stream; the second one copies to the same memory when all is arranged. */
static struct two begin(void)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	struct two two = {.f = f, .s = fixture_stream(f, 1), .t = fixture_stream(f, 2)};

	f->other_ways = 0;
	two.d = fixture_malloc(f, DEVICE_MEMORY, BYTES);
	two.h = fixture_malloc_host(f, HOST_MEMORY, BYTES);
	return two;
}

static void copy(const struct two *two, void *on)
{
	CALL(two->f, aclrtMemcpyAsync, 0, .dst = two->d, .destMax = BYTES, .src = two->h, .count = BYTES,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = on);
}

/* --- words of memory, events ------------------------------------------------------------------------ */

static void value_words(void **state)
{
	struct two two = begin();
	void *word = fixture_malloc(two.f, DEVICE_MEMORY + (1u << 20), 64);

	(void)state;
	copy(&two, two.s);
	CALL(two.f, aclrtValueWrite, 0, .devAddr = word, .value = 1, .stream = two.s);
	CALL(two.f, aclrtValueWait, 0, .devAddr = word, .value = 1, .stream = two.t);
	copy(&two, two.t);
	silent(two.f);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_VALUE_WAIT), 1);
}

static void write_word(const struct two *two, void *word, uint64_t value, void *on)
{
	CALL(two->f, aclrtValueWrite, 0, .devAddr = word, .value = value, .stream = on);
}

static void await_word(const struct two *two, void *word, uint64_t value, uint32_t flag, void *on)
{
	CALL(two->f, aclrtValueWait, 0, .devAddr = word, .value = value, .flag = flag, .stream = on);
}

static void *word_of(const struct two *two)
{
	return fixture_malloc(two->f, DEVICE_MEMORY + (1u << 20), 64);
}

/* The word held another value before, and one write ends the wait: order, seen. */
static void a_word_is_an_edge(void **state)
{
	struct two two = begin();
	void *word = word_of(&two);

	(void)state;
	write_word(&two, word, 0, two.t);
	copy(&two, two.s);
	write_word(&two, word, 1, two.s);
	await_word(&two, word, 1, ACL_STREAM_WAIT_VALUE_EQ, two.t);
	copy(&two, two.t);
	silent(two.f);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_VALUE_WAIT), 0);
	/* And only that: the first stream goes on. */
	copy(&two, two.s);
	want(two.f, "stream-race-copy:error");
}

/* Round after round, as a pipeline does; the reader gives the word back. */
static void a_word_for_ever(void **state)
{
	struct two two = begin();
	void *word = word_of(&two), *back = (char *)word + 8;

	(void)state;
	write_word(&two, word, 0, two.t);
	write_word(&two, back, 0, two.s);
	for (uint64_t n = 1; n <= 20; n++) {
		copy(&two, two.s);
		write_word(&two, word, n, two.s);
		await_word(&two, word, n, ACL_STREAM_WAIT_VALUE_GEQ, two.t);
		copy(&two, two.t);
		write_word(&two, back, n, two.t);
		await_word(&two, back, n, ACL_STREAM_WAIT_VALUE_GEQ, two.s);
	}
	silent(two.f);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_VALUE_WAIT), 0);
	copy(&two, two.s);
	silent(two.f);
	copy(&two, two.t);
	want(two.f, "stream-race-copy:error");
}

static void word_waited_for_first(void **state)
{
	struct two two = begin();
	void *word = word_of(&two);

	(void)state;
	write_word(&two, word, 0, two.t);
	copy(&two, two.s);
	await_word(&two, word, 1, ACL_STREAM_WAIT_VALUE_EQ, two.t);
	copy(&two, two.t);
	write_word(&two, word, 1, two.s);
	silent(two.f);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_VALUE_WAIT), 1);
}

/* What the word held before ends the wait as well. */
static void word_that_holds_enough(void **state)
{
	struct two two = begin();
	void *word = word_of(&two);

	(void)state;
	write_word(&two, word, 5, two.t);
	copy(&two, two.s);
	write_word(&two, word, 6, two.s);
	await_word(&two, word, 5, ACL_STREAM_WAIT_VALUE_GEQ, two.t);
	copy(&two, two.t);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_VALUE_WAIT), 1);
	never(two.f, "stream-race-copy");
}

/* The reset may come after the value of the round before, or before it. */
static void word_reset_elsewhere(void **state)
{
	struct two two = begin();
	void *word = word_of(&two), *third = fixture_stream(two.f, 3);

	(void)state;
	write_word(&two, word, 1, third);
	write_word(&two, word, 0, two.t);
	copy(&two, two.s);
	write_word(&two, word, 1, two.s);
	await_word(&two, word, 1, ACL_STREAM_WAIT_VALUE_EQ, two.t);
	copy(&two, two.t);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_VALUE_WAIT), 1);
	never(two.f, "stream-race-copy");
}

/* Who made the word 0 again was not seen, and so may be who makes it 1. */
static void word_waited_for_twice(void **state)
{
	struct two two = begin();
	void *word = word_of(&two);

	(void)state;
	write_word(&two, word, 0, two.t);
	write_word(&two, word, 1, two.s);
	await_word(&two, word, 1, ACL_STREAM_WAIT_VALUE_EQ, two.t);
	copy(&two, two.s);
	await_word(&two, word, 1, ACL_STREAM_WAIT_VALUE_EQ, two.t);
	copy(&two, two.t);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_VALUE_WAIT), 1);
	never(two.f, "stream-race-copy");
}

/* An edge is where the word did not end the wait before, and does so now: by each way to compare. */
static void words_compared(void **state)
{
	static const struct {
		uint32_t flag;
		uint64_t value, before, now;
		bool edge;
	} cases[] = {
		{ACL_STREAM_WAIT_VALUE_GEQ, 2, 1, 2, true}, {ACL_STREAM_WAIT_VALUE_GEQ, 2, 1, 3, true},
		{ACL_STREAM_WAIT_VALUE_GEQ, 2, 2, 3, false}, {ACL_STREAM_WAIT_VALUE_GEQ, 2, 0, 1, false},
		{ACL_STREAM_WAIT_VALUE_GEQ, 2, UINT64_MAX, 2, true}, /* the counter has come round */
		{ACL_STREAM_WAIT_VALUE_EQ, 2, 3, 2, true}, {ACL_STREAM_WAIT_VALUE_EQ, 2, 2, 2, false},
		{ACL_STREAM_WAIT_VALUE_EQ, 2, 1, 3, false}, {ACL_STREAM_WAIT_VALUE_AND, 6, 1, 2, true},
		{ACL_STREAM_WAIT_VALUE_AND, 6, 1, 9, false}, {ACL_STREAM_WAIT_VALUE_AND, 6, 4, 2, false},
		{ACL_STREAM_WAIT_VALUE_NOR, ~UINT64_C(6), 6, 2, true},
		{ACL_STREAM_WAIT_VALUE_NOR, ~UINT64_C(6), 7, 15, false},
		{ACL_STREAM_WAIT_VALUE_NOR, ~UINT64_C(6), 2, 4, false},
		{99, 1, 0, 1, false}, /* what this compares is not known */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct two two = begin();
		void *word = word_of(&two);

		write_word(&two, word, cases[i].before, two.t);
		copy(&two, two.s);
		write_word(&two, word, cases[i].now, two.s);
		await_word(&two, word, cases[i].value, cases[i].flag, two.t);
		if (evidence_ended(two.f, CHECKS_END_VALUE_WAIT) == cases[i].edge)
			fail_msg("case %zu", i);
		copy(&two, two.t);
		never(two.f, "stream-race-copy");
		fixture_free(two.f);
	}
}

/* Whether a write that failed was made all the same is not known: nor what the word holds. */
static void word_write_that_failed(void **state)
{
	struct two two = begin();
	void *word = word_of(&two);

	(void)state;
	write_word(&two, word, 0, two.t);
	copy(&two, two.s);
	CALL(two.f, aclrtValueWrite, 507000, .devAddr = word, .value = 1, .stream = two.s);
	want(two.f, "api-error:warning");
	await_word(&two, word, 1, ACL_STREAM_WAIT_VALUE_EQ, two.t);
	copy(&two, two.t);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_VALUE_WAIT), 1);
	never(two.f, "stream-race-copy");
}

/* A write that a model makes comes whenever that runs: from then on no word is followed. */
static void word_written_by_a_model(void **state)
{
	struct two two = begin();
	void *word = word_of(&two), *third = fixture_stream(two.f, 3);
	aclmdlRI m = handle(30);

	(void)state;
	CALL(two.f, aclmdlRICaptureBegin, 0, .stream = third, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	write_word(&two, word, 1, third);
	CALL(two.f, aclmdlRICaptureEnd, 0, .stream = third, .modelRI = &m);
	write_word(&two, word, 0, two.t);
	copy(&two, two.s);
	write_word(&two, word, 1, two.s);
	await_word(&two, word, 1, ACL_STREAM_WAIT_VALUE_EQ, two.t);
	copy(&two, two.t);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_VALUE_WAIT), 1);
	silent(two.f);
}

static void word_of_others(void **state)
{
	struct two two = begin();
	char key[65];
	void *word = word_of(&two);

	(void)state;
	CALL(two.f, aclrtIpcMemGetExportKey, 0, .devPtr = two.d, .size = BYTES, .key = key,
		.len = sizeof(key));
	write_word(&two, word, 0, two.t);
	copy(&two, two.s);
	write_word(&two, word, 1, two.s);
	await_word(&two, word, 1, ACL_STREAM_WAIT_VALUE_EQ, two.t);
	copy(&two, two.t);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_VALUE_WAIT), 1);
	never(two.f, "stream-race-copy");
}

static void external_event(void **state)
{
	struct two two = begin();
	aclrtEvent e = handle(10);

	(void)state;
	CALL(two.f, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	copy(&two, two.s);
	CALL(two.f, aclrtStreamWaitEvent, 0, .stream = two.t, .event = e);
	copy(&two, two.t);
	CALL(two.f, aclrtRecordEvent, 0, .event = e, .stream = two.s);
	silent(two.f);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_EVENT_WAIT), 1);
}

/* Who records it is another process. */
static void imported_event(void **state)
{
	struct two two = begin();
	aclrtEvent e = handle(10);
	aclrtEventStatus status;

	(void)state;
	CALL(two.f, aclrtIpcOpenEventHandle, 0, .event = &e);
	copy(&two, two.s);
	CALL(two.f, aclrtStreamWaitEvent, 0, .stream = two.t, .event = e);
	copy(&two, two.t);
	silent(two.f);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_EVENT_WAIT), 1);
	/* It is of the newest kind, made with ACL_EVENT_IPC alone. */
	CALL(two.f, aclrtQueryEvent, 207000, .event = e, .status = &status);
	want(two.f, "event-query-api-mismatch:error");
	never(two.f, "event-wait-before-record");
}

/* Whom the host waits for may be behind any task: where nothing is known of it, no task is surely under way.
 */
static void unknown_event(void **state)
{
	struct two two = begin();
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
	aclrtEventWaitStatus waits = ACL_EVENT_WAIT_STATUS_COMPLETE;
	aclrtEvent e = handle(10);

	(void)state;
	copy(&two, two.s);
	CALL(two.f, aclrtRecordEvent, 0, .event = e, .stream = two.s);
	CALL(two.f, aclrtSynchronizeEvent, 0, .event = e);
	copy(&two, two.t);
	CALL(two.f, aclrtQueryEventWaitStatus, 0, .event = e, .status = &waits);
	copy(&two, two.s);
	silent(two.f);
	CALL(two.f, aclrtQueryEventStatus, 0, .event = e, .status = &status);
	copy(&two, two.t);
	want(two.f, "stream-race-copy:error");
	status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
	CALL(two.f, aclrtQueryEventStatus, 0, .event = e, .status = &status);
	CALL(two.f, aclrtFree, 0, .devPtr = two.d);
	silent(two.f);
}

static void unknown_stream(void **state)
{
	struct two two = begin();
	aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
	aclrtEvent e = fixture_event(two.f, 10, ACL_EVENT_SYNC);
	void *u = handle(11);

	(void)state;
	copy(&two, two.s);
	CALL(two.f, aclrtRecordEvent, 0, .event = e, .stream = two.s);
	CALL(two.f, aclrtStreamWaitEvent, 0, .stream = u, .event = e);
	CALL(two.f, aclrtSynchronizeStream, 0, .stream = u);
	copy(&two, two.t);
	silent(two.f);
	CALL(two.f, aclrtStreamQuery, 0, .stream = u, .status = &status);
	copy(&two, two.s);
	want(two.f, "stream-race-copy:error");
	status = ACL_STREAM_STATUS_COMPLETE;
	CALL(two.f, aclrtStreamQuery, 0, .stream = u, .status = &status);
	CALL(two.f, aclrtFree, 0, .devPtr = two.d);
	silent(two.f);
}

static void read_at_once(const struct two *two)
{
	CALL(two->f, aclrtMemcpy, 0, .dst = two->h, .destMax = BYTES, .src = two->d, .count = BYTES,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
}

/* Another process that looks at it may tell this one how far the stream is. */
static void shared_event(void **state)
{
	struct two two = begin(), alone = begin();
	aclrtEvent e = handle(10);

	(void)state;
	CALL(two.f, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = ACL_EVENT_IPC);
	copy(&two, two.s);
	CALL(two.f, aclrtRecordEvent, 0, .event = e, .stream = two.s);
	read_at_once(&two);
	silent(two.f);
	/* One that no other process knows orders no other; nor does one that is gone. */
	CALL(alone.f, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = ACL_EVENT_IPC);
	CALL(alone.f, aclrtDestroyEvent, 0, .event = e);
	CALL(alone.f, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	copy(&alone, alone.s);
	CALL(alone.f, aclrtRecordEvent, 0, .event = e, .stream = alone.s);
	read_at_once(&alone);
	want(alone.f, "async-result-used-before-sync:warning");
}

/* Its record informs of what comes before it, on streams that its own waits for as well, and of nothing else.
 */
static void shared_event_informs_by_its_record(void **state)
{
	struct two two = begin(), other = begin();
	aclrtEvent e = handle(10), inner = fixture_event(two.f, 11, ACL_EVENT_SYNC);

	(void)state;
	CALL(two.f, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = ACL_EVENT_IPC);
	copy(&two, two.s);
	CALL(two.f, aclrtRecordEvent, 0, .event = inner, .stream = two.s);
	CALL(two.f, aclrtStreamWaitEvent, 0, .stream = two.t, .event = inner);
	CALL(two.f, aclrtRecordEvent, 0, .event = e, .stream = two.t);
	read_at_once(&two);
	silent(two.f);
	copy(&two, two.s);
	read_at_once(&two);
	want(two.f, "async-result-used-before-sync:warning");
	/* A wait informs of nothing. */
	CALL(other.f, aclrtIpcOpenEventHandle, 0, .event = &e);
	CALL(other.f, aclrtStreamWaitEvent, 0, .stream = other.s, .event = e);
	copy(&other, other.s);
	read_at_once(&other);
	want(other.f, "async-result-used-before-sync:warning");
	CALL(other.f, aclrtRecordEvent, 0, .event = e, .stream = other.s);
	read_at_once(&other);
	silent(other.f);
}

/* What an aborted stream waited for has not come to its end with it. */
static void aborted_wait(void **state)
{
	struct two two = begin();
	aclrtEvent e = fixture_event(two.f, 11, ACL_EVENT_SYNC);

	(void)state;
	copy(&two, two.t);
	CALL(two.f, aclrtRecordEvent, 0, .event = e, .stream = two.t);
	CALL(two.f, aclrtStreamWaitEvent, 0, .stream = two.s, .event = e);
	CALL(two.f, aclrtValueWait, 0, .devAddr = (char *)two.d + BYTES - 8, .value = 1, .stream = two.s);
	CALL(two.f, aclrtStreamAbort, 0, .stream = two.s);
	CALL(two.f, aclrtFree, 0, .devPtr = two.d);
	want(two.f, "free-in-flight:error");
	/* Nor when the stream is destroyed. */
	two = begin();
	e = fixture_event(two.f, 11, ACL_EVENT_SYNC);
	copy(&two, two.t);
	CALL(two.f, aclrtRecordEvent, 0, .event = e, .stream = two.t);
	CALL(two.f, aclrtStreamWaitEvent, 0, .stream = two.s, .event = e);
	CALL(two.f, aclrtStreamAbort, 0, .stream = two.s);
	CALL(two.f, aclrtDestroyStream, 0, .stream = two.s);
	CALL(two.f, aclrtFree, 0, .devPtr = two.d);
	want(two.f, "free-in-flight:error");
	/* Its own tasks are over. */
	two = begin();
	copy(&two, two.s);
	CALL(two.f, aclrtStreamAbort, 0, .stream = two.s);
	CALL(two.f, aclrtFree, 0, .devPtr = two.d);
	silent(two.f);
}

/* --- advice --------------------------------------------------------------------------------------------- */

static void kernel_beside_it(void **state)
{
	struct two two = begin();

	(void)state;
	CALL(two.f, aclrtLaunchKernel, 0, .funcHandle = handle(20), .numBlocks = 1,
		.argsData = (void *)(DEVICE_MEMORY + (1ul << 30)), .argsSize = 8, .stream = two.s);
	copy(&two, two.s);
	copy(&two, two.t);
	want(two.f, "stream-race-copy:advice");
	assert_int_equal(evidence_ended(two.f, CHECKS_END_KERNEL), 1);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_OTHER_SUBMITTER), 0);
}

static void launch(const struct two *two, void *on)
{
	CALL(two->f, aclrtLaunchKernel, 0, .funcHandle = handle(20), .numBlocks = 1,
		.argsData = (void *)(DEVICE_MEMORY + (1ul << 30)), .argsSize = 8, .stream = on);
}

/* What comes in front of the copy cannot show the host that the copy is done. */
static void released_behind_a_kernel(void **state)
{
	struct two two = begin();

	(void)state;
	launch(&two, two.s);
	copy(&two, two.s);
	CALL(two.f, aclrtFree, 0, .devPtr = two.d);
	want(two.f, "free-in-flight:error");
	CALL(two.f, aclrtFreeHost, 0, .hostPtr = two.h);
	want(two.f, "free-host-in-flight:error");
	assert_int_equal(evidence_ended(two.f, CHECKS_END_KERNEL), 0);
}

/* What comes behind it may. */
static void released_before_a_kernel_ends(void **state)
{
	struct two two = begin();

	(void)state;
	copy(&two, two.s);
	launch(&two, two.s);
	CALL(two.f, aclrtFree, 0, .devPtr = two.d);
	want(two.f, "free-in-flight:advice");
	CALL(two.f, aclrtFreeHost, 0, .hostPtr = two.h);
	want(two.f, "free-host-in-flight:advice");
	assert_int_equal(evidence_ended(two.f, CHECKS_END_KERNEL), 2);
}

static void closed_behind_a_kernel(bool behind)
{
	struct two two = begin();
	void *imported = (void *)(DEVICE_MEMORY + (1ul << 32));

	CALL(two.f, aclrtIpcMemImportByKey, 0, .devPtr = &imported, .key = "key", .flags = 0);
	if (behind)
		launch(&two, two.s);
	CALL(two.f, aclrtMemcpyAsync, 0, .dst = two.h, .destMax = BYTES, .src = imported, .count = BYTES,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = two.s);
	if (!behind)
		launch(&two, two.s);
	two.f->n_seen = two.f->n_found;
	CALL(two.f, aclrtIpcMemClose, 0, .key = "key");
	want(two.f, behind ? "ipc-use-after-close:error" : "ipc-use-after-close:advice");
}

static void import_closed(void **state)
{
	(void)state;
	closed_behind_a_kernel(true);
	closed_behind_a_kernel(false);
}

static void library_below(void **state)
{
	struct two two = begin();

	(void)state;
	two.f->other_ways = 1u << CHECKS_OTHER_WORK;
	copy(&two, two.s);
	copy(&two, two.t);
	want(two.f, "stream-race-copy:advice");
	assert_int_equal(evidence_ended(two.f, CHECKS_END_OTHER_SUBMITTER), 1);
}

/* --- models ------------------------------------------------------------------------------------------- */

static aclmdlRI captured(const struct two *two, unsigned n, void *on, aclrtNotify behind)
{
	aclmdlRI m = handle(n);

	CALL(two->f, aclmdlRICaptureBegin, 0, .stream = on, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	if (behind)
		await_notify(two->f, behind, on);
	copy(two, on);
	CALL(two->f, aclmdlRICaptureEnd, 0, .stream = on, .modelRI = &m);
	return m;
}

static void model_that_waits(void **state)
{
	struct two two = begin();
	aclmdlRI plain = captured(&two, 30, two.s, NULL),
		 waits = captured(&two, 31, two.s, made_notify(two.f, 10));

	(void)state;
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = plain, .stream = two.s);
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = waits, .stream = two.t);
	copy(&two, two.t);
	silent(two.f);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_MODEL), 1);
}

/* A copy, or none, then a wait, and the same copy. */
static aclmdlRI captured_around_a_wait(const struct two *two, aclrtNotify n, bool first)
{
	aclmdlRI m = handle(32);

	CALL(two->f, aclmdlRICaptureBegin, 0, .stream = two->s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	if (first)
		copy(two, two->s);
	await_notify(two->f, n, two->s);
	copy(two, two->s);
	CALL(two->f, aclmdlRICaptureEnd, 0, .stream = two->s, .modelRI = &m);
	return m;
}

/* Its first copy comes behind nothing that is not seen. */
static void model_that_waits_later(void **state)
{
	struct two two = begin();
	aclmdlRI m = captured_around_a_wait(&two, made_notify(two.f, 10), true);

	(void)state;
	copy(&two, two.t);
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = two.s);
	want(two.f, "stream-race-copy:error");
}

static void model_that_waits_first(void **state)
{
	struct two two = begin();
	aclmdlRI m = captured_around_a_wait(&two, made_notify(two.f, 10), false);

	(void)state;
	copy(&two, two.t);
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = two.s);
	silent(two.f);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_MODEL), 1);
}

/* What its stream waited for before may be anything, too. */
static void model_that_waits_behind_a_wait(void **state)
{
	struct two two = begin();
	aclrtNotify n = made_notify(two.f, 10);
	aclmdlRI m = captured_around_a_wait(&two, n, true);

	(void)state;
	copy(&two, two.t);
	await_notify(two.f, n, two.s);
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = two.s);
	silent(two.f);
}

/* Nor is anything between its first copy and what comes behind its execution. */
static void task_behind_a_model_that_waits(void **state)
{
	struct two two = begin();
	aclmdlRI later = captured_around_a_wait(&two, made_notify(two.f, 10), true);

	(void)state;
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = later, .stream = two.s);
	copy(&two, two.t);
	want(two.f, "stream-race-copy:error");
}

/* The copy may be what the model waits for. */
static void task_beside_a_model_that_waits(void **state)
{
	struct two two = begin();
	aclrtNotify n = made_notify(two.f, 10);
	aclmdlRI first = captured_around_a_wait(&two, n, false);

	(void)state;
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = first, .stream = two.s);
	copy(&two, two.t);
	record_notify(two.f, n, two.t);
	silent(two.f);
}

static void models_that_wait_later(void **state)
{
	struct two two = begin();
	aclmdlRI plain = captured(&two, 30, two.t, NULL),
		 m = captured_around_a_wait(&two, made_notify(two.f, 10), true);

	(void)state;
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = plain, .stream = two.t);
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = two.s);
	want(two.f, "stream-race-copy:error");
}

static void models_that_wait_first(void **state)
{
	struct two two = begin();
	aclmdlRI plain = captured(&two, 30, two.t, NULL),
		 m = captured_around_a_wait(&two, made_notify(two.f, 10), false);

	(void)state;
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = plain, .stream = two.t);
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = two.s);
	silent(two.f);
}

/* A kernel of the model may be what orders the two. */
static void model_with_a_kernel(void **state)
{
	struct two two = begin();
	aclmdlRI m = handle(30);

	(void)state;
	CALL(two.f, aclmdlRICaptureBegin, 0, .stream = two.s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(two.f, aclrtLaunchKernel, 0, .funcHandle = handle(20), .numBlocks = 1,
		.argsData = (void *)(DEVICE_MEMORY + (1ul << 30)), .argsSize = 8, .stream = two.s);
	copy(&two, two.s);
	CALL(two.f, aclmdlRICaptureEnd, 0, .stream = two.s, .modelRI = &m);
	CALL(two.f, aclrtSynchronizeStream, 0, .stream = two.s);
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = two.s);
	copy(&two, two.t);
	want(two.f, "stream-race-copy:advice");
	assert_int_equal(evidence_ended(two.f, CHECKS_END_KERNEL), 1);
}

/* Two streams of one capture copy to the same memory; between the fork and that the second one waits, and
 * both may do more. */
static void branches(const struct two *two, aclrtNotify awaited, bool kernel)
{
	aclrtEvent fork = handle(40), join = handle(41);
	aclmdlRI m = handle(30);

	CALL(two->f, aclrtCreateEventExWithFlag, 0, .event = &fork, .flag = ACL_EVENT_SYNC);
	CALL(two->f, aclrtCreateEventExWithFlag, 0, .event = &join, .flag = ACL_EVENT_SYNC);
	CALL(two->f, aclmdlRICaptureBegin, 0, .stream = two->s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(two->f, aclrtRecordEvent, 0, .event = fork, .stream = two->s);
	CALL(two->f, aclrtStreamWaitEvent, 0, .stream = two->t, .event = fork);
	copy(two, two->s);
	if (awaited)
		await_notify(two->f, awaited, two->t);
	if (kernel)
		CALL(two->f, aclrtLaunchKernel, 0, .funcHandle = handle(20), .numBlocks = 1,
			.argsData = two->d, .argsSize = 8, .stream = two->t);
	copy(two, two->t);
	CALL(two->f, aclrtRecordEvent, 0, .event = join, .stream = two->t);
	CALL(two->f, aclrtStreamWaitEvent, 0, .stream = two->s, .event = join);
	CALL(two->f, aclmdlRICaptureEnd, 0, .stream = two->s, .modelRI = &m);
}

static void branches_of_a_model(void **state)
{
	struct two two = begin();

	(void)state;
	branches(&two, NULL, false);
	want(two.f, "stream-race-copy:error");
	assert_int_equal(evidence_ended(two.f, CHECKS_END_MODEL), 0);
}

static void branch_that_waits(void **state)
{
	struct two two = begin();

	(void)state;
	branches(&two, made_notify(two.f, 10), false);
	silent(two.f);
	assert_int_equal(evidence_ended(two.f, CHECKS_END_MODEL), 1);
}

static void branch_with_a_kernel(void **state)
{
	struct two two = begin();

	(void)state;
	branches(&two, NULL, true);
	want(two.f, "stream-race-copy:advice");
	assert_int_equal(evidence_ended(two.f, CHECKS_END_KERNEL), 1);
}

/* The model may still be noted as one that runs, from the execution before the wait. */
static void model_behind_a_wait(void **state)
{
	struct two two = begin();
	aclmdlRI m = captured(&two, 30, two.s, NULL);
	aclrtNotify n = made_notify(two.f, 10);

	(void)state;
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = two.s);
	CALL(two.f, aclrtSynchronizeStream, 0, .stream = two.s);
	await_notify(two.f, n, two.s);
	CALL(two.f, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = two.s);
	copy(&two, two.t);
	record_notify(two.f, n, two.t);
	silent(two.f);
	CALL(two.f, aclrtMemcpy, 0, .dst = two.h, .destMax = BYTES, .src = two.d, .count = BYTES,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	want(two.f, "async-result-used-before-sync:warning");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(value_words),
		cmocka_unit_test(a_word_is_an_edge),
		cmocka_unit_test(a_word_for_ever),
		cmocka_unit_test(word_waited_for_first),
		cmocka_unit_test(word_that_holds_enough),
		cmocka_unit_test(word_reset_elsewhere),
		cmocka_unit_test(word_waited_for_twice),
		cmocka_unit_test(words_compared),
		cmocka_unit_test(word_write_that_failed),
		cmocka_unit_test(word_written_by_a_model),
		cmocka_unit_test(word_of_others),
		cmocka_unit_test(external_event),
		cmocka_unit_test(imported_event),
		cmocka_unit_test(unknown_event),
		cmocka_unit_test(unknown_stream),
		cmocka_unit_test(shared_event),
		cmocka_unit_test(aborted_wait),
		cmocka_unit_test(shared_event_informs_by_its_record),
		cmocka_unit_test(kernel_beside_it),
		cmocka_unit_test(released_behind_a_kernel),
		cmocka_unit_test(released_before_a_kernel_ends),
		cmocka_unit_test(import_closed),
		cmocka_unit_test(library_below),
		cmocka_unit_test(model_that_waits),
		cmocka_unit_test(model_that_waits_later),
		cmocka_unit_test(model_that_waits_first),
		cmocka_unit_test(model_that_waits_behind_a_wait),
		cmocka_unit_test(task_behind_a_model_that_waits),
		cmocka_unit_test(task_beside_a_model_that_waits),
		cmocka_unit_test(models_that_wait_later),
		cmocka_unit_test(models_that_wait_first),
		cmocka_unit_test(model_with_a_kernel),
		cmocka_unit_test(branches_of_a_model),
		cmocka_unit_test(branch_that_waits),
		cmocka_unit_test(branch_with_a_kernel),
		cmocka_unit_test(model_behind_a_wait),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
