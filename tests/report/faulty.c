/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates four blocks, copies into each on a stream, and takes a failure as its argument says:
 * stop (exit code 3), retry (once), ignore, fallback (does without the block), hang, die; careful stops at
 * any failed call, the others look at allocations alone. Prints what the last error was after a failure.
 */
#include <acl/acl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS 4
#define SIZE 4096

static const char *how;
static void *host;
static aclrtContext context;

static aclError grow(void **block)
{
	return aclrtMalloc(block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST);
}

static void say_last_error(aclError error)
{
	aclError peeked = aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL),
		 got = aclrtGetLastError(ACL_RT_THREAD_LEVEL), again = aclrtGetLastError(ACL_RT_THREAD_LEVEL);

	fprintf(stderr, "failed: %d %d %d %d\n", error, peeked, got, again);
}

static void must(aclError error)
{
	if (error && !strcmp(how, "careful"))
		exit(3);
}

static aclError take(void **block)
{
	aclError error = grow(block);

	if (!error)
		return error;
	say_last_error(error);
	if (!strcmp(how, "stop") || !strcmp(how, "careful"))
		exit(3);
	if (!strcmp(how, "hang"))
		pause();
	if (!strcmp(how, "die"))
		raise(SIGKILL);
	return strcmp(how, "retry") ? error : grow(block);
}

static void *work(void *stream)
{
	void *block[BLOCKS] = {NULL};

	for (int i = 0; i < BLOCKS; i++)
		if (!take(&block[i]) || !strcmp(how, "ignore"))
			must(aclrtMemcpyAsync(block[i], SIZE, host, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	must(aclrtSynchronizeStream(stream));
	for (int i = 0; i < BLOCKS; i++)
		if (block[i])
			must(aclrtFree(block[i]));
	return NULL;
}

static void *work_there(void *stream)
{
	must(aclrtSetCurrentContext(context));
	return work(stream);
}

int main(int argc, char **argv)
{
	aclrtStream stream = NULL;
	pthread_t thread;

	how = argc > 1 ? argv[1] : "stop";
	must(aclInit(NULL));
	must(aclrtSetDevice(0));
	must(aclrtCreateStream(&stream));
	must(aclrtMallocHost(&host, SIZE));
	must(aclrtGetCurrentContext(&context));
	if (argc > 2 && !pthread_create(&thread, NULL, work_there, stream))
		pthread_join(thread, NULL);
	else
		work(stream);
	must(aclrtFreeHost(host));
	must(aclrtDestroyStream(stream));
	must(aclrtResetDevice(0));
	must(aclFinalize());
	puts("done");
	return 0;
}
