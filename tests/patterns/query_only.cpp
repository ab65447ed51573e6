/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing but queries tell the host that work is done: of a stream, of an event, and of both kinds of event.
 */
#include <thread>

#include "../programs/program.h"

using namespace program;

static const size_t size = 16 * 1024;

static void wait_for_stream(aclrtStream stream)
{
	aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;

	while (TRY(aclrtStreamQuery(stream, &status)) && status != ACL_STREAM_STATUS_COMPLETE)
		std::this_thread::yield();
}

static void wait_for_event(aclrtEvent event)
{
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;

	while (TRY(aclrtQueryEventStatus(event, &status)) && status != ACL_EVENT_RECORDED_STATUS_COMPLETE)
		std::this_thread::yield();
}

/* The older query, whose enumeration is the other way round. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void wait_for_old_event(aclrtEvent event)
{
	aclrtEventStatus status = ACL_EVENT_STATUS_NOT_READY;

	while (TRY(aclrtQueryEvent(event, &status)) && status != ACL_EVENT_STATUS_COMPLETE)
		std::this_thread::yield();
}
#pragma GCC diagnostic pop

static void round(int way)
{
	aclrtStream stream = nullptr;
	aclrtEvent event = nullptr;
	void *device = nullptr;
	void *host = nullptr;

	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	TRY(aclrtCreateStream(&stream));
	if (way == 2)
		TRY(aclrtCreateEvent(&event));
	else
		TRY(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS));
	TRY(aclrtMemsetAsync(device, size, 0x40 + way, size, stream));
	TRY(aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	TRY(aclrtRecordEvent(event, stream));
	if (way == 0)
		wait_for_stream(stream);
	else if (way == 1)
		wait_for_event(event);
	else
		wait_for_old_event(event);
	expect(static_cast<uint8_t *>(host)[size - 1] == 0x40 + way, "what the query promised");
	TRY(aclrtFree(device));
	TRY(aclrtFreeHost(host));
	TRY(aclrtDestroyEvent(event));
	TRY(aclrtDestroyStream(stream));
}

int main(int argc, char **argv)
{
	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	for (int way = 0; way < 3; way++)
		round(way);
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
