/* SPDX-License-Identifier: Apache-2.0 */
/* The tables get no more memory: there is no checker, or what it could not keep is unknown and the run says
 * so. */
#include "fixture.h"

#include "checks/engine/instance.h"
#include "tests/checks/bare_checker.h"

struct short_memory {
	unsigned calls, refused;
	bool once;
};

static void *memory_up_to(void *context, size_t bytes)
{
	struct short_memory *m = context;

	m->calls++;
	return m->calls == m->refused || (m->calls > m->refused && !m->once) ? NULL : memory(NULL, bytes);
}

/* Whichever part comes last: there is a checker, or none. */
static void created_without_memory(void **state)
{
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};
	struct short_memory m = {.refused = 1};
	struct checks_host host = {.memory = memory_up_to, .context = &m};

	(void)state;
	while (!checks_create(&config, &host)) {
		assert_true(m.calls >= m.refused);
		m = (struct short_memory){.refused = m.refused + 1};
		assert_true(m.refused < 1000);
	}
	assert_true(m.refused > 10);
}

/* What lacks is not forgotten where there is memory again. */
static void created_with_a_gap(void **state)
{
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};
	struct short_memory m = {.once = true};
	struct checks_host host = {.memory = memory_up_to, .context = &m};
	struct checks *c;

	(void)state;
	do {
		m = (struct short_memory){.refused = m.refused + 1, .once = true};
		c = checks_create(&config, &host);
		assert_int_equal(c != NULL, m.calls < m.refused);
	} while (!c);
	assert_true(m.refused > 10);
}

/* After that many calls of right_program() there is no memory left for the tables; 0 = it does not end. */
static unsigned steps_left;

#define NEXT(fixture, ...)                                                                                   \
	do {                                                                                                 \
		if (steps_left && !--steps_left)                                                             \
			fixture_use_up_memory(fixture);                                                      \
		CALL(fixture, __VA_ARGS__);                                                                  \
	} while (0)

/* A bit of everything, all of it right. */
static void right_program(struct fixture *fixture)
{
	void *s = fixture_stream(fixture, 1), *other = fixture_stream(fixture, 2),
	     *e = fixture_event(fixture, 3, ACL_EVENT_SYNC);
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096),
	     *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096);
	void *notify = handle(4), *model = handle(5), *context = handle(6),
	     *range = (void *)(DEVICE_MEMORY + (1ul << 32));
	const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle physical = handle(7);

	NEXT(fixture, aclrtMemcpyAsync, 0, .dst = d, .destMax = 4096, .src = h, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
	NEXT(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	NEXT(fixture, aclrtStreamWaitEvent, 0, .stream = other, .event = e);
	NEXT(fixture, aclrtMemcpyAsync, 0, .dst = h, .destMax = 4096, .src = d, .count = 4096,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = other);
	NEXT(fixture, aclrtSynchronizeStream, 0, .stream = other);
	NEXT(fixture, aclrtCreateNotify, 0, .notify = &notify);
	NEXT(fixture, aclrtRecordNotify, 0, .notify = notify, .stream = s);
	NEXT(fixture, aclrtWaitAndResetNotify, 0, .notify = notify, .stream = other);
	NEXT(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	NEXT(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 4096, .count = 4096, .stream = s);
	NEXT(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &model);
	NEXT(fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = s);
	NEXT(fixture, aclrtSynchronizeDevice, 0);
	NEXT(fixture, aclmdlRIDestroy, 0, .modelRI = model);
	NEXT(fixture, aclrtReserveMemAddress, 0, .virPtr = &range, .size = 4u << 20);
	NEXT(fixture, aclrtMallocPhysical, 0, .handle = &physical, .size = 2u << 20, .prop = &prop);
	NEXT(fixture, aclrtMapMem, 0, .virPtr = range, .size = 2u << 20, .handle = physical);
	NEXT(fixture, aclrtMemset, 0, .devPtr = range, .maxCount = 64, .count = 64);
	NEXT(fixture, aclrtUnmapMem, 0, .virPtr = range);
	NEXT(fixture, aclrtFreePhysical, 0, .handle = physical);
	NEXT(fixture, aclrtReleaseMemAddress, 0, .virPtr = range);
	NEXT(fixture, aclrtDestroyNotify, 0, .notify = notify);
	NEXT(fixture, aclrtDestroyEvent, 0, .event = e);
	NEXT(fixture, aclrtDestroyStream, 0, .stream = s);
	NEXT(fixture, aclrtDestroyStream, 0, .stream = other);
	NEXT(fixture, aclrtFree, 0, .devPtr = d);
	NEXT(fixture, aclrtFreeHost, 0, .hostPtr = h);
	NEXT(fixture, aclrtCreateContext, 0, .context = &context, .deviceId = 0);
	NEXT(fixture, aclrtDestroyContext, 0, .context = context);
}

/* What could not be remembered is unknown, and the run says so; nothing is reported for it. */
static void memory_ends_anywhere(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	unsigned before = fixture->n_memory, needed;
	struct checks_totals totals;

	(void)state;
	right_program(fixture);
	silent(fixture);
	needed = fixture->n_memory - before;
	assert_true(needed > 2);
	fixture_free(fixture);
	for (unsigned i = 0; i < 2 * needed; i++) {
		unsigned n = i / 2 + 1;

		fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
		fixture->refused = fixture->n_memory + n;
		fixture->refused_once = i % 2;
		right_program(fixture);
		silent(fixture);
		checks_totals(fixture->checks, &totals);
		if (!totals.degraded)
			fail_msg("memory %u of %u was refused, and that is not said", n, needed);
		fixture_free(fixture);
	}
}

/* The same at each call, and not only where a page of tables ends. */
static void memory_ends_at_each_call(void **state)
{
	unsigned n = 0;

	(void)state;
	do {
		struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);

		steps_left = ++n;
		right_program(fixture);
		silent(fixture);
		fixture_free(fixture);
	} while (!steps_left);
	assert_true(n > 20);
	steps_left = 0;
}

/* Blocks, the tables that lead to them and objects grow at different numbers. */
static void memory_ends_while_tables_grow(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	struct checks_totals totals;

	(void)state;
	fixture_keep(fixture);
	for (unsigned n = 10; n < 600; n += 10) {
		fixture_again(fixture);
		for (unsigned i = 0; i < n + 300; i++) {
			if (i == n)
				fixture_use_up_memory(fixture);
			fixture_malloc(fixture, DEVICE_MEMORY + i * (i % 7 + 1) * (1ul << 21), 4096 + i);
			fixture_event(fixture, i + 1, ACL_EVENT_SYNC);
		}
		silent(fixture);
		checks_totals(fixture->checks, &totals);
		assert_true(totals.degraded);
	}
	fixture_free(fixture);
}

/* Too many copies to compare each with each, and not in the order of their addresses. */
static void large_batch(struct fixture *fixture, char *d, char *h)
{
	enum { ENTRIES = 100 };
	void *to[ENTRIES], *from[ENTRIES];
	size_t sizes[ENTRIES], index[1] = {0}, failed;
	aclrtMemcpyBatchAttr attribute = {
		.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE, .srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST};

	for (unsigned i = 0; i < ENTRIES; i++) {
		to[i] = d + (ENTRIES - i) * 8;
		from[i] = h + i * 8;
		sizes[i] = 8;
	}
	CALL(fixture, aclrtMemcpyBatch, 0, .dsts = to, .destMaxs = sizes, .srcs = from, .sizes = sizes,
		.numBatches = ENTRIES, .attrs = &attribute, .attrsIndexes = index, .numAttrs = 1,
		.failIndex = &failed);
}

/* Its entries have room from the time before, and sorting them needs more. */
static void memory_ends_between_batches(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096),
	     *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096);

	(void)state;
	large_batch(fixture, d, h);
	fixture_use_up_memory(fixture);
	large_batch(fixture, d, h);
	silent(fixture);
	fixture_free(fixture);
}

/* Copies of two captured streams in turn, each behind the other: round after round of waits is kept. */
static void rounds_in_capture(
	struct fixture *fixture, void *streams[2], void *e, void *d, void *h, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		void *now = streams[i % 2], *next = streams[(i + 1) % 2];

		CALL(fixture, aclrtMemcpyAsync, 0, .dst = d, .destMax = 4096, .src = h, .count = 4096,
			.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = now);
		CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = now);
		CALL(fixture, aclrtStreamWaitEvent, 0, .stream = next, .event = e);
	}
}

/* A wait that is not kept, of so many, is an order that is not known, and no missing one. */
static void more_waits_than_are_kept(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	void *streams[2] = {fixture_stream(fixture, 1), fixture_stream(fixture, 2)},
	     *e = fixture_event(fixture, 3, ACL_EVENT_SYNC);
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096),
	     *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096);

	(void)state;
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = streams[0],
		.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	rounds_in_capture(fixture, streams, e, d, h, 10000);
	never(fixture, "stream-race-copy");
	fixture_free(fixture);
}

static void memory_refused(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	struct checks_totals totals;

	(void)state;
	fixture->no_memory = true;
	for (unsigned i = 0; i < 30000; i++)
		fixture_event(fixture, i, ACL_EVENT_SYNC);
	checks_totals(fixture->checks, &totals);
	assert_true(totals.degraded);
	assert_non_null(totals.degraded_text);
	silent(fixture); /* what could not be followed is not checked */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_refused),
		cmocka_unit_test(memory_ends_between_batches),
		cmocka_unit_test(more_waits_than_are_kept),
		cmocka_unit_test(created_without_memory),
		cmocka_unit_test(created_with_a_gap),
		cmocka_unit_test(memory_ends_anywhere),
		cmocka_unit_test(memory_ends_at_each_call),
		cmocka_unit_test(memory_ends_while_tables_grow),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
