/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes before what, against a model that knows all tasks and looks for a
 * path from one to the other: it shares nothing with the clocks.
 */
#define SITES 40000
#include "fixture.h"

#include <stdio.h>
#include <string.h>

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
	unsigned asked, before, too_much;
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
			score->asked++;
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
	print_message("# %u questions, %u in order, %u more than there is\n", score.asked, score.before,
		score.too_much);
	assert_true(score.before > score.asked / 20 && score.before < score.asked / 20 * 19);
	assert_true(score.too_much * 1000 <= score.asked);
}

/* Where nobody looks for long, records older than the clocks that are kept get a later one. */
static void without_observations(void **state)
{
	struct score score = {0};

	(void)state;
	for (uint64_t from = 1; from <= 40; from++)
		run(from, 60, &score);
	print_message("# %u questions, %u in order, %u more than there is\n", score.asked, score.before,
		score.too_much);
	assert_true(score.too_much * 10 <= score.asked);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_observations),
		cmocka_unit_test(without_observations),
		cmocka_unit_test(unseen_until_observed),
		cmocka_unit_test(too_many_streams),
	};

	fixture_unrecorded();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("order of tasks", tests, NULL, NULL);
}
