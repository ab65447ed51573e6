/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the program under this command, apart from the terminal. */
#include "tools/aclcheck/fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/run/run.h"

#define OWN_ARGUMENTS 16

static void file_name(
	const struct trial_options *o, const char *name, const char *suffix, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s%s", o->directory, name, suffix);
}

static size_t trial_count(char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

/* Its own process group: what the terminal sends goes to this command, which ends its runs. */
static int spawn(char *const *argv, const char *log, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int error;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	error = posix_spawn(pid, launch_self(), &files, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

pid_t trial_start(const struct trial_options *o, const char *name, const char *faults)
{
	char **argv = need(calloc(OWN_ARGUMENTS + trial_count(o->program) + 1, sizeof(*argv)));
	char report[PATH_MAX], log[PATH_MAX], timeout[16];
	size_t n = 0;
	int error;
	pid_t pid;

	file_name(o, name, ".json", report);
	file_name(o, name, ".log", log);
	snprintf(timeout, sizeof(timeout), "%u", o->timeout);
	argv[n++] = (char *)"aclcheck";
	argv[n++] = (char *)"run";
	if (o->softnpu)
		argv[n++] = (char *)o->softnpu;
	argv[n++] = (char *)"--report";
	argv[n++] = report;
	argv[n++] = (char *)"--inject";
	argv[n++] = (char *)faults;
	if (o->timeout) {
		argv[n++] = (char *)"--timeout";
		argv[n++] = timeout;
	}
	argv[n++] = (char *)"--";
	for (char *const *p = o->program; *p; p++)
		argv[n++] = *p;
	error = spawn(argv, log, &pid);
	free(argv);
	if (!error)
		return pid;
	command_say("no process can be made: %s", strerror(error));
	return -1;
}

json_t *trial_report(const struct trial_options *o, const char *name)
{
	char path[PATH_MAX];

	file_name(o, name, ".json", path);
	return json_load_file(path, 0, NULL);
}

void trial_remove_files(const struct trial_options *o, const char *name)
{
	char path[PATH_MAX];

	file_name(o, name, ".json", path);
	unlink(path);
	file_name(o, name, ".log", path);
	unlink(path);
}
