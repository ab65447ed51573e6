/* SPDX-License-Identifier: Apache-2.0 */
/* Document "data transfer", host to device, synchronous. The result is read back to prove the copy. */
#include <vector>

#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 1024 * 1024;
	std::vector<uint8_t> back(size);
	void *host = nullptr;
	void *device = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	if (broken("init-twice"))
		TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));

	TRY(aclrtMallocHost(&host, size));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_NORMAL_ONLY));
	fill(host, size, 2);
	TRY(aclrtMemcpy(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE));

	TRY(aclrtMemcpy(back.data(), size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(holds(back.data(), size, 2), "the bytes on the device");

	TRY(aclrtFreeHost(host));
	/* The wrong function refuses; the second try is what keeps this from being a leak as well. */
	if (broken("host-free"))
		TRY(aclrtFreeHost(device));
	if (!broken("leak"))
		TRY(aclrtFree(device));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
