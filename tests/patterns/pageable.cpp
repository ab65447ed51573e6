/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous copies from and to ordinary memory: they are complete on return.
 * With "vector" the memory is aligned as the allocator pleases, which the newer
 * releases no longer mind.
 */
#include <cstdlib>
#include <memory>
#include <vector>

#include "../programs/program.h"

using namespace program;

static void round_trip(uint8_t *host, size_t size, void *device, aclrtStream stream, unsigned seed)
{
	fill(host, size, seed);
	TRY(aclrtMemcpyAsync(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	std::memset(host, 0, size);
	TRY(aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	TRY(aclrtSynchronizeStream(stream));
	expect(holds(host, size, seed), "the bytes that came back");
}

int main(int argc, char **argv)
{
	const size_t size = 100000;
	aclrtStream stream = nullptr;
	void *device = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	if (broken("vector")) {
		std::vector<uint8_t> host(size + 1);

		round_trip(host.data() + 1, size, device, stream, 1);
	} else {
		std::unique_ptr<void, void (*)(void *)> host(
			std::aligned_alloc(64, (size + 63) / 64 * 64), std::free);

		round_trip(static_cast<uint8_t *>(host.get()), size, device, stream, 2);
	}
	TRY(aclrtFree(device));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
