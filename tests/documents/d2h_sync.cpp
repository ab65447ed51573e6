/* SPDX-License-Identifier: Apache-2.0 */
/* Document "data transfer", device to host, synchronous. */
#include <vector>

#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 1024 * 1024;
	std::vector<uint8_t> file(size);
	void *device = nullptr;
	void *host = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));

	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_NORMAL_ONLY));
	TRY(aclrtMallocHost(&host, size));
	fill(file.data(), size, 4);
	TRY(aclrtMemcpy(device, size, file.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
	std::memset(host, 0, size);

	TRY(aclrtMemcpy(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(holds(host, size, 4), "the bytes on the host");

	TRY(aclrtFree(device));
	if (!broken("leak"))
		TRY(aclrtFreeHost(host));
	if (broken("finalize-first")) {
		TRY(aclFinalize());
		return end();
	}
	TRY(aclrtResetDevice(0));
	if (!broken("no-finalize"))
		TRY(aclFinalize());
	return end();
}
