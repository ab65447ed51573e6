/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that records what everybody waits for calls the runtime for the first time when the others
 * already wait. */
#include <chrono>
#include <thread>

#include "../programs/program.h"

using namespace program;

static aclrtStream producer, consumer;
static aclrtEvent ready;

static void record_late(aclrtContext context)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(100));
	TRY(aclrtSetCurrentContext(context));
	TRY(aclrtRecordEvent(ready, producer));
}

int main(int argc, char **argv)
{
	aclrtContext context = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtGetCurrentContext(&context));
	TRY(aclrtCreateStream(&producer));
	TRY(aclrtCreateStream(&consumer));
	TRY(aclrtCreateEventWithFlag(&ready, ACL_EVENT_SYNC));
	std::thread late(record_late, context);
	TRY(aclrtStreamWaitEvent(consumer, ready));
	TRY(aclrtSynchronizeStream(consumer));
	late.join();
	TRY(aclrtDestroyEvent(ready));
	TRY(aclrtDestroyStream(consumer));
	TRY(aclrtDestroyStream(producer));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
