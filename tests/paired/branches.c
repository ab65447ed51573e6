/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of one model, captured on different streams, that touch the same memory with nothing between. */
#include "tasks.h"

static void each_copies(void *dst, void *src, aclrtMemcpyKind kind, aclrtStream s)
{
	CALL_EACH(0, ROLE(DST, dst), ROLE(LIMIT, SIZE), ROLE(SRC, src), ROLE(BYTES, SIZE), ROLE(KIND, kind),
		ROLE(DPITCH, SIZE), ROLE(SPITCH, SIZE), ROLE(WIDTH, SIZE), ROLE(HEIGHT, 1),
		ROLE(REDUCTION, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM), ROLE(STREAM, s));
}

static aclrtStream branch_of(aclrtStream s)
{
	aclrtStream other = make_stream();

	capture_join(s, other);
	return other;
}

static void end(aclrtStream s)
{
	CALL(aclmdlRIDestroy, .modelRI = capture_end(s));
}

/* A branch reads what the first stream writes after it was forked. */
static void result_of_a_branch(void)
{
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	other = branch_of(s);
	copy_on(s, d, h, UP);
	if (!bug)
		capture_join(s, other);
	each_copies(out, d, DOWN, other);
	capture_join(other, s);
	end(s);
}

/* Both branches reduce: in the same way, or not. */
static void maximum_beside_a_sum(void)
{
	void *src = make_device_memory(SIZE), *dst = make_device_memory(SIZE);
	aclrtStream s = make_stream(), other;

	CALL(aclrtMemset, .devPtr = src, .maxCount = SIZE, .count = SIZE);
	CALL(aclrtMemset, .devPtr = dst, .maxCount = SIZE, .count = SIZE);
	capture_begin(s);
	other = branch_of(s);
	CALL(aclrtReduceAsync, .dst = dst, .src = src, .count = SIZE,
		.kind = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, .type = ACL_FLOAT, .stream = s);
	CALL(aclrtReduceAsync, .dst = dst, .src = src, .count = SIZE,
		.kind = bug ? ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX : ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
		.type = ACL_FLOAT, .stream = other);
	capture_join(other, s);
	end(s);
}

static void sum_of_a_branch(void)
{
	void *h = make_host_memory(SIZE), *d = make_device_memory(SIZE), *sum = make_device_memory(SIZE);
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	other = branch_of(s);
	copy_on(s, d, h, UP);
	if (!bug)
		capture_join(s, other);
	each_copies(sum, d, INSIDE, other);
	capture_join(other, s);
	end(s);
}

/* Two branches, of which the second comes after the first only where the third stream waited for it. */
static void order_through_a_third(void)
{
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtStream s = make_stream(), first, second, third;

	capture_begin(s);
	first = branch_of(s);
	second = branch_of(s);
	third = branch_of(s);
	copy_on(first, d, h, UP);
	if (!bug)
		capture_join(first, third);
	capture_join(third, second);
	if (bug)
		capture_join(first, third);
	copy_on(second, out, d, DOWN);
	capture_join(second, s);
	capture_join(third, s);
	capture_join(first, s);
	end(s);
}

/* The event was recorded before the copy, not behind it. */
static void recorded_too_early(void)
{
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	other = branch_of(s);
	if (bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	copy_on(s, d, h, UP);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = other, .event = e);
	copy_on(other, out, d, DOWN);
	capture_join(other, s);
	end(s);
}

static void columns_of_a_matrix(void)
{
	char *h = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	other = branch_of(s);
	CALL(aclrtMemcpy2dAsync, .dst = d, .dpitch = 512, .src = h, .spitch = 512, .width = 256, .height = 8,
		.kind = UP, .stream = s);
	CALL(aclrtMemcpy2dAsync, .dst = d + (bug ? 192 : 256), .dpitch = 512, .src = h + 256, .spitch = 512,
		.width = 256, .height = 7, .kind = UP, .stream = other);
	capture_join(other, s);
	end(s);
}

static void set_on_a_branch(void)
{
	void *h = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	other = branch_of(s);
	copy_on(s, d, h, UP);
	if (!bug)
		capture_join(s, other);
	CALL_EACH(0, ROLE(DST, d), ROLE(LIMIT, SIZE), ROLE(BYTES, SIZE), ROLE(NUMBER, SIZE / 4),
		ROLE(STREAM, other));
	capture_join(other, s);
	end(s);
}

static void wait_for_outside(aclrtStream s)
{
	aclrtEvent e = make_event_flag(ACL_EVENT_EXTERNAL);

	CALL(aclrtStreamWaitEvent, .stream = s, .event = e);
	CALL(aclrtResetEvent, .event = e, .stream = s);
}

/* What both come behind orders neither. */
static void behind_one_wait(void)
{
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	wait_for_outside(s);
	other = branch_of(s);
	copy_on(s, d, h, UP);
	if (!bug)
		capture_join(s, other);
	copy_on(other, out, d, DOWN);
	capture_join(other, s);
	end(s);
}

/* The record that ends the wait may be a task behind the other copy. */
static void behind_a_wait_of_one(void)
{
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	if (bug)
		wait_for_outside(s);
	other = branch_of(s);
	if (!bug)
		wait_for_outside(s);
	copy_on(s, d, h, UP);
	copy_on(other, out, d, DOWN);
	capture_join(other, s);
	end(s);
}

/* Between the copies of one stream: the later copy comes behind it, the earlier one does not. */
static void behind_a_wait_of_the_later(void)
{
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	other = branch_of(s);
	copy_on(s, d, h, UP);
	if (!bug)
		wait_for_outside(other);
	copy_on(other, out, d, DOWN);
	capture_join(other, s);
	end(s);
}

/* Of so many waits the places are not kept. */
static void behind_many_waits(void)
{
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	for (unsigned i = 0; i < (bug ? 16 : 17); i++)
		wait_for_outside(s);
	other = branch_of(s);
	copy_on(s, d, h, UP);
	copy_on(other, out, d, DOWN);
	capture_join(other, s);
	end(s);
}

/* The memory of the first task goes over two mappings; the branch uses what is in the second one. */
static void branch_in_the_second_mapping(void)
{
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE);
	char *range = two_mappings();
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	other = branch_of(s);
	copy_on(s, range + MIB2 - SIZE / 2, h, UP);
	copy_on(other, out, range + MIB2 + (bug ? 0 : SIZE / 2), DOWN);
	capture_join(other, s);
	end(s);
}

/* Of both tasks, and only there. */
static void branch_into_the_second_mapping(void)
{
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE);
	char *range = two_mappings();
	aclrtStream s = make_stream(), other;

	capture_begin(s);
	other = branch_of(s);
	copy_on(s, range + MIB2 + SIZE / 2 - (bug ? 64 : 0), h, UP);
	copy_on(other, out, range + MIB2 - SIZE / 2, DOWN);
	capture_join(other, s);
	end(s);
}

static const struct pair pairs[] = {
	PAIR_AVOIDS("stream-race-copy", branch_in_the_second_mapping),
	PAIR_AVOIDS("stream-race-copy", branch_into_the_second_mapping),
	PAIR_EACH("stream-race-copy", result_of_a_branch, COPY_LINEAR, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("stream-race-copy", result_of_a_branch, COPY_ROWS, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("stream-race-copy", sum_of_a_branch, REDUCE),
	PAIR_AVOIDS("stream-race-copy", maximum_beside_a_sum),
	PAIR("stream-race-copy", order_through_a_third),
	PAIR("stream-race-copy", recorded_too_early),
	PAIR("stream-race-copy", behind_one_wait),
	PAIR_AVOIDS("stream-race-copy", behind_a_wait_of_one),
	PAIR_AVOIDS("stream-race-copy", behind_a_wait_of_the_later),
	PAIR_AVOIDS("stream-race-copy", behind_many_waits),
	PAIR_AVOIDS("stream-race-copy", columns_of_a_matrix),
	PAIR_EACH("stream-race-set", set_on_a_branch, SET_BYTES, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("stream-race-set", set_on_a_branch, SET_WORDS, .mode = PAIR_IF_ASYNC),
};

PAIRS_MAIN("branches of a captured model", pairs)
