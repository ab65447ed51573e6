/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of host and device, released and copied where both are one. */
#include "fixture.h"
#include "scenario.h"

static void free_by_run_mode(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE), unified = scenario(DOCUMENTS, SIZE);
	aclrtRunMode mode = ACL_DEVICE;

	(void)state;
	CALL(sc.fixture, aclrtFree, 0, .devPtr = sc.h);
	want(sc.fixture, "free-host-with-device-free:error");
	CALL(sc.fixture, aclrtFreeHost, 107000, .hostPtr = sc.d);
	want(sc.fixture, "free-device-with-host-free:error");
	CALL(sc.fixture, aclrtFree, 0, .devPtr = sc.d); /* the refused call freed nothing */
	silent(sc.fixture);
	CALL(unified.fixture, aclrtGetRunMode, 0, .runMode = &mode);
	CALL(unified.fixture, aclrtFree, 0, .devPtr = unified.h);
	want(unified.fixture, "free-host-with-device-free:warning");
	CALL(unified.fixture, aclrtFreeHost, 0, .hostPtr = unified.d);
	silent(unified.fixture);
}

static void unified_memory(void **state)
{
	struct scenario known = scenario(DOCUMENTS, SIZE), unknown = scenario(DOCUMENTS, SIZE),
			newer = scenario(ACL_CANN_9_1, SIZE);
	aclrtRunMode mode = ACL_DEVICE;

	(void)state;
	SYNC_COPY(unknown, 0);
	silent(unknown.fixture);
	CALL(known.fixture, aclrtGetRunMode, 0, .runMode = &mode);
	SYNC_COPY(known, 0);
	want(known.fixture, "rc-mode-host-copy:error");
	CALL(newer.fixture, aclrtGetRunMode, 0, .runMode = &mode);
	SYNC_COPY(newer, 0);
	want(newer.fixture, "rc-mode-host-copy:perf");
}

/* Memory for transfers has no use there; where the mode is not known, nothing is said. */
static void host_memory_for_transfers(void **state)
{
	struct fixture *unknown = fixture_ready(DOCUMENTS), *known = fixture_ready(DOCUMENTS);
	aclrtRunMode mode = ACL_DEVICE;
	void *h = (void *)HOST_MEMORY;

	(void)state;
	fixture_malloc_host(unknown, HOST_MEMORY, SIZE);
	silent(unknown);
	CALL(known, aclrtGetRunMode, 0, .runMode = &mode);
	CALL(known, aclrtMallocHost, 0, .hostPtr = &h, .size = SIZE);
	want(known, "rc-mode-host-copy:error");
	mode = ACL_HOST;
	CALL(known, aclrtGetRunMode, 0, .runMode = &mode);
	CALL(known, aclrtMallocHost, 0, .hostPtr = &h, .size = SIZE);
	never(unknown, "rc-mode-host-copy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(free_by_run_mode),
		cmocka_unit_test(unified_memory),
		cmocka_unit_test(host_memory_for_transfers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
