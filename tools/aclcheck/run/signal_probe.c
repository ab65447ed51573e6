/* SPDX-License-Identifier: Apache-2.0 */
/* The process beside us, and its pending signals as /proc shows them. */
#include "tools/aclcheck/run/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

#define LATER_NS 20000000 /* timeout(1) signals us first, the group after that */

static pid_t process_start(void)
{
	pid_t parent = getpid(), pid;
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, SIGNAL_PROBE_NAME);
		/* A pipe must end when the program closes it. */
		close_from(0);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	descendants_own_helper(pid);
	return pid;
}

static void process_stop(pid_t pid)
{
	if (pid <= 0 || kill(pid, SIGKILL))
		return;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void signal_probe_start(struct signal_probe *s)
{
	s->pid = process_start();
	s->owed = 0;
}

void signal_probe_stop(struct signal_probe *s)
{
	process_stop(s->pid);
	descendants_own_helper(0);
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

/*
 * A new process has nothing pending. What the old one has left is owed, but for what came when both were
 * there: looked at in this order, the new one has all of that.
 */
static void renew(struct signal_probe *s, unsigned long long taken)
{
	pid_t old = s->pid;
	unsigned long long left;

	s->pid = process_start();
	left = pending(old) & ~taken;
	s->owed |= left & ~(s->pid > 0 ? pending(s->pid) : 0);
	process_stop(old);
}

bool signal_probe_got(struct signal_probe *s, int signal)
{
	const struct timespec later = {.tv_nsec = LATER_NS};
	unsigned long long bit = 1ULL << (signal - 1);

	if (s->owed & bit) {
		s->owed &= ~bit;
		return true;
	}
	if (s->pid <= 0)
		return false;
	nanosleep(&later, NULL);
	if (!(pending(s->pid) & bit))
		return false;
	renew(s, bit);
	return true;
}
