/* SPDX-License-Identifier: Apache-2.0 */
/* How often rules are evaluated: what counts and what does not. */
#include "fixture.h"

static aclrtStream a_stream(struct fixture *fixture, unsigned n)
{
	aclrtStream s = handle(n);

	CALL(fixture, aclrtCreateStream, 0, .stream = &s);
	return s;
}

static void every_checked_call(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	aclrtStream s;

	(void)state;
	assert_int_equal(fixture_count(fixture, "api-error"), 2); /* aclInit, aclrtSetDevice */
	s = a_stream(fixture, 1);
	assert_int_equal(fixture_count(fixture, "api-error"), 3);
	assert_int_equal(fixture_count(fixture, "stream-destroyed-handle"), 0);
	for (unsigned i = 0; i < 5; i++)
		CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	assert_int_equal(fixture_count(fixture, "stream-destroyed-handle"), 5);
	/* An unknown handle: the rule has nothing to evaluate. */
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = handle(99));
	assert_int_equal(fixture_count(fixture, "stream-destroyed-handle"), 5);
	fixture->inside = true;
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	assert_int_equal(fixture_count(fixture, "stream-destroyed-handle"), 5);
}

/* A constraint with a condition is evaluated where the condition holds. */
static void constraints_of_the_model(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	uint64_t before = fixture_count(fixture, "memcpy-null-address");

	(void)state;
	CALL(fixture, aclrtMemset, 0, .devPtr = (void *)DEVICE_MEMORY, .maxCount = 8, .count = 8);
	CALL(fixture, aclrtMemset, 0, .devPtr = (void *)DEVICE_MEMORY, .maxCount = 8, .count = 8);
	CALL(fixture, aclrtMemset, 0, .devPtr = NULL, .maxCount = 8, .count = 0);
	assert_int_equal(fixture_count(fixture, "memcpy-null-address") - before, 2);
	CALL(fixture, aclrtMemset, 0, .devPtr = (void *)DEVICE_MEMORY, .maxCount = 8, .count = 8);
	assert_int_equal(fixture_count(fixture, "memcpy-null-address") - before, 3);
}

static void threads_add_up(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	aclrtStream s = a_stream(fixture, 1);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		fixture->tid += 1;
		CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	}
	assert_int_equal(fixture_count(fixture, "stream-destroyed-handle"), 4);
}

static void child_starts_anew(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	aclrtStream s = a_stream(fixture, 1);

	(void)state;
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	checks_forked(fixture->checks);
	assert_int_equal(fixture_count(fixture, "stream-destroyed-handle"), 0);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	assert_int_equal(fixture_count(fixture, "stream-destroyed-handle"), 1);
}

static void evaluated_at_the_end(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);

	(void)state;
	assert_int_equal(fixture_count(fixture, "leak-host-memory"), 0);
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	CALL(fixture, aclFinalize, 0);
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	assert_int_equal(fixture_count(fixture, "leak-host-memory"), 1);
	silent(fixture);
}

/* Of the rules about memory: in a copy of which one look says that it is right. */
static void in_right_copies(void **state)
{
	static const char *const rules[] = {"memcpy-source-out-of-bounds", "memcpy-dest-out-of-bounds",
		"memcpy-destmax-exceeds-allocation", "memcpy-kind-location-mismatch", "use-after-free",
		"use-after-device-reset", "uninit-device-read"};
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	void *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096);

	(void)state;
	for (unsigned copies = 1; copies < 3; copies++) {
		CALL(fixture, aclrtMemcpy, 0, .dst = d, .destMax = 64, .src = h, .count = 64,
			.kind = ACL_MEMCPY_HOST_TO_DEVICE);
		for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
			assert_int_equal(fixture_count(fixture, rules[i]), copies);
	}
	/* Nothing is copied. */
	CALL(fixture, aclrtMemcpy, 0, .dst = d, .destMax = 64, .src = h, .count = 0,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	assert_int_equal(fixture_count(fixture, "memcpy-dest-out-of-bounds"), 2);
	silent(fixture);
}

/* Such a copy is found right at once, in whichever direction. */
static void at_one_look(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096), *s = a_stream(fixture, 1);
	void *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096);

	(void)state;
	CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 4096, .count = 4096);
	for (unsigned i = 0; i < 4; i++) {
		bool up = i & 1, async = i & 2;
		struct acl_args_aclrtMemcpyAsync args = {.dst = up ? d : h,
			.destMax = 64,
			.src = up ? h : d,
			.count = 64,
			.kind = up ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST,
			.stream = s};
		struct acl_args_aclrtMemcpy now = {args.dst, args.destMax, args.src, args.count, args.kind};
		struct acl_call_record call;

		fixture_enter(fixture, &call, async ? ACL_API_aclrtMemcpyAsync : ACL_API_aclrtMemcpy,
			async ? (void *)&args : (void *)&now, __LINE__);
		assert_true(call.plain);
		fixture_leave(fixture, &call, 0);
	}
	silent(fixture);
}

/* ... and of which two entries are as right. */
static void in_right_batches(void **state)
{
	static const char *const rules[] = {"memcpy-source-out-of-bounds", "memcpy-dest-out-of-bounds",
		"memcpy-destmax-exceeds-allocation", "use-after-free", "use-after-device-reset"};
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	char *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096);
	void *targets[] = {d, d + 128}, *sources[] = {h, h + 128};
	size_t sizes[] = {64, 64}, first = 0, failed = 0;
	aclrtMemcpyBatchAttr attr = {
		.srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST, .dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

	(void)state;
	CALL(fixture, aclrtMemcpyBatch, 0, .dsts = targets, .destMaxs = sizes, .srcs = sources,
		.sizes = sizes, .numBatches = 2, .attrs = &attr, .attrsIndexes = &first, .numAttrs = 1,
		.failIndex = &failed);
	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		assert_int_equal(fixture_count(fixture, rules[i]), 1);
	silent(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_checked_call),
		cmocka_unit_test(constraints_of_the_model),
		cmocka_unit_test(threads_add_up),
		cmocka_unit_test(child_starts_anew),
		cmocka_unit_test(evaluated_at_the_end),
		cmocka_unit_test(in_right_copies),
		cmocka_unit_test(at_one_look),
		cmocka_unit_test(in_right_batches),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
