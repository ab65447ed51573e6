/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories of runs whose command and cleaner were both killed (a whole group of processes, by its control
 * group): nothing removes them then, nor the socket in /tmp.  Each has a file that both hold a lock on; the
 * next run that makes its directory in the same place removes one whose lock is free, if no process can be
 * using it any more.
 */
#include "tools/aclcheck/run/run.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "interpose/common/file_status.h"
#include "interpose/common/notify_parent.h"
#include "interpose/common/run_socket.h"
#include "tools/aclcheck/common/command.h"

#define MARK ".run"
#define RANDOM_END 6 /* letters that mkdtemp gives */

/* --- the mark ---------------------------------------------------------------------- */

/* Where process numbers mean the same: host, boot and namespace. */
static bool describe_place(char *text, size_t size)
{
	char host[256] = "", boot[64] = "", space[64] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && read(fd, boot, sizeof(boot) - 1) > 0 && !gethostname(host, sizeof(host) - 1) &&
		    readlink("/proc/self/ns/pid", space, sizeof(space) - 1) > 0;

	if (fd >= 0)
		close(fd);
	snprintf(text, size, "%s\n%s%s\n", host, boot, space);
	return good;
}

static bool mark_path(char *path, size_t size, const char *directory, const char *name)
{
	return snprintf(path, size, "%s/%s", directory, name) < (int)size;
}

void leftover_mark(const char *directory)
{
	char path[PATH_MAX], new[PATH_MAX], place[512];
	size_t n;
	int fd;

	if (!describe_place(place, sizeof(place)) || !mark_path(new, sizeof(new), directory, MARK ".new") ||
		!mark_path(path, sizeof(path), directory, MARK))
		return;
	n = strlen(place);
	fd = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	/* Not seen without its lock. */
	if (flock(fd, LOCK_SH | LOCK_NB) || write(fd, place, n) != (ssize_t)n || rename(new, path))
		unlink(new);
}

int leftover_hold(const char *directory)
{
	char path[PATH_MAX];
	int fd = mark_path(path, sizeof(path), directory, MARK) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0)
		flock(fd, LOCK_SH | LOCK_NB);
	return fd;
}

void leftover_unmark(const char *directory)
{
	char path[PATH_MAX];

	if (mark_path(path, sizeof(path), directory, MARK))
		unlink(path);
}

/* --- whether something may be using it ------------------------------------------------ */

/* Of this place, and its lock is free. The descriptor that has it now, -1: it is not. */
static int take_mark(const char *directory)
{
	char path[PATH_MAX], here[512], there[512] = "";
	int fd = -1;

	if (mark_path(path, sizeof(path), directory, MARK))
		fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && describe_place(here, sizeof(here)) && read(fd, there, sizeof(there) - 1) > 0 &&
		!strcmp(here, there) && !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool is_live(const char *digits, const char *end)
{
	char *rest;
	long pid = strtol(digits, &rest, 10);

	return pid <= 0 || strncmp(rest, end, strlen(end)) != 0 || !kill((pid_t)pid, 0) || errno != ESRCH;
}

/* "HOST-PID.json.part" is of a process that lives, or of another host; so is what has no such name. */
static bool is_of_live_process(const char *name, const char *host)
{
	size_t n = strlen(host);

	if (!strcmp(name, RUN_EARLIER) || !is_live(name, RUN_TIMED_OUT))
		return false;
	if (strncmp(name, host, n) != 0)
		return true;
	return name[n] == '-' ? is_live(name + n + 1, ".") : name[n] != '.';
}

static bool has_live_file(const char *directory)
{
	char host[256] = "";
	bool live = gethostname(host, sizeof(host) - 1) != 0;
	DIR *d = opendir(directory);
	struct dirent *e;

	while (d && !live && (e = readdir(d)))
		live = e->d_name[0] != '.' && is_of_live_process(e->d_name, host);
	if (d)
		closedir(d);
	return live || !d;
}

/* In entries of a file of /proc that end so. */
static bool file_names(const char *pid, const char *what, int end, const char *directory)
{
	char path[64], *entry = NULL;
	bool found = false;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, what);
	f = fopen(path, "re");
	while (f && !found && getdelim(&entry, &room, end, f) > 0)
		found = strstr(entry, directory) != NULL;
	free(entry);
	if (f)
		fclose(f);
	return found;
}

/* It was given the directory, or has a file there mapped. */
static bool is_named_by_process(const char *directory)
{
	DIR *d = opendir("/proc");
	bool found = !d;
	struct dirent *e;

	while (d && !found && (e = readdir(d)))
		found = isdigit((unsigned char)*e->d_name) &&
			(file_names(e->d_name, "environ", 0, directory) ||
				file_names(e->d_name, "maps", '\n', directory));
	if (d)
		closedir(d);
	return found;
}

/* --- removing ------------------------------------------------------------------------- */

/* Its name ends as the directory's does; the process that made it is in between. */
static void socket_remove(const char *directory)
{
	struct sockaddr_un address;
	glob_t found = {0};
	char job[64];

	snprintf(job, sizeof(job), RUN_JOB "*-%s", directory + strlen(directory) - RANDOM_END);
	if (notify_address_tmp(job, &address) && !glob(address.sun_path, GLOB_NOSORT, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
	globfree(&found);
}

/* What others made in a place for all could become a way to something else meanwhile. */
static bool is_own_directory(const char *path)
{
	struct stat st;

	return !filestat_link(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static void remove_unused(const char *directory)
{
	char whole[PATH_MAX];
	int mark;

	if (!is_own_directory(directory) || !realpath(directory, whole))
		return;
	mark = take_mark(whole);
	if (mark < 0)
		return;
	if (!has_live_file(whole) && !is_named_by_process(whole)) {
		socket_remove(whole);
		run_files_remove(whole);
	}
	close(mark);
}

/* Whether the name could have been made of the pattern. */
static bool is_made_of(const char *name, const char *pattern)
{
	const size_t n = strlen(pattern), same = n - RANDOM_END;

	if (strlen(name) != n || strncmp(name, pattern, same) != 0)
		return false;
	for (name += same; isalnum((unsigned char)*name); name++)
		;
	return !*name;
}

void leftover_remove(const char *pattern)
{
	const char *slash = strrchr(pattern, '/'), *base = slash ? slash + 1 : pattern;
	char directory[PATH_MAX], path[PATH_MAX];
	struct dirent *e;
	DIR *d;

	if (snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - pattern) + 1 : 2,
		    slash ? pattern : "./") >= (int)sizeof(directory))
		return;
	d = opendir(directory);
	while (d && (e = readdir(d)))
		if (is_made_of(e->d_name, base) &&
			snprintf(path, sizeof(path), "%s%s", directory, e->d_name) < (int)sizeof(path))
			remove_unused(path);
	if (d)
		closedir(d);
}
