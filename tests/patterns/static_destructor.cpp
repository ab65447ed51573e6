/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library keeps its stream in a static object, whose destructor runs when
 * main is over.
 *	(no argument)	the library also gives up the device and finalizes there
 *	finalized	main has finalized before
 *	reset		main has reset the device and finalized before
 *	late		the same, and the library waits for its work and gives back all that it has
 */
#include <cstdlib>

#include "../programs/program.h"

using namespace program;

namespace
{

struct library {
	aclrtStream stream = nullptr;
	aclrtContext context = nullptr;
	void *workspace = nullptr, *staging = nullptr;
	bool owns_runtime = true, owns_device = true;

	void release_all()
	{
		aclrtSetCurrentContext(context);
		aclrtSynchronizeDevice();
		aclrtSynchronizeStream(stream);
		aclrtHostUnregister(staging);
		std::free(staging);
	}

	~library()
	{
		if (!stream)
			return;
		if (staging)
			release_all();
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
	if (broken("late")) {
		void *mapped = nullptr;

		instance.staging = std::aligned_alloc(size, size);
		TRY(aclrtGetCurrentContext(&instance.context));
		TRY(aclrtHostRegister(instance.staging, size, ACL_HOST_REGISTER_MAPPED, &mapped));
		TRY(aclrtResetDevice(0));
		TRY(aclFinalize());
	}
	return end();
}
