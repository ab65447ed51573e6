/* SPDX-License-Identifier: Apache-2.0 */
/* Counting notifies as order: a wait comes behind those records without which the count is not what it waits
 * for. */
#include "order_calls.h"
#include "two_streams.h"

#define SET ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE
#define ADD ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE
#define OR ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE
#define AND ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE
#define LESS ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE
#define EQUAL ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE
#define BIGGER ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE
#define AT_LEAST ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE
#define BITS ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE

#define OTHER (DEVICE_MEMORY + (1u << 20))

/* Two producers, s and u, each with memory of its own, and a consumer, t. */
struct count {
	struct two_streams x;
	void *u, *other;
	aclrtCntNotify n;
};

static struct count count(void)
{
	struct count k = {.x = two_streams(), .n = handle(10)};

	k.u = fixture_stream(k.x.fixture, 4);
	k.other = fixture_malloc(k.x.fixture, OTHER, 4096);
	CALL(k.x.fixture, aclrtCntNotifyCreate, 0, .cntNotify = &k.n);
	return k;
}

static void copy(struct count *k, void *stream)
{
	up(&k->x, stream, ACL_MEMCPY_HOST_TO_DEVICE);
}

static void copy_other(struct count *k, void *stream)
{
	CALL(k->x.fixture, aclrtMemcpyAsync, 0, .dst = k->other, .destMax = 4096, .src = k->x.h,
		.count = 4096, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream);
}

static void record(struct count *k, void *on, aclrtCntNotifyRecordMode mode, uint32_t value)
{
	aclrtCntNotifyRecordInfo info = {.mode = mode, .value = value};

	CALL(k->x.fixture, aclrtCntNotifyRecord, 0, .cntNotify = k->n, .stream = on, .info = &info);
}

static void await(struct count *k, aclrtCntNotifyWaitMode mode, uint32_t value, bool clear)
{
	aclrtCntNotifyWaitInfo info = {.mode = mode, .value = value, .isClear = clear};

	CALL(k->x.fixture, aclrtCntNotifyWaitWithTimeout, 0, .cntNotify = k->n, .stream = k->x.t,
		.info = &info);
}

static void reset(struct count *k, void *on)
{
	CALL(k->x.fixture, aclrtCntNotifyReset, 0, .cntNotify = k->n, .stream = on);
}

static uint64_t unseen(struct count *k)
{
	return evidence_ended(k->x.fixture, CHECKS_END_NOTIFY_WAIT);
}

/* The consumer comes behind the copy of s; that of u, to other memory, is not before it. */
static void behind_s_alone(struct count *k)
{
	copy(k, k->x.t);
	never(k->x.fixture, "stream-race-copy");
	copy_other(k, k->x.t);
	want(k->x.fixture, "stream-race-copy:error");
	assert_int_equal(unseen(k), 0);
	fixture_free(k->x.fixture);
}

static void behind_both(struct count *k)
{
	copy(k, k->x.t);
	copy_other(k, k->x.t);
	never(k->x.fixture, "stream-race-copy");
	assert_int_equal(unseen(k), 0);
	/* And behind nothing that comes later. */
	copy(k, k->x.s);
	want(k->x.fixture, "stream-race-copy:error");
	fixture_free(k->x.fixture);
}

/* Behind what is not known: nothing is said. */
static void behind_something(struct count *k)
{
	copy(k, k->x.t);
	copy_other(k, k->x.t);
	never(k->x.fixture, "stream-race-copy");
	assert_int_equal(unseen(k), 1);
	fixture_free(k->x.fixture);
}

static struct count copied_on_both(void)
{
	struct count k = count();

	copy(&k, k.x.s);
	copy_other(&k, k.u);
	return k;
}

/* --- one record -------------------------------------------------------------------------------------- */

/* Every way to put the count where the wait ends, and to wait for that. */
static void by_one_record(void **state)
{
	static const struct {
		uint32_t before;
		aclrtCntNotifyRecordMode how;
		uint32_t value;
		aclrtCntNotifyWaitMode mode;
		uint32_t awaited;
	} ways[] = {
		{0, SET, 1, EQUAL, 1},
		{0, SET, 7, BIGGER, 6},
		{0, SET, 7, AT_LEAST, 7},
		{9, SET, 3, LESS, 4},
		{1, SET, 6, BITS, 2},
		{0, ADD, 2, EQUAL, 2},
		{5, ADD, 2, AT_LEAST, 7},
		{4, OR, 3, BITS, 3},
		{7, AND, 4, LESS, 7},
		{UINT32_MAX, ADD, 1, EQUAL, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct count k = count();

		if (ways[i].before)
			record(&k, k.x.t, SET, ways[i].before);
		join(k.x.fixture, k.x.event, k.x.t, k.x.s);
		copy(&k, k.x.s);
		copy_other(&k, k.u);
		record(&k, k.x.s, ways[i].how, ways[i].value);
		await(&k, ways[i].mode, ways[i].awaited, false);
		behind_s_alone(&k);
	}
}

/* The count that the wait ends at is none that this record leaves: it waits for one that comes later. */
static void by_another_value(void **state)
{
	struct count k = copied_on_both();

	(void)state;
	record(&k, k.x.s, SET, 1);
	await(&k, EQUAL, 2, false);
	behind_something(&k);
}

/* --- rounds ------------------------------------------------------------------------------------------ */

/* The first round's count is still there: the second wait ends before the second copy. */
static void count_of_an_earlier_round(void **state)
{
	struct count k = count();

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		copy(&k, k.x.s);
		record(&k, k.x.s, SET, 1);
		await(&k, EQUAL, 1, false);
		if (!round)
			join(k.x.fixture, k.x.event, k.x.t, k.x.s);
		else
			copy(&k, k.x.t);
	}
	want(k.x.fixture, "stream-race-copy:error");
	fixture_free(k.x.fixture);
}

/* It is taken back: by the wait, by a reset or a record of the consumer. */
static void count_taken_back(void **state)
{
	(void)state;
	for (unsigned how = 0; how < 3; how++) {
		struct count k = count();

		for (unsigned round = 0; round < 9; round++) {
			copy(&k, k.x.s);
			record(&k, k.x.s, SET, 1);
			await(&k, EQUAL, 1, how == 0);
			if (how == 1)
				reset(&k, k.x.t);
			else if (how == 2)
				record(&k, k.x.t, AND, 0);
			copy(&k, k.x.t);
			join(k.x.fixture, k.x.event, k.x.t, k.x.s);
		}
		silent(k.x.fixture);
		assert_int_equal(unseen(&k), 0);
		fixture_free(k.x.fixture);
	}
}

/* Each round counts one up. */
static void counted_up(void **state)
{
	struct count k = count();

	(void)state;
	for (uint32_t round = 1; round < 9; round++) {
		copy(&k, k.x.s);
		record(&k, k.x.s, ADD, 1);
		await(&k, AT_LEAST, round, false);
		copy(&k, k.x.t);
		if (round < 8)
			join(k.x.fixture, k.x.event, k.x.t, k.x.s);
	}
	silent(k.x.fixture);
	/* It waits for the former round only. */
	copy(&k, k.x.s);
	record(&k, k.x.s, ADD, 1);
	await(&k, AT_LEAST, 8, false);
	copy(&k, k.x.t);
	want(k.x.fixture, "stream-race-copy:error");
	assert_int_equal(unseen(&k), 0);
	fixture_free(k.x.fixture);
}

/* --- several records --------------------------------------------------------------------------------- */

/* Both have to be made. */
static void both_count(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 2; bits++) {
		struct count k = copied_on_both();

		record(&k, k.x.s, bits ? OR : ADD, 1);
		record(&k, k.u, bits ? OR : ADD, bits ? 2 : 1);
		await(&k, bits ? BITS : EQUAL, bits ? 3 : 2, true);
		behind_both(&k);
	}
}

/* One of both is enough: the wait comes behind what both come behind, and not behind both. */
static void either_counts(void **state)
{
	(void)state;
	for (unsigned clear = 0; clear < 2; clear++) {
		struct count k = count();

		copy(&k, k.x.s);
		join(k.x.fixture, k.x.event, k.x.s, k.u);
		copy_other(&k, k.u);
		record(&k, k.x.s, ADD, 1);
		record(&k, k.u, ADD, 1);
		await(&k, AT_LEAST, 1, clear);
		behind_s_alone(&k);
	}
}

/* The record behind the wait is never made alone: what the next wait is for is not seen. */
static void either_counts_first(void **state)
{
	struct count k = count();
	void *third = fixture_stream(k.x.fixture, 5);
	aclrtCntNotifyWaitInfo for_ten = {.mode = EQUAL, .value = 10};

	(void)state;
	copy(&k, k.x.s);
	record(&k, k.x.s, ADD, 1);
	record(&k, k.u, ADD, 1);
	await(&k, AT_LEAST, 1, false);
	record(&k, k.x.t, ADD, 10);
	CALL(k.x.fixture, aclrtCntNotifyWaitWithTimeout, 0, .cntNotify = k.n, .stream = third,
		.info = &for_ten);
	copy(&k, third);
	never(k.x.fixture, "stream-race-copy");
	assert_int_equal(unseen(&k), 1);
	fixture_free(k.x.fixture);
}

/* One of both comes behind something that is not seen. */
static void either_counts_unseen(void **state)
{
	struct count k = count();
	aclrtNotify open = made_notify(k.x.fixture, 11);

	(void)state;
	await_notify(k.x.fixture, open, k.u);
	copy(&k, k.x.s);
	copy_other(&k, k.x.s);
	record(&k, k.x.s, ADD, 1);
	record(&k, k.u, ADD, 1);
	await(&k, AT_LEAST, 1, false);
	copy(&k, k.x.t);
	copy_other(&k, k.x.t);
	never(k.x.fixture, "stream-race-copy");
	fixture_free(k.x.fixture);
}

/* Only one of them makes it large enough. */
static void one_is_needed(void **state)
{
	struct count k = copied_on_both();

	(void)state;
	record(&k, k.u, ADD, 1);
	record(&k, k.x.s, ADD, 4);
	await(&k, AT_LEAST, 4, false);
	behind_s_alone(&k);
}

/* The second comes behind the first one, whatever it does. */
static void one_behind_the_other(void **state)
{
	struct count k = copied_on_both();

	(void)state;
	record(&k, k.u, ADD, 1);
	join(k.x.fixture, k.x.event, k.u, k.x.s);
	record(&k, k.x.s, ADD, 1);
	await(&k, EQUAL, 2, false);
	behind_both(&k);
}

/* What puts it there may be taken back before the wait looks, or not. */
static void set_by_both(void **state)
{
	struct count k = copied_on_both();

	(void)state;
	record(&k, k.x.s, SET, 1);
	record(&k, k.u, SET, 2);
	await(&k, EQUAL, 1, false);
	behind_s_alone(&k);
}

/* --- what is not known ------------------------------------------------------------------------------- */

static void the_wait_comes_first(void **state)
{
	struct count k = count();

	(void)state;
	await(&k, EQUAL, 1, true);
	copy(&k, k.x.s);
	copy_other(&k, k.u);
	record(&k, k.x.s, SET, 1);
	behind_something(&k);
}

/* Which of both records the first wait took, and cleared, is not known. */
static void cleared_at_some_time(void **state)
{
	struct count k = copied_on_both();

	(void)state;
	record(&k, k.x.s, SET, 1);
	record(&k, k.u, SET, 1);
	await(&k, EQUAL, 1, true);
	await(&k, EQUAL, 1, true);
	copy(&k, k.x.t);
	copy_other(&k, k.x.t);
	never(k.x.fixture, "stream-race-copy");
	fixture_free(k.x.fixture);
}

/* A kernel that knows its number may record it. */
static void numbered(void **state)
{
	struct count k = copied_on_both();
	uint32_t id = 0;

	(void)state;
	CALL(k.x.fixture, aclrtCntNotifyGetId, 0, .cntNotify = k.n, .notifyId = &id);
	record(&k, k.x.s, SET, 1);
	await(&k, EQUAL, 1, true);
	behind_something(&k);
}

/* The first record may be made at any time, whatever is set since. */
static void failed_record(void **state)
{
	struct count k = copied_on_both();
	aclrtCntNotifyRecordInfo info = {.mode = SET, .value = 1};

	(void)state;
	record(&k, k.u, SET, 1);
	CALL(k.x.fixture, aclrtCntNotifyRecord, 107003, .cntNotify = k.n, .stream = k.x.s, .info = &info);
	record(&k, k.x.t, SET, 0);
	join(k.x.fixture, k.x.event, k.x.t, k.x.s);
	record(&k, k.x.s, SET, 1);
	await(&k, EQUAL, 1, false);
	behind_something(&k);
}

static void unknown_stream(void **state)
{
	struct count k = copied_on_both();

	(void)state;
	record(&k, handle(77), ADD, 1);
	record(&k, k.x.s, ADD, 1);
	await(&k, AT_LEAST, 1, false);
	behind_something(&k);
}

/* More records than are remembered. */
static void many_records(void **state)
{
	struct count k = copied_on_both();

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		record(&k, i & 1 ? k.x.s : k.u, ADD, 1);
	await(&k, EQUAL, 20, false);
	copy(&k, k.x.t);
	never(k.x.fixture, "stream-race-copy");
	fixture_free(k.x.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_one_record),
		cmocka_unit_test(by_another_value),
		cmocka_unit_test(count_of_an_earlier_round),
		cmocka_unit_test(count_taken_back),
		cmocka_unit_test(counted_up),
		cmocka_unit_test(both_count),
		cmocka_unit_test(either_counts),
		cmocka_unit_test(either_counts_first),
		cmocka_unit_test(either_counts_unseen),
		cmocka_unit_test(one_is_needed),
		cmocka_unit_test(one_behind_the_other),
		cmocka_unit_test(set_by_both),
		cmocka_unit_test(the_wait_comes_first),
		cmocka_unit_test(cleared_at_some_time),
		cmocka_unit_test(numbered),
		cmocka_unit_test(failed_record),
		cmocka_unit_test(unknown_stream),
		cmocka_unit_test(many_records),
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("order by counting notifies", tests, NULL, NULL);
}
