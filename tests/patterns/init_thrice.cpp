/* SPDX-License-Identifier: Apache-2.0 */
/* Three whole lives of the runtime in one process, each complete. */
#include "../programs/program.h"

using namespace program;

static void life(int number)
{
	const size_t size = 4096;
	uint8_t host[size] = {};
	aclrtStream stream = nullptr;
	void *device = nullptr;

	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemsetAsync(device, size, number, size, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(host[0] == number, "the work of a life");
	TRY(aclrtFree(device));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
}

int main(int argc, char **argv)
{
	begin(argc, argv);
	for (int number = 1; number <= 3; number++)
		life(number);
	return end();
}
