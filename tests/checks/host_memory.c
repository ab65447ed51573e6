/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranges of registered, page-locked and managed memory begin and end. */
#include "fixture.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define PAGE 4096ul
#define MIB2 (2ul << 20)

#define REGISTER_PINNED(f, address, bytes)                                                                   \
	CALL(f, aclrtHostRegisterV2, 0, .ptr = (void *)(address), .size = (bytes),                           \
		.flag = ACL_HOST_REG_PINNED)
#define SET(f, address) CALL(f, aclrtMemset, 0, .devPtr = (void *)(address), .maxCount = 64, .count = 64)

/* Page-locked memory anywhere in the range, behind whatever else lies in it. */
static void locked_behind_other_memory(void **state)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	void *managed = (void *)HOST_MEMORY, *more = (void *)(HOST_MEMORY + MIB2);

	(void)state;
	CALL(f, aclrtMemAllocManaged, 0, .ptr = &managed, .size = MIB2, .flag = ACL_RT_MEM_ATTACH_GLOBAL);
	CALL(f, aclrtMemAllocManaged, 0, .ptr = &more, .size = MIB2, .flag = ACL_RT_MEM_ATTACH_GLOBAL);
	fixture_malloc_host(f, HOST_MEMORY + 2 * MIB2, PAGE);
	REGISTER_PINNED(f, HOST_MEMORY, 2 * MIB2);
	CALL(f, aclrtHostUnregister, 0, .ptr = managed);
	REGISTER_PINNED(f, HOST_MEMORY + MIB2, PAGE);
	CALL(f, aclrtHostUnregister, 0, .ptr = more);
	REGISTER_PINNED(f, HOST_MEMORY + 2 * MIB2 + PAGE, PAGE);
	silent(f);
	REGISTER_PINNED(f, HOST_MEMORY + MIB2 + PAGE, MIB2);
	want(f, "host-register-pinned-on-locked:error");
	CALL(f, aclrtHostUnregister, 0, .ptr = (char *)more + PAGE);
	REGISTER_PINNED(f, HOST_MEMORY + PAGE, 2 * MIB2);
	want(f, "host-register-pinned-on-locked:error");
	fixture_free(f);
}

/* The device address of a part reaches to the end of what is registered, and no further. */
static void windows(void **state)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	const uint64_t window = 0x140000000000;
	void *device = (void *)window;

	(void)state;
	f->class = ACL_HOST_UNKNOWN;
	CALL(f, aclrtHostRegisterV2, 0, .ptr = (void *)HOST_MEMORY, .size = 3 * PAGE,
		.flag = ACL_HOST_REG_MAPPED);
	CALL(f, aclrtHostGetDevicePointer, 0, .pHost = (void *)(HOST_MEMORY + PAGE), .pDevice = &device);
	SET(f, window - 64);
	SET(f, window + 2 * PAGE);
	silent(f);
	SET(f, window + 2 * PAGE - 64);
	want(f, "mapped-pointer-in-memory-op:error");
	SET(f, window);
	want(f, "mapped-pointer-in-memory-op:error");
	fixture_free(f);
}

/* No window: a call that failed, an address that is the host's own, memory that is not registered. */
static void no_windows(void **state)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	const uint64_t window = 0x140000000000;
	void *device = (void *)window, *own = (void *)HOST_MEMORY;

	(void)state;
	f->class = ACL_HOST_UNKNOWN;
	CALL(f, aclrtHostRegisterV2, 0, .ptr = own, .size = PAGE, .flag = ACL_HOST_REG_MAPPED);
	CALL(f, aclrtHostGetDevicePointer, 507000, .pHost = own, .pDevice = &device);
	want(f, "api-error:warning");
	SET(f, window);
	CALL(f, aclrtHostGetDevicePointer, 0, .pHost = own, .pDevice = &own);
	never(f, "mapped-pointer-in-memory-op");
	CALL(f, aclrtHostGetDevicePointer, 0, .pHost = (char *)own + 16 * PAGE, .pDevice = &device);
	SET(f, window);
	never(f, "mapped-pointer-in-memory-op");
	fixture_free(f);
}

/* A place that is none sends the memory nowhere. */
static void prefetched_nowhere(void **state)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	void *p = (void *)DEVICE_MEMORY;

	(void)state;
	CALL(f, aclrtMemAllocManaged, 0, .ptr = &p, .size = MIB2, .flag = ACL_RT_MEM_ATTACH_GLOBAL);
	for (unsigned i = 0; i < 40; i++)
		CALL(f, aclrtMemManagedPrefetchAsync, 0, .ptr = p, .size = MIB2,
			.location = {.type = i & 1 ? ACL_MEM_LOCATIONTYPE_DEVICE : 99});
	want(f, "uvm-args:error uvm-args:error");
	never(f, "uvm-ping-pong");
	for (unsigned i = 0; i < 40; i++)
		CALL(f, aclrtMemManagedPrefetchAsync, 0, .ptr = p, .size = MIB2,
			.location = {
				.type = i & 1 ? ACL_MEM_LOCATIONTYPE_DEVICE : ACL_MEM_LOCATIONTYPE_HOST});
	want(f, "uvm-ping-pong:advice");
	fixture_free(f);
}

#define PREFETCH(f, p, where)                                                                                \
	CALL(f, aclrtMemManagedPrefetchAsync, 0, .ptr = (p), .size = MIB2, .location = {.type = where})
#define COPY(f, to, from, direction)                                                                         \
	CALL(f, aclrtMemcpy, 0, .dst = (to), .destMax = PAGE, .src = (from), .count = PAGE,                  \
		.kind = ACL_MEMCPY_##direction)

/* What is copied from and to where the memory was sent moves nothing. */
static void copied_where_it_is(void **state)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	void *p = (void *)DEVICE_MEMORY, *h = fixture_malloc_host(f, HOST_MEMORY, PAGE);

	(void)state;
	CALL(f, aclrtMemAllocManaged, 0, .ptr = &p, .size = MIB2, .flag = ACL_RT_MEM_ATTACH_GLOBAL);
	for (unsigned i = 0; i < 40; i++) {
		PREFETCH(f, p, ACL_MEM_LOCATIONTYPE_DEVICE);
		COPY(f, h, p, DEVICE_TO_HOST);
		COPY(f, p, h, HOST_TO_DEVICE);
	}
	PREFETCH(f, p, ACL_MEM_LOCATIONTYPE_HOST);
	for (unsigned i = 0; i < 40; i++) {
		COPY(f, h, p, HOST_TO_HOST);
		COPY(f, p, h, HOST_TO_HOST);
		PREFETCH(f, p, ACL_MEM_LOCATIONTYPE_HOST_NUMA);
	}
	silent(f);
	never(f, "uvm-ping-pong");
	fixture_free(f);
}

/* The first location counts from the first entry on. */
static void prefetched_as_only_entry(void **state)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	aclrtMemManagedLocation place = {0};
	size_t size = MIB2, first = 0;
	void *p = (void *)DEVICE_MEMORY;
	const void *list = p;

	(void)state;
	CALL(f, aclrtMemAllocManaged, 0, .ptr = &p, .size = MIB2, .flag = ACL_RT_MEM_ATTACH_GLOBAL);
	for (unsigned i = 0; i < 40; i++) {
		place.type = i & 1 ? ACL_MEM_LOCATIONTYPE_DEVICE : ACL_MEM_LOCATIONTYPE_HOST;
		CALL(f, aclrtMemManagedPrefetchBatchAsync, 0, .ptrs = &list, .sizes = &size, .count = 1,
			.prefetchLocs = &place, .prefetchLocIdxs = &first, .numPrefetchLocs = 1);
	}
	want(f, "uvm-ping-pong:advice");
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locked_behind_other_memory),
		cmocka_unit_test(windows),
		cmocka_unit_test(no_windows),
		cmocka_unit_test(prefetched_nowhere),
		cmocka_unit_test(copied_where_it_is),
		cmocka_unit_test(prefetched_as_only_entry),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
