/* SPDX-License-Identifier: Apache-2.0 */
/* Document "waiting", stream: the host waits for everything that a stream was given. */
#include <thread>
#include <vector>

#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 256 * 1024;
	std::vector<uint8_t> back(size);
	void *source = nullptr;
	void *target = nullptr;
	aclrtStream stream = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMallocHost(&source, size));
	TRY(aclrtMalloc(&target, size, ACL_MEM_MALLOC_HUGE_FIRST));
	fill(source, size, 9);

	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMemcpyAsync(target, size, source, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(back.data(), size, target, size, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(holds(back.data(), size, 9), "the copy");

	/* The device that main chose does not come along into a thread. */
	if (broken("other-thread"))
		std::thread([=] {
			TRY(aclrtMemcpyAsync(target, size, source, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
		}).join();

	TRY(aclrtDestroyStream(stream));
	TRY(aclrtFree(target));
	TRY(aclrtFreeHost(source));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
