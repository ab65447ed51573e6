/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies as order: where the one record is seen, before the wait or after it, and where it is not. */
#include "order_calls.h"
#include "two_streams.h"

#define OTHER (DEVICE_MEMORY + (1u << 20))

static void copy(struct two_streams *x, void *on)
{
	up(x, on, ACL_MEMCPY_HOST_TO_DEVICE);
}

/* --- a record before the wait -------------------------------------------------------------------- */

/* The one record there is: order, seen. */
static void a_notify_is_an_edge(void **state)
{
	struct two_streams x = two_streams();
	aclrtNotify n = made_notify(x.fixture, 10);

	(void)state;
	copy(&x, x.s);
	record_notify(x.fixture, n, x.s);
	await_notify(x.fixture, n, x.t);
	copy(&x, x.t);
	silent(x.fixture);
	assert_int_equal(evidence_ended(x.fixture, CHECKS_END_NOTIFY_WAIT), 0);
	/* And only that: the first stream goes on. */
	copy(&x, x.s);
	want(x.fixture, "stream-race-copy:error");
}

static void the_wait_comes_first(void **state)
{
	struct two_streams x = two_streams();
	aclrtNotify n = made_notify(x.fixture, 10);

	(void)state;
	copy(&x, x.s);
	await_notify(x.fixture, n, x.t);
	copy(&x, x.t);
	record_notify(x.fixture, n, x.s);
	silent(x.fixture);
	assert_int_equal(evidence_ended(x.fixture, CHECKS_END_NOTIFY_WAIT), 1);
}

/* Which of both records the wait takes is not known, and the first one is the right one. */
static void two_records(void **state)
{
	struct two_streams x = two_streams();
	void *third = fixture_stream(x.fixture, 4);
	aclrtNotify n = made_notify(x.fixture, 10);

	(void)state;
	copy(&x, x.s);
	record_notify(x.fixture, n, x.s);
	record_notify(x.fixture, n, third);
	await_notify(x.fixture, n, x.t);
	copy(&x, x.t);
	assert_int_equal(evidence_ended(x.fixture, CHECKS_END_NOTIFY_WAIT), 1);
	never(x.fixture, "stream-race-copy");
}

/* Nothing came of the second record, and what it would have come after is not what the wait comes after. */
static void failed_record(void **state)
{
	struct two_streams x = two_streams();
	void *third = fixture_stream(x.fixture, 4);
	aclrtNotify n = made_notify(x.fixture, 10);

	(void)state;
	copy(&x, x.s);
	record_notify(x.fixture, n, x.s);
	CALL(x.fixture, aclrtRecordNotify, 107003, .notify = n, .stream = third);
	await_notify(x.fixture, n, x.t);
	copy(&x, x.t);
	never(x.fixture, "stream-race-copy");
	assert_int_equal(evidence_ended(x.fixture, CHECKS_END_NOTIFY_WAIT), 1);
}

static void export_notify(struct fixture *fixture, aclrtNotify n)
{
	char key[65] = "a key";

	CALL(fixture, aclrtNotifyGetExportKey, 0, .notify = n, .key = key, .len = sizeof(key),
		.flags = ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
}

/* Another process may record it, too. */
static void exported(void **state)
{
	struct two_streams x = two_streams();
	aclrtNotify n = made_notify(x.fixture, 10);

	(void)state;
	export_notify(x.fixture, n);
	copy(&x, x.s);
	record_notify(x.fixture, n, x.t);
	await_notify(x.fixture, n, x.t);
	copy(&x, x.t);
	silent(x.fixture);
	assert_int_equal(evidence_ended(x.fixture, CHECKS_END_NOTIFY_WAIT), 1);
}

/* What was recorded before the export may be seen by the other process, and reported to this one. */
static void exported_later(void **state)
{
	struct two_streams x = two_streams();
	aclrtNotify n = made_notify(x.fixture, 10);

	(void)state;
	copy(&x, x.s);
	record_notify(x.fixture, n, x.s);
	export_notify(x.fixture, n);
	copy(&x, x.t);
	silent(x.fixture);
}

/* A record that only the host's calls can have heard of shows it nothing. */
static void recorded_for_no_one(void **state)
{
	struct two_streams x = two_streams();
	aclrtNotify n = made_notify(x.fixture, 10);

	(void)state;
	copy(&x, x.s);
	record_notify(x.fixture, n, x.s);
	copy(&x, x.t);
	want(x.fixture, "stream-race-copy:error");
}

/* A counter that is added to. */
static void added_counter(void **state)
{
	aclrtCntNotifyRecordInfo add = {.mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, .value = 1};
	aclrtCntNotifyRecordInfo set = {.mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, .value = 1};
	aclrtCntNotifyWaitInfo for_two = {.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, .value = 2};
	struct two_streams x = two_streams();
	aclrtCntNotify n = handle(10);

	(void)state;
	CALL(x.fixture, aclrtCntNotifyCreate, 0, .cntNotify = &n);
	CALL(x.fixture, aclrtCntNotifyRecord, 0, .cntNotify = n, .stream = x.t, .info = &set);
	copy(&x, x.s);
	CALL(x.fixture, aclrtCntNotifyRecord, 0, .cntNotify = n, .stream = x.s, .info = &add);
	CALL(x.fixture, aclrtCntNotifyWaitWithTimeout, 0, .cntNotify = n, .stream = x.t, .info = &for_two);
	copy(&x, x.t);
	never(x.fixture, "stream-race-copy");
	assert_int_equal(evidence_ended(x.fixture, CHECKS_END_NOTIFY_WAIT), 0);
}

/* A model records it whenever that runs. */
static void notify_recorded_by_a_model(void **state)
{
	struct two_streams x = two_streams();
	void *third = fixture_stream(x.fixture, 4);
	aclrtNotify n = made_notify(x.fixture, 10);
	aclmdlRI m = handle(30);

	(void)state;
	CALL(x.fixture, aclmdlRICaptureBegin, 0, .stream = third, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	record_notify(x.fixture, n, third);
	CALL(x.fixture, aclmdlRICaptureEnd, 0, .stream = third, .modelRI = &m);
	copy(&x, x.s);
	record_notify(x.fixture, n, x.s);
	await_notify(x.fixture, n, x.t);
	copy(&x, x.t);
	never(x.fixture, "stream-race-copy");
	assert_int_equal(evidence_ended(x.fixture, CHECKS_END_NOTIFY_WAIT), 1);
}

/* --- a record after the wait --------------------------------------------------------------------- */

/* t waits first; a third stream's copy to other memory is on its way. */
struct early {
	struct two_streams x;
	void *third, *other;
	aclrtNotify n;
};

static void copy_other(struct early *e, void *stream)
{
	CALL(e->x.fixture, aclrtMemcpyAsync, 0, .dst = e->other, .destMax = 4096, .src = e->x.h,
		.count = 4096, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream);
}

static struct early early(void)
{
	struct early e = {.x = two_streams(), .n = NULL};

	e.third = fixture_stream(e.x.fixture, 4);
	e.other = fixture_malloc(e.x.fixture, OTHER, 4096);
	e.n = made_notify(e.x.fixture, 10);
	copy_other(&e, e.third);
	return e;
}

/* The copy that the record comes behind is before it, that of the third stream is not. */
static void the_record_is_an_edge(void **state)
{
	struct early e = early();

	(void)state;
	await_notify(e.x.fixture, e.n, e.x.t);
	copy(&e.x, e.x.s);
	record_notify(e.x.fixture, e.n, e.x.s);
	copy(&e.x, e.x.t);
	silent(e.x.fixture);
	copy_other(&e, e.x.t);
	want(e.x.fixture, "stream-race-copy:error");
}

static void until_then_nothing_is_known(void **state)
{
	struct early e = early();

	(void)state;
	await_notify(e.x.fixture, e.n, e.x.t);
	copy_other(&e, e.x.t);
	record_notify(e.x.fixture, e.n, e.third);
	silent(e.x.fixture);
}

/* What the recording stream had waited for comes along. */
static void the_record_brings_more(void **state)
{
	struct early e = early();

	(void)state;
	await_notify(e.x.fixture, e.n, e.x.t);
	CALL(e.x.fixture, aclrtRecordEvent, 0, .event = e.x.event, .stream = e.third);
	CALL(e.x.fixture, aclrtStreamWaitEvent, 0, .stream = e.x.s, .event = e.x.event);
	record_notify(e.x.fixture, e.n, e.x.s);
	copy_other(&e, e.x.t);
	silent(e.x.fixture);
}

/* Which of two waits the record ends is not known. */
static void two_waits(void **state)
{
	struct early e = early();

	(void)state;
	await_notify(e.x.fixture, e.n, e.x.t);
	await_notify(e.x.fixture, e.n, e.x.s);
	record_notify(e.x.fixture, e.n, e.third);
	record_notify(e.x.fixture, e.n, e.third);
	copy_other(&e, e.x.t);
	copy_other(&e, e.x.s);
	never(e.x.fixture, "stream-race-copy");
}

/* Another wait of the stream has no record yet: the one before, or the one behind. */
static void another_wait_is_open(void **state)
{
	(void)state;
	for (unsigned behind = 0; behind < 2; behind++) {
		struct early e = early();
		aclrtNotify open = made_notify(e.x.fixture, 11);

		await_notify(e.x.fixture, behind ? e.n : open, e.x.t);
		await_notify(e.x.fixture, behind ? open : e.n, e.x.t);
		record_notify(e.x.fixture, e.n, e.x.s);
		copy_other(&e, e.x.t);
		record_notify(e.x.fixture, open, e.third);
		silent(e.x.fixture);
	}
}

static void no_record_came_of_it(void **state)
{
	struct early e = early();

	(void)state;
	await_notify(e.x.fixture, e.n, e.x.t);
	CALL(e.x.fixture, aclrtRecordNotify, 107003, .notify = e.n, .stream = e.x.s);
	copy_other(&e, e.x.t);
	record_notify(e.x.fixture, e.n, e.third);
	never(e.x.fixture, "stream-race-copy");
}

/* A stream that waited for the waiting one is behind the record, too: that is not followed. */
static void joined_before_the_record(void **state)
{
	struct early e = early();

	(void)state;
	await_notify(e.x.fixture, e.n, e.x.t);
	CALL(e.x.fixture, aclrtRecordEvent, 0, .event = e.x.event, .stream = e.x.t);
	CALL(e.x.fixture, aclrtStreamWaitEvent, 0, .stream = e.x.s, .event = e.x.event);
	record_notify(e.x.fixture, e.n, e.third);
	copy_other(&e, e.x.s);
	copy_other(&e, e.x.t);
	silent(e.x.fixture);
}

/* Each round the consumer, t, waits first; it answers by a notify that the producer, s, waits for. */
static void rounds(void **state)
{
	struct early e = early();
	aclrtNotify taken = made_notify(e.x.fixture, 11);

	(void)state;
	for (int round = 0; round < 12; round++) {
		bool last = round == 11;

		await_notify(e.x.fixture, e.n, e.x.t);
		if (round && !last)
			await_notify(e.x.fixture, taken, e.x.s);
		copy(&e.x, e.x.s);
		if (!last)
			silent(e.x.fixture);
		record_notify(e.x.fixture, e.n, e.x.s);
		copy(&e.x, e.x.t);
		if (!last)
			record_notify(e.x.fixture, taken, e.x.t);
	}
	/* The last round's producer does not wait for the answer. */
	want(e.x.fixture, "stream-race-copy:error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_notify_is_an_edge),
		cmocka_unit_test(the_wait_comes_first),
		cmocka_unit_test(two_records),
		cmocka_unit_test(failed_record),
		cmocka_unit_test(exported),
		cmocka_unit_test(exported_later),
		cmocka_unit_test(recorded_for_no_one),
		cmocka_unit_test(added_counter),
		cmocka_unit_test(notify_recorded_by_a_model),
		cmocka_unit_test(the_record_is_an_edge),
		cmocka_unit_test(until_then_nothing_is_known),
		cmocka_unit_test(the_record_brings_more),
		cmocka_unit_test(two_waits),
		cmocka_unit_test(another_wait_is_open),
		cmocka_unit_test(no_record_came_of_it),
		cmocka_unit_test(joined_before_the_record),
		cmocka_unit_test(rounds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("order by notifies", tests, NULL, NULL);
}
