/* SPDX-License-Identifier: Apache-2.0 */
/* Each of eight threads selects the device; the main thread gives it up once, by force. */
#include <thread>
#include <vector>

#include "../programs/program.h"

using namespace program;

static void worker(int number)
{
	const size_t size = 1024;
	uint8_t host[size];
	aclrtStream stream = nullptr;
	void *device = nullptr;

	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemsetAsync(device, size, number, size, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(host[size - 1] == number, "the work of a thread");
	TRY(aclrtFree(device));
	TRY(aclrtDestroyStream(stream));
}

int main(int argc, char **argv)
{
	std::vector<std::thread> threads;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	for (int i = 0; i < 8; i++)
		threads.emplace_back(worker, i);
	for (std::thread &thread : threads)
		thread.join();
	TRY(aclrtResetDeviceForce(0));
	TRY(aclFinalize());
	return end();
}
