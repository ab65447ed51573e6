/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways a process ends or does not: ending HOW [MISTAKES]
 * MISTAKES (default 0) second aclInit calls are made before.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"

static const char *how;
static int mistakes;

static void use(void)
{
	aclInit(NULL);
	for (int i = 0; i < mistakes; i++)
		aclInit(NULL);
	aclFinalize();
}

static void end_status(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static void say_atexit(void)
{
	printf("atexit\n");
}

static void late_use(void)
{
	use();
}

static void *exit_in_thread(void *unused)
{
	(void)unused;
	exit(4);
}

static void exit_in_handler(int signal)
{
	(void)signal;
	exit(5);
}

static void quick_in_handler(int signal)
{
	(void)signal;
	_exit(0);
}

static void at_quick(void)
{
	if (write(1, "quick\n", 6) < 0)
		abort();
}

static char *self_argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)"echo exec $MARK", NULL};
static char *self_envp[] = {(char *)"MARK=env", (char *)"PATH=/bin:/usr/bin", NULL};

static int ends_with_exec(void)
{
	setenv("MARK", "own", 1);
	unsetenv("LD_PRELOAD");
	if (!strcmp(how, "execve"))
		return execve("/bin/sh", self_argv, self_envp);
	if (!strcmp(how, "execv"))
		return execv("/bin/sh", self_argv);
	if (!strcmp(how, "execvp"))
		return execvp("sh", self_argv);
	if (!strcmp(how, "execvpe"))
		return execvpe("sh", self_argv, self_envp);
	if (!strcmp(how, "execl"))
		return execl("/bin/sh", "/bin/sh", "-c", "echo exec $MARK", (char *)NULL);
	if (!strcmp(how, "execlp"))
		return execlp("sh", "sh", "-c", "echo exec $MARK", (char *)NULL);
	if (!strcmp(how, "execle"))
		return execle("/bin/sh", "/bin/sh", "-c", "echo exec $MARK", (char *)NULL, self_envp);
	if (!strcmp(how, "fexecve"))
		return fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), self_argv, self_envp);
	return 0;
}

/* One call site, whoever calls. */
static __attribute__((noinline)) void make_mistake(void)
{
	aclrtSetDevice(9999);
	__asm__ volatile("");
}

static int forks(void)
{
	pid_t child;

	if (!strcmp(how, "fork-before")) {
		child = fork();
		if (!child) {
			use();
			exit(3);
		}
		end_status(child);
	} else if (!strcmp(how, "fork-after") || !strcmp(how, "fork-unused")) {
		aclInit(NULL);
		child = fork();
		if (!child) {
			if (!strcmp(how, "fork-after")) {
				aclInit(NULL);
				aclInit(NULL);
			}
			_exit(0);
		}
		end_status(child);
		aclFinalize();
	} else if (!strcmp(how, "fork-repeat")) {
		aclInit(NULL);
		make_mistake();
		child = fork();
		if (!child) {
			make_mistake();
			exit(0);
		}
		end_status(child);
	} else if (!strcmp(how, "vfork")) {
		use();
		child = vfork();
		if (!child) {
			execl("/nonexistent", "x", (char *)NULL);
			_exit(6);
		}
		end_status(child);
	} else {
		return 0;
	}
	return 1;
}

static int fails_exec(void)
{
	aclInit(NULL);
	errno = 0;
	if (execl("/nonexistent", "x", (char *)NULL) != -1 || errno != ENOENT)
		return 2;
	aclInit(NULL);
	aclFinalize();
	return 0;
}

static atomic_bool stop;

static void *makes_objects(void *unused)
{
	aclrtStream stream;
	void *block;

	aclrtSetDevice(0);
	while (!atomic_load(&stop)) {
		if (aclrtCreateStream(&stream) || aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST))
			exit(3);
		aclrtFree(block);
		aclrtDestroyStream(stream);
	}
	aclrtResetDevice(0);
	return unused;
}

/* Whatever the others do meanwhile, they do it once it is known that the program goes on. */
static int fails_exec_beside_threads(void)
{
	pthread_t threads[2];

	aclInit(NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, makes_objects, NULL);
	for (int i = 0; i < 100; i++) {
		if (execve("/nonexistent", self_argv, self_envp) != -1 || errno != ENOENT)
			return 2;
		usleep(200);
	}
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	aclFinalize();
	return 0;
}

/* The program's own file gets the number of standard error. */
static int reuses_descriptor(void)
{
	int fd;

	aclInit(NULL);
	close(2);
	fd = open(getenv("OWN_FILE"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	aclInit(NULL);
	aclFinalize();
	if (write(fd, "mine\n", 5) != 5)
		return 2;
	return fd == 2 ? 0 : 3;
}

static int closes_all(void)
{
	aclInit(NULL);
	for (int fd = 2; fd < 256; fd++)
		close(fd);
	aclInit(NULL);
	aclFinalize();
	return 0;
}

/* errno before and after checked calls, findings among them. */
static int shows_errno(void)
{
	void *block = NULL;

	for (int i = 0; i < 3; i++) {
		errno = 1234 + i;
		aclInit(NULL);
		printf("%d\n", errno);
	}
	errno = 77;
	aclrtSetDevice(0);
	aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtFree(block);
	aclrtResetDevice(0);
	printf("%d\n", errno);
	return 0;
}

static void *call_for_ever(void *unused)
{
	void *block;

	for (;;) {
		aclrtGetDeviceCount(&(uint32_t){0});
		if (aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS)
			aclrtFree(block);
		aclInit(NULL);
	}
	return unused;
}

/* main returns in the middle of them. */
static void calls_go_on(void)
{
	pthread_t thread;

	aclInit(NULL);
	aclrtSetDevice(0);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, call_for_ever, NULL);
	usleep(50000);
}

static void unusual_exits(void)
{
	pthread_t thread;

	if (!strcmp(how, "thread")) {
		use();
		pthread_create(&thread, NULL, exit_in_thread, NULL);
		pthread_join(thread, NULL);
	} else if (!strcmp(how, "handler")) {
		signal(SIGALRM, exit_in_handler);
		use();
		raise(SIGALRM);
	} else if (!strcmp(how, "quick-handler")) {
		signal(SIGALRM, quick_in_handler);
		use();
		raise(SIGALRM);
	} else if (!strcmp(how, "abort")) {
		use();
		abort();
	} else if (!strcmp(how, "kill")) {
		use();
		raise(SIGKILL);
	} else if (!strcmp(how, "last-thread")) {
		use();
		pthread_exit(NULL);
	}
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "return";
	mistakes = argc > 2 ? atoi(argv[2]) : 0;
	if (!strcmp(how, "unused"))
		return 0;
	if (!strcmp(how, "errno"))
		return shows_errno();
	if (!strcmp(how, "reuse"))
		return reuses_descriptor();
	if (!strcmp(how, "close-all"))
		return closes_all();
	if (!strcmp(how, "exec-fails"))
		return fails_exec();
	if (!strcmp(how, "exec-fails-beside"))
		return fails_exec_beside_threads();
	if (forks())
		return 0;
	if (!strcmp(how, "calling") || !strcmp(how, "calling_exit")) {
		calls_go_on();
		if (strcmp(how, "calling"))
			_exit(0);
		return 0;
	}
	unusual_exits();
	if (!strcmp(how, "late"))
		atexit(late_use); /* before the first call: runs after what the tool registers there */
	if (!strcmp(how, "atexit"))
		atexit(say_atexit);
	use();
	printf("out\n");
	if (!strncmp(how, "exec", 4) || !strncmp(how, "fexec", 5)) {
		fflush(stdout);
		return ends_with_exec();
	}
	if (!strcmp(how, "exit"))
		exit(argc > 3 ? atoi(argv[3]) : 0);
	if (!strcmp(how, "_exit"))
		_exit(argc > 3 ? atoi(argv[3]) : 0);
	if (!strcmp(how, "_Exit"))
		_Exit(argc > 3 ? atoi(argv[3]) : 0);
	if (!strcmp(how, "quick_exit")) {
		at_quick_exit(at_quick);
		quick_exit(argc > 3 ? atoi(argv[3]) : 0);
	}
	return argc > 3 ? atoi(argv[3]) : 0;
}
