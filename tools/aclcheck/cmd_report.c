/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck report and aclcheck merge: reports in, one report out. */
#include <getopt.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/aclcheck/formats/formats.h"
#include "tools/aclcheck/common/command.h"

#define MAX_FINDINGS 20 /* in full on a terminal */

int cmd_report(int argc, char **argv);
int cmd_merge(int argc, char **argv);

static int report_help(const char *name)
{
	char lines[1024];

	snprintf(lines, sizeof(lines),
		"--format F\t%s\n"
		"-o FILE\twrite there instead of standard output\n"
		"--suppress FILE\tsuppressions\n"
		"--baseline OLD\treport whose findings are known\n"
		"--max-findings N\ttext: N findings in full, ten times as many in a line each, the rest as a "
		"number "
		"[all; 20 on a terminal]\n"
		"--lang L\ttext and page: en or zh [ACLCHECK_LANG, else en]\n"
		"--fail-on W\terror, warning or new (than the baseline)\n"
		"\nReports of processes that were killed are read from their journals (.part). The exit code "
		"is the "
		"verdict of all together: 0, 97 fail, 98 inconclusive.\n",
		report_format_names());
	return command_help(name, lines);
}

static bool read_count(const char *text, size_t *out)
{
	char *end;

	errno = 0;
	*out = strtoul(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && !errno;
}

/* Merged reports may be larger than a tree of them should be: written as they are read. Without findings. */
static json_t *write_merged(struct merge *m, const char *output, bool *good)
{
	struct whole_file w;
	json_t *report;
	FILE *to = output && strcmp(output, "-") ? whole_file_begin(&w, output) : stdout;

	if (!to) {
		*good = false;
		return merge_result(m);
	}
	report = merge_write(m, to);
	*good &= to == stdout ? report_flushed(stdout) : whole_file_end(&w);
	return report;
}

static int end(struct merge *m, json_t *report, bool good)
{
	int code = report_exit(report);

	merge_free(m);
	json_decref(report);
	return good ? code : COMMAND_MISUSE;
}

static int convert(int argc, char **argv, const char *format_name)
{
	static const struct option options[] = {{"format", required_argument, NULL, 'f'},
		{"output", required_argument, NULL, 'o'}, {"suppress", required_argument, NULL, 's'},
		{"baseline", required_argument, NULL, 'b'}, {"fail-on", required_argument, NULL, 'x'},
		{"max-findings", required_argument, NULL, 'm'}, {"lang", required_argument, NULL, 'l'},
		{"help", no_argument, NULL, 'h'}, {0}};
	const struct report_format *format;
	const char *output = NULL, *suppress = NULL;
	json_t *baseline = NULL;
	enum fail_on fail_on = FAIL_ON_ERROR;
	bool evaluate = false, limited = false;
	struct merge *m;
	bool good = true;
	json_t *report;
	int c;

	while ((c = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		if (c == 'f')
			format_name = optarg;
		else if (c == 'o')
			output = optarg;
		else if (c == 's')
			suppress = optarg;
		else if (c == 'b' && !baseline && (baseline = baseline_read(optarg)))
			continue;
		else if (c == 'b')
			return baseline ? command_misuse("%s: one baseline only", argv[0]) : COMMAND_MISUSE;
		else if (c == 'l' && (!strcmp(optarg, "en") || !strcmp(optarg, "zh")))
			setenv("ACLCHECK_LANG", optarg, 1);
		else if (c == 'l')
			return command_misuse("--lang: invalid value '%s' (expected en or zh)", optarg);
		else if (c == 'm' && (limited = read_count(optarg, &format_options.max_findings)))
			continue;
		else if (c == 'm')
			return command_misuse(
				"--max-findings: invalid number '%s' (expected 0 or more)", optarg);
		else if (c == 'x' && (evaluate = fail_on_parse(optarg, &fail_on)))
			continue;
		else if (c == 'x')
			return command_misuse(
				"--fail-on: invalid value '%s' (expected error, warning or new)", optarg);
		else
			return c == 'h' ? report_help(argv[0]) : command_bad_option(argv, optind, options);
	}
	if (!limited && !output && isatty(STDOUT_FILENO))
		format_options.max_findings = MAX_FINDINGS;
	format = report_format_find(format_name);
	if (!format)
		return report_format_unknown(format_name);
	if (optind == argc)
		return command_misuse("%s: no report named", argv[0]);
	if (fail_on == FAIL_ON_NEW && !baseline)
		return command_misuse("--fail-on new needs --baseline OLD");
	if (suppress && !suppressions_read(suppress))
		return COMMAND_MISUSE;
	m = merge_new();
	for (; optind < argc; optind++)
		good &= merge_add(m, argv[optind]);
	/* It says the same now as when it was written. */
	if (!evaluate && merge_is_against_baseline(m)) {
		fail_on = FAIL_ON_NEW;
		evaluate = true;
	}
	if (!strcmp(format->name, "json") && !suppress && !baseline && !evaluate) {
		report = write_merged(m, output, &good);
		return end(m, report, good);
	}
	report = merge_result(m);
	missing_lines_resolve(report);
	if (suppress)
		suppressions_apply(report);
	if (baseline)
		baseline_apply(report, baseline);
	json_decref(baseline);
	if (evaluate || suppress)
		report_evaluate(report, evaluate ? fail_on : report_fail_on(report));
	good &= report_write(output, format, report);
	return end(m, report, good);
}

int cmd_report(int argc, char **argv)
{
	return convert(argc, argv, "text");
}

int cmd_merge(int argc, char **argv)
{
	return convert(argc, argv, "json");
}
