/* SPDX-License-Identifier: Apache-2.0 */
/* What a program says of itself: pools and their blocks, kernels, names. */
#define SITES 90000
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define SEGMENT 65536
#define BLOCK 4096

struct program {
	struct fixture *fixture;
	char *segment, *host;
	void *a, *b, *event; /* two streams */
};

static struct program program(void)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	fixture->other_ways = 0;
	return (struct program){.fixture = fixture,
		.segment = fixture_malloc(fixture, DEVICE_MEMORY, SEGMENT),
		.host = fixture_malloc_host(fixture, HOST_MEMORY, SEGMENT),
		.a = fixture_stream(fixture, 1),
		.b = fixture_stream(fixture, 2),
		.event = fixture_event(fixture, 3, ACL_EVENT_SYNC)};
}

/* The same, and the segment is a pool with a block for a at its beginning. */
static struct program with_block(void)
{
	struct program p = program();

	assert_null(SAY(p.fixture, POOL, .memory = p.segment, .bytes = SEGMENT));
	assert_null(SAY(p.fixture, BLOCK, .address = p.segment, .bytes = BLOCK, .stream = p.a));
	return p;
}

/* Each its own call site. */
#define upload(p, offset, size, on)                                                                          \
	CALL((p)->fixture, aclrtMemcpyAsync, 0, .dst = (p)->segment + (offset), .destMax = (size),           \
		.src = (p)->host, .count = (size), .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = (on))
#define download(p, offset, size, on)                                                                        \
	CALL((p)->fixture, aclrtMemcpyAsync, 0, .dst = (p)->host + SEGMENT / 2, .destMax = (size),           \
		.src = (p)->segment + (offset), .count = (size), .kind = ACL_MEMCPY_DEVICE_TO_HOST,          \
		.stream = (on))

static void order(struct program *p, void *first, void *second)
{
	CALL(p->fixture, aclrtRecordEvent, 0, .event = p->event, .stream = first);
	CALL(p->fixture, aclrtStreamWaitEvent, 0, .stream = second, .event = p->event);
}

/* --- blocks --------------------------------------------------------------------------------- */

static void block_has_an_end_of_its_own(void **state)
{
	struct program p = program();

	(void)state;
	upload(&p, 0, 2 * BLOCK, p.a);
	silent(p.fixture);
	SAY(p.fixture, POOL, .memory = p.segment, .bytes = SEGMENT);
	SAY(p.fixture, BLOCK, .address = p.segment, .bytes = BLOCK, .stream = p.a);
	upload(&p, 0, BLOCK, p.a);
	silent(p.fixture);
	upload(&p, 0, 2 * BLOCK, p.a);
	want(p.fixture, "memcpy-dest-out-of-bounds:error");
	/* Of the rest of the pool nothing is known. */
	upload(&p, BLOCK, BLOCK, p.a);
	silent(p.fixture);
	fixture_free(p.fixture);
}

static void block_that_was_ended_is_released_memory(void **state)
{
	struct program p = with_block();

	(void)state;
	upload(&p, 0, BLOCK, p.a);
	upload(&p, 0, BLOCK, p.a); /* it holds something now: nothing is looked up the next time */
	SAY(p.fixture, BLOCK_END, .address = p.segment);
	silent(p.fixture);
	upload(&p, 0, BLOCK, p.a);
	want(p.fixture, "use-after-free:error");
	upload(&p, 64, 64, p.a);
	want(p.fixture, "use-after-free:error");
	SAY(p.fixture, BLOCK, .address = p.segment, .bytes = 2 * BLOCK, .stream = p.a);
	upload(&p, 64, 64, p.a);
	silent(p.fixture);
	/* The segment is the runtime's all the time. */
	SAY(p.fixture, BLOCK_END, .address = p.segment);
	SAY(p.fixture, POOL_END, .memory = p.segment);
	upload(&p, 64, 64, p.a);
	silent(p.fixture);
	fixture_free(p.fixture);
}

/* With a pool there nothing is known of its memory outside of blocks, whatever was found there before. */
static void pool_over_memory_in_use(void **state)
{
	struct program p = program();

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		if (i == 3)
			assert_null(SAY(p.fixture, POOL, .memory = p.segment, .bytes = SEGMENT));
		upload(&p, 0, BLOCK, i == 3 ? p.b : p.a);
	}
	silent(p.fixture);
	assert_null(SAY(p.fixture, POOL_END, .memory = p.segment));
	upload(&p, 0, BLOCK, p.b);
	want(p.fixture, "stream-race-copy:error");
	fixture_free(p.fixture);
}

/* A model that works on a block works on its segment, which other tasks are compared with. */
static void block_in_a_model(void **state)
{
	struct program p = with_block();
	aclmdlRI model = handle(9);

	(void)state;
	CALL(p.fixture, aclmdlRICaptureBegin, 0, .stream = p.a, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	upload(&p, 0, BLOCK, p.a);
	CALL(p.fixture, aclmdlRICaptureEnd, 0, .stream = p.a, .modelRI = &model);
	CALL(p.fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = p.a);
	silent(p.fixture);
	upload(&p, 0, 64, p.b);
	want(p.fixture, "stream-race-copy:error");
	order(&p, p.a, p.b);
	upload(&p, 64, 64, p.b);
	silent(p.fixture);
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.b);
	/* The block is gone; what the model did to its bytes is not. */
	CALL(p.fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = p.a);
	SAY(p.fixture, BLOCK_END, .address = p.segment);
	SAY(p.fixture, BLOCK, .address = p.segment, .bytes = 2 * BLOCK, .stream = p.b);
	upload(&p, 128, 64, p.b);
	want(p.fixture, "stream-race-copy:error");
	fixture_free(p.fixture);
}

static void block_holds_nothing_at_first(void **state)
{
	struct program p = with_block();

	(void)state;
	download(&p, 0, BLOCK, p.a);
	want(p.fixture, "uninit-device-read:advice");
	SAY(p.fixture, BLOCK_END, .address = p.segment);
	SAY(p.fixture, BLOCK, .address = p.segment, .bytes = BLOCK, .stream = p.a);
	upload(&p, 0, 64, p.a);
	download(&p, 0, BLOCK, p.a);
	silent(p.fixture);
	SAY(p.fixture, BLOCK_END, .address = p.segment);
	SAY(p.fixture, BLOCK, .address = p.segment, .bytes = BLOCK, .stream = p.a);
	download(&p, 0, BLOCK, p.a);
	want(p.fixture, "uninit-device-read:advice");
	fixture_free(p.fixture);
}

/* The bytes are in flight, whoever's block they are now. */
static void order_outlives_a_block(void **state)
{
	struct program p = with_block();

	(void)state;
	upload(&p, 0, BLOCK, p.a);
	SAY(p.fixture, BLOCK_END, .address = p.segment);
	SAY(p.fixture, BLOCK, .address = p.segment + 1024, .bytes = BLOCK, .stream = p.b);
	upload(&p, 1024, 64, p.b);
	want(p.fixture, "stream-race-copy:error");
	order(&p, p.a, p.b);
	upload(&p, 1024, BLOCK, p.b);
	silent(p.fixture);
	fixture_free(p.fixture);
}

static void block_read_at_once_while_in_flight(void **state)
{
	struct program p = with_block();

	(void)state;
	upload(&p, 0, BLOCK, p.a);
	CALL(p.fixture, aclrtMemcpy, 0, .dst = p.host, .destMax = 64, .src = p.segment + 64, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	want(p.fixture, "async-result-used-before-sync:warning");
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.a);
	CALL(p.fixture, aclrtMemcpy, 0, .dst = p.host, .destMax = 64, .src = p.segment + 64, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	silent(p.fixture);
	fixture_free(p.fixture);
}

/* --- blocks and models -------------------------------------------------------------------------- */

static void capture_begin(struct program *p)
{
	CALL(p->fixture, aclmdlRICaptureBegin, 0, .stream = p->a, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
}

static aclmdlRI capture_end(struct program *p)
{
	aclmdlRI model = handle(30);

	CALL(p->fixture, aclmdlRICaptureEnd, 0, .stream = p->a, .modelRI = &model);
	return model;
}

static void branches_of_a_model(void **state)
{
	struct program p = with_block();
	void *join = fixture_event(p.fixture, 4, ACL_EVENT_SYNC);

	(void)state;
	SAY(p.fixture, BLOCK, .address = p.segment + BLOCK, .bytes = BLOCK, .stream = p.b);
	capture_begin(&p);
	order(&p, p.a, p.b);
	upload(&p, 0, 128, p.a);
	upload(&p, BLOCK, 64, p.b);
	upload(&p, 128, 64, p.b);
	silent(p.fixture);
	upload(&p, 64, 128, p.b);
	want(p.fixture, "stream-race-copy:error");
	/* The bytes of both are those of the block, which the finding names. */
	assert_non_null(strstr(p.fixture->found[0].text, "4096 bytes"));
	CALL(p.fixture, aclrtRecordEvent, 0, .event = join, .stream = p.b);
	CALL(p.fixture, aclrtStreamWaitEvent, 0, .stream = p.a, .event = join);
	upload(&p, 64, 128, p.a);
	capture_end(&p);
	silent(p.fixture);
	fixture_free(p.fixture);
}

static void model_that_writes_a_block(void **state)
{
	struct program p = with_block();
	aclmdlRI model;

	(void)state;
	SAY(p.fixture, BLOCK, .address = p.segment + BLOCK, .bytes = BLOCK, .stream = p.b);
	upload(&p, BLOCK, BLOCK, p.b);
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.b);
	capture_begin(&p);
	upload(&p, 0, 128, p.a);
	model = capture_end(&p);
	CALL(p.fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = p.a);
	upload(&p, 128, 64, p.b);
	CALL(p.fixture, aclrtMemcpy, 0, .dst = p.host + 128, .destMax = 64, .src = p.segment + BLOCK,
		.count = 64, .kind = ACL_MEMCPY_DEVICE_TO_HOST);
	silent(p.fixture);
	upload(&p, 64, 128, p.b);
	want(p.fixture, "stream-race-copy:error");
	CALL(p.fixture, aclrtMemcpy, 0, .dst = p.host + 128, .destMax = 32, .src = p.segment, .count = 32,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	want(p.fixture, "async-result-used-before-sync:warning");
	/* The execution goes on, whoever's block the bytes are now. */
	SAY(p.fixture, BLOCK_END, .address = p.segment);
	SAY(p.fixture, BLOCK, .address = p.segment, .bytes = 512, .stream = p.b);
	upload(&p, 0, 64, p.b);
	want(p.fixture, "stream-race-copy:error");
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.a);
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.b);
	upload(&p, 0, 64, p.b);
	silent(p.fixture);
	fixture_free(p.fixture);
}

/* What was there is no pool any more: the address is another allocation's. */
static void pool_goes_with_its_memory(void **state)
{
	struct program p = with_block();

	(void)state;
	CALL(p.fixture, aclrtFree, 0, .devPtr = p.segment);
	fixture_malloc(p.fixture, DEVICE_MEMORY, SEGMENT);
	upload(&p, 0, 2 * BLOCK, p.a);
	silent(p.fixture);
	assert_null(SAY(p.fixture, BLOCK_END, .address = p.segment));
	/* A new pool has none of the old one's blocks. */
	assert_null(SAY(p.fixture, POOL, .memory = p.segment, .bytes = SEGMENT));
	assert_null(SAY(p.fixture, BLOCK, .address = p.segment + 64, .bytes = BLOCK, .stream = p.a));
	fixture_free(p.fixture);
}

static void blocks_that_cannot_be(void **state)
{
	struct program p = with_block();
	char *beyond = p.segment + SEGMENT;

	(void)state;
	assert_non_null(SAY(p.fixture, POOL, .memory = p.segment, .bytes = SEGMENT + 1));
	assert_non_null(SAY(p.fixture, BLOCK, .address = beyond - 64, .bytes = 128, .stream = p.a));
	assert_non_null(SAY(p.fixture, BLOCK, .address = p.segment + 64, .bytes = 64, .stream = p.a));
	assert_non_null(SAY(p.fixture, BLOCK_END, .address = p.segment + 64));
	assert_null(SAY(p.fixture, BLOCK_END, .address = p.segment));
	assert_non_null(SAY(p.fixture, BLOCK_END, .address = p.segment));
	assert_non_null(SAY(p.fixture, POOL_END, .memory = p.segment + 64));
	/* Of memory that is not known anything may be said. */
	assert_null(SAY(p.fixture, POOL, .memory = beyond, .bytes = SEGMENT));
	assert_null(SAY(p.fixture, BLOCK, .address = beyond, .bytes = 64, .stream = p.a));
	assert_null(SAY(p.fixture, BLOCK_END, .address = beyond));
	assert_null(SAY(p.fixture, POOL_END, .memory = NULL));
	silent(p.fixture);
	fixture_free(p.fixture);
}

/* The host may have read the word, which lies in a block of its own, and so knows of the upload. */
static void word_in_a_block(void **state)
{
	struct program p = with_block();
	char *word = p.segment + 2 * BLOCK;

	(void)state;
	SAY(p.fixture, BLOCK, .address = word, .bytes = 64);
	CALL(p.fixture, aclrtMemset, 0, .devPtr = word, .maxCount = 64, .count = 64);
	upload(&p, 0, 64, p.a);
	CALL(p.fixture, aclrtValueWrite, 0, .devAddr = word, .value = 1, .stream = p.a);
	upload(&p, 0, 64, p.b);
	want(p.fixture, "stream-race-copy:error");
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.a);
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.b);
	upload(&p, 0, 64, p.a);
	CALL(p.fixture, aclrtValueWrite, 0, .devAddr = word, .value = 2, .stream = p.a);
	CALL(p.fixture, aclrtMemcpy, 0, .dst = p.host + SEGMENT / 2, .destMax = 8, .src = word, .count = 8,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	upload(&p, 0, 64, p.b);
	silent(p.fixture);
	fixture_free(p.fixture);
}

/* --- kernels --------------------------------------------------------------------------------- */

#define launch(p, on, error)                                                                                 \
	CALL((p)->fixture, aclrtLaunchKernel, error, .funcHandle = handle(90), .numBlocks = 1,               \
		.argsData = (char *)DEVICE_MEMORY + 65536 - 64, .argsSize = 16, .stream = (on))

static void kernel_reads_before_the_copy_ends(void **state)
{
	struct program p = program();

	(void)state;
	upload(&p, 0, BLOCK, p.a);
	SAY(p.fixture, KERNEL_READS, .stream = p.b, .address = p.segment, .bytes = BLOCK);
	launch(&p, p.b, 0);
	want(p.fixture, "stream-race-copy:error");
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.a);
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.b);
	upload(&p, 0, BLOCK, p.a);
	order(&p, p.a, p.b);
	SAY(p.fixture, KERNEL_READS, .stream = p.b, .address = p.segment, .bytes = BLOCK);
	launch(&p, p.b, 0);
	silent(p.fixture);
	/* The other way round. */
	upload(&p, 64, 64, p.a);
	want(p.fixture, "stream-race-copy:error");
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.a);
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.b);
	/* Two that read. */
	SAY(p.fixture, KERNEL_READS, .stream = p.a, .address = p.segment + BLOCK, .bytes = BLOCK);
	launch(&p, p.a, 0);
	SAY(p.fixture, KERNEL_READS, .stream = p.b, .address = p.segment + BLOCK, .bytes = BLOCK);
	launch(&p, p.b, 0);
	silent(p.fixture);
	fixture_free(p.fixture);
}

static void launch_that_is_not_seen(void **state)
{
	struct program p = program();

	(void)state;
	upload(&p, 0, BLOCK, p.a);
	SAY(p.fixture, KERNEL_WRITES, .stream = p.b, .address = p.segment + 64, .bytes = 64);
	silent(p.fixture);
	SAY(p.fixture, KERNEL, .stream = p.b, .name = "add");
	want(p.fixture, "stream-race-copy:error");
	/* The next one has nothing declared: it may do anything, and nothing is said. */
	SAY(p.fixture, KERNEL, .stream = p.b, .name = "add");
	silent(p.fixture);
	order(&p, p.b, p.a);
	upload(&p, 0, BLOCK, p.a);
	silent(p.fixture);
	fixture_free(p.fixture);
}

/* What an unknown kernel may order by itself is unknown: the race beside it is advice. */
static void kernels_that_are_not_declared(void **state)
{
	struct program p = program();

	(void)state;
	launch(&p, p.b, 0);
	download(&p, 0, BLOCK, p.b);
	upload(&p, 0, BLOCK, p.a);
	want(p.fixture, "stream-race-copy:advice");
	CALL(p.fixture, aclrtSynchronizeDevice, 0);
	SAY(p.fixture, KERNEL_READS, .stream = p.b, .address = p.segment + 2 * BLOCK, .bytes = 64);
	launch(&p, p.b, 0);
	download(&p, 0, BLOCK, p.b);
	upload(&p, 0, BLOCK, p.a);
	want(p.fixture, "stream-race-copy:error");
	fixture_free(p.fixture);
}

static void failed_launch_is_none(void **state)
{
	struct program p = program();

	(void)state;
	SAY(p.fixture, KERNEL_WRITES, .stream = p.b, .address = p.segment, .bytes = BLOCK);
	launch(&p, p.b, 107000);
	want(p.fixture, "api-error:warning");
	upload(&p, 0, BLOCK, p.a);
	silent(p.fixture);
	/* Made again, it does what was declared for it. */
	launch(&p, p.b, 0);
	want(p.fixture, "stream-race-copy:error");
	/* And only that one. */
	CALL(p.fixture, aclrtSynchronizeDevice, 0);
	upload(&p, 0, BLOCK, p.a);
	launch(&p, p.b, 0);
	silent(p.fixture);
	fixture_free(p.fixture);
}

static void declared_for_another_launch(void **state)
{
	struct program p = program();

	(void)state;
	upload(&p, 0, BLOCK, p.a);
	assert_null(SAY(p.fixture, KERNEL_READS, .stream = p.a, .address = p.segment, .bytes = BLOCK));
	/* Another stream's, and another thread's. */
	launch(&p, p.b, 0);
	silent(p.fixture);
	assert_non_null(SAY(p.fixture, KERNEL_READS, .stream = p.b, .address = p.segment, .bytes = 64));
	p.fixture->tid++;
	CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 0);
	launch(&p, p.b, 0);
	silent(p.fixture);
	p.fixture->tid--;
	launch(&p, p.b, 0);
	want(p.fixture, "stream-race-copy:advice");
	fixture_free(p.fixture);
}

/* More than is kept of a launch: then it may do anything. */
static void more_accesses_than_are_kept(void **state)
{
	struct program p = program();

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		SAY(p.fixture, KERNEL_READS, .stream = p.b, .address = p.segment + 64ul * i, .bytes = 64);
	launch(&p, p.b, 0);
	upload(&p, 0, BLOCK, p.a);
	silent(p.fixture);
	download(&p, 0, BLOCK, p.b);
	want(p.fixture, "stream-race-copy:advice");
	/* The next launch has accesses of its own. */
	CALL(p.fixture, aclrtSynchronizeDevice, 0);
	SAY(p.fixture, KERNEL_READS, .stream = p.b, .address = p.segment, .bytes = 64);
	launch(&p, p.b, 0);
	upload(&p, 0, 64, p.a);
	want(p.fixture, "stream-race-copy:error");
	fixture_free(p.fixture);
}

/* It runs with the model and not now; what was declared for it is not for the next one. */
static void captured_kernel(void **state)
{
	struct program p = program();

	(void)state;
	upload(&p, 0, BLOCK, p.b);
	capture_begin(&p);
	SAY(p.fixture, KERNEL_READS, .stream = p.a, .address = p.segment, .bytes = 64);
	launch(&p, p.a, 0);
	silent(p.fixture);
	capture_end(&p);
	launch(&p, p.a, 0);
	silent(p.fixture);
	SAY(p.fixture, KERNEL_READS, .stream = p.a, .address = p.segment, .bytes = 64);
	launch(&p, p.a, 0);
	want(p.fixture, "stream-race-copy:advice");
	fixture_free(p.fixture);
}

/* Nothing that could be meant. */
static void empty_declarations(void **state)
{
	struct program p = program();

	(void)state;
	assert_null(SAY(p.fixture, KERNEL_READS, .stream = p.b, .address = NULL, .bytes = 64));
	assert_null(SAY(p.fixture, KERNEL_WRITES, .stream = p.b, .address = p.segment, .bytes = 0));
	assert_null(SAY(p.fixture, KERNEL_READS, .stream = handle(99), .address = p.segment, .bytes = 64));
	/* None of them waits for a launch. */
	assert_null(SAY(p.fixture, KERNEL_READS, .stream = p.a, .address = p.segment, .bytes = 64));
	fixture_free(p.fixture);
}

static void kernel_of_the_default_stream(void **state)
{
	struct program p = program();

	(void)state;
	upload(&p, 0, BLOCK, p.a);
	SAY(p.fixture, KERNEL_READS, .stream = NULL, .address = p.segment, .bytes = 64);
	launch(&p, NULL, 0);
	want(p.fixture, "stream-race-copy:error");
	fixture_free(p.fixture);
}

static void kernel_on_released_memory(void **state)
{
	struct program p = with_block();

	(void)state;
	SAY(p.fixture, BLOCK_END, .address = p.segment);
	SAY(p.fixture, KERNEL_READS, .stream = p.a, .address = p.segment, .bytes = 64);
	launch(&p, p.a, 0);
	want(p.fixture, "use-after-free:error");
	fixture_free(p.fixture);
}

/* The runtime keeps what it mapped for the host. */
static void kernel_on_released_host_memory(void **state)
{
	struct program p = with_block();
	static char page[4096] __attribute__((aligned(64)));
	void *h = page;

	(void)state;
	p.fixture->class = ACL_HOST_UNKNOWN;
	p.fixture->mapping = 7;
	CALL(p.fixture, aclrtMallocHost, 0, .hostPtr = &h, .size = sizeof(page));
	CALL(p.fixture, aclrtFreeHost, 0, .hostPtr = h);
	SAY(p.fixture, KERNEL_READS, .stream = p.a, .address = page, .bytes = 64);
	launch(&p, p.a, 0);
	want(p.fixture, "use-after-free:warning");
	fixture_free(p.fixture);
}

/* The pool was released under its block: that went with it, whether the program says so or not. */
static void block_of_a_released_pool(void **state)
{
	struct program p = with_block();

	(void)state;
	CALL(p.fixture, aclrtFree, 0, .devPtr = p.segment);
	silent(p.fixture);
	upload(&p, 0, 64, p.a);
	want(p.fixture, "use-after-free:error");
	fixture_free(p.fixture);
}

/* What it reads first is there, or unknown, what it reads then is not. */
static void kernel_on_released_memory_among_others(void **state)
{
	struct program p = with_block();

	(void)state;
	upload(&p, 0, BLOCK, p.a);
	SAY(p.fixture, BLOCK, .address = p.segment + 2 * BLOCK, .bytes = BLOCK, .stream = p.a);
	SAY(p.fixture, BLOCK_END, .address = p.segment + 2 * BLOCK);
	SAY(p.fixture, KERNEL_READS, .stream = p.a, .address = p.segment, .bytes = 64);
	SAY(p.fixture, KERNEL_READS, .stream = p.a, .address = (void *)0x40000000, .bytes = 64);
	SAY(p.fixture, KERNEL_READS, .stream = p.a, .address = p.segment + 2 * BLOCK, .bytes = 64);
	launch(&p, p.a, 0);
	want(p.fixture, "use-after-free:error");
	fixture_free(p.fixture);
}

/* Only what it is declared to write holds something then. */
static void kernel_writes(void **state)
{
	struct program p = program();

	(void)state;
	SAY(p.fixture, POOL, .memory = p.segment, .bytes = SEGMENT);
	SAY(p.fixture, BLOCK, .address = p.segment, .bytes = BLOCK, .stream = p.a);
	SAY(p.fixture, BLOCK, .address = p.segment + BLOCK, .bytes = BLOCK, .stream = p.a);
	SAY(p.fixture, KERNEL_WRITES, .stream = p.a, .address = p.segment, .bytes = 64);
	launch(&p, p.a, 0);
	download(&p, 0, BLOCK, p.a);
	silent(p.fixture);
	download(&p, BLOCK, BLOCK, p.a);
	want(p.fixture, "uninit-device-read:advice");
	fixture_free(p.fixture);
}

/* --- names ----------------------------------------------------------------------------------- */

static void names_are_shown(void **state)
{
	struct program p = program();

	(void)state;
	SAY(p.fixture, NAME, .object = p.a, .name = "uploads");
	SAY(p.fixture, NAME, .object = p.segment, .name = "weights");
	SAY(p.fixture, NAME, .object = handle(77), .name = "nothing");
	/* A text is kept once, and a name replaced by another. */
	SAY(p.fixture, NAME, .object = p.host, .name = "uploads");
	SAY(p.fixture, NAME, .object = p.b, .name = "upload");
	SAY(p.fixture, NAME, .object = p.b, .name = "downloads");
	SAY(p.fixture, NAME, .object = p.b, .name = NULL);
	upload(&p, 0, BLOCK, p.a);
	download(&p, 0, BLOCK, p.b);
	assert_int_equal(p.fixture->n_found, 1);
	assert_non_null(strstr(p.fixture->found[0].text, "\"uploads\""));
	assert_non_null(strstr(p.fixture->found[0].text, "\"weights\""));
	assert_non_null(strstr(p.fixture->found[0].text, "\"downloads\""));
	assert_null(strstr(p.fixture->found[0].text, "\"upload\""));
	want(p.fixture, "stream-race-copy:error");
	fixture_free(p.fixture);
}

/* What is given back too early is called by its name, whatever it is. */
static void names_of_all_kinds(void **state)
{
	static char own[4096] __attribute__((aligned(4096)));
	struct program p = with_block();
	void *mapped = NULL;
	aclmdlRI model = handle(7);
	const struct {
		const void *object;
		const char *name;
	} named[] = {{p.event, "done"}, {p.segment, "tensor"}, {p.host, "staging"}, {own, "arena"},
		{handle(7), "graph"}};

	(void)state;
	CALL(p.fixture, aclrtHostRegister, 0, .ptr = own, .size = sizeof(own),
		.type = ACL_HOST_REGISTER_MAPPED, .devPtr = &mapped);
	CALL(p.fixture, aclmdlRICaptureBegin, 0, .stream = p.a, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(p.fixture, aclmdlRICaptureEnd, 0, .stream = p.a, .modelRI = &model);
	for (unsigned i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		SAY(p.fixture, NAME, .object = (void *)named[i].object, .name = named[i].name);
	CALL(p.fixture, aclrtDestroyEvent, 0, .event = p.event);
	CALL(p.fixture, aclrtRecordEvent, 107000, .event = p.event, .stream = p.a);
	upload(&p, 0, 2 * BLOCK, p.a);
	CALL(p.fixture, aclrtMemcpy, 107000, .dst = p.segment, .destMax = BLOCK, .src = p.host + SEGMENT - 64,
		.count = BLOCK, .kind = ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(p.fixture, aclrtHostRegister, 107000, .ptr = own, .size = sizeof(own),
		.type = ACL_HOST_REGISTER_MAPPED, .devPtr = &mapped);
	CALL(p.fixture, aclmdlRIDestroy, 0, .modelRI = model);
	CALL(p.fixture, aclmdlRIExecuteAsync, 107000, .modelRI = model, .stream = p.a);
	for (unsigned i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		char quoted[32];
		bool said = false;

		snprintf(quoted, sizeof(quoted), "\"%s\"", named[i].name);
		for (unsigned k = 0; k < p.fixture->n_found; k++)
			said |= strstr(p.fixture->found[k].text, quoted) != NULL;
		if (!said)
			fail_msg("%s is not said", quoted);
	}
	fixture_free(p.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block_has_an_end_of_its_own),
		cmocka_unit_test(block_that_was_ended_is_released_memory),
		cmocka_unit_test(pool_over_memory_in_use),
		cmocka_unit_test(block_in_a_model),
		cmocka_unit_test(block_holds_nothing_at_first),
		cmocka_unit_test(order_outlives_a_block),
		cmocka_unit_test(block_read_at_once_while_in_flight),
		cmocka_unit_test(branches_of_a_model),
		cmocka_unit_test(model_that_writes_a_block),
		cmocka_unit_test(word_in_a_block),
		cmocka_unit_test(pool_goes_with_its_memory),
		cmocka_unit_test(blocks_that_cannot_be),
		cmocka_unit_test(kernel_reads_before_the_copy_ends),
		cmocka_unit_test(launch_that_is_not_seen),
		cmocka_unit_test(kernels_that_are_not_declared),
		cmocka_unit_test(failed_launch_is_none),
		cmocka_unit_test(declared_for_another_launch),
		cmocka_unit_test(more_accesses_than_are_kept),
		cmocka_unit_test(captured_kernel),
		cmocka_unit_test(kernel_of_the_default_stream),
		cmocka_unit_test(empty_declarations),
		cmocka_unit_test(block_of_a_released_pool),
		cmocka_unit_test(kernel_on_released_memory),
		cmocka_unit_test(kernel_on_released_host_memory),
		cmocka_unit_test(kernel_on_released_memory_among_others),
		cmocka_unit_test(kernel_writes),
		cmocka_unit_test(names_are_shown),
		cmocka_unit_test(names_of_all_kinds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
