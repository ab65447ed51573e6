/* SPDX-License-Identifier: Apache-2.0 */
/* A timer's handler calls the runtime while the program is inside it; one call is left by longjmp. */
#include <setjmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "acl/acl.h"

#define SIGNAL_STACK (1u << 16)

static sigjmp_buf back;
static atomic_int ticks;
static void *signal_stack;

static void tick(int signal)
{
	(void)signal;
	aclrtFree(NULL); /* checked, and refused by the runtime before it takes a lock */
	atomic_fetch_add(&ticks, 1);
}

static void storm(void)
{
	const stack_t stack = {.ss_sp = signal_stack, .ss_size = SIGNAL_STACK};
	const struct sigaction action = {.sa_handler = tick, .sa_flags = SA_ONSTACK | SA_RESTART};
	const struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	void *block;

	if (signal_stack)
		sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
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

static void *storm_thread(void *unused)
{
	(void)unused;
	aclrtSetDevice(0);
	storm();
	return NULL;
}

static void storm_in_thread(void)
{
	sigset_t set;
	pthread_t thread;

	/* Mapped before the thread's own stack, so it lies above that. */
	signal_stack = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&thread, NULL, storm_thread, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_join(thread, NULL);
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
	} else if (argc > 1 && !strcmp(argv[1], "once")) {
		signal(SIGALRM, tick);
		raise(SIGALRM);
		aclInit(NULL);
	} else {
		aclrtSetDevice(0);
		if (argc > 1 && !strcmp(argv[1], "stack"))
			storm_in_thread();
		else
			storm();
		aclrtResetDevice(0);
	}
	aclFinalize();
	printf("ok\n");
	return 0;
}
