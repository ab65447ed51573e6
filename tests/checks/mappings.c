/* SPDX-License-Identifier: Apache-2.0 */
/* One physical memory that is mapped at several addresses: what tasks do there is done to the same bytes. */
#include "order_calls.h"
#include "two_streams.h"

#define MIB2 (2u << 20)
#define RANGE (DEVICE_MEMORY + (1ull << 30))
#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

struct mapped {
	struct two_streams x;
	aclrtDrvMemHandle handle;
	char *range; /* room for four */
};

static aclrtDrvMemHandle physical(struct mapped *m, unsigned n)
{
	aclrtPhysicalMemProp prop = {.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle out = handle(n);

	CALL(m->x.fixture, aclrtMallocPhysical, 0, .handle = &out, .size = MIB2, .prop = &prop);
	return out;
}

static void map(struct mapped *m, unsigned at, aclrtDrvMemHandle handle)
{
	CALL(m->x.fixture, aclrtMapMem, 0, .virPtr = m->range + at * MIB2, .size = MIB2, .handle = handle);
}

static void unmap(struct mapped *m, unsigned at)
{
	CALL(m->x.fixture, aclrtUnmapMem, 0, .virPtr = m->range + at * MIB2);
}

/* Twice, at the first two places. */
static struct mapped mapped(void)
{
	struct mapped m = {.x = two_streams(), .range = (char *)RANGE};
	void *range = m.range;

	CALL(m.x.fixture, aclrtReserveMemAddress, 0, .virPtr = &range, .size = 4 * MIB2);
	m.handle = physical(&m, 20);
	map(&m, 0, m.handle);
	map(&m, 1, m.handle);
	return m;
}

static void copy(struct mapped *m, unsigned at, unsigned offset, void *on)
{
	CALL(m->x.fixture, aclrtMemcpyAsync, 0, .dst = m->range + at * MIB2 + offset, .destMax = 4096,
		.src = m->x.h, .count = 4096, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = on);
}

static void read_back(struct mapped *m, unsigned at, void *on)
{
	static char *host = (char *)HOST_MEMORY + (1u << 20);

	fixture_malloc_host(m->x.fixture, (uintptr_t)host, 4096);
	CALL(m->x.fixture, aclrtMemcpyAsync, 0, .dst = host, .destMax = 4096, .src = m->range + at * MIB2,
		.count = 4096, .kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = on);
}

static void is_race(struct mapped *m)
{
	want(m->x.fixture, "stream-race-copy:error");
	fixture_free(m->x.fixture);
}

static void is_none(struct mapped *m)
{
	silent(m->x.fixture);
	fixture_free(m->x.fixture);
}

static void two_mappings(void **state)
{
	struct mapped m = mapped();

	(void)state;
	copy(&m, 0, 8192, m.x.s);
	copy(&m, 1, 8192, m.x.t);
	is_race(&m);
}

/* Of its own accesses the stream renews one, and that is one more to compare. */
static void the_same_once_more(void **state)
{
	struct mapped m = mapped();

	(void)state;
	copy(&m, 1, 0, m.x.t);
	join(m.x.fixture, m.x.event, m.x.t, m.x.s);
	copy(&m, 0, 0, m.x.s);
	silent(m.x.fixture);
	copy(&m, 1, 0, m.x.t);
	is_race(&m);
}

static void other_bytes(void **state)
{
	struct mapped m = mapped();

	(void)state;
	copy(&m, 0, 0, m.x.s);
	copy(&m, 1, 4096, m.x.t);
	is_none(&m);
}

static void other_memory(void **state)
{
	struct mapped m = mapped();

	(void)state;
	map(&m, 2, physical(&m, 21));
	copy(&m, 0, 0, m.x.s);
	copy(&m, 2, 0, m.x.t);
	is_none(&m);
}

static void in_order(void **state)
{
	struct mapped m = mapped();

	(void)state;
	copy(&m, 0, 0, m.x.s);
	join(m.x.fixture, m.x.event, m.x.s, m.x.t);
	copy(&m, 1, 0, m.x.t);
	CALL(m.x.fixture, aclrtSynchronizeStream, 0, .stream = m.x.t);
	copy(&m, 0, 0, m.x.s);
	is_none(&m);
}

static void both_read(void **state)
{
	struct mapped m = mapped();

	(void)state;
	copy(&m, 0, 0, m.x.s);
	CALL(m.x.fixture, aclrtSynchronizeStream, 0, .stream = m.x.s);
	read_back(&m, 0, m.x.s);
	CALL(m.x.fixture, aclrtSynchronizeStream, 0, .stream = m.x.s);
	read_back(&m, 1, m.x.t);
	is_none(&m);
}

/* The other mapping may go while a task uses this one; what is mapped there since is other memory. */
static void the_other_mapping_goes(void **state)
{
	struct mapped m = mapped();

	(void)state;
	copy(&m, 1, 0, m.x.t);
	unmap(&m, 0);
	silent(m.x.fixture);
	map(&m, 0, physical(&m, 21));
	copy(&m, 0, 0, m.x.s);
	silent(m.x.fixture);
	/* And a third one is the same memory again. */
	map(&m, 2, m.handle);
	copy(&m, 2, 0, m.x.s);
	is_race(&m);
}

/* The host waits for nothing. */
static void copied_at_once(void **state)
{
	struct mapped m = mapped();

	(void)state;
	copy(&m, 0, 0, m.x.s);
	CALL(m.x.fixture, aclrtMemcpy, 0, .dst = m.range + MIB2, .destMax = 4096, .src = m.x.h, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	want(m.x.fixture, "async-result-used-before-sync:warning");
	fixture_free(m.x.fixture);
}

/* An execution, and the task of another stream, the one first or the other. */
static void beside_a_model(void **state)
{
	(void)state;
	for (unsigned model_first = 0; model_first < 2; model_first++) {
		struct mapped m = mapped();
		aclmdlRI model = handle(30);

		CALL(m.x.fixture, aclmdlRICaptureBegin, 0, .stream = m.x.s, .mode = RELAXED);
		copy(&m, 0, 0, m.x.s);
		CALL(m.x.fixture, aclmdlRICaptureEnd, 0, .stream = m.x.s, .modelRI = &model);
		if (!model_first)
			copy(&m, 1, 0, m.x.t);
		CALL(m.x.fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = m.x.s);
		if (model_first)
			copy(&m, 1, 0, m.x.t);
		is_race(&m);
	}
}

/* The host waits for no execution. */
static void copied_beside_a_model(void **state)
{
	struct mapped m = mapped();
	aclmdlRI model = handle(30);

	(void)state;
	CALL(m.x.fixture, aclmdlRICaptureBegin, 0, .stream = m.x.s, .mode = RELAXED);
	copy(&m, 0, 0, m.x.s);
	CALL(m.x.fixture, aclmdlRICaptureEnd, 0, .stream = m.x.s, .modelRI = &model);
	CALL(m.x.fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = m.x.s);
	CALL(m.x.fixture, aclrtMemcpy, 0, .dst = m.range + MIB2, .destMax = 4096, .src = m.x.h, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	want(m.x.fixture, "async-result-used-before-sync:warning");
	fixture_free(m.x.fixture);
}

/* Two tasks of one model. */
static void within_a_model(void **state)
{
	(void)state;
	for (unsigned ordered = 0; ordered < 2; ordered++) {
		struct mapped m = mapped();
		aclmdlRI model = handle(30);

		CALL(m.x.fixture, aclmdlRICaptureBegin, 0, .stream = m.x.s, .mode = RELAXED);
		join(m.x.fixture, m.x.event, m.x.s, m.x.t);
		copy(&m, 0, 0, m.x.t);
		if (ordered)
			join(m.x.fixture, m.x.event, m.x.t, m.x.s);
		copy(&m, 1, 0, m.x.s);
		if (!ordered)
			join(m.x.fixture, m.x.event, m.x.t, m.x.s);
		CALL(m.x.fixture, aclmdlRICaptureEnd, 0, .stream = m.x.s, .modelRI = &model);
		want(m.x.fixture, ordered ? "" : "stream-race-copy:error");
		fixture_free(m.x.fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_mappings),
		cmocka_unit_test(the_same_once_more),
		cmocka_unit_test(other_bytes),
		cmocka_unit_test(other_memory),
		cmocka_unit_test(in_order),
		cmocka_unit_test(both_read),
		cmocka_unit_test(the_other_mapping_goes),
		cmocka_unit_test(copied_at_once),
		cmocka_unit_test(beside_a_model),
		cmocka_unit_test(copied_beside_a_model),
		cmocka_unit_test(within_a_model),
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("memory at several addresses", tests, NULL, NULL);
}
