/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that a descriptor in device memory describes: the descriptor, and the memory it names, while one is
 * in flight. */
#include "tasks.h"

static void fill(void *desc, void *src, void *dst)
{
	CALL(aclrtSetMemcpyDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = src,
		.dstAddr = dst, .count = 64);
}

static void run(void *desc, aclrtStream s)
{
	CALL(aclrtMemcpyAsyncWithDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .stream = s);
}

struct described {
	aclrtStream s;
	void *desc, *a, *b;
};

/* The bug: the copy that the descriptor describes is still on its way. */
static struct described described_copy(void)
{
	struct described c = {.s = make_stream()};

	c.desc = make_device_memory(SIZE);
	c.a = make_device_memory(SIZE);
	c.b = make_device_memory(SIZE);
	CALL(aclrtMemset, .devPtr = c.a, .maxCount = SIZE, .count = SIZE);
	fill(c.desc, c.a, c.b);
	run(c.desc, c.s);
	if (!bug)
		wait_for(c.s);
	return c;
}

static void descriptor_filled_again(void)
{
	struct described c = described_copy();

	fill(c.desc, c.b, c.a);
	wait_for(c.s);
}

static void descriptor_overwritten(void)
{
	struct described c = described_copy();

	CALL(aclrtMemset, .devPtr = c.desc, .maxCount = SIZE, .count = 64);
	wait_for(c.s);
}

/* Where it ends the runtime has said: its last bytes are a part of it. */
static void end_of_a_descriptor_overwritten(void)
{
	aclrtStream s = make_stream();
	char *desc = make_device_memory(SIZE);
	void *a = make_device_memory(SIZE), *b = make_device_memory(SIZE);
	size_t bytes = 64;

	CALL(aclrtGetMemcpyDescSize, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .descSize = &bytes);
	CALL(aclrtMemset, .devPtr = a, .maxCount = SIZE, .count = SIZE);
	fill(desc, a, b);
	run(desc, s);
	CALL(aclrtMemset, .devPtr = desc + bytes - (bug ? 8 : 0), .maxCount = 8, .count = 8);
	wait_for(s);
}

/* The device reads the address of the source when the copy runs. */
static void pointer_overwritten(void)
{
	aclrtStream s = make_stream();
	char *pointers = make_device_memory(SIZE);
	void *h = make_host_memory(SIZE);

	CALL(aclrtMemset, .devPtr = pointers, .maxCount = SIZE, .count = SIZE);
	CALL(aclrtMemcpyAsyncWithOffset, .dst = (void **)pointers, .destMax = 64,
		.src = (const void **)(pointers + 64), .count = 64, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
		.stream = s);
	if (!bug)
		wait_for(s);
	CALL(aclrtMemcpy, .dst = pointers + 64, .destMax = 64, .src = h, .count = 64, .kind = UP);
	wait_for(s);
}

static void descriptor_freed(void)
{
	struct described c = described_copy();

	CALL(aclrtFree, .devPtr = c.desc);
	wait_for(c.s);
}

/* What the copy does is in its descriptor. */
static void described_source_freed(void)
{
	struct described c = described_copy();

	CALL(aclrtFree, .devPtr = c.a);
	wait_for(c.s);
}

static void described_destination_freed(void)
{
	struct described c = described_copy();

	CALL(aclrtFree, .devPtr = c.b);
	wait_for(c.s);
}

static void described_destination_read(void)
{
	struct described c = described_copy();

	CALL(aclrtMemcpy, .dst = make_host_memory(SIZE), .destMax = SIZE, .src = c.b, .count = SIZE,
		.kind = DOWN);
	wait_for(c.s);
}

static void described_source_overwritten(void)
{
	struct described c = {.s = make_stream()};
	aclrtStream other = make_stream();

	c.desc = make_device_memory(SIZE);
	c.a = make_device_memory(SIZE);
	c.b = make_device_memory(SIZE);
	copy_on(other, c.a, make_host_memory(SIZE), UP);
	if (!bug)
		order(other, c.s);
	fill(c.desc, c.a, c.b);
	run(c.desc, c.s);
	wait_for(other);
	wait_for(c.s);
}

/* One of several in an array of descriptors; the others describe copies of memory that stays. */
static void one_of_many_described(void)
{
	aclrtStream s = make_stream();
	char *descs = make_device_memory(SIZE), *from[4], *to[4];

	for (unsigned i = 0; i < 4; i++) {
		from[i] = make_device_memory(SIZE);
		to[i] = make_device_memory(SIZE);
		CALL(aclrtMemset, .devPtr = from[i], .maxCount = SIZE, .count = SIZE);
		fill(descs + 256 * i, from[i], to[i]);
	}
	run(descs + 256, s);
	CALL(aclrtFree, .devPtr = from[bug ? 1 : 2]);
	wait_for(s);
}

static void described_source_gone(void)
{
	void *desc = make_device_memory(SIZE), *a = make_device_memory(SIZE), *b = make_device_memory(SIZE);
	aclrtStream s = make_stream();

	CALL(aclrtMemset, .devPtr = a, .maxCount = SIZE, .count = SIZE);
	fill(desc, a, b);
	if (bug)
		CALL(aclrtFree, .devPtr = a);
	run(desc, s);
	wait_for(s);
}

static void run_model(aclmdlRI m, aclrtStream s)
{
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	if (!bug)
		wait_for(s);
}

/* A task of a model reads its descriptor in each execution. */
static void captured_descriptor_filled_again(void)
{
	void *desc = make_device_memory(SIZE), *a = make_device_memory(SIZE);
	aclrtStream s = make_stream();

	CALL(aclrtCmoSetDesc, .cmoDesc = desc, .src = a, .size = 64);
	capture_begin(s);
	CALL(aclrtCmoAsyncWithDesc, .cmoDesc = desc, .cmoType = ACL_RT_CMO_TYPE_PREFETCH, .stream = s);
	run_model(capture_end(s), s);
	CALL(aclrtCmoSetDesc, .cmoDesc = desc, .src = a, .size = 128);
	wait_for(s);
}

static void captured_pointer_overwritten(void)
{
	/* The address of the source is the last word of the memory. */
	char *pointers = make_device_memory(SIZE), *last = pointers + SIZE - 8;
	aclrtStream s = make_stream();

	CALL(aclrtMemset, .devPtr = pointers, .maxCount = SIZE, .count = SIZE);
	capture_begin(s);
	CALL(aclrtMemcpyAsyncWithOffset, .dst = (void **)pointers, .destMax = 64, .src = (const void **)last,
		.count = 64, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .stream = s);
	run_model(capture_end(s), s);
	CALL(aclrtMemset, .devPtr = last, .maxCount = 8, .count = 8);
	wait_for(s);
}

/* Neither do the operations of a cache say what a descriptor holds, nor do they change it. */
static void descriptor_filled_again_behind_prefetch(void)
{
	aclrtStream s = make_stream();
	char *desc = make_device_memory(SIZE), *a = make_device_memory(SIZE),
	     *cached = make_device_memory(SIZE);

	CALL(aclrtMemset, .devPtr = a, .maxCount = SIZE, .count = SIZE);
	CALL(aclrtSetMemcpyDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = a,
		.dstAddr = a + 2048, .count = 64);
	CALL(aclrtCmoSetDesc, .cmoDesc = cached, .src = a, .size = 64);
	CALL(aclrtCmoAsyncWithDesc, .cmoDesc = cached, .cmoType = ACL_RT_CMO_TYPE_PREFETCH, .stream = s);
	CALL(aclrtMemcpyAsyncWithDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .stream = s);
	if (!bug)
		wait_for(s);
	CALL(aclrtSetMemcpyDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = a,
		.dstAddr = a + 2048, .count = 128);
	wait_for(s);
}

static void cache_descriptor_filled_again(void)
{
	aclrtStream s = make_stream();
	void *desc = make_device_memory(SIZE), *a = make_device_memory(SIZE);

	CALL(aclrtCmoSetDesc, .cmoDesc = desc, .src = a, .size = 64);
	CALL(aclrtCmoAsyncWithDesc, .cmoDesc = desc, .cmoType = ACL_RT_CMO_TYPE_PREFETCH, .stream = s);
	if (!bug)
		wait_for(s);
	CALL(aclrtCmoSetDesc, .cmoDesc = desc, .src = a, .size = 128);
	wait_for(s);
}

/* --- no descriptor any more ------------------------------------------------------------------------ */

static void descriptor_cleared(void)
{
	struct described c = described_copy();

	wait_for(c.s);
	CALL_EACH(0, ROLE(DST, c.desc), ROLE(LIMIT, SIZE), ROLE(BYTES, 64), ROLE(NUMBER, 16),
		ROLE(STREAM, c.s));
	if (!bug)
		fill(c.desc, c.a, c.b);
	run(c.desc, c.s);
	wait_for(c.s);
}

/* The memory was cleared when it was made, and that was all. */
static void descriptor_only_set(void)
{
	aclrtStream s = make_stream();
	void *desc = make_device_memory(256), *a = make_device_memory(SIZE), *b = make_device_memory(SIZE);

	CALL(aclrtMemset, .devPtr = a, .maxCount = SIZE, .count = SIZE);
	CALL_EACH(0, ROLE(DST, desc), ROLE(LIMIT, 256), ROLE(BYTES, 256), ROLE(NUMBER, 64), ROLE(STREAM, s));
	if (!bug)
		fill(desc, a, b);
	run(desc, s);
	wait_for(s);
}

/* The same of what is read from there, and filled from the host. */
static void descriptor_set_and_sent(void)
{
	aclrtStream s = make_stream();
	void *desc = make_device_memory(256), *h = make_host_memory(256);

	CALL(aclrtMemset, .devPtr = desc, .maxCount = 256, .count = 256);
	if (!bug)
		CALL(aclrtMemcpy, .dst = desc, .destMax = 256, .src = h, .count = 64,
			.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(aclrtMemset, .devPtr = (char *)desc + 128, .maxCount = 64, .count = 64);
	run(desc, s);
	wait_for(s);
}

/* Others may have put a descriptor there since. */
static void descriptor_written_since(void)
{
	struct described c = described_copy();
	void *h = make_host_memory(SIZE);

	wait_for(c.s);
	CALL(aclrtMemset, .devPtr = c.desc, .maxCount = SIZE, .count = SIZE);
	if (!bug)
		CALL(aclrtMemcpy, .dst = c.desc, .destMax = SIZE, .src = h, .count = 64,
			.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	run(c.desc, c.s);
	wait_for(c.s);
}

/* What is set lies behind it. */
static void set_behind_a_descriptor(void)
{
	struct described c = described_copy();
	char *set = (char *)c.desc + (bug ? 0 : 256);

	wait_for(c.s);
	CALL(aclrtMemset, .devPtr = set, .maxCount = 64, .count = 64);
	run(c.desc, c.s);
	wait_for(c.s);
}

/* What it says is written, though not by this call. */
static void described_past_its_destination(void)
{
	void *desc = make_device_memory(64), *a = make_device_memory(8192), *b = make_device_memory(1024);

	CALL(aclrtSetMemcpyDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = a,
		.dstAddr = b, .count = bug ? 4096 : 1024);
}

static const struct pair pairs[] = {
	PAIR("memcpy-dest-out-of-bounds", described_past_its_destination),
	PAIR("desc-modified-in-flight", descriptor_filled_again),
	PAIR("desc-modified-in-flight", descriptor_filled_again_behind_prefetch),
	PAIR("desc-modified-in-flight", captured_descriptor_filled_again),
	PAIR("desc-modified-in-flight", captured_pointer_overwritten),
	PAIR("desc-modified-in-flight", descriptor_overwritten),
	PAIR_AVOIDS("desc-modified-in-flight", end_of_a_descriptor_overwritten),
	PAIR("desc-modified-in-flight", pointer_overwritten),
	PAIR("desc-modified-in-flight", descriptor_freed),
	PAIR("free-in-flight", described_source_freed),
	PAIR("free-in-flight", described_destination_freed),
	PAIR_AVOIDS("free-in-flight", one_of_many_described),
	PAIR("async-result-used-before-sync", described_destination_read),
	PAIR("stream-race-copy", described_source_overwritten),
	PAIR("use-after-free", described_source_gone),
	PAIR("desc-modified-in-flight", cache_descriptor_filled_again),
	PAIR_EACH("desc-not-set", descriptor_cleared, SET_BYTES),
	PAIR_EACH("desc-not-set", descriptor_cleared, SET_WORDS),
	PAIR_EACH("desc-not-set", descriptor_only_set, SET_BYTES),
	PAIR_EACH("desc-not-set", descriptor_only_set, SET_WORDS),
	PAIR("desc-not-set", descriptor_set_and_sent),
	PAIR("desc-not-set", descriptor_written_since),
	PAIR("desc-not-set", set_behind_a_descriptor),
};

PAIRS_MAIN("described copies", pairs)
