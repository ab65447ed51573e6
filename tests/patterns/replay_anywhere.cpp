/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of several batch sizes that share one input and one output: each step replays one of them on
 * whatever stream is next, behind the copy of its input and before the copy of its output, all ordered by
 * events alone.
 */
#include "../programs/program.h"

using namespace program;

namespace
{

const int streams = 3;
const int graphs = 4;
const size_t size = 4096;

char *input;
char *output;

aclmdlRI capture(aclrtStream stream, size_t bytes)
{
	aclmdlRI graph = nullptr;

	TRY(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	TRY(aclrtMemcpyAsync(output, bytes, input, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	TRY(aclmdlRICaptureEnd(stream, &graph));
	return graph;
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtStream stream[streams] = {};
	aclrtStream copies = nullptr;
	aclmdlRI graph[graphs] = {};
	aclrtEvent fed = nullptr;
	aclrtEvent done = nullptr;
	char *host = nullptr;
	char *result = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(reinterpret_cast<void **>(&input), size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMalloc(reinterpret_cast<void **>(&output), size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(reinterpret_cast<void **>(&host), size));
	TRY(aclrtMallocHost(reinterpret_cast<void **>(&result), size));
	TRY(aclrtCreateStream(&copies));
	for (aclrtStream &s : stream)
		TRY(aclrtCreateStream(&s));
	TRY(aclrtCreateEventExWithFlag(&fed, ACL_EVENT_SYNC));
	TRY(aclrtCreateEventExWithFlag(&done, ACL_EVENT_SYNC));
	for (int i = 0; i < graphs; i++)
		graph[i] = capture(stream[0], size >> i);

	for (int step = 0; step < 12; step++) {
		aclrtStream on = stream[step % streams];

		std::memset(host, step + 1, size);
		TRY(aclrtMemcpyAsync(input, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE, copies));
		TRY(aclrtRecordEvent(fed, copies));
		if (!broken("unordered"))
			TRY(aclrtStreamWaitEvent(on, fed));
		TRY(aclmdlRIExecuteAsync(graph[step % graphs], on));
		TRY(aclrtRecordEvent(done, on));
		TRY(aclrtStreamWaitEvent(copies, done));
		TRY(aclrtMemcpyAsync(result, size, output, size, ACL_MEMCPY_DEVICE_TO_HOST, copies));
		TRY(aclrtSynchronizeStream(copies));
		expect(broken("unordered") || result[0] == step + 1, "the result is the step's");
	}
	/* The streams of the graphs are never waited for themselves. */
	for (aclmdlRI g : graph)
		TRY(aclmdlRIDestroy(g));
	TRY(aclrtDestroyEvent(fed));
	TRY(aclrtDestroyEvent(done));
	for (aclrtStream s : stream)
		TRY(aclrtDestroyStream(s));
	TRY(aclrtDestroyStream(copies));
	TRY(aclrtFree(input));
	TRY(aclrtFree(output));
	TRY(aclrtFreeHost(host));
	TRY(aclrtFreeHost(result));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
