/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of device code, by symbol and by address: tasks that touch them with nothing that orders them. */
#include "tasks.h"

#define BYTES 64

static void to_variable(aclrtStream s, const void *symbol, void *h)
{
	CALL(aclrtMemcpyToSymbolAsync, .symbol = symbol, .src = h, .count = BYTES, .kind = UP, .stream = s);
}

static void from_variable(aclrtStream s, void *h, const void *symbol)
{
	CALL(aclrtMemcpyFromSymbolAsync, .dst = h, .dstMax = SIZE, .symbol = symbol, .count = BYTES,
		.kind = DOWN, .stream = s);
}

static void *address_of(const void *symbol)
{
	void *where = NULL;

	CALL_DOES(aclrtGetSymbolAddress, 0, where = make_range(BYTES, true), .symbol = symbol,
		.devPtr = &where);
	return where;
}

static void variable_written_twice(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE);

	to_variable(first, HANDLE, h);
	if (!bug)
		order(first, second);
	to_variable(second, HANDLE, h);
	wait_for(first);
	wait_for(second);
}

static void variable_read_early(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE);

	to_variable(first, HANDLE, h);
	if (!bug)
		order(first, second);
	from_variable(second, out, HANDLE);
	wait_for(first);
	wait_for(second);
}

static void variable_overwritten_early(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE);

	from_variable(first, out, HANDLE);
	if (!bug)
		order(first, second);
	to_variable(second, HANDLE, h);
	wait_for(first);
	wait_for(second);
}

static aclrtBinHandle load_binary(void)
{
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromData, 0, b = make_address(), .data = heap_memory, .length = 4096,
		.binHandle = &b);
	return b;
}

static char *global_of(aclrtBinHandle b, void *again)
{
	void *where = NULL;
	size_t size = 0;

	CALL_DOES(aclrtBinaryGetGlobal, 0, (where = again ? again : make_range(SIZE, true), size = SIZE),
		.binHandle = b, .name = "table", .dptr = &where, .size = &size);
	return where;
}

static void set_global(aclrtStream s, void *where)
{
	CALL(aclrtMemsetAsync, .devPtr = where, .maxCount = BYTES, .count = BYTES, .stream = s);
}

/* A variable of a binary has an address and a size, and no symbol. */
static void global_read_early(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtBinHandle b = load_binary();
	void *out = make_host_memory(SIZE);
	char *where = global_of(b, NULL);

	CALL(aclrtMemcpyAsync, .dst = where + BYTES, .destMax = BYTES, .src = out, .count = BYTES, .kind = UP,
		.stream = first);
	if (!bug)
		order(first, second);
	CALL(aclrtMemcpyAsync, .dst = out, .destMax = SIZE, .src = where, .count = 2 * BYTES, .kind = DOWN,
		.stream = second);
	wait_for(first);
	wait_for(second);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
}

/* Where another binary is loaded in the place of the first, it is another variable. */
static void global_of_other_binary(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtBinHandle b = load_binary();
	char *where = global_of(b, NULL);

	set_global(first, where);
	if (!bug) {
		CALL(aclrtBinaryUnLoad, .binHandle = b);
		b = load_binary();
	}
	where = global_of(b, where);
	set_global(second, where);
	wait_for(first);
	wait_for(second);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
}

static void global_read_beyond(void)
{
	aclrtBinHandle b = load_binary();
	char *where = global_of(b, NULL), *h = make_host_memory(SIZE);

	CALL(aclrtMemcpy, .dst = h, .destMax = SIZE, .src = where + SIZE - BYTES,
		.count = bug ? 2 * BYTES : BYTES, .kind = DOWN);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
}

/* The address of the symbol is the same memory. */
static void variable_read_by_address(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *where = address_of(HANDLE);

	to_variable(first, HANDLE, h);
	if (!bug)
		order(first, second);
	CALL(aclrtMemcpyAsync, .dst = out, .destMax = BYTES, .src = where, .count = BYTES, .kind = DOWN,
		.stream = second);
	wait_for(first);
	wait_for(second);
}

static void variable_set_by_address(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *out = make_host_memory(SIZE), *where = address_of(HANDLE);

	CALL(aclrtMemsetAsync, .devPtr = where, .maxCount = BYTES, .count = BYTES, .stream = first);
	if (!bug)
		order(first, second);
	from_variable(second, out, HANDLE);
	wait_for(first);
	wait_for(second);
}

/* More than the size that the runtime has named. */
static void variable_set_beyond(void)
{
	char *where = address_of(HANDLE);
	size_t size = 0, n = bug ? BYTES + 4 : BYTES;

	CALL_DOES(aclrtGetSymbolSize, 0, size = BYTES, .symbol = HANDLE, .size = &size);
	CALL(aclrtMemset, .devPtr = where, .maxCount = n, .count = n);
}

/* Behind its first byte, which needs the size. */
static void variable_written_in_the_middle(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE);
	char *where = address_of(HANDLE);
	size_t size = 0;

	CALL_DOES(aclrtGetSymbolSize, 0, size = 2 * BYTES, .symbol = HANDLE, .size = &size);
	CALL(aclrtMemcpyAsync, .dst = where + BYTES, .destMax = BYTES, .src = h, .count = BYTES, .kind = UP,
		.stream = first);
	CALL(aclrtMemcpyFromSymbolAsync, .dst = out, .dstMax = SIZE, .symbol = HANDLE, .count = BYTES + bug,
		.kind = DOWN, .stream = second);
	wait_for(first);
	wait_for(second);
}

static void variable_read_at_once(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE);

	to_variable(s, HANDLE, h);
	if (!bug)
		wait_for(s);
	CALL(aclrtMemcpyFromSymbol, .dst = out, .dstMax = SIZE, .symbol = HANDLE, .count = BYTES,
		.kind = DOWN);
	wait_for(s);
}

static void variable_written_at_once(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE);

	from_variable(s, out, HANDLE);
	if (!bug)
		wait_for(s);
	CALL(aclrtMemcpyToSymbol, .symbol = HANDLE, .src = h, .count = BYTES, .kind = UP);
	wait_for(s);
}

static void variable_read_at_once_by_address(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *where = address_of(HANDLE);

	to_variable(s, HANDLE, h);
	if (!bug)
		wait_for(s);
	CALL(aclrtMemcpy, .dst = out, .destMax = BYTES, .src = where, .count = BYTES, .kind = DOWN);
	wait_for(s);
}

/* --- in models ------------------------------------------------------------------------------- */

static void variable_in_capture(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE);

	capture_begin(s);
	capture_join(s, other);
	to_variable(s, HANDLE, h);
	if (!bug)
		capture_join(s, other);
	from_variable(other, out, HANDLE);
	capture_join(other, s);
	CALL(aclmdlRIDestroy, .modelRI = capture_end(s));
}

static void variable_of_execution(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE);
	aclmdlRI model;

	capture_begin(s);
	to_variable(s, HANDLE, h);
	model = capture_end(s);
	CALL(aclmdlRIExecuteAsync, .modelRI = model, .stream = s);
	if (!bug)
		order(s, other);
	from_variable(other, out, HANDLE);
	wait_for(s);
	wait_for(other);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

static const struct pair pairs[] = {
	PAIR("stream-race-copy", variable_written_twice),
	PAIR("stream-race-copy", variable_read_early),
	PAIR("stream-race-copy", variable_overwritten_early),
	PAIR("stream-race-copy", variable_read_by_address),
	PAIR_AVOIDS("stream-race-copy", variable_written_in_the_middle),
	PAIR("stream-race-copy", variable_in_capture),
	PAIR("stream-race-copy", variable_of_execution),
	PAIR("stream-race-set", variable_set_by_address),
	PAIR("stream-race-copy", global_read_early),
	PAIR("memcpy-dest-out-of-bounds", variable_set_beyond),
	PAIR("memcpy-source-out-of-bounds", global_read_beyond),
	PAIR_AVOIDS("stream-race-set", global_of_other_binary),
	PAIR("async-result-used-before-sync", variable_read_at_once),
	PAIR("async-result-used-before-sync", variable_written_at_once),
	PAIR("async-result-used-before-sync", variable_read_at_once_by_address),
};
PAIRS_MAIN("variables of the device", pairs)
