/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel written by hand and its host program: inputs copied at once, launches with arguments of the host,
 * waits with a time limit, and the result copied back behind the last launch.
 */
#include <unistd.h>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t bytes = 32 * 1024;
const unsigned char image[64] = {0x7f, 'E', 'L', 'F'};

} /* namespace */

int main(int argc, char **argv)
{
	aclrtStream stream = nullptr;
	aclrtBinHandle binary = nullptr;
	aclrtFuncHandle function = nullptr;
	void *in = nullptr, *out = nullptr, *host = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtBinaryLoadFromData(image, sizeof(image), nullptr, &binary));
	TRY(aclrtBinaryGetFunction(binary, "add_custom", &function));
	TRY(aclrtMallocHost(&host, bytes));
	TRY(aclrtMalloc(&in, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMalloc(&out, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	fill(host, bytes, 3);
	TRY(aclrtMemcpy(in, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	TRY(aclrtMemcpy(out, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	std::memset(host, 0, bytes);

	void *arguments[2] = {in, out};

	for (int i = 0; i < 3; i++) {
		TRY(aclrtLaunchKernelWithHostArgs(broken("binary") ? binary : function, 8, stream, nullptr,
			arguments, sizeof(arguments), nullptr, 0));
		TRY(aclrtSynchronizeStreamWithTimeout(stream, 5000));
	}
	TRY(aclrtLaunchKernelWithHostArgs(
		function, 8, stream, nullptr, arguments, sizeof(arguments), nullptr, 0));
	TRY(aclrtMemcpyAsync(host, bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	/* That time has passed shows nothing. */
	if (broken("unwaited")) {
		usleep(200000);
		TRY(aclrtFree(out));
	}
	TRY(aclrtSynchronizeStream(stream));
	expect(holds(host, bytes, 3), "the copy behind the launch");
	TRY(aclrtBinaryUnLoad(binary));
	if (!broken("unwaited"))
		TRY(aclrtFree(out));
	TRY(aclrtFree(in));
	TRY(aclrtFreeHost(host));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
