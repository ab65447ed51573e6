/* SPDX-License-Identifier: Apache-2.0 */
/* Document "data transfer", inside one device: first synchronous, then asynchronous. */
#include <vector>

#include "../programs/program.h"

using namespace program;

static const size_t size = 1024 * 1024;

static void load(void *device, unsigned seed)
{
	std::vector<uint8_t> file(size);

	fill(file.data(), size, seed);
	TRY(aclrtMemcpy(device, size, file.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
}

static void compare(const void *device, size_t bytes, unsigned seed, const char *what)
{
	std::vector<uint8_t> back(bytes);

	TRY(aclrtMemcpy(back.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(holds(back.data(), bytes, seed), what);
}

int main(int argc, char **argv)
{
	void *from = nullptr;
	void *to = nullptr;
	aclrtStream stream = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));

	TRY(aclrtMalloc(&from, size, ACL_MEM_MALLOC_NORMAL_ONLY));
	TRY(aclrtMalloc(&to, size, ACL_MEM_MALLOC_NORMAL_ONLY));

	load(from, 6);
	TRY(aclrtMemcpy(to, size, from, size, ACL_MEMCPY_DEVICE_TO_DEVICE));
	compare(to, size, 6, "the synchronous copy");

	load(from, 7);
	TRY(aclrtCreateStream(&stream));
	/* A sub-tensor in the middle of a block is as good as its offset. */
	char *target = static_cast<char *>(to) + (broken("misaligned") ? 32 : 64);
	TRY(aclrtMemcpyAsync(target, size - 64, from, size - 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	TRY(aclrtSynchronizeStream(stream));
	compare(target, size - 64, 7, "the asynchronous copy");

	TRY(aclrtDestroyStream(stream));
	TRY(aclrtFree(from));
	TRY(aclrtFree(to));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
