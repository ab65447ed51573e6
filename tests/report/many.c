/* SPDX-License-Identifier: Apache-2.0 */
/* many PROCESSES: 256 misaligned copies in as many functions, in each process. */
#include <acl/acl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *host;
static void *device;
static aclrtStream stream;

#define ONE(name)                                                                                            \
	static void __attribute__((noinline)) copy_##name(void)                                              \
	{                                                                                                    \
		aclrtMemcpyAsync(device, 4096, host + 12, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream);            \
	}
#define FOUR(name) ONE(name##0) ONE(name##1) ONE(name##2) ONE(name##3)
#define SIXTEEN(name) FOUR(name##0) FOUR(name##1) FOUR(name##2) FOUR(name##3)
#define MANY(name) SIXTEEN(name##0) SIXTEEN(name##1) SIXTEEN(name##2) SIXTEEN(name##3)
MANY(a)
MANY(b)
MANY(c)
MANY(d)
#undef ONE
#define ONE(name) copy_##name();

static void copy_all(void)
{
	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	aclrtMallocHost((void **)&host, 4096);
	aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
	MANY(a)
	MANY(b)
	MANY(c)
	MANY(d)
	aclrtSynchronizeStream(stream);
	aclrtFree(device);
	aclrtFreeHost(host);
	aclrtDestroyStream(stream);
	aclrtResetDevice(0);
	aclFinalize();
}

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) - 1 : 0; i > 0; i--) {
		pid_t child = fork();

		if (!child) {
			copy_all();
			return 0;
		}
		waitpid(child, NULL, 0);
	}
	copy_all();
	return 0;
}
