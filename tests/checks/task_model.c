/* SPDX-License-Identifier: Apache-2.0 */
/* Which model a task on a stream belongs to, and whether it may run again: the process queries it before it
 * keeps a callback. */
#include "fixture.h"

#include "checks/engine/instance.h"

static void callback(void *data)
{
	(void)data;
}

static uint64_t model_of_task(struct fixture *fixture, void *s)
{
	const struct acl_args_aclrtLaunchHostFunc args = {.stream = s, .fn = callback};
	struct acl_call_record call;
	uint64_t model;

	fixture_enter(fixture, &call, ACL_API_aclrtLaunchHostFunc, &args, __LINE__);
	model = checks_task_model(fixture->checks, &call);
	fixture_leave(fixture, &call, 0);
	return model;
}

static void captured_task(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	void *s = fixture_stream(fixture, 1);
	aclmdlRI ri = handle(2);
	uint64_t model;

	(void)state;
	assert_int_equal(model_of_task(fixture, s), CHECKS_RUNS_ONCE);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	model = model_of_task(fixture, s);
	assert_int_not_equal(model, CHECKS_RUNS_ONCE);
	assert_int_not_equal(model, CHECKS_MODEL_UNKNOWN);
	assert_true(checks_model_lives(fixture->checks, model));
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &ri);
	assert_true(checks_model_lives(fixture->checks, model));
	assert_int_equal(model_of_task(fixture, s), CHECKS_RUNS_ONCE);
	/* A destroy that failed did not destroy. */
	CALL(fixture, aclmdlRIDestroy, 107000, .modelRI = ri);
	assert_true(checks_model_lives(fixture->checks, model));
	CALL(fixture, aclmdlRIDestroy, 0, .modelRI = ri);
	assert_false(checks_model_lives(fixture->checks, model));
	assert_false(checks_model_lives(fixture->checks, 0));
}

/* A stream that the checker does not know may be captured, or bound to a model. */
static void task_of_unknown_stream(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	void *s = fixture_stream(fixture, 1);

	(void)state;
	assert_true(model_of_task(fixture, handle(9)) == CHECKS_MODEL_UNKNOWN);
	assert_true(model_of_task(fixture, NULL) == CHECKS_RUNS_ONCE);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	assert_true(model_of_task(fixture, s) == CHECKS_MODEL_UNKNOWN);
}

static uint64_t model_ref(struct fixture *fixture, aclmdlRI ri)
{
	return object_ref(object_live(fixture->checks, ACL_HANDLE_MODEL, ri));
}

/* A task on a bound stream runs with the model that is built. */
static void task_of_bound_stream(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	aclmdlRI ri = handle(2);
	aclrtStream s = handle(1);

	(void)state;
	CALL(fixture, aclrtCreateStreamWithConfig, 0, .stream = &s, .flag = ACL_STREAM_PERSISTENT);
	CALL(fixture, aclmdlRIBuildBegin, 0, .modelRI = &ri);
	CALL(fixture, aclmdlRIBindStream, 107000, .modelRI = ri, .stream = s);
	assert_int_equal(model_of_task(fixture, s), CHECKS_RUNS_ONCE);
	CALL(fixture, aclmdlRIBindStream, 0, .modelRI = ri, .stream = s);
	assert_int_equal(model_of_task(fixture, s), model_ref(fixture, ri));
	CALL(fixture, aclmdlRIUnbindStream, 0, .modelRI = ri, .stream = s);
	assert_int_equal(model_of_task(fixture, s), CHECKS_RUNS_ONCE);
}

/* A task that updates a captured one runs with its model from then on. */
static void task_of_an_update(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	void *s = fixture_stream(fixture, 1);
	aclrtTaskGrp group = handle(3);
	aclmdlRI ri = handle(2);

	(void)state;
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(fixture, aclmdlRICaptureTaskGrpBegin, 0, .stream = s);
	CALL(fixture, aclmdlRICaptureTaskGrpEnd, 0, .stream = s, .handle = &group);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &ri);
	CALL(fixture, aclmdlRICaptureTaskUpdateBegin, 0, .stream = s, .handle = group);
	assert_int_equal(model_of_task(fixture, s), model_ref(fixture, ri));
	CALL(fixture, aclmdlRICaptureTaskUpdateEnd, 0, .stream = s);
	assert_int_equal(model_of_task(fixture, s), CHECKS_RUNS_ONCE);
	/* Of a group that is not known. */
	CALL(fixture, aclmdlRICaptureTaskUpdateBegin, 0, .stream = s, .handle = handle(4));
	assert_true(model_of_task(fixture, s) == CHECKS_MODEL_UNKNOWN);
	CALL(fixture, aclmdlRICaptureTaskUpdateEnd, 0, .stream = s);
	/* The model is gone, and the call that began is not known to have failed. */
	CALL(fixture, aclmdlRICaptureTaskUpdateBegin, 0, .stream = s, .handle = group);
	CALL(fixture, aclmdlRIDestroy, 0, .modelRI = ri);
	assert_true(model_of_task(fixture, s) == CHECKS_MODEL_UNKNOWN);
}

/* A begin that failed may have begun all the same. */
static void task_of_an_unsure_capture(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	void *s = fixture_stream(fixture, 1);

	(void)state;
	CALL(fixture, aclmdlRICaptureBegin, 507000, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	assert_true(model_of_task(fixture, s) == CHECKS_MODEL_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captured_task),
		cmocka_unit_test(task_of_unknown_stream),
		cmocka_unit_test(task_of_bound_stream),
		cmocka_unit_test(task_of_an_update),
		cmocka_unit_test(task_of_an_unsure_capture),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("the model of a task", tests, NULL, NULL);
}
