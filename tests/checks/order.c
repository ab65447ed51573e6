/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes before what, against a model that knows all tasks and looks for a
 * path from one to the other: it shares nothing with the clocks.
 */
#define SITES 40000
#include "two_streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/state/memory_state.h"
#include "checks/state/order_state.h"
#include "checks/state/stream_state.h"

#define STREAMS 6
#define EVENTS 5
#define TASKS 240 /* of one run */

/* --- the reference ------------------------------------------------------------------------- */

/* A task and the tasks right before it: the former one of its stream, and what it waits for. */
struct task {
	int stream, former, waits_for; /* -1 = none */
	unsigned position; /* in its stream, from 1 */
	bool done; /* the host has seen it done */
};

struct reference {
	struct task task[TASKS];
	int n, last[STREAMS], record[EVENTS];
	unsigned positions[STREAMS];
};

static void reference_init(struct reference *r)
{
	memset(r, 0, sizeof(*r));
	memset(r->last, -1, sizeof(r->last));
	memset(r->record, -1, sizeof(r->record));
}

static int task_add(struct reference *r, int stream, int waits_for)
{
	r->task[r->n] = (struct task){stream, r->last[stream], waits_for, ++r->positions[stream], false};
	return r->last[stream] = r->n++;
}

static void see_done(struct reference *r, int task)
{
	if (task < 0 || r->task[task].done)
		return;
	r->task[task].done = true;
	see_done(r, r->task[task].former);
	see_done(r, r->task[task].waits_for);
}

static bool path(const struct reference *r, int from, int to)
{
	if (to < 0 || from > to)
		return false;
	return from == to || path(r, from, r->task[to].former) || path(r, from, r->task[to].waits_for);
}

/* --- random programs ------------------------------------------------------------------------- */

static uint64_t seed;

static unsigned draw(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

struct program {
	struct fixture *fixture;
	struct reference ref;
	void *stream[STREAMS], *event[EVENTS];
	unsigned waits[STREAMS]; /* since the stream was last synchronised */
};

static void play_record(struct program *p, int stream, int event)
{
	CALL(p->fixture, aclrtRecordEvent, 0, .event = p->event[event], .stream = p->stream[stream]);
	p->ref.record[event] = task_add(&p->ref, stream, -1);
}

/* A wait without a record does nothing for this kind of event, and is a finding: left out. */
static void play_wait(struct program *p, int stream, int event)
{
	if (p->ref.record[event] < 0)
		return;
	CALL(p->fixture, aclrtStreamWaitEvent, 0, .stream = p->stream[stream], .event = p->event[event]);
	task_add(&p->ref, stream, p->ref.record[event]);
	p->waits[stream]++;
}

static void play_synchronise(struct program *p, int stream)
{
	CALL(p->fixture, aclrtSynchronizeStream, 0, .stream = p->stream[stream]);
	see_done(&p->ref, p->ref.last[stream]);
	p->waits[stream] = 0;
}

static void play_query(struct program *p, int event)
{
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;

	if (p->ref.record[event] < 0)
		return;
	CALL(p->fixture, aclrtQueryEventStatus, 0, .event = p->event[event], .status = &status);
	see_done(&p->ref, p->ref.record[event]);
}

/* One of the host's observations for every so many tasks. */
static void play(struct program *p, unsigned observe)
{
	int stream = (int)draw(STREAMS), event = (int)draw(EVENTS);

	if (!draw(observe)) {
		if (draw(2))
			play_synchronise(p, stream);
		else
			play_query(p, event);
		return;
	}
	switch (draw(3)) {
	case 0:
		play_record(p, stream, event);
		break;
	case 1:
		play_wait(p, stream, event);
		break;
	default:
		CALL(p->fixture, aclrtMemsetAsync, 0, .devPtr = (void *)DEVICE_MEMORY, .maxCount = 64,
			.count = 64, .stream = p->stream[stream]);
		task_add(&p->ref, stream, -1);
	}
}

static struct acl_object *object(struct program *p, int stream)
{
	return object_live(p->fixture->checks, ACL_HANDLE_STREAM, p->stream[stream]);
}

/* Whether a task is before what a stream gets next. */
static bool reference_before(struct program *p, int task, int stream)
{
	return p->ref.task[task].done || path(&p->ref, task, p->ref.last[stream]);
}

struct score {
	unsigned queried, before, too_much;
};

static void compare(struct program *p, struct score *score)
{
	for (int task = 0; task < p->ref.n; task++)
		for (int stream = 0; stream < STREAMS; stream++) {
			bool is = reference_before(p, task, stream);
			bool said = order_is_before(object(p, p->ref.task[task].stream),
				p->ref.task[task].position, object(p, stream));

			/* An order that is there must never be missed: it would be a false finding. */
			if (is && !said)
				fail_msg("seed %llu: task %d is before stream %d", (unsigned long long)seed,
					task, stream);
			score->queried++;
			score->before += is;
			score->too_much += said && !is;
		}
}

static void run(uint64_t from, unsigned observe, struct score *score)
{
	struct program p = {.fixture = fixture_ready(DOCUMENTS)};

	seed = from;
	reference_init(&p.ref);
	for (unsigned i = 0; i < STREAMS; i++)
		p.stream[i] = fixture_stream(p.fixture, i + 1);
	for (unsigned i = 0; i < EVENTS; i++) {
		p.event[i] = handle(100 + i);
		CALL(p.fixture, aclrtCreateEventExWithFlag, 0, .event = &p.event[i], .flag = ACL_EVENT_SYNC);
	}
	while (p.ref.n < TASKS) {
		play(&p, observe);
		if (p.ref.n % 12 == 0)
			compare(&p, score);
	}
	compare(&p, score);
	fixture_free(p.fixture);
}

/* As long as the host looks now and then, the clocks know exactly what a path is. */
static void with_observations(void **state)
{
	struct score score = {0};

	(void)state;
	for (uint64_t from = 1; from <= 40; from++)
		run(from, 6, &score);
	print_message("# %u questions, %u in order, %u more than there is\n", score.queried, score.before,
		score.too_much);
	assert_true(score.before > score.queried / 20 && score.before < score.queried / 20 * 19);
	assert_true(score.too_much * 1000 <= score.queried);
}

/* Without a look for long, records older than the clocks that are kept get a later one. */
static void without_observations(void **state)
{
	struct score score = {0};

	(void)state;
	for (uint64_t from = 1; from <= 40; from++)
		run(from, 60, &score);
	print_message("# %u questions, %u in order, %u more than there is\n", score.queried, score.before,
		score.too_much);
	assert_true(score.too_much * 10 <= score.queried);
}

/* --- what is not seen -------------------------------------------------------------------------- */

static struct acl_object *stream_object(struct fixture *fixture, void *stream)
{
	return object_live(fixture->checks, ACL_HANDLE_STREAM, stream);
}

static void unseen_until_observed(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2);
	aclrtEvent e = handle(3);

	(void)state;
	CALL(fixture, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	assert_false(order_unseen(fixture->checks, stream_object(fixture, s)));
	CALL(fixture, aclrtValueWait, 0, .stream = s, .devAddr = (void *)DEVICE_MEMORY);
	assert_true(order_unseen(fixture->checks, stream_object(fixture, s)));
	assert_false(order_unseen(fixture->checks, stream_object(fixture, t)));
	/* Who waits for what comes after it does not see either. */
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = t, .event = e);
	assert_true(order_unseen(fixture->checks, stream_object(fixture, t)));
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = t);
	assert_false(order_unseen(fixture->checks, stream_object(fixture, s)));
	assert_false(order_unseen(fixture->checks, stream_object(fixture, t)));
	fixture_free(fixture);
}

/* More streams than a clock holds: then it may come after anything. */
static void too_many_streams(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *t = fixture_stream(fixture, 1);
	aclrtEvent e = handle(2);

	(void)state;
	CALL(fixture, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	for (unsigned i = 0; i < CLOCK_ENTRIES + 2; i++) {
		void *s = fixture_stream(fixture, 10 + i);

		assert_false(order_unseen(fixture->checks, stream_object(fixture, t)));
		CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
		CALL(fixture, aclrtStreamWaitEvent, 0, .stream = t, .event = e);
		if (i == CLOCK_ENTRIES)
			break;
		assert_true(order_is_before(stream_object(fixture, s), 1, stream_object(fixture, t)));
	}
	assert_true(order_unseen(fixture->checks, stream_object(fixture, t)));
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = t);
	assert_false(order_unseen(fixture->checks, stream_object(fixture, t)));
	fixture_free(fixture);
}

/* --- what looks like a race and is none ------------------------------------------------------------ */

/* With nothing in between the same is a finding: each test below can fail. */
static void without_an_edge(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	want(x.fixture, "stream-race-copy:error");
	fixture_free(x.fixture);
	x = two_streams();
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtFreeHost, 0, .hostPtr = x.h);
	want(x.fixture, "free-host-in-flight:error");
	fixture_free(x.fixture);
}

/* A warning about a task is no reason to think that it failed, nor is an address that is not aligned: where
 * that fails, the synchronise says so. Another error may be one. */
static void behind_a_finding(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	CALL(x.fixture, aclrtMemcpyAsync, 0, .dst = x.d, .destMax = 8192, .src = x.h, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.s);
	want(x.fixture, "memcpy-destmax-exceeds-allocation:warning");
	CALL(x.fixture, aclrtFreeHost, 0, .hostPtr = x.h);
	want(x.fixture, "free-host-in-flight:error");
	fixture_free(x.fixture);
	x = two_streams();
	CALL(x.fixture, aclrtMemcpyAsync, 0, .dst = (char *)x.d + 4, .destMax = 4092, .src = x.h,
		.count = 4092, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.s);
	want(x.fixture, "async-copy-alignment:error");
	CALL(x.fixture, aclrtFreeHost, 0, .hostPtr = x.h);
	want(x.fixture, "free-host-in-flight:error");
	fixture_free(x.fixture);
	x = two_streams();
	CALL(x.fixture, aclrtMemcpyAsync, 0, .dst = x.d, .destMax = 1 << 20, .src = x.h, .count = 1 << 20,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.s);
	want(x.fixture, "memcpy-dest-out-of-bounds:error");
	CALL(x.fixture, aclrtFreeHost, 0, .hostPtr = x.h);
	never(x.fixture, "free-host-in-flight");
	fixture_free(x.fixture);
}

/* It begins when the model runs, if ever. */
static void captured_callback(void **state)
{
	struct two_streams x = two_streams();
	aclmdlRI m = handle(30);

	(void)state;
	CALL(x.fixture, aclmdlRICaptureBegin, 0, .stream = x.s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(x.fixture, aclrtLaunchHostFunc, 0, .stream = x.s, .fn = handle(9), .args = x.h);
	CALL(x.fixture, aclmdlRICaptureEnd, 0, .stream = x.s, .modelRI = &m);
	CALL(x.fixture, aclmdlRIDestroy, 0, .modelRI = m);
	CALL(x.fixture, aclrtFreeHost, 0, .hostPtr = x.h);
	never(x.fixture, "free-host-in-flight");
	fixture_free(x.fixture);
}

static void callback_may_tell(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtLaunchHostFunc, 0, .stream = x.s, .fn = (aclrtHostFunc)x.h);
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtFree, 0, .devPtr = x.d);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

/* The word is written behind the copy, and another stream waits for it. */
static void order_by_a_word(void **state)
{
	struct two_streams x = two_streams();
	void *word = fixture_malloc(x.fixture, DEVICE_MEMORY + (1ul << 20), 512);

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtValueWrite, 0, .devAddr = word, .value = 1, .stream = x.s);
	CALL(x.fixture, aclrtValueWait, 0, .devAddr = word, .value = 1, .stream = x.t);
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

static void write_word(struct two_streams *x, void *word, uint64_t value, void *stream)
{
	CALL(x->fixture, aclrtValueWrite, 0, .devAddr = word, .value = value, .stream = stream);
}

static void wait_word(struct two_streams *x, void *word, uint64_t value, uint32_t flag, void *stream)
{
	CALL(x->fixture, aclrtValueWait, 0, .devAddr = word, .value = value, .flag = flag, .stream = stream);
}

/* What the host set the word to does not end the wait: the write does, and no more is ordered than what is
 * before it. */
static void word_set_before(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 5; k++) {
		struct two_streams x = two_streams();
		char *words = fixture_malloc(x.fixture, DEVICE_MEMORY + (1ul << 20), 4096);

		if (k == 1)
			CALL(x.fixture, aclrtMemsetD32, 0, .ptr = words, .memSize = 64, .N = 16);
		else
			CALL(x.fixture, aclrtMemset, 0, .devPtr = words, .maxCount = 4096,
				/* as the wait wants it; too many to be flags; refused */
				.value = k == 2, .count = k == 3 ? 4096 : 64);
		if (k == 4) /* it may come behind the host's */
			write_word(&x, words + 8, 1, x.s);
		up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
		if (k == 4)
			CALL(x.fixture, aclrtMemset, 0, .devPtr = words, .maxCount = 4096, .count = 64);
		write_word(&x, words + 8, k == 2 ? 0x0101010101010101 : 1, x.s);
		wait_word(&x, words + 8, k == 2 ? 0x0101010101010101 : 1, ACL_STREAM_WAIT_VALUE_EQ, x.t);
		up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
		never(x.fixture, "stream-race-copy");
		up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
		want(x.fixture, k < 2 ? "stream-race-copy:error" : "");
		fixture_free(x.fixture);
	}
}

/* A counter goes up from what the host set it to, round by round. */
static void word_counts(void **state)
{
	struct two_streams x = two_streams();
	char *words = fixture_malloc(x.fixture, DEVICE_MEMORY + (1ul << 20), 4096);

	(void)state;
	CALL(x.fixture, aclrtMemset, 0, .devPtr = words, .maxCount = 4096, .count = 16);
	for (unsigned round = 1; round < 9; round++) {
		up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
		write_word(&x, words, round, x.s);
		wait_word(&x, words, round, ACL_STREAM_WAIT_VALUE_GEQ, x.t);
		up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
		write_word(&x, words + 8, round, x.t);
		silent(x.fixture);
		if (round == 8)
			up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
		wait_word(&x, words + 8, round, ACL_STREAM_WAIT_VALUE_GEQ, x.s);
	}
	want(x.fixture, "stream-race-copy:error");
	fixture_free(x.fixture);
}

/* The stream that was given its task first waits for the other one. */
static void word_the_other_way(void **state)
{
	struct two_streams x = two_streams();
	void *word = fixture_malloc(x.fixture, DEVICE_MEMORY + (1ul << 20), 512);

	(void)state;
	CALL(x.fixture, aclrtValueWait, 0, .devAddr = word, .value = 1, .stream = x.s);
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtValueWrite, 0, .devAddr = word, .value = 1, .stream = x.t);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

/* Made and recorded below us. */
static void unknown_event(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = handle(77));
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

static void pageable_copy_waits(void **state)
{
	struct two_streams x = two_streams();
	static char heap[4096] __attribute__((aligned(64)));

	(void)state;
	CALL(x.fixture, aclrtMemcpyAsync, 0, .dst = x.d, .destMax = 4096, .src = heap, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.s);
	CALL(x.fixture, aclrtFree, 0, .devPtr = x.d);
	never(x.fixture, "free-in-flight");
	fixture_free(x.fixture);
}

static void staged_source(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE);
	CALL(x.fixture, aclrtFreeHost, 0, .hostPtr = x.h);
	never(x.fixture, "free-host-in-flight");
	fixture_free(x.fixture);
}

static void free_that_waits(void **state)
{
	struct two_streams x = two_streams();
	void *other = fixture_malloc(x.fixture, DEVICE_MEMORY + (1ul << 20), 4096);

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtFreeWithDevSync, 0, .devPtr = other);
	CALL(x.fixture, aclrtFree, 0, .devPtr = x.d);
	CALL(x.fixture, aclrtFreeHost, 0, .hostPtr = x.h);
	silent(x.fixture);
	fixture_free(x.fixture);
}

/* Both add to what is there: the order does not matter. */
static void two_reductions(void **state)
{
	struct two_streams x = two_streams();
	void *sum = fixture_malloc(x.fixture, DEVICE_MEMORY + (1ul << 20), 4096);

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		CALL(x.fixture, aclrtReduceAsync, 0, .dst = sum, .src = x.d, .count = 64,
			.kind = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, .stream = i ? x.s : x.t);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

/* What is captured runs with the model. */
static void captured_tasks(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	CALL(x.fixture, aclmdlRICaptureBegin, 0, .stream = x.s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

/* The model waits inside for what the other stream records behind its copy. */
static void model_waits_inside(void **state)
{
	struct two_streams x = two_streams();
	void *ext = handle(5);
	aclmdlRI model = handle(6);

	(void)state;
	CALL(x.fixture, aclrtCreateEventWithFlag, 0, .event = &ext, .flag = ACL_EVENT_EXTERNAL);
	CALL(x.fixture, aclmdlRICaptureBegin, 0, .stream = x.t, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = ext);
	CALL(x.fixture, aclmdlRICaptureEnd, 0, .stream = x.t, .modelRI = &model);
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtRecordEvent, 0, .event = ext, .stream = x.s);
	assert_false(order_unseen(x.fixture->checks, stream_object(x.fixture, x.t)));
	CALL(x.fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = x.t);
	assert_true(order_unseen(x.fixture->checks, stream_object(x.fixture, x.t)));
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

/* A refused copy is in flight nowhere. */
static void refused_copy(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	CALL(x.fixture, aclrtMemcpyAsync, 507899, .dst = x.d, .destMax = 4096, .src = x.h, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.s);
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

/* --- rules that are off ------------------------------------------------------------------------------ */

/* A checker with one rule; NULL: none. */
static struct two_streams scenario_of_one_rule(const char *id)
{
	uint8_t *as = calloc(acl_rule_count, 1);
	struct two_streams x = {.h = (void *)HOST_MEMORY};

	memset(as, 1 + ACL_DEFAULT_OFF, acl_rule_count);
	if (id)
		as[acl_rule_find(id)->index] = 1 + ACL_DEFAULT_ON;
	x.fixture = fixture_with(&(const struct checks_config){.target = DOCUMENTS, .rule_default = as});
	free(as);
	x.fixture->other_ways = 0;
	x.s = fixture_stream(x.fixture, 1);
	x.t = fixture_stream(x.fixture, 2);
	x.d = fixture_malloc(x.fixture, DEVICE_MEMORY, 4096);
	x.h = fixture_malloc_host(x.fixture, HOST_MEMORY, 4096);
	return x;
}

/* Any rule about tasks in flight needs them followed; without one nothing is. */
static void followed_for_a_rule(void **state)
{
	static const char *const rules[] = {
		"stream-race-copy", "stream-race-set", "free-host-in-flight", "free-in-flight", NULL};

	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct two_streams x = scenario_of_one_rule(rules[i]);
		char wanted[64] = "";

		(void)state;
		up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
		up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
		CALL(x.fixture, aclrtMemsetAsync, 0, .devPtr = x.d, .maxCount = 64, .count = 64,
			.stream = x.s);
		CALL(x.fixture, aclrtFree, 0, .devPtr = x.d);
		CALL(x.fixture, aclrtFreeHost, 0, .hostPtr = x.h);
		if (rules[i])
			snprintf(wanted, sizeof(wanted), "%s:error", rules[i]);
		want(x.fixture, wanted);
		fixture_free(x.fixture);
	}
}

/* --- what the host saw ------------------------------------------------------------------------------ */

/* Another thread saw it done and passed the memory on. */
static void seen_by_another_thread(void **state)
{
	struct two_streams x = two_streams();
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtRecordEvent, 0, .event = x.event, .stream = x.s);
	x.fixture->tid++;
	CALL(x.fixture, aclrtQueryEventStatus, 0, .event = x.event, .status = &status);
	x.fixture->tid--;
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtSynchronizeStream, 0, .stream = x.t);
	CALL(x.fixture, aclrtFree, 0, .devPtr = x.d);
	silent(x.fixture);
	fixture_free(x.fixture);
}

/* --- how much is kept ---------------------------------------------------------------------------------- */

#define MANY_STREAMS 40
#define MANY_ROUNDS 20000

static void rounds(struct two_streams *x, void **streams, void **events, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned at = draw(MANY_STREAMS), from = draw(MANY_STREAMS);

		CALL(x->fixture, aclrtRecordEvent, 0, .event = events[at], .stream = streams[at]);
		CALL(x->fixture, aclrtStreamWaitEvent, 0, .stream = streams[from], .event = events[at]);
		/* Other ranges each time: nothing stands for anything before. */
		CALL(x->fixture, aclrtMemcpyAsync, 0, .dst = (char *)x->d + draw(60) * 64, .destMax = 64,
			.src = (char *)x->h + draw(60) * 64, .count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE,
			.stream = streams[from]);
		if (!draw(500))
			CALL(x->fixture, aclrtSynchronizeStream, 0, .stream = streams[at]);
	}
}

static void constant_memory(void **state)
{
	struct two_streams x = two_streams();
	void *streams[MANY_STREAMS], *events[MANY_STREAMS];
	size_t before;

	(void)state;
	seed = 7;
	x.fixture->other_ways = ~0u; /* races are advice here, and said once a call site */
	for (unsigned i = 0; i < MANY_STREAMS; i++) {
		streams[i] = fixture_stream(x.fixture, 100 + i);
		events[i] = handle(200 + i);
		CALL(x.fixture, aclrtCreateEventExWithFlag, 0, .event = &events[i], .flag = ACL_EVENT_SYNC);
	}
	rounds(&x, streams, events, MANY_ROUNDS);
	before = x.fixture->bytes;
	rounds(&x, streams, events, 3 * MANY_ROUNDS);
	assert_int_equal(x.fixture->bytes, before);
	fixture_free(x.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_observations),
		cmocka_unit_test(without_observations),
		cmocka_unit_test(unseen_until_observed),
		cmocka_unit_test(too_many_streams),
		cmocka_unit_test(without_an_edge),
		cmocka_unit_test(behind_a_finding),
		cmocka_unit_test(captured_callback),
		cmocka_unit_test(callback_may_tell),
		cmocka_unit_test(order_by_a_word),
		cmocka_unit_test(word_set_before),
		cmocka_unit_test(word_counts),
		cmocka_unit_test(word_the_other_way),
		cmocka_unit_test(unknown_event),
		cmocka_unit_test(pageable_copy_waits),
		cmocka_unit_test(staged_source),
		cmocka_unit_test(free_that_waits),
		cmocka_unit_test(two_reductions),
		cmocka_unit_test(captured_tasks),
		cmocka_unit_test(model_waits_inside),
		cmocka_unit_test(refused_copy),
		cmocka_unit_test(followed_for_a_rule),
		cmocka_unit_test(seen_by_another_thread),
		cmocka_unit_test(constant_memory),
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("order of tasks", tests, NULL, NULL);
}
