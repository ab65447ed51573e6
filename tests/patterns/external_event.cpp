/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph that waits for an event from outside: the wait is captured before
 * anything was recorded, the graph is submitted, and only then another stream
 * records the event.
 */
#include "../programs/program.h"

using namespace program;

int main(int argc, char **argv)
{
	const size_t size = 4096;
	aclrtStream graph_stream = nullptr;
	aclrtStream producer = nullptr;
	aclrtEvent ready = nullptr;
	aclmdlRI graph = nullptr;
	void *device = nullptr;
	void *host = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	TRY(aclrtCreateStream(&graph_stream));
	TRY(aclrtCreateStream(&producer));
	TRY(aclrtCreateEventWithFlag(&ready, ACL_EVENT_EXTERNAL));

	TRY(aclmdlRICaptureBegin(graph_stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	TRY(aclrtStreamWaitEvent(graph_stream, ready));
	TRY(aclrtResetEvent(ready, graph_stream));
	TRY(aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, graph_stream));
	TRY(aclmdlRICaptureEnd(graph_stream, &graph));

	for (int round = 1; round <= 4; round++) {
		TRY(aclmdlRIExecuteAsync(graph, graph_stream));
		TRY(aclrtMemsetAsync(device, size, round, size, producer));
		TRY(aclrtRecordEvent(ready, producer));
		TRY(aclrtSynchronizeStream(graph_stream));
		expect(static_cast<uint8_t *>(host)[0] == round, "the graph waited for the producer");
	}
	/* The producer is never waited for itself: the graph waited for it. */
	TRY(aclmdlRIDestroy(graph));
	TRY(aclrtDestroyEvent(ready));
	TRY(aclrtDestroyStream(producer));
	TRY(aclrtDestroyStream(graph_stream));
	TRY(aclrtFree(device));
	TRY(aclrtFreeHost(host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
