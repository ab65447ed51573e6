/* SPDX-License-Identifier: Apache-2.0 */
/* What the loaded runtime has decides. */
#include "fixture.h"

/* The functions had no arguments before 9.1: the runtime that is there decides. */
static void snapshot_arguments_of_the_runtime(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);

	(void)state;
	CALL(fixture, aclrtSnapShotProcessLock, 0, .pid = 4711);
	never(fixture, "snapshot-bad-args");
	CALL(fixture, aclrtSnapShotProcessUnlock, 0, .pid = (int)fixture->pid);
	silent(fixture);
	checks_set_runtime(fixture->checks, ACL_CANN_9_1);
	CALL(fixture, aclrtSnapShotProcessLock, 0, .pid = 4711);
	want(fixture, "snapshot-bad-args:error");
}

/* The call was not forwarded; its answer is ours, and no failure of the runtime's. */
static void function_the_runtime_lacks(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	int64_t value;

	(void)state;
	fixture->missing = true;
	CALL(fixture, aclrtCtxGetSysParamOpt, 207000, .opt = ACL_OPT_DETERMINISTIC, .value = &value);
	fixture->missing = false;
	assert_int_equal(fixture->n_found, 1);
	assert_string_equal(fixture->found[0].rule->id, "api-missing-in-runtime");
	assert_non_null(
		strstr(fixture->found[0].detail, "aclrtCtxGetSysParamOpt is not in the loaded runtime"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshot_arguments_of_the_runtime),
		cmocka_unit_test(function_the_runtime_lacks),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
