/* SPDX-License-Identifier: Apache-2.0 */
/* A run inside another one leaves its report there, as any process does. */
#include "interpose/common/file_status.h"
#include "tools/aclcheck/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/host_name.h"
#include "interpose/common/notify_parent.h"
#include "interpose/common/run_socket.h"
#include "interpose/process/process_tree.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/formats/formats.h"

char *outer_run_find(void)
{
	const char *job = getenv("ACLCHECK_JOB"), *directory = getenv("ACLCHECK_RUN");
	char answer[RUN_ANSWER_MAX];
	struct stat st;
	size_t n;

	if (!job || strncmp(job, RUN_JOB, strlen(RUN_JOB)) != 0 || !directory) {
		n = run_ask(answer, sizeof(answer));
		directory = n ? run_answer_get(answer, n, "run") : NULL;
	}
	if (!directory)
		return NULL;
	/* What an earlier run left in an environment is none; one that is not ours to look into is. */
	if (filestat_path(directory, &st) ? errno != EACCES : !S_ISDIR(st.st_mode))
		return NULL;
	return need(strdup(directory));
}

char *outer_run_report(const char *outer, pid_t command)
{
	char *path;

	need(asprintf(&path, "%s/%s-%d.json", outer, host_name(), (int)command) < 0 ? NULL : path);
	return path;
}

/* In one write: others write there as well. */
static bool append(const char *outer, const char *name, const char *text, size_t n)
{
	char path[PATH_MAX];
	bool good;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", outer, name);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0666);
	good = fd >= 0 && write(fd, text, n) == (ssize_t)n;
	if (fd >= 0)
		close(fd);
	return good;
}

bool outer_run_begin(const char *outer, const char *job)
{
	char note[256], name[NAME_MAX + 1], space[64];
	int n;

	run_pid_namespace(space, sizeof(space));
	n = snprintf(note, sizeof(note), "%d%c/%c%c%s%c%s%c", (int)getpid(), 0, 0, 0, PROCESS_TREE_RUN, 0,
		space, 0);
	snprintf(name, sizeof(name), "%.200s" NOTES_SUFFIX, host_name());
	if (append(outer, name, note, (size_t)n))
		return true;
	n = errno;
	command_say("%s: %s", outer, strerror(n));
	snprintf(note, sizeof(note), "aclcheck run, process %d, could not be noted: %s", (int)getpid(),
		strerror(n));
	notify_parent(job, outer, note);
	return false;
}

/* What the processes of this run noted the outer one asks of them as well. */
static void outer_pass_on(const char *outer, const char *directory, const char *name)
{
	char path[PATH_MAX], block[65536];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "re");
	while (f && (n = fread(block, 1, sizeof(block), f)) > 0)
		append(outer, name, block, n);
	if (f)
		fclose(f);
}

bool outer_run_end(const char *outer, const char *directory, const json_t *report)
{
	DIR *notes = opendir(directory);
	char *path = outer_run_report(outer, getpid());
	struct dirent *d;
	bool good;

	while (notes && (d = readdir(notes))) {
		size_t n = strlen(d->d_name), k = strlen(NOTES_SUFFIX);

		if (n > k && !strcmp(d->d_name + n - k, NOTES_SUFFIX))
			outer_pass_on(outer, directory, d->d_name);
	}
	if (notes)
		closedir(notes);
	good = report_write(path, report_format_find("json"), report);
	free(path);
	return good;
}
