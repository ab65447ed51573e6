/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about memory: release, registration, ranges, directions. */
#include <string.h>

#include "paired.h"

#define MIB (1u << 20)

/* --- release --------------------------------------------------------------------------- */

static void free_twice(void)
{
	void *p = make_device_memory(MIB);

	CALL(aclrtFree, .devPtr = p);
	if (bug)
		CALL_FAILS(107000, aclrtFree, .devPtr = p);
}

/* A free that failed freed nothing; an address given out again is new. */
static void free_failed_first(void)
{
	void *p = make_device_memory(MIB);

	CALL_FAILS(bug ? 0 : 507899, aclrtFree, .devPtr = p);
	CALL(aclrtFree, .devPtr = p);
}

static void free_inside(void)
{
	char *p = make_device_memory(MIB);

	CALL(aclrtFree, .devPtr = bug ? p + 64 : p);
	if (bug)
		CALL(aclrtFree, .devPtr = p);
}

/* The address went on with each step, up to the end. */
static void free_end(void)
{
	char *p = make_device_memory(MIB);

	CALL_FAILS(bug ? 107000 : 0, aclrtFree, .devPtr = bug ? p + MIB : p);
	if (bug)
		CALL(aclrtFree, .devPtr = p);
}

/* Called by number, without a prototype, the function gets an int of 32 bits, whose sign is extended. */
static void free_half(void)
{
	char *p = make_device_memory(2ull << 30), *q = make_device_memory(MIB);

	CALL(aclrtFree, .devPtr = p);
	CALL_FAILS(bug ? 107000 : 0, aclrtFree, .devPtr = bug ? (void *)(intptr_t)(int32_t)(uintptr_t)q : q);
	if (bug)
		CALL(aclrtFree, .devPtr = q);
}

/* Pages that the program has mapped itself. */
static void free_own_pages(void)
{
	void *own = make_address(), *locked = make_host_memory(4096);

	CALL(aclrtHostRegisterV2, .ptr = own, .size = 4096, .flag = ACL_HOST_REG_PINNED);
	CALL_FAILS(bug ? 107000 : 0, aclrtFreeHost, .hostPtr = bug ? own : locked);
	CALL(aclrtHostUnregister, .ptr = own);
}

static void free_heap(void)
{
	CALL_FAILS(bug ? 107000 : 0, aclrtFree, .devPtr = bug ? heap_memory : DEVICE);
}

static void free_reserved(void)
{
	void *range = NULL;

	CALL_DOES(
		aclrtReserveMemAddress, 0, range = (void *)0x100000000000, .virPtr = &range, .size = 2 * MIB);
	if (bug)
		CALL_FAILS(107000, aclrtFree, .devPtr = range);
	CALL(aclrtReleaseMemAddress, .virPtr = range);
}

static void release_memory(void)
{
	void *p = make_device_memory(MIB);

	if (bug)
		CALL_FAILS(107000, aclrtReleaseMemAddress, .virPtr = p);
	CALL(aclrtFree, .devPtr = p);
}

static void *pool_memory(aclrtStream s)
{
	void *p = NULL;

	CALL_DOES(aclrtMemPoolMallocAsync, 0, p = (void *)0x130000000000, .ptr = &p, .size = MIB,
		.memPool = HANDLE, .stream = s);
	return p;
}

static void pool_freed_plainly(void)
{
	aclrtStream s = make_stream();
	void *p = pool_memory(s);

	if (bug)
		CALL(aclrtFree, .devPtr = p);
	else
		CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
}

static void pool_freed_twice(void)
{
	aclrtStream s = make_stream();
	void *p = pool_memory(s);

	CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
	if (bug)
		CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
}

static void copy_freed(void)
{
	void *p = make_device_memory(MIB), *q = make_device_memory(MIB);

	if (bug)
		CALL(aclrtFree, .devPtr = p);
	CALL(aclrtMemcpy, .dst = q, .destMax = 64, .src = (char *)p + 128, .count = 64, .kind = 3);
	if (!bug)
		CALL(aclrtFree, .devPtr = p);
	CALL(aclrtFree, .devPtr = q);
}

static void prefetch_freed(void)
{
	aclrtMemManagedLocation to = {.type = ACL_MEM_LOCATIONTYPE_DEVICE};
	aclrtStream s = make_stream();
	void *p = NULL;

	CALL_DOES(aclrtMemAllocManaged, 0, p = make_range(2 * MIB, false), .ptr = &p, .size = 2 * MIB,
		.flag = ACL_RT_MEM_ATTACH_GLOBAL);
	if (bug)
		CALL(aclrtFree, .devPtr = p);
	CALL_FAILS(bug ? 107000 : 0, aclrtMemManagedPrefetchAsync, .ptr = p, .size = 2 * MIB, .location = to,
		.stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (!bug)
		CALL(aclrtFree, .devPtr = p);
}

/* The device reads the addresses of the copy from memory that is gone. */
static void addresses_freed(void)
{
	aclrtStream s = make_stream();
	char *p = make_device_memory(MIB), *q = make_device_memory(MIB);

	CALL(aclrtMemset, .devPtr = p, .maxCount = 64, .count = 64);
	CALL(aclrtMemset, .devPtr = q, .maxCount = 64, .count = 64);
	if (bug)
		CALL(aclrtFree, .devPtr = p);
	CALL_FAILS(bug ? 107000 : 0, aclrtMemcpyAsyncWithOffset, .dst = (void **)p, .destMax = 64,
		.src = (const void **)q, .count = 64, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* The address was handed out again: it is the new block's. */
static void copy_new_block(void)
{
	void *p = make_device_memory(MIB), *again = p;

	CALL(aclrtFree, .devPtr = p);
	if (!bug)
		CALL_DOES(aclrtMalloc, 0, (void)0, .devPtr = &again, .size = MIB);
	CALL(aclrtMemset, .devPtr = again, .maxCount = 64, .count = 64);
}

static void copy_after_reset(void)
{
	void *p = make_device_memory(MIB);

	CALL(aclrtSetDevice, .deviceId = 0);
	if (bug)
		CALL(aclrtResetDeviceForce, .deviceId = 0);
	else
		CALL(aclrtResetDevice, .deviceId = 0);
	if (bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtMemset, .devPtr = p, .maxCount = 64, .count = 64);
}

/* --- registration ------------------------------------------------------------------------ */

static void register_overlap(void)
{
	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_PINNED);
	CALL(aclrtHostRegisterV2, .ptr = heap_memory + (bug ? 4096 : 8192), .size = 4096,
		.flag = ACL_HOST_REG_PINNED);
}

static void register_locked(void)
{
	void *p = make_host_memory(8192);

	CALL(aclrtHostRegisterV2, .ptr = p, .size = 8192,
		.flag = bug ? ACL_HOST_REG_PINNED : ACL_HOST_REG_MAPPED);
}

/* Page-locked memory in the middle of the range. */
static void register_around_locked(void)
{
	char *p = make_host_memory(8192);

	CALL(aclrtHostRegisterV2, .ptr = p - 4096, .size = 8192,
		.flag = bug ? ACL_HOST_REG_PINNED : ACL_HOST_REG_MAPPED);
}

static void unregister_twice(void)
{
	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_PINNED);
	CALL(aclrtHostUnregister, .ptr = heap_memory);
	if (bug)
		CALL_FAILS(507911, aclrtHostUnregister, .ptr = heap_memory);
}

static void unregister_inside(void)
{
	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_PINNED);
	CALL(aclrtHostUnregister, .ptr = heap_memory + (bug ? 4096 : 0));
}

static void unregister_unregistered(void)
{
	if (!bug)
		CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_PINNED);
	CALL_FAILS(bug ? 507911 : 0, aclrtHostUnregister, .ptr = heap_memory);
}

static void unregister_inside_of_unregistered(void)
{
	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_PINNED);
	CALL(aclrtHostUnregister, .ptr = heap_memory);
	if (bug)
		CALL_FAILS(507911, aclrtHostUnregister, .ptr = heap_memory + 4096);
}

static void free_registered(void)
{
	void *p = make_host_memory(8192);

	CALL(aclrtHostRegisterV2, .ptr = p, .size = 8192, .flag = ACL_HOST_REG_MAPPED);
	if (!bug)
		CALL(aclrtHostUnregister, .ptr = p);
	CALL(aclrtFreeHost, .hostPtr = p);
}

/* What was registered is gone, and the runtime gives out its address. */
static void free_where_something_was_registered(void)
{
	void *before = make_range(8192, false), *p = NULL;

	if (!bug)
		CALL(aclrtHostRegisterV2, .ptr = before, .size = 8192, .flag = ACL_HOST_REG_MAPPED);
	CALL_DOES(aclrtMallocHost, 0, p = before, .hostPtr = &p, .size = 8192);
	if (bug)
		CALL(aclrtHostRegisterV2, .ptr = p, .size = 8192, .flag = ACL_HOST_REG_MAPPED);
	CALL(aclrtFreeHost, .hostPtr = p);
	CALL(aclrtHostUnregister, .ptr = bug ? p : before);
}

static void pointer_of_unmapped(void)
{
	void *p = bug ? make_device_memory(MIB) : make_host_memory(8192);

	CALL(aclrtHostGetDevicePointer, .pHost = p, .pDevice = OUT);
}

static void pointer_of_pinned(void)
{
	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192,
		.flag = ACL_HOST_REG_PINNED | (bug ? 0 : ACL_HOST_REG_MAPPED));
	CALL(aclrtHostGetDevicePointer, .pHost = heap_memory, .pDevice = OUT);
}

/* Inside of what was registered there is no address to ask for. */
static void pointer_of_unregistered(void)
{
	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_MAPPED);
	if (bug)
		CALL(aclrtHostUnregister, .ptr = heap_memory);
	CALL_FAILS(bug ? 107000 : 0, aclrtHostGetDevicePointer, .pHost = heap_memory, .pDevice = OUT);
}

static void pointer_of_own_memory(void)
{
	if (!bug)
		CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_MAPPED);
	CALL_FAILS(bug ? 107000 : 0, aclrtHostGetDevicePointer, .pHost = heap_memory, .pDevice = OUT);
}

static void pointer_of_inside(void)
{
	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_MAPPED);
	CALL_FAILS(bug ? 107000 : 0, aclrtHostGetDevicePointer, .pHost = heap_memory + (bug ? 4096 : 0),
		.pDevice = OUT);
}

/* For a second device: a warning. */
static void register_for_another_device(void)
{
	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_MAPPED);
	CALL(aclrtSetDevice, .deviceId = 1);
	CALL(aclrtHostRegisterV2, .ptr = heap_memory + (bug ? 0 : 8192), .size = 8192,
		.flag = ACL_HOST_REG_MAPPED);
}

/* --- ranges ------------------------------------------------------------------------------- */

static void read_past_end(void)
{
	char *p = make_device_memory(1000), *q = make_device_memory(MIB);

	CALL(aclrtMemcpy, .dst = q, .destMax = MIB, .src = p + 512, .count = bug ? 1024 : 488, .kind = 3);
}

static void write_past_end(void)
{
	char *p = make_device_memory(1000), *q = make_device_memory(MIB);

	CALL(aclrtMemcpyAsync, .dst = p, .destMax = bug ? 4096 : 1000, .src = q, .count = bug ? 4096 : 1000,
		.kind = 3);
}

/* What lies behind the destination is overwritten: worse than what is read beyond the source. */
static void copy_past_both_ends(void)
{
	char *p = make_device_memory(1000), *q = make_device_memory(1000);
	size_t n = bug ? 4096 : 1000;

	CALL(aclrtMemcpyAsync, .dst = p, .destMax = n, .src = q, .count = n, .kind = 3);
}

/* Rounding up hides it on this product: a warning. */
static void write_into_slack(void)
{
	char *p = make_device_memory(1000);

	CALL(aclrtMemset, .devPtr = p, .maxCount = bug ? 1010 : 1000, .count = bug ? 1010 : 1000);
}

/* A row further than there are: it begins in the bytes that rounding up has added, which are the block's own.
 */
static void read_behind_end(void)
{
	char *p = make_device_memory(4096), *q = make_device_memory(MIB);

	CALL(aclrtMemcpyAsync, .dst = q, .destMax = MIB, .src = p + (bug ? 4096 : 3072), .count = 1024,
		.kind = 3);
}

static void write_behind_end(void)
{
	char *p = make_host_memory(1000), *q = make_device_memory(MIB);

	CALL(aclrtMemcpy, .dst = p + (bug ? 1008 : 0), .destMax = 1000, .src = q, .count = 1000,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
}

/* The address of the variable is a void * as well. */
static void variable_in_place_of_memory(void)
{
	char *p = make_device_memory(MIB), *h = make_host_memory(MIB);

	memcpy(heap_memory, &p, sizeof(p));
	CALL(aclrtMemcpy, .dst = bug ? heap_memory : p, .destMax = 64, .src = h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
}

static void variable_in_place_of_source(void)
{
	char *p = make_device_memory(MIB), *h = make_host_memory(MIB);

	memcpy(heap_memory, &p, sizeof(p));
	CALL(aclrtMemset, .devPtr = p, .maxCount = 64, .count = 64);
	CALL(aclrtMemcpy, .dst = h, .destMax = 64, .src = bug ? heap_memory : p, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
}

static void declared_too_large(void)
{
	char *p = make_device_memory(1000), *q = make_device_memory(MIB);

	CALL(aclrtMemcpy, .dst = p, .destMax = bug ? MIB : 1000, .src = q, .count = 64, .kind = 3);
}

/* What is left behind the address counts; the size of the whole block is another, milder mistake. */
static void declared_too_large_inside(void)
{
	char *p = make_device_memory(1024), *q = make_device_memory(MIB);

	CALL(aclrtMemcpy, .dst = p + 512, .destMax = bug ? 2048 : 512, .src = q, .count = 64, .kind = 3);
}

static void declared_too_large_set(void)
{
	char *p = make_device_memory(1024);

	CALL(aclrtMemset, .devPtr = p, .maxCount = bug ? MIB : 1024, .count = 64);
}

/* The last row needs its width only. */
static void rows_past_end(void)
{
	char *p = make_device_memory(16 * 128), *h = make_host_memory(16 * 64);

	CALL(aclrtMemcpy2d, .dst = h, .dpitch = 64, .src = p + 64, .spitch = 128, .width = 64,
		.height = bug ? 17 : 16, .kind = ACL_MEMCPY_DEVICE_TO_HOST);
}

static void wrong_direction(void)
{
	char *h = make_host_memory(4096), *d = make_device_memory(4096);

	CALL(aclrtMemcpy, .dst = d, .destMax = 4096, .src = h, .count = 4096,
		.kind = bug ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE);
}

static void wrong_direction_pageable(void)
{
	char *d = make_device_memory(4096);
	aclrtStream s = make_stream();

	CALL(aclrtMemcpyAsync, .dst = d, .destMax = 4096, .src = heap_memory, .count = 4096,
		.kind = bug ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void buffered_from_device(void)
{
	char *h = make_host_memory(4096), *d = make_device_memory(4096), *e = make_device_memory(4096);
	aclrtStream s = make_stream();

	CALL(aclrtMemcpyAsync, .dst = d, .destMax = 4096, .src = bug ? e : h, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* Into host memory: that it stays inside the host is not the nearest reason. */
static void buffered_to_host(void)
{
	char *h = make_host_memory(4096), *g = make_host_memory(4096), *d = make_device_memory(4096);
	aclrtStream s = make_stream();

	CALL(aclrtMemcpyAsync, .dst = bug ? g : d, .destMax = 4096, .src = h, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void set_memory(void *p)
{
	aclrtStream s = make_stream();

	CALL_EACH(0, ROLE(DST, p), ROLE(LIMIT, 64), ROLE(BYTES, 64), ROLE(NUMBER, 16), ROLE(STREAM, s));
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void set_heap(void)
{
	void *h = make_host_memory(4096);

	set_memory(bug ? (void *)heap_memory : h);
}

/* The device reaches it, but it was not allocated by the interface. */
static void set_registered(void)
{
	void *h = make_host_memory(4096), *d = NULL;

	CALL_DOES(aclrtHostRegister, 0, d = make_range(4096, true), .ptr = heap_memory, .size = 4096,
		.type = ACL_HOST_REGISTER_MAPPED, .devPtr = &d);
	set_memory(bug ? (void *)heap_memory : h);
	CALL(aclrtHostUnregister, .ptr = heap_memory);
}

/* Aligned, but only half of the word belongs to the block. */
static void value_at_end(void)
{
	char *p = make_device_memory(4092);

	CALL(aclrtValueWrite, .devAddr = p + (bug ? 4088 : 4080), .value = 1);
}

static void value_on_host(void)
{
	char *h = make_host_memory(4096), *d = make_device_memory(4096);

	CALL(aclrtValueWrite, .devAddr = bug ? h : d, .value = 1);
}

static const struct pair pairs[] = {
	PAIR("free-double", free_twice),
	PAIR("free-double", free_failed_first),
	PAIR("free-interior-pointer", free_inside),
	PAIR("free-interior-pointer", free_end),
	PAIR_AVOIDS("free-unknown-pointer", free_heap),
	PAIR("free-unknown-pointer", free_own_pages),
	PAIR("free-unknown-pointer", free_half),
	PAIR("free-managed-wrong-api", free_reserved),
	PAIR("free-managed-wrong-api", release_memory),
	PAIR_AVOIDS("pool-sync-free", pool_freed_plainly),
	PAIR("pool-free-invalid", pool_freed_twice),
	PAIR("use-after-free", copy_freed),
	PAIR("use-after-free", copy_new_block),
	PAIR("use-after-free", prefetch_freed),
	PAIR("use-after-free", addresses_freed),
	PAIR_ALSO("use-after-device-reset", copy_after_reset, "leak-device-memory"),
	PAIR("host-register-overlap", register_overlap),
	PAIR("host-register-pinned-on-locked", register_locked),
	PAIR("host-register-pinned-on-locked", register_around_locked),
	PAIR("host-unregister-not-registered", unregister_twice),
	PAIR("host-unregister-not-registered", unregister_inside),
	PAIR("host-unregister-not-registered", unregister_unregistered),
	PAIR("host-unregister-not-registered", unregister_inside_of_unregistered),
	PAIR("host-free-while-registered", free_registered),
	PAIR("host-free-while-registered", free_where_something_was_registered),
	PAIR("host-device-pointer-unmapped", pointer_of_unmapped),
	PAIR("host-device-pointer-unmapped", pointer_of_pinned),
	PAIR("host-device-pointer-unmapped", pointer_of_inside),
	PAIR("host-device-pointer-unmapped", pointer_of_unregistered),
	PAIR("host-device-pointer-unmapped", pointer_of_own_memory),
	PAIR("host-register-overlap", register_for_another_device),
	PAIR("memcpy-source-out-of-bounds", read_past_end),
	PAIR("memcpy-source-out-of-bounds", read_behind_end),
	PAIR("memcpy-dest-out-of-bounds", write_past_end),
	PAIR("memcpy-dest-out-of-bounds", write_behind_end),
	PAIR("memcpy-dest-out-of-bounds", copy_past_both_ends),
	PAIR("memcpy-dest-out-of-bounds", write_into_slack),
	PAIR("memcpy-destmax-exceeds-allocation", declared_too_large),
	PAIR("memcpy-destmax-exceeds-allocation", declared_too_large_inside),
	PAIR("memcpy-destmax-exceeds-allocation", declared_too_large_set),
	PAIR("memcpy2d-out-of-bounds", rows_past_end),
	PAIR("memcpy-kind-location-mismatch", wrong_direction),
	PAIR("memcpy-kind-location-mismatch", variable_in_place_of_memory),
	PAIR("memcpy-kind-location-mismatch", variable_in_place_of_source),
	PAIR("memcpy-kind-unregistered-illegal", wrong_direction_pageable),
	PAIR("memcpy-buffered-kind-location", buffered_from_device),
	PAIR("memcpy-buffered-kind-location", buffered_to_host),
	PAIR_EACH("memset-pageable-host", set_heap, SET_BYTES),
	PAIR_EACH("memset-pageable-host", set_heap, SET_WORDS),
	PAIR_EACH("memset-pageable-host", set_registered, SET_BYTES),
	PAIR_EACH("memset-pageable-host", set_registered, SET_WORDS),
	PAIR("value-write-alignment", value_at_end),
	PAIR("value-op-args", value_on_host),
};

PAIRS_MAIN("rules about memory", pairs)
