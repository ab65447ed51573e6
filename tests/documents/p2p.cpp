/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Document "data transfer", between two devices.  As there, device 0 is set
 * twice and reset once, and neither device's memory is freed.
 */
#include <thread>

#include "../programs/program.h"

using namespace program;

static const size_t size = 10;

static void copy(void *to, const void *from)
{
	uint8_t back[size] = {};
	uint8_t ones[size];

	TRY(aclrtMemcpy(to, size, from, size, ACL_MEMCPY_DEVICE_TO_DEVICE));
	TRY(aclrtMemcpy(back, size, to, size, ACL_MEMCPY_DEVICE_TO_HOST));
	std::memset(ones, 1, size);
	expect(std::memcmp(back, ones, size) == 0, "the bytes on device 1");
}

/* The copy is under way on device 1 when another thread gives up device 0, where its source lies. */
static void reset_source_first(void *to, const void *from)
{
	aclrtStream stream = nullptr;

	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMemcpyAsync(to, size, from, size, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	std::thread([] { TRY(aclrtResetDevice(0)); }).join();
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtDestroyStream(stream));
}

int main(int argc, char **argv)
{
	int32_t can_access = 0;
	void *dev0 = nullptr;
	void *dev1 = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtDeviceCanAccessPeer(&can_access, 0, 1));
	if (can_access != 1 && !broken("denied")) {
		std::printf("these devices cannot copy to each other\n");
		TRY(aclFinalize());
		return end();
	}

	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(&dev0, size, ACL_MEM_MALLOC_HUGE_FIRST_P2P));
	TRY(aclrtMemset(dev0, size, 1, size));

	/* Device 1 is current: this lets it reach the memory of device 0. */
	TRY(aclrtSetDevice(1));
	if (!broken("not-enabled"))
		TRY(aclrtDeviceEnablePeerAccess(0, 0));
	TRY(aclrtMalloc(&dev1, size, ACL_MEM_MALLOC_HUGE_FIRST_P2P));
	TRY(aclrtMemset(dev1, size, 0, size));
	if (broken("source-reset"))
		reset_source_first(dev1, dev0);
	else
		copy(dev1, dev0);
	TRY(aclrtResetDevice(1));

	if (!broken("source-reset")) {
		TRY(aclrtSetDevice(0));
		TRY(aclrtResetDevice(0));
	}
	TRY(aclFinalize());
	return end();
}
