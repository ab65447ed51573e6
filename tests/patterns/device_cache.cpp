/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend that remembers the device of each thread and selects it only when
 * it changes.  Giving up a backend waits for the device, resets it, and only
 * then destroys event, stream and memory: that is right because the registry of
 * devices holds a reference of its own.
 */
#include <thread>
#include <vector>

#include "../programs/program.h"

using namespace program;

namespace
{

thread_local int current_device = -1;

void select_device(int device)
{
	if (device == current_device)
		return;
	TRY(aclrtSetDevice(device));
	current_device = device;
}

class backend
{
      public:
	explicit backend(int device) : device_(device)
	{
		/* Not through the cache: the backend's own reference. */
		TRY(aclrtSetDevice(device));
		current_device = device;
		TRY(aclrtCreateStream(&stream_));
		TRY(aclrtCreateEventWithFlag(&copied_, ACL_EVENT_SYNC));
		TRY(aclrtMalloc(&memory_, size, ACL_MEM_MALLOC_HUGE_FIRST));
		TRY(aclrtMallocHost(&host_, size));
	}

	~backend()
	{
		select_device(device_);
		TRY(aclrtSynchronizeDevice());
		TRY(aclrtResetDevice(device_));
		TRY(aclrtDestroyEvent(copied_));
		TRY(aclrtDestroyStream(stream_));
		TRY(aclrtFree(memory_));
		TRY(aclrtFreeHost(host_));
	}

	void compute(int value)
	{
		select_device(device_);
		TRY(aclrtMemsetAsync(memory_, size, value, size, stream_));
		TRY(aclrtMemcpyAsync(host_, size, memory_, size, ACL_MEMCPY_DEVICE_TO_HOST, stream_));
		TRY(aclrtRecordEvent(copied_, stream_));
		TRY(aclrtSynchronizeEvent(copied_));
		expect(static_cast<uint8_t *>(host_)[size / 2] == value, "the result of a backend");
	}

      private:
	static const size_t size = 32 * 1024;
	int device_;
	aclrtStream stream_ = nullptr;
	aclrtEvent copied_ = nullptr;
	void *memory_ = nullptr;
	void *host_ = nullptr;
};

} /* namespace */

int main(int argc, char **argv)
{
	std::vector<std::thread> threads;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	/* The registry. */
	for (int device = 0; device < 2; device++)
		TRY(aclrtSetDevice(device));
	for (int i = 0; i < 4; i++)
		threads.emplace_back([i] {
			backend b(i % 2);

			for (int value = 1; value <= 5; value++)
				b.compute(value);
		});
	for (std::thread &thread : threads)
		thread.join();
	for (int device = 0; device < 2; device++)
		TRY(aclrtResetDevice(device));
	TRY(aclFinalize());
	return end();
}
