/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two graphs on two streams, ordered by nothing but an external event: the first one records
 * it, the second one waits for it and resets it.  The host waits for the second stream alone,
 * and then destroys both.
 */
#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 4096;
	aclrtStream first = nullptr;
	aclrtStream second = nullptr;
	aclrtEvent ready = nullptr;
	aclmdlRI producer = nullptr;
	aclmdlRI consumer = nullptr;
	void *device = nullptr;
	void *host = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	TRY(aclrtCreateStream(&first));
	TRY(aclrtCreateStream(&second));
	TRY(aclrtCreateEventWithFlag(&ready, ACL_EVENT_EXTERNAL));

	TRY(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	TRY(aclrtMemsetAsync(device, size, 7, size, first));
	TRY(aclrtRecordEvent(ready, first));
	TRY(aclmdlRICaptureEnd(first, &producer));

	TRY(aclmdlRICaptureBegin(second, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	TRY(aclrtStreamWaitEvent(second, ready));
	TRY(aclrtResetEvent(ready, second));
	TRY(aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, second));
	TRY(aclmdlRICaptureEnd(second, &consumer));

	for (int round = 0; round < 4; round++) {
		std::memset(host, 0, size);
		TRY(aclmdlRIExecuteAsync(consumer, second));
		TRY(aclmdlRIExecuteAsync(producer, first));
		TRY(aclrtSynchronizeStream(second));
		expect(static_cast<uint8_t *>(host)[size - 1] == 7, "the consumer ran behind the producer");
	}
	TRY(aclrtDestroyStream(first));
	TRY(aclrtDestroyStream(second));
	TRY(aclmdlRIDestroy(producer));
	TRY(aclmdlRIDestroy(consumer));
	TRY(aclrtDestroyEvent(ready));
	TRY(aclrtFree(device));
	TRY(aclrtFreeHost(host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
