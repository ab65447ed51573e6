/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of device code: tasks that touch them and are right. */
#include "two_streams.h"

#define BYTES 64

static void write_part(struct two_streams *x, void *stream, void *symbol, size_t offset)
{
	CALL(x->fixture, aclrtMemcpyToSymbolAsync, 0, .symbol = symbol, .src = x->h, .count = BYTES,
		.offset = offset, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = stream);
}

static void write_variable(struct two_streams *x, void *stream, void *symbol)
{
	write_part(x, stream, symbol, 0);
}

static void read_variable(struct two_streams *x, void *stream, void *symbol)
{
	CALL(x->fixture, aclrtMemcpyFromSymbolAsync, 0, .dst = x->h, .dstMax = 4096, .symbol = symbol,
		.count = BYTES, .kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = stream);
}

static void *locate(struct two_streams *x, void *symbol, uint64_t address)
{
	void *where = (void *)address;

	CALL(x->fixture, aclrtGetSymbolAddress, 0, .symbol = symbol, .devPtr = &where);
	return where;
}

static void size_of(struct two_streams *x, void *symbol, size_t bytes)
{
	CALL(x->fixture, aclrtGetSymbolSize, 0, .symbol = symbol, .size = &bytes);
}

static void other_part_or_variable(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	write_variable(&x, x.s, handle(50));
	write_part(&x, x.t, handle(50), BYTES);
	write_variable(&x, x.t, handle(51));
	silent(x.fixture);
	/* It was followed. */
	write_variable(&x, x.t, handle(50));
	want(x.fixture, "stream-race-copy:error");
}

static void same_stream_or_ordered(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	write_variable(&x, x.s, handle(50));
	read_variable(&x, x.s, handle(50));
	write_variable(&x, x.s, handle(50));
	CALL(x.fixture, aclrtRecordEvent, 0, .event = x.event, .stream = x.s);
	CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
	write_variable(&x, x.t, handle(50));
	CALL(x.fixture, aclrtSynchronizeStream, 0, .stream = x.t);
	read_variable(&x, x.s, handle(50));
	silent(x.fixture);
}

static void readers(void **state)
{
	struct two_streams x = two_streams();
	void *other = fixture_malloc_host(x.fixture, HOST_MEMORY + 65536, 4096);

	(void)state;
	read_variable(&x, x.s, handle(50));
	CALL(x.fixture, aclrtMemcpyFromSymbolAsync, 0, .dst = other, .dstMax = 4096, .symbol = handle(50),
		.count = BYTES, .kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = x.t);
	silent(x.fixture);
}

static void refused(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	CALL(x.fixture, aclrtMemcpyToSymbolAsync, 107000, .symbol = handle(50), .src = x.h, .count = BYTES,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.s);
	write_variable(&x, x.t, handle(50));
	never(x.fixture, "stream-race-copy");
}

/* Each device has its own. */
static void other_device(void **state)
{
	struct two_streams x = two_streams();
	void *there;

	(void)state;
	write_variable(&x, x.s, handle(50));
	CALL(x.fixture, aclrtSetDevice, 0, .deviceId = 1);
	there = fixture_stream(x.fixture, 4);
	write_variable(&x, there, handle(50));
	silent(x.fixture);
	/* Whose variable is meant is not certain: the stream is of another device. */
	write_variable(&x, x.t, handle(50));
	never(x.fixture, "stream-race-copy");
}

/* Where the copy takes the bytes from, or puts them, is pageable: the runtime may have waited. */
static void pageable(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	CALL(x.fixture, aclrtMemcpyToSymbolAsync, 0, .symbol = handle(50), .src = (void *)0x50000000,
		.count = BYTES, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = x.s);
	write_variable(&x, x.t, handle(50));
	never(x.fixture, "stream-race-copy");
}

/* A size that is known later, and addresses that lie behind the variable. */
static void size_known_later(void **state)
{
	struct two_streams x = two_streams();
	char *where;

	(void)state;
	x.fixture->class = ACL_HOST_UNKNOWN;
	where = locate(&x, handle(50), 0x130000000000);
	size_of(&x, handle(50), 2 * BYTES);
	write_part(&x, x.s, handle(50), BYTES);
	CALL(x.fixture, aclrtMemsetAsync, 0, .devPtr = where, .maxCount = BYTES, .count = BYTES,
		.stream = x.t);
	CALL(x.fixture, aclrtMemsetAsync, 0, .devPtr = where + 2 * BYTES, .maxCount = BYTES, .count = BYTES,
		.stream = x.t);
	silent(x.fixture);
	CALL(x.fixture, aclrtMemsetAsync, 0, .devPtr = where + BYTES, .maxCount = BYTES, .count = BYTES,
		.stream = x.t);
	want(x.fixture, "stream-race-set:error");
}

/* Memory was allocated where a variable was. */
static void memory_instead(void **state)
{
	struct two_streams x = two_streams();
	void *where;

	(void)state;
	where = locate(&x, handle(50), 0x130000000000);
	write_variable(&x, x.s, handle(50));
	fixture_malloc(x.fixture, 0x130000000000, 4096);
	CALL(x.fixture, aclrtMemsetAsync, 0, .devPtr = where, .maxCount = BYTES, .count = BYTES,
		.stream = x.t);
	never(x.fixture, "stream-race-set");
}

/* More variables than there is room for: of the others nothing is known. */
static void many(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	for (unsigned i = 0; i < 1030; i++)
		write_variable(&x, x.s, (void *)(uintptr_t)(0x60000000 + i * 4096));
	write_variable(&x, x.t, (void *)(uintptr_t)(0x60000000 + 1029 * 4096));
	never(x.fixture, "stream-race-copy");
	write_variable(&x, x.t, (void *)(uintptr_t)(0x60000000 + 1023 * 4096));
	want(x.fixture, "stream-race-copy:error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_part_or_variable),
		cmocka_unit_test(same_stream_or_ordered),
		cmocka_unit_test(readers),
		cmocka_unit_test(refused),
		cmocka_unit_test(other_device),
		cmocka_unit_test(pageable),
		cmocka_unit_test(size_known_later),
		cmocka_unit_test(memory_instead),
		cmocka_unit_test(many),
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("variables of the device", tests, NULL, NULL);
}
