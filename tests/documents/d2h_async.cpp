/* SPDX-License-Identifier: Apache-2.0 */
/* Document "data transfer", device to host, asynchronous, with the host address aligned by hand. */
#include <vector>

#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 1024 * 1024;
	std::vector<uint8_t> file(size);
	void *host = nullptr;
	void *device = nullptr;
	aclrtStream stream = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));

	TRY(aclrtMallocHost(&host, size + 64));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_NORMAL_ONLY));
	fill(file.data(), size, 5);
	TRY(aclrtMemcpy(device, size, file.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
	TRY(aclrtCreateStream(&stream));

	char *aligned = align64(host);
	if (broken("misaligned"))
		aligned++;
	/* One 64-byte line less, so that the shifted copy of the mistake still fits. */
	const size_t part = size - 64;
	std::memset(host, 0, size + 64);
	TRY(aclrtMemcpyAsync(aligned, part, device, part, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	TRY(aclrtSynchronizeStream(stream));
	expect(holds(aligned, part, 5), "the bytes on the host");

	TRY(aclrtDestroyStream(stream));
	TRY(aclrtFreeHost(host));
	TRY(aclrtFree(device));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
