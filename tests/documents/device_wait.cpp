/* SPDX-License-Identifier: Apache-2.0 */
/* Document "waiting", device: the host waits until the device of the current context has nothing left to do.
 */
#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 128 * 1024;
	void *device = nullptr;
	void *host = nullptr;
	aclrtStream stream = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	fill(host, size, 10);

	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMemcpyAsync(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	TRY(aclrtMemsetAsync(device, size, 0, size / 2, stream));
	TRY(aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	TRY(aclrtSynchronizeDevice());
	const uint8_t *bytes = static_cast<const uint8_t *>(host);
	expect(bytes[0] == 0 && bytes[size - 1] == pattern(size - 1, 10), "the result after the wait");

	TRY(aclrtFree(device));
	TRY(aclrtFreeHost(host));
	if (!broken("reset-first"))
		TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	/* Nothing is current any more. */
	if (broken("after-reset"))
		TRY(aclrtSynchronizeDevice());
	TRY(aclFinalize());
	return end();
}
