/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with mistakes that it makes on purpose and says so, built as C and
 * as C++, position dependent and not.  Words:
 *	open RULE	a scope, until close or the end
 *	in RULE		a scope around the rest of the words, closed by the block
 *	nowhere		a scope without a reason
 *	deep		twenty scopes in one another
 *	bad		an unaligned copy
 *	twelve		twelve of them
 *	refused		a call that the runtime refuses
 *	leak		a stream that is not destroyed
 *	thread		a thread makes the unaligned copy
 *	thread-open	a thread opens a scope for it, makes it and ends without closing
 *	fork		a child makes the unaligned copy
 *	fork-open	a child opens a scope for it and makes an aligned one
 *	quit		ends at once, nothing given back
 */
#include <acl/acl.h>
#include <aclcheck.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static aclrtStream stream;
static void *device, *host;

static void copy_in(int offset)
{
	aclrtMemcpyAsync(device, 4096, (char *)host + offset, 1024, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static void *thread_main(void *open)
{
	aclrtSetDevice(0);
	if (open)
		ACLCHECK_EXPECT_BEGIN("async-copy-*", "the thread's own");
	copy_in(12);
	return NULL;
}

static void thread(void *open)
{
	pthread_t t;

	pthread_create(&t, NULL, thread_main, open);
	pthread_join(t, NULL);
}

static void child(int open)
{
	pid_t pid = fork();

	if (!pid) {
		if (open)
			ACLCHECK_EXPECT_BEGIN("async-copy-*", "the child's own");
		copy_in(open ? 0 : 12);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void deep(void)
{
	for (int i = 0; i < 20; i++)
		ACLCHECK_EXPECT_BEGIN("*", "one of twenty");
	for (int i = 0; i < 20; i++)
		ACLCHECK_EXPECT_END();
}

static void work(const char *word)
{
	aclrtStream forgotten;

	if (!strcmp(word, "close"))
		ACLCHECK_EXPECT_END();
	else if (!strcmp(word, "nowhere"))
		ACLCHECK_EXPECT_BEGIN("*", "");
	else if (!strcmp(word, "deep"))
		deep();
	else if (!strcmp(word, "refused"))
		aclrtStreamStop(stream); /* only those of the device are stopped */
	else if (!strcmp(word, "leak"))
		aclrtCreateStream(&forgotten);
	else if (!strcmp(word, "quit"))
		exit(0);
	else if (!strcmp(word, "thread"))
		thread(NULL);
	else if (!strcmp(word, "thread-open"))
		thread(&stream);
	else if (!strcmp(word, "fork") || !strcmp(word, "fork-open"))
		child(!strcmp(word, "fork-open"));
	else
		for (int i = !strcmp(word, "twelve") ? 0 : 11; i < 12; i++)
			copy_in(12);
}

static void run(char **words)
{
	while (*words) {
		const char *word = *words++;

		if (!strcmp(word, "open") && *words) {
			ACLCHECK_EXPECT_BEGIN(*words++, "opened on purpose");
		} else if (!strcmp(word, "in") && *words) {
			ACLCHECK_EXPECT_SCOPE(*words, "around a block");
			run(words + 1);
			return;
		} else {
			work(word);
		}
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	aclrtMalloc(&device, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMallocHost(&host, 1 << 16);
	run(argv + 1);
	aclrtSynchronizeStream(stream);
	aclrtFree(device);
	aclrtFreeHost(host);
	aclrtDestroyStream(stream);
	aclrtResetDevice(0);
	aclFinalize();
	puts("done");
	return 0;
}
