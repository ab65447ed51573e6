/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of copies: which of them one look finds to be right, and what that look makes of them. */
#include "fixture.h"
#include "scenario.h"

#include "checks/state/plain_batch.h"

#define ENTRIES 600
#define BLOCKS 4
#define UP ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_DEVICE
#define DOWN ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_HOST

struct batch {
	struct fixture *fixture;
	void *stream;
	char *h[BLOCKS], *d[BLOCKS]; /* of 1 MiB each, and far from each other */
	void *from[ENTRIES], *to[ENTRIES];
	size_t bytes[ENTRIES], limits[ENTRIES];
	unsigned n;
	bool async;
};

/* What the look made of it. */
struct look {
	bool plain, apart, again;
	uint64_t reads, writes;
};

#define MIB (1024 * KIB)

static struct batch *batch(void)
{
	static struct batch b;

	b = (struct batch){.fixture = fixture_ready(DOCUMENTS)};
	b.fixture->other_ways = 0;
	b.stream = fixture_stream(b.fixture, 1);
	for (unsigned i = 0; i < BLOCKS; i++) {
		b.h[i] = fixture_malloc_host(b.fixture, HOST_MEMORY + i * 64 * MIB, MIB);
		b.d[i] = fixture_malloc(b.fixture, DEVICE_MEMORY + i * 64 * MIB, MIB);
	}
	return &b;
}

static void add(struct batch *b, void *to, void *from, size_t bytes)
{
	b->to[b->n] = to;
	b->from[b->n] = from;
	b->bytes[b->n] = b->limits[b->n] = bytes;
	b->n++;
}

static struct look run(struct batch *b, aclrtMemLocationType from, aclrtMemLocationType to)
{
	aclrtMemcpyBatchAttr attr = {.srcLoc.type = from, .dstLoc.type = to};
	size_t zero = 0, failed = 0;
	const struct acl_args_aclrtMemcpyBatch now = {.dsts = b->to,
		.destMaxs = b->limits,
		.srcs = b->from,
		.sizes = b->bytes,
		.numBatches = b->n,
		.attrs = &attr,
		.attrsIndexes = &zero,
		.numAttrs = 1,
		.failIndex = &failed};
	const struct acl_args_aclrtMemcpyBatchAsync later = {.dsts = b->to,
		.destMaxs = b->limits,
		.srcs = b->from,
		.sizes = b->bytes,
		.numBatches = b->n,
		.attrs = &attr,
		.attrsIndexes = &zero,
		.numAttrs = 1,
		.failIndex = &failed,
		.stream = b->stream};
	const struct plain_batch *plain;
	struct acl_call_record call;
	struct look look = {0};

	if (b->async)
		fixture_enter(b->fixture, &call, ACL_API_aclrtMemcpyBatchAsync, &later, __LINE__);
	else
		fixture_enter(b->fixture, &call, ACL_API_aclrtMemcpyBatch, &now, __LINE__);
	plain = plain_batch_of(&call);
	if (plain)
		look = (struct look){true, plain->apart, plain->again, plain->reads.n, plain->writes.n};
	fixture_leave(b->fixture, &call, 0);
	return look;
}

static void looks(struct look is, uint64_t reads, uint64_t writes, bool again)
{
	assert_true(is.plain);
	assert_true(is.apart);
	assert_int_equal(is.reads, reads);
	assert_int_equal(is.writes, writes);
	assert_int_equal(is.again, again);
}

/* Side by side they are one range, however many there are. */
static void side_by_side(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 4; kind++) {
		struct batch *b = batch();

		b->async = kind & 1;
		for (unsigned i = 0; i < ENTRIES; i++)
			add(b, (kind & 2 ? b->h[0] : b->d[0]) + i * 64,
				(kind & 2 ? b->d[1] : b->h[1]) + i * 64, 64);
		if (kind & 2)
			CALL(b->fixture, aclrtMemset, 0, .devPtr = b->d[1], .maxCount = MIB, .count = MIB);
		looks(kind & 2 ? run(b, DOWN) : run(b, UP), 1, 1, false);
		silent(b->fixture);
		fixture_free(b->fixture);
	}
}

/* Gaps and other blocks begin a range; that they are those of the last batch is noticed. */
static void ranges_of_blocks(void **state)
{
	struct batch *b = batch();

	(void)state;
	for (unsigned i = 0; i < ENTRIES; i++)
		add(b, b->d[i % BLOCKS] + i / BLOCKS * 256, b->h[0] + i * 128, 64);
	b->async = true;
	assert_false(run(b, UP).apart); /* not in the order of their addresses */
	b->n = 0;
	for (unsigned i = 0; i < BLOCKS; i++)
		for (unsigned k = 0; k < 100; k++)
			add(b, b->d[i] + k * 256, b->h[i] + k * 128, 64);
	looks(run(b, UP), 100 * BLOCKS, 100 * BLOCKS, false);
	looks(run(b, UP), 100 * BLOCKS, 100 * BLOCKS, true);
	b->to[150] = (char *)b->to[150] + 64;
	looks(run(b, UP), 100 * BLOCKS, 100 * BLOCKS, false);
	looks(run(b, UP), 100 * BLOCKS, 100 * BLOCKS, true);
	/* Fewer are others, and so is one more. */
	b->n--;
	looks(run(b, UP), 100 * BLOCKS - 1, 100 * BLOCKS - 1, false);
	b->n++;
	looks(run(b, UP), 100 * BLOCKS, 100 * BLOCKS, false);
	/* So they are when memory came in between. */
	fixture_malloc(b->fixture, DEVICE_MEMORY + 1024 * MIB, MIB);
	looks(run(b, UP), 100 * BLOCKS, 100 * BLOCKS, false);
	looks(run(b, UP), 100 * BLOCKS, 100 * BLOCKS, true);
	silent(b->fixture);
}

/* What is no more, or smaller now, is not what it was in the batch before. */
static void blocks_that_went(void **state)
{
	struct batch *b = batch();

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		add(b, b->d[i], b->h[i], 4096);
	looks(run(b, UP), 2, 2, false);
	CALL(b->fixture, aclrtFree, 0, .devPtr = b->d[1]);
	silent(b->fixture);
	assert_false(run(b, UP).plain);
	want(b->fixture, "use-after-free:error");
	fixture_malloc(b->fixture, (uintptr_t)b->d[1], 2048);
	assert_false(run(b, UP).plain);
	want(b->fixture, "memcpy-dest-out-of-bounds:error");
	b->bytes[1] = b->limits[1] = 2048;
	looks(run(b, UP), 2, 2, false);
	silent(b->fixture);
}

/* With several devices memory and thread are of one. */
static void several_devices(void **state)
{
	struct batch *b = batch();
	char *other;

	(void)state;
	CALL(b->fixture, aclrtSetDevice, 0, .deviceId = 1);
	other = fixture_malloc(b->fixture, DEVICE_MEMORY + 1024 * MIB, MIB);
	CALL(b->fixture, aclrtSetDevice, 0, .deviceId = 0);
	for (unsigned i = 0; i < 2; i++)
		add(b, b->d[i], b->h[i], 4096);
	looks(run(b, UP), 2, 2, false);
	looks(run(b, UP), 2, 2, true);
	CALL(b->fixture, aclrtSetDevice, 0, .deviceId = 1);
	assert_false(run(b, UP).plain);
	b->to[0] = other;
	b->to[1] = other + 4096;
	looks(run(b, UP), 2, 1, false);
	b->to[0] = b->d[0];
	assert_false(run(b, UP).plain);
}

/* --- what has to be looked at closely ------------------------------------------------------ */

static void empty(struct batch *b)
{
	b->bytes[1] = b->limits[1] = 0;
}

static void too_large(struct batch *b)
{
	b->limits[1] = 63;
}

static void roomy(struct batch *b)
{
	b->limits[1] = 128;
}

static void beyond_its_source(struct batch *b)
{
	b->from[1] = b->h[1] + MIB - 32;
}

static void beyond_its_target(struct batch *b)
{
	b->to[0] = b->d[0] + MIB - 32;
}

/* The second one goes on where the first ends, and over the end. */
static void beyond_together(struct batch *b)
{
	b->to[0] = b->d[0] + MIB - 64;
	b->to[1] = b->d[0] + MIB;
}

static void from_the_device(struct batch *b)
{
	b->from[1] = b->d[3];
}

static void all_from_the_device(struct batch *b)
{
	b->from[0] = b->d[2];
	b->from[1] = b->d[3];
}

static void to_the_host(struct batch *b)
{
	b->to[0] = b->h[2];
	b->to[1] = b->h[3];
}

static void from_unknown(struct batch *b)
{
	b->from[0] = (void *)0x40000000;
}

static void of_odd_addresses(struct batch *b)
{
	b->to[1] = (char *)b->to[1] + 32;
	b->async = true;
}

static void closer_looks(void **state)
{
	static const struct {
		void (*change)(struct batch *);
		const char *found;
	} all[] = {
		{empty, ""},
		{too_large, "batch-size-exceeds-destmax:error"},
		{roomy, ""},
		{beyond_its_source, "memcpy-source-out-of-bounds:error"},
		{beyond_its_target, "memcpy-dest-out-of-bounds:warning"},
		{beyond_together, "memcpy-dest-out-of-bounds:error"},
		{from_the_device, "batch-direction:error"},
		{all_from_the_device, "batch-direction:error"},
		{to_the_host, "batch-direction:error"},
		{from_unknown, ""},
		{of_odd_addresses, ""},
	};

	(void)state;
	/* The thread's first batch, and behind one that was right. */
	for (unsigned i = 0; i < 2 * sizeof(all) / sizeof(all[0]); i++) {
		struct batch *b = batch();

		b->fixture->class = ACL_HOST_UNKNOWN;
		for (unsigned k = 0; k < 2; k++)
			add(b, b->d[k], b->h[k], 64);
		if (i & 1)
			looks(run(b, UP), 2, 2, false);
		all[i / 2].change(b);
		if (run(b, UP).plain)
			fail_msg("number %u", i / 2);
		want(b->fixture, all[i / 2].found);
		fixture_free(b->fixture);
	}
}

/* Nothing is said of entries for which there is no memory: not what the call before left there. */
static void no_room_for_entries(void **state)
{
	struct batch *b = batch();

	(void)state;
	CALL(b->fixture, aclrtMemcpy, 0, .dst = b->d[0] + MIB - 64, .destMax = 4096, .src = b->h[0],
		.count = 4096, .kind = ACL_MEMCPY_HOST_TO_DEVICE);
	want(b->fixture, "memcpy-dest-out-of-bounds:error");
	for (unsigned i = 0; i < ENTRIES; i++)
		add(b, b->d[0] + 2 * MIB, b->h[0], 64);
	b->fixture->no_memory = true;
	run(b, UP);
	b->fixture->no_memory = false;
	silent(b->fixture);
}

/* One writes where the other does: that is found without looking at the memory again. */
static void not_apart(void **state)
{
	struct batch *b = batch();
	struct look look;

	(void)state;
	add(b, b->d[0], b->h[0], 128);
	add(b, b->d[0] + 64, b->h[1], 64);
	look = run(b, UP);
	assert_true(look.plain && !look.apart);
	want(b->fixture, "batch-dependent-entries:error");
}

/* However far apart in the lists, and in whatever order the addresses are. */
static void not_apart_in_a_large_batch(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct batch *b = batch();

		for (unsigned i = 0; i < 500; i++)
			add(b, b->d[0] + i * 137 % 500 * KIB, b->h[0] + (499 - i) * KIB, KIB);
		if (k == 1)
			b->to[480] = (char *)b->to[3] + 64;
		if (k == 2)
			b->to[3] = (char *)b->to[480] - 64;
		if (k == 3) /* reading twice, of one place, is none */
			b->from[480] = b->from[3];
		run(b, UP);
		want(b->fixture, k == 1 || k == 2 ? "batch-dependent-entries:error" : "");
		fixture_free(b->fixture);
	}
}

/* Of no bytes nothing is copied, whichever way. */
static void nothing_inside_the_device(void **state)
{
	struct batch *b = batch();

	(void)state;
	add(b, b->d[0], b->d[1], 0);
	add(b, b->h[0], b->h[1], 0);
	run(b, UP);
	never(b->fixture, "batch-direction");
	never(b->fixture, "batch-attr-location-mismatch");
	fixture_free(b->fixture);
}

/* An entry of no bytes lies inside of nothing, wherever its addresses are and whatever its place in the
 * lists. */
static void nothing_inside_of_a_copy(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct batch *b = batch();

		if (k & 1)
			add(b, b->d[0], b->h[0], 128);
		add(b, b->d[0] + 64, b->h[0] + 64, k & 2 ? 0 : 64);
		if (!(k & 1))
			add(b, b->d[0], b->h[0], 128);
		run(b, UP);
		want(b->fixture, k & 2 ? "" : "batch-dependent-entries:error");
		fixture_free(b->fixture);
	}
}

/* What the attribute says of the source and what is known of it, of plain batches and of others. */
static void locations(void **state)
{
	static const struct {
		aclrtMemLocationType from;
		const char *found;
	} cases[] = {{ACL_MEM_LOCATION_TYPE_HOST, ""}, {ACL_MEM_LOCATION_TYPE_HOST_NUMA, ""},
		/* Other kinds are not followed. */
		{ACL_MEM_LOCATION_TYPE_UNREGISTERED, ""}, {ACL_MEM_LOCATION_TYPE_MANAGED, ""},
		{ACL_MEM_LOCATION_TYPE_DEVICE, "batch-attr-location-mismatch:error"}};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct batch *b = batch();
		bool plain = i & 1;

		add(b, b->d[0], b->h[0], 64);
		if (!plain)
			add(b, b->d[1], (void *)0x40000000, 64);
		assert_int_equal(run(b, cases[i / 2].from, ACL_MEM_LOCATION_TYPE_DEVICE).plain, plain);
		want(b->fixture, cases[i / 2].found);
		fixture_free(b->fixture);
	}
}

/* What lies behind the attributes that are used is nobody's. */
static void indexes_behind_the_last(void **state)
{
	struct batch *b = batch();
	aclrtMemcpyBatchAttr attrs[2] = {
		{.srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST, .dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE},
		{.srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST, .dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	size_t indexes[2] = {0, 99}, failed;

	(void)state;
	add(b, b->d[0], b->h[0], 64);
	add(b, b->d[1], b->h[1], 64);
	for (unsigned n = 1; n <= 2; n++) {
		CALL(b->fixture, aclrtMemcpyBatch, 0, .dsts = b->to, .destMaxs = b->limits, .srcs = b->from,
			.sizes = b->bytes, .numBatches = b->n, .attrs = attrs, .attrsIndexes = indexes,
			.numAttrs = n, .failIndex = &failed);
		want(b->fixture, n == 1 ? "" : "batch-attr-indexes:error");
	}
	fixture_free(b->fixture);
}

/* Two entries of a batch, few or many, in either order: one writes where the other one reads or writes. */
static void dependent_entries(void **state)
{
	(void)state;
	for (unsigned way = 0; way < 16; way++) {
		struct batch *b = batch();
		/* Inside of nothing that is known: else the direction is wrong as well. */
		unsigned n = way & 1 ? 20 : 200, first = way & 2 ? 3 : n - 1, second = way & 2 ? n - 1 : 3;

		for (unsigned i = 0; i < n; i++)
			add(b, (char *)0x50000000 + i * 128ul, (char *)0x40000000 + i * 128ul, 64);
		if (way & 4)
			b->to[first] = (char *)b->from[second] + (way & 8 ? 32 : 64);
		else
			b->to[first] = (char *)b->to[second] + (way & 8 ? 32 : 64);
		b->fixture->class = ACL_HOST_UNKNOWN;
		run(b, UP);
		want(b->fixture, way & 8 ? "batch-dependent-entries:error" : "");
		fixture_free(b->fixture);
	}
}

/* An entry without an address is another rule's. */
static void nowhere(void **state)
{
	struct batch *b = batch();

	(void)state;
	add(b, b->d[0], NULL, 64);
	run(b, DOWN);
	never(b->fixture, "batch-direction");
	assert_int_equal(fixture_count(b->fixture, "batch-direction"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(side_by_side),
		cmocka_unit_test(ranges_of_blocks),
		cmocka_unit_test(blocks_that_went),
		cmocka_unit_test(several_devices),
		cmocka_unit_test(closer_looks),
		cmocka_unit_test(no_room_for_entries),
		cmocka_unit_test(not_apart),
		cmocka_unit_test(not_apart_in_a_large_batch),
		cmocka_unit_test(nothing_inside_the_device),
		cmocka_unit_test(nothing_inside_of_a_copy),
		cmocka_unit_test(locations),
		cmocka_unit_test(indexes_behind_the_last),
		cmocka_unit_test(dependent_entries),
		cmocka_unit_test(nowhere),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
