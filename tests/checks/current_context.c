/* SPDX-License-Identifier: Apache-2.0 */
/* The current context of a thread: missing, of another thread, of another stream; numbers of devices. */
#include "fixture.h"
#include "scenario.h"

static void context_probes_and_lower_layers(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);
	int32_t device = 0;
	aclrtContext context = NULL;
	void *p = (void *)DEVICE_MEMORY;

	(void)state;
	CALL(fixture, aclInit, 0, .configPath = NULL);
	CALL(fixture, aclrtGetDevice, 107002, .deviceId = &device);
	CALL(fixture, aclrtGetCurrentContext, 107002, .context = &context);
	silent(fixture);
	/* A library below us has set a device: the call works. */
	CALL(fixture, aclrtMalloc, 0, .devPtr = &p, .size = SIZE);
	silent(fixture);
	CALL(fixture, aclrtMalloc, 107002, .devPtr = &p, .size = SIZE);
	want(fixture, "current-context-missing:error");
}

static void context_of_other_thread(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtStream s = NULL;

	(void)state;
	fixture->tid = 2;
	CALL(fixture, aclrtCreateStream, 107002, .stream = &s);
	want(fixture, "current-context-missing:error");
	assert_non_null(strstr(fixture->found[0].detail, "not inherited"));
}

/* Of functions that the model says nothing of, the runtime does; those that only query mean nothing by it. */
static void context_missed_by_the_runtime(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	size_t size = 0;

	(void)state;
	sc.fixture->tid = 2;
	CALL(sc.fixture, aclrtGetMemcpyDescSize, 107002, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
		.descSize = &size);
	want(sc.fixture, "api-error:warning");
	CALL(sc.fixture, aclmdlRICaptureBegin, 107002, .stream = sc.s,
		.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	want(sc.fixture, "current-context-missing:error");
	CALL(sc.fixture, aclrtResetOverflowStatus, 107002, .stream = sc.s);
	want(sc.fixture, "current-context-missing:error");
	/* The stream's context is set, or another one below us: it is not missing here. */
	sc.fixture->tid = 1;
	CALL(sc.fixture, aclmdlRICaptureBegin, 107002, .stream = sc.s,
		.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	want(sc.fixture, "api-error:warning");
}

/* Some functions that end or set something wait for the device or look at the context first. */
static void context_missed_at_the_end(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclmdlRI model = handle(8);

	(void)state;
	CALL(sc.fixture, aclmdlRICaptureBegin, 0, .stream = sc.s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(sc.fixture, aclmdlRICaptureEnd, 0, .stream = sc.s, .modelRI = &model);
	silent(sc.fixture);
	sc.fixture->tid = 2;
	CALL(sc.fixture, aclmdlRIDestroy, 107002, .modelRI = model);
	want(sc.fixture, "current-context-missing:error");
	CALL(sc.fixture, aclrtFreeWithDevSync, 107002, .devPtr = sc.d);
	want(sc.fixture, "current-context-missing:error");
	CALL(sc.fixture, aclrtFreeHostWithDevSync, 107002, .hostPtr = sc.h);
	want(sc.fixture, "current-context-missing:error");
	CALL(sc.fixture, aclrtSetStreamFailureMode, 107002, .stream = sc.s, .mode = ACL_STOP_ON_FAILURE);
	want(sc.fixture, "current-context-missing:error");
}

/* The answer is about the context that is to go. */
static void context_that_is_none(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	fixture->tid = 2;
	CALL(fixture, aclrtDestroyContext, 107002, .context = handle(7));
	want(fixture, "api-error:warning");
}

/* It worked on the device that another thread has reset since. */
static void context_reset_by_another(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtStream s = NULL;

	(void)state;
	fixture->tid = 2;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	fixture->tid = 1;
	CALL(fixture, aclrtResetDeviceForce, 0, .deviceId = 0);
	fixture->n_seen = fixture->n_found;
	fixture->tid = 2;
	CALL(fixture, aclrtCreateStream, 107002, .stream = &s);
	want(fixture, "current-context-missing:error");
}

static void context_streams_by_context(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclrtContext dflt = handle(6), own = handle(7);

	(void)state;
	CALL(sc.fixture, aclrtGetCurrentContext, 0, .context = &dflt);
	CALL(sc.fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	CALL(sc.fixture, aclrtSynchronizeStream, 0, .stream = sc.s); /* not bound to the context */
	silent(sc.fixture);
	CALL(sc.fixture, aclrtMemsetAsync, 107003, .devPtr = sc.d, .maxCount = SIZE, .count = SIZE,
		.stream = sc.s);
	want(sc.fixture, "stream-other-context-use:error");
	CALL(sc.fixture, aclrtSetCurrentContext, 0, .context = dflt);
	SET(sc, sc.s);
	silent(sc.fixture);
}

static void context_switched_below(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclrtContext own = handle(7);

	(void)state;
	CALL(sc.fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	SET(sc, sc.s); /* it worked: a library below switched back */
	silent(sc.fixture);
}

static void context_destroyed_empty(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtContext own = handle(7);
	void *e;

	(void)state;
	CALL(fixture, aclrtCreateContext, 0, .context = &own, .deviceId = 0);
	e = fixture_event(fixture, 1, ACL_EVENT_SYNC); /* events do not matter */
	CALL(fixture, aclrtDestroyContext, 0, .context = own);
	want(fixture, "");
	(void)e;
}

#define USER_OF(fixture, id)                                                                                 \
	CALL(fixture, aclrtGetUserDevIdByLogicDevId, 0, .logicDevId = (id), .userDevid = &user)

/* What a conversion answered is of the kind that it names; other numbers are the program's own. */
static void device_numbers(void **state)
{
	const struct checks_config config = {.target = DOCUMENTS, .visible_devices = "1,0"};
	struct fixture *fixture = fixture_with(&config);
	int32_t logic = 1, user = 0;

	(void)state;
	CALL(fixture, aclInit, 0, .configPath = NULL);
	CALL(fixture, aclrtGetLogicDevIdByPhyDevId, 0, .phyDevId = 3, .logicDevId = &logic);
	USER_OF(fixture, 0);
	never(fixture, "device-id-conversion-semantics");
	CALL(fixture, aclrtGetLogicDevIdByPhyDevId, 0, .phyDevId = 3, .logicDevId = &logic);
	fixture->tid = 2;
	USER_OF(fixture, 1);
	never(fixture, "device-id-conversion-semantics");
	fixture->tid = 1;
	USER_OF(fixture, 1);
	want(fixture, "device-id-conversion-semantics:advice");
	fixture_free(fixture);
	/* All devices are visible: the numbers are the same. */
	fixture = fixture_new(DOCUMENTS);
	CALL(fixture, aclInit, 0, .configPath = NULL);
	CALL(fixture, aclrtGetLogicDevIdByPhyDevId, 0, .phyDevId = 3, .logicDevId = &logic);
	USER_OF(fixture, 1);
	never(fixture, "device-id-conversion-semantics");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(context_probes_and_lower_layers),
		cmocka_unit_test(context_of_other_thread),
		cmocka_unit_test(context_missed_by_the_runtime),
		cmocka_unit_test(context_missed_at_the_end),
		cmocka_unit_test(context_that_is_none),
		cmocka_unit_test(context_reset_by_another),
		cmocka_unit_test(context_streams_by_context),
		cmocka_unit_test(context_switched_below),
		cmocka_unit_test(context_destroyed_empty),
		cmocka_unit_test(device_numbers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
