/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forks while the runtime is in use.  The children ask for the product only;
 * one ends through exit, one through _exit.  The parent goes on and ends well.
 */
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/program.h"

using namespace program;

static void child(bool handlers)
{
	std::fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		const char *name = aclrtGetSocName();

		if (!handlers)
			_exit(name ? 0 : 1);
		std::exit(name ? 0 : 1);
	}
	int status = -1;
	expect(waitpid(pid, &status, 0) == pid && status == 0, "the child");
}

int main(int argc, char **argv)
{
	const size_t size = 4096;
	aclrtStream stream = nullptr;
	void *device = nullptr;
	uint8_t host[size] = {};

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	child(true);
	child(false);
	TRY(aclrtMemsetAsync(device, size, 0x77, size, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(host[size - 1] == 0x77, "the parent's work");
	TRY(aclrtFree(device));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
