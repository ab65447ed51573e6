/* SPDX-License-Identifier: Apache-2.0 */
/* Words that streams write and wait for, in memory that is set or copied as a whole. */
#include "order_calls.h"
#include "two_streams.h"

#define BYTES 4096u

struct words {
	struct two_streams x;
	void *block, *zeros;
	uint64_t *word;
};

static void write_word(struct words *w, uint64_t value, void *on)
{
	CALL(w->x.fixture, aclrtValueWrite, 0, .devAddr = w->word, .value = value, .stream = on);
}

static void await_word(struct words *w, uint64_t value, void *on)
{
	CALL(w->x.fixture, aclrtValueWait, 0, .devAddr = w->word, .value = value,
		.flag = ACL_STREAM_WAIT_VALUE_GEQ, .stream = on);
}

static void streams_done(struct words *w)
{
	CALL(w->x.fixture, aclrtSynchronizeStream, 0, .stream = w->x.s);
	CALL(w->x.fixture, aclrtSynchronizeStream, 0, .stream = w->x.t);
}

static uint64_t unseen(struct words *w)
{
	return evidence_ended(w->x.fixture, CHECKS_END_VALUE_WAIT);
}

/* A word that has been 0 and is 1. */
static struct words written_word(void)
{
	struct words w = {.x = two_streams()};

	w.block = fixture_malloc(w.x.fixture, DEVICE_MEMORY + (1u << 20), BYTES);
	w.zeros = fixture_malloc_host(w.x.fixture, HOST_MEMORY + (1u << 20), BYTES);
	w.word = (uint64_t *)w.block + 100;
	write_word(&w, 0, w.x.t);
	streams_done(&w);
	write_word(&w, 1, w.x.s);
	streams_done(&w);
	return w;
}

static void set_block(struct words *w)
{
	CALL(w->x.fixture, aclrtMemset, 0, .devPtr = w->block, .maxCount = BYTES, .count = BYTES);
}

static void set_block_on(struct words *w, void *on)
{
	CALL(w->x.fixture, aclrtMemsetAsync, 0, .devPtr = w->block, .maxCount = BYTES, .count = BYTES,
		.stream = on);
}

/* The wait is for a write that was not seen: behind it nothing is said. */
static void waits_for_unseen(struct words *w)
{
	up(&w->x, w->x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	await_word(w, 1, w->x.t);
	up(&w->x, w->x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	silent(w->x.fixture);
	assert_int_equal(unseen(w), 1);
}

static void cleared_with_its_block(void **state)
{
	struct words w = written_word();

	(void)state;
	set_block(&w);
	waits_for_unseen(&w);
}

static void cleared_on_a_stream(void **state)
{
	struct words w = written_word();

	(void)state;
	set_block_on(&w, w.x.t);
	waits_for_unseen(&w);
}

static void copied_over(void **state)
{
	struct words w = written_word();

	(void)state;
	CALL(w.x.fixture, aclrtMemcpy, 0, .dst = w.word, .destMax = 8, .src = w.zeros, .count = 8,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	waits_for_unseen(&w);
}

static void copied_over_on_a_stream(void **state)
{
	struct words w = written_word();

	(void)state;
	CALL(w.x.fixture, aclrtMemcpyAsync, 0, .dst = w.block, .destMax = BYTES, .src = w.zeros,
		.count = BYTES, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = w.x.t);
	waits_for_unseen(&w);
}

/* By a task that is no copy. */
static void overwritten_by_numbers(void **state)
{
	struct words w = written_word();
	aclrtRandomNumTaskInfo info = {.dataType = ACL_FLOAT,
		.randomNumFuncParaInfo = {.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS,
			.paramInfo.uniformDisInfo = {.min.size = 4, .max.size = 4}},
		.randomResultAddr = w.block,
		.randomCounterAddr = (char *)w.block + BYTES / 2,
		.randomSeed.size = 8,
		.randomNum = {.valueOrAddr = {0, 2}, .size = 8}}; /* 512 numbers */

	(void)state;
	CALL(w.x.fixture, aclrtRandomNumAsync, 0, .taskInfo = &info, .stream = w.x.t);
	waits_for_unseen(&w);
}

static void overwritten_by_a_status(void **state)
{
	struct words w = written_word();

	(void)state;
	CALL(w.x.fixture, aclrtGetOverflowStatus, 0, .outputAddr = w.word, .outputSize = 64, .stream = w.x.t);
	waits_for_unseen(&w);
}

/* What the next write ends is a wait for it. */
static void is_an_edge(struct words *w)
{
	up(&w->x, w->x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	write_word(w, 1, w->x.s);
	await_word(w, 1, w->x.t);
	up(&w->x, w->x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	silent(w->x.fixture);
	assert_int_equal(unseen(w), 0);
	up(&w->x, w->x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	want(w->x.fixture, "stream-race-copy:error");
}

static void edge_behind_a_set(void **state)
{
	struct words w = written_word();

	(void)state;
	set_block(&w);
	is_an_edge(&w);
}

static void edge_behind_a_set_on_a_stream(void **state)
{
	struct words w = written_word();

	(void)state;
	set_block_on(&w, w.x.t);
	CALL(w.x.fixture, aclrtRecordEvent, 0, .event = w.x.event, .stream = w.x.t);
	CALL(w.x.fixture, aclrtStreamWaitEvent, 0, .stream = w.x.s, .event = w.x.event);
	is_an_edge(&w);
}

/* The word may end the wait before it is set. */
static void set_behind_the_wait(void **state)
{
	struct words w = written_word();

	(void)state;
	set_block_on(&w, w.x.s);
	write_word(&w, 1, w.x.s);
	await_word(&w, 1, w.x.t);
	assert_int_equal(unseen(&w), 1);
}

/* A set that was refused: what the word holds is not known any more. */
static void set_refused(void **state)
{
	struct words w = written_word();

	(void)state;
	CALL(w.x.fixture, aclrtMemsetAsync, 507000, .devPtr = w.block, .maxCount = BYTES, .count = BYTES,
		.stream = w.x.t);
	write_word(&w, 1, w.x.s);
	await_word(&w, 1, w.x.t);
	assert_int_equal(unseen(&w), 1);
}

/* Whether the set comes before the write is not known, but behind the set only the write ends the wait. */
static void set_beside_the_write(void **state)
{
	struct words w = written_word();

	(void)state;
	set_block_on(&w, w.x.t);
	is_an_edge(&w);
}

/* Other words of the block stay as they are. */
static void other_part_set(void **state)
{
	struct words w = written_word();

	(void)state;
	write_word(&w, 0, w.x.t);
	streams_done(&w);
	CALL(w.x.fixture, aclrtMemset, 0, .devPtr = (char *)w.block + 1024, .maxCount = 1024, .count = 1024,
		.value = 255);
	is_an_edge(&w);
}

/* --- waits that nothing ends ------------------------------------------------------------------------ */

/* A word that is 0, in a block of its own. */
static struct words flag_word(void)
{
	struct words w = {.x = two_streams()};

	w.block = fixture_malloc(w.x.fixture, DEVICE_MEMORY + (1u << 20), 64);
	w.zeros = fixture_malloc_host(w.x.fixture, HOST_MEMORY + (1u << 20), BYTES);
	w.word = w.block;
	CALL(w.x.fixture, aclrtMemset, 0, .devPtr = w.block, .maxCount = 64, .count = 64);
	return w;
}

/* The wait is for 1; what was done before the host waits for its stream says whether it can go on. */
static void waits_for_ever(struct words *w)
{
	CALL(w->x.fixture, aclrtSynchronizeStream, 0, .stream = w->x.t);
	want(w->x.fixture, "stream-wait-never-satisfied:error");
	fixture_free(w->x.fixture);
}

static void may_go_on(struct words *w)
{
	CALL(w->x.fixture, aclrtSynchronizeStream, 0, .stream = w->x.t);
	silent(w->x.fixture);
	fixture_free(w->x.fixture);
}

static void nothing_is_written(void **state)
{
	struct words w = flag_word();

	(void)state;
	await_word(&w, 1, w.x.t);
	up(&w.x, w.x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	waits_for_ever(&w);
}

/* By a copy, before the wait or behind it; of a stream, or of the host. */
static void put_there_by_a_copy(void **state)
{
	(void)state;
	for (unsigned way = 0; way < 4; way++) {
		struct words w = flag_word();

		if (way & 1)
			await_word(&w, 1, w.x.t);
		if (way & 2)
			CALL(w.x.fixture, aclrtMemcpyAsync, 0, .dst = w.word, .destMax = 64, .src = w.zeros,
				.count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = w.x.s);
		else
			CALL(w.x.fixture, aclrtMemcpy, 0, .dst = w.word, .destMax = 64, .src = w.zeros,
				.count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE);
		if (!(way & 1))
			await_word(&w, 1, w.x.t);
		may_go_on(&w);
	}
}

static void put_there_by_a_set(void **state)
{
	(void)state;
	for (unsigned before = 0; before < 2; before++) {
		struct words w = flag_word();

		if (!before)
			await_word(&w, 1, w.x.t);
		CALL(w.x.fixture, aclrtMemset, 0, .devPtr = w.block, .maxCount = 64, .count = 64, .value = 1);
		if (before)
			await_word(&w, 1, w.x.t);
		may_go_on(&w);
	}
}

/* Of a large block it is not followed what else is put there. */
static void in_a_large_block(void **state)
{
	struct words w = flag_word();

	(void)state;
	w.block = fixture_malloc(w.x.fixture, DEVICE_MEMORY + (2u << 20), BYTES);
	w.word = w.block;
	CALL(w.x.fixture, aclrtMemset, 0, .devPtr = w.block, .maxCount = 64, .count = 64);
	await_word(&w, 1, w.x.t);
	may_go_on(&w);
}

/* What it held is not known. */
static void never_set(void **state)
{
	struct words w = flag_word();

	(void)state;
	w.block = fixture_malloc(w.x.fixture, DEVICE_MEMORY + (2u << 20), 64);
	w.word = w.block;
	write_word(&w, 0, w.x.s);
	await_word(&w, 1, w.x.t);
	CALL(w.x.fixture, aclrtSynchronizeStream, 0, .stream = w.x.t);
	never(w.x.fixture, "stream-wait-never-satisfied");
	fixture_free(w.x.fixture);
}

/* A stream that is not known, a kernel, a model, another process, another library. */
static void written_by_a_stream_that_is_not_known(void **state)
{
	struct words w = flag_word();

	(void)state;
	write_word(&w, 1, handle(77));
	await_word(&w, 1, w.x.t);
	may_go_on(&w);
}

static void kernels_may_write(void **state)
{
	(void)state;
	for (unsigned before = 0; before < 2; before++) {
		struct words w = flag_word();
		uint64_t arguments = 0;

		if (!before)
			await_word(&w, 1, w.x.t);
		CALL(w.x.fixture, aclrtLaunchKernelWithHostArgs, 0, .funcHandle = handle(9), .numBlocks = 1,
			.stream = w.x.s, .hostArgs = &arguments, .argsSize = sizeof(arguments));
		if (before)
			await_word(&w, 1, w.x.t);
		may_go_on(&w);
	}
}

static void shared_with_a_process(void **state)
{
	struct words w = flag_word();
	char key[65] = "key";

	(void)state;
	await_word(&w, 1, w.x.t);
	CALL(w.x.fixture, aclrtIpcMemGetExportKey, 0, .devPtr = w.block, .size = 64, .key = key,
		.len = sizeof(key));
	CALL(w.x.fixture, aclrtSynchronizeStream, 0, .stream = w.x.t);
	never(w.x.fixture, "stream-wait-never-satisfied");
	fixture_free(w.x.fixture);
}

static void shared_with_a_device(void **state)
{
	struct words w = flag_word();

	(void)state;
	await_word(&w, 1, w.x.t);
	CALL(w.x.fixture, aclrtMemP2PMap, 0, .devPtr = w.block, .size = 64, .dstDevId = 1);
	CALL(w.x.fixture, aclrtSynchronizeStream, 0, .stream = w.x.t);
	never(w.x.fixture, "stream-wait-never-satisfied");
	fixture_free(w.x.fixture);
}

static void others_may_write(void **state)
{
	(void)state;
	for (unsigned what = 0; what < 2; what++) {
		struct words w = flag_word();

		await_word(&w, 1, w.x.t);
		w.x.fixture->other_ways = 1u << (what ? CHECKS_OTHER_THREADS : CHECKS_OTHER_WORK);
		may_go_on(&w);
	}
}

/* Then another thread might have, before the wait was there. */
static void others_might_have_written(void **state)
{
	struct words w = flag_word();

	(void)state;
	w.x.fixture->other_ways = 1u << CHECKS_OTHER_THREADS;
	await_word(&w, 1, w.x.t);
	w.x.fixture->other_ways = 0;
	may_go_on(&w);
}

/* Two of its halves are no value. */
static void written_in_part(void **state)
{
	struct words w = flag_word();

	(void)state;
	await_word(&w, 1, w.x.t);
	CALL(w.x.fixture, aclrtMemsetD32Async, 0, .ptr = w.word, .memSize = 64, .value = 0, .N = 1,
		.stream = w.x.s);
	may_go_on(&w);
}

/* Of the counter that one stream counts up the consumer awaits a round: what comes behind that is not before
 * it. */
static void counter_of_rounds(void **state)
{
	struct words w = written_word();

	(void)state;
	for (uint64_t round = 2; round < 6; round++) {
		up(&w.x, w.x.s, ACL_MEMCPY_HOST_TO_DEVICE);
		write_word(&w, round, w.x.s);
		await_word(&w, round, w.x.t);
		CALL(w.x.fixture, aclrtRecordEvent, 0, .event = w.x.event, .stream = w.x.t);
		CALL(w.x.fixture, aclrtStreamWaitEvent, 0, .stream = w.x.s, .event = w.x.event);
	}
	silent(w.x.fixture);
	up(&w.x, w.x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	write_word(&w, 6, w.x.s);
	await_word(&w, 5, w.x.t);
	up(&w.x, w.x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	want(w.x.fixture, "stream-race-copy:error");
	assert_int_equal(unseen(&w), 0);
}

/* A flag that had the value before may have been taken back unseen, and so may a counter of two streams. */
static void flag_of_rounds(void **state)
{
	struct words w = written_word();

	(void)state;
	write_word(&w, 2, w.x.s);
	await_word(&w, 2, w.x.t);
	up(&w.x, w.x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	write_word(&w, 2, w.x.s);
	await_word(&w, 2, w.x.t);
	up(&w.x, w.x.t, ACL_MEMCPY_HOST_TO_DEVICE);
	silent(w.x.fixture);
	assert_int_equal(unseen(&w), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cleared_with_its_block),
		cmocka_unit_test(cleared_on_a_stream),
		cmocka_unit_test(overwritten_by_numbers),
		cmocka_unit_test(overwritten_by_a_status),
		cmocka_unit_test(copied_over),
		cmocka_unit_test(copied_over_on_a_stream),
		cmocka_unit_test(edge_behind_a_set),
		cmocka_unit_test(edge_behind_a_set_on_a_stream),
		cmocka_unit_test(set_behind_the_wait),
		cmocka_unit_test(set_refused),
		cmocka_unit_test(set_beside_the_write),
		cmocka_unit_test(other_part_set),
		cmocka_unit_test(nothing_is_written),
		cmocka_unit_test(put_there_by_a_copy),
		cmocka_unit_test(put_there_by_a_set),
		cmocka_unit_test(in_a_large_block),
		cmocka_unit_test(never_set),
		cmocka_unit_test(written_by_a_stream_that_is_not_known),
		cmocka_unit_test(kernels_may_write),
		cmocka_unit_test(shared_with_a_process),
		cmocka_unit_test(shared_with_a_device),
		cmocka_unit_test(others_may_write),
		cmocka_unit_test(others_might_have_written),
		cmocka_unit_test(written_in_part),
		cmocka_unit_test(counter_of_rounds),
		cmocka_unit_test(flag_of_rounds),
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("words in memory that is set or copied", tests, NULL, NULL);
}
