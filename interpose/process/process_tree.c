/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of programs started without the checker. Nothing here allocates or locks. */
#include "interpose/process/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/tool_open.h"
#include "interpose/common/compiler.h"
#include "interpose/common/errno_text.h"
#include "interpose/common/notify_parent.h"
#include "interpose/config/job_identity.h"
#include "interpose/common/preloadable.h"
#include "interpose/common/write_signals.h"
#include "interpose/common/run_socket.h"
#include "interpose/common/text.h"
#include "interpose/config/run_membership.h"
#include "interpose/stack/tool_stack.h"

#define COMMANDS_MAX 16 /* of a shell's line */

/* The file of notes; "" = the process is in no run. */
NO_SANITIZE static void notes_path(char *path, size_t cap)
{
	const char *directory = run_directory();
	struct text t;

	text_init(&t, path, cap);
	if (!*directory)
		return;
	text_str(&t, directory);
	text_char(&t, '/');
	identity_expand(&t, RUN_NOTES);
	if (t.cut)
		*path = '\0';
}

NO_SANITIZE static const char *value_in(char *const envp[], const char *name)
{
	size_t n = strlen(name);

	for (; envp && *envp; envp++)
		if (!strncmp(*envp, name, n) && (*envp)[n] == '=')
			return *envp + n + 1;
	return "";
}

enum coverage { UNCOVERED, PRELOADED, OTHER_RUN, COVERED };

/*
 * What the loader and the library find in the environment: nothing, the preload, or a run as well. One that
 * is not ours may be a run inside it, or what an earlier one or somebody's hand has left.
 */
NO_SANITIZE static enum coverage coverage_of(char *const envp[])
{
	const char *directory = value_in(envp, "ACLCHECK_RUN"), *job = value_in(envp, "ACLCHECK_JOB");

	if (!strstr(value_in(envp, "LD_PRELOAD"), "libaclcheck.so"))
		return UNCOVERED;
	if (!*directory || strncmp(job, RUN_JOB, strlen(RUN_JOB)) != 0)
		return PRELOADED;
	return !strcmp(directory, run_directory()) && !strcmp(job, run_job()) ? COVERED : OTHER_RUN;
}

/* Zero, or why it could not be written. */
NO_SANITIZE static int append_record(const char *file, const char *record, size_t size)
{
	int fd = tool_open(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY, 0666), error = 0;
	struct write_signals quiet;

	if (fd < 0)
		return errno;
	if (write_signals_hold(&quiet)) {
		ssize_t n = write(fd, record, size);

		error = n < 0 ? errno : (size_t)n < size ? ENOSPC : 0;
		write_signals_release(&quiet);
	}
	close(fd);
	return error;
}

/* Rights given up, or a directory that is full or gone: what is not noted must not pass for not started. */
NO_SANITIZE static void notify_lost_note(const char *path, int error)
{
	char line[NOTIFY_MAX];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_fmt(&t, "%s could not be noted: %s", path, errno_text(error));
	notify_parent(run_job(), run_directory(), line);
}

NO_SANITIZE static void append(const char *path, const char *libraries, const char *why)
{
	char record[2 * PATH_MAX + 128], file[PATH_MAX], space[64];
	struct text t;
	int error;

	text_init(&t, record, sizeof(record));
	text_uint(&t, (uint64_t)getpid());
	text_char(&t, '\0');
	if (*path != '/' && getcwd(file, sizeof(file))) {
		text_str(&t, file);
		text_char(&t, '/');
	}
	text_put(&t, path, strlen(path) + 1);
	text_put(&t, libraries, strlen(libraries) + 1);
	text_put(&t, why, strlen(why) + 1);
	run_pid_namespace(space, sizeof(space));
	text_put(&t, space, strlen(space) + 1);
	notes_path(file, sizeof(file));
	if (!*file)
		return;
	error = t.cut ? ENAMETOOLONG : append_record(file, record, t.len);
	if (error)
		notify_lost_note(path[1] ? path : "a process that joined", error);
}

NO_SANITIZE static void note(const char *program, bool search, char *const envp[])
{
	enum coverage coverage = coverage_of(envp);
	char path[PATH_MAX], loaded[PATH_MAX];

	if (search ? !program_find(program, path, sizeof(path)) : strlen(program) >= sizeof(path))
		return;
	if (!search)
		strcpy(path, program);
	if (access(path, X_OK))
		return; /* a shell trying the directories of PATH */
	/* ldd: the loader maps what the program needs, and the program does not run. */
	if (*value_in(envp, "LD_TRACE_LOADED_OBJECTS")) {
		append(path, "", PROCESS_TREE_LOADER);
		return;
	}
	strcpy(loaded, path);
	if (coverage == UNCOVERED)
		append(path, value_in(envp, "LD_LIBRARY_PATH"), PROCESS_TREE_ENVIRONMENT);
	else if (preloadable(loaded, sizeof(loaded)))
		append(path, value_in(envp, "LD_LIBRARY_PATH"), PROCESS_TREE_PROGRAM);
	else if (coverage != COVERED)
		append(path, value_in(envp, "LD_LIBRARY_PATH"),
			coverage == PRELOADED ? PROCESS_TREE_PRELOADED : PROCESS_TREE_OTHER_RUN);
}

/* The word a command of a shell's line begins with, quotes taken off; returns what follows it. */
NO_SANITIZE static const char *first_word(const char *s, char *word, size_t cap)
{
	size_t n;

	s += strspn(s, " \t({");
	if (*s == '"' || *s == '\'') {
		char quote[2] = {*s++, '\0'};

		n = strcspn(s, quote);
	} else {
		n = strcspn(s, " \t;|&()\n");
	}
	n = n < cap ? n : 0;
	memcpy(word, s, n);
	word[n] = '\0';
	return s + n;
}

/* A shell without the checker notes nothing itself: what its line names is noted here. */
NO_SANITIZE static void note_line(const char *line, char *const envp[])
{
	char word[512];

	for (unsigned i = 0; i < COMMANDS_MAX && *line; i++) {
		line = first_word(line, word, sizeof(word));
		if (!strcmp(word, "exec"))
			line = first_word(line, word, sizeof(word));
		if (*word)
			note(word, true, envp);
		line += strcspn(line, ";|&\n");
		line += strspn(line, ";|&\n");
	}
}

struct starting {
	const char *program;
	int directory; /* AT_FDCWD, or the descriptor that the program's name begins at */
	bool search;
	char *const *argv, *const *envp;
};

/* The program behind a descriptor, or a file in the directory behind it. */
NO_SANITIZE static const char *program_path(const struct starting *s, char *path, size_t cap)
{
	char link[32] = "/proc/self/fd/";
	struct text t;
	ssize_t n;

	if (*s->program == '/' || s->directory == AT_FDCWD)
		return s->program;
	text_init(&t, link + strlen(link), sizeof(link) - strlen(link));
	text_uint(&t, (uint64_t)(unsigned)s->directory);
	n = readlink(link, path, cap - 1);
	n = n > 0 ? n : 0;
	text_init(&t, path + n, cap - (size_t)n);
	if (*s->program)
		text_char(&t, '/');
	text_str(&t, s->program);
	return path;
}

NO_SANITIZE static void note_all(void *starting)
{
	const struct starting *s = starting;
	char path[PATH_MAX];

	note(program_path(s, path, sizeof(path)), s->search, s->envp);
	if (coverage_of(s->envp) == UNCOVERED && s->argv && s->argv[0] && s->argv[1] && s->argv[2] &&
		!strcmp(s->argv[1], "-c"))
		note_line(s->argv[2], s->envp);
}

NO_SANITIZE static void note_start(struct starting *s)
{
	int saved = errno;

	if (s->program && *run_directory())
		tool_stack_run(note_all, s);
	errno = saved;
}

NO_SANITIZE void process_tree_note(const char *program, bool search, char *const argv[], char *const envp[])
{
	struct starting s = {program, AT_FDCWD, search, argv, envp};

	note_start(&s);
}

NO_SANITIZE void process_tree_note_at(int fd, const char *file, char *const argv[], char *const envp[])
{
	struct starting s = {file, fd, false, argv, envp};

	note_start(&s);
}

static void note_joined(void *unused)
{
	(void)unused;
	append("/", "", run_was_found() ? PROCESS_TREE_FOUND : PROCESS_TREE_JOINED);
}

void process_tree_joined(void)
{
	if (*run_directory())
		tool_stack_run(note_joined, NULL);
}
