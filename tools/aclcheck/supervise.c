/* SPDX-License-Identifier: Apache-2.0 */
/* The waiting half of "aclcheck run". */
#include "tools/aclcheck/supervise.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/aclcheck/command.h"

#define GRACE_SECONDS 5 /* between SIGTERM and SIGKILL */
#define DEPTH_MAX 64

static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT };

static sigset_t waited_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (unsigned i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(&set, passed_on[i]);
	return set;
}

/* The child tells through a close-on-exec pipe why exec failed. */
static pid_t start(char **argv, const sigset_t *before, int *error_pipe)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	child = fork();
	if (!child) {
		int error;

		sigprocmask(SIG_SETMASK, before, NULL);
		execvp(argv[0], argv);
		error = errno;
		if (write(ends[1], &error, sizeof(error)) < 0)
			_exit(COMMAND_MISUSE);
		_exit(COMMAND_MISUSE);
	}
	close(ends[1]);
	*error_pipe = ends[0];
	return child;
}

static pid_t parent_of(pid_t pid)
{
	char path[64], line[512], *p;
	int parent = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	/* The program's name may hold anything; its last parenthesis ends it. */
	if (fgets(line, sizeof(line), f) && (p = strrchr(line, ')')))
		sscanf(p + 1, " %*c %d", &parent);
	fclose(f);
	return parent;
}

static bool descends(pid_t pid)
{
	for (unsigned i = 0; pid > 1 && i < DEPTH_MAX; i++) {
		pid = parent_of(pid);
		if (pid == getpid())
			return true;
	}
	return false;
}

/* All processes below us: orphans come to us, as we are their subreaper. */
static void signal_all(int sig)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;

	while (proc && (d = readdir(proc)))
		if (isdigit((unsigned char)*d->d_name) && descends((pid_t)atoi(d->d_name)))
			kill((pid_t)atoi(d->d_name), sig);
	if (proc)
		closedir(proc);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* True when the program itself has ended; others are reaped on the way. */
static bool reap(pid_t child, int *status)
{
	int any;
	pid_t pid;

	while ((pid = waitpid(-1, &any, WNOHANG)) > 0)
		if (pid == child) {
			*status = any;
			return true;
		}
	return false;
}

/* The terminal sends its signals to the whole group, so only those sent to us alone are passed on. */
static void pass_on(pid_t child, const siginfo_t *info)
{
	if (info->si_code <= 0)
		kill(child, info->si_signo);
}

static void wait_for(pid_t child, unsigned timeout, struct supervised *out)
{
	sigset_t set = waited_set();
	double deadline = timeout ? now() + timeout : 0;

	while (!reap(child, &out->status)) {
		double left = deadline ? deadline - now() : 3600;
		struct timespec wait = { .tv_sec = left > 0 ? (time_t)left : 0 };
		siginfo_t info;

		wait.tv_nsec = left > 0 ? (long)((left - (double)wait.tv_sec) * 1e9) : 0;
		if (left > 0 && sigtimedwait(&set, &info, &wait) > 0) {
			if (info.si_signo != SIGCHLD)
				pass_on(child, &info);
			continue;
		}
		if (!deadline || deadline > now())
			continue;
		signal_all(out->timed_out ? SIGKILL : SIGTERM);
		deadline = now() + (out->timed_out ? 1 : GRACE_SECONDS);
		out->timed_out = true;
	}
}

bool supervise(char **argv, unsigned timeout, struct supervised *out)
{
	sigset_t set = waited_set(), before;
	int error_pipe = -1;
	pid_t child;

	memset(out, 0, sizeof(*out));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigprocmask(SIG_BLOCK, &set, &before);
	child = start(argv, &before, &error_pipe);
	if (child < 0)
		return false;
	if (read(error_pipe, &out->exec_error, sizeof(out->exec_error)) != sizeof(out->exec_error))
		out->exec_error = 0;
	close(error_pipe);
	wait_for(child, timeout, out);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return true;
}
