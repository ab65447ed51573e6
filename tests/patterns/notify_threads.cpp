/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A consumer that submits its wait before the producer's thread submits the
 * record, round after round with the same notify.  The consumer alone is
 * synchronised; the producer's stream is known to be done by its records.
 */
#include <atomic>
#include <thread>

#include "../programs/program.h"

using namespace program;

namespace
{

constexpr size_t bytes = 4096;
constexpr int rounds = 5;

struct both {
	aclrtContext context = nullptr;
	aclrtStream produced = nullptr;
	aclrtStream consumed = nullptr;
	aclrtNotify full = nullptr;
	aclrtNotify empty = nullptr;
	void *host = nullptr;
	void *device = nullptr;
	std::atomic<int> turn{0};
};

void produce(both *b)
{
	TRY(aclrtSetCurrentContext(b->context));
	for (int i = 0; i < rounds; i++) {
		while (b->turn != i + 1)
			std::this_thread::yield();
		TRY(aclrtWaitAndResetNotify(b->empty, b->produced, 0));
		TRY(aclrtMemsetAsync(b->device, bytes, i + 1, bytes, b->produced));
		TRY(aclrtRecordNotify(b->full, b->produced));
	}
}

} /* namespace */

int main(int argc, char **argv)
{
	both b;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtGetCurrentContext(&b.context));
	TRY(aclrtCreateStream(&b.produced));
	TRY(aclrtCreateStream(&b.consumed));
	TRY(aclrtCreateNotify(&b.full, ACL_NOTIFY_DEFAULT));
	TRY(aclrtCreateNotify(&b.empty, ACL_NOTIFY_DEFAULT));
	TRY(aclrtMalloc(&b.device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&b.host, bytes));
	std::thread producer(produce, &b);

	for (int i = 0; i < rounds; i++) {
		TRY(aclrtRecordNotify(b.empty, b.consumed));
		TRY(aclrtWaitAndResetNotify(b.full, b.consumed, 0));
		TRY(aclrtMemcpyAsync(b.host, bytes, b.device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, b.consumed));
		b.turn = i + 1;
		TRY(aclrtSynchronizeStream(b.consumed));
		expect(static_cast<char *>(b.host)[bytes - 1] == i + 1, "what was produced");
	}
	producer.join();

	TRY(aclrtDestroyNotify(b.full));
	TRY(aclrtDestroyNotify(b.empty));
	TRY(aclrtFree(b.device));
	TRY(aclrtFreeHost(b.host));
	TRY(aclrtDestroyStream(b.produced));
	TRY(aclrtDestroyStream(b.consumed));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
