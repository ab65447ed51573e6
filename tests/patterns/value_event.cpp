/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event made of memory: 32 bytes on the device, recorded by writing 1,
 * awaited by waiting for 1 and then writing 0.  The wait is captured, the record
 * comes from outside after the graph was submitted.  The 32 bytes are never
 * freed, on purpose.
 */
#include "../programs/program.h"

using namespace program;

static void *create_event()
{
	void *flag = nullptr;

	TRY(aclrtMallocAlign32(&flag, 32, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemset(flag, 32, 0, 32));
	return flag;
}

int main(int argc, char **argv)
{
	const size_t size = 4096;
	aclrtStream graph_stream = nullptr;
	aclrtStream update_stream = nullptr;
	aclmdlRI graph = nullptr;
	void *device = nullptr;
	void *host = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	TRY(aclrtCreateStream(&graph_stream));
	TRY(aclrtCreateStream(&update_stream));
	void *event = create_event();

	TRY(aclmdlRICaptureBegin(graph_stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	TRY(aclrtValueWait(event, 1, ACL_STREAM_WAIT_VALUE_EQ, graph_stream));
	TRY(aclrtValueWrite(event, 0, 0, graph_stream));
	TRY(aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, graph_stream));
	TRY(aclmdlRICaptureEnd(graph_stream, &graph));

	for (int round = 1; round <= 5; round++) {
		TRY(aclmdlRIExecuteAsync(graph, graph_stream));
		TRY(aclrtMemsetAsync(device, size, round, size, update_stream));
		TRY(aclrtValueWrite(event, 1, 0, update_stream));
		TRY(aclrtSynchronizeStream(graph_stream));
		expect(static_cast<uint8_t *>(host)[size - 1] == round, "the graph ran after the update");
		TRY(aclrtSynchronizeStream(update_stream));
	}
	TRY(aclmdlRIDestroy(graph));
	TRY(aclrtDestroyStream(graph_stream));
	TRY(aclrtDestroyStream(update_stream));
	TRY(aclrtFree(device));
	TRY(aclrtFreeHost(host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
