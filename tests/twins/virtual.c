/* SPDX-License-Identifier: Apache-2.0 */
/* Twins of the rules about virtual and shared memory and argument lists of kernels. */
#include <string.h>

#include "twins.h"

#define MIB2 (2u << 20)

static char *reserve(size_t size)
{
	void *range = NULL;

	CALL_DOES(aclrtReserveMemAddress, 0, range = (void *)0x100000000000, .virPtr = &range, .size = size);
	return range;
}

static aclrtDrvMemHandle physical(void)
{
	static const aclrtPhysicalMemProp prop = { .memAttr = ACL_HBM_MEM_HUGE,
		.location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE } };
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

static void map_twice(void)
{
	char *range = reserve(2 * MIB2);

	CALL(aclrtMapMem, .virPtr = range, .size = MIB2, .handle = physical());
	CALL(aclrtMapMem, .virPtr = range + (bug ? 0 : MIB2), .size = MIB2, .handle = physical());
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

static void use_without_access(void)
{
	static aclrtMemAccessDesc open = { .flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
		.location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE } };
	char *range = reserve(2 * MIB2);

	CALL(aclrtMemMapNoAccess, .virPtr = range, .size = MIB2, .handle = physical());
	if (!bug)
		CALL(aclrtMemSetAccess, .virPtr = range, .size = MIB2, .desc = &open, .count = 1);
	CALL(aclrtMemset, .devPtr = range, .maxCount = 64, .count = 64);
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

	CALL_DOES(aclrtIpcMemGetExportKey, 0, strcpy(key, "key of a block"), .devPtr = p, .size = 4096, .key = key,
		.len = 65);
}

static void export_past_end(void)
{
	void *p = make_device_memory(4096);

	CALL_DOES(aclrtIpcMemGetExportKey, 0, strcpy(key, "key of a block"), .devPtr = p, .size = bug ? 8192 : 4096,
		.key = key, .len = 65);
}

static void close_twice(void)
{
	void *p = NULL;

	CALL_DOES(aclrtIpcMemImportByKey, 0, p = make_address(), .devPtr = &p, .key = "key of another");
	CALL(aclrtIpcMemClose, .key = "key of another");
	if (bug)
		CALL(aclrtIpcMemClose, .key = "key of another");
}

static void free_shared(void)
{
	void *p = make_device_memory(4096);

	CALL_DOES(aclrtIpcMemGetExportKey, 0, strcpy(key, "key of a block"), .devPtr = p, .size = 4096, .key = key,
		.len = 65);
	if (!bug)
		CALL(aclrtIpcMemClose, .key = key);
	CALL(aclrtFree, .devPtr = p);
}

/* --- argument lists ------------------------------------------------------------------------ */

static aclrtArgsHandle list(void)
{
	aclrtArgsHandle a = NULL;

	CALL_DOES(aclrtKernelArgsInit, 0, a = make_address(), .funcHandle = HANDLE, .argsHandle = &a);
	return a;
}

static void append_late(void)
{
	aclrtArgsHandle a = list();

	if (bug)
		CALL(aclrtKernelArgsFinalize, .argsHandle = a);
	CALL(aclrtKernelArgsAppend, .argsHandle = a, .param = heap_memory, .paramSize = 8, .paramHandle = OUT);
}

static void append_behind_buffer(void)
{
	aclrtArgsHandle a = list();

	if (bug)
		CALL(aclrtKernelArgsGetPlaceHolderBuffer, .argsHandle = a, .paramHandle = HANDLE, .dataSize = 64,
			.bufferAddr = OUT);
	CALL(aclrtKernelArgsAppend, .argsHandle = a, .param = heap_memory, .paramSize = 8, .paramHandle = OUT);
}

static void launch_open(void)
{
	aclrtArgsHandle a = list();

	CALL(aclrtKernelArgsFinalize, .argsHandle = a);
	CALL(aclrtKernelArgsParaUpdate, .argsHandle = a, .paramHandle = HANDLE, .param = heap_memory, .paramSize = 8);
	if (!bug)
		CALL(aclrtKernelArgsFinalize, .argsHandle = a);
	CALL(aclrtLaunchKernelWithConfig, .funcHandle = HANDLE, .numBlocks = 1, .argsHandle = a);
}

static const struct twin twins[] = {
	TWIN("vmm-map-outside-reservation", map_outside),
	TWIN("vmm-map-overlap", map_twice),
	TWIN("vmm-unmap-not-mapped", unmap_twice),
	TWIN("vmm-release-while-mapped", release_mapped),
	TWIN("vmm-use-unmapped", use_unmapped),
	TWIN("vmm-noaccess-used", use_without_access),
	TWIN("vmm-handle-misuse", physical_twice),
	TWIN("vmm-handle-misuse", physical_retained),
	TWIN("vmm-export-twice", export_twice),
	TWIN("ipc-export-range", export_host),
	TWIN("ipc-export-range", export_past_end),
	TWIN("ipc-close-unknown", close_twice),
	TWIN("ipc-free-while-exported", free_shared),
	TWIN("kargs-append-after-finalize", append_late),
	TWIN("kargs-append-after-placeholder-buffer", append_behind_buffer),
	TWIN("kargs-launch-not-finalized", launch_open),
};

TWINS_MAIN("rules about virtual and shared memory", twins)
