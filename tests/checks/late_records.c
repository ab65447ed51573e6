/* SPDX-License-Identifier: Apache-2.0 */
/* A stream waits for a notify that is recorded later: what it comes behind is known from then on. */
#include "two_streams.h"

#define OTHER (DEVICE_MEMORY + (1u << 20))

/* t waits first; a third stream's copy to other memory is on its way. */
struct early {
	struct two_streams x;
	void *third, *other;
	aclrtNotify n;
};

static aclrtNotify notify(struct two_streams *x, unsigned number)
{
	aclrtNotify n = handle(number);

	CALL(x->fixture, aclrtCreateNotify, 0, .notify = &n, .flag = ACL_NOTIFY_DEFAULT);
	return n;
}

static void await(struct early *e, aclrtNotify n, void *stream)
{
	CALL(e->x.fixture, aclrtWaitAndResetNotify, 0, .notify = n, .stream = stream);
}

static void record(struct early *e, aclrtNotify n, void *stream)
{
	CALL(e->x.fixture, aclrtRecordNotify, 0, .notify = n, .stream = stream);
}

static void copy_other(struct early *e, void *stream)
{
	CALL(e->x.fixture, aclrtMemcpyAsync, 0, .dst = e->other, .destMax = 4096, .src = e->x.h,
		.count = 4096, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream);
}

static void copy(struct early *e, void *stream)
{
	up(&e->x, stream, ACL_MEMCPY_HOST_TO_DEVICE);
}

static struct early early(void)
{
	struct early e = {.x = two_streams(), .n = NULL};

	e.third = fixture_stream(e.x.fixture, 4);
	e.other = fixture_malloc(e.x.fixture, OTHER, 4096);
	e.n = notify(&e.x, 10);
	copy_other(&e, e.third);
	return e;
}

/* The copy that the record comes behind is before it, that of the third stream is not. */
static void the_record_is_an_edge(void **state)
{
	struct early e = early();

	(void)state;
	await(&e, e.n, e.x.t);
	copy(&e, e.x.s);
	record(&e, e.n, e.x.s);
	copy(&e, e.x.t);
	silent(e.x.fixture);
	copy_other(&e, e.x.t);
	want(e.x.fixture, "stream-race-copy:error");
}

static void until_then_nothing_is_known(void **state)
{
	struct early e = early();

	(void)state;
	await(&e, e.n, e.x.t);
	copy_other(&e, e.x.t);
	record(&e, e.n, e.third);
	silent(e.x.fixture);
}

/* What the recording stream had waited for comes along. */
static void the_record_brings_more(void **state)
{
	struct early e = early();

	(void)state;
	await(&e, e.n, e.x.t);
	CALL(e.x.fixture, aclrtRecordEvent, 0, .event = e.x.event, .stream = e.third);
	CALL(e.x.fixture, aclrtStreamWaitEvent, 0, .stream = e.x.s, .event = e.x.event);
	record(&e, e.n, e.x.s);
	copy_other(&e, e.x.t);
	silent(e.x.fixture);
}

/* Which of two waits the record ends is not known. */
static void two_waits(void **state)
{
	struct early e = early();

	(void)state;
	await(&e, e.n, e.x.t);
	await(&e, e.n, e.x.s);
	record(&e, e.n, e.third);
	record(&e, e.n, e.third);
	copy_other(&e, e.x.t);
	copy_other(&e, e.x.s);
	never(e.x.fixture, "stream-race-copy");
}

/* Another wait of the stream has no record yet: the one before. */
static void wait_before_is_open(void **state)
{
	struct early e = early();
	aclrtNotify open = notify(&e.x, 11);

	(void)state;
	await(&e, open, e.x.t);
	await(&e, e.n, e.x.t);
	record(&e, e.n, e.x.s);
	copy_other(&e, e.x.t);
	record(&e, open, e.third);
	silent(e.x.fixture);
}

/* Or the one behind. */
static void wait_behind_is_open(void **state)
{
	struct early e = early();
	aclrtNotify open = notify(&e.x, 11);

	(void)state;
	await(&e, e.n, e.x.t);
	await(&e, open, e.x.t);
	record(&e, e.n, e.x.s);
	copy_other(&e, e.x.t);
	record(&e, open, e.third);
	silent(e.x.fixture);
}

static void no_record_came_of_it(void **state)
{
	struct early e = early();

	(void)state;
	await(&e, e.n, e.x.t);
	CALL(e.x.fixture, aclrtRecordNotify, 107003, .notify = e.n, .stream = e.x.s);
	copy_other(&e, e.x.t);
	record(&e, e.n, e.third);
	never(e.x.fixture, "stream-race-copy");
}

/* A stream that waited for the waiting one is behind the record, too: that is not followed. */
static void joined_before_the_record(void **state)
{
	struct early e = early();

	(void)state;
	await(&e, e.n, e.x.t);
	CALL(e.x.fixture, aclrtRecordEvent, 0, .event = e.x.event, .stream = e.x.t);
	CALL(e.x.fixture, aclrtStreamWaitEvent, 0, .stream = e.x.s, .event = e.x.event);
	record(&e, e.n, e.third);
	copy_other(&e, e.x.s);
	copy_other(&e, e.x.t);
	silent(e.x.fixture);
}

/* Each round the consumer, t, waits first; it answers by a notify that the producer, s, waits for. */
static void rounds(void **state)
{
	struct early e = early();
	aclrtNotify taken = notify(&e.x, 11);

	(void)state;
	for (int round = 0; round < 12; round++) {
		bool last = round == 11;

		await(&e, e.n, e.x.t);
		if (round && !last)
			await(&e, taken, e.x.s);
		copy(&e, e.x.s);
		if (!last)
			silent(e.x.fixture);
		record(&e, e.n, e.x.s);
		copy(&e, e.x.t);
		if (!last)
			record(&e, taken, e.x.t);
	}
	/* The last round's producer does not wait for the answer. */
	want(e.x.fixture, "stream-race-copy:error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_record_is_an_edge),
		cmocka_unit_test(until_then_nothing_is_known),
		cmocka_unit_test(the_record_brings_more),
		cmocka_unit_test(two_waits),
		cmocka_unit_test(wait_before_is_open),
		cmocka_unit_test(wait_behind_is_open),
		cmocka_unit_test(no_record_came_of_it),
		cmocka_unit_test(joined_before_the_record),
		cmocka_unit_test(rounds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
