/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for events: recorded before, recorded by another thread, never recorded. */
#include "fixture.h"
#include "scenario.h"

static void wait_after_record(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
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
		struct scenario sc = scenario(target, SIZE);
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
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *e = fixture_event(sc.fixture, 3, ACL_EVENT_SYNC);

	(void)state;
	CALL(sc.fixture, aclrtRecordEvent, 107003, .event = e, .stream = sc.s);
	want(sc.fixture, "api-error:warning");
	WAIT(sc, sc.s, e);
	want(sc.fixture, "event-wait-before-record:error");
}

static void wait_that_blocks(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *other = fixture_stream(sc.fixture, 2);
	aclrtEvent e = handle(3);

	(void)state;
	sc.fixture->other_ways &= ~(1u << CHECKS_OTHER_THREADS);
	CALL(sc.fixture, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	WAIT(sc, other, e);
	RECORD(sc, e, sc.s); /* in time */
	SYNC(sc, other, 0);
	silent(sc.fixture);
	CALL(sc.fixture, aclrtResetEvent, 0, .event = e, .stream = other);
	WAIT(sc, other, e);
	silent(sc.fixture);
	SYNC(sc, other, 0); /* no other thread could record */
	want(sc.fixture, "event-wait-before-record:error");
}

static void wait_recorded_by_other_thread(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
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

/* A thread that has ended records nothing any more. */
static void wait_beside_other_threads(void **state)
{
	(void)state;
	for (unsigned ended = 0; ended < 2; ended++) {
		struct scenario sc = scenario(DOCUMENTS, SIZE);
		uint32_t first = sc.fixture->tid;
		aclrtEvent e = handle(3);

		sc.fixture->other_ways &= ~(1u << CHECKS_OTHER_THREADS);
		sc.fixture->tid = first + 1;
		CALL(sc.fixture, aclrtSetDevice, 0, .deviceId = 0);
		sc.fixture->tid = first;
		if (ended)
			sc.fixture->dead_thread = first + 1;
		CALL(sc.fixture, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
		WAIT(sc, sc.s, e);
		SYNC(sc, sc.s, 0);
		if (ended)
			want(sc.fixture, "event-wait-before-record:error");
		else
			silent(sc.fixture);
	}
}

static void wait_open_at_the_end(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wait_after_record),
		cmocka_unit_test(wait_by_maker_and_target),
		cmocka_unit_test(wait_failed_record),
		cmocka_unit_test(wait_that_blocks),
		cmocka_unit_test(wait_recorded_by_other_thread),
		cmocka_unit_test(wait_beside_other_threads),
		cmocka_unit_test(wait_open_at_the_end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
