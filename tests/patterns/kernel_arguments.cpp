/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels launched by name: a binary from memory, a list of arguments built once
 * and changed for every launch, data that travels in the list's own buffer.
 */
#include <cstdint>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t size = 4096;
const unsigned char kernels[64] = {0x7f, 'E', 'L', 'F'};

struct arguments {
	aclrtArgsHandle list;
	aclrtParamHandle address, step, table;
};

arguments build(aclrtFuncHandle function, void *device)
{
	arguments a = {};
	uint64_t step = 0;
	void *room = nullptr;

	TRY(aclrtKernelArgsInit(function, &a.list));
	TRY(aclrtKernelArgsAppend(a.list, &device, sizeof(device), &a.address));
	TRY(aclrtKernelArgsAppend(a.list, &step, sizeof(step), &a.step));
	TRY(aclrtKernelArgsAppendPlaceHolder(a.list, &a.table));
	TRY(aclrtKernelArgsGetPlaceHolderBuffer(a.list, a.table, 64, &room));
	fill(room, 64, 5);
	TRY(aclrtKernelArgsFinalize(a.list));
	return a;
}

void launch(aclrtFuncHandle function, const arguments &a, uint64_t step, aclrtStream stream)
{
	TRY(aclrtKernelArgsParaUpdate(a.list, a.step, &step, sizeof(step)));
	if (!broken("unfinished"))
		TRY(aclrtKernelArgsFinalize(a.list));
	TRY(aclrtLaunchKernelWithConfig(function, 8, stream, nullptr, a.list, nullptr));
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtBinHandle binary = nullptr;
	aclrtFuncHandle function = nullptr;
	aclrtStream stream = nullptr;
	void *device = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtBinaryLoadFromData(kernels, sizeof(kernels), nullptr, &binary));
	TRY(aclrtBinaryGetFunction(binary, "accumulate", &function));
	arguments a = build(function, device);
	for (uint64_t step = 1; step <= 4; step++)
		launch(function, a, step, stream);
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtBinaryUnLoad(binary));
	TRY(aclrtFree(device));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
