/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that says of itself what aclcheck.h lets it say, built as C and as
 * C++.  Words:
 *	race		a copy on each of two streams, named, to the same block
 *	ended		a copy into a block that was ended
 *	twice		a block is ended twice
 *	ignored		an unaligned copy in a scope that ignores it
 *	unneeded	a scope that has nothing to ignore
 *	unaligned	the same outside of any scope
 *	kernel		a kernel launched below AscendCL reads before the copy ends
 *	early		all of it before the first call
 */
#include <acl/acl.h>
#include <aclcheck.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 4096

static aclrtStream streams[2];
static char *pool, *host;
static int evaluated;

static void *counted(void *p)
{
	evaluated++;
	return p;
}

static void copy_in(size_t to, size_t from, int stream)
{
	aclrtMemcpyAsync(pool + to, BLOCK, host + from, 1024, ACL_MEMCPY_HOST_TO_DEVICE, streams[stream]);
}

static void say_all(void)
{
	ACLCHECK_NAME(counted(host), "host");
	ACLCHECK_POOL(counted(pool), BLOCK);
	ACLCHECK_BLOCK(counted(pool), 64, streams[0]);
	ACLCHECK_BLOCK_END(counted(pool));
	ACLCHECK_POOL_END(counted(pool));
	ACLCHECK_KERNEL_READS(streams[0], counted(pool), 64);
	ACLCHECK_KERNEL_WRITES(streams[0], counted(pool), 64);
	ACLCHECK_KERNEL(streams[0], "add");
}

static void race(void)
{
	ACLCHECK_NAME(streams[0], "uploads");
	ACLCHECK_NAME(streams[1], "compute");
	ACLCHECK_BLOCK(pool, BLOCK, streams[0]);
	ACLCHECK_NAME(pool, "weights");
	copy_in(0, 0, 0);
	copy_in(0, BLOCK, 1);
}

static void work(const char *word)
{
	if (!strcmp(word, "race"))
		race();
	ACLCHECK_BLOCK(pool + BLOCK, BLOCK, streams[0]);
	if (!strcmp(word, "twice"))
		ACLCHECK_BLOCK_END(pool + BLOCK);
	if (strcmp(word, "early") != 0)
		ACLCHECK_BLOCK_END(pool + BLOCK);
	if (!strcmp(word, "ended"))
		copy_in(BLOCK, 0, 0);
	if (!strcmp(word, "unaligned"))
		copy_in(0, 12, 0);
	if (!strcmp(word, "ignored") || !strcmp(word, "unneeded")) {
		ACLCHECK_IGNORE_SCOPE("async-copy-*", "ticket 123");
		ACLCHECK_IGNORE_BEGIN("event-*", "another one");
		ACLCHECK_IGNORE_END();
		copy_in(0, strcmp(word, "unneeded") ? 12 : 0, 0);
	}
	if (!strcmp(word, "kernel")) {
		copy_in(2 * BLOCK, 0, 0);
		ACLCHECK_KERNEL_READS(streams[1], pool + 2 * BLOCK, 64);
		ACLCHECK_KERNEL(streams[1], "add");
	}
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (!strcmp(word, "early"))
		say_all();
	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&streams[0]);
	aclrtCreateStream(&streams[1]);
	aclrtMalloc((void **)&pool, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMallocHost((void **)&host, 1 << 16);
	ACLCHECK_POOL(pool, strcmp(word, "kernel") ? 1 << 20 : 2 * BLOCK);
	work(word);
	aclrtSynchronizeStream(streams[0]);
	aclrtSynchronizeStream(streams[1]);
	ACLCHECK_POOL_END(counted(pool));
	aclrtFree(pool);
	aclrtFreeHost(host);
	aclrtDestroyStream(streams[0]);
	aclrtDestroyStream(streams[1]);
	aclrtResetDevice(0);
	aclFinalize();
	printf("done, %d evaluated\n", evaluated);
	return 0;
}
