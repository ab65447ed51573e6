/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that goes on in another one: child HOW
 *	fork	by the system call, past the C library; the child makes a mistake
 *	clone	the same by clone(2)
 *	fork-right	by the system call, and it makes no mistake
 *	vfork	by vfork(2), with the parent's memory
 *	daemon	by daemon(3): the child writes its line and ends
 *	daemon-mistake	the same, and the parent made a mistake before
 */
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"

static void mistake(void)
{
	for (int i = 0; i < 200; i++)
		aclInit(NULL);
}

static int by_system_call(const char *how)
{
	long child = !strcmp(how, "vfork")     ? vfork()
		     : strncmp(how, "fork", 4) ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
					       :
#ifdef SYS_fork
					       syscall(SYS_fork);
#else
					       syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
	int status = 0;

	if (!child) {
		if (strcmp(how, "fork-right") != 0) {
			mistake();
			aclrtSetDevice(99);
		} else {
			aclrtSetDevice(0);
		}
		_exit(3);
	}
	waitpid((pid_t)child, &status, 0);
	aclrtSetDevice(0);
	aclrtResetDevice(0);
	printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	return aclFinalize();
}

static int by_daemon(const char *how)
{
	int end[2];
	char byte;

	if (!strcmp(how, "daemon-mistake"))
		aclInit(NULL);
	if (pipe(end) || daemon(1, 1))
		return 1;
	dprintf(1, "daemon %d\n", getsid(0) == getpid());
	close(end[1]);
	/* The parent is gone when no process can write any more. */
	if (read(end[0], &byte, 1) < 0)
		return 1;
	aclrtSetDevice(0);
	aclrtResetDevice(0);
	return aclFinalize();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	aclInit(NULL);
	return strncmp(how, "daemon", 6) ? by_system_call(how) : by_daemon(how);
}
