/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A captured graph with a branch that runs while a value in device memory says
 * so.  The body is captured on a stream of its own while the parent's capture is
 * open; the parent's handle, asked for during the capture, is the same after it.
 */
#include "../programs/program.h"

using namespace program;

namespace
{

constexpr size_t bytes = 4096;

struct branch {
	aclrtStream stream = nullptr;
	aclrtStream inner = nullptr;
	aclmdlRI graph = nullptr;
	aclmdlRICondHandle handle = nullptr;
	void *memory = nullptr;
	void *host = nullptr;
};

void capture(branch *b)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	aclmdlRI early = nullptr;
	aclmdlRI body = nullptr;
	aclmdlRICondTaskParams params = {};

	TRY(aclmdlRICaptureBegin(b->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	TRY(aclmdlRICaptureGetInfo(b->stream, &status, &early));
	TRY(aclrtMemsetAsync(b->memory, bytes, 1, bytes, b->stream));
	TRY(aclmdlRICondHandleCreate(early, 0, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &b->handle));
	params.handle = b->handle;
	params.type = ACL_MODEL_RI_COND_TYPE_IF;
	params.size = 1;
	params.modelRIArray = &body;
	TRY(aclmdlRIAddCondTask(params, b->stream, 0));
	TRY(aclmdlRICaptureToModelRIBegin(b->inner, body, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	TRY(aclrtMemsetAsync(b->memory, bytes, 2, bytes, b->inner));
	TRY(aclmdlRICaptureEnd(b->inner, nullptr));
	TRY(aclrtMemcpyAsync(b->host, bytes, b->memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST, b->stream));
	TRY(aclmdlRICaptureEnd(b->stream, &b->graph));
	expect(early == b->graph, "one handle before and after");
}

void run(branch *b)
{
	TRY(aclmdlRIExecuteAsync(b->graph, b->stream));
	TRY(aclrtSynchronizeStream(b->stream));
	expect(*static_cast<char *>(b->host) == 1, "the branch that is not taken");
}

} /* namespace */

int main(int argc, char **argv)
{
	branch b;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&b.stream));
	TRY(aclrtCreateStream(&b.inner));
	TRY(aclrtMalloc(&b.memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&b.host, bytes));
	capture(&b);
	TRY(aclrtDestroyStream(b.inner));
	run(&b);
	run(&b);
	TRY(aclmdlRIDestroy(b.graph));
	TRY(aclrtDestroyStream(b.stream));
	TRY(aclrtFree(b.memory));
	TRY(aclrtFreeHost(b.host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
