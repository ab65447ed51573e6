/* SPDX-License-Identifier: Apache-2.0 */
/* A model built task by task that chooses between two branches by a value in device memory. */
#include "../programs/program.h"

using namespace program;

namespace
{

constexpr size_t bytes = 64;

struct chooser {
	aclrtStream stream = nullptr;
	aclmdlRI model = nullptr;
	aclrtLabel labels[3] = {};
	aclrtLabelList branches = nullptr;
	aclrtLabelList ends = nullptr;
	void *memory = nullptr; /* the index, the constant that leads to the end, the result */

	void *at(size_t i) const
	{
		return static_cast<char *>(memory) + i * bytes;
	}
};

/* Branch 0 sets 10, branch 1 sets 11; both go to the last label. */
void build(chooser *c)
{
	TRY(aclmdlRIBuildBegin(&c->model, 0));
	TRY(aclmdlRIBindStream(c->model, c->stream, ACL_MODEL_STREAM_FLAG_HEAD));
	for (aclrtLabel &l : c->labels)
		TRY(aclrtCreateLabel(&l));
	TRY(aclrtCreateLabelList(c->labels, 2, &c->branches));
	TRY(aclrtCreateLabelList(&c->labels[2], 1, &c->ends));
	TRY(aclrtSwitchLabelByIndex(c->at(0), 2, c->branches, c->stream));
	TRY(aclrtSetLabel(c->labels[0], c->stream));
	TRY(aclrtMemsetAsync(c->at(2), bytes, 10, bytes, c->stream));
	TRY(aclrtSwitchLabelByIndex(c->at(1), 1, c->ends, c->stream));
	TRY(aclrtSetLabel(c->labels[1], c->stream));
	TRY(aclrtMemsetAsync(c->at(2), bytes, 11, bytes, c->stream));
	TRY(aclrtSetLabel(c->labels[2], c->stream));
	TRY(aclmdlRIEndTask(c->model, c->stream));
	TRY(aclmdlRIBuildEnd(c->model, nullptr));
}

void choose(chooser *c, uint32_t branch)
{
	uint8_t result[bytes] = {};

	TRY(aclrtMemcpy(c->at(0), bytes, &branch, sizeof(branch), ACL_MEMCPY_HOST_TO_DEVICE));
	TRY(aclmdlRIExecute(c->model, 10000));
	TRY(aclrtMemcpy(result, bytes, c->at(2), bytes, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(result[0] == 10 + branch, "the branch");
}

} /* namespace */

int main(int argc, char **argv)
{
	chooser c;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStreamWithConfig(&c.stream, 0, ACL_STREAM_PERSISTENT));
	TRY(aclrtMalloc(&c.memory, 3 * bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemset(c.memory, 3 * bytes, 0, 3 * bytes));
	build(&c);
	choose(&c, 1);
	choose(&c, 0);
	choose(&c, 1);

	/* Lists before their labels; the model may go before both. */
	TRY(aclmdlRIUnbindStream(c.model, c.stream));
	TRY(aclmdlRIDestroy(c.model));
	TRY(aclrtDestroyLabelList(c.branches));
	TRY(aclrtDestroyLabelList(c.ends));
	for (aclrtLabel l : c.labels)
		TRY(aclrtDestroyLabel(l));
	TRY(aclrtDestroyStream(c.stream));
	TRY(aclrtFree(c.memory));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
