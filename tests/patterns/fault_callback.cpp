/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream that stops at its first fault: a callback of the runtime says which task it was, and
 * the program goes on from what the last error says.  A second thread runs the stream's own callbacks.
 */
#include <thread>

#include "../programs/program.h"

/* Today's releases have no other function for it. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using namespace program;

namespace
{

const unsigned char kernels[64] = {0x7f, 'E', 'L', 'F'};

aclrtContext context;
std::atomic<bool> serving{true};
std::atomic<int> faults{0};

void serve()
{
	TRY(aclrtSetCurrentContext(context));
	while (serving)
		aclrtProcessReport(100);
}

/* The getters are all that such a callback may call. */
void on_fault(aclrtExceptionInfo *info)
{
	void *arguments = nullptr;
	uint32_t size = 0;
	aclrtFuncHandle function = nullptr;

	expect(aclrtGetDeviceIdFromExceptionInfo(info) == 0, "the device");
	expect(aclrtGetErrorCodeFromExceptionInfo(info) == ACL_ERROR_RT_AICORE_EXCEPTION, "the code");
	TRY(aclrtGetArgsFromExceptionInfo(info, &arguments, &size));
	TRY(aclrtGetFuncHandleFromExceptionInfo(info, &function));
	expect(arguments && size == sizeof(uint64_t) && function, "the kernel");
	faults++;
}

void launch(aclrtFuncHandle function, aclrtStream stream)
{
	uint64_t argument = 1;

	TRY(aclrtLaunchKernelWithHostArgs(
		function, 1, stream, nullptr, &argument, sizeof(argument), nullptr, 0));
}

void look_what_happened()
{
	aclrtErrorInfo detail = {};

	TRY(aclrtGetErrorVerbose(0, &detail));
	expect(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) != ACL_SUCCESS, "the error is there");
	expect(aclrtGetLastError(ACL_RT_THREAD_LEVEL) != ACL_SUCCESS, "the error is taken");
	expect(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS, "and gone");
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtStream stream = nullptr;
	aclrtBinHandle binary = nullptr;
	aclrtFuncHandle function = nullptr;
	uint32_t last = 0;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateContext(&context, 0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
	TRY(aclrtBinaryLoadFromData(kernels, sizeof(kernels), nullptr, &binary));
	TRY(aclrtBinaryGetFunction(binary, "work", &function));

	std::thread server(serve);
	uint64_t id = server.native_handle();
	TRY(aclrtSubscribeReport(id, stream));
	TRY(aclrtSetExceptionInfoCallback(on_fault));
	TRY(aclrtLaunchCallback([](void *) {}, nullptr, ACL_CALLBACK_BLOCK, stream));
	launch(function, stream);
	launch(function, stream); /* the one that fails, the last */
	TRY(aclrtGetThreadLastTaskId(&last));
	expect(aclrtSynchronizeStream(stream) != ACL_SUCCESS, "the fault arrives");
	look_what_happened();
	expect(faults == 1, "the callback ran");

	serving = false;
	server.join();
	TRY(aclrtUnSubscribeReport(id, stream));
	TRY(aclrtBinaryUnLoad(binary));
	TRY(aclrtDestroyStreamForce(stream));
	TRY(aclrtDestroyContext(context));
	TRY(aclrtResetDeviceForce(0));
	TRY(aclFinalize());
	return end();
}
