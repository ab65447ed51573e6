/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operator library below AscendCL launches the kernels, so the checker does
 * not see them: the caller says what they are, what they read and write.
 * Tensors are blocks of a pool; one that is freed is handed out again when a query
 * has said that the stream is behind its last use.
 */
#include <deque>

#include "../../include/aclcheck.h"
#include "../programs/program.h"

using namespace program;

namespace
{

const size_t pool_size = 1024 * 1024;
const size_t tensor_size = 32 * 1024;

struct freed {
	char *block;
	aclrtEvent used;
};

char *memory, *pinned;
size_t taken;
aclrtStream copies, operators;
std::deque<freed> waiting;
int reused;

char *tensor(aclrtStream stream)
{
	char *block = memory + taken;
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;

	if (!waiting.empty()) {
		/* Where it is not done yet, nothing orders what comes next behind the kernel. */
		if (!broken("unasked"))
			TRY(aclrtQueryEventStatus(waiting.front().used, &status));
		else
			status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
		if (status == ACL_EVENT_RECORDED_STATUS_COMPLETE) {
			block = waiting.front().block;
			TRY(aclrtDestroyEvent(waiting.front().used));
			waiting.pop_front();
			ACLCHECK_BLOCK_END(block);
			reused++;
		}
	}
	if (block == memory + taken)
		taken += tensor_size;
	ACLCHECK_BLOCK(block, tensor_size, stream);
	return block;
}

void release(char *block, aclrtStream used_on)
{
	freed f = {block, nullptr};

	TRY(aclrtCreateEventExWithFlag(&f.used, ACL_EVENT_SYNC));
	TRY(aclrtRecordEvent(f.used, used_on));
	waiting.push_back(f);
}

/* Stands for add<<<…>>>(in, out): the runtime's functions are not called. */
void add(const char *in, char *out, aclrtStream stream)
{
	ACLCHECK_KERNEL_READS(stream, in, tensor_size);
	ACLCHECK_KERNEL_WRITES(stream, out, tensor_size);
	ACLCHECK_KERNEL(stream, "add");
}

void step(char *sum, aclrtEvent arrived)
{
	char *in = tensor(copies);

	TRY(aclrtMemcpyAsync(in, tensor_size, pinned, tensor_size, ACL_MEMCPY_HOST_TO_DEVICE, copies));
	TRY(aclrtRecordEvent(arrived, copies));
	if (!broken("early_kernel"))
		TRY(aclrtStreamWaitEvent(operators, arrived));
	add(in, sum, operators);
	release(in, operators);
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtEvent arrived = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&copies));
	TRY(aclrtCreateStream(&operators));
	TRY(aclrtCreateEventExWithFlag(&arrived, ACL_EVENT_SYNC));
	TRY(aclrtMalloc(reinterpret_cast<void **>(&memory), pool_size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(reinterpret_cast<void **>(&pinned), tensor_size));
	ACLCHECK_NAME(copies, "copies");
	ACLCHECK_NAME(operators, "operators");
	ACLCHECK_POOL(memory, pool_size);
	char *sum = tensor(operators);
	ACLCHECK_NAME(sum, "sum");
	for (int i = 0; i < 6; i++) {
		step(sum, arrived);
		if (i == 3)
			TRY(aclrtSynchronizeStream(operators));
	}
	expect(reused > 0, "blocks are used again");
	TRY(aclrtSynchronizeDevice());
	ACLCHECK_POOL_END(memory);
	for (const freed &f : waiting)
		TRY(aclrtDestroyEvent(f.used));
	TRY(aclrtDestroyEvent(arrived));
	TRY(aclrtFreeHost(pinned));
	TRY(aclrtFree(memory));
	TRY(aclrtDestroyStream(copies));
	TRY(aclrtDestroyStream(operators));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
