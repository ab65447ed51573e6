/* SPDX-License-Identifier: Apache-2.0 */
/* The five founding rules, each in a dozen variants of both polarities. */
#include "fixture.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define KIB 1024ul

/* --- async-copy-alignment ------------------------------------------------------ */

struct bench {
	struct fixture *fixture;
	char *d, *h; /* 64 KiB of device and of page-locked memory */
	void *s;
};

static struct bench bench(int target)
{
	struct bench b = {.fixture = fixture_ready(target)};

	b.d = fixture_malloc(b.fixture, DEVICE_MEMORY, 64 * KIB);
	b.h = fixture_malloc_host(b.fixture, HOST_MEMORY, 64 * KIB);
	b.s = fixture_stream(b.fixture, 1);
	return b;
}

#define COPY(b, to, from, n, how, stream_)                                                                   \
	CALL((b).fixture, aclrtMemcpyAsync, 0, .dst = (to), .destMax = 64 * KIB, .src = (from),              \
		.count = (n), .kind = ACL_MEMCPY_##how, .stream = (stream_))

static void align_base(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	COPY(b, b.d, b.h, 100, HOST_TO_DEVICE, b.s);
	silent(b.fixture);
}

static void align_interior(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	COPY(b, b.d, b.h + 12, 100, HOST_TO_DEVICE, b.s);
	want(b.fixture, "async-copy-alignment:error");
	assert_non_null(strstr(b.fixture->found[0].detail, "12 bytes past a 64-byte boundary"));
	assert_non_null(
		strstr(b.fixture->found[0].detail, "12 bytes into the 64 KiB page-locked host memory"));
	COPY(b, b.d, b.h + 128, 100, HOST_TO_DEVICE, b.s);
	silent(b.fixture);
}

static void align_destination(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	COPY(b, b.d + 4, b.h, 100, HOST_TO_DEVICE, b.s);
	want(b.fixture, "async-copy-alignment:error");
	COPY(b, b.h + 1, b.d, 100, DEVICE_TO_HOST, b.s);
	want(b.fixture, "async-copy-alignment:error");
}

static void align_length_is_free(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	COPY(b, b.d, b.h, 1, HOST_TO_DEVICE, b.s);
	COPY(b, b.d + 64, b.h + 64, 3, DEFAULT, b.s);
	silent(b.fixture);
}

static void align_synchronous(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	CALL(b.fixture, aclrtMemcpy, 0, .dst = b.d + 1, .destMax = 100, .src = b.h + 1, .count = 100,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	silent(b.fixture);
}

static void align_default_kind_null_stream(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	COPY(b, b.d, b.h + 8, 100, DEFAULT, NULL);
	want(b.fixture, "async-copy-alignment:error");
}

static void align_zero_count_and_buffered(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	COPY(b, b.d + 3, b.h + 3, 0, HOST_TO_DEVICE, b.s);
	COPY(b, b.d, b.h + 3, 100, HOST_TO_BUF_TO_DEVICE, b.s);
	silent(b.fixture);
}

static void align_2d_and_batch(void **state)
{
	struct bench b = bench(DOCUMENTS);
	void *dsts[] = {b.d + 3}, *srcs[] = {b.h + 3};
	size_t sizes[] = {16}, failed, first = 0;
	aclrtMemcpyBatchAttr attr = {.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

	(void)state;
	CALL(b.fixture, aclrtMemcpy2dAsync, 0, .dst = b.d + 1, .dpitch = 64, .src = b.h + 1, .spitch = 64,
		.width = 16, .height = 4, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = b.s);
	CALL(b.fixture, aclrtMemcpyBatchAsync, 0, .dsts = dsts, .destMaxs = sizes, .srcs = srcs,
		.sizes = sizes, .numBatches = 1, .attrs = &attr, .attrsIndexes = &first, .numAttrs = 1,
		.failIndex = &failed, .stream = b.s);
	silent(b.fixture);
}

static void align_with_condition(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	CALL(b.fixture, aclrtMemcpyAsyncWithCondition, 0, .dst = b.d, .destMax = 64, .src = b.h + 2,
		.count = 8, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = b.s);
	want(b.fixture, "async-copy-alignment:error");
}

static void align_registered_and_managed(void **state)
{
	struct bench b = bench(DOCUMENTS);
	char *mine = (char *)0x600000000000ul;
	void *managed = (void *)0x700000000000ul, *out = NULL;

	(void)state;
	CALL(b.fixture, aclrtHostRegister, 0, .ptr = mine, .size = 4096, .devPtr = &out);
	CALL(b.fixture, aclrtMemAllocManaged, 0, .ptr = &managed, .size = 4096,
		.flag = ACL_RT_MEM_ATTACH_GLOBAL);
	COPY(b, b.d, mine + 64, 64, HOST_TO_DEVICE, b.s);
	COPY(b, b.d, managed, 64, DEFAULT, b.s);
	silent(b.fixture);
	COPY(b, b.d, mine + 65, 64, HOST_TO_DEVICE, b.s);
	want(b.fixture, "async-copy-alignment:error");
	COPY(b, b.d, (char *)managed + 8, 64, DEFAULT, b.s);
	want(b.fixture, "async-copy-alignment:error");
}

static void align_pageable_by_target(void **state)
{
	struct bench strict = bench(DOCUMENTS), newer = bench(ACL_CANN_8_5);
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
	struct bench b = bench(ACL_CANN_9_1);

	(void)state;
	COPY(b, b.d, b.h + 16, 64, HOST_TO_DEVICE, b.s);
	silent(b.fixture);
	COPY(b, b.d, b.d + 1000, 64, DEVICE_TO_DEVICE, b.s);
	want(b.fixture, "async-copy-alignment:warning");
}

static void align_auto_target(void **state)
{
	struct bench b = bench(CHECKS_TARGET_AUTO);

	(void)state;
	COPY(b, b.d, b.h + 16, 64, HOST_TO_DEVICE, b.s);
	want(b.fixture, "async-copy-alignment:error");
	checks_set_runtime(b.fixture->checks, ACL_CANN_9_1);
	COPY(b, b.d, b.h + 16, 64, HOST_TO_DEVICE, b.s);
	silent(b.fixture);
}

static void align_other_thread_and_inside(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	b.fixture->tid = 2;
	CALL(b.fixture, aclrtSetDevice, 0, .deviceId = 0);
	COPY(b, b.d, b.h + 16, 64, HOST_TO_DEVICE, b.s);
	want(b.fixture, "async-copy-alignment:error");
	b.fixture->inside = true; /* the runtime's own call */
	COPY(b, b.d, b.h + 16, 64, HOST_TO_DEVICE, b.s);
	silent(b.fixture);
}

static void align_repeats(void **state)
{
	struct bench b = bench(DOCUMENTS);
	struct checks_totals totals;

	(void)state;
	for (int i = 0; i < 1000; i++)
		COPY(b, b.d, b.h + 16, 64, HOST_TO_DEVICE, b.s);
	assert_int_equal(b.fixture->n_found, 4); /* 1, 10, 100, 1000 */
	assert_int_equal(b.fixture->found[3].repeat, 1000);
	checks_totals(b.fixture->checks, &totals);
	assert_int_equal(totals.findings[ACL_SEV_ERROR], 1000);
}

/* --- async-copy-h2h --------------------------------------------------------------- */

static void h2h_pinned(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	COPY(b, b.h + 4096, b.h, 64, HOST_TO_HOST, b.s);
	want(b.fixture, "async-copy-h2h:error");
}

static void h2h_sync_is_legal(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	CALL(b.fixture, aclrtMemcpy, 0, .dst = b.h + 64, .destMax = 64, .src = b.h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_HOST);
	silent(b.fixture);
}

static void h2h_default_kind(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	COPY(b, b.h + 4096, b.h, 64, DEFAULT, b.s);
	want(b.fixture, "async-copy-h2h:error");
	COPY(b, b.d, b.h, 64, DEFAULT, b.s);
	silent(b.fixture);
}

static void h2h_corrected_kind(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	/* Says device, means host: corrected by the runtime to what it is. */
	COPY(b, b.h + 4096, b.h, 64, HOST_TO_DEVICE, b.s);
	want(b.fixture, "async-copy-h2h:error");
	/* Says host, means device: another rule's matter. */
	COPY(b, b.d, b.h, 64, HOST_TO_HOST, b.s);
	want(b.fixture, "memcpy-kind-location-mismatch:warning");
}

static void h2h_unknown_addresses(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	b.fixture->class = ACL_HOST_UNKNOWN;
	COPY(b, (void *)0x40000000, (void *)0x50000000, 64, DEFAULT, b.s);
	COPY(b, (void *)0x40000000, (void *)0x50000000, 64, DEVICE_TO_DEVICE, b.s);
	silent(b.fixture);
	COPY(b, (void *)0x40000000, (void *)0x50000000, 64, HOST_TO_HOST, b.s);
	want(b.fixture, "async-copy-h2h:error");
}

static void h2h_pageable(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	COPY(b, (void *)0x40000000, (void *)0x50000000, 64, DEFAULT, b.s);
	want(b.fixture, "async-copy-h2h:error");
}

static void h2h_registered(void **state)
{
	struct bench b = bench(DOCUMENTS);
	void *out = NULL;

	(void)state;
	CALL(b.fixture, aclrtHostRegister, 0, .ptr = (void *)0x40000000, .size = 4096, .devPtr = &out);
	COPY(b, (void *)0x40000000, b.h, 64, DEFAULT, b.s);
	want(b.fixture, "async-copy-h2h:error");
}

static void h2h_managed_is_device(void **state)
{
	struct bench b = bench(DOCUMENTS);
	void *managed = (void *)0x700000000000ul;

	(void)state;
	CALL(b.fixture, aclrtMemAllocManaged, 0, .ptr = &managed, .size = 4096,
		.flag = ACL_RT_MEM_ATTACH_GLOBAL);
	COPY(b, managed, b.h, 64, DEFAULT, b.s);
	silent(b.fixture);
}

static void h2h_2d_and_batch(void **state)
{
	struct bench b = bench(DOCUMENTS);
	void *dsts[] = {b.d, b.h + 64}, *srcs[] = {b.h, b.h};
	size_t sizes[] = {16, 16}, failed, first = 0;
	aclrtMemcpyBatchAttr attr = {.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

	(void)state;
	CALL(b.fixture, aclrtMemcpy2dAsync, 100000, .dst = b.h + 4096, .dpitch = 64, .src = b.h, .spitch = 64,
		.width = 16, .height = 4, .kind = ACL_MEMCPY_HOST_TO_HOST, .stream = b.s);
	want(b.fixture, "async-copy-h2h:error");
	CALL(b.fixture, aclrtMemcpyBatchAsync, 0, .dsts = dsts, .destMaxs = sizes, .srcs = srcs,
		.sizes = sizes, .numBatches = 1, .attrs = &attr, .attrsIndexes = &first, .numAttrs = 1,
		.failIndex = &failed, .stream = b.s);
	silent(b.fixture);
	CALL(b.fixture, aclrtMemcpyBatchAsync, 0, .dsts = dsts, .destMaxs = sizes, .srcs = srcs,
		.sizes = sizes, .numBatches = 2, .attrs = &attr, .attrsIndexes = &first, .numAttrs = 1,
		.failIndex = &failed, .stream = b.s);
	want(b.fixture, "async-copy-h2h:error");
}

static void h2h_run_mode_device(void **state)
{
	struct bench b = bench(DOCUMENTS);
	aclrtRunMode mode = ACL_DEVICE;

	(void)state;
	CALL(b.fixture, aclrtGetRunMode, 0, .runMode = &mode);
	COPY(b, b.h + 64, b.h, 64, DEFAULT, b.s);
	silent(b.fixture);
}

static void h2h_zero_and_self(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	COPY(b, b.h + 64, b.h, 0, HOST_TO_HOST, b.s);
	COPY(b, b.h, b.h, 64, HOST_TO_HOST, b.s);
	silent(b.fixture);
}

static void h2h_null_stream_every_target(void **state)
{
	(void)state;
	for (int target = ACL_CANN_8_1; target <= ACL_CANN_9_2; target++) {
		struct bench b = bench(target);

		COPY(b, b.h + 64, b.h, 64, HOST_TO_HOST, NULL);
		want(b.fixture, "async-copy-h2h:error");
	}
}

static void h2h_refused_call_explains_its_error(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	CALL(b.fixture, aclrtMemcpyAsync, 207000, .dst = b.h + 64, .destMax = 64, .src = b.h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_HOST, .stream = b.s);
	want(b.fixture, "async-copy-h2h:error api-error:advice*");
}

static void h2h_proved_by_refusal(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	b.fixture->class = ACL_HOST_UNKNOWN;
	CALL(b.fixture, aclrtMemcpyAsync, 207000, .dst = (void *)0x40000000, .destMax = 64,
		.src = (void *)0x50000000, .count = 64, .kind = ACL_MEMCPY_DEFAULT, .stream = b.s);
	want(b.fixture, "async-copy-h2h:error");
	CALL(b.fixture, aclrtMemcpyAsync, 207000, .dst = b.d, .destMax = 64, .src = (void *)0x50000000,
		.count = 64, .kind = ACL_MEMCPY_DEFAULT, .stream = b.s);
	want(b.fixture, "api-error:advice"); /* refused for another reason */
}

static void h2h_freed_and_reused(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	CALL(b.fixture, aclrtFreeHost, 0, .hostPtr = b.h);
	/* The same addresses are now a device's. */
	fixture_malloc(b.fixture, HOST_MEMORY, 64 * KIB);
	COPY(b, b.h + 64, b.h, 64, DEFAULT, b.s);
	silent(b.fixture);
}

/* --- capture-unpinned-host ------------------------------------------------------------ */

#define BEGIN(b)                                                                                             \
	CALL((b).fixture, aclmdlRICaptureBegin, 0, .stream = (b).s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED)

static void unpinned_heap(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	BEGIN(b);
	COPY(b, b.d, (void *)0x50000000, 64, HOST_TO_DEVICE, b.s);
	want(b.fixture, "capture-unpinned-host:error");
	COPY(b, (void *)0x50000010, b.d, 64, DEVICE_TO_HOST, b.s);
	want(b.fixture, "capture-unpinned-host:error");
}

static void unpinned_pinned(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	BEGIN(b);
	COPY(b, b.d, b.h + 64, 64, HOST_TO_DEVICE, b.s);
	COPY(b, b.d, b.d + 64, 64, DEVICE_TO_DEVICE, b.s);
	silent(b.fixture);
}

static void unpinned_registered(void **state)
{
	struct bench b = bench(DOCUMENTS);
	void *out = NULL;

	(void)state;
	CALL(b.fixture, aclrtHostRegister, 0, .ptr = (void *)0x50000000, .size = 4096, .devPtr = &out);
	BEGIN(b);
	COPY(b, b.d, (void *)0x50000040, 64, HOST_TO_DEVICE, b.s);
	silent(b.fixture);
	CALL(b.fixture, aclrtHostUnregister, 0, .ptr = (void *)0x50000000);
	b.fixture->n_seen = b.fixture->n_found;
	COPY(b, b.d, (void *)0x50000040, 64, HOST_TO_DEVICE, b.s);
	want(b.fixture, "capture-unpinned-host:error");
}

static void unpinned_failed_register(void **state)
{
	struct bench b = bench(DOCUMENTS);
	void *out = NULL;

	(void)state;
	CALL(b.fixture, aclrtHostRegister, 507899, .ptr = (void *)0x50000000, .size = 4096, .devPtr = &out);
	want(b.fixture, "api-error:warning");
	BEGIN(b);
	COPY(b, b.d, (void *)0x50000040, 64, HOST_TO_DEVICE, b.s);
	want(b.fixture, "capture-unpinned-host:error");
}

static void unpinned_other_stream(void **state)
{
	struct bench b = bench(DOCUMENTS);
	void *other = fixture_stream(b.fixture, 2);

	(void)state;
	BEGIN(b);
	COPY(b, b.d, (void *)0x50000000, 64, HOST_TO_DEVICE, other);
	silent(b.fixture);
}

static void unpinned_before_and_after(void **state)
{
	struct bench b = bench(DOCUMENTS);
	aclmdlRI model = handle(9);

	(void)state;
	COPY(b, b.d, (void *)0x50000000, 64, HOST_TO_DEVICE, b.s);
	BEGIN(b);
	CALL(b.fixture, aclmdlRICaptureEnd, 0, .stream = b.s, .modelRI = &model);
	COPY(b, b.d, (void *)0x50000000, 64, HOST_TO_DEVICE, b.s);
	silent(b.fixture);
}

static void unpinned_default_kind(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	BEGIN(b);
	COPY(b, b.d, (void *)0x50000000, 64, DEFAULT, b.s);
	want(b.fixture, "capture-unpinned-host:error");
}

static void unpinned_proved_by_refusal(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	BEGIN(b);
	b.fixture->class = ACL_HOST_UNKNOWN;
	COPY(b, b.d, (void *)0x50000000, 64, HOST_TO_DEVICE, b.s);
	silent(b.fixture);
	CALL(b.fixture, aclrtMemcpyAsync, 107000, .dst = b.d, .destMax = 64, .src = (void *)0x50000000,
		.count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = b.s);
	want(b.fixture, "capture-unpinned-host:error");
}

static void unpinned_2d_and_batch(void **state)
{
	struct bench b = bench(DOCUMENTS);
	void *dsts[] = {b.d}, *srcs[] = {(void *)0x50000000};
	size_t sizes[] = {16}, failed, first = 0;
	aclrtMemcpyBatchAttr attr = {.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

	(void)state;
	BEGIN(b);
	CALL(b.fixture, aclrtMemcpy2dAsync, 0, .dst = b.d, .dpitch = 64, .src = (void *)0x50000000,
		.spitch = 64, .width = 16, .height = 4, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = b.s);
	want(b.fixture, "capture-unpinned-host:error");
	CALL(b.fixture, aclrtMemcpyBatchAsync, 0, .dsts = dsts, .destMaxs = sizes, .srcs = srcs,
		.sizes = sizes, .numBatches = 1, .attrs = &attr, .attrsIndexes = &first, .numAttrs = 1,
		.failIndex = &failed, .stream = b.s);
	want(b.fixture, "capture-unpinned-host:error");
}

static void unpinned_joined_stream(void **state)
{
	struct bench b = bench(DOCUMENTS);
	void *other = fixture_stream(b.fixture, 2), *fork = fixture_event(b.fixture, 3, ACL_EVENT_SYNC);

	(void)state;
	BEGIN(b);
	CALL(b.fixture, aclrtRecordEvent, 0, .event = fork, .stream = b.s);
	CALL(b.fixture, aclrtStreamWaitEvent, 0, .stream = other, .event = fork);
	b.fixture->tid = 2; /* another thread, same context */
	CALL(b.fixture, aclrtSetDevice, 0, .deviceId = 0);
	COPY(b, b.d, (void *)0x50000000, 64, HOST_TO_DEVICE, other);
	want(b.fixture, "capture-unpinned-host:error");
}

static void unpinned_failed_begin(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	CALL(b.fixture, aclmdlRICaptureBegin, 107000, .stream = b.s,
		.mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	want(b.fixture, "api-error:warning");
	COPY(b, b.d, (void *)0x50000000, 64, HOST_TO_DEVICE, b.s);
	silent(b.fixture);
}

static void unpinned_ended_by_failure(void **state)
{
	struct bench b = bench(DOCUMENTS);
	aclmdlRI model = NULL;

	(void)state;
	BEGIN(b);
	CALL(b.fixture, aclmdlRICaptureEnd, 107025, .stream = b.s, .modelRI = &model);
	want(b.fixture, "api-error:warning");
	COPY(b, b.d, (void *)0x50000000, 64, HOST_TO_DEVICE, b.s);
	silent(b.fixture);
}

static void unpinned_freed_pinned(void **state)
{
	struct bench b = bench(DOCUMENTS);

	(void)state;
	CALL(b.fixture, aclrtFreeHost, 0, .hostPtr = b.h);
	BEGIN(b);
	COPY(b, b.d, b.h, 64, HOST_TO_DEVICE, b.s);
	want(b.fixture, "capture-unpinned-host:error");
}

/* --- reset ordering --------------------------------------------------------------------- */

#define RESET(fixture) CALL(fixture, aclrtResetDevice, 0, .deviceId = 0)

static void reset_clean(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *e = fixture_event(fixture, 2, ACL_EVENT_SYNC);

	(void)state;
	CALL(fixture, aclrtDestroyEvent, 0, .event = e);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	RESET(fixture);
	silent(fixture);
}

static void reset_stream_alive(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS), *newer = fixture_ready(ACL_CANN_9_1);

	(void)state;
	fixture_stream(fixture, 1);
	RESET(fixture);
	want(fixture, "device-reset-with-live-objects:error");
	assert_int_equal(fixture->found[0].n_objects, 1);
	fixture_stream(newer, 1);
	RESET(newer);
	want(newer, "device-reset-with-live-objects:warning");
}

static void reset_event_alive(void **state)
{
	struct fixture *fixture = fixture_ready(ACL_CANN_9_1);

	(void)state;
	fixture_stream(fixture, 1);
	fixture_event(fixture, 2, ACL_EVENT_SYNC);
	RESET(fixture);
	want(fixture, "device-reset-with-live-objects:error"); /* an event stays an error on every target */
}

static void reset_context_alive(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtContext context = handle(5);

	(void)state;
	CALL(fixture, aclrtCreateContext, 0, .context = &context, .deviceId = 0);
	RESET(fixture);
	want(fixture, "device-reset-with-live-objects:error");
}

static void reset_counts(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	fixture_stream(fixture, 1);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	RESET(fixture); /* one of two */
	silent(fixture);
	RESET(fixture);
	want(fixture, "device-reset-with-live-objects:error");
}

static void reset_once_in_8_1(void **state)
{
	struct fixture *fixture = fixture_ready(ACL_CANN_8_1);

	(void)state;
	fixture_stream(fixture, 1);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	RESET(fixture);
	want(fixture, "device-reset-with-live-objects:error");
}

static void reset_force(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	fixture_event(fixture, 1, ACL_EVENT_SYNC);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtResetDeviceForce, 0, .deviceId = 0);
	want(fixture, "device-reset-with-live-objects:error");
}

static void reset_failed_creation(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtStream s = handle(1);

	(void)state;
	CALL(fixture, aclrtCreateStream, 507899, .stream = &s);
	want(fixture, "api-error:warning");
	RESET(fixture);
	silent(fixture);
}

static void reset_failed_destroy(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);

	(void)state;
	CALL(fixture, aclrtDestroyStream, 107003, .stream = s);
	want(fixture, "api-error:warning");
	RESET(fixture);
	want(fixture, "device-reset-with-live-objects:error");
}

static void reset_reused_handle(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);

	(void)state;
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	s = fixture_stream(fixture, 1); /* the runtime gives the value out again */
	RESET(fixture);
	want(fixture, "device-reset-with-live-objects:error");
}

static void reset_other_device_and_thread(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 1);
	fixture_stream(fixture, 1); /* of device 1 */
	RESET(fixture);
	silent(fixture);
	fixture->tid = 2;
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 1); /* any thread may reset */
	want(fixture, "device-reset-with-live-objects:error");
}

static void reset_second_context(void **state)
{
	struct fixture *fixture = fixture_ready(ACL_CANN_9_1);
	aclrtContext context = handle(5);

	(void)state;
	CALL(fixture, aclrtCreateContext, 0, .context = &context, .deviceId = 0);
	fixture_stream(fixture, 1);
	CALL(fixture, aclrtDestroyContext, 0, .context = context); /* its stream goes with it */
	want(fixture, "context-destroy-with-streams:warning");
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	RESET(fixture);
	RESET(fixture);
	silent(fixture);
}

static void reset_in_exit_handler(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	fixture_event(fixture, 1, ACL_EVENT_SYNC);
	fixture->in_exit = true;
	RESET(fixture);
	want(fixture, "device-reset-with-live-objects:warning");
}

static void reset_again(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	RESET(fixture);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	fixture_stream(fixture, 1);
	RESET(fixture);
	want(fixture, "device-reset-with-live-objects:error");
	CALL(fixture, aclrtResetDevice, 507007, .deviceId = 0);
	want(fixture, "device-reset-unset:error");
}

static void order_event_last(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS), *newer = fixture_ready(ACL_CANN_8_1);

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct fixture *r = i ? newer : fixture;
		void *s = fixture_stream(r, 1), *e = fixture_event(r, 2, ACL_EVENT_SYNC);

		CALL(r, aclrtRecordEvent, 0, .event = e, .stream = s);
		CALL(r, aclrtDestroyStream, 0, .stream = s);
		CALL(r, aclrtDestroyEvent, 0, .event = e);
		want(r, i ? "" : "device-reset-release-order:advice");
	}
}

static void order_unrelated(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *e = fixture_event(fixture, 2, ACL_EVENT_SYNC);

	(void)state;
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	CALL(fixture, aclrtDestroyEvent, 0, .event = e);
	silent(fixture);
}

static void order_waiting_stream(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *a = fixture_stream(fixture, 1), *b = fixture_stream(fixture, 2),
	     *e = fixture_event(fixture, 3, ACL_EVENT_SYNC);

	(void)state;
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = a);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = b, .event = e);
	CALL(fixture, aclrtDestroyStream, 0, .stream = b);
	CALL(fixture, aclrtDestroyEvent, 0, .event = e);
	want(fixture, "device-reset-release-order:advice");
}

static void order_context_first(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtContext context = handle(5);
	void *e;

	(void)state;
	CALL(fixture, aclrtCreateContext, 0, .context = &context, .deviceId = 0);
	e = fixture_event(fixture, 1, ACL_EVENT_SYNC);
	CALL(fixture, aclrtDestroyContext, 0, .context = context);
	CALL(fixture, aclrtDestroyEvent, 0, .event = e);
	want(fixture, "device-reset-release-order:advice");
}

/* --- init-repeat ----------------------------------------------------------------------------- */

#define INIT(fixture, error) CALL(fixture, aclInit, error, .configPath = NULL)
#define FINALIZE(fixture) CALL(fixture, aclFinalize, 0)

static void init_twice(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	INIT(fixture, 0);
	silent(fixture);
	INIT(fixture, 100002);
	want(fixture, "init-repeat:error");
}

static void init_by_target(void **state)
{
	(void)state;
	for (int target = ACL_CANN_8_1; target <= ACL_CANN_9_2; target++) {
		struct fixture *fixture = fixture_new(target);

		INIT(fixture, 0);
		INIT(fixture, 100002);
		want(fixture, target == ACL_CANN_8_1 ? "init-repeat:error" : "init-repeat:warning");
	}
}

static void init_other_module(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	INIT(fixture, 0);
	fixture->module = 2;
	INIT(fixture, 100002);
	want(fixture, "init-repeat:advice");
	fixture->module = 1;
	INIT(fixture, 100002);
	want(fixture, "init-repeat:error");
}

static void init_after_finalize(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	INIT(fixture, 0);
	FINALIZE(fixture);
	INIT(fixture, 0);
	silent(fixture);
}

static void init_after_finalize_reference(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);
	uint64_t left = 1;

	(void)state;
	INIT(fixture, 0);
	INIT(fixture, 100002);
	want(fixture, "init-repeat:error");
	CALL(fixture, aclFinalizeReference, 0, .refCount = &left);
	INIT(fixture, 100002);
	want(fixture, "init-repeat:error");
	left = 0;
	CALL(fixture, aclFinalizeReference, 0, .refCount = &left);
	INIT(fixture, 0);
	silent(fixture);
}

static void init_reference_without_output(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	INIT(fixture, 0);
	CALL(fixture, aclFinalizeReference, 0, .refCount = NULL);
	INIT(fixture, 0);
	silent(fixture);
}

static void init_failed_first(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	CALL(fixture, aclInit, 100003, .configPath = "nowhere.json");
	want(fixture, "init-config-unreadable:error");
	INIT(fixture, 0);
	silent(fixture);
}

static void init_failed_finalize(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	INIT(fixture, 0);
	CALL(fixture, aclFinalize, 507899);
	want(fixture, "api-error:warning");
	INIT(fixture, 100002);
	want(fixture, "init-repeat:error");
}

static void init_other_thread(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	INIT(fixture, 0);
	fixture->tid = 2;
	INIT(fixture, 100002);
	want(fixture, "init-repeat:error");
}

static void init_unseen_first(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	/* Somebody initialised before we could see it: not this caller's repeat. */
	INIT(fixture, 100002);
	silent(fixture);
}

static void init_inside_runtime(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	INIT(fixture, 0);
	fixture->inside = true;
	INIT(fixture, 100002);
	silent(fixture);
}

static void init_says_config_is_ignored(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	INIT(fixture, 0);
	CALL(fixture, aclInit, 100002, .configPath = "acl.json");
	want(fixture, "init-repeat:error");
	assert_non_null(strstr(fixture->found[0].detail, "configuration is not read"));
	assert_int_equal(fixture->found[0].n_objects, 1);
}

static void init_unknown_runtime_auto(void **state)
{
	struct fixture *fixture = fixture_new(CHECKS_TARGET_AUTO);

	(void)state;
	INIT(fixture, 0);
	checks_set_runtime(fixture->checks, ACL_CANN_8_5);
	INIT(fixture, 100002);
	want(fixture, "init-repeat:warning");
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
		cmocka_unit_test(h2h_pinned),
		cmocka_unit_test(h2h_sync_is_legal),
		cmocka_unit_test(h2h_default_kind),
		cmocka_unit_test(h2h_corrected_kind),
		cmocka_unit_test(h2h_unknown_addresses),
		cmocka_unit_test(h2h_pageable),
		cmocka_unit_test(h2h_registered),
		cmocka_unit_test(h2h_managed_is_device),
		cmocka_unit_test(h2h_2d_and_batch),
		cmocka_unit_test(h2h_run_mode_device),
		cmocka_unit_test(h2h_zero_and_self),
		cmocka_unit_test(h2h_null_stream_every_target),
		cmocka_unit_test(h2h_refused_call_explains_its_error),
		cmocka_unit_test(h2h_proved_by_refusal),
		cmocka_unit_test(h2h_freed_and_reused),
		cmocka_unit_test(unpinned_heap),
		cmocka_unit_test(unpinned_pinned),
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
		cmocka_unit_test(reset_clean),
		cmocka_unit_test(reset_stream_alive),
		cmocka_unit_test(reset_event_alive),
		cmocka_unit_test(reset_context_alive),
		cmocka_unit_test(reset_counts),
		cmocka_unit_test(reset_once_in_8_1),
		cmocka_unit_test(reset_force),
		cmocka_unit_test(reset_failed_creation),
		cmocka_unit_test(reset_failed_destroy),
		cmocka_unit_test(reset_reused_handle),
		cmocka_unit_test(reset_other_device_and_thread),
		cmocka_unit_test(reset_second_context),
		cmocka_unit_test(reset_in_exit_handler),
		cmocka_unit_test(reset_again),
		cmocka_unit_test(order_event_last),
		cmocka_unit_test(order_unrelated),
		cmocka_unit_test(order_waiting_stream),
		cmocka_unit_test(order_context_first),
		cmocka_unit_test(init_twice),
		cmocka_unit_test(init_by_target),
		cmocka_unit_test(init_other_module),
		cmocka_unit_test(init_after_finalize),
		cmocka_unit_test(init_after_finalize_reference),
		cmocka_unit_test(init_reference_without_output),
		cmocka_unit_test(init_failed_first),
		cmocka_unit_test(init_failed_finalize),
		cmocka_unit_test(init_other_thread),
		cmocka_unit_test(init_unseen_first),
		cmocka_unit_test(init_inside_runtime),
		cmocka_unit_test(init_says_config_is_ignored),
		cmocka_unit_test(init_unknown_runtime_auto),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
