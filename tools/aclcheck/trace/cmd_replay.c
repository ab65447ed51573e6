/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclcheck replay: aclcheck-reader checks the recorded calls, a report a process; here they become one, as
 * those of a run do.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/aclcheck/formats/formats.h"
#include "tools/aclcheck/run/run.h"
#include "tools/aclcheck/trace/trace.h"

int cmd_replay(int argc, char **argv);

enum { OPT_FORMAT = SETTING_COUNT, OPT_HELP };

struct replay {
	const char *report, *suppress;
	const struct report_format *format;
	char directory[PATH_MAX];
};

/* What decides about findings; the rest is of a process that runs. */
static bool is_option(enum setting s)
{
	return s == SETTING_CONFIG || s == SETTING_REPORT || s == SETTING_RULES || s == SETTING_FAIL_ON ||
	       s == SETTING_TARGET_CANN || s == SETTING_SOC || s == SETTING_SUPPRESS || s == SETTING_LANG ||
	       s == SETTING_SYMBOLS;
}

static int replay_help(void)
{
	command_help("replay", "");
	settings_print_options(is_option);
	printf("  --format F\n");
	command_wrap(in_language("format of the report"), 8, 0);
	printf("        %s\n\n", report_format_names());
	command_wrap(
		in_language(
			"Reads all traces at or below each TRACE. They are checked as the program's calls "
			"were, with these settings instead of the run's; what was not recorded is unknown. A "
			"report names the rules that were never evaluated (--format rules)."),
		0, 0);
	putchar('\n');
	command_wrap(in_language("Exit codes: 0 pass, 97 fail, 98 inconclusive, 99 not readable."), 0, 0);
	return 0;
}

static int set_option(struct replay *r, enum setting s, const char *value)
{
	if (s == SETTING_REPORT) {
		r->report = value;
		return 0;
	}
	if (s == SETTING_SUPPRESS) {
		if (!suppressions_read(value))
			return COMMAND_MISUSE;
		r->suppress = value;
	}
	return setting_set(s, value);
}

static int replay_parse(struct replay *r, int argc, char **argv, bool *helped)
{
	struct option options[SETTING_COUNT + 3] = {{0}};
	char names[SETTING_COUNT][48];
	int c, code = 0;
	unsigned n;

	n = settings_make_options(options, names, is_option);
	options[n++] = (struct option){"format", required_argument, NULL, OPT_FORMAT + 256};
	options[n++] = (struct option){"help", no_argument, NULL, OPT_HELP + 256};
	while (!code && (c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h' || c == OPT_HELP + 256) {
			*helped = true;
			return replay_help();
		}
		if (c == OPT_FORMAT + 256) {
			r->format = report_format_find(optarg);
			code = r->format ? 0 : report_format_unknown(optarg);
		} else if (c >= 256) {
			code = set_option(r, (enum setting)(c - 256), optarg);
		} else {
			code = command_bad_option(argv, optind, options);
		}
	}
	if (!code && optind == argc)
		code = command_misuse("replay: which trace? aclcheck replay TRACE...");
	return code;
}

/* --- the reader ------------------------------------------------------------------ */

static bool replay_make_directory(struct replay *r)
{
	snprintf(r->directory, sizeof(r->directory), "%.4000s/aclcheck-replay-XXXXXX", temporary_directory());
	if (mkdtemp(r->directory))
		return true;
	command_say("%s: %s", r->directory, strerror(errno));
	return false;
}

/* The environment of a run that this command is part of is not the recorded program's. */
static void forget_run(void)
{
	static const char *const variables[] = {"ACLCHECK_JOB", "ACLCHECK_RUN", "ACLCHECK_REPORT",
		"ACLCHECK_LOG", "ACLCHECK_EXITCODE", "ACLCHECK_INJECT", "ASCEND_RT_VISIBLE_DEVICES"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		unsetenv(variables[i]);
}

/* COMMAND_INCONCLUSIVE: not all that there was is in the recordings. */
static int read_traces(const struct replay *r, char **traces, int n)
{
	char **arguments = need(calloc((size_t)n + 2, sizeof(*arguments)));
	int status = 0;
	pid_t pid;

	arguments[0] = (char *)"replay";
	arguments[1] = (char *)r->directory;
	memcpy(arguments + 2, traces, (size_t)n * sizeof(*arguments));
	fflush(NULL);
	pid = fork();
	if (!pid) {
		forget_run();
		_exit(reader_exec(arguments, n + 2));
	}
	free(arguments);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : COMMAND_MISUSE;
}

/* --- the report --------------------------------------------------------------------- */

static json_t *replay_collect(const struct replay *r, bool whole)
{
	struct merge *m = merge_new();
	json_t *report;

	if (!merge_add(m, r->directory))
		merge_inconclusive(m, "report-lost", "not all recorded processes could be checked");
	else if (!merge_processes(m))
		merge_inconclusive(m, "nothing-observed", "no process that calls AscendCL is in it");
	if (!whole)
		merge_inconclusive(m, "recording-incomplete", "the recording ended before the program did");
	report = merge_result(m);
	merge_free(m);
	if (r->suppress)
		suppressions_apply(report);
	report_evaluate(report, report_fail_on(report));
	return report;
}

int cmd_replay(int argc, char **argv)
{
	struct replay r = {.format = NULL};
	bool helped = false, good;
	int code = replay_parse(&r, argc, argv, &helped), read;
	json_t *report;

	if (code || helped)
		return code;
	if (!replay_make_directory(&r))
		return COMMAND_MISUSE;
	read = read_traces(&r, argv + optind, argc - optind);
	report = read && read != COMMAND_INCONCLUSIVE ? NULL : replay_collect(&r, !read);
	temporary_directory_remove(r.directory);
	if (!report)
		return COMMAND_MISUSE;
	format_options.names_processes = true;
	if (!r.format)
		r.format = report_format_find(r.report ? "json" : "text");
	good = report_write(r.report, r.format, report);
	code = good ? report_exit(report) : COMMAND_MISUSE;
	json_decref(report);
	return code;
}
