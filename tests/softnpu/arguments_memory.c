/* SPDX-License-Identifier: Apache-2.0 */
/* What wrong arguments are answered with: memory of all kinds, and copies. */
#include "arguments.h"

/* --- memory -------------------------------------------------------------------------------- */

static void allocations(void)
{
	aclrtMallocConfig none = {NULL, 0}, missing = {NULL, 1};
	aclrtPtrAttributes about;
	size_t bytes;
	void *p;

	setup();
	IS(aclrtMallocAlign32(NULL, 64, 0), 100000);
	IS(aclrtMallocAlign32(&p, 0, 0), 100000);
	IS(aclrtMallocCached(NULL, 64, 0), 100000);
	IS(aclrtMallocCached(&p, 0, 0), 100000);
	IS(aclrtMallocWithCfg(NULL, 64, 0, NULL), 100000);
	IS(aclrtMallocWithCfg(&p, 0, 0, NULL), 100000);
	IS(aclrtMallocWithCfg(&p, 64, 0, &missing), 100000);
	IS(aclrtMallocWithCfg(&p, 64, 0, &none), 107000);
	IS(aclrtMallocForTaskScheduler(NULL, 64, 0, NULL), 100000);
	IS(aclrtMallocForTaskScheduler(&p, 0, 0, NULL), 100000);
	IS(aclrtMallocHost(NULL, 64), 100000);
	IS(aclrtMallocHostWithCfg(NULL, 64, NULL), 100000);
	IS(aclrtMallocHostWithCfg(&p, 0, NULL), 100000);
	IS(aclrtMalloc(&p, SIZE_MAX, 0), 100000);
	/* Other sizes that cannot be rounded up are refused where there is no room for them. */
	IS(aclrtMallocAlign32(&p, SIZE_MAX, 0), 100000);
	IS(aclrtMallocHost(&p, SIZE_MAX), 207001);
	IS(aclrtMallocHostWithCfg(&p, SIZE_MAX, NULL), 207001);
	IS(aclrtMallocWithCfg(&p, SIZE_MAX, 0, NULL), 207001);
	IS(aclrtFreeWithDevSync(NULL), 100000);
	IS(aclrtFreeHostWithDevSync(NULL), 100000);
	IS(aclrtMemFlush(NULL, 64), 100000);
	IS(aclrtMemFlush(dev, 0), 100000);
	IS(aclrtMemInvalidate(NULL, 64), 100000);
	IS(aclrtMemInvalidate(dev, 0), 100000);
	IS(aclrtPointerGetAttributes(NULL, &about), 100000);
	IS(aclrtPointerGetAttributes(dev, NULL), 100000);
	IS(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &bytes), 100000);
	IS(aclrtGetMemInfo(ACL_HBM_MEM, &bytes, NULL), 100000);
}

static void memory_queries(void)
{
	void *list[1], *base;
	aclrtMemUsageInfo usage;
	uint32_t found;
	size_t n;

	setup();
	list[0] = dev;
	IS(aclrtCheckMemType(NULL, 1, 2, &found, 0), 100000);
	IS(aclrtCheckMemType(list, 1, 2, NULL, 0), 100000);
	IS(aclrtCheckMemType(list, 0, 2, &found, 0), 107000);
	IS(aclrtCheckMemType(list, 1, 2, &found, 1), 107000);
	IS(aclrtCheckMemType(list, 1, 0x1000, &found, 0), 107000);
	/* What is not of the device is no type to ask for. */
	IS(aclrtCheckMemType(list, 1, 1, &found, 0), 107000);
	IS(aclrtCheckMemType(list, 1, 4, &found, 0), 107000);
	OK(aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP, &found, 0));
	IS(aclrtGetMemUsageInfo(0, NULL, 1, &n), 100000);
	IS(aclrtGetMemUsageInfo(0, &usage, 1, NULL), 100000);
	IS(aclrtGetMemUsageInfo(0, &usage, 0, &n), 107000);
	IS(aclrtMemGetAddressRange(NULL, &base, &n), 100000);
	IS(aclrtMemGetAddressRange(dev, NULL, NULL), 107000);
	IS(aclrtMemP2PMap(NULL, 64, 1, 0), 100000);
	IS(aclrtMemP2PMap(dev, 0, 1, 0), 100000);
	IS(aclrtMemP2PMap(dev, 64, 1, 1), 100000);
	IS(aclrtMemP2PMap(dev, 64, NO_DEVICE, 0), 107000); /* as aclrtDeviceEnablePeerAccess, in one place */
}

static void registration(void)
{
	static char mine[8192] __attribute__((aligned(4096)));
	aclrtHostMemMapCapability can;
	void *p;

	setup();
	IS(aclrtHostRegister(NULL, 4096, ACL_HOST_REGISTER_MAPPED, &p), 100000);
	IS(aclrtHostRegister(mine, 4096, ACL_HOST_REGISTER_MAPPED, NULL), 100000);
	IS(aclrtHostRegister(mine, 0, ACL_HOST_REGISTER_MAPPED, &p), 100000);
	IS(aclrtHostRegister(mine, 4096, (aclrtHostRegisterType)0x40, &p), 207000);
	IS(aclrtHostRegister(mine, SIZE_MAX, ACL_HOST_REGISTER_MAPPED, &p), 507899);
	IS(aclrtHostRegisterV2(NULL, 4096, 2), 100000);
	IS(aclrtHostRegisterV2(mine, 0, 2), 100000);
	IS(aclrtHostRegisterV2(mine, 4096, 0), 107000);
	IS(aclrtHostRegisterV2(mine, 4096, 0x40), 107000);
	IS(aclrtHostRegisterV2(mine, 4096, 0x10000004), 107000);
	IS(aclrtHostUnregister(NULL), 100000);
	IS(aclrtHostGetDevicePointer(NULL, &p, 0), 100000);
	IS(aclrtHostGetDevicePointer(mine, NULL, 0), 100000);
	IS(aclrtHostMemMapCapabilities(0, (aclrtHacType)0, NULL), 100000);
	IS(aclrtHostMemMapCapabilities(NO_DEVICE, (aclrtHacType)0, &can), 107001);
	IS(aclrtHostMemMapCapabilities(0, (aclrtHacType)99, &can), 107000);
}

static void managed_memory(void)
{
	aclrtMemManagedLocation here = {ACL_MEM_LOCATIONTYPE_DEVICE, 0};
	aclrtMemManagedRangeAttribute attribute = 0;
	const void *ptrs[] = {dev};
	size_t sizes[] = {64}, indexes[] = {0};
	uint64_t data;
	void *p;

	setup();
	IS(aclrtMemAllocManaged(NULL, 64, ACL_RT_MEM_ATTACH_GLOBAL), 100000);
	IS(aclrtMemAllocManaged(&p, 64, 77), 100000);
	IS(aclrtMemAllocManaged(&p, 0, ACL_RT_MEM_ATTACH_GLOBAL), 107000);
	IS(aclrtMemManagedAdvise(NULL, 64, 1, here), 100000);
	IS(aclrtMemManagedAdvise(dev, 0, 1, here), 100000);
	IS(aclrtMemManagedGetAttr(attribute, NULL, 64, &data, 8), 100000);
	IS(aclrtMemManagedGetAttr(attribute, dev, 64, NULL, 8), 100000);
	IS(aclrtMemManagedGetAttr(attribute, dev, 0, &data, 8), 100000);
	IS(aclrtMemManagedGetAttrs(NULL, 1, dev, 64, &p, sizes), 100000);
	IS(aclrtMemManagedGetAttrs(&attribute, 1, NULL, 64, &p, sizes), 100000);
	IS(aclrtMemManagedGetAttrs(&attribute, 1, dev, 64, NULL, sizes), 100000);
	IS(aclrtMemManagedGetAttrs(&attribute, 1, dev, 64, &p, NULL), 100000);
	IS(aclrtMemManagedPrefetchAsync(NULL, 64, here, 0, s), 100000);
	IS(aclrtMemManagedPrefetchAsync(dev, 0, here, 0, s), 100000);
	IS(aclrtMemManagedPrefetchAsync(dev, 64, here, 1, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(NULL, sizes, 1, &here, indexes, 1, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, NULL, 1, &here, indexes, 1, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 0, &here, indexes, 1, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 1, NULL, indexes, 1, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 1, &here, NULL, 1, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 1, &here, indexes, 0, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 1, &here, indexes, 2, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 1, &here, indexes, 1, 1, s), 100000);
}

static void pools(void)
{
	aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}}, odd;
	aclrtMemPool pool;
	uint64_t value = 0;
	void *p = NULL;

	setup();
	OK(aclrtMemPoolCreate(&pool, &props));
	IS(aclrtMemPoolCreate(NULL, &props), 100000);
	IS(aclrtMemPoolCreate(&pool, NULL), 100000);
	odd = props;
	odd.allocType = (aclrtMemAllocationType)9;
	IS(aclrtMemPoolCreate(&pool, &odd), 100000);
	odd = props;
	odd.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	IS(aclrtMemPoolCreate(&pool, &odd), 100000);
	odd = props;
	odd.reserved[31] = 1;
	IS(aclrtMemPoolCreate(&pool, &odd), 100000);
	IS(aclrtMemPoolDestroy(NULL), 100000);
	IS(aclrtMemPoolSetAttr(NULL, 0, &value), 100000);
	IS(aclrtMemPoolGetAttr(NULL, 0, &value), 100000);
	IS(aclrtMemPoolMallocAsync(NULL, 64, pool, s), 100000);
	IS(aclrtMemPoolMallocAsync(&p, 64, NULL, s), 100000);
	IS(aclrtMemPoolMallocAsync(&p, 64, pool, NULL), 100000);
	IS(aclrtMemPoolMallocAsync(&p, 0, pool, s), 0);
	IS(aclrtMemPoolFreeAsync(NULL, s), 100000);
	IS(aclrtMemPoolTrimTo(NULL, 0), 100000);
}

static void sharing(void)
{
	aclrtServerPid server = {.pid = NULL, .num = 1};
	int32_t pid = 1;
	char key[128];
	void *p;

	setup();
	IS(aclrtIpcMemGetExportKey(NULL, 64, key, sizeof(key), 0), 100000);
	IS(aclrtIpcMemGetExportKey(dev, 64, NULL, sizeof(key), 0), 100000);
	IS(aclrtIpcMemGetExportKey(dev, 0, key, sizeof(key), 0), 107000);
	IS(aclrtIpcMemGetExportKey(dev, 64, key, 0, 0), 107000);
	IS(aclrtIpcMemGetExportKey(dev, 64, key, sizeof(key), 9), 107000);
	IS(aclrtIpcMemClose(NULL), 100000);
	IS(aclrtIpcMemImportByKey(NULL, "key", 0), 100000);
	IS(aclrtIpcMemImportByKey(&p, NULL, 0), 100000);
	IS(aclrtIpcMemImportByKey(&p, "key", 9), 107000);
	IS(aclrtIpcMemSetImportPid(NULL, &pid, 1), 100000);
	IS(aclrtIpcMemSetImportPid("key", NULL, 1), 100000);
	IS(aclrtIpcMemSetImportPid("key", &pid, 0), 107000);
	IS(aclrtIpcMemSetAttr(NULL, 0, 0), 107000);
	IS(aclrtIpcMemSetAttr("key", (aclrtIpcMemAttrType)99, 0), 107000);
	IS(aclrtIpcMemSetAttr("key", 0, 99), 107000);
	IS(aclrtIpcMemImportPidInterServer(NULL, &server, 1), 107000);
	IS(aclrtIpcMemImportPidInterServer("key", NULL, 1), 107000);
	IS(aclrtIpcMemImportPidInterServer("key", &server, 0), 107000);
	IS(aclrtIpcMemImportPidInterServer("key", &server, 1), 107000);
}

/* --- virtual memory ------------------------------------------------------------------------- */

static void virtual_memory(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtMemLocation place = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtMemAccessDesc access = {0};
	aclrtDrvMemHandle h;
	uint64_t flag;
	void *p;

	setup();
	OK(aclrtReserveMemAddress(&p, MIB2, 0, NULL, 0));
	OK(aclrtMallocPhysical(&h, MIB2, &prop, 0));
	IS(aclrtReserveMemAddress(NULL, MIB2, 0, NULL, 0), 100000);
	IS(aclrtReserveMemAddress(&p, 0, 0, NULL, 0), 100000);
	IS(aclrtReserveMemAddress(&p, SIZE_MAX, 0, NULL, 0), 207001);
	IS(aclrtReserveMemAddress(&p, MIB2, 0, NULL, 2), 100000);
	IS(aclrtReserveMemAddressNoUCMemory(NULL, MIB2, 0, NULL, 0), 100000);
	IS(aclrtReserveMemAddressNoUCMemory(&p, 0, 0, NULL, 0), 100000);
	IS(aclrtReserveMemAddressNoUCMemory(&p, MIB2, 0, NULL, 2), 100000);
	IS(aclrtReleaseMemAddress(NULL), 100000);
	IS(aclrtFreePhysical(NULL), 100000);
	IS(aclrtMapMem(NULL, MIB2, 0, h, 0), 100000);
	IS(aclrtMapMem(p, MIB2, 0, NULL, 0), 100000);
	IS(aclrtMapMem(p, 0, 0, h, 0), 100000);
	IS(aclrtMapMem(p, MIB2, 0, h, 1), 100000);
	IS(aclrtMemMapNoAccess(NULL, MIB2, 0, h, 0), 100000);
	IS(aclrtMemMapNoAccess(p, MIB2, 0, NULL, 0), 100000);
	IS(aclrtMemMapNoAccess(p, 0, 0, h, 0), 100000);
	IS(aclrtMemMapNoAccess(p, MIB2, 0, h, 1), 100000);
	IS(aclrtUnmapMem(NULL), 100000);
	IS(aclrtMemGetAccess(NULL, &place, &flag), 100000);
	IS(aclrtMemGetAccess(p, NULL, &flag), 100000);
	IS(aclrtMemGetAccess(p, &place, NULL), 100000);
	IS(aclrtMemSetAccess(NULL, MIB2, &access, 1), 107000);
	IS(aclrtMemSetAccess(p, MIB2, NULL, 1), 107000);
	IS(aclrtMemRetainAllocationHandle(NULL, &h), 100000);
	IS(aclrtMemRetainAllocationHandle(p, NULL), 100000);
	IS(aclrtMemGetAllocationPropertiesFromHandle(NULL, &prop), 100000);
	IS(aclrtMemGetAllocationPropertiesFromHandle(h, NULL), 100000);
	IS(aclrtMemMapSelectedLink(NULL, MIB2, p, 0), 100000);
	IS(aclrtMemMapSelectedLink(p, MIB2, NULL, 0), 100000);
	IS(aclrtMemMapSelectedLink(p, 0, p, 0), 100000);
	IS(aclrtMemMapSelectedLink(p, MIB2, p, 2), 100000);
}

static void physical_memory(void)
{
	const aclrtPhysicalMemProp good = {
		.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtPhysicalMemProp odd;
	aclrtDrvMemHandle h;
	size_t step;

	setup();
	IS(aclrtMallocPhysical(NULL, MIB2, &good, 0), 100000);
	IS(aclrtMallocPhysical(&h, MIB2, NULL, 0), 100000);
	IS(aclrtMallocPhysical(&h, 0, &good, 0), 100000);
	IS(aclrtMallocPhysical(&h, MIB2, &good, 1), 100000);
	odd = good;
	odd.handleType = (aclrtMemHandleType)9;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	odd = good;
	odd.allocationType = (aclrtMemAllocationType)9;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	odd = good;
	odd.location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	odd = good;
	odd.memAttr = (aclrtMemAttr)99;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	IS(aclrtMemGetAllocationGranularity(&odd, 0, &step), 100000);
	odd = good;
	odd.memAttr = ACL_DDR_MEM_HUGE;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	IS(aclrtMemGetAllocationGranularity(&odd, 0, &step), 100000);
	odd = good;
	odd.location.id = NO_DEVICE;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 107001);
	IS(aclrtMemGetAllocationGranularity(&odd, 0, &step), 107001);
	IS(aclrtMemGetAllocationGranularity(NULL, 0, &step), 100000);
	IS(aclrtMemGetAllocationGranularity(&odd, 0, NULL), 100000);
}

static void shareable_handles(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	const aclrtMemSharedHandleType usual = ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, none = 99;
	aclrtDrvMemHandle h, h2;
	uint64_t key = 0;
	int32_t pid = 1;

	setup();
	OK(aclrtMallocPhysical(&h, MIB2, &prop, 0));
	IS(aclrtMemExportToShareableHandle(NULL, ACL_MEM_HANDLE_TYPE_NONE, 0, &key), 100000);
	IS(aclrtMemExportToShareableHandle(h, (aclrtMemHandleType)9, 0, &key), 100000);
	IS(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 0, NULL), 100000);
	IS(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 9, &key), 107000);
	IS(aclrtMemExportToShareableHandleV2(NULL, 0, usual, &key), 100000);
	IS(aclrtMemExportToShareableHandleV2(h, 0, usual, NULL), 100000);
	IS(aclrtMemExportToShareableHandleV2(h, 0, none, &key), 107000);
	IS(aclrtMemExportToShareableHandleV2(h, 9, usual, &key), 107000);
	IS(aclrtMemImportFromShareableHandle(key, 0, NULL), 100000);
	IS(aclrtMemImportFromShareableHandle(key, NO_DEVICE, &h2), 107001);
	IS(aclrtMemImportFromShareableHandleV2(NULL, usual, 0, &h2), 100000);
	IS(aclrtMemImportFromShareableHandleV2(&key, usual, 0, NULL), 100000);
	IS(aclrtMemImportFromShareableHandleV2(&key, usual, 1, &h2), 100000);
	IS(aclrtMemImportFromShareableHandleV2(&key, none, 0, &h2), 107000);
	IS(aclrtMemSetPidToShareableHandle(key, NULL, 1), 100000);
	IS(aclrtMemSetPidToShareableHandle(key, &pid, 0), 100000);
	IS(aclrtMemSetPidToShareableHandleV2(NULL, usual, &pid, 1), 100000);
	IS(aclrtMemSetPidToShareableHandleV2(&key, usual, NULL, 1), 100000);
	IS(aclrtMemSetPidToShareableHandleV2(&key, usual, &pid, 0), 100000);
	IS(aclrtMemSetPidToShareableHandleV2(&key, none, &pid, 1), 107000);
}

/* --- copies -------------------------------------------------------------------------------- */

static void copies(void)
{
	const aclrtMemcpyKind in = ACL_MEMCPY_HOST_TO_DEVICE, unknown = (aclrtMemcpyKind)99;

	setup();
	IS(aclrtMemset(NULL, 64, 0, 64), 100000);
	IS(aclrtMemsetAsync(NULL, 64, 0, 64, s), 100000);
	/* Nothing to do is over at once; before, it was refused after the rest. */
	IS(aclrtMemset(NULL, 64, 0, 0), V(0, 100000));
	IS(aclrtMemset(dev, 64, 0, 0), V(0, 107000));
	IS(aclrtMemsetAsync(NULL, 64, 0, 0, s), V(0, 100000));
	IS(aclrtMemcpy(NULL, 64, host, 0, in), V(0, 100000));
	IS(aclrtMemcpy(dev, 64, host, 0, unknown), V(0, 100000));
	IS(aclrtMemcpy(dev, 64, host, 0, in), V(0, 107000));
	IS(aclrtMemcpyAsync(dev, 64, NULL, 0, in, s), V(0, 100000));
	IS(aclrtMemsetAsync(dev, 32, 0, 64, s), 107000);
	IS(aclrtMemcpyAsync(dev, 32, host, 64, in, s), 107000);
	IS(aclrtMemcpyAsyncWithCondition(NULL, 64, host, 64, in, s), 100000);
	IS(aclrtMemcpyAsyncWithCondition(dev, 64, NULL, 64, in, s), 100000);
	IS(aclrtMemcpyAsyncWithCondition(dev, 64, host, 64, unknown, s), 100000);
	IS(aclrtMemcpy2d(NULL, 64, host, 64, 16, 4, in), 100000);
	IS(aclrtMemcpy2d(dev, 64, NULL, 64, 16, 4, in), 100000);
	IS(aclrtMemcpy2d(dev, 64, host, 64, 16, 4, ACL_MEMCPY_HOST_TO_HOST), 100000);
	IS(aclrtMemcpy2d(dev, 64, host, 64, 16, 4, unknown), 100000);
	IS(aclrtMemcpy2dAsync(NULL, 64, host, 64, 16, 4, in, s), 100000);
	IS(aclrtMemcpy2dAsync(dev, 64, NULL, 64, 16, 4, in, s), 100000);
	IS(aclrtMemcpy2dAsync(dev, 64, host, 64, 16, 4, ACL_MEMCPY_HOST_TO_HOST, s), 100000);
	IS(aclrtMemsetD32(NULL, 64, 0, 4), 100000);
	IS(aclrtMemsetD32(dev + 1, 64, 0, 4), 100000);
	IS(aclrtMemsetD32(dev, 8, 0, 4), 100000);
	IS(aclrtMemsetD32(dev, 64, 0, SIZE_MAX / 2), 100000);
	IS(aclrtMemsetD32Async(NULL, 64, 0, 4, s), 100000);
	IS(aclrtMemsetD32Async(dev + 2, 64, 0, 4, s), 100000);
	IS(aclrtMemsetD32Async(dev, 8, 0, 4, s), 100000);
	IS(aclrtMemcpyAsyncWithOffset((void **)dev, 64, 0, (const void **)dev2, 64, 0, in, s), 107000);
	IS(aclrtCmoAsync(NULL, 64, ACL_RT_CMO_TYPE_PREFETCH, s), 100000);
	IS(aclrtCmoAsync(dev, 0, ACL_RT_CMO_TYPE_PREFETCH, s), 100000);
	IS(aclrtCmoAsync(dev, 64, (aclrtCmoType)99, s), 207000);
	IS(aclrtCmoAsyncWithBarrier(NULL, 64, ACL_RT_CMO_TYPE_PREFETCH, 0, s), 100000);
}

static void descriptors(void)
{
	const aclrtMemcpyKind inner = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, in = ACL_MEMCPY_HOST_TO_DEVICE,
			      unknown = (aclrtMemcpyKind)99;
	char *desc;
	size_t n;

	setup();
	desc = device_new(N_BYTES);
	IS(aclrtGetMemcpyDescSize(inner, NULL), 100000);
	IS(aclrtGetMemcpyDescSize(unknown, &n), 100000);
	IS(aclrtSetMemcpyDesc(NULL, inner, dev, dev2, 64, NULL), 100000);
	IS(aclrtSetMemcpyDesc(desc, unknown, dev, dev2, 64, NULL), 100000);
	IS(aclrtSetMemcpyDesc(desc, inner, NULL, dev2, 64, NULL), 100000);
	IS(aclrtSetMemcpyDesc(desc, inner, dev, NULL, 64, NULL), 100000);
	IS(aclrtSetMemcpyDesc(desc, inner, dev, dev2, 0, NULL), 100000);
	IS(aclrtSetMemcpyDesc(desc, inner, dev, dev2, 64, INVENTED), 100000);
	IS(aclrtSetMemcpyDesc(desc, in, dev, dev2, 64, NULL), 207000);
	IS(aclrtSetMemcpyDesc(desc + 8, inner, dev, dev2, 64, NULL), 107000);
	IS(aclrtSetMemcpyDesc(desc, inner, dev, host, 64, NULL), 107000);
	IS(aclrtMemcpyAsyncWithDesc(NULL, inner, s), 100000);
	IS(aclrtMemcpyAsyncWithDesc(desc, unknown, s), 100000);
	IS(aclrtMemcpyAsyncWithDesc(desc, inner, NULL), 100000);
	IS(aclrtMemcpyAsyncWithDesc(desc, in, s), 207000);
}

static void values(void)
{
	setup();
	IS(aclrtValueWrite(NULL, 1, 0, s), 100000);
	IS(aclrtValueWrite(dev, 1, 1, s), 107000);
	IS(aclrtValueWrite(host, 1, 0, s), 107000);
	IS(aclrtValueWait(NULL, 1, 0, s), 100000);
	IS(aclrtValueWait(dev, 1, 99, s), 107000);
	IS(aclrtValueWait(host, 1, 0, s), 107000);
	IS(aclrtReduceAsync(NULL, dev2, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL), 100000);
	IS(aclrtReduceAsync(dev, NULL, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL), 100000);
	IS(aclrtReduceAsync(dev, dev2, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, INVENTED), 100000);
	IS(aclrtReduceAsync(dev, dev2, 64, (aclrtReduceKind)99, ACL_FLOAT, s, NULL), 107000);
	IS(aclrtReduceAsync(dev, dev2, 0, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL), 107000);
	IS(aclrtReduceAsync(
		   dev, dev2, (1ull << 32) + 1, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL),
		107000);
}

/* A type that reductions have no name for is refused by the outer layer, one without a unit by the device. */
static void reduced_types(void)
{
	static const struct {
		aclDataType type;
		aclError code;
	} types[] = {{ACL_FLOAT, 0}, {ACL_FLOAT16, 0}, {ACL_BF16, 0}, {ACL_INT8, 0}, {ACL_INT16, 0},
		{ACL_INT32, 0}, {ACL_INT4, 207000}, {ACL_UINT8, 207000}, {ACL_UINT16, 207000},
		{ACL_UINT32, 207000}, {ACL_BOOL, 100000}, {ACL_INT64, 100000}, {ACL_UINT64, 100000},
		{ACL_DOUBLE, 100000}, {ACL_COMPLEX64, 100000}, {ACL_DT_UNDEFINED, 100000}};

	setup();
	for (unsigned i = 0; i < COUNT(types); i++)
		IS(aclrtReduceAsync(dev, dev2, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, types[i].type, s, NULL),
			types[i].code);
	IS(aclrtReduceAsync(dev, dev2, 0, (aclrtReduceKind)99, ACL_BOOL, s, NULL), 100000);
}

static void batches(void)
{
	aclrtMemcpyBatchAttr attr[3] = {{.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE}}, odd = attr[0];
	size_t room[] = {64, 64}, bytes[] = {64, 64}, at[] = {0, 1, 2}, one[] = {1, 1}, far[] = {0, 2},
	       none[] = {0, 0}, failed;
	void *to[2], *from[2];

	setup();
	attr[1] = attr[2] = attr[0];
	to[0] = dev, to[1] = dev2, from[0] = host, from[1] = host + 64;
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, attr, at, 1, NULL), 100000);
	IS(aclrtMemcpyBatch(NULL, room, from, bytes, 2, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, NULL, from, bytes, 2, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, NULL, bytes, 2, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, from, NULL, 2, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 0, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, NULL, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, attr, NULL, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, attr, at, 3, &failed), 107000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, attr, one, 1, &failed), 107000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, attr, far, 2, &failed), 107000);
	odd.rsv[3] = 1;
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, &odd, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatchAsync(to, room, from, bytes, 2, attr, at, 1, NULL, s), 100000);
	IS(aclrtMemcpyBatchAsync(NULL, room, from, bytes, 2, attr, at, 1, &failed, s), 100000);
	IS(aclrtMemcpyBatchAsync(to, room, from, bytes, 2, attr, one, 1, &failed, s), 107000);
	IS(aclrtMemcpyBatchV2(to, room, from, NULL, 2, attr, at, 1), 100000);
	IS(aclrtMemcpyBatchAsyncV2(to, room, from, bytes, 2, attr, at, 0, s), 107000);
	IS(aclrtMemcpyBatch(NULL, NULL, NULL, none, 2, NULL, NULL, 0, &failed), V(0, 100000));
	IS(aclrtMemcpyBatch(to, room, from, none, 0, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatchAsyncV2(NULL, room, from, none, 2, attr, NULL, 1, s), V(0, 100000));
}

static void symbols(void)
{
	static int symbol;
	size_t n;
	void *p;

	setup();
	IS(aclrtGetSymbolAddress(NULL, &p), 100000);
	IS(aclrtGetSymbolAddress(&symbol, NULL), 100000);
	IS(aclrtGetSymbolSize(NULL, &n), 100000);
	IS(aclrtGetSymbolSize(&symbol, NULL), 100000);
	IS(aclrtMemcpyToSymbol(NULL, host, 4, 0, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpyToSymbol(&symbol, NULL, 4, 0, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpyToSymbol(&symbol, host, 4, 0, ACL_MEMCPY_DEVICE_TO_HOST), 100000);
	IS(aclrtMemcpyToSymbol(NULL, NULL, 0, 0, (aclrtMemcpyKind)99), V(0, 100000));
	IS(aclrtMemcpyFromSymbol(NULL, 64, &symbol, 4, 0, ACL_MEMCPY_DEVICE_TO_HOST), 100000);
	IS(aclrtMemcpyFromSymbol(host, 64, NULL, 4, 0, ACL_MEMCPY_DEVICE_TO_HOST), 100000);
	IS(aclrtMemcpyFromSymbol(host, 2, &symbol, 4, 0, ACL_MEMCPY_DEVICE_TO_HOST), 100000);
	IS(aclrtMemcpyFromSymbol(host, 64, &symbol, 4, 0, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpyFromSymbol(NULL, 0, NULL, 0, 0, (aclrtMemcpyKind)99), V(0, 100000));
}

static void buffers(void)
{
	size_t n;
	void *p;
	uint32_t count;
	aclrtMbuf b;
	char data[200];

	setup();
	IS(aclrtAllocBuf(NULL, 64), 100000);
	IS(aclrtAllocBuf(&b, 0), 100000);
	IS(aclrtFreeBuf(NULL), 100000);
	IS(aclrtSetBufDataLen(NULL, 4), 100000);
	IS(aclrtGetBufDataLen(NULL, &n), 100000);
	IS(aclrtGetBufData(NULL, &p, &n), 100000);
	IS(aclrtGetBufUserData(NULL, data, 4, 0), 100000);
	IS(aclrtGetBufUserData(NULL, data, 90, 7), 100000);
	IS(aclrtSetBufUserData(NULL, data, 4, 0), 100000);
	IS(aclrtCopyBufRef(NULL, &b), 100000);
	IS(aclrtAppendBufChain(NULL, NULL), 100000);
	IS(aclrtGetBufChainNum(NULL, &count), 100000);
	IS(aclrtGetBufFromChain(NULL, 0, &b), 100000);
	IS(aclrtAppendBufChain(data, NULL), 100000);
}

static const struct tap_case cases[] = {C(allocations), C(memory_queries), C(registration), C(managed_memory),
	C(pools), C(sharing), C(virtual_memory), C(physical_memory), C(shareable_handles), C(copies),
	C(descriptors), C(values), C(reduced_types), C(batches), C(symbols), C(buffers)};

ORACLE_MAIN(cases)
