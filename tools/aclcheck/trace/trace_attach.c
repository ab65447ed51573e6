/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording a process that runs already.  It has the trace provider from its first
 * call on, and LTTng in it waits for a session daemon at the usual place.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/trace.h"

#define PROVIDER "/libaclcheck-lttng.so"
#define KNOWN_MS 5000 /* for the process to find the daemon */
#define STEP_MS 20

pid_t attach_number(const char *text)
{
	char *end;
	unsigned long pid = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;

	return pid && !*end && pid <= INT_MAX ? (pid_t)pid : 0;
}

static bool has_provider(pid_t pid)
{
	char path[64], line[PATH_MAX + 128];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, PROVIDER) != NULL;
	if (f)
		fclose(f);
	return found;
}

bool attach_possible(pid_t pid)
{
	if (kill(pid, 0) && errno == ESRCH)
		command_say("--attach %d: there is no such process", (int)pid);
	else if (!has_provider(pid))
		command_say("--attach %d: the process cannot be recorded; start it under libaclcheck.so with "
			    "ACLCHECK_TRACE=on (and wait for its first AscendCL call)",
			(int)pid);
	else
		return true;
	return false;
}

bool attach_begin(pid_t pid, const char *session)
{
	for (unsigned ms = 0; !control_has_process(pid); ms += STEP_MS) {
		if (ms >= KNOWN_MS) {
			command_say(
				"--attach %d: the process does not answer LTTng's session daemon", (int)pid);
			return false;
		}
		poll(NULL, 0, STEP_MS);
	}
	return control_only_process(session, pid);
}

/* The signal that came, 0 = none; an end that was asked for is one, too. */
static int wait_ms(int signals, const struct watched_program *program, double seconds)
{
	struct pollfd fds[] = {{.fd = signals, .events = POLLIN}, {.fd = program->fd, .events = POLLIN}};
	struct signalfd_siginfo info;
	int limit = program->fd < 0 ? 100 : 60000;

	poll(fds, 2, seconds > 0 && seconds * 1000 < limit ? (int)(seconds * 1000) + 1 : limit);
	return read(signals, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

void attach_wait(
	pid_t pid, const struct trace_window *w, double (*look)(void *context, int signal), void *context)
{
	struct watched_program program = survivor_watch(pid);
	sigset_t set, before;
	double due;
	int signals, got = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &before);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	due = look(context, 0);
	if (w->open)
		command_say("recording of calls begins");
	/* Once it has had its time nothing more comes, but by a signal. */
	while (!kill(pid, 0) && (!got || got == SIGUSR1) && (w->open || w->by_signal || w->change > 0)) {
		got = wait_ms(signals, &program, due);
		due = look(context, got == SIGUSR1 && w->by_signal ? got : 0);
	}
	close(signals);
	if (program.fd >= 0)
		close(program.fd);
	/* A second one ends the command as ever. */
	sigprocmask(SIG_SETMASK, &before, NULL);
}
