/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subcommands that read recordings are those of another program, which alone needs libbabeltrace2 and
 * glib: this one starts where they are not.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/run/run.h"
#include "tools/aclcheck/trace/trace.h"

int cmd_reader(int argc, char **argv);

/* Beside the command in a build, in a directory of its own where it is installed. */
static char *find_reader(void)
{
	char *path = launch_find("aclcheck-reader");

	return path ? path : launch_find("aclcheck/aclcheck-reader");
}

const char *reader_missing(void)
{
	char *reader = find_reader();
	bool there = reader != NULL;

	free(reader);
	if (!there)
		return "aclcheck-reader is not there: install the package aclcheck-tracing";
	/* The loader's own words would come without a remedy. */
	if (!dlopen("libbabeltrace2.so.0", RTLD_LAZY | RTLD_LOCAL))
		return "libbabeltrace2.so.0 is not there: install the package aclcheck-tracing, or "
		       "babeltrace2";
	return NULL;
}

int reader_exec(char *const *arguments, int n)
{
	const char *missing = reader_missing();
	char **argv = need(calloc((size_t)n + 2, sizeof(*argv)));
	char *reader = find_reader();

	if (missing)
		return command_misuse("recordings cannot be read: %s", in_language(missing));
	argv[0] = reader;
	memcpy(argv + 1, arguments, (size_t)n * sizeof(*argv));
	execv(reader, argv);
	return command_misuse("%s: %s", reader, strerror(errno));
}

int cmd_reader(int argc, char **argv)
{
	return reader_exec(argv, argc);
}

bool reader_count(const char *directory, struct trace_counts *n)
{
	char *const arguments[] = {(char *)"summary", (char *)"--count=calls", (char *)directory};
	int ends[2], status = 0;
	FILE *answer;
	pid_t pid;
	bool good;

	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC)) {
		command_say("%s", strerror(errno));
		return false;
	}
	pid = fork();
	if (!pid) {
		dup2(ends[1], 1);
		_exit(reader_exec(arguments, 3));
	}
	close(ends[1]);
	answer = fdopen(ends[0], "r");
	good = answer &&
	       fscanf(answer, "%" SCNu64 " %" SCNu64 " %u", &n->events, &n->calls, &n->lacking) == 3;
	if (answer)
		fclose(answer);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return good && pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}
