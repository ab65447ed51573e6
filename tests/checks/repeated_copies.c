/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and sets that are made again and again: what counts is the last time, of memory that is still the
 * same. */
#include "two_streams.h"

#include "checks/state/memory_state.h"

static void batch_up(struct two_streams *x, void *to, void *stream)
{
	size_t bytes = 512, failed, index = 0;
	aclrtMemcpyBatchAttr attribute = {
		.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST}};
	void *from = (char *)x->h + 2048;

	CALL(x->fixture, aclrtMemcpyBatchAsync, 0, .dsts = &to, .destMaxs = &bytes, .srcs = &from,
		.sizes = &bytes, .numBatches = 1, .attrs = &attribute, .attrsIndexes = &index, .numAttrs = 1,
		.failIndex = &failed, .stream = stream);
}

static void piece_up(struct two_streams *x, void *stream)
{
	CALL(x->fixture, aclrtMemcpyAsync, 0, .dst = x->d, .destMax = 512, .src = x->h, .count = 512,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream);
}

/* A batch is no copy of what the thread copied before it. */
static void batch_after_a_copy(void **state)
{
	struct two_streams x = two_streams();
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

static void word_up(struct two_streams *x, unsigned word, void *stream)
{
	CALL(x->fixture, aclrtMemcpyAsync, 0, .dst = (char *)x->d + word * 64, .destMax = 64, .src = x->h,
		.count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream);
}

static uint32_t block_index(const struct two_streams *x)
{
	struct block_lookup block;

	assert_true(map_find(memory_blocks(x->fixture->checks), (uintptr_t)x->d, &block));
	return block.index;
}

/* What was copied to the memory before it was freed is no copy of the block that has its address and its
 * place in the tables now. */
static void block_with_a_former_address(void **state)
{
	struct two_streams x = two_streams();
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
static void entries_up(struct two_streams *x, char *to, size_t apart, void *stream)
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
		struct two_streams x = two_streams();
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
	struct two_streams x = two_streams();

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

static void piece_set(struct two_streams *x, void *stream, size_t bytes)
{
	CALL(x->fixture, aclrtMemsetAsync, 0, .devPtr = x->d, .maxCount = bytes, .count = bytes,
		.stream = stream);
}

/* A small piece once more, behind a larger one that stood for it in between. */
static void set_again_behind_a_larger_one(void **state)
{
	struct two_streams x = two_streams();

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
	struct two_streams x = two_streams();
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
		struct two_streams x = two_streams();

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
	struct two_streams x = two_streams();
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

enum way { COPIED, SET, IN_A_BATCH, IN_ROWS, BY_A_KERNEL, WAYS };
enum { PIECE = 512, SIX = 6 };

/* A piece of the device's memory is written, with bytes of the host's. */
static void piece_by(struct two_streams *x, unsigned way, unsigned piece, void *stream)
{
	char *to = (char *)x->d + (size_t)piece * PIECE;

	if (way == COPIED)
		CALL(x->fixture, aclrtMemcpyAsync, 0, .dst = to, .destMax = PIECE, .src = x->h,
			.count = PIECE, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream);
	else if (way == SET)
		CALL(x->fixture, aclrtMemsetAsync, 0, .devPtr = to, .maxCount = PIECE, .count = PIECE,
			.stream = stream);
	else if (way == IN_A_BATCH)
		batch_up(x, to, stream);
	else if (way == IN_ROWS)
		CALL(x->fixture, aclrtMemcpy2dAsync, 0, .dst = to, .dpitch = 128, .src = x->h, .spitch = 128,
			.width = 64, .height = 4, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream);
	else {
		SAY(x->fixture, KERNEL_WRITES, .stream = stream, .address = to, .bytes = PIECE);
		SAY(x->fixture, KERNEL, .stream = stream, .name = "fill");
	}
}

/* The other stream's rows are the only access, once what they lie over is done: no set again is free of them.
 */
static void rows_over_what_is_done(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	piece_by(&x, SET, 0, x.s);
	piece_by(&x, SET, 2, x.s);
	CALL(x.fixture, aclrtSynchronizeStream, 0, .stream = x.s);
	CALL(x.fixture, aclrtMemcpy2dAsync, 0, .dst = x.d, .dpitch = 128, .src = x.h, .spitch = 128,
		.width = 64, .height = 12, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.t);
	silent(x.fixture);
	piece_by(&x, SET, 0, x.s);
	want(x.fixture, "stream-race-set:error");
	CALL(x.fixture, aclrtMemsetAsync, 0, .devPtr = x.d, .maxCount = PIECE, .count = PIECE, .stream = x.s);
	want(x.fixture, "stream-race-set:error");
	fixture_free(x.fixture);
}

/* One of several pieces is written again: its last time is another, that of the rest is not. */
static void piece_written_again(void **state)
{
	(void)state;
	for (unsigned n = 0; n < WAYS * SIX; n++) {
		struct two_streams x = two_streams();
		unsigned again = n % SIX, way = n / SIX;

		for (unsigned piece = 0; piece < SIX; piece++)
			piece_by(&x, way, piece, x.s);
		CALL(x.fixture, aclrtRecordEvent, 0, .event = x.event, .stream = x.s);
		piece_by(&x, way, again, x.s);
		CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
		for (unsigned piece = 0; piece < SIX; piece++)
			if (piece != again)
				piece_by(&x, SET, piece, x.t);
		silent(x.fixture);
		piece_by(&x, SET, again, x.t);
		want(x.fixture, "stream-race-set:error");
		fixture_free(x.fixture);
	}
}

static void word_set(struct two_streams *x, unsigned word, void *stream)
{
	CALL(x->fixture, aclrtMemsetAsync, 0, .devPtr = (char *)x->d + word * 64, .maxCount = 64, .count = 64,
		.stream = stream);
}

/* Streams have parts of a block of their own, until one writes into the other's: the next copy there is not
 * the one before once more. */
static void part_that_is_shared(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		piece_up(&x, x.s);
		word_set(&x, 20, x.t);
	}
	CALL(x.fixture, aclrtRecordEvent, 0, .event = x.event, .stream = x.s);
	CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
	word_set(&x, 1, x.t);
	silent(x.fixture);
	piece_up(&x, x.s);
	want(x.fixture, "stream-race-set:error");
	fixture_free(x.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batch_after_a_copy),
		cmocka_unit_test(block_with_a_former_address),
		cmocka_unit_test(entries_of_a_batch),
		cmocka_unit_test(batch_of_gone_memory),
		cmocka_unit_test(set_again_behind_a_larger_one),
		cmocka_unit_test(own_executions),
		cmocka_unit_test(copied_again),
		cmocka_unit_test(pieces_copied_again),
		cmocka_unit_test(rows_over_what_is_done),
		cmocka_unit_test(piece_written_again),
		cmocka_unit_test(part_that_is_shared),
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("copies that are made again", tests, NULL, NULL);
}
