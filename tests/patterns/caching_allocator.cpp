/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caching allocator of a tensor library on two devices: one big segment a
 * device, tensors are interior pointers rounded to 512 bytes.  Freeing a tensor
 * frees nothing: an event is recorded on the stream that used it, with context
 * and device switched there and back, and the block is used again when a query
 * says that the event has happened.
 */
#include <deque>
#include <vector>

#include "../programs/program.h"

using namespace program;

namespace
{

const int devices = 2;
const size_t segment_size = 2 * 1024 * 1024;
const size_t tensor_size = 4000;
const size_t block_size = (tensor_size + 511) / 512 * 512;

/* A device as the library sees it. */
struct pool {
	char *segment;
	size_t used;
	aclrtContext context;
	aclrtStream stream;
	char *pinned;
	std::vector<char *> free;
};

struct pending_free {
	int device;
	char *block;
	aclrtEvent event;
};

pool pools[devices];
std::deque<pending_free> pending;
std::vector<aclrtEvent> spare_events;
int reused;

void start(int device)
{
	pool &p = pools[device];

	TRY(aclrtSetDevice(device));
	TRY(aclrtGetCurrentContext(&p.context));
	TRY(aclrtMalloc(reinterpret_cast<void **>(&p.segment), segment_size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(reinterpret_cast<void **>(&p.pinned), 2 * block_size));
	TRY(aclrtCreateStreamWithConfig(&p.stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
}

void process_events()
{
	while (!pending.empty()) {
		pending_free first = pending.front();
		aclrtEventRecordedStatus status;

		TRY(aclrtQueryEventStatus(first.event, &status));
		if (status != ACL_EVENT_RECORDED_STATUS_COMPLETE)
			return;
		pools[first.device].free.push_back(first.block);
		spare_events.push_back(first.event);
		pending.pop_front();
	}
}

char *get(int device)
{
	pool &p = pools[device];

	process_events();
	if (!p.free.empty()) {
		char *again = p.free.back();

		p.free.pop_back();
		reused++;
		return again;
	}
	char *fresh = p.segment + p.used;
	p.used += block_size;
	return fresh;
}

/* Whatever the calling thread has selected is selected again afterwards. */
void put(int device, char *block)
{
	aclrtContext before = nullptr;
	int32_t device_before = -1;
	aclrtEvent event = nullptr;

	TRY(aclrtGetDevice(&device_before));
	TRY(aclrtGetCurrentContext(&before));
	TRY(aclrtSetCurrentContext(pools[device].context));
	TRY(aclrtSetDevice(device));
	if (spare_events.empty()) {
		TRY(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	} else {
		event = spare_events.back();
		spare_events.pop_back();
	}
	TRY(aclrtRecordEvent(event, pools[device].stream));
	TRY(aclrtSetCurrentContext(before));
	TRY(aclrtSetDevice(device_before));
	/* The runtime counts: the library gives back what it took. */
	TRY(aclrtResetDevice(device));
	TRY(aclrtResetDevice(device_before));
	pending.push_back({device, block, event});
}

/* Upload, tensor to tensor, download: all submitted, then both tensors are given back at once. */
void step(int device, unsigned seed)
{
	pool &p = pools[device];
	char *in = get(device);
	char *out = get(device);

	TRY(aclrtSetCurrentContext(p.context));
	fill(p.pinned, tensor_size, seed);
	TRY(aclrtMemcpyAsync(in, block_size, p.pinned, tensor_size, ACL_MEMCPY_HOST_TO_DEVICE, p.stream));
	TRY(aclrtMemcpyAsync(out, block_size, in, tensor_size, ACL_MEMCPY_DEVICE_TO_DEVICE, p.stream));
	TRY(aclrtMemcpyAsync(
		p.pinned + block_size, block_size, out, tensor_size, ACL_MEMCPY_DEVICE_TO_HOST, p.stream));
	/* From the other device's context, as a garbage collector would. */
	TRY(aclrtSetCurrentContext(pools[1 - device].context));
	put(device, in);
	put(device, out);
	TRY(aclrtSynchronizeStream(p.stream));
	expect(holds(p.pinned + block_size, tensor_size, seed), "the tensor that came back");
}

void stop(int device)
{
	pool &p = pools[device];

	TRY(aclrtSetCurrentContext(p.context));
	TRY(aclrtDestroyStreamForce(p.stream));
	TRY(aclrtFree(p.segment));
	TRY(aclrtFreeHost(p.pinned));
}

} /* namespace */

int main(int argc, char **argv)
{
	begin(argc, argv);
	TRY(aclInit(nullptr));
	for (int device = 0; device < devices; device++)
		start(device);
	for (unsigned i = 0; i < 50; i++)
		step(static_cast<int>(i % devices), i);
	expect(reused > 0, "blocks are used again");

	for (const pending_free &p : pending) {
		TRY(aclrtSynchronizeEvent(p.event));
		TRY(aclrtDestroyEvent(p.event));
	}
	for (aclrtEvent event : spare_events)
		TRY(aclrtDestroyEvent(event));
	for (int device = 0; device < devices; device++)
		stop(device);
	for (int device = 0; device < devices; device++)
		TRY(aclrtResetDevice(device));
	TRY(aclFinalize());
	return end();
}
