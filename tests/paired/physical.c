/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about physical and managed memory. */
#include "paired.h"

#define MIB2 (2u << 20)

static char *reserve(size_t size)
{
	void *range = NULL;

	CALL_DOES(aclrtReserveMemAddress, 0, range = make_range(size, true), .virPtr = &range, .size = size);
	return range;
}

static aclrtDrvMemHandle physical_on(uint32_t device)
{
	aclrtPhysicalMemProp prop = {.memAttr = ACL_HBM_MEM_HUGE,
		.location = {.id = device, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle h = NULL;

	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = MIB2, .prop = &prop);
	return h;
}

static aclrtDrvMemHandle import(void)
{
	aclrtDrvMemHandle h = NULL;

	CALL_DOES(aclrtMemImportFromShareableHandle, 0, h = make_address(),
		.shareableHandle = pair_shareable(), .handle = &h);
	return h;
}

static char *mapped_on(uint32_t device)
{
	char *range = reserve(MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical_on(device));
	return range;
}

/* --- one memory at two addresses ---------------------------------------------------------- */

static void written_at_two_addresses(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtDrvMemHandle h = physical_on(0);
	char *a = reserve(MIB2), *b = reserve(MIB2);
	void *host = make_host_memory(4096);

	CALL(aclrtMemset, .devPtr = host, .maxCount = 4096, .count = 4096);
	CALL(aclrtMapMem, .virPtr = a, .size = MIB2, .handle = h);
	CALL(aclrtMapMem, .virPtr = b, .size = MIB2, .handle = h);
	CALL(aclrtMemcpyAsync, .dst = a + 4096, .destMax = 4096, .src = host, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemcpyAsync, .dst = b + 4096, .destMax = 4096, .src = host, .count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = other);
}

/* --- what goes into one range ------------------------------------------------------------- */

static void two_devices(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical_on(0));
	CALL(aclrtMapMem, .virPtr = range + MIB2, .size = MIB2, .handle = physical_on(bug ? 1 : 0));
}

/* What was unmapped does not count. */
static void two_devices_in_turn(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical_on(0));
	if (!bug)
		CALL(aclrtUnmapMem, .virPtr = range);
	CALL(aclrtMapMem, .virPtr = range + MIB2, .size = MIB2, .handle = physical_on(1));
}

/* The one that does not go with the others is named, first or last. */
static void imported_among_own(void)
{
	char *range = reserve(3 * MIB2), *other = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = bug ? range : other, .size = MIB2, .handle = import());
	CALL(aclrtMapMem, .virPtr = range + MIB2, .size = MIB2, .handle = physical_on(0));
	CALL(aclrtMapMem, .virPtr = range + 2 * MIB2, .size = MIB2, .handle = physical_on(0));
}

static void own_and_imported(void)
{
	char *range = reserve(2 * MIB2), *other = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical_on(0));
	CALL(aclrtMapMem, .virPtr = bug ? range + MIB2 : other, .size = MIB2, .handle = import());
}

/* The same of a handle that comes by address. */
static void own_and_imported_by_address(void)
{
	char *range = reserve(2 * MIB2), *other = reserve(2 * MIB2);
	uint64_t shared = pair_shareable();
	aclrtDrvMemHandle h = NULL;

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical_on(0));
	CALL_DOES(aclrtMemImportFromShareableHandleV2, 0, h = make_address(), .shareableHandle = &shared,
		.shareType = ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, .handle = &h);
	CALL(aclrtMapMem, .virPtr = bug ? range + MIB2 : other, .size = MIB2, .handle = h);
}

static void mapped_across_devices(void)
{
	char *here = mapped_on(0), *there = mapped_on(bug ? 1 : 0);

	CALL(aclrtMemset, .devPtr = here, .maxCount = 64, .count = 64);
	CALL(aclrtMemcpy, .dst = there, .destMax = 64, .src = here, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE);
}

/* The asynchronous copy may. */
static void mapped_across_devices_async(void)
{
	char *here = mapped_on(0), *there = mapped_on(1);

	CALL(aclrtMemset, .devPtr = here, .maxCount = 64, .count = 64);
	if (bug)
		CALL(aclrtMemcpy, .dst = there, .destMax = 64, .src = here, .count = 64,
			.kind = ACL_MEMCPY_DEVICE_TO_DEVICE);
	else
		CALL(aclrtMemcpyAsync, .dst = there, .destMax = 64, .src = here, .count = 64,
			.kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = make_stream());
}

/* A copy by descriptor stays inside a device, whatever its memory is mapped to. */
static void descriptor_across_devices(void)
{
	void *desc = make_device_memory(4096);
	char *here = mapped_on(0), *there = mapped_on(bug ? 1 : 0);

	CALL_FAILS(bug ? 107000 : 0, aclrtSetMemcpyDesc, .desc = desc,
		.kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = here, .dstAddr = there + 4096,
		.count = 64);
}

static void descriptor_out_of_mapped(void)
{
	void *desc = make_device_memory(4096), *here = make_device_memory(4096);

	CALL_FAILS(bug ? 107000 : 0, aclrtSetMemcpyDesc, .desc = desc,
		.kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = mapped_on(bug ? 1 : 0), .dstAddr = here,
		.count = 64);
}

static void batch_into_mapped(void)
{
	aclrtMemcpyBatchAttr attr = {.dstLoc = {.id = bug ? 0 : 1, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
		.srcLoc = {.type = ACL_MEM_LOCATION_TYPE_HOST}};
	void *dst = mapped_on(1), *src = make_host_memory(4096);
	size_t size = 64, index = 0, failed;

	CALL(aclrtMemcpyBatch, .dsts = &dst, .destMaxs = &size, .srcs = &src, .sizes = &size, .numBatches = 1,
		.attrs = &attr, .attrsIndexes = &index, .numAttrs = 1, .failIndex = &failed);
}

/* Rows go between devices asynchronously only: the runtime refuses the other function. */
static void mapped_rows(void)
{
	char *here = mapped_on(0), *there = mapped_on(bug ? 1 : 0);

	CALL(aclrtMemset, .devPtr = here, .maxCount = 4096, .count = 4096);
	CALL(aclrtMemcpy2dAsync, .dst = there, .dpitch = 64, .src = here, .spitch = 64, .width = 64,
		.height = 4, .kind = ACL_MEMCPY_DEFAULT, .stream = make_stream());
}

static void link_inside(void)
{
	char *src = mapped_on(0), *dst = reserve(2 * MIB2);

	CALL_FAILS(bug ? 507899 : 0, aclrtMemMapSelectedLink, .virPtrDst = bug ? dst + 4096 : reserve(MIB2),
		.size = MIB2, .virPtrSrc = src);
}

static void link_of_nothing(void)
{
	char *src = bug ? reserve(MIB2) : mapped_on(0), *dst = reserve(MIB2);

	CALL_FAILS(
		bug ? 507899 : 0, aclrtMemMapSelectedLink, .virPtrDst = dst, .size = MIB2, .virPtrSrc = src);
}

static void link_of_ordinary_memory(void)
{
	char *src = bug ? make_device_memory(MIB2) : mapped_on(0), *dst = reserve(MIB2);

	CALL_FAILS(
		bug ? 507899 : 0, aclrtMemMapSelectedLink, .virPtrDst = dst, .size = MIB2, .virPtrSrc = src);
}

static void link_without_source(void)
{
	char *src = mapped_on(0), *dst = reserve(MIB2);

	CALL_FAILS(bug ? 507899 : 0, aclrtMemMapSelectedLink, .virPtrDst = dst, .size = MIB2,
		.virPtrSrc = bug ? NULL : src);
}

static void link_to_nowhere(void)
{
	char *src = mapped_on(0), *dst = reserve(MIB2);

	CALL_FAILS(bug ? 507899 : 0, aclrtMemMapSelectedLink, .virPtrDst = bug ? NULL : dst, .size = MIB2,
		.virPtrSrc = src);
}

/* --- sizes, references ----------------------------------------------------------------------- */

static void odd_size(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle h = NULL;

	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = bug ? 100000 : MIB2,
		.prop = &prop);
	CALL(aclrtFreePhysical, .handle = h);
}

/* The runtime's own word, for pages it does not name. */
static void odd_size_as_told(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_NORMAL, .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle h = NULL;
	size_t granularity = 0;

	CALL_DOES(aclrtMemGetAllocationGranularity, 0, granularity = 65536, .prop = &prop,
		.option = ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, .granularity = &granularity);
	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h,
		.size = bug ? granularity + 4096 : granularity * 2, .prop = &prop);
	CALL(aclrtFreePhysical, .handle = h);
}

static void reference_left(void)
{
	aclrtDrvMemHandle h = physical_on(0);

	if (!bug)
		CALL(aclrtFreePhysical, .handle = h);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize, );
	pair_exit();
}

/* Each retain is a reference of its own, whatever handle it answers with. */
static void retained_left(void)
{
	aclrtDrvMemHandle h = physical_on(0), again = NULL;
	char *range = reserve(MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = h);
	CALL_DOES(
		aclrtMemRetainAllocationHandle, 0, again = make_address(), .virPtr = range, .handle = &again);
	CALL(aclrtUnmapMem, .virPtr = range);
	CALL(aclrtReleaseMemAddress, .virPtr = range);
	CALL(aclrtFreePhysical, .handle = h);
	if (!bug)
		CALL(aclrtFreePhysical, .handle = again);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize, );
	pair_exit();
}

/* It mostly answers with the handle that is known: where it was made is not where the reference comes from.
 */
static void same_handle_retained(void)
{
	aclrtDrvMemHandle h = physical_on(0), again = NULL;
	char *range = reserve(MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = h);
	CALL_DOES(aclrtMemRetainAllocationHandle, 0, again = h, .virPtr = range, .handle = &again);
	CALL(aclrtUnmapMem, .virPtr = range);
	CALL(aclrtReleaseMemAddress, .virPtr = range);
	CALL(aclrtFreePhysical, .handle = h);
	if (!bug)
		CALL(aclrtFreePhysical, .handle = again);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize, );
	pair_exit();
}

/* Into a range that is reserved where we do not see it. */
static void mapping_left(void)
{
	aclrtDrvMemHandle h = physical_on(0);
	char *range = make_range(MIB2, true);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = h);
	if (!bug)
		CALL(aclrtUnmapMem, .virPtr = range);
	CALL(aclrtFreePhysical, .handle = h);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize, );
	pair_exit();
}

/* --- captured models --------------------------------------------------------------------------- */

static aclmdlRI capture_set(void *p)
{
	aclrtStream s = make_stream();
	aclmdlRI model = NULL;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(aclrtMemsetAsync, .devPtr = p, .maxCount = 64, .count = 64, .stream = s);
	CALL_DOES(aclmdlRICaptureEnd, 0, model = make_address(), .stream = s, .modelRI = &model);
	return model;
}

static void physical_of_model(void)
{
	char *range = reserve(MIB2);
	aclrtDrvMemHandle h = physical_on(0);
	aclmdlRI model;

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = h);
	model = capture_set(range);
	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = model);
	CALL(aclrtFreePhysical, .handle = h);
}

static void range_of_model(void)
{
	char *range = mapped_on(0);
	aclmdlRI model = capture_set(range);

	if (!bug) {
		CALL(aclmdlRIDestroy, .modelRI = model);
		CALL(aclrtUnmapMem, .virPtr = range);
	}
	CALL_FAILS(bug ? 507899 : 0, aclrtReleaseMemAddress, .virPtr = range);
}

static void pool_of_model(void)
{
	aclrtMemPoolProps props = {.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtStream s = make_stream();
	aclrtMemPool pool = NULL;
	aclmdlRI model;
	void *p = NULL;

	CALL_DOES(aclrtMemPoolCreate, 0, pool = make_address(), .memPool = &pool, .poolProps = &props);
	CALL_DOES(aclrtMemPoolMallocAsync, 0, p = make_range(MIB2, true), .ptr = &p, .size = MIB2,
		.memPool = pool, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	model = capture_set(p);
	if (!bug) {
		CALL(aclmdlRIDestroy, .modelRI = model);
		CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
		CALL(aclrtSynchronizeStream, .stream = s);
	}
	CALL(aclrtMemPoolDestroy, .memPool = pool);
}

/* --- managed memory ------------------------------------------------------------------------------ */

static const aclrtMemManagedLocation on_device = {.type = ACL_MEM_LOCATIONTYPE_DEVICE},
				     on_host = {.type = ACL_MEM_LOCATIONTYPE_HOST};

static char *managed(size_t bytes)
{
	void *p = NULL;

	CALL_DOES(aclrtMemAllocManaged, 0, p = make_range(bytes, true), .ptr = &p, .size = bytes, .flag = 1);
	return p;
}

static void prefetch_plain(void)
{
	void *p = bug ? make_device_memory(MIB2) : managed(MIB2);

	CALL_FAILS(bug ? 107000 : 0, aclrtMemManagedPrefetchAsync, .ptr = p, .size = MIB2,
		.location = on_device, .stream = make_stream());
}

static void advise_beyond(void)
{
	char *p = managed(MIB2);

	CALL_FAILS(bug ? 107000 : 0, aclrtMemManagedAdvise, .ptr = p, .size = bug ? 2 * MIB2 : MIB2,
		.advise = ACL_MEM_ADVISE_SET_READ_MOSTLY, .location = on_device);
}

static void advise_heap(void)
{
	char *p = bug ? heap_memory : managed(MIB2);

	CALL_FAILS(bug ? 107000 : 0, aclrtMemManagedAdvise, .ptr = p, .size = MIB2,
		.advise = ACL_MEM_ADVISE_SET_READ_MOSTLY, .location = on_device);
}

static void to_and_fro(void)
{
	aclrtStream s = make_stream();
	char *p = managed(MIB2);

	if (!bug)
		CALL(aclrtMemManagedAdvise, .ptr = p, .size = MIB2, .advise = ACL_MEM_ADVISE_SET_ACCESSED_BY,
			.location = on_device);
	for (unsigned i = 0; i < 12; i++) {
		CALL(aclrtMemManagedPrefetchAsync, .ptr = p, .size = MIB2, .location = on_device,
			.stream = s);
		CALL(aclrtMemManagedPrefetchAsync, .ptr = p, .size = MIB2, .location = on_host, .stream = s);
	}
}

static void to_and_fro_in_batches(void)
{
	aclrtStream s = make_stream();
	char *p = managed(4 * MIB2);
	const void *ptrs[] = {p, p + MIB2};
	size_t sizes[] = {MIB2, MIB2}, first = 0;
	aclrtMemManagedLocation there = on_device, back = on_host;

	if (!bug)
		CALL(aclrtMemManagedAdvise, .ptr = p, .size = 4 * MIB2,
			.advise = ACL_MEM_ADVISE_SET_ACCESSED_BY, .location = on_device);
	for (unsigned i = 0; i < 12; i++) {
		CALL(aclrtMemManagedPrefetchBatchAsync, .ptrs = ptrs, .sizes = sizes, .count = 2,
			.prefetchLocs = &there, .prefetchLocIdxs = &first, .numPrefetchLocs = 1, .stream = s);
		CALL(aclrtMemManagedPrefetchBatchAsync, .ptrs = ptrs, .sizes = sizes, .count = 2,
			.prefetchLocs = &back, .prefetchLocIdxs = &first, .numPrefetchLocs = 1, .stream = s);
	}
}

/* By what is copied: to the device, and back to the host. */
static void to_and_fro_by_copies(void)
{
	char *p = managed(MIB2), *h = make_host_memory(4096);

	if (!bug)
		CALL(aclrtMemManagedAdvise, .ptr = p, .size = MIB2, .advise = ACL_MEM_ADVISE_SET_ACCESSED_BY,
			.location = on_device);
	for (unsigned i = 0; i < 12; i++) {
		CALL(aclrtMemcpy, .dst = p, .destMax = 4096, .src = h, .count = 4096,
			.kind = ACL_MEMCPY_HOST_TO_DEVICE);
		CALL(aclrtMemcpy, .dst = p, .destMax = 4096, .src = h, .count = 4096,
			.kind = ACL_MEMCPY_HOST_TO_HOST);
	}
}

static void from_both_sides(void)
{
	char *p = managed(MIB2), *h = make_host_memory(4096);

	for (unsigned i = 0; i < 12; i++) {
		CALL(aclrtMemcpy, .dst = h, .destMax = 4096, .src = p, .count = 4096,
			.kind = ACL_MEMCPY_DEVICE_TO_HOST);
		if (bug)
			CALL(aclrtMemcpy, .dst = h, .destMax = 4096, .src = p, .count = 4096,
				.kind = ACL_MEMCPY_HOST_TO_HOST);
	}
}

/* The page-locking of a range makes no managed memory of it. */
static void attribute_of_registered(void)
{
	void *p = heap_memory;

	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_PINNED);
	if (!bug)
		p = managed(MIB2);
	CALL_FAILS(bug ? 507899 : 0, aclrtMemManagedGetAttr,
		.attribute = ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, .ptr = p, .size = 4096,
		.data = OUT, .dataSize = 4);
	CALL(aclrtHostUnregister, .ptr = heap_memory);
}

static uint32_t count_devices(void)
{
	uint32_t count = 0;

	CALL_DOES(aclrtGetDeviceCount, 0, count = 2, .count = &count);
	return count;
}

static aclrtMemManagedLocation location_of(int32_t id)
{
	return (aclrtMemManagedLocation){.type = ACL_MEM_LOCATIONTYPE_DEVICE, .id = id};
}

static void advised_for_no_device(void)
{
	aclrtMemManagedLocation to = location_of(bug ? (int32_t)count_devices() : 0);

	CALL_FAILS(bug ? 107000 : 0, aclrtMemManagedAdvise, .ptr = managed(MIB2), .size = MIB2,
		.advise = ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, .location = to);
}

/* How many there are it need not know. */
static void advised_for_a_negative_device(void)
{
	CALL_FAILS(bug ? 107000 : 0, aclrtMemManagedAdvise, .ptr = managed(MIB2), .size = MIB2,
		.advise = ACL_MEM_ADVISE_SET_ACCESSED_BY, .location = location_of(-bug));
}

static void prefetched_to_no_device(void)
{
	uint32_t count = count_devices();
	aclrtStream s = make_stream();

	CALL_FAILS(bug ? 107000 : 0, aclrtMemManagedPrefetchAsync, .ptr = managed(MIB2), .size = MIB2,
		.location = location_of(bug ? -1 : (int32_t)count - 1), .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void no_such_attribute(void)
{
	aclrtMemManagedRangeAttribute asked[2] = {ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, bug ? 9 : 8};
	uint32_t values[2];
	void *data[2] = {&values[0], &values[1]};
	size_t sizes[2] = {sizeof(values[0]), sizeof(values[1])};

	CALL_FAILS(bug ? 107000 : 0, aclrtMemManagedGetAttrs, .attributes = asked, .numAttributes = 2,
		.ptr = managed(MIB2), .size = MIB2, .data = data, .dataSizes = sizes);
}

static void one_prefetched_to_no_device(void)
{
	uint32_t count = count_devices();
	aclrtMemManagedLocation to[2] = {location_of(0), location_of(bug ? (int32_t)count : 0)};
	const void *ptrs[2] = {managed(MIB2), managed(MIB2)};
	size_t sizes[2] = {MIB2, MIB2}, from[2] = {0, 1};
	aclrtStream s = make_stream();

	CALL_FAILS(bug ? 107000 : 0, aclrtMemManagedPrefetchBatchAsync, .ptrs = ptrs, .sizes = sizes,
		.count = 2, .prefetchLocs = to, .prefetchLocIdxs = from, .numPrefetchLocs = 2, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void usage_of_no_device(void)
{
	uint32_t count = count_devices();
	aclrtMemUsageInfo usage[8];
	size_t n = 0;

	CALL_FAILS(bug ? 107001 : 0, aclrtGetMemUsageInfo, .deviceId = bug ? (int32_t)count : 0,
		.memUsageInfo = usage, .inputNum = 8, .outputNum = &n);
}

static void capability_of_no_device(void)
{
	uint32_t count = count_devices();
	aclrtHostMemMapCapability can = 0;

	CALL_FAILS(bug ? 107001 : 0, aclrtHostMemMapCapabilities, .deviceId = bug ? count : count - 1,
		.hacType = ACL_RT_HAC_TYPE_AIC, .capabilities = &can);
}

static const struct pair pairs[] = {
	PAIR("stream-race-copy", written_at_two_addresses),
	PAIR("uvm-args", advised_for_no_device),
	PAIR("uvm-args", advised_for_a_negative_device),
	PAIR("uvm-args", prefetched_to_no_device),
	PAIR("uvm-args", one_prefetched_to_no_device),
	PAIR("uvm-args", no_such_attribute),
	PAIR("mem-query-null-args", usage_of_no_device),
	PAIR("mem-query-null-args", capability_of_no_device),
	PAIR("vmm-map-two-devices", two_devices),
	PAIR("vmm-map-two-devices", two_devices_in_turn),
	PAIR("vmm-map-mixed-handles", own_and_imported),
	PAIR("vmm-map-mixed-handles", imported_among_own),
	PAIR("vmm-map-mixed-handles", own_and_imported_by_address),
	PAIR("vmm-cross-device-sync-copy", mapped_across_devices),
	PAIR("vmm-cross-device-sync-copy", mapped_rows),
	PAIR_AVOIDS("vmm-cross-device-sync-copy", mapped_across_devices_async),
	PAIR("desc-cross-device", descriptor_across_devices),
	PAIR("desc-cross-device", descriptor_out_of_mapped),
	PAIR("batch-attr-location-mismatch", batch_into_mapped),
	PAIR("vmm-selected-link-args", link_inside),
	PAIR("vmm-selected-link-args", link_of_nothing),
	PAIR("vmm-selected-link-args", link_of_ordinary_memory),
	PAIR("vmm-selected-link-args", link_without_source),
	PAIR("vmm-selected-link-args", link_to_nowhere),
	PAIR("vmm-physical-granularity", odd_size),
	PAIR("vmm-physical-granularity", odd_size_as_told),
	PAIR("leak-vmm", reference_left),
	PAIR("leak-vmm", retained_left),
	PAIR("leak-vmm", same_handle_retained),
	PAIR("leak-vmm", mapping_left),
	PAIR("capture-resource-freed-before-destroy", physical_of_model),
	PAIR("capture-resource-freed-before-destroy", range_of_model),
	PAIR("capture-resource-freed-before-destroy", pool_of_model),
	PAIR("uvm-range-not-managed", prefetch_plain),
	PAIR("uvm-range-not-managed", advise_beyond),
	PAIR("uvm-range-not-managed", advise_heap),
	PAIR("uvm-ping-pong", to_and_fro),
	PAIR("uvm-ping-pong", to_and_fro_in_batches),
	PAIR("uvm-ping-pong", to_and_fro_by_copies),
	PAIR("uvm-ping-pong", from_both_sides),
	PAIR("uvm-range-not-managed", attribute_of_registered),
};

PAIRS_MAIN("physical and managed memory", pairs)
