/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose threads hold the C library's locks at every moment: the loader's, the time zone's,
 * malloc's.  Its forked children and its signal handlers end, whatever was held.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"

#define CHILDREN 30

static atomic_bool stop;

static void hold_time(void)
{
	time_t now = time(NULL);
	struct tm tm;

	for (int i = 0; i < 100; i++)
		localtime_r(&now, &tm);
}

static void hold_loader(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);

	if (library)
		dlclose(library);
}

static void hold_heap(void)
{
	for (int i = 0; i < 100; i++)
		free(malloc((size_t)i * 100));
}

static void *busy(void *work)
{
	while (!atomic_load(&stop))
		((void (*)(void))work)();
	return NULL;
}

static void (*const holders[])(void) = {hold_time, hold_loader, hold_heap};
#define HOLDERS (sizeof(holders) / sizeof(*holders))

/* Its end by a handler that interrupted whatever main did. */
static void leave(int signal)
{
	(void)signal;
	_exit(7);
}

static _Noreturn void in_handler(const char *what)
{
	const struct itimerval soon = {{0, 0}, {0, 3000}};

	aclInit(NULL);
	aclInit(NULL); /* a finding */
	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &soon, NULL);
	for (;;)
		holders[(unsigned)atoi(what) % HOLDERS]();
}

static void child(void)
{
	alarm(10);
	aclInit(NULL);
	aclInit(NULL);
	aclFinalize();
}

/* called: whether the parent made its first call before. */
static int forks(bool called)
{
	pthread_t threads[HOLDERS];
	int ended = 0;

	if (called)
		aclInit(NULL);
	for (unsigned i = 0; i < HOLDERS; i++)
		pthread_create(&threads[i], NULL, busy, (void *)holders[i]);
	for (int i = 0; i < CHILDREN; i++) {
		struct timespec nap = {.tv_nsec = i * 7919 % 300000};
		int status = -1;
		pid_t pid;

		nanosleep(&nap, NULL);
		pid = fork();
		if (!pid) {
			child();
			_exit(3);
		}
		waitpid(pid, &status, 0);
		ended += WIFEXITED(status) && WEXITSTATUS(status) == 3;
	}
	atomic_store(&stop, true);
	for (unsigned i = 0; i < HOLDERS; i++)
		pthread_join(threads[i], NULL);
	printf("%d of %d children\n", ended, CHILDREN);
	return 0;
}

static void *first_call(void *unused)
{
	aclInit(NULL);
	return unused;
}

/* A fork while another thread makes the first call of all. delay: microseconds. */
static int race(long delay)
{
	struct timespec nap = {.tv_nsec = delay * 1000};
	pthread_t thread;
	int status = -1;
	pid_t pid;

	pthread_create(&thread, NULL, first_call, NULL);
	nanosleep(&nap, NULL);
	pid = fork();
	if (!pid) {
		child();
		_exit(3);
	}
	pthread_join(thread, NULL);
	aclFinalize();
	waitpid(pid, &status, 0);
	printf("%s\n", WIFEXITED(status) && WEXITSTATUS(status) == 3 ? "ended" : "did not end");
	return 0;
}

#define FOUR(call) call, call, call, call
#define MANY(call) FOUR(call), FOUR(call), FOUR(call), FOUR(call)

/* More than a pipe holds; pause: until standard input ends. */
static int findings(bool pause)
{
	aclInit(NULL);
	(void)(MANY(aclInit(NULL)), MANY(aclInit(NULL)), MANY(aclInit(NULL)), MANY(aclInit(NULL)), 0);
	(void)(MANY(aclInit(NULL)), MANY(aclInit(NULL)), MANY(aclInit(NULL)), MANY(aclInit(NULL)), 0);
	(void)(MANY(aclInit(NULL)), MANY(aclInit(NULL)), MANY(aclInit(NULL)), MANY(aclInit(NULL)), 0);
	if (pause) {
		printf("waiting\n");
		fflush(stdout);
		while (getchar() != EOF)
			;
	}
	aclFinalize();
	printf("done\n");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "handler"))
		in_handler(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "forks"))
		return forks(!strcmp(argv[2], "called"));
	if (argc > 2 && !strcmp(argv[1], "race"))
		return race(atol(argv[2]));
	return findings(argc > 2);
}
