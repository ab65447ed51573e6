/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory got one way and used another: aclrtMallocAlign32 released with
 * aclrtFree, pinned memory set by the device functions, pinned memory registered
 * once more and mapped for the device, ordinary memory registered and then used
 * in asynchronous copies, a copy that is described in device memory.
 */
#include <cstdlib>

#include "../programs/program.h"

using namespace program;

static const size_t size = 64 * 1024;

static void align32(aclrtStream stream)
{
	void *device = nullptr;
	uint8_t back[64] = {};

	TRY(aclrtMallocAlign32(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemsetAsync(device, size, 0x21, size, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(back, sizeof(back), device, sizeof(back), ACL_MEMCPY_DEVICE_TO_HOST));
	expect(back[63] == 0x21, "the block of aclrtMallocAlign32");
	TRY(aclrtFree(device));
}

static void set_pinned(aclrtStream stream)
{
	void *host = nullptr;

	TRY(aclrtMallocHost(&host, size));
	TRY(aclrtMemset(host, size, 0x31, size));
	expect(static_cast<uint8_t *>(host)[size - 1] == 0x31, "pinned memory set at once");
	TRY(aclrtMemsetAsync(host, size, 0x32, size, stream));
	TRY(aclrtSynchronizeStream(stream));
	expect(static_cast<uint8_t *>(host)[size - 1] == 0x32, "pinned memory set on a stream");
	TRY(aclrtFreeHost(host));
}

static void register_pinned()
{
	void *host = nullptr;
	void *mapped = nullptr;

	TRY(aclrtMallocHost(&host, size));
	TRY(aclrtHostRegisterV2(host, size, ACL_HOST_REG_MAPPED));
	TRY(aclrtHostGetDevicePointer(host, &mapped, 0));
	expect(mapped != nullptr, "the device's view of host memory");
	TRY(aclrtHostUnregister(host));
	TRY(aclrtFreeHost(host));
}

static void register_ordinary(aclrtStream stream)
{
	uint8_t *host = static_cast<uint8_t *>(std::aligned_alloc(4096, size));
	void *device = nullptr;

	TRY(aclrtHostRegisterV2(host, size, ACL_HOST_REG_PINNED));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	fill(host, size, 3);
	TRY(aclrtMemcpyAsync(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	TRY(aclrtMemcpyAsync(host + size / 2, size / 2, device, size / 2, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	TRY(aclrtSynchronizeStream(stream));
	expect(holds(host + size / 2, size / 2, 3), "registered memory");
	TRY(aclrtHostUnregister(host));
	TRY(aclrtFree(device));
	std::free(host);
}

static void described(aclrtStream stream)
{
	const aclrtMemcpyKind kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
	size_t desc_size = 0;
	void *block = nullptr, *desc = nullptr;
	uint8_t back[256] = {};

	TRY(aclrtGetMemcpyDescSize(kind, &desc_size));
	TRY(aclrtMalloc(&desc, desc_size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST));
	char *bytes = static_cast<char *>(block);
	TRY(aclrtMemsetAsync(bytes, size, 0x41, size / 2, stream));
	TRY(aclrtSetMemcpyDesc(desc, kind, bytes, bytes + size / 2, size / 2, nullptr));
	TRY(aclrtMemcpyAsyncWithDesc(desc, kind, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(back, sizeof(back), bytes + size / 2, sizeof(back), ACL_MEMCPY_DEVICE_TO_HOST));
	expect(back[255] == 0x41, "the copy that a descriptor tells of");
	TRY(aclrtFree(block));
	TRY(aclrtFree(desc));
}

int main(int argc, char **argv)
{
	aclrtStream stream = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	align32(stream);
	set_pinned(stream);
	register_pinned();
	register_ordinary(stream);
	described(stream);
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
