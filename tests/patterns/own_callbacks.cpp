/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A communication library that runs its host functions by itself: the thread that submits is the one that is
 * subscribed, waits for the stream, launches the callback and processes it.  Its buffers are memory of its
 * own that it registers.
 */
#include <atomic>
#include <cstdlib>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t bytes = 64 * 1024;

void count(void *data)
{
	++*static_cast<std::atomic<int> *>(data);
}

} /* namespace */

int main(int argc, char **argv)
{
	std::atomic<int> calls{0};
	aclrtStream stream = nullptr;
	void *device = nullptr, *mapped = nullptr, *host = std::aligned_alloc(4096, bytes);

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtHostRegisterV2(host, bytes, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
	TRY(aclrtHostGetDevicePointer(host, &mapped, 0));
	uint64_t self = broken("number") ? static_cast<uint64_t>(syscall(SYS_gettid)) : pthread_self();

	TRY(aclrtSubscribeReport(self, stream));
	for (unsigned i = 0; i < 3; i++) {
		fill(host, bytes, i);
		TRY(aclrtMemcpyAsync(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
		TRY(aclrtSynchronizeStream(stream));
		if (!broken("number")) {
			TRY(aclrtLaunchCallback(
				count, &calls, i % 2 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK, stream));
			TRY(aclrtProcessReport(-1));
		}
		std::memset(host, 0, bytes);
		TRY(aclrtMemcpyAsync(host, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
		TRY(aclrtSynchronizeStream(stream));
		expect(holds(host, bytes, i), "the bytes that came back");
	}
	expect(broken("number") || calls == 3, "each callback has run");
	TRY(aclrtUnSubscribeReport(self, stream));
	TRY(aclrtHostUnregister(host));
	std::free(host);
	TRY(aclrtFree(device));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
