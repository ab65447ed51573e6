/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Document "waiting", between streams: the second stream goes on when the
 * event recorded on the first one has happened.  As there, the streams are
 * destroyed before the event.
 */
#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 512 * 1024;
	void *device = nullptr;
	void *host = nullptr;
	aclrtEvent event = nullptr;
	aclrtStream first = nullptr;
	aclrtStream second = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	std::memset(host, 0, size);

	if (broken("old-event-first"))
		TRY(aclrtCreateEvent(&event));
	else
		TRY(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	TRY(aclrtCreateStream(&first));
	TRY(aclrtCreateStream(&second));

	/* Waiting for an event that is not recorded yet orders nothing. */
	if (broken("wait-first") || broken("old-event-first"))
		TRY(aclrtStreamWaitEvent(second, event));
	TRY(aclrtMemsetAsync(device, size, 0x33, size, first));
	TRY(aclrtRecordEvent(event, first));
	if (!broken("wait-first") && !broken("old-event-first"))
		TRY(aclrtStreamWaitEvent(second, event));
	else
		TRY(aclrtSynchronizeStream(first));
	TRY(aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, second));
	TRY(aclrtSynchronizeStream(second));

	const uint8_t *bytes = static_cast<const uint8_t *>(host);
	expect(bytes[0] == 0x33 && bytes[size - 1] == 0x33, "what the second stream read");

	TRY(aclrtDestroyStream(second));
	TRY(aclrtDestroyStream(first));
	TRY(aclrtDestroyEvent(event));
	TRY(aclrtFree(device));
	TRY(aclrtFreeHost(host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
