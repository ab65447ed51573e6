/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck: finds the subcommand. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/common/text.h"
#include "tools/aclcheck/common/command.h"

#ifndef COMMANDS
#define COMMANDS "tools/aclcheck/commands.def"
#endif

#define COMMAND(name, function, usage, text) int function(int argc, char **argv);
#include COMMANDS
#undef COMMAND

const struct command commands[] = {
#define COMMAND(name, function, usage, text) {name, function, usage, text},
#include COMMANDS
#undef COMMAND
	{NULL, NULL, NULL, NULL},
};

void command_say(const char *format, ...)
{
	char line[8192], safe[4 * sizeof(line)];
	struct text t;
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	/* Names of files and words of reports are others'. */
	text_init(&t, safe, sizeof(safe));
	text_safe(&t, line, sizeof(line));
	fprintf(stderr, "aclcheck: %s\n", safe);
}

int command_misuse(const char *format, ...)
{
	va_list ap;

	fputs("aclcheck: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return COMMAND_MISUSE;
}

static const struct command *find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int command_help(const char *name, const char *lines)
{
	const struct command *c = find(name);

	printf("usage: aclcheck %s\n\n%s\n", c->usage, c->text);
	if (lines && *lines)
		printf("\n%s", lines);
	return 0;
}

void *need(void *p)
{
	if (!p) {
		command_say("out of memory");
		exit(COMMAND_MISUSE);
	}
	return p;
}

static int help(FILE *to)
{
	fprintf(to, "usage: aclcheck COMMAND ...\n\n");
	for (const struct command *c = commands; c->name; c++)
		fprintf(to, "  %-10s %s\n", c->name, c->text);
	fprintf(to,
		"\n  aclcheck COMMAND --help explains each of them; aclcheck --version prints the version.\n"
		"\nExit codes: the program's own when the verdict is pass, %d fail, %d inconclusive, %d "
		"misuse.\n",
		COMMAND_FAIL, COMMAND_INCONCLUSIVE, COMMAND_MISUSE);
	return to == stderr ? COMMAND_MISUSE : 0;
}

static int subcommand(int argc, char **argv)
{
	const struct command *c;
	struct suggestion s;

	if (argc < 2)
		return help(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help(stdout);
	if (!strcmp(argv[1], "--version")) {
		puts("aclcheck " ACLCHECK_VERSION);
		return 0;
	}
	c = find(argv[1]);
	if (!c) {
		suggest_begin(&s, argv[1]);
		for (c = commands; c->name; c++)
			suggest(&s, c->name);
		command_say("unknown command '%s'%s", argv[1], suggest_text(&s));
		return help(stderr);
	}
	return c->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int code = subcommand(argc, argv);

	/* What was printed is not taken for whole when the disk was full. */
	if (code != COMMAND_MISUSE && (fflush(stdout) || ferror(stdout)))
		return command_misuse("standard output: %s", strerror(errno));
	return code;
}
