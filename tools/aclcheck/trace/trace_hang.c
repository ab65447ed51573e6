/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that do not return, and processes that do not end by themselves.  Each process maps a file that says
 * what its threads called last (interpose/common/last_calls_file.h): a call that stands there as not returned
 * for long enough hangs.  A process that ends removes its file: one whose file is left was killed, or
 * crashed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interpose/common/last_calls_file.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/trace.h"

#define LOOK_SECONDS 0.2

static double hang_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool hang_begin(struct hang_watch *w, const char *directory)
{
	snprintf(w->directory, sizeof(w->directory), "%s", directory);
	return !setenv("ACLCHECK_LAST_CALLS", directory, 1);
}

static struct open_call *hang_find(struct hang_watch *w, const struct open_call *c)
{
	for (unsigned i = 0; i < w->n; i++)
		if (w->calls[i].pid == c->pid && w->calls[i].thread == c->thread &&
			w->calls[i].order == c->order)
			return &w->calls[i];
	if (w->n == sizeof(w->calls) / sizeof(w->calls[0]))
		return NULL;
	w->calls[w->n] = *c;
	w->calls[w->n].since = hang_now();
	return &w->calls[w->n++];
}

/* True: it has just been found to hang. */
static bool hang_look_at(struct hang_watch *w, pid_t pid, const struct last_calls_entry *e)
{
	uint64_t state = atomic_load(&e->state), what = atomic_load(&e->what);
	struct open_call one = {.pid = pid, .thread = (pid_t)(what >> 32), .order = state >> 1}, *c;
	unsigned api = what >> 16 & 0xffff;

	if (!state || state & 1 || api >= acl_api_count)
		return false;
	c = hang_find(w, &one);
	if (!c)
		return false;
	c->seen = true;
	if (c->hangs || hang_now() - c->since < w->seconds)
		return false;
	c->hangs = true;
	command_say("%s has not returned for %g s in thread %d of process %d: the last calls are written",
		acl_apis[api].name, w->seconds, (int)c->thread, (int)pid);
	return true;
}

static bool is_ours(const struct last_calls_area *a)
{
	return a->magic == LASTCALLS_MAGIC && a->model == last_calls_model() && a->rings == LASTCALLS_RINGS &&
	       a->entries == LASTCALLS_ENTRIES && a->words == LASTCALLS_WORDS;
}

bool trace_process_ended(pid_t pid)
{
	char path[32], line[512], *state;
	ssize_t n;
	int fd;

	if (kill(pid, 0) && errno == ESRCH)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = 0;
	state = strrchr(line, ')');
	return state && (state[2] == 'Z' || state[2] == 'X');
}

/* True: that has just been found. */
static bool was_killed(struct hang_watch *w, pid_t pid)
{
	if (pid == w->program || w->n_killed == sizeof(w->killed) / sizeof(w->killed[0]))
		return false;
	for (unsigned i = 0; i < w->n_killed; i++)
		if (w->killed[i] == pid)
			return false;
	w->killed[w->n_killed++] = pid;
	command_say("process %d was killed, or crashed: the last calls are written", (int)pid);
	return true;
}

static bool look_at_calls(struct hang_watch *w, const struct last_calls_area *a)
{
	bool hangs = false;

	for (unsigned r = 0; r < LASTCALLS_RINGS; r++)
		for (unsigned i = 0; i < LASTCALLS_ENTRIES; i++)
			hangs |= hang_look_at(w, (pid_t)a->pid, &a->ring[r].entries[i]);
	return hangs;
}

static bool look_at_process(struct hang_watch *w, int directory, const char *name)
{
	const size_t size =
		w->seconds ? sizeof(struct last_calls_area) : offsetof(struct last_calls_area, ring);
	struct last_calls_area *a = need(malloc(sizeof(*a)));
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found = false;

	if (fd >= 0 && read(fd, a, size) == (ssize_t)size && is_ours(a)) {
		if (!trace_process_ended((pid_t)a->pid))
			found = w->seconds && look_at_calls(w, a);
		else if (!faccessat(directory, name, F_OK, 0)) /* it was not removed meanwhile */
			found = was_killed(w, (pid_t)a->pid);
	}
	if (fd >= 0)
		close(fd);
	free(a);
	return found;
}

static bool is_calls_file(const char *name)
{
	size_t n = strlen(name), suffix = strlen(LASTCALLS_SUFFIX);

	return n > suffix && !strcmp(name + n - suffix, LASTCALLS_SUFFIX);
}

/* Those that have returned are forgotten. */
static void hang_forget(struct hang_watch *w)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < w->n; i++)
		if (w->calls[i].seen)
			w->calls[kept++] = w->calls[i];
	w->n = kept;
	for (unsigned i = 0; i < w->n; i++)
		w->calls[i].seen = false;
}

double hang_look(struct hang_watch *w, bool *hangs)
{
	DIR *d = opendir(w->directory);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (is_calls_file(e->d_name))
			*hangs |= look_at_process(w, dirfd(d), e->d_name);
	if (d)
		closedir(d);
	hang_forget(w);
	return LOOK_SECONDS;
}
