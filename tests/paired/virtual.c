/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about virtual memory and its sharing. */
#include <string.h>

#include "paired.h"

#define MIB2 (2u << 20)

static char *reserve(size_t size)
{
	void *range = NULL;

	CALL_DOES(aclrtReserveMemAddress, 0, range = (void *)0x100000000000, .virPtr = &range, .size = size);
	return range;
}

static aclrtDrvMemHandle physical(void)
{
	static const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle h = NULL;

	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = MIB2, .prop = &prop);
	return h;
}

static void map_outside(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range + (bug ? 2 : 1) * MIB2 - (bug ? MIB2 / 2 : 0), .size = MIB2,
		.handle = physical());
}

/* It begins right behind the range, where there is nothing. */
static void map_behind(void)
{
	char *range = reserve(2 * MIB2);

	CALL_FAILS(bug ? 107000 : 0, aclrtMapMem, .virPtr = range + (bug ? 2 : 1) * MIB2, .size = MIB2,
		.handle = physical());
}

static void mapping_freed(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL_EACH(bug ? 107000 : 0, ROLE(ADDRESS, bug ? range : make_device_memory(64)));
	CALL(aclrtUnmapMem, .virPtr = range);
}

static void map_twice(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL(aclrtMapMem, .virPtr = range + (bug ? 0 : MIB2), .size = MIB2, .handle = physical());
}

static void map_part(void)
{
	char *range = reserve(4 * MIB2);

	CALL_FAILS(bug ? 107000 : 0, aclrtMapMem, .virPtr = range, .size = bug ? 2 * MIB2 : MIB2,
		.handle = physical());
}

static void map_at_offset(void)
{
	CALL_FAILS(bug ? 107000 : 0, aclrtMapMem, .virPtr = reserve(2 * MIB2), .size = MIB2,
		.offset = bug ? 1 : 0, .handle = physical());
}

static void open_for_reading(void)
{
	aclrtMemAccessDesc open = {
		.flags = bug ? ACL_RT_MEM_ACCESS_FLAGS_READ : ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL_FAILS(bug ? 107000 : 0, aclrtMemSetAccess, .virPtr = range, .size = MIB2, .desc = &open,
		.count = 1);
}

static aclrtMemAccessDesc readwrite = {
	.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE, .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};

static void open_in_the_middle(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL_FAILS(bug ? 107000 : 0, aclrtMemSetAccess, .virPtr = range + (bug ? 4096 : 0),
		.size = MIB2 - (bug ? 4096 : 0), .desc = &readwrite, .count = 1);
}

/* Several mappings are opened at once as a whole. */
static void open_half(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL(aclrtMapMem, .virPtr = range + MIB2, .size = MIB2, .handle = physical());
	CALL(aclrtMemSetAccess, .virPtr = range, .size = bug ? MIB2 + 4096 : 2 * MIB2, .desc = &readwrite,
		.count = 1);
}

static void asked_in_the_middle(void)
{
	aclrtMemLocation location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	char *range = reserve(2 * MIB2);
	uint64_t flags = 0;

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL(aclrtMemSetAccess, .virPtr = range, .size = MIB2, .desc = &readwrite, .count = 1);
	CALL_FAILS(bug ? 107000 : 0, aclrtMemGetAccess, .virPtr = range + (bug ? 4096 : 0),
		.location = &location, .flag = &flags);
}

static void retained_in_the_middle(void)
{
	char *range = reserve(2 * MIB2);
	aclrtDrvMemHandle handle = physical(), again = NULL;

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = handle);
	CALL_DOES(aclrtMemRetainAllocationHandle, bug ? 107000 : 0, again = handle,
		.virPtr = range + (bug ? 4096 : 0), .handle = &again);
	if (!bug)
		CALL(aclrtFreePhysical, .handle = again);
}

static void open_unmapped(void)
{
	char *range = reserve(2 * MIB2);

	if (!bug)
		CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL_FAILS(bug ? 107000 : 0, aclrtMemSetAccess, .virPtr = range, .size = MIB2, .desc = &readwrite,
		.count = 1);
}

static void ask_access_unmapped(void)
{
	static aclrtMemLocation where = {.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	char *range = reserve(2 * MIB2);

	if (!bug)
		CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL_FAILS(bug ? 107000 : 0, aclrtMemGetAccess, .virPtr = range, .location = &where,
		.flag = (uint64_t *)OUT);
}

static void retain_unmapped(void)
{
	aclrtDrvMemHandle h = physical(), again = NULL;
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = h);
	if (bug)
		CALL_FAILS(107000, aclrtMemRetainAllocationHandle, .virPtr = range + MIB2, .handle = &again);
	else
		CALL_DOES(aclrtMemRetainAllocationHandle, 0, again = h, .virPtr = range, .handle = &again);
}

static void use_never_mapped(void)
{
	char *range = reserve(2 * MIB2);

	if (!bug)
		CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL_FAILS(bug ? 507899 : 0, aclrtMemset, .devPtr = range, .maxCount = 64, .count = 64);
}

/* Two mappings side by side are one range; behind them there is nothing. */
static void write_past_mappings(void)
{
	char *range = reserve(4 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL(aclrtMapMem, .virPtr = range + MIB2, .size = MIB2, .handle = physical());
	CALL(aclrtMemset, .devPtr = range + 64, .maxCount = 3 * MIB2,
		.count = bug ? 2 * MIB2 : 2 * MIB2 - 64);
}

static void unmap_twice(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL(aclrtUnmapMem, .virPtr = range);
	if (bug)
		CALL(aclrtUnmapMem, .virPtr = range);
}

static void release_mapped(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	if (!bug)
		CALL(aclrtUnmapMem, .virPtr = range);
	CALL_FAILS(bug ? 507899 : 0, aclrtReleaseMemAddress, .virPtr = range);
}

static void use_unmapped(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL(aclrtMemset, .devPtr = range + (bug ? MIB2 : 64), .maxCount = 64, .count = 64);
}

/* Two mappings, and a hole between them. */
static char *map_around(char *range, bool hole)
{
	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	if (!hole)
		CALL(aclrtMapMem, .virPtr = range + MIB2, .size = MIB2, .handle = physical());
	CALL(aclrtMapMem, .virPtr = range + 2 * MIB2, .size = MIB2, .handle = physical());
	return range;
}

static void prefetch_a_hole(void)
{
	char *range = map_around(reserve(3 * MIB2), bug);

	CALL(aclrtCmoAsync, .src = range, .size = 3 * MIB2, .cmoType = ACL_RT_CMO_TYPE_PREFETCH,
		.stream = make_stream());
}

static void open_a_hole(void)
{
	char *range = map_around(reserve(4 * MIB2), bug);

	CALL_FAILS(bug ? 107000 : 0, aclrtMemSetAccess, .virPtr = range, .size = 3 * MIB2, .desc = &readwrite,
		.count = 1);
}

static void use_without_access(void)
{
	static aclrtMemAccessDesc open = {.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	char *range = reserve(2 * MIB2);

	CALL(aclrtMemMapNoAccess, .virPtr = range, .size = MIB2, .handle = physical());
	if (!bug)
		CALL(aclrtMemSetAccess, .virPtr = range, .size = MIB2, .desc = &open, .count = 1);
	CALL(aclrtMemset, .devPtr = range, .maxCount = 64, .count = 64);
}

/* One call opens several mappings, and a range that is used may lie in more than one of them. */
static void use_opened_together(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMemMapNoAccess, .virPtr = range, .size = MIB2, .handle = physical());
	CALL(aclrtMemMapNoAccess, .virPtr = range + MIB2, .size = MIB2, .handle = physical());
	CALL(aclrtMemSetAccess, .virPtr = range, .size = bug ? MIB2 : 2 * MIB2, .desc = &readwrite,
		.count = 1);
	CALL(aclrtMemset, .devPtr = range + MIB2, .maxCount = 64, .count = 64);
}

static void use_beyond_opened(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL(aclrtMemMapNoAccess, .virPtr = range + MIB2, .size = MIB2, .handle = physical());
	CALL(aclrtMemset, .devPtr = range + MIB2 - 64, .maxCount = 128, .count = bug ? 128 : 64);
}

/* A size that wraps around does not end inside the range. */
static void map_everything(void)
{
	char *range = reserve(2 * MIB2);
	aclrtDrvMemHandle h = NULL;

	CALL_DOES(aclrtMemImportFromShareableHandle, 0, h = make_address(), .shareableHandle = 4711,
		.deviceId = 0, .handle = &h);
	CALL_FAILS(bug ? 107000 : 0, aclrtMapMem, .virPtr = range + MIB2,
		.size = bug ? SIZE_MAX - MIB2 + 1 : MIB2, .handle = h);
}

static char *linked_source(void)
{
	void *range = NULL;

	CALL_DOES(aclrtReserveMemAddress, 0, range = (void *)0x200000000000, .virPtr = &range, .size = MIB2);
	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	return range;
}

static void link_mapped(void)
{
	char *source = linked_source(), *range = reserve(MIB2);

	if (bug)
		CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL_FAILS(bug ? 107000 : 0, aclrtMemMapSelectedLink, .virPtrDst = range, .size = MIB2,
		.virPtrSrc = source);
}

static void link_outside(void)
{
	char *source = linked_source();
	void *range = bug ? make_device_memory(MIB2) : reserve(MIB2);

	CALL_FAILS(bug ? 107000 : 0, aclrtMemMapSelectedLink, .virPtrDst = range, .size = MIB2,
		.virPtrSrc = source);
}

static void physical_twice(void)
{
	aclrtDrvMemHandle h = physical();

	CALL(aclrtFreePhysical, .handle = h);
	if (bug)
		CALL(aclrtFreePhysical, .handle = h);
}

/* As many releases as references. */
static void physical_retained(void)
{
	aclrtDrvMemHandle h = physical(), again = NULL;
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = h);
	if (!bug)
		CALL_DOES(aclrtMemRetainAllocationHandle, 0, again = h, .virPtr = range, .handle = &again);
	CALL(aclrtFreePhysical, .handle = h);
	CALL(aclrtFreePhysical, .handle = h);
}

/* --- a range that is reserved no more ------------------------------------------------------------- */

static char *range_with_memory(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	return range;
}

static void give_up(char *range)
{
	CALL(aclrtUnmapMem, .virPtr = range);
	CALL(aclrtReleaseMemAddress, .virPtr = range);
}

static void released_range_unmapped(void)
{
	char *range = range_with_memory();

	if (bug)
		give_up(range);
	CALL_FAILS(bug ? 107000 : 0, aclrtUnmapMem, .virPtr = range);
}

static void memory_of_released_range_retained(void)
{
	char *range = range_with_memory();
	aclrtDrvMemHandle again = NULL;

	if (bug)
		give_up(range);
	CALL_DOES(aclrtMemRetainAllocationHandle, bug ? 107000 : 0, again = make_address(), .virPtr = range,
		.handle = &again);
}

static void access_to_released_range(void)
{
	aclrtMemAccessDesc access = {.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	char *range = range_with_memory();

	if (bug)
		give_up(range);
	CALL_FAILS(bug ? 107000 : 0, aclrtMemSetAccess, .virPtr = range, .size = MIB2, .desc = &access,
		.count = 1);
}

static void access_of_released_range(void)
{
	aclrtMemLocation here = {.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	char *range = range_with_memory();
	uint64_t flag = 0;

	if (bug)
		give_up(range);
	CALL_FAILS(bug ? 107000 : 0, aclrtMemGetAccess, .virPtr = range, .location = &here, .flag = &flag);
}

static void mapped_into_released_range(void)
{
	char *range = reserve(2 * MIB2);
	aclrtDrvMemHandle h = physical();

	if (bug)
		CALL(aclrtReleaseMemAddress, .virPtr = range);
	CALL_EACH(bug ? 107000 : 0, ROLE(ADDRESS, range), ROLE(BYTES, MIB2), ROLE(PHYSICAL, h));
}

/* Whoever else works with memory may have reserved the range again. */
static void mapped_into_range_that_may_be_reserved(void)
{
	char *range = reserve(2 * MIB2);

	pair_unseen(CHECKS_OTHER_WORK);
	if (bug)
		CALL(aclrtReleaseMemAddress, .virPtr = range);
	CALL_FAILS(bug ? 107000 : 0, aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
}

static void linked_to_released_range(void)
{
	char *source = linked_source(), *range = reserve(MIB2);

	if (bug)
		CALL(aclrtReleaseMemAddress, .virPtr = range);
	CALL_EACH(bug ? 507899 : 0, ROLE(DST, range), ROLE(BYTES, MIB2), ROLE(SRC, source));
}

static void linked_from_released_range(void)
{
	char *source = linked_source(), *range = reserve(MIB2);

	if (bug)
		give_up(source);
	CALL_EACH(bug ? 507899 : 0, ROLE(DST, range), ROLE(BYTES, MIB2), ROLE(SRC, source));
}

/* The handle may stand for other memory by then. */
static void link_of_released(void)
{
	aclrtDrvMemHandle h = physical();

	if (!bug)
		CALL(aclrtMemMapSetLink, .handle = h, .adviceLink = ACL_RT_MEM_ACCESS_LINK_HCCS);
	CALL(aclrtFreePhysical, .handle = h);
	if (bug)
		CALL(aclrtMemMapSetLink, .handle = h, .adviceLink = ACL_RT_MEM_ACCESS_LINK_HCCS);
}

static void export_memory_of_host(void)
{
	static const aclrtPhysicalMemProp on_host = {
		.memAttr = ACL_DDR_MEM_HUGE, .location = {.type = ACL_MEM_LOCATION_TYPE_HOST}};
	aclrtDrvMemHandle h = NULL;
	uint64_t key = 0;

	if (bug)
		CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = MIB2,
			.prop = &on_host);
	else
		h = physical();
	CALL_FAILS(bug ? 207000 : 0, aclrtMemExportToShareableHandle, .handle = h, .shareableHandle = &key);
}

/* Host memory is for the fabric. */
static void export_memory_of_host_plainly(void)
{
	static const aclrtPhysicalMemProp on_node = {
		.memAttr = ACL_MEM_P2P_HUGE, .location = {.type = ACL_MEM_LOCATION_TYPE_HOST_NUMA}};
	aclrtDrvMemHandle h = NULL;

	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = MIB2, .prop = &on_node);
	CALL_FAILS(bug ? 207000 : 0, aclrtMemExportToShareableHandleV2, .handle = h,
		.shareType = bug ? ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT : ACL_MEM_SHARE_HANDLE_TYPE_FABRIC,
		.shareableHandle = OUT);
}

static void export_twice(void)
{
	aclrtDrvMemHandle h = physical();

	CALL(aclrtMemExportToShareableHandle, .handle = h, .shareableHandle = OUT);
	CALL(aclrtMemExportToShareableHandle, .handle = bug ? h : physical(), .shareableHandle = OUT);
}

/* --- sharing ----------------------------------------------------------------------------- */

static char key[65];

static void export_host(void)
{
	void *p = bug ? make_host_memory(4096) : make_device_memory(4096);

	CALL_DOES(aclrtIpcMemGetExportKey, 0, strcpy(key, "key of a block"), .devPtr = p, .size = 4096,
		.key = key, .len = 65);
}

static void export_registered(void)
{
	void *p = bug ? heap_memory : make_device_memory(4096);

	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 4096, .flag = ACL_HOST_REG_MAPPED);
	CALL_DOES(aclrtIpcMemGetExportKey, bug ? 107000 : 0, bug ? key : strcpy(key, "key of a block"),
		.devPtr = p, .size = 4096, .key = key, .len = 65);
	CALL(aclrtHostUnregister, .ptr = heap_memory);
}

static void export_heap(void)
{
	void *p = bug ? heap_memory : make_device_memory(4096);

	CALL_DOES(aclrtIpcMemGetExportKey, bug ? 107000 : 0, bug ? key : strcpy(key, "key of a block"),
		.devPtr = p, .size = 4096, .key = key, .len = 65);
}

static void export_past_end(void)
{
	void *p = make_device_memory(4096);

	CALL_DOES(aclrtIpcMemGetExportKey, 0, strcpy(key, "key of a block"), .devPtr = p,
		.size = bug ? 8192 : 4096, .key = key, .len = 65);
}

/* A size that wraps around. */
static void export_everything(void)
{
	char *p = make_device_memory(8192);

	CALL_DOES(aclrtIpcMemGetExportKey, 0, strcpy(key, "key of a block"), .devPtr = p + 4096,
		.size = bug ? SIZE_MAX - 4095 : 4096, .key = key, .len = 65);
}

static void close_twice(void)
{
	void *p = NULL;

	CALL_DOES(aclrtIpcMemImportByKey, 0, p = make_address(), .devPtr = &p, .key = pair_memory_key(1));
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	if (bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

static void close_of_another(void)
{
	void *p = NULL;

	CALL_DOES(aclrtIpcMemImportByKey, 0, p = make_address(), .devPtr = &p, .key = pair_memory_key(1));
	if (bug)
		CALL_FAILS(507899, aclrtIpcMemClose, .key = "a key of no process");
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

static void free_shared(void)
{
	void *p = make_device_memory(4096);

	CALL_DOES(aclrtIpcMemGetExportKey, 0, strcpy(key, "key of a block"), .devPtr = p, .size = 4096,
		.key = key, .len = 65);
	if (!bug)
		CALL(aclrtIpcMemClose, .key = key);
	CALL(aclrtFree, .devPtr = p);
}

/* The same memory may get the same key again: as many closes as exports. */
static void free_shared_again(void)
{
	void *p = make_device_memory(4096);

	for (int i = 0; i < 2; i++)
		CALL_DOES(aclrtIpcMemGetExportKey, 0, strcpy(key, "key of a block"), .devPtr = p,
			.size = 4096, .key = key, .len = 65);
	for (int i = 0; i < (bug ? 1 : 2); i++)
		CALL(aclrtIpcMemClose, .key = key);
	CALL(aclrtFree, .devPtr = p);
}

/* --- at the end ----------------------------------------------------------------------------------- */

static void range_kept(void)
{
	char *range = reserve(2 * MIB2);

	if (!bug)
		CALL(aclrtReleaseMemAddress, .virPtr = range);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	pair_exit();
}

static void unmap_allocated(void)
{
	char *range = map_around(reserve(4 * MIB2), true), *d = make_device_memory(MIB2);

	CALL_FAILS(bug ? 107000 : 0, aclrtUnmapMem, .virPtr = bug ? d : range);
}

static void open_allocated(void)
{
	char *range = map_around(reserve(4 * MIB2), true), *d = make_device_memory(MIB2);

	CALL_FAILS(bug ? 107000 : 0, aclrtMemSetAccess, .virPtr = bug ? d : range, .size = MIB2,
		.desc = &readwrite, .count = 1);
}

static const struct pair pairs[] = {
	PAIR("memcpy-dest-out-of-bounds", write_past_mappings),
	PAIR("vmm-map-outside-reservation", map_outside),
	PAIR("vmm-map-outside-reservation", map_behind),
	PAIR_EACH("free-managed-wrong-api", mapping_freed, FREE_DEVICE),
	PAIR("vmm-map-overlap", map_twice),
	PAIR("vmm-map-args", map_at_offset),
	PAIR("vmm-set-access-args", open_for_reading),
	PAIR("vmm-unmap-not-mapped", unmap_twice),
	PAIR("vmm-unmap-not-mapped", unmap_allocated),
	PAIR("vmm-set-access-args", open_allocated),
	PAIR("vmm-release-while-mapped", release_mapped),
	PAIR("vmm-use-unmapped", use_unmapped),
	PAIR("vmm-use-unmapped", use_never_mapped),
	PAIR("vmm-use-unmapped", prefetch_a_hole),
	PAIR("vmm-use-unmapped", open_unmapped),
	PAIR("vmm-use-unmapped", ask_access_unmapped),
	PAIR("vmm-use-unmapped", retain_unmapped),
	PAIR("vmm-set-access-args", open_in_the_middle),
	PAIR("vmm-set-access-args", open_half),
	PAIR("vmm-set-access-args", open_a_hole),
	PAIR("vmm-set-access-args", asked_in_the_middle),
	PAIR("vmm-set-access-args", retained_in_the_middle),
	PAIR("vmm-noaccess-used", use_without_access),
	PAIR("vmm-noaccess-used", use_opened_together),
	PAIR("vmm-noaccess-used", use_beyond_opened),
	PAIR("vmm-map-outside-reservation", map_everything),
	PAIR("vmm-map-outside-reservation", link_outside),
	PAIR("vmm-map-overlap", link_mapped),
	PAIR("vmm-handle-misuse", physical_twice),
	PAIR("vmm-handle-misuse", physical_retained),
	PAIR("mem-link-advice-invalid", link_of_released),
	PAIR_EACH("vmm-map-outside-reservation", mapped_into_released_range, MAP_MEMORY),
	PAIR("vmm-map-outside-reservation", mapped_into_range_that_may_be_reserved),
	PAIR_EACH("vmm-map-outside-reservation", linked_to_released_range, MAP_LINK),
	PAIR_EACH("vmm-selected-link-args", linked_from_released_range, MAP_LINK),
	PAIR("use-after-free", released_range_unmapped),
	PAIR("use-after-free", memory_of_released_range_retained),
	PAIR("use-after-free", access_to_released_range),
	PAIR("use-after-free", access_of_released_range),
	PAIR("vmm-export-twice", export_twice),
	PAIR("vmm-export-args", export_memory_of_host),
	PAIR("vmm-export-args", export_memory_of_host_plainly),
	PAIR("vmm-map-args", map_part),
	PAIR("ipc-export-range", export_host),
	PAIR("ipc-export-range", export_registered),
	PAIR("ipc-export-range", export_heap),
	PAIR("ipc-export-range", export_past_end),
	PAIR("ipc-export-range", export_everything),
	PAIR("ipc-close-unknown", close_twice),
	PAIR("ipc-close-unknown", close_of_another),
	PAIR("ipc-free-while-exported", free_shared),
	PAIR("ipc-free-while-exported", free_shared_again),
	PAIR("leak-vmm", range_kept),
};

PAIRS_MAIN("rules about virtual and shared memory", pairs)
