/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that go on for ever need no more memory than at their beginning, and what is wrong in them is
 * found at the end as at the beginning.  ENDLESS=1 plays them as long as a program of hours does.
 */
#define SITES 50000
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define BYTES 4096u
#define STREAMS 1000u
#define EVENTS 1000u
#define MODELS 60u
#define TASKS 2000u /* of the large model */

static unsigned long times(unsigned long brief, unsigned long whole)
{
	return getenv("ENDLESS") ? whole : brief;
}

/* No work goes past the functions that are seen. */
static struct fixture *ready(void)
{
	struct fixture *f = fixture_ready(DOCUMENTS);

	f->other_ways = 0;
	return f;
}

static void *stream(unsigned n)
{
	return handle(1000 + n);
}

static void *event(unsigned n)
{
	return handle(10000 + n);
}

static void *model(unsigned n)
{
	return handle(20000 + n);
}

/* Of device n, or of the host. */
static void *device_part(unsigned n)
{
	return (void *)(DEVICE_MEMORY + (uintptr_t)n * BYTES);
}

static void *host_part(unsigned n)
{
	return (void *)(HOST_MEMORY + (uintptr_t)n * BYTES);
}

static void streams_make(struct fixture *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		aclrtStream s = stream(i);

		CALL(f, aclrtCreateStream, 0, .stream = &s);
	}
}

static void events_make(struct fixture *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		aclrtEvent e = event(i);

		CALL(f, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	}
}

static void copy(struct fixture *f, unsigned to, unsigned from, unsigned on)
{
	CALL(f, aclrtMemcpyAsync, 0, .dst = device_part(to), .destMax = BYTES, .src = host_part(from),
		.count = BYTES, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream(on));
}

static void set(struct fixture *f, unsigned part, unsigned on)
{
	CALL(f, aclrtMemsetAsync, 0, .devPtr = device_part(part), .maxCount = BYTES, .count = BYTES,
		.stream = stream(on));
}

static void record(struct fixture *f, unsigned e, unsigned on)
{
	CALL(f, aclrtRecordEvent, 0, .event = event(e), .stream = stream(on));
}

static void await_event(struct fixture *f, unsigned e, unsigned on)
{
	CALL(f, aclrtStreamWaitEvent, 0, .stream = stream(on), .event = event(e));
}

/* The tables have their size after half of it. */
static void plays_in_constant_space(struct fixture *f, void (*round)(struct fixture *, unsigned long),
	unsigned long rounds, const char *what)
{
	size_t before = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		if (i == rounds / 2)
			before = f->bytes;
		round(f, i);
	}
	printf("# %s: %lu times, tables of %zu KiB, %zu of them of the second half\n", what, rounds,
		f->bytes >> 10, (f->bytes - before) >> 10);
	assert_int_equal(f->bytes - before, 0);
	silent(f);
}

/* --- operations ---------------------------------------------------------------------------------- */

/* Ten calls: each stream works on its own part, hands it to the next stream, and gets it back. */
static void hand_over(struct fixture *f, unsigned long n)
{
	unsigned one = (unsigned)(n * 7 % STREAMS), two = (one + 1) % STREAMS;

	copy(f, one, one, one);
	set(f, one, one);
	copy(f, one, one, one);
	record(f, one, one);
	await_event(f, one, two);
	copy(f, one, one, two);
	set(f, one, two);
	record(f, two, two);
	await_event(f, two, one);
	copy(f, one, one, one);
	if (n % 5000 == 4999)
		for (unsigned i = 0; i < STREAMS; i++)
			CALL(f, aclrtSynchronizeStream, 0, .stream = stream(i));
}

static void operations_on_a_thousand_streams(void **state)
{
	struct fixture *f = ready();

	(void)state;
	streams_make(f, STREAMS);
	events_make(f, EVENTS);
	fixture_malloc(f, DEVICE_MEMORY, STREAMS * BYTES);
	fixture_malloc_host(f, HOST_MEMORY, STREAMS * BYTES);
	plays_in_constant_space(f, hand_over, times(40000, 1000000), "ten operations on 1,000 streams");
	/* Nothing was forgotten that is needed. */
	copy(f, 3, 3, 3);
	copy(f, 3, 3, 700);
	want(f, "stream-race-copy:error");
	fixture_free(f);
}

/* --- events ------------------------------------------------------------------------------------------- */

/* The host never waits for one, as with an allocator's events. */
static void record_again(struct fixture *f, unsigned long n)
{
	unsigned e = (unsigned)(n * 13 % EVENTS);

	record(f, e, e % 8);
	await_event(f, e, (e + 1) % 8);
	set(f, e % 8, e % 8);
}

static void events_recorded_for_ever(void **state)
{
	struct fixture *f = ready();

	(void)state;
	streams_make(f, 9);
	events_make(f, EVENTS);
	fixture_malloc(f, DEVICE_MEMORY, 8 * BYTES);
	fixture_malloc_host(f, HOST_MEMORY, 8 * BYTES);
	plays_in_constant_space(f, record_again, times(100000, 3000000), "an event recorded and waited for");
	set(f, 0, 8);
	want(f, "stream-race-set:error");
	fixture_free(f);
}

/* --- models -----------------------------------------------------------------------------------------------
 */

static void model_make(struct fixture *f, unsigned n, unsigned first, unsigned parts, unsigned tasks)
{
	aclmdlRI m = model(n);

	CALL(f, aclmdlRICaptureBegin, 0, .stream = stream(0), .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	for (unsigned i = 0; i < tasks; i++)
		copy(f, first + i % parts, i % parts, 0);
	CALL(f, aclmdlRICaptureEnd, 0, .stream = stream(0), .modelRI = &m);
}

static void execute(struct fixture *f, unsigned n, unsigned on)
{
	CALL(f, aclmdlRIExecuteAsync, 0, .modelRI = model(n), .stream = stream(on));
}

/* On whatever stream is idle, ordered by the host now and then and by events otherwise. */
static void replay_one(struct fixture *f, unsigned long n)
{
	unsigned on = 1 + (unsigned)(n % 4), next = 1 + (unsigned)((n + 1) % 4);

	execute(f, (unsigned)(n * 11 % MODELS), on);
	record(f, 0, on);
	await_event(f, 0, next);
	if (n % 1000 == 999)
		CALL(f, aclrtSynchronizeStream, 0, .stream = stream(next));
}

static void models_replayed_for_ever(void **state)
{
	struct fixture *f = ready();

	(void)state;
	streams_make(f, 6);
	events_make(f, 1);
	fixture_malloc(f, DEVICE_MEMORY, MODELS * 8 * BYTES);
	fixture_malloc_host(f, HOST_MEMORY, MODELS * 8 * BYTES);
	for (unsigned i = 0; i < MODELS; i++)
		model_make(f, i, i * 4, 8, 32);
	plays_in_constant_space(f, replay_one, times(50000, 1000000), "one of 60 models replayed");
	execute(f, 1, 1);
	execute(f, 2, 5);
	want(f, "stream-race-copy:error");
	fixture_free(f);
}

static void replay_large(struct fixture *f, unsigned long n)
{
	(void)n;
	execute(f, 0, 1);
	copy(f, TASKS, 0, 2);
}

static void a_large_model_replayed(void **state)
{
	struct fixture *f = ready();

	(void)state;
	streams_make(f, 4);
	fixture_malloc(f, DEVICE_MEMORY, (TASKS + 1) * BYTES);
	fixture_malloc_host(f, HOST_MEMORY, (TASKS + 1) * BYTES);
	model_make(f, 0, 0, TASKS, TASKS);
	plays_in_constant_space(
		f, replay_large, times(2000, 100000), "a model of 2,000 tasks, and a copy beside it");
	copy(f, TASKS - 1, 0, 3);
	want(f, "stream-race-copy:error");
	fixture_free(f);
}

/* Captured and given up over and over: what a model was is gone with it. */
static void capture_again(struct fixture *f, unsigned long n)
{
	(void)n;
	model_make(f, 0, 0, 100, 100);
	execute(f, 0, 1);
	CALL(f, aclrtSynchronizeStream, 0, .stream = stream(1));
	CALL(f, aclmdlRIDestroy, 0, .modelRI = model(0));
}

static void models_made_for_ever(void **state)
{
	struct fixture *f = ready();

	(void)state;
	streams_make(f, 2);
	fixture_malloc(f, DEVICE_MEMORY, 100 * BYTES);
	fixture_malloc_host(f, HOST_MEMORY, 100 * BYTES);
	/* Its half is more than are kept of destroyed ones (OBJECT_DEAD). */
	plays_in_constant_space(f, capture_again, times(2200, 20000), "a model made, replayed and destroyed");
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_on_a_thousand_streams),
		cmocka_unit_test(events_recorded_for_ever),
		cmocka_unit_test(models_replayed_for_ever),
		cmocka_unit_test(a_large_model_replayed),
		cmocka_unit_test(models_made_for_ever),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
