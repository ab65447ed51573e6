/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How servers and inference backends leave:
 *	(no argument)	everything is released, only aclFinalize is missing
 *	workspaces	static device buffers are kept to the end
 *	nothing		streams, events and the device as well: the process just ends
 */
#include "../programs/program.h"

using namespace program;

static void *static_workspace;

int main(int argc, char **argv)
{
	const size_t size = 64 * 1024;
	aclrtStream stream = nullptr;
	aclrtEvent event = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
	TRY(aclrtMalloc(&static_workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemsetAsync(static_workspace, size, 0, size, stream));
	TRY(aclrtRecordEvent(event, stream));
	TRY(aclrtSynchronizeStream(stream));
	if (broken("nothing"))
		return end();
	TRY(aclrtDestroyEvent(event));
	TRY(aclrtDestroyStream(stream));
	if (!broken("workspaces"))
		TRY(aclrtFree(static_workspace));
	TRY(aclrtResetDevice(0));
	return end();
}
