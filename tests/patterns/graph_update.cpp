/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decoder's graph: each layer's operator is captured inside a task group,
 * behind a wait for an event of its own that is reset at once.  Before every
 * step another stream replaces the operators and records the events; the graph
 * is submitted first and waits for them.
 */
#include "../programs/program.h"
#include "aclnnop/aclnn_add.h"

using namespace program;

namespace
{

const int64_t elements = 64;
const size_t bytes = elements * sizeof(float);
const int layers = 4;
const int steps = 5;

struct layer {
	aclTensor *in, *out;
	aclrtEvent ready;
	aclrtTaskGrp group;
};

void *memory[layers + 1]; /* layer i reads i and writes i + 1 */
void *ones;
aclTensor *one;
layer all[layers];

aclTensor *describe(void *at)
{
	const int64_t shape[1] = {elements};
	const int64_t stride[1] = {1};

	return aclCreateTensor(shape, 1, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 1, at);
}

/* out = in + factor */
void submit(const layer &l, float factor, aclrtStream stream)
{
	aclScalar *alpha = aclCreateScalar(&factor, ACL_FLOAT);
	aclOpExecutor *executor = nullptr;
	uint64_t size = 0;

	TRY(aclnnAddGetWorkspaceSize(l.in, one, alpha, l.out, &size, &executor));
	expect(size == 0, "no workspace");
	TRY(aclnnAdd(nullptr, 0, executor, stream));
	aclDestroyScalar(alpha);
}

aclmdlRI capture(aclrtStream stream, float *host)
{
	aclmdlRI graph = nullptr;

	TRY(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	for (layer &l : all) {
		TRY(aclrtStreamWaitEvent(stream, l.ready));
		TRY(aclrtResetEvent(l.ready, stream));
		TRY(aclmdlRICaptureTaskGrpBegin(stream));
		submit(l, 0, stream);
		TRY(aclmdlRICaptureTaskGrpEnd(stream, &l.group));
	}
	TRY(aclrtMemcpyAsync(host, bytes, memory[layers], bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	TRY(aclmdlRICaptureEnd(stream, &graph));
	return graph;
}

void update(float factor, aclrtStream stream)
{
	for (const layer &l : all) {
		TRY(aclmdlRICaptureTaskUpdateBegin(stream, l.group));
		submit(l, factor, stream);
		TRY(aclmdlRICaptureTaskUpdateEnd(stream));
		TRY(aclrtRecordEvent(l.ready, stream));
	}
}

void create(const float *start)
{
	for (void *&m : memory)
		TRY(aclrtMalloc(&m, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMalloc(&ones, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemcpy(ones, bytes, start, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	TRY(aclrtMemcpy(memory[0], bytes, start, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	one = describe(ones);
	for (int i = 0; i < layers; i++) {
		all[i].in = describe(memory[i]);
		all[i].out = describe(memory[i + 1]);
		TRY(aclrtCreateEventWithFlag(&all[i].ready, ACL_EVENT_EXTERNAL));
	}
}

void destroy()
{
	for (layer &l : all) {
		aclDestroyTensor(l.in);
		aclDestroyTensor(l.out);
		TRY(aclrtDestroyEvent(l.ready));
	}
	aclDestroyTensor(one);
	TRY(aclrtFree(ones));
	for (void *m : memory)
		TRY(aclrtFree(m));
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtStream graph_stream = nullptr;
	aclrtStream update_stream = nullptr;
	void *host = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMallocHost(&host, bytes));
	float *numbers = static_cast<float *>(host);
	for (int64_t i = 0; i < elements; i++)
		numbers[i] = 1;
	create(numbers);
	TRY(aclrtCreateStream(&graph_stream));
	TRY(aclrtCreateStream(&update_stream));
	aclmdlRI graph = capture(graph_stream, numbers);
	for (int step = 1; step <= steps; step++) {
		TRY(aclmdlRIExecuteAsync(graph, graph_stream));
		update(static_cast<float>(step), update_stream);
		TRY(aclrtSynchronizeStream(graph_stream));
		expect(numbers[elements - 1] == static_cast<float>(1 + layers * step),
			"the result of a step");
	}
	TRY(aclmdlRIDestroy(graph));
	destroy();
	TRY(aclrtFreeHost(host));
	TRY(aclrtDestroyStream(update_stream));
	TRY(aclrtDestroyStream(graph_stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
