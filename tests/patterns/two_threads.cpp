/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task queue: the main thread creates streams, events and memory, and only
 * enqueues; one other thread submits everything.  The main thread polls an
 * event, first on the host side until it has been recorded at all.
 */
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "../programs/program.h"

using namespace program;

namespace
{

class submitter
{
      public:
	explicit submitter(aclrtContext context) : thread_([this, context] { run(context); })
	{
	}

	~submitter()
	{
		push(nullptr);
		thread_.join();
	}

	void push(std::function<void()> task)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		tasks_.push_back(std::move(task));
		more_.notify_one();
	}

      private:
	void run(aclrtContext context)
	{
		TRY(aclrtSetCurrentContext(context));
		for (;;) {
			std::unique_lock<std::mutex> lock(mutex_);
			more_.wait(lock, [this] { return !tasks_.empty(); });
			std::function<void()> task = std::move(tasks_.front());
			tasks_.pop_front();
			lock.unlock();
			if (!task)
				return;
			task();
		}
	}

	std::mutex mutex_;
	std::condition_variable more_;
	std::deque<std::function<void()>> tasks_;
	std::thread thread_; /* last: it uses all of the above */
};

} /* namespace */

int main(int argc, char **argv)
{
	const size_t size = 64 * 1024;
	aclrtContext context = nullptr;
	aclrtStream compute = nullptr;
	aclrtStream copy = nullptr;
	aclrtEvent done = nullptr;
	aclrtEvent ready = nullptr;
	void *device = nullptr;
	void *host = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtGetCurrentContext(&context));
	TRY(aclrtCreateStream(&compute));
	TRY(aclrtCreateStream(&copy));
	TRY(aclrtCreateEventExWithFlag(&done, ACL_EVENT_SYNC));
	TRY(aclrtCreateEventExWithFlag(&ready, ACL_EVENT_SYNC));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	{
		submitter queue(context);

		for (int round = 0; round < 20; round++) {
			const int value = round + 1;
			std::atomic<bool> recorded{false};

			queue.push([&, value] { TRY(aclrtMemsetAsync(device, size, value, size, compute)); });
			queue.push([&] { TRY(aclrtRecordEvent(ready, compute)); });
			queue.push([&] { TRY(aclrtStreamWaitEvent(copy, ready)); });
			queue.push([&] {
				TRY(aclrtMemcpyAsync(
					host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, copy));
			});
			queue.push([&] {
				TRY(aclrtRecordEvent(done, copy));
				recorded = true;
			});
			while (!recorded)
				std::this_thread::yield();
			aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
			while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE)
				if (!TRY(aclrtQueryEventStatus(done, &status)))
					break;
			expect(static_cast<uint8_t *>(host)[size - 1] == value, "the copy of a round");
		}
	}
	TRY(aclrtDestroyEvent(done));
	TRY(aclrtDestroyEvent(ready));
	TRY(aclrtDestroyStream(compute));
	TRY(aclrtDestroyStream(copy));
	TRY(aclrtFree(device));
	TRY(aclrtFreeHost(host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
