/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclcheck run: each process below writes its own report into a directory;
 * afterwards they are merged, given a verdict and written in the wanted format.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aclcheck/model.h"
#include "interpose/common/file_status.h"
#include "interpose/common/settings_table.h"
#include "interpose/common/notify_parent.h"
#include "interpose/common/run_socket.h"
#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/formats/formats.h"
#include "tools/aclcheck/run/run.h"

int cmd_run(int argc, char **argv);

enum {
	OPT_SOFTNPU = SETTING_COUNT,
	OPT_FORMAT,
	OPT_TRACE,
	OPT_TIMEOUT,
	OPT_WATCH,
	OPT_KEEP,
	OPT_BASELINE,
	OPT_HELP
};

struct run {
	const char *report, *format_name, *devices, *suppress, *trace, *target;
	json_t *baseline;
	char **program; /* as named, with its arguments */
	time_t started;
	const struct report_format *format;
	enum fail_on fail_on;
	bool softnpu, keep_exit_code, notes_only;
	unsigned timeout;
	struct run_directory directory; /* of the processes' own reports */
	char *outer; /* that of the run above, NULL = there is none */
	struct notices *notices; /* what those say that could not write theirs */
	char *earlier, *aside; /* the report of an earlier run, and where it is while this one runs */
};

static const struct {
	const char *name, *argument, *text;
	int id, has;
} own_options[] = {
	{"softnpu", "[=DEVICES]",
		"run on the software runtime instead of an NPU; with --target-cann (or SOFTNPU_CANN) of a "
		"release it has that release's functions only, and behaves like it",
		OPT_SOFTNPU, optional_argument},
	{"format", " F", "format of the report", OPT_FORMAT, required_argument},
	{"baseline", " OLD", "report whose findings are known: with --fail-on new only others fail",
		OPT_BASELINE, required_argument},
	{"trace", " DIR", "record all calls as well, as aclcheck trace -o DIR does", OPT_TRACE,
		required_argument},
	{"timeout", " S", "end the program after S seconds; the verdict is then inconclusive or fail",
		OPT_TIMEOUT, required_argument},
	{"watch", " auto|notes",
		"how processes without the checker are found: auto = by the kernel's records of processes "
		"where "
		"it permits that, notes = by what covered processes note when they start others",
		OPT_WATCH, required_argument},
	{"keep-exit-code", "", "always exit as the program did", OPT_KEEP, no_argument},
	{"help", "", "this", OPT_HELP, no_argument},
};
#define SOFTNPU_DEVICES_MAX 64
#define OWN_OPTIONS (sizeof(own_options) / sizeof(*own_options))

static int run_help(void)
{
	command_help("run", "");
	for (unsigned i = 0; i < OWN_OPTIONS; i++) {
		printf("  --%s%s\n", own_options[i].name, own_options[i].argument);
		command_wrap(in_language(own_options[i].text), 8, 0);
		if (own_options[i].id == OPT_FORMAT)
			printf("        %s\n", report_format_names());
	}
	settings_print_options(setting_is_option);
	putchar('\n');
	command_wrap(in_language("Exit codes: the program's own when the verdict is pass (128 + n when "
				 "signal n ended it), 97 fail, 98 "
				 "inconclusive, 99 misuse: nothing was run."),
		0, 0);
	return 0;
}

static void make_options(struct option *options, char names[][48])
{
	unsigned n = settings_make_options(options, names, setting_is_option);

	for (unsigned i = 0; i < OWN_OPTIONS; i++)
		options[n++] = (struct option){
			own_options[i].name, own_options[i].has, NULL, own_options[i].id + 256};
	options[n] = (struct option){0};
}

/* A wrong value is refused here, before anything runs. */
static int set_option(struct run *run, enum setting s, const char *value)
{
	if (s == SETTING_REPORT) {
		run->report = value;
		return 0;
	}
	/* Read here too: what is wrong with it is said before anything runs, and what is unused afterwards.
	 */
	if (s == SETTING_SUPPRESS && !suppressions_read(value))
		return COMMAND_MISUSE;
	if (s == SETTING_SUPPRESS)
		run->suppress = value;
	if (s == SETTING_TARGET_CANN)
		run->target = value;
	if (s == SETTING_FAIL_ON) {
		if (!fail_on_parse(value, &run->fail_on))
			return command_misuse(
				"--fail-on: invalid value '%s' (expected error, warning or new)", value);
		value = run->fail_on == FAIL_ON_WARNING ? "warning" : "error";
	}
	return setting_set(s, value);
}

/* Digits only: the text is handed on as it is. */
static bool is_device_count(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= 2 && !text[digits] && atoi(text) <= SOFTNPU_DEVICES_MAX;
}

static int own_option(struct run *run, int id, const char *value)
{
	switch (id) {
	case OPT_SOFTNPU:
		run->softnpu = true;
		run->devices = value;
		return value && !is_device_count(value)
			       ? command_misuse("--softnpu: invalid number of devices '%s' (expected 0 to "
						"%d: --softnpu=2)",
					 value, SOFTNPU_DEVICES_MAX)
			       : 0;
	case OPT_FORMAT:
		run->format_name = value;
		run->format = report_format_find(value);
		return run->format ? 0 : report_format_unknown(value);
	case OPT_BASELINE:
		run->baseline = baseline_read(value);
		return run->baseline ? 0 : COMMAND_MISUSE;
	case OPT_TRACE:
		run->trace = value;
		return 0;
	case OPT_TIMEOUT:
		return timeout_parse(value, &run->timeout);
	case OPT_WATCH:
		run->notes_only = !strcmp(value, "notes");
		return run->notes_only || !strcmp(value, "auto")
			       ? 0
			       : command_misuse(
					 "--watch: invalid value '%s' (expected auto or notes)", value);
	default:
		run->keep_exit_code = true;
		return 0;
	}
}

/* 0 = go on, else the exit code + 1 (help exits with 0). */
static int run_parse(struct run *run, int argc, char **argv)
{
	char names[SETTING_COUNT][48];
	struct option options[SETTING_COUNT + OWN_OPTIONS + 1];
	int c;

	make_options(options, names);
	while ((c = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		int code = 0;

		if (c == '?')
			return command_bad_option(argv, optind, options) + 1;
		if (c == 'h' || c == OPT_HELP + 256)
			return run_help() + 1;
		/* "--report -- ./app": the name of the file was forgotten. */
		if (optarg && !strcmp(optarg, "--"))
			return command_misuse("%s: a value is missing before '--'; see 'aclcheck run --help'",
				       argv[optind - 2]) +
			       1;
		if (c - 256 < SETTING_COUNT)
			code = set_option(run, (enum setting)(c - 256), optarg);
		else
			code = own_option(run, c - 256, optarg);
		if (code)
			return code + 1;
	}
	if (run->fail_on == FAIL_ON_NEW && !run->baseline)
		return command_misuse("run: --fail-on new needs --baseline OLD") + 1;
	if (optind == argc)
		return command_misuse("run: no program named; see 'aclcheck run --help'") + 1;
	return 0;
}

/* Before anything runs: where the report goes is not known to fail afterwards. */
static int check_report(struct run *run)
{
	const char *report = run->report ? run->report : getenv("ACLCHECK_REPORT");
	struct stat st;

	run->report = report && *report ? report : NULL;
	if (run->report && !filestat_path(run->report, &st) && S_ISDIR(st.st_mode))
		return command_misuse(
			"--report %s: Is a directory (expected a file: --report %s/report.json)", run->report,
			run->report);
	return 0;
}

/* Beside the report when one is named: then also processes on other machines reach it. */
static bool run_make_directory(struct run *run)
{
	char *pattern = NULL;
	bool beside, made;

	beside = run->report && !whole_file_is_special(run->report);
	if (asprintf(&pattern, beside ? "%s.d.XXXXXX" : "%s/aclcheck-XXXXXX",
		    beside ? run->report : temporary_directory()) < 0)
		return false;
	leftover_remove(pattern);
	made = run_directory_make(&run->directory, pattern);
	free(pattern);
	if (!made)
		return false;
	/* The report is this command's; a process that is given one of its own writes both. */
	unsetenv("ACLCHECK_REPORT");
	run->notices = need(calloc(1, sizeof(*run->notices)));
	notices_open(run->notices, run->directory.job, run->directory.path);
	return !setenv("ACLCHECK_JOB", run->directory.job, 1) &&
	       !setenv("ACLCHECK_RUN", run->directory.path, 1);
}

/*
 * When this command is killed, what an earlier one reported is not to be taken for its report: it is in our
 * directory meanwhile, and ends with that. Special files have no place to go to.
 */
static void set_aside(struct run *run)
{
	if (run->report && !whole_file_is_special(run->report))
		run->earlier = realpath(run->report, NULL);
	if (!run->earlier)
		return;
	need(asprintf(&run->aside, "%s/" RUN_EARLIER, run->directory.path) < 0 ? NULL : run->aside);
	if (rename(run->earlier, run->aside)) {
		free(run->earlier);
		run->earlier = NULL;
	}
}

/* It is replaced as any other file is, or stays. */
static void put_back(struct run *run)
{
	if (run->earlier && rename(run->aside, run->earlier))
		command_say("%s: %s", run->earlier, strerror(errno));
	free(run->earlier);
	free(run->aside);
	run->earlier = NULL;
}

/* Nothing ran. */
static int discard(struct run *run, int code)
{
	char text[NOTIFY_MAX];

	put_back(run);
	notices_close(run->notices, text, sizeof(text));
	run_directory_remove(&run->directory);
	return code;
}

/* Beside those of an aclcheck run below this one. */
static void add_run(json_t *report, json_t *record)
{
	json_t *runs = json_object_get(report, "runs");

	if (!runs)
		json_object_set_new(report, "runs", runs = json_array());
	json_array_insert_new(runs, 0, record);
}

/* The option's, else what environment or configuration file set for the processes. */
static enum fail_on measure(const struct run *run, const json_t *report)
{
	return run->fail_on == FAIL_ON_ERROR ? report_fail_on(report) : run->fail_on;
}

/* *readable: all that the processes left could be read. */
static json_t *run_collect(
	const struct run *run, const struct supervised *ended, struct uncovered *u, bool *readable)
{
	const char *uncovered = uncovered_found(u), *lost = uncovered_lost_journal(u);
	struct merge *m = merge_new();
	json_t *report;
	char text[NOTIFY_MAX];

	*readable = merge_add(m, run->directory.path);
	if (!*readable)
		merge_inconclusive(m, "report-lost", "not all reports of the processes could be read");
	if (notices_close(run->notices, text, sizeof(text)))
		merge_inconclusive(m, "report-lost", text);
	if (ended->timed_out) {
		merge_inconclusive(m, "timeout",
			plural_text(
				text, sizeof(text), "the program was ended after %u seconds", run->timeout));
	} else if (WIFSIGNALED(ended->status)) {
		snprintf(text, sizeof(text), "the program was ended by signal %d (%s)",
			WTERMSIG(ended->status), strsignal(WTERMSIG(ended->status)));
		merge_inconclusive(m, "killed-by-signal", text);
	} else if (!merge_processes(m)) {
		merge_inconclusive(
			m, "nothing-observed", "no process made an acl call that reached the checker");
	}
	if (ended->left)
		merge_inconclusive(m, "still-running",
			plural_text(text, sizeof(text),
				"%u processes were still running when the program had ended", ended->left));
	if (*uncovered)
		merge_inconclusive(m, "child-not-covered", uncovered);
	if (*lost)
		merge_inconclusive(m, "report-lost", lost);
	if (uncovered_lost_run(u)) {
		snprintf(text, sizeof(text), "aclcheck run, process %d, left no report of what it ran",
			(int)uncovered_lost_run(u));
		merge_inconclusive(m, "report-lost", text);
	}
	report = merge_result(m);
	merge_free(m);
	if (ended->timed_out)
		timeout_describe(report);
	add_run(report, run_record(run->program, ended->status, run->started));
	missing_lines_resolve(report);
	if (run->suppress)
		suppressions_apply(report);
	if (run->baseline)
		baseline_apply(report, run->baseline);
	if (run->fail_on != FAIL_ON_ERROR || run->suppress)
		report_evaluate(report, measure(run, report));
	return report;
}

static int program_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool log_is_off(void)
{
	const char *log = getenv("ACLCHECK_LOG");

	return log && !strcmp(log, "off");
}

/* The processes showed their findings on stderr; what is added here is the summary of all. */
static void say_verdict(const json_t *report)
{
	const json_t *doubts = json_object_get(report, "inconclusive"), *doubt;
	size_t i, processes = json_array_size(json_object_get(report, "processes"));

	if (json_array_size(json_object_get(report, "processes")) && !log_is_off())
		print_job_summary(stderr, report);
	fputs("aclcheck: ", stderr);
	print_in_language(stderr, "verdict %s (%zu processes)", text_of(report, "verdict"), processes);
	json_array_foreach(doubts, i, doubt)
	{
		fputs(i ? ", " : "; ", stderr);
		put_safe(stderr, text_of(doubt, "reason"));
		fputs(": ", stderr);
		put_safe(stderr, in_language(text_of(doubt, "text")));
	}
	fputc('\n', stderr);
	json_array_foreach(json_object_get(report, "expectations"), i, doubt)
	{
		if (expectation_unmet(doubt))
			command_say("expected, but not seen: %s (%s), %s", expectation_rule(doubt),
				text_of(doubt, "reason"), expectation_place(report, doubt));
		else if (flag_of(doubt, "expired"))
			command_say("expectation of %s (%s) expired on %s", expectation_rule(doubt),
				text_of(doubt, "reason"), text_of(doubt, "until"));
	}
}

/* The report is not where it was wanted: whatever it says will not be read. */
static void add_lost_report(json_t *report, const struct run *run)
{
	char text[NOTIFY_MAX];

	snprintf(text, sizeof(text), "%.400s could not be written",
		run->report ? run->report : "standard error");
	json_array_append_new(json_object_get(report, "inconclusive"),
		json_pack("{s:s, s:s}", "reason", "report-lost", "text", text));
	report_evaluate(report, measure(run, report));
}

/* For machines, and always the last line: what the exit code alone does not distinguish. */
static void say_status(const json_t *report, int status, int code)
{
	fprintf(stderr, "aclcheck: status verdict=%s program=%s%d exit=%d\n", text_of(report, "verdict"),
		WIFSIGNALED(status) ? "signal-" : "",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), code);
}

/* Standard output is the program's: without a file the report goes beside what else the command says. */
static bool write_report(const struct run *run, const json_t *report)
{
	if (run->report)
		return report_write(run->report, run->format, report);
	run->format->print(stderr, report);
	return report_flushed(stderr);
}

static int run_finish(struct run *run, const struct supervised *ended, struct uncovered *u)
{
	bool good = true, readable;
	json_t *report = run_collect(run, ended, u, &readable);
	int code;

	if (getenv("ACLCHECK_REPORT_MODE") && !strcmp(getenv("ACLCHECK_REPORT_MODE"), "owner"))
		umask(umask(0) | 077);
	put_back(run);
	if (run->report || run->format_name)
		good = write_report(run, report);
	if (!good)
		add_lost_report(report, run);
	if (run->outer)
		outer_run_end(run->outer, run->directory.path, report);
	say_verdict(report);
	if (good && readable) {
		run_directory_remove(&run->directory);
	} else {
		run_directory_keep(&run->directory);
		command_say("the processes' own reports are kept in %s", run->directory.path);
	}
	code = report_exit(report);
	if (run->keep_exit_code || code == COMMAND_PASS)
		code = program_code(ended->status);
	say_status(report, ended->status, code);
	json_decref(report);
	return code;
}

/* The release whose software runtime is wanted, NULL = none in particular. */
static const char *release_of(const struct run *run)
{
	const char *wanted = getenv("SOFTNPU_CANN");

	if (!wanted || !*wanted)
		wanted = run->target ? run->target : getenv("ACLCHECK_TARGET_CANN");
	for (unsigned i = 0; wanted && i < ACL_CANN_MAIN; i++)
		if (!strcmp(wanted, acl_cann_names[i]))
			return acl_cann_names[i];
	return NULL;
}

static void announce(void *directory, pid_t program)
{
	run_directory_program(directory, program);
}

/*
 * With --trace the program is started by "aclcheck trace", which knows the daemons: it ends the program in
 * time, and none of them.
 */
static char **whole_command(const struct run *run, char **program, const char *timeout)
{
	const char *before[] = {
		launch_self(), "trace", "-o", run->trace, run->timeout ? "--timeout" : "--", timeout, "--"};
	const size_t n = run->timeout ? sizeof(before) / sizeof(*before) : 5;
	size_t count = 0;
	char **argv;

	if (!run->trace)
		return program;
	while (program[count])
		count++;
	argv = need(calloc(n + count + 1, sizeof(*argv)));
	memcpy(argv, before, n * sizeof(*argv));
	memcpy(argv + n, program, count * sizeof(*argv));
	return argv;
}

/* False: no child could be made. */
static bool run_whole(struct run *run, char **argv, struct uncovered *u, struct supervised *ended)
{
	const struct supervision how = {.timeout = run->trace ? 0 : run->timeout,
		.uncovered = u,
		.started = announce,
		.context = &run->directory};

	if (!supervise(argv, &how, ended))
		return false;
	if (run->trace && run_timed_out(&run->directory)) {
		/* The code was the recorder's; what the program made of the signal it keeps for itself. */
		ended->timed_out = true;
		ended->status = SIGTERM;
	}
	return true;
}

int cmd_run(int argc, char **argv)
{
	struct run run = {.format = report_format_find("json")};
	int code = run_parse(&run, argc, argv);
	struct supervised ended;
	struct uncovered *u;
	char outer_job[128], timeout[16];
	const char *why;

	if (code)
		return code - 1;
	argv += optind;
	run.program = argv;
	run.started = time(NULL);
	why = launch_refusal(argv[0]);
	if (why)
		return command_misuse("%s", why);
	if (check_report(&run))
		return COMMAND_MISUSE;
	format_options.keeps_exit_code = run.keep_exit_code;
	snprintf(outer_job, sizeof(outer_job), "%s", getenv("ACLCHECK_JOB") ? getenv("ACLCHECK_JOB") : "");
	run.outer = outer_run_find();
	if (!settings_name_files())
		return command_misuse("out of memory");
	if (!launch_preload(argv[0]) || (run.softnpu && !launch_softnpu(run.devices, release_of(&run))) ||
		!run_make_directory(&run))
		return COMMAND_MISUSE;
	if (run.outer && !outer_run_begin(run.outer, outer_job)) {
		command_say("the run above will not have the findings of this one");
		free(run.outer);
		run.outer = NULL;
	}
	snprintf(timeout, sizeof(timeout), "%u", run.timeout);
	argv = whole_command(&run, argv, timeout);
	set_aside(&run);
	u = uncovered_new(run.directory.path, run.notes_only);
	if (!run_whole(&run, argv, u, &ended)) {
		code = discard(&run, command_misuse("no process can be made: %s", strerror(errno)));
	} else if (ended.exec_error) {
		code = discard(&run, command_misuse("%s: %s", argv[0], strerror(ended.exec_error)));
	} else {
		code = run_finish(&run, &ended, u);
	}
	uncovered_free(u);
	return code;
}
