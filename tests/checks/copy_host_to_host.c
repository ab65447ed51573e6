/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous copies inside the host: which there are, and what only looks like one. */
#include "fixture.h"
#include "scenario.h"

static void h2h_pinned(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	COPY(sc, sc.h + 4096, sc.h, 64, HOST_TO_HOST, sc.s);
	want(sc.fixture, "async-copy-h2h:error");
}

static void h2h_sync_is_legal(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	CALL(sc.fixture, aclrtMemcpy, 0, .dst = sc.h + 64, .destMax = 64, .src = sc.h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_HOST);
	silent(sc.fixture);
}

static void h2h_default_kind(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	COPY(sc, sc.h + 4096, sc.h, 64, DEFAULT, sc.s);
	want(sc.fixture, "async-copy-h2h:error");
	COPY(sc, sc.d, sc.h, 64, DEFAULT, sc.s);
	silent(sc.fixture);
}

static void h2h_corrected_kind(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	/* Says device, means host: corrected by the runtime to what it is. */
	COPY(sc, sc.h + 4096, sc.h, 64, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "async-copy-h2h:error");
	/* Says host, means device: another rule's matter. */
	COPY(sc, sc.d, sc.h, 64, HOST_TO_HOST, sc.s);
	want(sc.fixture, "memcpy-kind-location-mismatch:warning");
}

static void h2h_unknown_addresses(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	sc.fixture->class = ACL_HOST_UNKNOWN;
	COPY(sc, (void *)0x40000000, (void *)0x50000000, 64, DEFAULT, sc.s);
	COPY(sc, (void *)0x40000000, (void *)0x50000000, 64, DEVICE_TO_DEVICE, sc.s);
	silent(sc.fixture);
	COPY(sc, (void *)0x40000000, (void *)0x50000000, 64, HOST_TO_HOST, sc.s);
	want(sc.fixture, "async-copy-h2h:error");
}

static void h2h_pageable(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	COPY(sc, (void *)0x40000000, (void *)0x50000000, 64, DEFAULT, sc.s);
	want(sc.fixture, "async-copy-h2h:error");
}

static void h2h_registered(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	void *out = NULL;

	(void)state;
	CALL(sc.fixture, aclrtHostRegister, 0, .ptr = (void *)0x40000000, .size = 4096, .devPtr = &out);
	COPY(sc, (void *)0x40000000, sc.h, 64, DEFAULT, sc.s);
	want(sc.fixture, "async-copy-h2h:error");
}

static void h2h_managed_is_device(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	void *managed = (void *)0x700000000000ul;

	(void)state;
	CALL(sc.fixture, aclrtMemAllocManaged, 0, .ptr = &managed, .size = 4096,
		.flag = ACL_RT_MEM_ATTACH_GLOBAL);
	COPY(sc, managed, sc.h, 64, DEFAULT, sc.s);
	silent(sc.fixture);
}

static void h2h_2d_and_batch(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	void *dsts[] = {sc.d, sc.h + 64}, *srcs[] = {sc.h, sc.h};
	size_t sizes[] = {16, 16}, failed, first = 0;
	aclrtMemcpyBatchAttr attr = {.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

	(void)state;
	CALL(sc.fixture, aclrtMemcpy2dAsync, 100000, .dst = sc.h + 4096, .dpitch = 64, .src = sc.h,
		.spitch = 64, .width = 16, .height = 4, .kind = ACL_MEMCPY_HOST_TO_HOST, .stream = sc.s);
	want(sc.fixture, "async-copy-h2h:error");
	CALL(sc.fixture, aclrtMemcpyBatchAsync, 0, .dsts = dsts, .destMaxs = sizes, .srcs = srcs,
		.sizes = sizes, .numBatches = 1, .attrs = &attr, .attrsIndexes = &first, .numAttrs = 1,
		.failIndex = &failed, .stream = sc.s);
	silent(sc.fixture);
	CALL(sc.fixture, aclrtMemcpyBatchAsync, 0, .dsts = dsts, .destMaxs = sizes, .srcs = srcs,
		.sizes = sizes, .numBatches = 2, .attrs = &attr, .attrsIndexes = &first, .numAttrs = 1,
		.failIndex = &failed, .stream = sc.s);
	want(sc.fixture, "async-copy-h2h:error");
}

/* Of two addresses that no table knows nothing is evaluated, unless the call says that both are the host's.
 */
static void h2h_of_unknown_sides(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	char *nowhere = (char *)0x600000000000;

	(void)state;
	sc.fixture->class = ACL_HOST_UNKNOWN;
	COPY(sc, nowhere, nowhere + 4096, 64, HOST_TO_DEVICE, sc.s);
	assert_int_equal(fixture_count(sc.fixture, "async-copy-h2h"), 0);
	COPY(sc, nowhere, sc.h, 64, HOST_TO_DEVICE, sc.s);
	assert_int_equal(fixture_count(sc.fixture, "async-copy-h2h"), 1);
	COPY(sc, sc.d, nowhere, 64, HOST_TO_DEVICE, sc.s);
	assert_int_equal(fixture_count(sc.fixture, "async-copy-h2h"), 2);
}

static void h2h_run_mode_device(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	aclrtRunMode mode = ACL_DEVICE;

	(void)state;
	CALL(sc.fixture, aclrtGetRunMode, 0, .runMode = &mode);
	COPY(sc, sc.h + 64, sc.h, 64, DEFAULT, sc.s);
	silent(sc.fixture);
}

static void h2h_zero_and_self(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	COPY(sc, sc.h + 64, sc.h, 0, HOST_TO_HOST, sc.s);
	COPY(sc, sc.h, sc.h, 64, HOST_TO_HOST, sc.s);
	silent(sc.fixture);
}

static void h2h_null_stream_every_target(void **state)
{
	(void)state;
	for (int target = ACL_CANN_8_1; target <= ACL_CANN_9_2; target++) {
		struct scenario sc = scenario(target, 64 * KIB);

		COPY(sc, sc.h + 64, sc.h, 64, HOST_TO_HOST, NULL);
		want(sc.fixture, "async-copy-h2h:error");
	}
}

static void h2h_refused_call_explains_its_error(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	CALL(sc.fixture, aclrtMemcpyAsync, 207000, .dst = sc.h + 64, .destMax = 64, .src = sc.h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_HOST, .stream = sc.s);
	want(sc.fixture, "async-copy-h2h:error api-error:advice*");
}

static void h2h_proved_by_refusal(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	sc.fixture->class = ACL_HOST_UNKNOWN;
	CALL(sc.fixture, aclrtMemcpyAsync, 207000, .dst = (void *)0x40000000, .destMax = 64,
		.src = (void *)0x50000000, .count = 64, .kind = ACL_MEMCPY_DEFAULT, .stream = sc.s);
	want(sc.fixture, "async-copy-h2h:error");
	CALL(sc.fixture, aclrtMemcpyAsync, 207000, .dst = sc.d, .destMax = 64, .src = (void *)0x50000000,
		.count = 64, .kind = ACL_MEMCPY_DEFAULT, .stream = sc.s);
	want(sc.fixture, "api-error:advice"); /* refused for another reason */
}

static void h2h_freed_and_reused(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	CALL(sc.fixture, aclrtFreeHost, 0, .hostPtr = sc.h);
	/* The same addresses are now a device's. */
	fixture_malloc(sc.fixture, HOST_MEMORY, 64 * KIB);
	COPY(sc, sc.h + 64, sc.h, 64, DEFAULT, sc.s);
	silent(sc.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(h2h_pinned),
		cmocka_unit_test(h2h_sync_is_legal),
		cmocka_unit_test(h2h_default_kind),
		cmocka_unit_test(h2h_corrected_kind),
		cmocka_unit_test(h2h_unknown_addresses),
		cmocka_unit_test(h2h_pageable),
		cmocka_unit_test(h2h_registered),
		cmocka_unit_test(h2h_managed_is_device),
		cmocka_unit_test(h2h_2d_and_batch),
		cmocka_unit_test(h2h_of_unknown_sides),
		cmocka_unit_test(h2h_run_mode_device),
		cmocka_unit_test(h2h_zero_and_self),
		cmocka_unit_test(h2h_null_stream_every_target),
		cmocka_unit_test(h2h_refused_call_explains_its_error),
		cmocka_unit_test(h2h_proved_by_refusal),
		cmocka_unit_test(h2h_freed_and_reused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
