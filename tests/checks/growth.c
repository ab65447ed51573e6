/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that grow with what is there at once, not with what ever was, and say when they could not. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "checks/engine/key_index.h"
#include "checks/engine/value_table.h"
#include "checks/state/capture_state.h"
#include "checks/state/order_state.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS

/* Handles whose values never repeat. */
static void *fresh(unsigned n)
{
	return (void *)(0x7e0000000000ul + n * 64ul);
}

/* Bytes the tables got while the cycles ran, after as many to grow to their size. */
static size_t growth(struct fixture *fixture, void (*cycle)(struct fixture *, unsigned), unsigned cycles)
{
	size_t before;

	for (unsigned i = 0; i < cycles; i++)
		cycle(fixture, i);
	before = fixture->bytes;
	for (unsigned i = cycles; i < 5 * cycles; i++)
		cycle(fixture, i);
	return fixture->bytes - before;
}

static void event_cycle(struct fixture *fixture, unsigned n)
{
	aclrtEvent e = fresh(n);

	CALL(fixture, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	CALL(fixture, aclrtDestroyEvent, 0, .event = e);
}

static void handles_that_never_repeat(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	assert_int_equal(growth(fixture, event_cycle, 20000), 0);
	silent(fixture);
}

static void waiting_stream_cycle(struct fixture *fixture, unsigned n)
{
	aclrtStream s = fresh(2 * n), t = fresh(2 * n + 1);
	aclrtEvent e = handle(1);

	CALL(fixture, aclrtCreateStream, 0, .stream = &s);
	CALL(fixture, aclrtCreateStream, 0, .stream = &t);
	CALL(fixture, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = t, .event = e);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = t);
	CALL(fixture, aclrtDestroyEvent, 0, .event = e);
	CALL(fixture, aclrtDestroyStream, 0, .stream = t);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
}

static void streams_that_waited(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	assert_int_equal(growth(fixture, waiting_stream_cycle, 5000), 0);
	silent(fixture);
}

/* A callback behind the wait tells the host what comes before. */
static void telling_stream_cycle(struct fixture *fixture, unsigned n)
{
	(void)n;
	for (unsigned i = 1; i < 5; i++) {
		CALL(fixture, aclrtRecordEvent, 0, .event = handle(9), .stream = handle(i));
		CALL(fixture, aclrtStreamWaitEvent, 0, .stream = handle(i + 1), .event = handle(9));
	}
	CALL(fixture, aclrtLaunchHostFunc, 0, .stream = handle(5), .fn = (void *)handle(8));
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = handle(5));
}

static void streams_that_tell_the_host(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	fixture->other_ways = 0;
	for (unsigned i = 1; i < 6; i++)
		fixture_stream(fixture, i);
	fixture_event(fixture, 9, ACL_EVENT_SYNC);
	assert_int_equal(growth(fixture, telling_stream_cycle, 5000), 0);
	silent(fixture);
}

/* The slot of a stream that waited is used again: its waits are not those of the next one. */
static void waits_of_the_former(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	struct acl_object *o;

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		aclrtStream s = fresh(i);

		CALL(fixture, aclrtCreateStream, 0, .stream = &s);
		o = object_live(fixture->checks, ACL_HANDLE_STREAM, s);
		assert_false(order_unseen(fixture->checks, o));
		CALL(fixture, aclrtValueWait, 0, .stream = s, .devAddr = (void *)DEVICE_MEMORY);
		assert_true(order_unseen(fixture->checks, o));
		CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	}
}

#define CAPTURED 4000 /* objects a model uses: far more than 64 KiB to remember */

static void large_capture_cycle(struct fixture *fixture, unsigned n)
{
	aclrtStream s = handle(1);
	aclmdlRI model = fresh(n);

	CALL(fixture, aclrtCreateStream, 0, .stream = &s);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	for (unsigned i = 0; i < CAPTURED; i++)
		CALL(fixture, aclrtMemsetAsync, 0, .devPtr = (void *)(DEVICE_MEMORY + i * 4096ul),
			.maxCount = 64, .count = 64, .stream = s);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &model);
	CALL(fixture, aclmdlRIDestroy, 0, .modelRI = model);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
}

static void captures_of_many(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	for (unsigned i = 0; i < CAPTURED; i++)
		fixture_malloc(fixture, DEVICE_MEMORY + i * 4096ul, 4096);
	assert_int_equal(growth(fixture, large_capture_cycle, 4), 0);
	silent(fixture);
}

/* A task captured over and over is there once. */
static void same_task_cycle(struct fixture *fixture, unsigned n)
{
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = (void *)(DEVICE_MEMORY + n % 4 * 64ul), .maxCount = 64,
		.count = 64, .stream = handle(1));
}

static void captures_of_the_same(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclmdlRI model = handle(2);

	(void)state;
	fixture->other_ways = 0;
	fixture_stream(fixture, 1);
	fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = handle(1),
		.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	assert_int_equal(growth(fixture, same_task_cycle, 2000), 0);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = handle(1), .modelRI = &model);
	silent(fixture);
}

/* What a capture outgrows is used again by the next one: tasks, streams that join, waits between them. Of the
 * last thousand models the history is kept. */
static void joining_capture_cycle(struct fixture *fixture, unsigned n)
{
	aclrtEvent e = handle(30), back = handle(31);
	aclmdlRI model = fresh(n);

	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = handle(1),
		.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	for (unsigned i = 0; i < 20; i++) {
		aclrtStream other = handle(2 + i % 12);

		CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = handle(1));
		CALL(fixture, aclrtStreamWaitEvent, 0, .stream = other, .event = e);
		CALL(fixture, aclrtMemsetAsync, 0, .devPtr = (void *)(DEVICE_MEMORY + i * 64ul),
			.maxCount = 64, .count = 64, .stream = other);
		CALL(fixture, aclrtRecordEvent, 0, .event = back, .stream = other);
		CALL(fixture, aclrtStreamWaitEvent, 0, .stream = handle(1), .event = back);
	}
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = handle(1), .modelRI = &model);
	CALL(fixture, aclmdlRIDestroy, 0, .modelRI = model);
}

static void captures_of_many_streams(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	fixture->other_ways = 0;
	fixture_malloc(fixture, DEVICE_MEMORY, 1 << 20);
	for (unsigned i = 1; i < 20; i++)
		fixture_stream(fixture, i);
	fixture_event(fixture, 30, ACL_EVENT_SYNC);
	fixture_event(fixture, 31, ACL_EVENT_SYNC);
	/* A table may reach its next size meanwhile; the smallest piece in each cycle is more. */
	assert_in_range(growth(fixture, joining_capture_cycle, 1100), 0, 4400 * 64 - 1);
	silent(fixture);
}

#define ENTRIES 2048

/* From batch to batch on a thread of its own. */
static void growing_batches(struct fixture *fixture, unsigned thread)
{
	static void *to[ENTRIES], *from[ENTRIES];
	static size_t sizes[ENTRIES], index[1], failed;
	static aclrtMemcpyBatchAttr attribute;

	attribute.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	attribute.srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
	for (unsigned i = 0; i < ENTRIES; i++) {
		to[i] = (void *)(DEVICE_MEMORY + i * 64ul);
		from[i] = (void *)(HOST_MEMORY + i * 64ul);
		sizes[i] = 64;
	}
	fixture->tid = thread;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	for (unsigned n = 32; n <= ENTRIES; n *= 2)
		CALL(fixture, aclrtMemcpyBatch, 0, .dsts = to, .destMaxs = sizes, .srcs = from,
			.sizes = sizes, .numBatches = n, .attrs = &attribute, .attrsIndexes = index,
			.numAttrs = 1, .failIndex = &failed);
}

/* Whoever copies in batches of two thousand keeps room for two thousand entries, and not for half and a
 * quarter of them beside. */
static void batches_that_grow(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	size_t before;

	(void)state;
	fixture_malloc(fixture, DEVICE_MEMORY, 1 << 20);
	fixture_malloc_host(fixture, HOST_MEMORY, 1 << 20);
	growing_batches(fixture, 2);
	before = fixture->bytes;
	for (unsigned thread = 3; thread < 35; thread++)
		growing_batches(fixture, thread);
	assert_in_range((fixture->bytes - before) / 32 / ENTRIES, 0, 800);
	silent(fixture);
}

/* --- value tables ----------------------------------------------------------------------- */

static struct value_table *new_table(struct fixture *fixture)
{
	return checks_alloc(fixture->checks, sizeof(struct value_table));
}

static void table_of_many_keys(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	struct value_table *t = new_table(fixture);
	uint64_t key, value, seen = 0;
	uint32_t at = 0;

	(void)state;
	assert_true(value_table_empty(t));
	for (uint64_t i = 1; i <= 100000; i++)
		assert_true(value_table_set(fixture->checks, t, i, i * 3));
	for (uint64_t i = 1; i <= 100000; i++)
		assert_int_equal(value_table_value(t, i), i * 3);
	assert_false(value_table_get(t, 100001, &value));
	assert_false(value_table_get(t, 0, &value));
	while (value_table_next(t, &at, &key, &value)) {
		assert_int_equal(value, key * 3);
		seen++;
	}
	assert_int_equal(seen, 100000);
	value_table_clear(t);
	assert_false(value_table_get(t, 77, &value));
	assert_true(value_table_set(fixture->checks, t, 77, 1));
	assert_int_equal(value_table_value(t, 77), 1);
}

static void keys_of_what_is_gone(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	struct value_table *t = new_table(fixture);
	struct acl_object *kept = object_create(fixture->checks, NULL, ACL_HANDLE_STREAM, handle(1), 0), *o;
	struct acl_block *b;
	uint64_t of_block = 0;
	size_t before = 0;

	(void)state;
	value_table_set_object(fixture->checks, t, kept, 42);
	for (unsigned i = 0; i < 100000; i++) {
		if (i == 50000)
			before = fixture->bytes;
		o = object_create(fixture->checks, NULL, ACL_HANDLE_STREAM, fresh(i), 0);
		assert_true(value_table_set_object(fixture->checks, t, o, i + 1));
		assert_int_equal(value_table_value(t, object_ref(o)), i + 1);
		object_destroyed(fixture->checks, o, NULL, 0);
		b = map_insert(fixture->checks, fixture->checks->maps[MAP_MEMORY], NULL,
			DEVICE_MEMORY + i % 7 * 4096, 4096, MEM_DEVICE, 0);
		of_block = block_ref(b, load_relaxed(&b->generation), false);
		assert_true(value_table_set_of(fixture->checks, t, of_block, of_block, i + 1));
		map_erase(fixture->checks->maps[MAP_MEMORY], b, load_relaxed(&b->generation));
	}
	assert_int_equal(fixture->bytes - before, 0);
	assert_int_equal(value_table_value(t, object_ref(kept)), 42);
}

static void begun_twice(struct fixture *fixture, void *s)
{
	for (unsigned i = 0; i < 2; i++)
		CALL(fixture, aclmdlRICaptureBegin, i ? 507000 : 0, .stream = s);
}

/* What is found with tables that lack something need not be so. */
static void table_without_memory(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	struct value_table *t = new_table(fixture);
	struct checks_totals totals;
	void *s = fixture_stream(fixture, 1), *other = fixture_stream(fixture, 2);
	bool room = true;

	(void)state;
	begun_twice(fixture, s);
	want(fixture, "capture-begin-twice:error");
	assert_true(value_table_set(fixture->checks, t, 1, 1));
	fixture->no_memory = true;
	for (uint64_t i = 2; i < 200000 && room; i++)
		room = value_table_set(fixture->checks, t, i, 1);
	assert_false(room);
	checks_totals(fixture->checks, &totals);
	assert_true(totals.degraded);
	assert_string_equal(totals.degraded_text, "no memory for the checker's tables");
	assert_int_equal(value_table_value(t, 1), 1); /* what was remembered is */
	begun_twice(fixture, other);
	silent(fixture);
}

/* What would be only half known of an object is not known at all. */
static void object_without_memory(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	struct checks *c = fixture->checks;
	struct acl_object *o = NULL;
	struct checks_totals totals;
	void *rare = c;
	unsigned i;

	(void)state;
	for (i = 0; i < 20000; i++)
		object_create(c, NULL, ACL_HANDLE_EVENT, fresh(i), 0);
	fixture->no_memory = true;
	for (i = 0; i < 20000 && rare; i++) {
		o = object_find(c, ACL_HANDLE_EVENT, fresh(i));
		rare = object_rare_make(c, o);
	}
	assert_null(rare);
	assert_false(object_usable(o));
	assert_null(object_find(c, ACL_HANDLE_EVENT, fresh(i - 1)));
	assert_non_null(object_live(c, ACL_HANDLE_EVENT, fresh(i))); /* others are */
	checks_totals(c, &totals);
	assert_true(totals.degraded);
}

/* --- rules behind them --------------------------------------------------------------------- */

/* More distinct streams than a fixed table held: the rule still speaks. */
static void rule_after_many_streams(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	uint64_t thread = 4096;
	aclrtStream s = NULL;

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		s = fresh(i);
		CALL(fixture, aclrtCreateStream, 0, .stream = &s);
		CALL(fixture, aclrtSubscribeReport, 0, .threadId = thread, .stream = s);
	}
	silent(fixture);
	CALL(fixture, aclrtSubscribeReport, 107000, .threadId = thread + 1, .stream = s);
	want(fixture, "subscribe-duplicate:error");
}

static void report(void *data)
{
	(void)data;
}

/* Registered callbacks of more models than a fixed table held are registered. */
static void callbacks_of_many_models(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtStream s = fixture_stream(fixture, 1);

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		aclmdlRI model = fresh(i);

		CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s,
			.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
		CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &model);
		CALL(fixture, aclmdlRIDestroyRegisterCallback, 0, .modelRI = model, .func = report);
		CALL(fixture, aclmdlRIDestroyUnregisterCallback, 0, .modelRI = model, .func = report);
	}
	silent(fixture);
}

/* --- tables of a fixed size --------------------------------------------------------------- */

static bool degraded(struct fixture *fixture, const char *text)
{
	struct checks_totals totals;

	checks_totals(fixture->checks, &totals);
	return totals.degraded && !strcmp(totals.degraded_text, text);
}

static void register_allocator(struct fixture *fixture, unsigned n)
{
	aclrtStream s = fresh(n);

	CALL(fixture, aclrtCreateStream, 0, .stream = &s);
	CALL(fixture, aclrtAllocatorRegister, 0, .stream = s, .allocatorDesc = handle(1));
}

static void export_key(struct fixture *fixture, unsigned n)
{
	char key[65];

	snprintf(key, sizeof(key), "key %u", n);
	fixture_malloc(fixture, DEVICE_MEMORY + n * (1ul << 21), 4096);
	CALL(fixture, aclrtIpcMemGetExportKey, 0, .devPtr = (void *)(DEVICE_MEMORY + n * (1ul << 21)),
		.size = 4096, .key = key, .len = sizeof(key));
}

static void wait_unrecorded(struct fixture *fixture, unsigned n)
{
	aclrtEvent e = fresh(n);
	void *s = handle(3);

	CALL(fixture, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = s, .event = e);
}

static void begin_list(struct fixture *fixture, unsigned n)
{
	CALL(fixture, aclrtKernelArgsInitByUserMem, 0, .funcHandle = handle(1), .argsHandle = fresh(n),
		.userHostMem = fixture, .actualArgsSize = 64);
}

/* More events than are followed: of these nothing is said, and the run is inconclusive. */
static void more_events_than_are_followed(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);
	aclrtEvent e;

	(void)state;
	for (unsigned n = 0; n < OBJECT_CHUNK * OBJECT_CHUNKS; n++)
		assert_non_null(object_create(fixture->checks, NULL, ACL_HANDLE_EVENT, fresh(n), 0));
	assert_false(degraded(fixture, "too many objects of one kind"));
	e = fixture_event(fixture, 2, ACL_EVENT_SYNC);
	assert_true(degraded(fixture, "too many objects of one kind"));
	/* It was never recorded. */
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = s, .event = e);
	CALL(fixture, aclrtDestroyEvent, 0, .event = e);
	silent(fixture);
}

/* A thread without a record: its calls are not checked, and the run is inconclusive. */
static void more_threads_than_are_followed(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	struct acl_call_record call = {.tid = 2, .pthread_id = fixture_pthread(2)};

	(void)state;
	for (unsigned i = 1; i < ACL_THREADS; i++)
		atomic_store(&fixture->checks->threads[i].pthread_id, 3);
	assert_false(degraded(fixture, "more threads than the checker follows"));
	assert_null(checks_thread(fixture->checks, &call));
	assert_true(degraded(fixture, "more threads than the checker follows"));
	fixture_free(fixture);
}

/* What is not remembered makes the run inconclusive, and says which table is full. */
static void full_tables_say_so(void **state)
{
	static const struct {
		void (*add)(struct fixture *, unsigned);
		unsigned fits;
		const char *text;
	} tables[] = {
		{register_allocator, 128, "more registered allocators than the checker follows"},
		{export_key, 512, "more open keys of shared memory than the checker follows"},
		{begin_list, 4096, "more argument lists of kernels than the checker follows"},
		{wait_unrecorded, 256, "more waits for events without a record than the checker follows"},
	};

	(void)state;
	for (unsigned t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);

		fixture_stream(fixture, 3);
		for (unsigned i = 0; i < tables[t].fits; i++)
			tables[t].add(fixture, i);
		assert_false(degraded(fixture, tables[t].text));
		tables[t].add(fixture, tables[t].fits);
		assert_true(degraded(fixture, tables[t].text));
		fixture_free(fixture);
	}
}

/* Each stands for all that the stream did there before. */
static void covering_cycle(struct fixture *fixture, unsigned n)
{
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = (void *)DEVICE_MEMORY, .maxCount = 64 * (n + 1),
		.count = 64 * (n + 1), .stream = handle(3));
}

static void pieces_of_a_block(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	fixture->other_ways = 0;
	fixture_stream(fixture, 3);
	fixture_malloc(fixture, DEVICE_MEMORY, 1 << 20);
	fixture_malloc(fixture, DEVICE_MEMORY + (1 << 24), 4096);
	/* There is another stream to compare it with. */
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = (void *)(DEVICE_MEMORY + (1 << 24)), .maxCount = 64,
		.count = 64, .stream = fixture_stream(fixture, 4));
	assert_int_equal(growth(fixture, covering_cycle, 40), 0);
	silent(fixture);
}

/* Keys come and go: a table is good for as many of them as it has slots, each time that it is used. */
static void table_renewed_rarely(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);
	struct key_index index = {0};
	uint64_t before, value;

	(void)state;
	for (uint64_t key = 1; key <= 10000; key++) {
		assert_true(key_index_put(fixture->checks, &index, key, key, 0, &before));
		if (key <= 50)
			continue;
		key_index_remove(&index, key - 50);
		assert_false(key_index_get(&index, key - 50, &value));
		assert_true(key_index_get(&index, key - 49, &value));
	}
	assert_in_range(load_relaxed(&index.renewals), 1, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handles_that_never_repeat),
		cmocka_unit_test(streams_that_waited),
		cmocka_unit_test(streams_that_tell_the_host),
		cmocka_unit_test(waits_of_the_former),
		cmocka_unit_test(captures_of_many),
		cmocka_unit_test(captures_of_many_streams),
		cmocka_unit_test(captures_of_the_same),
		cmocka_unit_test(batches_that_grow),
		cmocka_unit_test(table_of_many_keys),
		cmocka_unit_test(keys_of_what_is_gone),
		cmocka_unit_test(table_without_memory),
		cmocka_unit_test(object_without_memory),
		cmocka_unit_test(table_renewed_rarely),
		cmocka_unit_test(pieces_of_a_block),
		cmocka_unit_test(rule_after_many_streams),
		cmocka_unit_test(callbacks_of_many_models),
		cmocka_unit_test(more_events_than_are_followed),
		cmocka_unit_test(more_threads_than_are_followed),
		cmocka_unit_test(full_tables_say_so),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
