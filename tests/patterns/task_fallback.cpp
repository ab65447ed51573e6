/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph whose tasks are looked through and changed once it has run: the first kernel
 * gets another input, the second one is left out.  Which is which says the function of each.
 */
#include <vector>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t size = 64;
const unsigned char kernels[64] = {0x7f, 'E', 'L', 'F'};

struct arguments {
	void *input, *output;
};

struct graph {
	aclmdlRI model = nullptr;
	aclrtStream stream = nullptr;
	aclrtFuncHandle work = nullptr, after = nullptr;
	void *first = nullptr, *second = nullptr, *output = nullptr, *more = nullptr;
};

void launch(aclrtFuncHandle function, arguments of, aclrtStream stream)
{
	TRY(aclrtLaunchKernelWithHostArgs(function, 1, stream, nullptr, &of, sizeof(of), nullptr, 0));
}

void capture(graph *g)
{
	TRY(aclmdlRICaptureBegin(g->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	launch(g->work, {g->first, g->output}, g->stream);
	launch(g->after, {g->output, g->more}, g->stream);
	TRY(aclmdlRICaptureEnd(g->stream, &g->model));
}

std::vector<aclmdlRITask> tasks(aclmdlRI model)
{
	aclrtStream inner = nullptr;
	uint32_t streams = 1, n = 0;

	TRY(aclmdlRIGetStreams(model, &inner, &streams));
	TRY(aclmdlRIGetTasksByStream(inner, nullptr, &n));
	std::vector<aclmdlRITask> all(n);
	TRY(aclmdlRIGetTasksByStream(inner, all.data(), &n));
	return all;
}

void change(graph *g)
{
	arguments other = {g->second, g->output}, before = {};

	for (aclmdlRITask task : tasks(g->model)) {
		aclmdlRITaskType type = ACL_MODEL_RI_TASK_DEFAULT;
		aclmdlRITaskParams params = {};

		TRY(aclmdlRITaskGetType(task, &type));
		if (type != ACL_MODEL_RI_TASK_KERNEL)
			continue;
		TRY(aclmdlRITaskGetParams(task, &params));
		if (params.kernelTaskParams.funcHandle == g->after) {
			TRY(aclmdlRITaskDisable(task));
			continue;
		}
		expect(!params.kernelTaskParams.isHostArgs, "the arguments are on the device");
		TRY(aclrtMemcpy(&before, sizeof(before), params.kernelTaskParams.args, sizeof(before),
			ACL_MEMCPY_DEVICE_TO_HOST));
		expect(before.input == g->first && before.output == g->output, "the arguments");
		params.kernelTaskParams.args = &other;
		params.kernelTaskParams.isHostArgs = 1;
		TRY(aclmdlRITaskSetParams(task, &params));
	}
	TRY(aclmdlRIUpdate(g->model));
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtBinHandle binary = nullptr;
	graph g;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&g.stream));
	for (void **p : {&g.first, &g.second, &g.output, &g.more})
		TRY(aclrtMalloc(p, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtBinaryLoadFromData(kernels, sizeof(kernels), nullptr, &binary));
	TRY(aclrtBinaryGetFunction(binary, "work", &g.work));
	TRY(aclrtBinaryGetFunction(binary, "after", &g.after));
	capture(&g);
	for (int round = 0; round < 2; round++) {
		TRY(aclmdlRIExecuteAsync(g.model, g.stream));
		TRY(aclrtSynchronizeStreamWithTimeout(g.stream, 10000));
		if (!round)
			change(&g);
	}
	TRY(aclmdlRIDestroy(g.model));
	TRY(aclrtBinaryUnLoad(binary));
	for (void *p : {g.more, g.output, g.second, g.first})
		TRY(aclrtFree(p));
	TRY(aclrtDestroyStream(g.stream));
	TRY(aclrtResetDeviceForce(0));
	TRY(aclFinalize());
	return end();
}
