/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the processes of a run leave their reports.  A process of ours makes it and outlives this command
 * when that is killed: then it removes it, and the socket of notices, as soon as the program has ended.
 */
#include "tools/aclcheck/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpose/common/notify_parent.h"
#include "interpose/common/run_socket.h"
#include "tools/aclcheck/common/command.h"

/* What the cleaner says of the directory it made. */
struct answer {
	int error; /* errno, 0 = it is there */
	char path[PATH_MAX];
};

void run_files_remove(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *d;

	while (directory && (d = readdir(directory)))
		if (d->d_name[0] != '.')
			unlinkat(dirfd(directory), d->d_name, 0);
	if (directory)
		closedir(directory);
	leftover_unmark(path);
	rmdir(path);
}

/* The random end of the directory's name makes the job's name one that no other run has. */
static void name_job(struct run_directory *d, pid_t command)
{
	const char *end = strrchr(d->path, '.') ? strrchr(d->path, '.') : strrchr(d->path, '-');

	snprintf(d->job, sizeof(d->job), RUN_JOB "%ld-%.40s", (long)command, end + 1);
}

/* --- the cleaner ------------------------------------------------------------ */

static void wait_for_end(int line)
{
	struct watched_program program;
	pid_t pid = 0;

	if (read(line, &pid, sizeof(pid)) != sizeof(pid))
		return;
	program = survivor_watch(pid);
	while (read(line, &pid, sizeof(pid)) > 0)
		;
	survivor_wait(program);
}

static void __attribute__((noreturn)) be_cleaner(char *pattern, pid_t command, int line)
{
	static struct answer answer;
	static struct run_directory d;
	struct sockaddr_un notices;

	survivor_begin("aclcheck-clean");
	if (!mkdtemp(pattern) || !realpath(pattern, d.path))
		answer.error = errno;
	strcpy(answer.path, d.path);
	line = survivor_keep_only(line);
	if (!answer.error)
		leftover_mark(d.path);
	if (write(line, &answer, sizeof(answer)) != sizeof(answer) || answer.error) {
		run_files_remove(pattern);
		_exit(0);
	}
	if (chdir("/"))
		_exit(0);
	name_job(&d, command);
	wait_for_end(line);
	if (notify_address_tmp(d.job, &notices))
		unlink(notices.sun_path);
	run_files_remove(d.path);
	_exit(0);
}

/* --- the command ------------------------------------------------------------ */

bool run_directory_make(struct run_directory *d, char *pattern)
{
	struct answer answer = {.error = EAGAIN};
	const pid_t command = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		command_say("%s: %s", pattern, strerror(errno));
		return false;
	}
	fflush(NULL);
	d->mark = -1;
	d->line = ends[0];
	d->cleaner = fork();
	if (!d->cleaner) {
		close(ends[0]);
		be_cleaner(pattern, command, ends[1]);
	}
	close(ends[1]);
	if (d->cleaner < 0 || read(d->line, &answer, sizeof(answer)) != sizeof(answer) || answer.error) {
		command_say("%s: %s", pattern, strerror(answer.error));
		run_directory_keep(d);
		return false;
	}
	strcpy(d->path, answer.path);
	d->mark = leftover_hold(d->path);
	name_job(d, command);
	return true;
}

void run_directory_program(struct run_directory *d, pid_t program)
{
	d->program = program;
	send(d->line, &program, sizeof(program), MSG_NOSIGNAL);
}

/* By the process that says so: there may be recorders below the one that the run has started. */
static void timed_out_path(char *out, size_t size, const char *directory, pid_t recorder)
{
	snprintf(out, size, "%s/%ld" RUN_TIMED_OUT, directory, (long)recorder);
}

void run_note_timed_out(void)
{
	const char *directory = getenv("ACLCHECK_RUN");
	char path[PATH_MAX + 32];
	int fd;

	if (!directory)
		return;
	timed_out_path(path, sizeof(path), directory, getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}

bool run_timed_out(const struct run_directory *d)
{
	char path[PATH_MAX + 32];

	timed_out_path(path, sizeof(path), d->path, d->program);
	return !access(path, F_OK);
}

void run_directory_keep(struct run_directory *d)
{
	if (d->cleaner > 0 && !kill(d->cleaner, SIGKILL))
		while (waitpid(d->cleaner, NULL, 0) < 0 && errno == EINTR)
			;
	close(d->line);
	d->cleaner = 0;
	leftover_unmark(d->path);
	if (d->mark >= 0)
		close(d->mark);
	d->mark = -1;
}

void run_directory_remove(struct run_directory *d)
{
	run_files_remove(d->path);
	run_directory_keep(d);
}
