/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library keeps its stream in a static object, whose destructor runs when
 * main is over.
 *	(no argument)	the library also gives up the device and finalizes there
 *	finalized	main has finalized before
 *	reset		main has reset the device and finalized before
 */
#include "../programs/program.h"

using namespace program;

namespace
{

struct library {
	aclrtStream stream = nullptr;
	void *workspace = nullptr;
	bool owns_runtime = true, owns_device = true;

	~library()
	{
		if (!stream)
			return;
		aclrtDestroyStream(stream);
		if (owns_device) {
			aclrtFree(workspace);
			aclrtResetDevice(0);
		}
		if (owns_runtime)
			aclFinalize();
	}
};

library instance;

} /* namespace */

int main(int argc, char **argv)
{
	const size_t size = 4096;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&instance.stream));
	TRY(aclrtMalloc(&instance.workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemsetAsync(instance.workspace, size, 0, size, instance.stream));
	TRY(aclrtSynchronizeStream(instance.stream));
	if (broken("reset")) {
		instance.owns_device = false;
		TRY(aclrtFree(instance.workspace));
		TRY(aclrtResetDevice(0));
	}
	if (broken("finalized") || broken("reset")) {
		instance.owns_runtime = false;
		TRY(aclFinalize());
	}
	return end();
}
