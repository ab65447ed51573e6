/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events are recorded again and again without a reset, two streams hand work to
 * each other by them, and one is destroyed while its last record is pending.
 */
#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 4096;
	aclrtStream stream[2] = {};
	aclrtEvent event[2] = {};
	aclrtEvent last = nullptr;
	void *device = nullptr;
	void *host = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	for (int i = 0; i < 2; i++) {
		TRY(aclrtCreateStream(&stream[i]));
		TRY(aclrtCreateEventWithFlag(&event[i], ACL_EVENT_SYNC));
	}
	for (int round = 0; round < 300; round++) {
		int own = round % 2;

		if (round > 0)
			TRY(aclrtStreamWaitEvent(stream[own], event[1 - own]));
		TRY(aclrtMemsetAsync(device, size, round & 0xff, size, stream[own]));
		TRY(aclrtRecordEvent(event[own], stream[own]));
	}
	TRY(aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, stream[1]));
	TRY(aclrtCreateEventExWithFlag(&last, ACL_EVENT_SYNC));
	TRY(aclrtRecordEvent(last, stream[1]));
	TRY(aclrtDestroyEvent(last));
	TRY(aclrtSynchronizeStream(stream[1]));
	expect(static_cast<uint8_t *>(host)[0] == (299 & 0xff), "what the last round set");

	for (int i = 0; i < 2; i++)
		TRY(aclrtDestroyEvent(event[i]));
	for (int i = 0; i < 2; i++)
		TRY(aclrtDestroyStream(stream[i]));
	TRY(aclrtFree(device));
	TRY(aclrtFreeHost(host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
