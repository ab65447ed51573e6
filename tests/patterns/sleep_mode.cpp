/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that sleeps: addresses are reserved once, pages are mapped behind them while it is awake, and
 * given back while it sleeps, with what they hold saved to the host.  Awake again it has other pages at the
 * same addresses.
 */
#include <unistd.h>

#include "../programs/program.h"

using namespace program;

namespace
{

const int pages = 3;
const size_t bytes = 64 * 1024;

char *addresses;
size_t page;
aclrtDrvMemHandle physical[pages];
aclrtPhysicalMemProp prop;

void wake()
{
	for (int i = 0; i < pages; i++) {
		TRY(aclrtMallocPhysical(&physical[i], page, &prop, 0));
		TRY(aclrtMapMem(addresses + i * page, page, 0, physical[i], 0));
	}
}

void go_to_sleep()
{
	for (int i = 0; i < pages; i++) {
		TRY(aclrtUnmapMem(addresses + i * page));
		TRY(aclrtFreePhysical(physical[i]));
	}
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtStream stream = nullptr;
	void *reserved = nullptr, *host = nullptr;

	begin(argc, argv);
	prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
	prop.memAttr = ACL_HBM_MEM_HUGE;
	prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMallocHost(&host, bytes));
	TRY(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &page));
	TRY(aclrtReserveMemAddress(&reserved, pages * page, 0, nullptr, 0));
	addresses = static_cast<char *>(reserved);
	/* Across the border of two pages. */
	char *cache = addresses + page - 256;

	wake();
	fill(host, bytes, 1);
	TRY(aclrtMemcpyAsync(cache, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	TRY(aclrtSynchronizeStream(stream));
	std::memset(host, 0, bytes);
	TRY(aclrtMemcpyAsync(host, bytes, cache, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	/* That time has passed shows nothing. */
	if (broken("hasty"))
		usleep(200000);
	else
		TRY(aclrtSynchronizeStream(stream));
	go_to_sleep();
	if (broken("asleep"))
		aclrtMemset(cache, bytes, 0, bytes);
	wake();
	TRY(aclrtMemcpyAsync(cache, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	TRY(aclrtMemcpyAsync(host, bytes, cache, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	TRY(aclrtSynchronizeStream(stream));
	expect(holds(host, bytes, 1), "what was saved");
	go_to_sleep();
	TRY(aclrtReleaseMemAddress(reserved));
	TRY(aclrtFreeHost(host));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
