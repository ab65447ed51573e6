/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck: finds the subcommand. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/common/sentences.h"
#include "tools/aclcheck/common/command.h"

#define DECLARED(name, function, usage, text) int function(int argc, char **argv);
#define LISTED(name, function, usage, text) {name, function, usage, text},
#define OMITTED(name, function, usage, text)

/* Recordings are read by a program of its own, as libbabeltrace2 and glib are not on every host. */
#ifdef ACLCHECK_READER
#define COMMAND OMITTED
#define READER DECLARED
#define SHARED(name, function, usage, text) DECLARED(name, function##_reader, usage, text)
#else
#define COMMAND DECLARED
#define READER OMITTED
#define SHARED DECLARED
int cmd_reader(int argc, char **argv);
#endif
#include "tools/aclcheck/commands.def"
#undef COMMAND
#undef READER
#undef SHARED

const struct command commands[] = {
#ifdef ACLCHECK_READER
#define COMMAND OMITTED
#define READER LISTED
#define SHARED(name, function, usage, text) LISTED(name, function##_reader, usage, text)
#else
#define COMMAND LISTED
#define READER(name, function, usage, text) LISTED(name, cmd_reader, usage, text)
#define SHARED LISTED
#endif
#include "tools/aclcheck/commands.def"
	{NULL, NULL, NULL, NULL},
};

static void main_say(const char *format, va_list ap)
{
	char line[8192], safe[4 * sizeof(line)], one[1024];
	struct text t;

	if (command_language() == ACL_LANG_EN)
		format = plural_format(one, sizeof(one), format, ap);
	vsnprintf(line, sizeof(line), format, ap);
	/* Names of files and words of reports are others'. */
	text_init(&t, safe, sizeof(safe));
	sentences_put(&t, line, sizeof(line), command_language());
	fprintf(stderr, "aclcheck: %s\n", safe);
}

void command_say(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	main_say(format, ap);
	va_end(ap);
}

int command_misuse(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	main_say(format, ap);
	va_end(ap);
	return COMMAND_MISUSE;
}

static const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

void *need(void *p)
{
	if (!p) {
		command_say("out of memory");
		exit(COMMAND_MISUSE);
	}
	return p;
}

/* "OPTION\tTEXT", or a paragraph. */
static void help_line(const char *line, int indent)
{
	const char *end = line + strcspn(line, "\n"), *tab = memchr(line, '\t', (size_t)(end - line));
	char *text = need(strndup(tab ? tab + 1 : line, (size_t)(end - (tab ? tab + 1 : line))));

	command_wrap(
		in_language(text), tab ? indent : 0, tab ? printf("  %.*s", (int)(tab - line), line) : 0);
	free(text);
}

int command_help(const char *name, const char *lines)
{
	const struct command *c = command_find(name);
	int width = 0;

	printf("%s%s\n\n%s\n", in_language("usage: aclcheck "), c->usage, in_language(c->text));
	if (!*lines)
		return 0;
	putchar('\n');
	for (const char *at = lines; *at; at += strcspn(at, "\n") + 1) {
		const int n = (int)strcspn(at, "\t\n");

		width = at[n] == '\t' && n > width ? n : width;
	}
	for (const char *at = lines; *at; at += strcspn(at, "\n") + 1)
		help_line(at, width + 4);
	return 0;
}

static int main_help(FILE *to)
{
	fprintf(to, "%sCOMMAND ...\n\n", in_language("usage: aclcheck "));
	for (const struct command *c = commands; c->name; c++)
		fprintf(to, "  %-13s %s\n", c->name, in_language(c->text));
	fprintf(to, "\n  %s\n\n%s\n",
		in_language("aclcheck COMMAND --help explains each of them; aclcheck --version prints the "
			    "version."),
		in_language("Exit codes: the program's own when the verdict is pass, 97 fail, 98 "
			    "inconclusive, 99 misuse."));
	return to == stderr ? COMMAND_MISUSE : 0;
}

static int subcommand(int argc, char **argv)
{
	const struct command *c;
	struct suggestion s;

	/* What is wrong with an option is said in the words of the others: command_bad_option(). */
	opterr = 0;
	if (argc < 2)
		return main_help(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return main_help(stdout);
	if (!strcmp(argv[1], "--version")) {
		puts("aclcheck " ACLCHECK_VERSION);
		return 0;
	}
	c = command_find(argv[1]);
	if (!c) {
		suggest_begin(&s, argv[1]);
		for (c = commands; c->name; c++)
			suggest(&s, c->name);
		command_say("unknown command '%s'%s", argv[1], suggest_text(&s));
		return main_help(stderr);
	}
	return c->run(argc - 1, argv + 1);
}

static void do_nothing(int signal)
{
	(void)signal;
}

/* Writing beyond the limit of file sizes fails with an error. A handler, as exec takes it away again. */
static void heed_size_limit(void)
{
	struct sigaction quiet = {.sa_handler = do_nothing, .sa_flags = SA_RESTART}, old;

	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &quiet, NULL);
}

/*
 * A standard descriptor that is closed stays so for the program, and is no place for a file of ours
 * meanwhile: what people are meant to read would be written there. What stands there fails as a closed one
 * does.
 */
static void reserve_standard_descriptors(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC) < 0)
			return; /* no /dev: it goes without */
}

int main(int argc, char **argv)
{
	int code;

	reserve_standard_descriptors();
	heed_size_limit();
	child_signals_heed();
	code = subcommand(argc, argv);

	/* What was printed is not taken for whole when the disk was full. */
	if (code != COMMAND_MISUSE && (fflush(stdout) || ferror(stdout)))
		return command_misuse("standard output: %s", strerror(errno));
	return code;
}
