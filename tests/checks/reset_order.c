/* SPDX-License-Identifier: Apache-2.0 */
/* Devices reset while objects live, and the order in which objects are released. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS

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

/* One object of each kind that a reset must not leave behind; the context comes last, the others are of the
 * default one. */
static void create_each_kind(struct fixture *fixture, unsigned n)
{
	aclrtNotify notify = handle(n + 2);
	aclrtCntNotify counting = handle(n + 3);
	aclrtLabel label = handle(n + 4);
	aclrtContext context = handle(n + 5);

	fixture_stream(fixture, n);
	fixture_event(fixture, n + 1, ACL_EVENT_SYNC);
	CALL(fixture, aclrtCreateNotify, 0, .notify = &notify);
	CALL(fixture, aclrtCntNotifyCreate, 0, .cntNotify = &counting);
	CALL(fixture, aclrtCreateLabel, 0, .label = &label);
	CALL(fixture, aclrtCreateContext, 0, .context = &context, .deviceId = 0);
}

/* All are counted, each kind by its name, and one of each is shown. */
static void reset_every_kind_alive(void **state)
{
	static const char *const left[] = {
		"1 context, 1 stream, 1 event, 1 notify, 1 count notify, 1 label",
		"2 contexts, 2 streams, 2 events, 2 notifies, 2 count notifies, 2 labels",
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		char text[192];

		create_each_kind(fixture, 10);
		if (i)
			create_each_kind(fixture, 20);
		silent(fixture);
		RESET(fixture);
		want(fixture, "device-reset-with-live-objects:error");
		snprintf(text, sizeof(text), "Device 0 goes out of use while the program still has %s on it.",
			left[i]);
		assert_string_equal(fixture->found[0].detail, text);
		assert_int_equal(fixture->found[0].n_objects, ACL_FINDING_OBJECTS);
		fixture_free(fixture);
	}
}

static char *allocate(struct fixture *fixture, unsigned n, uint64_t size, unsigned line)
{
	void *d = (void *)(DEVICE_MEMORY + n * (1ul << 30));
	struct acl_args_aclrtMalloc args = {.devPtr = &d, .size = size};

	fixture_call(fixture, ACL_API_aclrtMalloc, &args, 0, line);
	return d;
}

/* The place in the text, which names the largest sites first. */
static size_t at(const struct fixture_finding *f, const char *text)
{
	const char *found = strstr(f->text, text);

	assert_non_null(found);
	return (size_t)(found - f->text);
}

/* Sites of leaks: the largest first, together as many as there are. */
static void leaks_by_site(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	const struct fixture_finding *f;

	(void)state;
	allocate(fixture, 0, 4096, 1);
	allocate(fixture, 1, 8192, 2);
	allocate(fixture, 2, 1024, 3);
	allocate(fixture, 3, 4096, 1);
	allocate(fixture, 4, 4096, 1);
	RESET(fixture);
	want(fixture, "leak-device-memory:warning");
	f = &fixture->found[0];
	assert_string_equal(f->detail, "device memory: 5 blocks of 21 KiB, from 3 call sites, still "
				       "allocated when the device is reset");
	assert_true(at(f, "120000000000, 4096 bytes") < at(f, ", 8192 bytes"));
	assert_true(at(f, ", 8192 bytes") < at(f, ", 1024 bytes"));
	fixture_free(fixture);
}

/* Of things without a size: where most were made; beyond the sites that are kept all are counted. */
static void leaked_objects_by_site(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	const struct fixture_finding *f;
	aclrtNotify n = handle(1);

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct acl_args_aclrtCreateNotify args = {.notify = &n};

		n = handle(1 + i);
		fixture_call(fixture, ACL_API_aclrtCreateNotify, &args, 0, i < 10 ? 10 : 500 + i % 70);
	}
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	want(fixture, "finalize-missing-at-exit:warning leak-objects:warning");
	f = &fixture->found[1];
	assert_non_null(strstr(f->detail, "100"));
	assert_non_null(strstr(f->detail, "from more than 64 call sites"));
	fixture_free(fixture);
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

/* Of the records on several streams, the one before the last. */
static void order_former_stream(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *a = fixture_stream(fixture, 1), *b = fixture_stream(fixture, 2),
	     *e = fixture_event(fixture, 3, ACL_EVENT_SYNC);

	(void)state;
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = a);
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = b);
	CALL(fixture, aclrtDestroyStream, 0, .stream = a);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reset_clean),
		cmocka_unit_test(reset_stream_alive),
		cmocka_unit_test(reset_event_alive),
		cmocka_unit_test(reset_context_alive),
		cmocka_unit_test(reset_every_kind_alive),
		cmocka_unit_test(leaks_by_site),
		cmocka_unit_test(leaked_objects_by_site),
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
		cmocka_unit_test(order_former_stream),
		cmocka_unit_test(order_context_first),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
