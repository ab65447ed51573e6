/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call fails while a graph is captured on two streams, before the second one is back: the program gives the
 * capture up, which is done by ending it, and does the same work without a graph.
 */
#include <stdexcept>

#include "../programs/program.h"
#include "softnpu.h"

using namespace program;

namespace
{

const size_t bytes = 4096;

struct work {
	aclrtStream main_stream = nullptr;
	aclrtStream side = nullptr;
	aclrtEvent away = nullptr;
	aclrtEvent back = nullptr;
	void *device = nullptr;
	void *host = nullptr;
};

void call(aclError error)
{
	if (error != ACL_SUCCESS)
		throw std::runtime_error("a call failed");
}

void submit(const work &w)
{
	call(aclrtMemsetAsync(w.device, bytes, 1, bytes, w.main_stream));
	call(aclrtRecordEvent(w.away, w.main_stream));
	call(aclrtStreamWaitEvent(w.side, w.away));
	call(aclrtMemcpyAsync(w.host, bytes, w.device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, w.side));
	call(aclrtRecordEvent(w.back, w.side));
	if (!broken("unjoined"))
		call(aclrtStreamWaitEvent(w.main_stream, w.back));
}

/* nullptr: the capture was given up. */
aclmdlRI capture(const work &w)
{
	aclmdlRI graph = nullptr;

	TRY(aclmdlRICaptureBegin(w.main_stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	try {
		submit(w);
	} catch (const std::runtime_error &) {
		expect(aclmdlRICaptureEnd(w.main_stream, &graph) != ACL_SUCCESS, "no graph of half the work");
		return nullptr;
	}
	expect((aclmdlRICaptureEnd(w.main_stream, &graph) != ACL_SUCCESS) == broken("unjoined"),
		"a graph of the whole work");
	return graph;
}

} /* namespace */

int main(int argc, char **argv)
{
	work w;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&w.main_stream));
	TRY(aclrtCreateStream(&w.side));
	TRY(aclrtCreateEventExWithFlag(&w.away, ACL_EVENT_SYNC));
	TRY(aclrtCreateEventExWithFlag(&w.back, ACL_EVENT_SYNC));
	TRY(aclrtMalloc(&w.device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&w.host, bytes));
	if (broken("refused"))
		TRY(softnpu_inject("aclrtMemcpyAsync:when=1:error=207001"));
	aclmdlRI graph = capture(w);
	if (graph)
		TRY(aclmdlRIExecuteAsync(graph, w.main_stream));
	else
		submit(w);
	TRY(aclrtSynchronizeStream(w.main_stream));
	TRY(aclrtSynchronizeStream(w.side));
	if (graph)
		TRY(aclmdlRIDestroy(graph));
	TRY(aclrtDestroyEvent(w.away));
	TRY(aclrtDestroyEvent(w.back));
	TRY(aclrtDestroyStream(w.side));
	TRY(aclrtDestroyStream(w.main_stream));
	TRY(aclrtFree(w.device));
	TRY(aclrtFreeHost(w.host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
