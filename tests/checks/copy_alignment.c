/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of asynchronous copies: 64 bytes, or as the release has it. */
#include "fixture.h"
#include "scenario.h"

static void align_base(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	COPY(sc, sc.d, sc.h, 100, HOST_TO_DEVICE, sc.s);
	silent(sc.fixture);
}

static void align_interior(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	COPY(sc, sc.d, sc.h + 12, 100, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "async-copy-alignment:error");
	assert_non_null(strstr(sc.fixture->found[0].detail, "12 bytes past a 64-byte boundary"));
	assert_non_null(
		strstr(sc.fixture->found[0].detail, "12 bytes into the 64 KiB page-locked host memory"));
	COPY(sc, sc.d, sc.h + 128, 100, HOST_TO_DEVICE, sc.s);
	silent(sc.fixture);
}

static void align_destination(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	COPY(sc, sc.d + 4, sc.h, 100, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "async-copy-alignment:error");
	COPY(sc, sc.h + 1, sc.d, 100, DEVICE_TO_HOST, sc.s);
	want(sc.fixture, "async-copy-alignment:error");
}

static void align_length_is_free(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	COPY(sc, sc.d, sc.h, 1, HOST_TO_DEVICE, sc.s);
	COPY(sc, sc.d + 64, sc.h + 64, 3, DEFAULT, sc.s);
	silent(sc.fixture);
}

static void align_synchronous(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	CALL(sc.fixture, aclrtMemcpy, 0, .dst = sc.d + 1, .destMax = 100, .src = sc.h + 1, .count = 100,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	silent(sc.fixture);
}

static void align_default_kind_null_stream(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	COPY(sc, sc.d, sc.h + 8, 100, DEFAULT, NULL);
	want(sc.fixture, "async-copy-alignment:error");
}

static void align_zero_count_and_buffered(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	COPY(sc, sc.d + 3, sc.h + 3, 0, HOST_TO_DEVICE, sc.s);
	assert_int_equal(fixture_count(sc.fixture, "async-copy-alignment"), 0);
	COPY(sc, sc.d, sc.h + 3, 100, HOST_TO_BUF_TO_DEVICE, sc.s);
	silent(sc.fixture);
	COPY(sc, NULL, sc.h + 3, 100, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "memcpy-null-address:error");
	assert_int_equal(fixture_count(sc.fixture, "async-copy-alignment"), 1);
}

static void align_2d_and_batch(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	void *dsts[] = {sc.d + 3}, *srcs[] = {sc.h + 3};
	size_t sizes[] = {16}, failed, first = 0;
	aclrtMemcpyBatchAttr attr = {.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

	(void)state;
	CALL(sc.fixture, aclrtMemcpy2dAsync, 0, .dst = sc.d + 1, .dpitch = 64, .src = sc.h + 1, .spitch = 64,
		.width = 16, .height = 4, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = sc.s);
	CALL(sc.fixture, aclrtMemcpyBatchAsync, 0, .dsts = dsts, .destMaxs = sizes, .srcs = srcs,
		.sizes = sizes, .numBatches = 1, .attrs = &attr, .attrsIndexes = &first, .numAttrs = 1,
		.failIndex = &failed, .stream = sc.s);
	silent(sc.fixture);
}

static void align_with_condition(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	CALL(sc.fixture, aclrtMemcpyAsyncWithCondition, 0, .dst = sc.d, .destMax = 64, .src = sc.h + 2,
		.count = 8, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = sc.s);
	want(sc.fixture, "async-copy-alignment:error");
}

static void align_registered_and_managed(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	char *mine = (char *)0x600000000000ul;
	void *managed = (void *)0x700000000000ul, *out = NULL;

	(void)state;
	CALL(sc.fixture, aclrtHostRegister, 0, .ptr = mine, .size = 4096, .devPtr = &out);
	CALL(sc.fixture, aclrtMemAllocManaged, 0, .ptr = &managed, .size = 4096,
		.flag = ACL_RT_MEM_ATTACH_GLOBAL);
	COPY(sc, sc.d, mine + 64, 64, HOST_TO_DEVICE, sc.s);
	COPY(sc, sc.d, managed, 64, DEFAULT, sc.s);
	silent(sc.fixture);
	COPY(sc, sc.d, mine + 65, 64, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "async-copy-alignment:error");
	COPY(sc, sc.d, (char *)managed + 8, 64, DEFAULT, sc.s);
	want(sc.fixture, "async-copy-alignment:error");
}

static void align_pageable_by_target(void **state)
{
	struct scenario strict = scenario(DOCUMENTS, 64 * KIB), newer = scenario(ACL_CANN_8_5, 64 * KIB);
	char *heap = (char *)0x5000010;

	(void)state;
	COPY(strict, strict.d, heap, 64, HOST_TO_DEVICE, strict.s);
	want(strict.fixture, "async-copy-alignment:error");
	COPY(newer, newer.d, heap, 64, HOST_TO_DEVICE, newer.s);
	silent(newer.fixture);
	COPY(newer, newer.d, newer.h + 16, 64, HOST_TO_DEVICE, newer.s);
	want(newer.fixture, "async-copy-alignment:error");
}

static void align_relaxed(void **state)
{
	struct scenario sc = scenario(ACL_CANN_9_1, 64 * KIB);

	(void)state;
	COPY(sc, sc.d, sc.h + 16, 64, HOST_TO_DEVICE, sc.s);
	silent(sc.fixture);
	COPY(sc, sc.d, sc.d + 1000, 64, DEVICE_TO_DEVICE, sc.s);
	want(sc.fixture, "async-copy-alignment:warning");
}

static void align_auto_target(void **state)
{
	struct scenario sc = scenario(CHECKS_TARGET_AUTO, 64 * KIB);

	(void)state;
	COPY(sc, sc.d, sc.h + 16, 64, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "async-copy-alignment:error");
	checks_set_runtime(sc.fixture->checks, ACL_CANN_9_1);
	COPY(sc, sc.d, sc.h + 16, 64, HOST_TO_DEVICE, sc.s);
	silent(sc.fixture);
}

static void align_other_thread_and_inside(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	sc.fixture->tid = 2;
	CALL(sc.fixture, aclrtSetDevice, 0, .deviceId = 0);
	COPY(sc, sc.d, sc.h + 16, 64, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "async-copy-alignment:error");
	sc.fixture->inside = true; /* the runtime's own call */
	COPY(sc, sc.d, sc.h + 16, 64, HOST_TO_DEVICE, sc.s);
	silent(sc.fixture);
}

static void align_repeats(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	struct checks_totals totals;

	(void)state;
	for (int i = 0; i < 1000; i++)
		COPY(sc, sc.d, sc.h + 16, 64, HOST_TO_DEVICE, sc.s);
	assert_int_equal(sc.fixture->n_found, 4); /* 1, 10, 100, 1000 */
	assert_int_equal(sc.fixture->found[3].repeat, 1000);
	checks_totals(sc.fixture->checks, &totals);
	assert_int_equal(totals.findings[ACL_SEV_ERROR], 1000);
}

/* A direction that is refused is said beside an address that is not aligned. */
static void align_of_an_impossible_direction(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	_Alignas(64) static char pageable[256];

	(void)state;
	COPY(sc, sc.d, pageable + 1, 100, DEVICE_TO_HOST, sc.s);
	want(sc.fixture, "async-copy-alignment:error memcpy-kind-unregistered-illegal:error");
	COPY(sc, sc.d, pageable + 1, 100, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "async-copy-alignment:error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(align_base),
		cmocka_unit_test(align_interior),
		cmocka_unit_test(align_destination),
		cmocka_unit_test(align_length_is_free),
		cmocka_unit_test(align_synchronous),
		cmocka_unit_test(align_default_kind_null_stream),
		cmocka_unit_test(align_zero_count_and_buffered),
		cmocka_unit_test(align_2d_and_batch),
		cmocka_unit_test(align_with_condition),
		cmocka_unit_test(align_registered_and_managed),
		cmocka_unit_test(align_pageable_by_target),
		cmocka_unit_test(align_relaxed),
		cmocka_unit_test(align_auto_target),
		cmocka_unit_test(align_other_thread_and_inside),
		cmocka_unit_test(align_repeats),
		cmocka_unit_test(align_of_an_impossible_direction),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
