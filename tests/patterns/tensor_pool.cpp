/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caching allocator of a tensor library, annotated for the checker: blocks of one segment, each with the
 * stream it is for.  A tensor that another stream has used comes back with an event of that stream, and who
 * gets the block next waits for it on its own stream.  Kernels are annotated
 * with what they read and write.
 */
#include <deque>

#include "../../include/aclcheck.h"
#include "../programs/program.h"

using namespace program;

namespace
{

const size_t segment_size = 2 * 1024 * 1024;
const size_t tensor_size = 64 * 1024;
const unsigned char kernels[64] = {0x7f, 'E', 'L', 'F'};

struct free_block {
	char *address;
	aclrtEvent used; /* by the stream that used it last */
};

char *segment, *pinned;
size_t taken;
aclrtStream uploads, compute, downloads;
aclrtFuncHandle function;
std::deque<free_block> idle;

char *get(aclrtStream stream)
{
	char *block = segment + taken;

	if (!idle.empty()) {
		free_block first = idle.front();

		idle.pop_front();
		block = first.address;
		if (!broken("no_event"))
			TRY(aclrtStreamWaitEvent(stream, first.used));
		TRY(aclrtDestroyEvent(first.used));
	} else {
		taken += tensor_size;
	}
	ACLCHECK_BLOCK(block, tensor_size, stream);
	return block;
}

aclrtEvent make_event()
{
	aclrtEvent event = nullptr;

	TRY(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	return event;
}

/* used_on: the stream that used it last. */
void put(char *block, aclrtStream used_on)
{
	free_block b = {block, make_event()};

	ACLCHECK_BLOCK_END(block);
	TRY(aclrtRecordEvent(b.used, used_on));
	idle.push_back(b);
}

void launch(const void *in, void *out, aclrtStream stream)
{
	aclrtArgsHandle list = nullptr;
	aclrtParamHandle first = nullptr, second = nullptr;

	TRY(aclrtKernelArgsInit(function, &list));
	TRY(aclrtKernelArgsAppend(list, &in, sizeof(in), &first));
	TRY(aclrtKernelArgsAppend(list, &out, sizeof(out), &second));
	TRY(aclrtKernelArgsFinalize(list));
	ACLCHECK_KERNEL_READS(stream, in, tensor_size);
	ACLCHECK_KERNEL_WRITES(stream, out, tensor_size);
	TRY(aclrtLaunchKernelWithConfig(function, 8, stream, nullptr, list, nullptr));
}

/* The input comes on one stream, the kernel runs on another one, and the result goes back on a third. */
void step(size_t copied_back)
{
	char *in = get(uploads), *out = get(compute);
	aclrtEvent arrived = make_event(), computed = make_event();

	TRY(aclrtMemcpyAsync(in, tensor_size, pinned, tensor_size, ACL_MEMCPY_HOST_TO_DEVICE, uploads));
	TRY(aclrtRecordEvent(arrived, uploads));
	if (!broken("early_kernel"))
		TRY(aclrtStreamWaitEvent(compute, arrived));
	launch(in, out, compute);
	TRY(aclrtRecordEvent(computed, compute));
	put(in, compute);
	if (broken("kept_tensor"))
		launch(in, out, compute);
	TRY(aclrtStreamWaitEvent(downloads, computed));
	TRY(aclrtMemcpyAsync(
		pinned + tensor_size, copied_back, out, copied_back, ACL_MEMCPY_DEVICE_TO_HOST, downloads));
	put(out, downloads);
	TRY(aclrtDestroyEvent(arrived));
	TRY(aclrtDestroyEvent(computed));
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtBinHandle binary = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&uploads));
	TRY(aclrtCreateStream(&compute));
	TRY(aclrtCreateStream(&downloads));
	ACLCHECK_NAME(uploads, "uploads");
	ACLCHECK_NAME(compute, "compute");
	ACLCHECK_NAME(downloads, "downloads");
	TRY(aclrtMalloc(reinterpret_cast<void **>(&segment), segment_size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(reinterpret_cast<void **>(&pinned), 4 * tensor_size));
	TRY(aclrtBinaryLoadFromData(kernels, sizeof(kernels), nullptr, &binary));
	TRY(aclrtBinaryGetFunction(binary, "scale", &function));
	{
		aclcheck::pool pool(segment, segment_size);

		for (int i = 0; i < 8; i++)
			step(broken("long_copy") ? tensor_size + 64 : tensor_size);
	}
	TRY(aclrtSynchronizeDevice());
	for (const free_block &b : idle)
		TRY(aclrtDestroyEvent(b.used));
	TRY(aclrtBinaryUnLoad(binary));
	TRY(aclrtFreeHost(pinned));
	TRY(aclrtFree(segment));
	TRY(aclrtDestroyStream(uploads));
	TRY(aclrtDestroyStream(compute));
	TRY(aclrtDestroyStream(downloads));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
