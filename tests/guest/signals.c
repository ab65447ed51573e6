/* SPDX-License-Identifier: Apache-2.0 */
/* A timer's handler calls the runtime while the program is inside it; one call is left by longjmp. */
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "acl/acl.h"

static sigjmp_buf back;
static atomic_int ticks;

static void tick(int signal)
{
	int32_t major, minor, patch;

	(void)signal;
	aclrtGetVersion(&major, &minor, &patch); /* takes no lock of the runtime */
	atomic_fetch_add(&ticks, 1);
}

static void storm(void)
{
	const struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	void *block;

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &every, NULL);
	while (atomic_load(&ticks) < 300) {
		for (int i = 0; i < 100; i++) {
			if (aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
				exit(3);
			aclrtFree(block);
		}
		aclInit(NULL); /* a finding: stacks, text, files */
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

static void jump(aclrtExceptionInfo *info)
{
	(void)info;
	siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
	aclInit(NULL);
	if (argc > 1 && !strcmp(argv[1], "jump")) {
		/* The small runtime calls back from inside aclrtSetDevice(7). */
		aclrtSetExceptionInfoCallback(jump);
		if (!sigsetjmp(back, 1))
			aclrtSetDevice(7);
		aclrtSetDevice(1);
	} else {
		aclrtSetDevice(0);
		storm();
		aclrtResetDevice(0);
	}
	aclFinalize();
	printf("ok\n");
	return 0;
}
