/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A framework that shuts down in an exit handler: waits, frees its cached
 * memory, destroys only the stream in use, resets and finalizes.  Its pool of
 * streams and events is never destroyed.
 */
#include <cstdlib>
#include <vector>

#include "../programs/program.h"

using namespace program;

namespace
{

std::vector<aclrtStream> stream_pool;
std::vector<aclrtEvent> event_pool;
void *cached;

void shut_down()
{
	aclrtSynchronizeDevice();
	aclrtFree(cached);
	aclrtDestroyStreamForce(stream_pool[0]);
	aclrtResetDevice(0);
	aclFinalize();
}

} /* namespace */

int main(int argc, char **argv)
{
	const size_t size = 4096;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	std::atexit(shut_down);
	stream_pool.resize(4);
	event_pool.resize(4);
	for (int i = 0; i < 4; i++) {
		TRY(aclrtCreateStream(&stream_pool[i]));
		TRY(aclrtCreateEventExWithFlag(&event_pool[i], ACL_EVENT_SYNC));
	}
	TRY(aclrtMalloc(&cached, size, ACL_MEM_MALLOC_HUGE_FIRST));
	for (int i = 0; i < 4; i++) {
		TRY(aclrtMemsetAsync(cached, size, i, size, stream_pool[i]));
		TRY(aclrtRecordEvent(event_pool[i], stream_pool[i]));
		TRY(aclrtSynchronizeEvent(event_pool[i]));
	}
	return end();
}
