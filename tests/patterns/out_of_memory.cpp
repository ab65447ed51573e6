/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A caching allocator at the end of the device's memory: what is refused is asked
 * for again when its unused blocks are given back, or in smaller pieces.
 */
#include <vector>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t block = 16 << 20;
std::vector<void *> unused;

/* NULL: there is no such memory now. */
void *ask(size_t size)
{
	void *memory = nullptr;

	return aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS ? memory : nullptr;
}

void give_back()
{
	for (void *memory : unused)
		TRY(aclrtFree(memory));
	unused.clear();
}

void *take(size_t size)
{
	void *memory = ask(size);

	if (memory || broken("unlooked"))
		return memory;
	give_back();
	return ask(size);
}

} /* namespace */

int main(int argc, char **argv)
{
	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	while (void *memory = ask(block))
		unused.push_back(memory);
	expect(!unused.empty(), "there is memory for a block");
	void *large = take(2 * block);
	aclError error = aclrtMemset(large, 2 * block, 1, 2 * block);
	expect(error == ACL_SUCCESS || broken("unlooked"), "the large one can be written");
	if (large)
		TRY(aclrtFree(large));
	give_back();
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
