/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A framework that keeps the source of each copy alive by a callback behind it. Every stream has a report
 * thread of its own, cancelled where it stands once the stream is gone: nothing is unsubscribed.
 * Events are reset by the stream that waited, and recorded again.
 */
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <sys/syscall.h>
#include <pthread.h>
#include <unistd.h>

#include "../programs/program.h"

using namespace program;

namespace
{

constexpr size_t SIZE = 4096;
using source = std::shared_ptr<void>;

struct report_thread {
	std::atomic<bool> on{true};
	std::atomic<unsigned> begun{0}; /* calls that process reports */
	unsigned of_last = 0; /* the one that the last callback came in */
	std::atomic<unsigned> left{0}; /* callbacks to come */
	std::atomic<long> number{0}; /* the kernel's, of the thread */
	pthread_t id;
};

struct kept {
	source from;
	report_thread *reports;
};

void *process(void *data)
{
	auto *t = static_cast<report_thread *>(data);

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
	t->number = syscall(SYS_gettid);
	while (t->on) {
		t->begun++;
		aclrtProcessReport(60000);
	}
	return nullptr;
}

void release(void *data)
{
	auto *k = static_cast<kept *>(data);
	report_thread *t = k->reports;

	delete k;
	t->of_last = t->begun;
	t->left--;
}

bool sleeps(long thread)
{
	std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
	std::string name, state;

	/* Its name has no space. */
	file >> name >> name >> state;
	return state == "S";
}

struct lane {
	aclrtStream stream = nullptr;
	report_thread reports;
	lane()
	{
		TRY(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
		TRY(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
		pthread_create(&reports.id, nullptr, process, &reports);
		TRY(aclrtSubscribeReport(static_cast<uint64_t>(reports.id), stream));
	}
	/* The thread waits for reports again: that is what the destroy meets. */
	~lane()
	{
		do
			usleep(1000);
		while (reports.left || reports.begun == reports.of_last || !sleeps(reports.number));
		TRY(aclrtDestroyStream(stream));
		reports.on = false;
		pthread_cancel(reports.id);
		pthread_join(reports.id, nullptr);
	}
	void upload(void *to, char fill)
	{
		source from(aligned_alloc(64, SIZE), free);

		std::memset(from.get(), fill, SIZE);
		TRY(aclrtMemcpyAsync(to, SIZE, from.get(), SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
		reports.left++;
		TRY(aclrtLaunchCallback(release, new kept{from, &reports}, ACL_CALLBACK_NO_BLOCK, stream));
	}
};

void wait_and_reset(aclrtEvent event, aclrtStream stream)
{
	TRY(aclrtStreamWaitEvent(stream, event));
	TRY(aclrtResetEvent(event, stream));
}

} /* namespace */

int main(int argc, char **argv)
{
	void *a, *b;
	aclrtEvent ready, used;
	void *host;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtSetOpWaitTimeout(1980));
	TRY(aclrtMalloc(&a, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMalloc(&b, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, SIZE));
	TRY(aclrtCreateEventWithFlag(&ready, ACL_EVENT_SYNC));
	TRY(aclrtCreateEventWithFlag(&used, ACL_EVENT_SYNC));
	{
		lane compute, communication;

		for (int round = 0; round < 4; round++) {
			compute.upload(a, static_cast<char>(round));
			TRY(aclrtRecordEvent(ready, compute.stream));
			wait_and_reset(ready, communication.stream);
			TRY(aclrtMemcpyAsync(
				b, SIZE, a, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, communication.stream));
			TRY(aclrtRecordEvent(used, communication.stream));
			wait_and_reset(used, compute.stream);
			TRY(aclrtMemcpyAsync(host, SIZE, b, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, compute.stream));
			TRY(aclrtSynchronizeStreamWithTimeout(compute.stream, -1));
			expect(*static_cast<char *>(host) == round, "the copy of this round");
		}
		TRY(aclrtDestroyEvent(ready));
		TRY(aclrtDestroyEvent(used));
	}
	TRY(aclrtFree(a));
	TRY(aclrtFree(b));
	TRY(aclrtFreeHost(host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
