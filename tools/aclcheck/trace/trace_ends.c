/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of processes that were killed or crashed, while others of the program go on.  Each recorded
 * process has a file while it runs, which it removes when it ends in order.  A process of ours, the watcher,
 * waits for their ends: where the file is left it records an event for the one that could not.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interpose/report/trace_provider.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/run/run.h"
#include "tools/aclcheck/trace/trace.h"

#define ANSWER_MS 3000 /* to record what has ended, LTTng's start included */
#define STEP_MS 100 /* between two looks at processes that the kernel does not say the end of */

/* The watcher's. */
static struct {
	const char *directory, *provider;
	char space[64]; /* of process numbers */
	int files; /* inotify */
	struct watched_program *processes;
	unsigned n, room;
	acl_trace_ended_fn ended;
} watcher;

static uint64_t ends_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void path_of(char *path, size_t size, pid_t pid)
{
	snprintf(path, size, "%s/%d" ACL_TRACE_PROCESS_SUFFIX, watcher.directory, (int)pid);
}

/* LTTng is loaded when there is something to record: a process that loads it is one more that it has to
 * serve. */
static void record_end(pid_t pid, uint64_t when)
{
	void *library;

	if (!watcher.ended) {
		library = dlopen(watcher.provider, RTLD_NOW | RTLD_LOCAL);
		watcher.ended = library ? (acl_trace_ended_fn)dlsym(library, ACL_TRACE_ENDED_SYMBOL) : NULL;
	}
	if (watcher.ended)
		watcher.ended((uint32_t)pid, when);
}

/* A number of another namespace is that of some other process here. */
static bool is_of_our_space(const char *path)
{
	char space[sizeof(watcher.space)] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = fd < 0 ? 0 : read(fd, space, sizeof(space) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 && !strcmp(space, watcher.space);
}

static bool is_watched(pid_t pid)
{
	for (unsigned i = 0; i < watcher.n; i++)
		if (watcher.processes[i].pid == pid)
			return true;
	return false;
}

static void watch(const char *name)
{
	char path[PATH_MAX], *rest;
	long pid = strtol(name, &rest, 10);

	if (pid <= 0 || pid > INT_MAX || strcmp(rest, ACL_TRACE_PROCESS_SUFFIX) != 0 ||
		is_watched((pid_t)pid))
		return;
	path_of(path, sizeof(path), (pid_t)pid);
	if (!is_of_our_space(path))
		return;
	if (watcher.n == watcher.room) {
		watcher.room = watcher.room ? 2 * watcher.room : 16;
		watcher.processes =
			need(realloc(watcher.processes, watcher.room * sizeof(*watcher.processes)));
	}
	watcher.processes[watcher.n++] = survivor_watch((pid_t)pid);
}

/* All that have a file; what the kernel said of them is not read any further. */
static void find_processes(void)
{
	char said[4096];
	DIR *d;
	struct dirent *e;

	while (read(watcher.files, said, sizeof(said)) > 0)
		;
	d = opendir(watcher.directory);
	while (d && (e = readdir(d)))
		watch(e->d_name);
	if (d)
		closedir(d);
}

static bool has_ended(const struct watched_program *p)
{
	struct pollfd end = {.fd = p->fd, .events = POLLIN};

	return p->fd >= 0 ? poll(&end, 1, 0) == 1 : trace_process_ended(p->pid);
}

/* False: it runs on. */
static bool ends_look_at(const struct watched_program *p, uint64_t when)
{
	char path[PATH_MAX];

	if (!has_ended(p))
		return false;
	path_of(path, sizeof(path), p->pid);
	if (!unlink(path))
		record_end(p->pid, when);
	if (p->fd >= 0)
		close(p->fd);
	return true;
}

static void ends_look(void)
{
	uint64_t when = ends_now();
	unsigned kept = 0;

	find_processes();
	for (unsigned i = 0; i < watcher.n; i++)
		if (!ends_look_at(&watcher.processes[i], when))
			watcher.processes[kept++] = watcher.processes[i];
	watcher.n = kept;
}

/* True: something was asked on the line. */
static bool wait_for_news(int line)
{
	struct pollfd *fds = need(calloc(watcher.n + 2, sizeof(*fds)));
	bool asked, step = false;

	fds[0] = (struct pollfd){.fd = line, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = watcher.files, .events = POLLIN};
	for (unsigned i = 0; i < watcher.n; i++) {
		fds[i + 2] = (struct pollfd){.fd = watcher.processes[i].fd, .events = POLLIN};
		step |= watcher.processes[i].fd < 0;
	}
	poll(fds, watcher.n + 2, step ? STEP_MS : -1);
	asked = fds[0].revents;
	free(fds);
	return asked;
}

static void __attribute__((noreturn)) be_watcher(int line)
{
	char word;
	ssize_t n = readlink("/proc/self/ns/pid", watcher.space, sizeof(watcher.space) - 1);

	survivor_begin("aclcheck-ends");
	line = survivor_keep_only(line);
	watcher.files = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (n <= 0 || watcher.files < 0 ||
		inotify_add_watch(watcher.files, watcher.directory, IN_CLOSE_WRITE) < 0)
		_exit(1);
	for (;;) {
		bool asked = wait_for_news(line);

		ends_look();
		if (asked && (read(line, &word, 1) != 1 || write(line, &word, 1) != 1))
			_exit(0);
	}
}

bool trace_ends_begin(struct trace_ends *e, const char *directory)
{
	char *provider = launch_find(ACL_TRACE_LIBRARY);
	int ends[2];

	e->line = -1;
	if (!provider || !*directory || setenv("ACLCHECK_TRACE_PROCESSES", directory, 1) ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		free(provider);
		return false;
	}
	watcher.directory = directory;
	watcher.provider = provider;
	fflush(NULL);
	e->watcher = fork();
	if (!e->watcher)
		be_watcher(ends[1]);
	close(ends[1]);
	free(provider);
	e->line = ends[0];
	return e->watcher > 0;
}

void trace_ends_record(struct trace_ends *e)
{
	struct pollfd p = {.fd = e->line, .events = POLLIN};
	char word = 0;

	if (e->line < 0)
		return;
	if (send(e->line, &word, 1, MSG_NOSIGNAL) == 1 && poll(&p, 1, ANSWER_MS) == 1 &&
		read(e->line, &word, 1) == 1)
		return;
	close(e->line);
	e->line = -1;
}

void trace_ends_stop(struct trace_ends *e)
{
	if (e->watcher <= 0)
		return;
	trace_ends_record(e);
	if (e->line >= 0)
		close(e->line);
	kill(e->watcher, SIGKILL);
	waitpid(e->watcher, NULL, 0);
	e->watcher = 0;
	e->line = -1;
}
