/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes before what, against a model that knows all tasks and looks for a
 * path from one to the other: it shares nothing with the clocks.
 */
#define SITES 40000
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/state/memory_state.h"
#include "checks/state/order_state.h"
#include "checks/state/stream_state.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
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

struct scenario {
	struct fixture *fixture;
	void *s, *t, *d, *h, *event;
};

static struct scenario scenario(void)
{
	struct scenario x = {.fixture = fixture_ready(DOCUMENTS)};

	x.fixture->other_ways = 0;
	x.s = fixture_stream(x.fixture, 1);
	x.t = fixture_stream(x.fixture, 2);
	x.d = fixture_malloc(x.fixture, DEVICE_MEMORY, 4096);
	x.h = fixture_malloc_host(x.fixture, HOST_MEMORY, 4096);
	x.event = handle(3);
	CALL(x.fixture, aclrtCreateEventExWithFlag, 0, .event = &x.event, .flag = ACL_EVENT_SYNC);
	silent(x.fixture);
	return x;
}

static void up(struct scenario *x, void *stream, aclrtMemcpyKind kind)
{
	CALL(x->fixture, aclrtMemcpyAsync, 0, .dst = x->d, .destMax = 4096, .src = x->h, .count = 4096,
		.kind = kind, .stream = stream);
}

/* With nothing in between the same is a finding: each test below can fail. */
static void without_an_edge(void **state)
{
	struct scenario x = scenario();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	want(x.fixture, "stream-race-copy:error");
	fixture_free(x.fixture);
	x = scenario();
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtFreeHost, 0, .hostPtr = x.h);
	want(x.fixture, "free-host-in-flight:error");
	fixture_free(x.fixture);
}

static void callback_may_tell(void **state)
{
	struct scenario x = scenario();

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
	struct scenario x = scenario();
	void *word = fixture_malloc(x.fixture, DEVICE_MEMORY + (1ul << 20), 512);

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtValueWrite, 0, .devAddr = word, .value = 1, .stream = x.s);
	CALL(x.fixture, aclrtValueWait, 0, .devAddr = word, .value = 1, .stream = x.t);
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

/* The stream that was given its task first waits for the other one. */
static void word_the_other_way(void **state)
{
	struct scenario x = scenario();
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
	struct scenario x = scenario();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = handle(77));
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

static void pageable_copy_waits(void **state)
{
	struct scenario x = scenario();
	static char heap[4096];

	(void)state;
	CALL(x.fixture, aclrtMemcpyAsync, 0, .dst = x.d, .destMax = 4096, .src = heap, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.s);
	CALL(x.fixture, aclrtFree, 0, .devPtr = x.d);
	never(x.fixture, "free-in-flight");
	fixture_free(x.fixture);
}

static void staged_source(void **state)
{
	struct scenario x = scenario();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE);
	CALL(x.fixture, aclrtFreeHost, 0, .hostPtr = x.h);
	never(x.fixture, "free-host-in-flight");
	fixture_free(x.fixture);
}

static void free_that_waits(void **state)
{
	struct scenario x = scenario();
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
	struct scenario x = scenario();
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
	struct scenario x = scenario();

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
	struct scenario x = scenario();
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
	struct scenario x = scenario();

	(void)state;
	CALL(x.fixture, aclrtMemcpyAsync, 507899, .dst = x.d, .destMax = 4096, .src = x.h, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.s);
	up(&x, x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

/* --- copies that are made again and again ---------------------------------------------------------- */

static void batch_up(struct scenario *x, void *to, void *stream)
{
	size_t bytes = 512, failed, index = 0;
	aclrtMemcpyBatchAttr attribute = {
		.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST}};
	void *from = (char *)x->h + 2048;

	CALL(x->fixture, aclrtMemcpyBatchAsync, 0, .dsts = &to, .destMaxs = &bytes, .srcs = &from,
		.sizes = &bytes, .numBatches = 1, .attrs = &attribute, .attrsIndexes = &index, .numAttrs = 1,
		.failIndex = &failed, .stream = stream);
}

static void piece_up(struct scenario *x, void *stream)
{
	CALL(x->fixture, aclrtMemcpyAsync, 0, .dst = x->d, .destMax = 512, .src = x->h, .count = 512,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream);
}

/* A batch is no copy of what the thread copied before it. */
static void batch_after_a_copy(void **state)
{
	struct scenario x = scenario();
	void *other = fixture_malloc(x.fixture, DEVICE_MEMORY + (1ul << 20), 4096);

	(void)state;
	piece_up(&x, x.s);
	CALL(x.fixture, aclrtRecordEvent, 0, .event = x.event, .stream = x.s);
	batch_up(&x, other, x.s);
	CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
	piece_up(&x, x.t);
	never(x.fixture, "stream-race-copy");
	batch_up(&x, other, x.t);
	want(x.fixture, "stream-race-copy:error");
	fixture_free(x.fixture);
}

static void word_up(struct scenario *x, unsigned word, void *stream)
{
	CALL(x->fixture, aclrtMemcpyAsync, 0, .dst = (char *)x->d + word * 64, .destMax = 64, .src = x->h,
		.count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream);
}

static uint32_t block_index(const struct scenario *x)
{
	struct block_lookup block;

	assert_true(map_find(memory_blocks(x->fixture->checks), (uintptr_t)x->d, &block));
	return block.index;
}

/* What was copied to the memory before it was freed is no copy of the block that has its address and its
 * place in the tables now. */
static void block_with_a_former_address(void **state)
{
	struct scenario x = scenario();
	uint32_t index = block_index(&x);

	(void)state;
	for (unsigned word = 0; word < 6; word += 2)
		word_up(&x, word, x.s);
	CALL(x.fixture, aclrtSynchronizeStream, 0, .stream = x.s);
	for (unsigned i = 0; i < 10000 && (!i || block_index(&x) != index); i++) {
		CALL(x.fixture, aclrtFree, 0, .devPtr = x.d);
		x.d = fixture_malloc(x.fixture, (uintptr_t)x.d, 4096);
	}
	assert_int_equal(block_index(&x), index);
	word_up(&x, 8, x.s);
	word_up(&x, 10, x.s);
	word_up(&x, 4, x.s);
	silent(x.fixture);
	word_up(&x, 4, x.t);
	want(x.fixture, "stream-race-copy:error");
	fixture_free(x.fixture);
}

#define ENTRIES 4

/* Of 256 bytes each, so many bytes apart. */
static void entries_up(struct scenario *x, char *to, size_t apart, void *stream)
{
	size_t bytes[ENTRIES], failed, index = 0;
	aclrtMemcpyBatchAttr attribute = {
		.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST}};
	void *from[ENTRIES], *targets[ENTRIES];

	for (unsigned i = 0; i < ENTRIES; i++) {
		bytes[i] = 256;
		from[i] = (char *)x->h + (size_t)(ENTRIES - i) * 256;
		targets[i] = to + i * apart;
	}
	CALL(x->fixture, aclrtMemcpyBatchAsync, 0, .dsts = targets, .destMaxs = bytes, .srcs = from,
		.sizes = bytes, .numBatches = ENTRIES, .attrs = &attribute, .attrsIndexes = &index,
		.numAttrs = 1, .failIndex = &failed, .stream = stream);
}

/* Side by side or apart, once or again: each entry counts, at its last time. */
static void entries_of_a_batch(void **state)
{
	for (unsigned i = 0; i < 8; i++) {
		struct scenario x = scenario();
		size_t apart = i & 1 ? 256 : 1024;
		char *to = x.d;

		(void)state;
		entries_up(&x, to, apart, x.s);
		if (i & 2)
			entries_up(&x, to, apart, x.s);
		CALL(x.fixture, aclrtRecordEvent, 0, .event = x.event, .stream = x.s);
		if (i & 4)
			entries_up(&x, to, apart, x.s);
		CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
		silent(x.fixture);
		CALL(x.fixture, aclrtMemsetAsync, 0, .devPtr = to + 2 * apart + 64, .maxCount = 64,
			.count = 64, .stream = x.t);
		if (i & 4)
			want(x.fixture, "stream-race-set:error");
		else
			silent(x.fixture);
		fixture_free(x.fixture);
	}
}

/* What was known of the last batch's memory is nothing when that has changed. */
static void batch_of_gone_memory(void **state)
{
	struct scenario x = scenario();

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		entries_up(&x, x.d, 1024, x.s);
	CALL(x.fixture, aclrtSynchronizeStream, 0, .stream = x.s);
	CALL(x.fixture, aclrtFree, 0, .devPtr = x.d);
	silent(x.fixture);
	entries_up(&x, x.d, 1024, x.s);
	want(x.fixture, "use-after-free:error");
	fixture_free(x.fixture);
}

static void piece_set(struct scenario *x, void *stream, size_t bytes)
{
	CALL(x->fixture, aclrtMemsetAsync, 0, .devPtr = x->d, .maxCount = bytes, .count = bytes,
		.stream = stream);
}

/* A small piece once more, behind a larger one that stood for it in between. */
static void set_again_behind_a_larger_one(void **state)
{
	struct scenario x = scenario();

	(void)state;
	piece_set(&x, x.s, 64);
	piece_set(&x, x.s, 128);
	piece_set(&x, x.s, 128);
	CALL(x.fixture, aclrtRecordEvent, 0, .event = x.event, .stream = x.s);
	piece_set(&x, x.s, 64);
	CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
	silent(x.fixture);
	piece_set(&x, x.t, 64);
	want(x.fixture, "stream-race-set:error");
	fixture_free(x.fixture);
}

/* Executions of a stream's own come before its tasks: there is nothing to evaluate. */
static void own_executions(void **state)
{
	struct scenario x = scenario();
	void *elsewhere = fixture_malloc(x.fixture, DEVICE_MEMORY + (1 << 30), 4096);
	aclmdlRI models[] = {handle(30), handle(31)};
	uint64_t before;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		void *s = i ? x.t : x.s;

		CALL(x.fixture, aclmdlRICaptureBegin, 0, .stream = s,
			.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
		CALL(x.fixture, aclrtMemsetAsync, 0, .devPtr = i ? elsewhere : x.d, .maxCount = 64,
			.count = 64, .stream = s);
		CALL(x.fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &models[i]);
	}
	for (unsigned i = 0; i < 2; i++)
		CALL(x.fixture, aclmdlRIExecuteAsync, 0, .modelRI = models[i], .stream = i ? x.t : x.s);
	before = fixture_count(x.fixture, "stream-race-set");
	piece_set(&x, x.s, 64);
	silent(x.fixture);
	assert_int_equal(fixture_count(x.fixture, "stream-race-set"), before);
	piece_set(&x, x.t, 64);
	want(x.fixture, "stream-race-set:error");
	fixture_free(x.fixture);
}

/* What counts is the last time. */
static void copied_again(void **state)
{
	for (unsigned behind = 0; behind < 2; behind++) {
		struct scenario x = scenario();

		(void)state;
		for (unsigned i = 0; i < 3; i++) {
			if (i == 2 && !behind)
				CALL(x.fixture, aclrtRecordEvent, 0, .event = x.event, .stream = x.s);
			piece_up(&x, x.s);
		}
		if (behind)
			CALL(x.fixture, aclrtRecordEvent, 0, .event = x.event, .stream = x.s);
		CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
		piece_up(&x, x.t);
		if (behind)
			silent(x.fixture);
		else
			want(x.fixture, "stream-race-copy:error");
		fixture_free(x.fixture);
	}
}

/* The same where a block has a piece for each of many streams, as often as its accesses move. */
static void pieces_copied_again(void **state)
{
	enum { PIECES = 50 };
	struct scenario x = scenario();
	char *to = fixture_malloc(x.fixture, DEVICE_MEMORY + (1ul << 20), PIECES * 64),
	     *from = fixture_malloc_host(x.fixture, HOST_MEMORY + (1ul << 20), PIECES * 64);
	void *stream[PIECES];

	(void)state;
	for (unsigned i = 0; i < PIECES; i++)
		stream[i] = fixture_stream(x.fixture, 10 + i);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < PIECES; i++) {
			if (round == 2 && i == PIECES - 1)
				CALL(x.fixture, aclrtRecordEvent, 0, .event = x.event, .stream = stream[i]);
			CALL(x.fixture, aclrtMemcpyAsync, 0, .dst = to + i * 64, .destMax = 64,
				.src = from + i * 64, .count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE,
				.stream = stream[i]);
			if (round == 2 && i == 7)
				CALL(x.fixture, aclrtSynchronizeStream, 0, .stream = stream[i]);
		}
	silent(x.fixture);
	for (unsigned i = 7; i < PIECES; i += PIECES - 8) {
		CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
		CALL(x.fixture, aclrtMemcpyAsync, 0, .dst = to + i * 64, .destMax = 64, .src = x.h,
			.count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.t);
		if (i == 7)
			silent(x.fixture);
	}
	want(x.fixture, "stream-race-copy:error");
	fixture_free(x.fixture);
}

/* --- rules that are off ------------------------------------------------------------------------------ */

/* A checker with one rule; NULL: none. */
static struct scenario scenario_of_one_rule(const char *id)
{
	uint8_t *as = calloc(acl_rule_count, 1);
	struct scenario x = {.h = (void *)HOST_MEMORY};

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
		struct scenario x = scenario_of_one_rule(rules[i]);
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
	struct scenario x = scenario();
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

static void rounds(struct scenario *x, void **streams, void **events, unsigned n)
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
	struct scenario x = scenario();
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
		cmocka_unit_test(callback_may_tell),
		cmocka_unit_test(order_by_a_word),
		cmocka_unit_test(word_the_other_way),
		cmocka_unit_test(unknown_event),
		cmocka_unit_test(pageable_copy_waits),
		cmocka_unit_test(staged_source),
		cmocka_unit_test(free_that_waits),
		cmocka_unit_test(two_reductions),
		cmocka_unit_test(captured_tasks),
		cmocka_unit_test(model_waits_inside),
		cmocka_unit_test(refused_copy),
		cmocka_unit_test(batch_after_a_copy),
		cmocka_unit_test(block_with_a_former_address),
		cmocka_unit_test(entries_of_a_batch),
		cmocka_unit_test(batch_of_gone_memory),
		cmocka_unit_test(set_again_behind_a_larger_one),
		cmocka_unit_test(own_executions),
		cmocka_unit_test(copied_again),
		cmocka_unit_test(pieces_copied_again),
		cmocka_unit_test(followed_for_a_rule),
		cmocka_unit_test(seen_by_another_thread),
		cmocka_unit_test(constant_memory),
	};

	fixture_unrecorded();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("order of tasks", tests, NULL, NULL);
}
