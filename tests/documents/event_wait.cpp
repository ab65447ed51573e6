/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Document "waiting", event: the host waits for an event at the end of a
 * stream.  As there, the stream is destroyed before the event.
 */
#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 64 * 1024;
	void *device = nullptr;
	void *host = nullptr;
	aclrtEvent event = nullptr;
	aclrtStream stream = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	fill(host, size, 8);

	TRY(aclrtCreateEventExWithFlag(&event, ACL_EVENT_CAPTURE_STREAM_PROGRESS));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMemcpyAsync(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	TRY(aclrtMemsetAsync(device, size, 0x5a, size / 2, stream));
	TRY(aclrtMemcpyAsync(host, size / 2, device, size / 2, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	TRY(aclrtRecordEvent(event, stream));
	TRY(aclrtSynchronizeEvent(event));

	/* All work before the event has been done: the first half was overwritten and came back. */
	const uint8_t *bytes = static_cast<const uint8_t *>(host);
	expect(bytes[0] == 0x5a && bytes[size / 2 - 1] == 0x5a, "the half that was set");
	expect(bytes[size / 2] == pattern(size / 2, 8), "the half that was not");

	if (broken("reset-first")) {
		TRY(aclrtFree(device));
		TRY(aclrtFreeHost(host));
		TRY(aclrtResetDevice(0));
		TRY(aclFinalize());
		return end();
	}
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtDestroyEvent(event));
	TRY(aclrtFree(device));
	TRY(aclrtFreeHost(host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
