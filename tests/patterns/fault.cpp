/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A framework's watch over faults: its callback notes what it receives, a thread
 * of its own acts upon it.  The software runtime lets the first task fail.
 */
#include <atomic>
#include <thread>

#include "../programs/program.h"

using namespace program;

namespace
{

struct fault {
	uint32_t device, stream, task, code;
};

fault received;
aclrtContext context;
std::atomic<bool> happened;

void note(aclrtExceptionInfo *info)
{
	received.device = aclrtGetDeviceIdFromExceptionInfo(info);
	received.stream = aclrtGetStreamIdFromExceptionInfo(info);
	received.task = aclrtGetTaskIdFromExceptionInfo(info);
	received.code = aclrtGetErrorCodeFromExceptionInfo(info);
	happened = true;
}

/* Asks what it was, stops what still runs, then repairs; which of them a runtime offers is another matter. */
void watch()
{
	aclrtErrorInfo info = {};

	while (!happened)
		std::this_thread::yield();
	TRY(aclrtSetCurrentContext(context));
	aclrtGetErrorVerbose(0, &info);
	aclrtDeviceTaskAbort(0, 0);
	aclrtRepairError(0, &info);
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtStream stream = nullptr;
	void *memory = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtGetCurrentContext(&context));
	TRY(aclrtExceptionInfoCallbackRegister(note));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	std::thread watcher(watch);

	aclrtMemsetAsync(memory, 4096, 1, 4096, stream);
	expect(aclrtSynchronizeStream(stream) != ACL_SUCCESS, "the fault");
	watcher.join();
	expect(received.device == 0 && received.code != 0, "what the callback received");

	TRY(aclrtExceptionInfoCallbackUnregister(note));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtFree(memory));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
