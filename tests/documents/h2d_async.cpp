/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Document "data transfer", host to device, asynchronous: host memory is
 * over-allocated by 64 bytes and its start aligned by hand; device memory is
 * aligned by the system.
 */
#include <vector>

#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 1024 * 1024;
	std::vector<uint8_t> back(size);
	void *host = nullptr;
	void *device = nullptr;
	aclrtStream stream = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));

	TRY(aclrtMallocHost(&host, size + 64));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_NORMAL_ONLY));
	TRY(aclrtCreateStream(&stream));

	char *aligned = align64(host);
	if (broken("misaligned"))
		aligned = static_cast<char *>(host) + 4;
	fill(aligned, size, 3);
	TRY(aclrtMemcpyAsync(device, size, aligned, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	TRY(aclrtSynchronizeStream(stream));

	TRY(aclrtMemcpy(back.data(), size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(holds(back.data(), size, 3), "the bytes on the device");

	if (!broken("reset-first"))
		TRY(aclrtDestroyStream(stream));
	TRY(aclrtFreeHost(host));
	TRY(aclrtFree(device));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
