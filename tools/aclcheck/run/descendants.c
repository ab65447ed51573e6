/* SPDX-License-Identifier: Apache-2.0 */
/* Walking down from ourselves through /proc/PID/task/TID/children. */
#include "tools/aclcheck/run/run.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX 64
#define LEFT_OUT_MAX 16

static pid_t left_out[LEFT_OUT_MAX];
static unsigned n_left_out;
static pid_t own_helper;

static bool is_left_out(pid_t pid)
{
	if (pid == own_helper)
		return true;
	for (unsigned i = 0; i < n_left_out; i++)
		if (left_out[i] == pid)
			return true;
	return false;
}

static void each_below(pid_t pid, unsigned depth, void (*fn)(void *context, pid_t pid), void *context)
{
	char path[320];
	struct dirent *task;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (task = readdir(tasks))) {
		FILE *f;
		int child;

		if (!isdigit((unsigned char)*task->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)pid, task->d_name);
		f = fopen(path, "re");
		while (f && fscanf(f, "%d", &child) == 1) {
			if (is_left_out(child))
				continue;
			fn(context, child);
			if (depth < DEPTH_MAX)
				each_below(child, depth + 1, fn, context);
		}
		if (f)
			fclose(f);
	}
	if (tasks)
		closedir(tasks);
}

void descendants_each(void (*fn)(void *context, pid_t pid), void *context)
{
	each_below(getpid(), 0, fn, context);
}

static void leave_out(void *context, pid_t pid)
{
	(void)context;
	if (n_left_out < LEFT_OUT_MAX)
		left_out[n_left_out++] = pid;
}

void descendants_leave_out(void)
{
	each_below(getpid(), DEPTH_MAX, leave_out, NULL);
}

void descendants_own_helper(pid_t pid)
{
	own_helper = pid;
}

/* The runtime's file in a line of maps, NULL if it is none. */
static const char *runtime_in(const char *line)
{
	const char *slash = strrchr(line, '/');

	return slash && is_runtime(slash) ? slash + 1 : NULL;
}

struct search {
	pid_t found;
	char *what;
	size_t size;
};

static void name_process(pid_t pid, const char *library, struct search *s)
{
	char path[64], name[64] = "?";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	if (f) {
		if (fgets(name, sizeof(name), f))
			name[strcspn(name, "\n")] = '\0';
		fclose(f);
	}
	snprintf(s->what, s->size, "process %d (%s) has mapped %s without the checker", (int)pid, name,
		library);
	s->found = pid;
}

/*
 * The loader maps what is preloaded before what the program needs, so any
 * moment will do; but a process that ends while it is read shows only the
 * beginning.  The stack comes last.
 */
static void descendant_look_at(void *context, pid_t pid)
{
	char line[4352], library[64] = "";
	bool checked = false, whole = false;
	struct search *s = context;
	FILE *f;

	if (s->found)
		return;
	snprintf(line, sizeof(line), "/proc/%d/maps", (int)pid);
	f = fopen(line, "re");
	while (f && !checked && fgets(line, sizeof(line), f)) {
		const char *runtime = runtime_in(line);

		if (runtime)
			snprintf(library, sizeof(library), "%.*s", (int)strcspn(runtime, "\n"), runtime);
		checked = strstr(line, "/libaclcheck.so") != NULL;
		whole |= strstr(line, "[stack]") != NULL;
	}
	if (f)
		fclose(f);
	if (*library && whole && !checked)
		name_process(pid, library, s);
}

pid_t descendants_uncovered(char *what, size_t size)
{
	struct search s = {0, what, size};

	descendants_each(descendant_look_at, &s);
	return s.found;
}
