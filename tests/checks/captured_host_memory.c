/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory of captured copies: page-locked, and known to be. */
#include "fixture.h"
#include "scenario.h"

#include <string.h>

static void unpinned_heap(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	BEGIN(sc, RELAXED);
	COPY(sc, sc.d, (void *)0x50000000, 64, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "capture-unpinned-host:error");
	COPY(sc, (void *)0x50000010, sc.d, 64, DEVICE_TO_HOST, sc.s);
	want(sc.fixture, "capture-unpinned-host:error");
}

static void unpinned_pinned(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	BEGIN(sc, RELAXED);
	COPY(sc, sc.d, sc.h + 64, 64, HOST_TO_DEVICE, sc.s);
	COPY(sc, sc.d, sc.d + 64, 64, DEVICE_TO_DEVICE, sc.s);
	silent(sc.fixture);
}

/* The other side is a variable of the device, which has no address here. */
static void unpinned_to_symbol(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	BEGIN(sc, RELAXED);
	CALL(sc.fixture, aclrtMemcpyToSymbolAsync, 0, .symbol = handle(50), .src = sc.h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = sc.s);
	silent(sc.fixture);
	CALL(sc.fixture, aclrtMemcpyToSymbolAsync, 0, .symbol = handle(50), .src = (void *)0x50000000,
		.count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = sc.s);
	want(sc.fixture, "capture-unpinned-host:error");
	assert_non_null(strstr(sc.fixture->found[0].detail, "symbol is a device symbol"));
}

static void unpinned_registered(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	void *out = NULL;

	(void)state;
	CALL(sc.fixture, aclrtHostRegister, 0, .ptr = (void *)0x50000000, .size = 4096, .devPtr = &out);
	BEGIN(sc, RELAXED);
	COPY(sc, sc.d, (void *)0x50000040, 64, HOST_TO_DEVICE, sc.s);
	silent(sc.fixture);
	CALL(sc.fixture, aclrtHostUnregister, 0, .ptr = (void *)0x50000000);
	sc.fixture->n_seen = sc.fixture->n_found;
	COPY(sc, sc.d, (void *)0x50000040, 64, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "capture-unpinned-host:error");
}

static void unpinned_failed_register(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	void *out = NULL;

	(void)state;
	CALL(sc.fixture, aclrtHostRegister, 507899, .ptr = (void *)0x50000000, .size = 4096, .devPtr = &out);
	want(sc.fixture, "api-error:warning");
	BEGIN(sc, RELAXED);
	COPY(sc, sc.d, (void *)0x50000040, 64, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "capture-unpinned-host:error");
}

static void unpinned_other_stream(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	void *other = fixture_stream(sc.fixture, 2);

	(void)state;
	BEGIN(sc, RELAXED);
	COPY(sc, sc.d, (void *)0x50000000, 64, HOST_TO_DEVICE, other);
	silent(sc.fixture);
}

static void unpinned_before_and_after(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	aclmdlRI model = handle(9);

	(void)state;
	COPY(sc, sc.d, (void *)0x50000000, 64, HOST_TO_DEVICE, sc.s);
	BEGIN(sc, RELAXED);
	CALL(sc.fixture, aclmdlRICaptureEnd, 0, .stream = sc.s, .modelRI = &model);
	COPY(sc, sc.d, (void *)0x50000000, 64, HOST_TO_DEVICE, sc.s);
	silent(sc.fixture);
}

static void unpinned_default_kind(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	BEGIN(sc, RELAXED);
	COPY(sc, sc.d, (void *)0x50000000, 64, DEFAULT, sc.s);
	want(sc.fixture, "capture-unpinned-host:error");
}

static void unpinned_proved_by_refusal(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	BEGIN(sc, RELAXED);
	sc.fixture->class = ACL_HOST_UNKNOWN;
	COPY(sc, sc.d, (void *)0x50000000, 64, HOST_TO_DEVICE, sc.s);
	silent(sc.fixture);
	CALL(sc.fixture, aclrtMemcpyAsync, 107000, .dst = sc.d, .destMax = 64, .src = (void *)0x50000000,
		.count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = sc.s);
	want(sc.fixture, "capture-unpinned-host:error");
}

static void unpinned_2d_and_batch(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	void *dsts[] = {sc.d}, *srcs[] = {(void *)0x50000000};
	size_t sizes[] = {16}, failed, first = 0;
	aclrtMemcpyBatchAttr attr = {.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

	(void)state;
	BEGIN(sc, RELAXED);
	CALL(sc.fixture, aclrtMemcpy2dAsync, 0, .dst = sc.d, .dpitch = 64, .src = (void *)0x50000000,
		.spitch = 64, .width = 16, .height = 4, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = sc.s);
	want(sc.fixture, "capture-unpinned-host:error");
	CALL(sc.fixture, aclrtMemcpyBatchAsync, 0, .dsts = dsts, .destMaxs = sizes, .srcs = srcs,
		.sizes = sizes, .numBatches = 1, .attrs = &attr, .attrsIndexes = &first, .numAttrs = 1,
		.failIndex = &failed, .stream = sc.s);
	want(sc.fixture, "capture-unpinned-host:error");
}

static void unpinned_joined_stream(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	void *other = fixture_stream(sc.fixture, 2), *fork = fixture_event(sc.fixture, 3, ACL_EVENT_SYNC);

	(void)state;
	BEGIN(sc, RELAXED);
	CALL(sc.fixture, aclrtRecordEvent, 0, .event = fork, .stream = sc.s);
	CALL(sc.fixture, aclrtStreamWaitEvent, 0, .stream = other, .event = fork);
	sc.fixture->tid = 2; /* another thread, same context */
	CALL(sc.fixture, aclrtSetDevice, 0, .deviceId = 0);
	COPY(sc, sc.d, (void *)0x50000000, 64, HOST_TO_DEVICE, other);
	want(sc.fixture, "capture-unpinned-host:error");
}

static void unpinned_failed_begin(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	CALL(sc.fixture, aclmdlRICaptureBegin, 107000, .stream = sc.s,
		.mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	want(sc.fixture, "api-error:warning");
	COPY(sc, sc.d, (void *)0x50000000, 64, HOST_TO_DEVICE, sc.s);
	silent(sc.fixture);
}

static void unpinned_ended_by_failure(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);
	aclmdlRI model = NULL;

	(void)state;
	BEGIN(sc, RELAXED);
	CALL(sc.fixture, aclmdlRICaptureEnd, 107025, .stream = sc.s, .modelRI = &model);
	want(sc.fixture, "api-error:warning");
	COPY(sc, sc.d, (void *)0x50000000, 64, HOST_TO_DEVICE, sc.s);
	silent(sc.fixture);
}

static void unpinned_freed_pinned(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, 64 * KIB);

	(void)state;
	CALL(sc.fixture, aclrtFreeHost, 0, .hostPtr = sc.h);
	BEGIN(sc, RELAXED);
	COPY(sc, sc.d, sc.h, 64, HOST_TO_DEVICE, sc.s);
	want(sc.fixture, "capture-unpinned-host:error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unpinned_heap),
		cmocka_unit_test(unpinned_pinned),
		cmocka_unit_test(unpinned_to_symbol),
		cmocka_unit_test(unpinned_registered),
		cmocka_unit_test(unpinned_failed_register),
		cmocka_unit_test(unpinned_other_stream),
		cmocka_unit_test(unpinned_before_and_after),
		cmocka_unit_test(unpinned_default_kind),
		cmocka_unit_test(unpinned_proved_by_refusal),
		cmocka_unit_test(unpinned_2d_and_batch),
		cmocka_unit_test(unpinned_joined_stream),
		cmocka_unit_test(unpinned_failed_begin),
		cmocka_unit_test(unpinned_ended_by_failure),
		cmocka_unit_test(unpinned_freed_pinned),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
