/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two processes and one event: this one records it, the forked one waits for it
 * in a stream.  The stream that recorded is destroyed after a wait for the event
 * alone, which stands behind all of its work.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t size = 1 << 20;

void waiter(int in, int out)
{
	aclrtIpcEventHandle handle = {};
	aclrtEvent event = nullptr;
	aclrtStream stream = nullptr;
	char byte = 0;

	expect(read(in, &handle, sizeof(handle)) == static_cast<ssize_t>(sizeof(handle)), "the handle comes");
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtIpcOpenEventHandle(handle, &event));
	TRY(aclrtStreamWaitEvent(stream, event));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtDestroyEvent(event));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	expect(write(out, &byte, 1) == 1, "the end is announced");
}

void recorder(int in, int out)
{
	aclrtIpcEventHandle handle = {};
	aclrtEvent event = nullptr;
	aclrtStream stream = nullptr;
	void *device = nullptr;
	char byte = 0;

	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtCreateEventExWithFlag(&event, broken("plain") ? ACL_EVENT_SYNC : ACL_EVENT_IPC));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemsetAsync(device, size, 1, size, stream));
	TRY(aclrtRecordEvent(event, stream));
	if (aclrtIpcGetEventHandle(event, &handle) == ACL_SUCCESS) {
		expect(write(out, &handle, sizeof(handle)) == static_cast<ssize_t>(sizeof(handle)),
			"the handle goes");
		expect(read(in, &byte, 1) == 1, "the other process is done");
	} else {
		expect(broken("plain"), "the event can be shared");
	}
	TRY(aclrtSynchronizeEvent(event));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtDestroyEvent(event));
	TRY(aclrtFree(device));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
}

} /* namespace */

int main(int argc, char **argv)
{
	int there[2], back[2], status = -1;

	begin(argc, argv);
	if (pipe(there) || pipe(back))
		return 1;
	pid_t pid = broken("plain") ? 0 : fork();
	if (!pid && !broken("plain")) {
		waiter(there[0], back[1]);
		_exit(failures != 0);
	}
	recorder(back[0], there[1]);
	if (pid) {
		waitpid(pid, &status, 0);
		expect(status == 0, "the other process");
	}
	return end();
}
