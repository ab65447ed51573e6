/* SPDX-License-Identifier: Apache-2.0 */
/* A program that waits a little, learns that the time is over, does something else, and waits again. */
#include <atomic>
#include <thread>

#include "../programs/program.h"

using namespace program;

static std::atomic<bool> may_go;

static void hold(void *)
{
	while (!may_go)
		std::this_thread::yield();
}

int main(int argc, char **argv)
{
	aclrtStream stream = nullptr;
	aclrtEvent event = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	TRY(aclrtLaunchHostFunc(stream, hold, nullptr));
	TRY(aclrtRecordEvent(event, stream));
	expect(aclrtSynchronizeStreamWithTimeout(stream, 5) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		"the stream's time-out");
	expect(aclrtSynchronizeEventWithTimeout(event, 5) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
		"the event's time-out");
	may_go = true;
	TRY(aclrtSynchronizeEvent(event));
	TRY(aclrtSynchronizeStreamWithTimeout(stream, 10000));
	TRY(aclrtDestroyEvent(event));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
