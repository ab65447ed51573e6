/* SPDX-License-Identifier: Apache-2.0 */
/* What the device reads addresses from: how much of it is in flight, and until when. */
#include "scenario.h"

#define FROM ((char *)DEVICE_MEMORY + (1 << 20))
#define INNER ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
#define RUN(sc, error, at)                                                                                   \
	CALL((sc).fixture, aclrtMemcpyAsyncWithDesc, error, .desc = (at), .kind = INNER, .stream = (sc).s)
#define FILL(sc, at)                                                                                         \
	CALL((sc).fixture, aclrtSetMemcpyDesc, 0, .desc = (at), .kind = INNER, .srcAddr = FROM,              \
		.dstAddr = FROM + 512, .count = 64)
#define OVERWRITE(sc, at, n) CALL((sc).fixture, aclrtMemset, 0, .devPtr = (at), .maxCount = (n), .count = (n))

/* 0: it is not queried. */
static struct scenario with_size(size_t bytes)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);

	fixture_malloc(sc.fixture, (uintptr_t)FROM, SIZE);
	CALL(sc.fixture, aclrtMemset, 0, .devPtr = FROM, .maxCount = SIZE, .count = SIZE);
	if (bytes)
		CALL(sc.fixture, aclrtGetMemcpyDescSize, 0, .kind = INNER, .descSize = &bytes);
	sc.fixture->other_ways = 0;
	return sc;
}

/* Beside it, before and behind. */
static void descriptor_in_the_middle(void **state)
{
	struct scenario sc = with_size(64);
	char *desc = sc.d + 1024;

	(void)state;
	FILL(sc, desc);
	RUN(sc, 0, desc);
	OVERWRITE(sc, desc - 64, 64);
	OVERWRITE(sc, desc + 64, 64);
	never(sc.fixture, "desc-modified-in-flight");
	OVERWRITE(sc, desc + 63, 1);
	want(sc.fixture, "desc-modified-in-flight:error");
	fixture_free(sc.fixture);
}

/* How long it is was not queried: its first byte is a part of it for certain. */
static void descriptor_of_unknown_length(void **state)
{
	struct scenario sc = with_size(0);

	(void)state;
	FILL(sc, sc.d + 64);
	RUN(sc, 0, sc.d + 64);
	OVERWRITE(sc, sc.d + 65, 8);
	never(sc.fixture, "desc-modified-in-flight");
	OVERWRITE(sc, sc.d + 64, 1);
	want(sc.fixture, "desc-modified-in-flight:error");
	fixture_free(sc.fixture);
}

/* A call that failed reads nothing, nor does one whose stream is done. */
static void descriptor_no_longer_read(void **state)
{
	struct scenario sc = with_size(64);

	(void)state;
	FILL(sc, sc.d + 64);
	RUN(sc, 107000, sc.d + 64);
	FILL(sc, sc.d + 64);
	never(sc.fixture, "desc-modified-in-flight");
	RUN(sc, 0, sc.d + 64);
	SYNC(sc, sc.s, 0);
	OVERWRITE(sc, sc.d + 64, 64);
	never(sc.fixture, "desc-modified-in-flight");
	fixture_free(sc.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptor_in_the_middle),
		cmocka_unit_test(descriptor_of_unknown_length),
		cmocka_unit_test(descriptor_no_longer_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
