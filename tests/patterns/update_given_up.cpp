/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel of a graph is replaced by an update, and its launch fails: the program ends the update, which is
 * the only way out of it, and replays the graph as it was.
 */
#include "../programs/program.h"
#include "softnpu.h"

using namespace program;

namespace
{

const unsigned char kernels[64] = {0x7f, 'E', 'L', 'F'};

aclrtFuncHandle function;

bool launch(uint64_t step, aclrtStream stream)
{
	aclrtArgsHandle list = nullptr;
	aclrtParamHandle parameter = nullptr;

	TRY(aclrtKernelArgsInit(function, &list));
	TRY(aclrtKernelArgsAppend(list, &step, sizeof(step), &parameter));
	TRY(aclrtKernelArgsFinalize(list));
	return aclrtLaunchKernelWithConfig(function, 1, stream, nullptr, list, nullptr) == ACL_SUCCESS;
}

aclmdlRI capture(aclrtStream stream, aclrtTaskGrp *group)
{
	aclmdlRI graph = nullptr;

	TRY(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	TRY(aclmdlRICaptureTaskGrpBegin(stream));
	expect(launch(0, stream), "a captured kernel");
	expect(launch(1, stream), "another one");
	TRY(aclmdlRICaptureTaskGrpEnd(stream, group));
	TRY(aclmdlRICaptureEnd(stream, &graph));
	return graph;
}

/* Whether the runtime has taken the update. */
bool update(aclrtStream stream, aclrtTaskGrp group)
{
	TRY(aclmdlRICaptureTaskUpdateBegin(stream, group));
	bool launched = launch(2, stream);
	if (!broken("short"))
		launched = launched && launch(3, stream);
	return aclmdlRICaptureTaskUpdateEnd(stream) == ACL_SUCCESS && launched;
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtBinHandle binary = nullptr;
	aclrtTaskGrp group = nullptr;
	aclrtStream stream = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtBinaryLoadFromData(kernels, sizeof(kernels), nullptr, &binary));
	TRY(aclrtBinaryGetFunction(binary, "accumulate", &function));
	aclmdlRI graph = capture(stream, &group);
	TRY(aclmdlRIExecuteAsync(graph, stream));
	TRY(aclrtSynchronizeStream(stream));
	if (broken("refused"))
		TRY(softnpu_inject("aclrtLaunchKernelWithConfig:when=2:error=207001"));
	expect(update(stream, group) == (!broken("refused") && !broken("short")), "the update");
	TRY(aclmdlRIExecuteAsync(graph, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclmdlRIDestroy(graph));
	TRY(aclrtBinaryUnLoad(binary));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
