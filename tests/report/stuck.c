/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are killed in the middle of calls.  Words, in order:
 *	wait	a thread waits for a stream that never gets done
 *	threads	forty threads make a hundred calls each, and end
 *	fork	a child that is killed; exec: the child runs /bin/true; failexec: an exec that fails
 *	kill	by SIGKILL, when the waiting thread is inside its call
 */
#include <acl/acl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static aclrtStream stream;
static volatile int reached;

static void never_done(void *unused)
{
	(void)unused;
	reached = 1;
	for (;;)
		pause();
}

static void *waiting(void *unused)
{
	aclrtSetDevice(0);
	aclrtSynchronizeStream(stream);
	return unused;
}

static void *busy(void *unused)
{
	uint32_t n;

	for (int i = 0; i < 100; i++)
		aclrtGetDeviceCount(&n);
	return unused;
}

static void *in_thread(void *(*fn)(void *), int n)
{
	pthread_t t[64];

	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, fn, NULL);
	for (int i = 0; i < n && fn == busy; i++)
		pthread_join(t[i], NULL);
	return NULL;
}

static void child(const char *word)
{
	uint32_t n;
	pid_t pid = fork();

	if (!pid) {
		aclrtGetDeviceCount(&n);
		if (!strcmp(word, "exec"))
			execl("/bin/true", "true", NULL);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "wait")) {
			aclrtLaunchHostFunc(stream, never_done, NULL);
			in_thread(waiting, 1);
			while (!reached)
				usleep(1000);
		} else if (!strcmp(argv[i], "threads")) {
			in_thread(busy, 40);
		} else if (!strcmp(argv[i], "failexec")) {
			execl("/none", "none", NULL);
		} else if (!strcmp(argv[i], "kill")) {
			usleep(200000); /* the waiting thread is inside by now: nothing tells when */
			raise(SIGKILL);
		} else {
			child(argv[i]);
		}
	}
	aclrtDestroyStream(stream);
	aclrtResetDevice(0);
	aclFinalize();
	puts("done");
	return 0;
}
