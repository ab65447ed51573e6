/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory, handles that are shared, pools. */
#include "acl/acl_rt_memory_soma.h"
#include "order.h"

static const aclrtPhysicalMemProp on_device = {
	.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
static const aclrtPhysicalMemProp on_node = {
	.memAttr = ACL_MEM_NORMAL, .location.type = ACL_MEM_LOCATION_TYPE_HOST_NUMA};
static const aclrtMemSharedHandleType usual = ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, none = 99;

/* --- reserving and mapping ------------------------------------------------------------------ */

/* A device is named, or an address; only a part of the host is looked for by way of the current one. */
static void mapping_apart(void)
{
	aclrtMemLocation place = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtMemAccessDesc access = {.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE, .location = place};
	aclrtPhysicalMemProp prop = on_node;
	aclrtDrvMemHandle h, again;
	uint64_t flag;
	size_t step;
	void *p;

	OK(aclrtReserveMemAddress(&p, MIB2, 0, NULL, 1));
	IS(aclrtMallocPhysical(&h, MIB2, &prop, 0), 107002);
	prop.memAttr = (aclrtMemAttr)99;
	IS(aclrtMallocPhysical(&h, MIB2, &prop, 0), 100000);
	OK(aclrtMallocPhysical(&h, MIB2, &on_device, 0));
	prop = on_device;
	OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &step));
	OK(aclrtMapMem(p, MIB2, 0, h, 0));
	OK(aclrtMemSetAccess(p, MIB2, &access, 1));
	OK(aclrtMemGetAccess(p, &place, &flag));
	OK(aclrtMemRetainAllocationHandle(p, &again));
	OK(aclrtMemGetAllocationPropertiesFromHandle(again, &prop));
	OK(aclrtFreePhysical(again));
	OK(aclrtUnmapMem(p));
	OK(aclrtFreePhysical(h));
	OK(aclrtReleaseMemAddress(p));
}

static void mapping(void)
{
	aclrtMemLocation nowhere = {NO_DEVICE, ACL_MEM_LOCATION_TYPE_DEVICE}, here = {0, nowhere.type};
	aclrtMemAccessDesc access[2] = {{.flags = ACL_RT_MEM_ACCESS_FLAGS_NONE, .location = nowhere},
		{.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE, .location = here}};
	aclrtDrvMemHandle h;
	uint64_t flag;
	void *p;

	setup();
	without_context(mapping_apart);
	OK(aclrtReserveMemAddress(&p, MIB2, 0, NULL, 0));
	IS(aclrtReserveMemAddress(&p, 0, 3, NULL, 2), 100000);
	IS(aclrtReserveMemAddress(&p, MIB2, 3, NULL, 2), 100000);
	IS(aclrtReserveMemAddress(&p, MIB2, 3, NULL, 0), 107000);
	OK(aclrtMallocPhysical(&h, MIB2, &on_device, 0));
	IS(aclrtMapMem(INVENTED, MIB2, 0, h, 1), 100000);
	IS(aclrtMapMem(INVENTED, 0, 0, h, 0), 100000);
	IS(aclrtMapMem(INVENTED, MIB2, 0, h, 0), 507899);
	IS(aclrtMapMem(INVENTED, MIB2, 1, h, 0), 107000);
	IS(aclrtMemMapNoAccess(INVENTED, MIB2, 0, h, 1), 100000);
	IS(aclrtMemMapNoAccess(INVENTED, MIB2, 0, h, 0), 507899);
	IS(aclrtMemGetAccess(p, &nowhere, &flag), 107000); /* beyond the largest server */
	IS(aclrtMemGetAccess(p, &nowhere, NULL), 100000);
	IS(aclrtMemGetAccess(p, &here, &flag), 507899);
	IS(aclrtMemSetAccess(p, 0, access, 1), 107000);
	IS(aclrtMemSetAccess(p, MIB2, access, 1), 207000);
	IS(aclrtMemSetAccess(p, MIB2, access + 1, 1), 507899);
	access[0].location = here;
	OK(aclrtMapMem(p, MIB2, 0, h, 0));
	IS(aclrtMemSetAccess(p, MIB2, access, 2), 207000);
	OK(aclrtMemSetAccess(p, MIB2, access + 1, 1));
	IS(aclrtReleaseMemAddress(p), 507899);
	OK(aclrtUnmapMem(p));
	IS(aclrtUnmapMem(p), 507899);
	IS(aclrtMemRetainAllocationHandle(p, NULL), 100000);
	OK(aclrtFreePhysical(h));
	OK(aclrtReleaseMemAddress(p));
}

/* Of a granularity only the place is looked at, and the option last. */
static void properties(void)
{
	const aclrtMemGranularityOptions unknown = (aclrtMemGranularityOptions)9;
	aclrtPhysicalMemProp odd = on_device;
	aclrtDrvMemHandle h;
	size_t step;

	setup();
	odd.allocationType = (aclrtMemAllocationType)9;
	odd.location.id = NO_DEVICE;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 1), 100000);
	IS(aclrtMemGetAllocationGranularity(&odd, unknown, &step), 107001);
	odd.location.id = 0;
	IS(aclrtMemGetAllocationGranularity(&odd, unknown, &step), 107000);
	OK(aclrtMemGetAllocationGranularity(&odd, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &step));
	odd.memAttr = ACL_DDR_MEM_NORMAL;
	odd.location.id = NO_DEVICE;
	IS(aclrtMemGetAllocationGranularity(&odd, unknown, &step), 100000);
	odd = on_device;
	odd.memAttr = ACL_HBM_MEM_P2P_NORMAL;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	odd = on_node;
	OK(aclrtMallocPhysical(&h, MIB2, &odd, 0));
	OK(aclrtFreePhysical(h));
}

/* --- handles that are shared ------------------------------------------------------------------ */

static aclrtDrvMemHandle exported;

static void sharing_apart(void)
{
	aclrtMemFabricHandle fabric;
	aclrtDrvMemHandle h;
	uint64_t key = 0;
	int32_t pid = 1;

	IS(aclrtMemExportToShareableHandleV2(exported, 9, none, &key), 107000);
	IS(aclrtMemExportToShareableHandleV2(exported, 9, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &fabric), 107000);
	IS(aclrtMemExportToShareableHandleV2(exported, 0, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &fabric), 107002);
	OK(aclrtMemExportToShareableHandle(exported, ACL_MEM_HANDLE_TYPE_NONE, 0, &key));
	IS(aclrtMemImportFromShareableHandle(key, NO_DEVICE, &h), 107001);
	IS(aclrtMemImportFromShareableHandle(key, 0, &h), 107002);
	IS(aclrtMemImportFromShareableHandleV2(&key, none, 1, &h), 100000);
	IS(aclrtMemImportFromShareableHandleV2(&key, none, 0, &h), 107002);
	IS(aclrtMemImportFromShareableHandleV2(&key, usual, 0, &h), 107002);
	OK(aclrtMemSetPidToShareableHandle(key, &pid, 1));
	OK(aclrtMemSetPidToShareableHandleV2(&key, usual, &pid, 1));
}

static void sharing(void)
{
	aclrtDrvMemHandle h;
	uint64_t key = 0;
	int32_t pid = 1;

	setup();
	OK(aclrtMallocPhysical(&exported, MIB2, &on_device, 0));
	IS(aclrtMemExportToShareableHandle(exported, (aclrtMemHandleType)9, 9, &key), 100000);
	IS(aclrtMemExportToShareableHandle(exported, ACL_MEM_HANDLE_TYPE_NONE, 9, NULL), 100000);
	IS(aclrtMemExportToShareableHandleV2(exported, 9, none, NULL), 100000);
	without_context(sharing_apart);
	IS(aclrtMemImportFromShareableHandleV2(&key, none, 1, &h), 100000);
	IS(aclrtMemImportFromShareableHandleV2(&key, none, 0, &h), 107000);
	IS(aclrtMemImportFromShareableHandleV2(&key, usual, 0, &h), 107017);
	IS(aclrtMemSetPidToShareableHandleV2(&key, none, &pid, 0), 100000);
	IS(aclrtMemSetPidToShareableHandleV2(&key, none, NULL, 1), 100000);
	IS(aclrtMemSetPidToShareableHandleV2(&key, none, &pid, 1), 107000);
	OK(aclrtFreePhysical(exported));
}

/* --- pools -------------------------------------------------------------------------------------- */

static aclrtMemPool pool;
static aclrtStream dead;
static void *block;

static void pools_apart(void)
{
	aclrtMemPoolProps props = {.location = {NO_DEVICE, ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtMemPool unused;
	uint64_t value = 0;
	void *p;

	IS(aclrtMemPoolCreate(&unused, &props), 107001);
	props.allocType = (aclrtMemAllocationType)9;
	IS(aclrtMemPoolCreate(&unused, &props), 100000);
	IS(aclrtMemPoolMallocAsync(&p, 64, pool, s), 107003);
	IS(aclrtMemPoolMallocAsync(&p, 64, INVENTED, s), 107003);
	IS(aclrtMemPoolMallocAsync(&p, 64, INVENTED, dead), V(107017, 107002));
	IS(aclrtMemPoolFreeAsync(block, s), 107003);
	IS(aclrtMemPoolFreeAsync(block, dead), V(107017, 107002));
	OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, &value));
	OK(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, &value));
}

static void pools(void)
{
	const aclrtMemPoolAttr unknown = (aclrtMemPoolAttr)77;
	aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
	uint64_t value = 0;
	void *p;

	setup();
	dead = stream_new();
	OK(aclrtDestroyStream(dead));
	OK(aclrtMemPoolCreate(&pool, &props));
	OK(aclrtMemPoolMallocAsync(&block, 64, pool, s));
	without_context(pools_apart);
	IS(aclrtMemPoolMallocAsync(&p, 64, INVENTED, dead), V(107017, 107003));
	IS(aclrtMemPoolMallocAsync(&p, 64, INVENTED, foreign), 107003);
	IS(aclrtMemPoolMallocAsync(&p, 64, INVENTED, s), 507000);
	IS(aclrtMemPoolMallocAsync(&p, 0, NULL, s), 100000);
	IS(aclrtMemPoolFreeAsync(INVENTED, foreign), 107003);
	IS(aclrtMemPoolFreeAsync((char *)block + 1, s), 107000);
	OK(aclrtMemPoolFreeAsync(
		INVENTED, s)); /* might be of aclrtMalloc: nobody looks before the stream does */
	IS(aclrtMemPoolSetAttr(NULL, unknown, NULL), 100000);
	IS(aclrtMemPoolSetAttr(INVENTED, unknown, NULL), 107000);
	IS(aclrtMemPoolSetAttr(INVENTED, unknown, &value), 107000);
	IS(aclrtMemPoolSetAttr(INVENTED, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value), 107000);
	IS(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value), 107000);
	IS(aclrtMemPoolSetAttr(pool, unknown, &value), 507000);
	IS(aclrtMemPoolGetAttr(INVENTED, unknown, &value), 107000);
	IS(aclrtMemPoolGetAttr(pool, unknown, &value), 507000);
	OK(aclrtMemPoolFreeAsync(block, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemPoolDestroy(pool));
}

static const struct tap_case cases[] = {C(mapping), C(properties), C(sharing), C(pools)};

ORACLE_MAIN(cases)
