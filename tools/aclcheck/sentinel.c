/* SPDX-License-Identifier: Apache-2.0 */
/* The process beside us, and its pending signals as /proc shows them. */
#include "tools/aclcheck/sentinel.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LATER_NS 20000000 /* timeout(1) signals us first, the group after that */

pid_t sentinel_start(void)
{
	pid_t parent = getpid(), pid;
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, SENTINEL_NAME);
		/* A pipe must end when the program closes it. */
		if (syscall(SYS_close_range, 0, ~0u, 0))
			for (int fd = 0; fd < 1024; fd++)
				close(fd);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

void sentinel_stop(pid_t sentinel)
{
	if (sentinel <= 0 || kill(sentinel, SIGKILL))
		return;
	while (waitpid(sentinel, NULL, 0) < 0 && errno == EINTR)
		;
}

static unsigned long long pending(pid_t pid)
{
	unsigned long long mask = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "ShdPnd: %llx", &mask) != 1)
		;
	if (f)
		fclose(f);
	return mask;
}

bool sentinel_got(pid_t *sentinel, int signal)
{
	const struct timespec later = {.tv_nsec = LATER_NS};

	if (*sentinel <= 0)
		return false;
	nanosleep(&later, NULL);
	if (!(pending(*sentinel) >> (signal - 1) & 1))
		return false;
	sentinel_stop(*sentinel);
	*sentinel = sentinel_start();
	return true;
}
