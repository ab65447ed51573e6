/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions in stream order, by both mechanisms, each on a stream of its
 * own: one needs no thread of the program, the other a thread that processes
 * reports and is subscribed by its pthread id.
 */
#include <atomic>
#include <pthread.h>
#include <thread>

#include "../programs/program.h"

using namespace program;

namespace
{

std::atomic<bool> subscribed_now, stop;

/* Adds its turn to a history: 1, 2, 3 … become 123… */
struct history {
	long turns = 0;
};

struct turn {
	history *of;
	int number;
};

void take_turn(void *data)
{
	turn *t = static_cast<turn *>(data);

	t->of->turns = t->of->turns * 10 + t->number;
}

void process_reports(aclrtContext context)
{
	TRY(aclrtSetCurrentContext(context));
	while (!subscribed_now)
		std::this_thread::yield();
	while (!stop)
		aclrtProcessReport(10);
}

} /* namespace */

int main(int argc, char **argv)
{
	history first, second;
	turn a[3] = {{&first, 1}, {&first, 2}, {&first, 3}};
	turn b[3] = {{&second, 4}, {&second, 5}, {&second, 6}};
	aclrtContext context = nullptr;
	aclrtStream plain = nullptr;
	aclrtStream subscribed = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&plain));
	TRY(aclrtCreateStream(&subscribed));
	TRY(aclrtGetCurrentContext(&context));
	std::thread reports(process_reports, context);
	uint64_t id = static_cast<uint64_t>(reports.native_handle());

	for (turn &t : a)
		TRY(aclrtLaunchHostFunc(plain, take_turn, &t));
	TRY(aclrtSynchronizeStream(plain));
	expect(first.turns == 123, "the order of host functions");

	TRY(aclrtSubscribeReport(id, subscribed));
	subscribed_now = true;
	for (turn &t : b)
		TRY(aclrtLaunchCallback(take_turn, &t, ACL_CALLBACK_BLOCK, subscribed));
	TRY(aclrtSynchronizeStream(subscribed));
	expect(second.turns == 456, "the order of callbacks");
	stop = true;
	reports.join();
	TRY(aclrtUnSubscribeReport(id, subscribed));

	TRY(aclrtDestroyStream(plain));
	TRY(aclrtDestroyStream(subscribed));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
