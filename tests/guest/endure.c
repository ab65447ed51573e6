/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs in circumstances of their own: thousands of threads, another root, another user, limits.  All
 * with findings, on a runtime whose bodies are empty.
 */
#include <grp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acl/acl.h"

#define THREADS 5000
#define STACK (64u << 10)

static atomic_int called, here;
static pthread_mutex_t together = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;

static void mistakes(void)
{
	void *block = NULL;

	aclInit(NULL);
	aclInit(NULL); /* a finding */
	aclrtSetDevice(0);
	aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtFree(block);
}

static void *one_of_many(void *unused)
{
	aclrtSetDevice(0);
	/* All live at the same time. */
	pthread_mutex_lock(&together);
	if (atomic_fetch_add(&here, 1) + 1 == THREADS)
		pthread_cond_broadcast(&all_here);
	while (atomic_load(&here) < THREADS)
		pthread_cond_wait(&all_here, &together);
	pthread_mutex_unlock(&together);
	if (!aclInit(NULL) && !aclrtSetDevice(0))
		atomic_fetch_add(&called, 1);
	return unused;
}

static int threads(void)
{
	static pthread_t ids[THREADS];
	pthread_attr_t attr;
	int made = 0;

	aclInit(NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	while (made < THREADS && !pthread_create(&ids[made], &attr, one_of_many, NULL))
		made++;
	if (made < THREADS) {
		printf("only %d threads\n", made);
		exit(77);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	aclFinalize();
	printf("%d threads called\n", atomic_load(&called));
	return 0;
}

static int other_root(void)
{
	mistakes();
	if (chroot("empty") || chdir("/"))
		return 77;
	mistakes();
	printf("in another root\n");
	return 0;
}

static int other_user(void)
{
	mistakes();
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		return 77;
	mistakes();
	printf("as user %u\n", (unsigned)getuid());
	return 0;
}

static int other_mask(void)
{
	mode_t before = umask(077), after;

	mistakes();
	after = umask(before);
	printf("umask %03o\n", (unsigned)after);
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";

	if (!strcmp(how, "threads"))
		return threads();
	if (!strcmp(how, "chroot"))
		return other_root();
	if (!strcmp(how, "setuid"))
		return other_user();
	if (!strcmp(how, "umask"))
		return other_mask();
	mistakes();
	mistakes();
	printf("done\n");
	return 0;
}
