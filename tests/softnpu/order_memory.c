/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and what is registered of it. */
#include "order.h"

static char *desc;

static void queries_apart(void)
{
	void *list[] = {dev};
	aclrtHostMemMapCapability can;
	aclrtPtrAttributes about;
	aclrtMemUsageInfo usage;
	uint32_t found;
	size_t n, m;

	OK(aclrtPointerGetAttributes(dev, &about));
	IS(about.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
	IS(aclrtCheckMemType(list, 1, 2, &found, 0), 107002);
	IS(aclrtCheckMemType(list, 1, 0x1000, &found, 0), 107000);
	IS(aclrtGetMemUsageInfo(0, &usage, 1, &n), 107002);
	IS(aclrtGetMemUsageInfo(0, &usage, 0, &n), 107000);
	IS(aclrtGetMemInfo(ACL_HBM_MEM, &n, &m), 107002);
	IS(aclrtMemFlush(dev, 64), 107002);
	IS(aclrtMemInvalidate(dev, 64), 107002);
	IS(aclrtHostMemMapCapabilities(0, (aclrtHacType)0, &can), 107002);
	IS(aclrtHostMemMapCapabilities(0, (aclrtHacType)99, &can), 107000);
	IS(aclrtSetMemcpyDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, dev, dev2, 64, NULL), 107002);
	IS(aclrtSetMemcpyDesc(desc, ACL_MEMCPY_HOST_TO_DEVICE, dev, dev2, 64, NULL), 207000);
	IS(aclrtCmoSetDesc(desc, dev, 64), 107002);
	IS(aclrtCmoSetDesc(desc + 8, dev, 64), 107000);
}

static void queries(void)
{
	setup();
	desc = device_new(N_BYTES);
	without_context(queries_apart);
	OK(aclrtMemFlush(dev, 64));
	OK(aclrtSetMemcpyDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, dev, dev2, 64, NULL));
}

static void keys_apart(void)
{
	int32_t pid = 1;

	IS(aclrtIpcMemClose("key"), 107002);
	IS(aclrtIpcMemClose(NULL), 100000);
	IS(aclrtIpcMemSetImportPid("key", &pid, 1), 107002);
	IS(aclrtIpcMemSetImportPid("key", &pid, 0), 107000);
	IS(aclrtIpcMemSetAttr("key", (aclrtIpcMemAttrType)0, 0), 107002);
	IS(aclrtIpcMemSetAttr("key", (aclrtIpcMemAttrType)99, 0), 107000);
}

static void keys(void)
{
	setup();
	without_context(keys_apart);
	IS(aclrtIpcMemClose("key"), 507899);
}

static void allocations_apart(void)
{
	static char mine[8192] __attribute__((aligned(4096)));
	aclrtStream stream;
	aclrtEvent e;
	void *p;

	IS(aclrtMalloc(&p, 64, 0), 107002);
	IS(aclrtMalloc(&p, 0, 0), 100000);
	IS(aclrtMallocHost(&p, 64), 107002);
	IS(aclrtMallocCached(&p, 64, 0), 107002);
	IS(aclrtHostRegister(mine, 4096, ACL_HOST_REGISTER_MAPPED, &p), 107002);
	IS(aclrtHostRegister(mine, 4096, (aclrtHostRegisterType)0x40, &p), 207000);
	IS(aclrtHostRegisterV2(mine, 4096, 2), 107002);
	IS(aclrtHostRegisterV2(mine, 4096, 0x40), 107000);
	IS(aclrtHostUnregister(mine), 107002);
	IS(aclrtHostGetDevicePointer(host, &p, 0), 107002);
	IS(aclrtCreateStreamWithConfig(&stream, 0, 0x1000), 107002); /* dropped */
	IS(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_PERSISTENT),
		107000);
	IS(aclrtCreateStreamWithConfig(&stream, 0, 0), 107002);
	IS(aclrtCreateEventExWithFlag(&e, 0x100), 107000);
	IS(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC), 107002);
	IS(aclrtFreeHost(dev), 107000);
	OK(aclrtFree(dev));
	OK(aclrtFreeHost(host));
}

static void allocations(void)
{
	setup();
	without_context(allocations_apart);
	IS(aclrtFree(dev), 107000);
}

static const struct tap_case cases[] = {C(queries), C(keys), C(allocations)};

ORACLE_MAIN(cases)
