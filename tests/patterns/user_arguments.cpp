/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of kernels in memory of the program: a list in page-locked memory that is built once and changed
 * between the launches, and a structure in device memory that goes once the kernel is done.  The
 * kernel is that of a function of the program.
 */
#include "../../tools/softnpu/softnpu.h"
#include "../programs/program.h"

using namespace program;

namespace
{

struct arguments {
	void *output;
	int32_t value;
};

/* What the device runs, and what it does here. */
void store()
{
}

void store_here(const softnpu_launch *launch)
{
	const arguments *a = static_cast<const arguments *>(launch->args);
	void *output = softnpu_memory(a->output, sizeof(a->value));

	if (output)
		std::memcpy(output, &a->value, sizeof(a->value));
}

void result_is(void *output, int32_t wanted, aclrtStream stream)
{
	int32_t value = 0;

	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(&value, sizeof(value), output, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST));
	expect(value == wanted, "the kernel's result");
}

void by_list(aclrtFuncHandle function, void *output, aclrtStream stream)
{
	const int32_t values[] = {7, 23};
	void *list = nullptr, *data = nullptr;
	aclrtParamHandle first = nullptr, second = nullptr;
	size_t list_size = 0, data_size = 0;

	TRY(aclrtKernelArgsGetHandleMemSize(function, &list_size));
	TRY(aclrtKernelArgsGetMemSize(function, sizeof(arguments), &data_size));
	TRY(aclrtMallocHost(&list, list_size));
	TRY(aclrtMallocHost(&data, data_size));
	TRY(aclrtKernelArgsInitByUserMem(function, list, data, data_size));
	TRY(aclrtKernelArgsAppend(list, &output, sizeof(output), &first));
	TRY(aclrtKernelArgsAppend(list, const_cast<int32_t *>(&values[0]), sizeof(int32_t), &second));
	for (int32_t value : values) {
		TRY(aclrtKernelArgsParaUpdate(list, second, &value, sizeof(value)));
		TRY(aclrtKernelArgsFinalize(list));
		TRY(aclrtLaunchKernelWithConfig(function, 1, stream, nullptr, list, nullptr));
		result_is(output, value, stream);
	}
	TRY(aclrtFreeHost(data));
	TRY(aclrtFreeHost(list));
}

void by_structure(aclrtFuncHandle function, void *output, aclrtStream stream)
{
	arguments a = {output, 42};
	void *device = nullptr;

	TRY(aclrtMalloc(&device, sizeof(a), ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemcpy(device, sizeof(a), &a, sizeof(a), ACL_MEMCPY_HOST_TO_DEVICE));
	TRY(aclrtLaunchKernelV2(function, 8, device, sizeof(a), nullptr, stream));
	if (!broken("early"))
		TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtFree(device));
	if (!broken("early"))
		result_is(output, 42, stream);
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtFuncHandle function = nullptr;
	aclrtStream stream = nullptr;
	void *output = nullptr;

	begin(argc, argv);
	softnpu_register_kernel("store", store_here);
	softnpu_register_function(reinterpret_cast<const void *>(store), "store");
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&output, sizeof(int32_t), ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtGetFuncBySymbol(reinterpret_cast<const void *>(store), &function));
	by_list(function, output, stream);
	by_structure(function, output, stream);
	TRY(aclrtDestroyStreamForce(stream));
	TRY(aclrtFree(output));
	TRY(aclrtResetDeviceForce(0));
	TRY(aclFinalize());
	return end();
}
