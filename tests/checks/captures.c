/* SPDX-License-Identifier: Apache-2.0 */
/* Captures and models: what is remembered of them, and correct ways to use them, which stay silent. */
#include "fixture.h"

#include "checks/state/model_execution.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

static void begin(struct fixture *fixture, void *s)
{
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = RELAXED);
}

static aclmdlRI end(struct fixture *fixture, void *s, unsigned n)
{
	aclmdlRI m = handle(n);

	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &m);
	return m;
}

static aclmdlRI captured(struct fixture *fixture, void *s, unsigned n)
{
	begin(fixture, s);
	return end(fixture, s, n);
}

static void execute(struct fixture *fixture, aclmdlRI m, void *s)
{
	CALL(fixture, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = s);
}

static struct acl_object *model_of(struct fixture *fixture, aclmdlRI m)
{
	return object_live(fixture->checks, ACL_HANDLE_MODEL, m);
}

/* --- executions ---------------------------------------------------------------------------- */

static void execution_ends_with_the_stream(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *other = fixture_stream(fixture, 2);
	aclmdlRI m = captured(fixture, s, 3);
	struct acl_object *model = model_of(fixture, m);
	struct model_execution e;

	(void)state;
	assert_false(model_executing(fixture->checks, model, NULL));
	CALL(fixture, aclmdlRIExecuteAsync, 507011, .modelRI = m, .stream = s);
	assert_false(model_executing(fixture->checks, model, NULL));
	execute(fixture, m, s);
	execute(fixture, m, other);
	assert_true(model_executing(fixture->checks, model, &e));
	assert_int_equal(load_relaxed(&e.stream->value), (uintptr_t)s);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	assert_true(model_executing(fixture->checks, model, &e));
	assert_int_equal(load_relaxed(&e.stream->value), (uintptr_t)other);
	CALL(fixture, aclrtDestroyStream, 0, .stream = other);
	assert_false(model_executing(fixture->checks, model, NULL));
	assert_int_equal(model_executions(model), 2);
}

static void many_executions(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *first = fixture_stream(fixture, 2);
	aclmdlRI m = captured(fixture, s, 3);
	struct model_execution e;
	unsigned n = 0;

	(void)state;
	execute(fixture, m, first);
	for (unsigned i = 0; i < 2 * MODEL_EXECUTIONS; i++)
		execute(fixture, m, s);
	/* The oldest ones are forgotten, those done are not kept. */
	for (unsigned at = 0; model_execution_next(fixture->checks, model_of(fixture, m), &at, &e); n++)
		assert_int_equal(load_relaxed(&e.stream->value), (uintptr_t)s);
	assert_int_equal(n, MODEL_EXECUTIONS);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	assert_false(model_executing(fixture->checks, model_of(fixture, m), NULL));
	execute(fixture, m, first);
	assert_true(model_executing(fixture->checks, model_of(fixture, m), &e));
	assert_int_equal(load_relaxed(&e.stream->value), (uintptr_t)first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(execution_ends_with_the_stream),
		cmocka_unit_test(many_executions),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("captures and models", tests, NULL, NULL);
}
