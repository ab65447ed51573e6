/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The notes on initialisation and resources: one aclInit; device, context,
 * stream are asked for in this order; before the device is reset, events,
 * streams and contexts are given back, in that order; a thread has one current
 * context and the last aclrtSetCurrentContext counts.
 */
#include "../programs/program.h"

using namespace program;

static const size_t size = 4096;

/* Work in the context that is current: set, read back. */
static void work(aclrtStream stream, uint8_t value)
{
	void *device = nullptr;
	void *host = nullptr;

	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	TRY(aclrtMemsetAsync(device, size, value, size, stream));
	TRY(aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	TRY(aclrtSynchronizeStream(stream));
	expect(static_cast<uint8_t *>(host)[size - 1] == value, "the work of a context");
	TRY(aclrtFreeHost(host));
	TRY(aclrtFree(device));
}

int main(int argc, char **argv)
{
	aclrtContext context[2] = {};
	aclrtStream stream[2] = {};
	aclrtEvent event = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	for (int i = 0; i < 2; i++) {
		TRY(aclrtCreateContext(&context[i], 0));
		TRY(aclrtCreateStream(&stream[i]));
	}
	TRY(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));

	/* The second context is current since it was created last. */
	work(stream[1], 1);
	TRY(aclrtSetCurrentContext(context[1]));
	TRY(aclrtSetCurrentContext(context[0]));
	work(stream[0], 2);
	if (broken("other-context"))
		TRY(aclrtRecordEvent(event, stream[1]));
	TRY(aclrtRecordEvent(event, stream[0]));
	TRY(aclrtSynchronizeEvent(event));

	if (broken("init-again"))
		TRY(aclInit(nullptr));
	if (!broken("event-kept"))
		TRY(aclrtDestroyEvent(event));
	for (int i = 0; i < 2; i++) {
		if (broken("context-kept") && i == 1)
			break;
		TRY(aclrtSetCurrentContext(context[i]));
		if (!broken("context-first") || i == 1)
			TRY(aclrtDestroyStream(stream[i]));
		TRY(aclrtDestroyContext(context[i]));
	}
	if (broken("context-kept")) {
		TRY(aclrtSetCurrentContext(context[1]));
		TRY(aclrtDestroyStream(stream[1]));
	}
	if (!broken("finalize-first"))
		TRY(aclrtResetDevice(0));
	if (!broken("no-finalize"))
		TRY(aclFinalize());
	if (broken("finalize-first"))
		TRY(aclrtResetDevice(0));
	return end();
}
