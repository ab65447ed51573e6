/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that do everything at once: objects come and go, findings are made, processes fork. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"

#define THREADS 4
#define ROUNDS 100

static void *shared_block;

/* One site that many threads hit, each with bytes of its own: a copy whose source is off by one. */
static void copy_badly(aclrtStream stream, char *host, char *bytes)
{
	aclrtMemcpyAsync(bytes, 64, host + 1, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static void *work(void *bytes)
{
	void *block = NULL, *host = NULL;
	aclrtStream stream = NULL;
	aclrtEvent event = NULL;

	aclrtSetDevice(0);
	for (int i = 0; i < ROUNDS; i++) {
		aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
		aclrtMallocHost(&host, 4096);
		aclrtCreateStream(&stream);
		aclrtCreateEvent(&event);
		aclrtMemcpyAsync(block, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream);
		aclrtRecordEvent(event, stream);
		if (i % 10 == 0)
			copy_badly(stream, host, bytes);
		aclrtSynchronizeStream(stream);
		aclrtDestroyEvent(event);
		aclrtDestroyStream(stream);
		aclrtFreeHost(host);
		aclrtFree(block);
	}
	return NULL;
}

static void *fork_some(void *unused)
{
	(void)unused;
	for (int i = 0; i < 5; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS + 1];

	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtMalloc(&shared_block, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (char *)shared_block + 64 * i);
	pthread_create(&threads[THREADS], NULL, fork_some, NULL);
	for (int i = 0; i <= THREADS; i++)
		pthread_join(threads[i], NULL);
	aclrtFree(shared_block);
	aclrtResetDevice(0);
	aclFinalize();
	printf("ok\n");
	return 0;
}
