/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An inference loop that keeps the twelve most recent captured graphs.  The
 * oldest is destroyed right after another was submitted, without a synchronise;
 * graphs outlive the stream they were captured on.
 */
#include <deque>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t size = 2048;
const size_t kept = 12;

struct buffers {
	void *a, *b; /* device */
	char *host; /* pinned, two halves */
	aclrtStream stream;
};

aclmdlRI capture(const buffers &x, int value)
{
	aclmdlRI graph = nullptr;

	TRY(aclmdlRICaptureBegin(x.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	TRY(aclrtMemcpyAsync(x.a, size, x.host, size, ACL_MEMCPY_HOST_TO_DEVICE, x.stream));
	TRY(aclrtMemsetAsync(x.a, size, value, size / 2, x.stream));
	TRY(aclrtMemcpyAsync(x.b, size, x.a, size, ACL_MEMCPY_DEVICE_TO_DEVICE, x.stream));
	TRY(aclrtMemcpyAsync(x.host + size, size, x.b, size, ACL_MEMCPY_DEVICE_TO_HOST, x.stream));
	TRY(aclmdlRICaptureEnd(x.stream, &graph));
	return graph;
}

} /* namespace */

int main(int argc, char **argv)
{
	buffers x = {};
	std::deque<aclmdlRI> graphs;
	aclrtStream replay = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(&x.a, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMalloc(&x.b, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(reinterpret_cast<void **>(&x.host), 2 * size));
	TRY(aclrtCreateStream(&x.stream));
	for (int token = 0; token < 30; token++) {
		graphs.push_back(capture(x, token));
		/* New contents into captured buffers between replays: what they are for. */
		fill(x.host, size, static_cast<unsigned>(token));
		TRY(aclmdlRIExecuteAsync(graphs.back(), x.stream));
		TRY(aclmdlRIExecuteAsync(graphs.front(), x.stream));
		TRY(aclmdlRIExecuteAsync(graphs.back(), x.stream));
		if (graphs.size() > kept) {
			TRY(aclmdlRIDestroy(graphs.front()));
			graphs.pop_front();
		}
		TRY(aclrtSynchronizeStream(x.stream));
		expect(static_cast<uint8_t>(x.host[size]) == token, "the half that the graph sets");
		expect(static_cast<uint8_t>(x.host[2 * size - 1]) ==
				pattern(size - 1, static_cast<unsigned>(token)),
			"the half that the graph copies");
	}
	TRY(aclrtDestroyStream(x.stream));
	TRY(aclrtCreateStream(&replay));
	TRY(aclmdlRIExecuteAsync(graphs.back(), replay));
	TRY(aclrtSynchronizeStream(replay));
	for (aclmdlRI graph : graphs)
		TRY(aclmdlRIDestroy(graph));
	TRY(aclrtDestroyStream(replay));
	TRY(aclrtFree(x.a));
	TRY(aclrtFree(x.b));
	TRY(aclrtFreeHost(x.host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
