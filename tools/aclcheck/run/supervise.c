/* SPDX-License-Identifier: Apache-2.0 */
/* The waiting half of "aclcheck run". */
#include "tools/aclcheck/run/run.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

#define GRACE_SECONDS 5 /* between SIGTERM and SIGKILL */
#define TIMEOUT_MAX 31536000u /* a year */
#define ORPHAN_SECONDS 2 /* for processes that outlive the program */

static const int passed_on[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP};

static sigset_t waited_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (unsigned i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(&set, passed_on[i]);
	return set;
}

/* The child waits until it is watched, and reports through a close-on-exec pipe why exec failed. */
static void __attribute__((noreturn)) be_program(char **argv, const sigset_t *before, int go, int report)
{
	int error;
	char c;

	while (read(go, &c, 1) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, before, NULL);
	child_signals_restore();
	execvp(argv[0], argv);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(COMMAND_MISUSE);
	_exit(COMMAND_MISUSE);
}

static pid_t supervise_start(
	char **argv, const sigset_t *before, const struct supervision *how, int *error_pipe)
{
	int ends[2], go[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	*error_pipe = ends[0];
	if (pipe2(go, O_CLOEXEC)) {
		close(ends[1]);
		return -1;
	}
	child = fork();
	if (!child) {
		close(go[1]);
		be_program(argv, before, go[0], ends[1]);
	}
	close(ends[1]);
	close(go[0]);
	if (child > 0 && how->uncovered)
		uncovered_attach(how->uncovered, child);
	if (child > 0 && how->started)
		how->started(how->context, child);
	close(go[1]);
	return child;
}

static void send_signal(void *context, pid_t pid)
{
	kill(pid, *(const int *)context);
}

static double supervise_now(void)
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

/* The shell waits for us, too. Where no shell could continue us the kernel lets this signal do nothing. */
static void stop_as_well(void)
{
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/*
 * Only what was sent to us alone is passed on: the terminal sends its signals
 * to the whole group, others may.  To the program; when it has ended, to what it left.
 */
static void supervise_pass_on(pid_t child, struct signal_probe *probe, const struct signalfd_siginfo *info)
{
	static const struct timespec now;
	int sig = (int)info->ssi_signo;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	if (signal_probe_got(probe, sig))
		sigtimedwait(&set, NULL, &now); /* once to us, once to the group */
	else if (info->ssi_code <= 0 && child)
		kill(child, sig);
	else if (info->ssi_code <= 0)
		descendants_each(send_signal, &sig);
	if (sig == SIGTSTP)
		stop_as_well();
}

static void time_out(struct supervised *out, double *deadline)
{
	int sig = out->timed_out ? SIGKILL : SIGTERM;

	descendants_each(send_signal, &sig);
	*deadline = supervise_now() + (out->timed_out ? 1 : GRACE_SECONDS);
	out->timed_out = true;
}

/* Passes signals on as they come; returns the one that is for us. */
static int take_signals(int fd, pid_t child, struct signal_probe *probe, int own)
{
	struct signalfd_siginfo info;
	int got = 0;

	while (read(fd, &info, sizeof(info)) == sizeof(info))
		if (own && (int)info.ssi_signo == own)
			got = own;
		else if (info.ssi_signo != SIGCHLD)
			supervise_pass_on(child, probe, &info);
	return got;
}

static double earlier(double a, double b)
{
	return a < b ? a : b;
}

/* When look() wants to be called; "never" is far away. */
static double supervise_look_at(const struct supervision *how, int signal)
{
	double in = how->look ? how->look(how->context, signal) : 0;

	return supervise_now() + (in > 0 ? in : 1e6);
}

static void wait_for(pid_t child, struct signal_probe *probe, const struct supervision *how, int signals,
	struct supervised *out)
{
	struct uncovered *u = how->uncovered;
	double deadline = how->timeout ? supervise_now() + how->timeout : 0, due = supervise_look_at(how, 0);
	struct pollfd fds[] = {
		{.fd = signals, .events = POLLIN}, {.fd = u ? uncovered_fd(u) : -1, .events = POLLIN}};

	while (!reap(child, &out->status)) {
		double look = earlier(u ? uncovered_due(u) : supervise_now() + 60, due);
		double left = (deadline && deadline < look ? deadline : look) - supervise_now();
		int own;

		poll(fds, 2, left > 0 ? (int)(left * 1000) + 1 : 0);
		own = take_signals(signals, child, probe, how->own_signal);
		if (own || supervise_now() >= due)
			due = supervise_look_at(how, own);
		if (u)
			uncovered_look(u);
		if (deadline && supervise_now() >= deadline)
			time_out(out, &deadline);
	}
}

static void supervise_count(void *context, pid_t pid)
{
	(void)pid;
	++*(unsigned *)context;
}

/* Orphans get a moment to end by themselves: a worker that writes its end record while its parent is gone. */
static unsigned wait_for_orphans(struct uncovered *u, struct signal_probe *probe, int signals)
{
	struct pollfd wanted = {.fd = u ? uncovered_fd(u) : -1, .events = POLLIN};
	double until = supervise_now() + ORPHAN_SECONDS;
	unsigned left;

	do {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		left = 0;
		descendants_each(supervise_count, &left);
		if (!left)
			break;
		poll(&wanted, 1, 20);
		take_signals(signals, 0, probe, 0);
		if (u)
			uncovered_look(u);
	} while (supervise_now() < until);
	return left;
}

int timeout_parse(const char *value, unsigned *seconds)
{
	char *end = NULL;
	unsigned long n = isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : 0;

	*seconds = (unsigned)n;
	return n && !*end && n <= TIMEOUT_MAX
		       ? 0
		       : command_misuse("--timeout: invalid number of seconds '%s' (expected 1 to %u)", value,
				 TIMEOUT_MAX);
}

bool supervise(char **argv, const struct supervision *how, struct supervised *out)
{
	sigset_t set = waited_set(), before;
	int error, error_pipe = -1, signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	struct signal_probe probe;
	pid_t child;

	memset(out, 0, sizeof(*out));
	/* Before anything runs: its signals could not be passed on. */
	if (signals < 0)
		return false;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	descendants_leave_out();
	sigprocmask(SIG_BLOCK, &set, &before);
	signal_probe_start(&probe);
	child = supervise_start(argv, &before, how, &error_pipe);
	if (child < 0) {
		error = errno;
		signal_probe_stop(&probe);
		errno = error;
		return false;
	}
	if (read(error_pipe, &out->exec_error, sizeof(out->exec_error)) != sizeof(out->exec_error))
		out->exec_error = 0;
	close(error_pipe);
	wait_for(child, &probe, how, signals, out);
	out->left = wait_for_orphans(how->uncovered, &probe, signals);
	if (out->left && out->timed_out) {
		/* They got SIGTERM with the program, and did not end by it. */
		descendants_each(send_signal, &(int){SIGKILL});
		out->left = wait_for_orphans(how->uncovered, &probe, signals);
	}
	signal_probe_stop(&probe);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(signals);
	return true;
}
