/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While capturing, a tensor library allocates and clears memory: the thread's
 * mode is exchanged to RELAXED around it and exchanged back.  In all three
 * modes of capture, with a thread that works eagerly where the mode allows it.
 */
#include <thread>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t size = 8192;

/* Memory that the captured work will use, cleared now. */
void *allocate_cleared()
{
	aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
	void *memory = nullptr;

	TRY(aclmdlRICaptureThreadExchangeMode(&mode));
	TRY(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemset(memory, size, 0x11, size));
	TRY(aclmdlRICaptureThreadExchangeMode(&mode));
	return memory;
}

void eager_thread(aclrtContext context)
{
	void *memory = nullptr;

	TRY(aclrtSetCurrentContext(context));
	TRY(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemset(memory, size, 0x22, size));
	TRY(aclrtFree(memory));
}

void round(aclmdlRICaptureMode mode, char *host)
{
	aclrtContext context = nullptr;
	aclrtStream stream = nullptr;
	aclmdlRI model = nullptr;
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	aclmdlRI polled = nullptr;

	TRY(aclrtGetCurrentContext(&context));
	TRY(aclrtCreateStream(&stream));
	TRY(aclmdlRICaptureBegin(stream, mode));
	void *memory = allocate_cleared();
	TRY(aclrtMemcpyAsync(host, size, memory, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	if (mode != ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
		std::thread(eager_thread, context).join();
	TRY(aclmdlRICaptureGetInfo(stream, &status, &polled));
	expect(status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE, "the capture is open");
	TRY(aclmdlRICaptureEnd(stream, &model));
	TRY(aclmdlRICaptureGetInfo(stream, &status, &polled));
	expect(status == ACL_MODEL_RI_CAPTURE_STATUS_NONE, "the capture has ended");

	std::memset(host, 0, size);
	TRY(aclmdlRIExecuteAsync(model, stream));
	TRY(aclrtSynchronizeStream(stream));
	expect(host[0] == 0x11 && host[size - 1] == 0x11, "the memory cleared while capturing");
	TRY(aclmdlRIDestroy(model));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtFree(memory));
}

} /* namespace */

int main(int argc, char **argv)
{
	void *host = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMallocHost(&host, size));
	round(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, static_cast<char *>(host));
	round(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL, static_cast<char *>(host));
	round(ACL_MODEL_RI_CAPTURE_MODE_RELAXED, static_cast<char *>(host));
	TRY(aclrtFreeHost(host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
