/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end: aclInit, aclFinalize, what is left over. */
#include <stdio.h>

#include "fixture.h"
#include "scenario.h"

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

/* Destructors release, and prepare that; a thread that works on is another matter. */
static void work_in_the_exit(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *memory = NULL, *event = NULL;
	uint64_t word = 0;

	(void)state;
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	FINALIZE(fixture);
	fixture->in_exit = true;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtSynchronizeDevice, 0);
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	silent(fixture);
	CALL(fixture, aclrtMallocHost, 0, .hostPtr = &memory, .size = SIZE);
	want(fixture, "use-after-finalize:warning");
	CALL(fixture, aclrtReserveMemAddress, 0, .virPtr = &memory, .size = SIZE);
	want(fixture, "use-after-finalize:warning");
	CALL(fixture, aclrtCreateEvent, 0, .event = &event);
	want(fixture, "use-after-finalize:warning");
	CALL(fixture, aclrtValueWrite, 0, .devAddr = &word, .value = 1);
	want(fixture, "use-after-finalize:warning");
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
	/* A library initialised before we could see it: not this caller's repeat. */
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

static void init_missing_exemptions(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);
	int32_t major, minor, patch;

	(void)state;
	CALL(fixture, aclrtGetVersion, 0, .majorVersion = &major, .minorVersion = &minor,
		.patchVersion = &patch);
	CALL(fixture, aclrtGetSocName, 0);
	silent(fixture);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	want(fixture, "init-missing:error");
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 1); /* once per process */
	silent(fixture);
}

static void finalize_after_counted_sets(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	CALL(fixture, aclFinalize, 0);
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	silent(fixture);
}

static void finalize_with_device(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS), *newer = fixture_ready(ACL_CANN_8_5),
		       *late = fixture_ready(DOCUMENTS);

	(void)state;
	CALL(fixture, aclFinalize, 0);
	want(fixture, "finalize-before-reset:error");
	CALL(newer, aclFinalize, 0);
	want(newer, "finalize-before-reset:warning");
	late->in_exit = true;
	CALL(late, aclFinalize, 0);
	want(late, "finalize-before-reset:warning");
}

static void end_of_other_kinds(void **state)
{
	struct scenario quick = scenario(DOCUMENTS, SIZE), child = scenario(DOCUMENTS, SIZE);

	(void)state;
	checks_finish(quick.fixture->checks, CHECKS_END_QUICK);
	silent(quick.fixture);
	checks_forked(child.fixture->checks);
	checks_finish(child.fixture->checks, CHECKS_END_EXIT);
	silent(child.fixture);
}

/* What is left behind the end of the runtime was forgotten, however the process ends. */
static void left_by_quick_exit(void **state)
{
	struct fixture *over = fixture_ready(DOCUMENTS), *again = fixture_ready(DOCUMENTS);
	struct scenario open = scenario(DOCUMENTS, SIZE);

	(void)state;
	COPY(open, open.h, open.d, SIZE, DEVICE_TO_HOST, open.s);
	CALL(open.fixture, aclFinalize, 0);
	checks_finish(open.fixture->checks, CHECKS_END_QUICK);
	want(open.fixture, "finalize-before-reset:error async-copy-never-synchronized:warning "
			   "leak-device-memory:warning "
			   "leak-host-memory:warning leak-objects:warning");
	fixture_malloc_host(over, HOST_MEMORY, SIZE);
	CALL(over, aclrtResetDevice, 0, .deviceId = 0);
	CALL(over, aclFinalize, 0);
	checks_finish(over->checks, CHECKS_END_QUICK);
	want(over, "leak-host-memory:warning");
	fixture_malloc_host(again, HOST_MEMORY, SIZE);
	CALL(again, aclrtResetDevice, 0, .deviceId = 0);
	CALL(again, aclFinalize, 0);
	CALL(again, aclInit, 0);
	checks_finish(again->checks, CHECKS_END_QUICK);
	silent(again);
}

static void leaks_once_by_device(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		fixture_malloc(fixture, DEVICE_MEMORY + i * (1ul << 20), SIZE);
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	want(fixture, "leak-device-memory:warning");
	assert_non_null(strstr(fixture->found[0].detail, "8 blocks of 32 KiB"));
	CALL(fixture, aclFinalize, 0);
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	silent(fixture);
}

/* Devices that were reached by contexts only, and none was ever set. */
static void leaks_of_own_contexts(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);
	aclrtContext first = handle(1), second = handle(2);

	(void)state;
	CALL(fixture, aclInit, 0, .configPath = NULL);
	CALL(fixture, aclrtCreateContext, 0, .context = &first, .deviceId = 0);
	fixture_malloc(fixture, DEVICE_MEMORY, SIZE);
	CALL(fixture, aclrtCreateContext, 0, .context = &second, .deviceId = 1);
	fixture_malloc(fixture, DEVICE_MEMORY + (1ul << 20), SIZE);
	fixture_malloc(fixture, DEVICE_MEMORY + (2ul << 20), SIZE);
	CALL(fixture, aclrtDestroyContext, 0, .context = second);
	CALL(fixture, aclrtSetCurrentContext, 0, .context = first);
	CALL(fixture, aclrtDestroyContext, 0, .context = first);
	CALL(fixture, aclFinalize, 0);
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	want(fixture, "leak-device-memory:warning leak-device-memory:warning");
	assert_non_null(strstr(fixture->found[0].detail, "1 block of 4 KiB"));
	assert_non_null(strstr(fixture->found[1].detail, "2 blocks of 8 KiB"));
}

static void leaks_not_twice(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	fixture_event(fixture, 1, ACL_EVENT_SYNC);
	CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
	want(fixture, "device-reset-with-live-objects:error");
	CALL(fixture, aclFinalize, 0);
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	silent(fixture);
}

/* Whichever call ends the runtime, and only that one. */
static void finalize_after_main(void **state)
{
	struct fixture *fixture;
	uint64_t left = 1;

	(void)state;
	for (unsigned counted = 0; counted < 2; counted++) {
		fixture = fixture_ready(DOCUMENTS);
		INIT(fixture, 100002);
		CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
		want(fixture, "init-repeat:error");
		fixture->in_exit_handlers = true;
		if (counted) {
			CALL(fixture, aclFinalizeReference, 0, .refCount = &left);
			never(fixture, "finalize-in-destructor");
			left = 0;
			CALL(fixture, aclFinalizeReference, 0, .refCount = &left);
		} else {
			FINALIZE(fixture);
		}
		want(fixture, "finalize-in-destructor:warning");
	}
}

/* Those that are set still are all named, those that were reset are not; a finding has room for eight of
 * them. */
static void finalize_with_devices(void **state)
{
	static const char *const left[] = {"device 1 is", "device 1, 3 are", "device 1, 3, 5 are",
		"device 1, 3, 5, 7, 9, 11, 13, 15 are"};
	static const int last[] = {2, 4, 6, 30};

	(void)state;
	for (unsigned i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		unsigned n = last[i] < 16 ? (unsigned)last[i] / 2 : 8;
		char text[128];

		for (int device = 1; device <= last[i]; device++)
			CALL(fixture, aclrtSetDevice, 0, .deviceId = device);
		for (int device = 0; device <= last[i]; device += 2)
			CALL(fixture, aclrtResetDevice, 0, .deviceId = device);
		silent(fixture);
		CALL(fixture, aclFinalize, 0);
		want(fixture, "finalize-before-reset:error");
		snprintf(text, sizeof(text), "%s set and not reset since", left[i]);
		assert_string_equal(fixture->found[0].detail, text);
		assert_int_equal(fixture->found[0].n_values, n);
		assert_int_equal(fixture->found[0].n_objects, n < 4 ? n : 4);
		fixture_free(fixture);
	}
}

/* Counted down, the process is over with the last reference, whether or not the count is asked for. */
static void callback_after_the_last_reference(void **state)
{
	(void)state;
	for (unsigned asks = 0; asks < 2; asks++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		uint64_t left = 1;

		CALL(fixture, aclInit, 100002, .configPath = NULL);
		CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
		CALL(fixture, aclFinalizeReference, 0, .refCount = asks ? &left : NULL);
		CALL(fixture, aclFinalizeCallbackRegister, 0, .type = ACL_REG_TYPE_ACL_DVPP,
			.cbFunc = handle(1));
		left = 0;
		CALL(fixture, aclFinalizeReference, 0, .refCount = asks ? &left : NULL);
		CALL(fixture, aclFinalizeCallbackRegister, 0, .type = ACL_REG_TYPE_ACL_DVPP,
			.cbFunc = handle(2));
		fixture->n_seen = fixture->n_found;
		checks_finish(fixture->checks, CHECKS_END_EXIT);
		want(fixture, "finalize-callback-after-finalize:advice");
		assert_string_equal(
			fixture->found[fixture->n_found - 1].rule->id, "finalize-callback-after-finalize");
		fixture_free(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init_twice),
		cmocka_unit_test(callback_after_the_last_reference),
		cmocka_unit_test(init_by_target),
		cmocka_unit_test(init_other_module),
		cmocka_unit_test(init_after_finalize),
		cmocka_unit_test(work_in_the_exit),
		cmocka_unit_test(init_after_finalize_reference),
		cmocka_unit_test(init_reference_without_output),
		cmocka_unit_test(init_failed_first),
		cmocka_unit_test(init_failed_finalize),
		cmocka_unit_test(init_other_thread),
		cmocka_unit_test(init_unseen_first),
		cmocka_unit_test(init_inside_runtime),
		cmocka_unit_test(init_says_config_is_ignored),
		cmocka_unit_test(init_unknown_runtime_auto),
		cmocka_unit_test(init_missing_exemptions),
		cmocka_unit_test(finalize_after_counted_sets),
		cmocka_unit_test(finalize_with_device),
		cmocka_unit_test(finalize_with_devices),
		cmocka_unit_test(end_of_other_kinds),
		cmocka_unit_test(left_by_quick_exit),
		cmocka_unit_test(finalize_after_main),
		cmocka_unit_test(leaks_once_by_device),
		cmocka_unit_test(leaks_of_own_contexts),
		cmocka_unit_test(leaks_not_twice),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
