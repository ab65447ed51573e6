/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls LIBRARY: uses the variables of threads of a library loaded late (tls_plugin.c) where calls of the
 * runtime are on the stack: in a host function, in a signal handler that interrupts calls, in the destructor
 * of a thread's value, and before and after each.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include "acl/acl.h"
#include "tls_plugin.h"

#define LAUNCHES 200
#define TICKS 200

static uint64_t (*touch)(uint64_t), (*sum)(void), (*between)(const uint64_t *);
static const uint64_t values[8] = {11, 22, 33, 44, 55, 66, 77, 88};
static atomic_int wrong, host_functions, ticks, ends;
static pthread_key_t key;

static void look(void)
{
	uint64_t before = sum();

	if (touch(3) <= TLS_BEGIN || sum() != before + 3 || !between(values))
		atomic_fetch_add(&wrong, 1);
}

/* Runs in a worker of the runtime, whose variables no thread used before. */
static void host_function(void *unused)
{
	void *block = NULL;

	(void)unused;
	look();
	aclrtMallocHost(&block, 64);
	look();
	aclrtFreeHost(block);
	atomic_fetch_add(&host_functions, 1);
}

/* A library that is loaded late must not be used first in a handler: its variables would be allocated there.
 */
static void tick(int number)
{
	(void)number;
	look();
	aclrtFree(NULL); /* refused, with a finding: stacks, text */
	look();
	atomic_fetch_add(&ticks, 1);
}

static void end(void *unused)
{
	void *block = NULL;

	(void)unused;
	look();
	aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtFree(block);
	look();
	atomic_fetch_add(&ends, 1);
}

static void *launch(void *unused)
{
	aclrtStream s = NULL;

	(void)unused;
	aclrtSetDevice(0);
	look();
	pthread_setspecific(key, &key);
	aclrtCreateStream(&s);
	for (int i = 0; i < LAUNCHES; i++) {
		aclrtLaunchHostFunc(s, host_function, NULL);
		look();
	}
	aclrtSynchronizeStream(s);
	aclrtDestroyStream(s);
	look();
	return NULL;
}

static void storm(void)
{
	const struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
	const struct itimerval every = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	void *block;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (atomic_load(&ticks) < TICKS) {
		aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
		aclrtFree(block);
		aclInit(NULL); /* a finding */
		atomic_signal_fence(memory_order_seq_cst);
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	pthread_t threads[4];

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	touch = (uint64_t(*)(uint64_t))dlsym(library, "tls_touch");
	sum = (uint64_t(*)(void))dlsym(library, "tls_sum");
	between = (uint64_t(*)(const uint64_t *))dlsym(library, "tls_between");
	pthread_key_create(&key, end);
	aclInit(NULL);
	aclrtSetDevice(0);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, launch, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	look();
	storm();
	aclrtResetDevice(0);
	aclFinalize();
	printf("%d host functions, %d ends of threads, %s, %d wrong\n", host_functions, ends,
		ticks >= TICKS ? "signals" : "none", wrong);
	return 0;
}
