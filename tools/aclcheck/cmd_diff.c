/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck diff: what is new, gone or still there between two reports. */
#include <getopt.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/formats/formats.h"

int cmd_diff(int argc, char **argv);

static void print_change(const char *what, const json_t *finding)
{
	const json_t *frame = finding_frame(finding);

	printf("%-6s ", what);
	put_safe(stdout, text_of(finding, "fingerprint"));
	putchar(' ');
	put_safe(stdout, text_of(finding, "severity"));
	printf("%*s ", 10 - (int)strnlen(text_of(finding, "severity"), 10), "");
	put_safe(stdout, text_of(finding, "rule"));
	putchar(' ');
	put_safe(stdout, text_of(finding, "call"));
	if (frame) {
		fputs("  ", stdout);
		put_safe(stdout, text_of(frame, "function"));
		if (*text_of(frame, "file")) {
			fputs(" (", stdout);
			put_safe(stdout, text_of(frame, "file"));
			printf(":%lld)", number_of(frame, "line"));
		}
	}
	putchar('\n');
}

/* Rules the program no longer puts to the test: their silence is worth less than before. */
static void print_unevaluated(const json_t *old, const json_t *new)
{
	json_int_t times;

	if (!coverage_reported(old) || !coverage_reported(new))
		return;
	for (unsigned i = 0; i < acl_rule_count; i++) {
		const struct acl_rule *r = &acl_rules[i];

		if (coverage_state(old, r, &times) >= COVERAGE_SILENT &&
			coverage_state(new, r, &times) == COVERAGE_NEVER)
			printf("unevaluated %s\n", r->id);
	}
}

/* Number of new findings that fail. */
static size_t print_changes(json_t *old, json_t *new, enum fail_on fail_on)
{
	json_t *now = baseline_fingerprints(new), *finding;
	size_t i, failing = 0;

	baseline_apply(new, old);
	json_array_foreach(json_object_get(new, "findings"), i, finding)
	{
		if (flag_of(finding, "known") || flag_of(finding, "expected"))
			continue;
		print_change("new", finding);
		failing += finding_fails(finding, fail_on);
	}
	json_array_foreach(json_object_get(old, "findings"), i, finding)
	{
		if (!json_object_get(now, text_of(finding, "fingerprint")) && !flag_of(finding, "expected"))
			print_change("gone", finding);
	}
	json_array_foreach(json_object_get(new, "findings"), i, finding)
	{
		if (flag_of(finding, "known"))
			print_change("still", finding);
	}
	json_decref(now);
	print_unevaluated(old, new);
	return failing;
}

int cmd_diff(int argc, char **argv)
{
	static const struct option options[] = {
		{"fail-on", required_argument, NULL, 'f'}, {"help", no_argument, NULL, 'h'}, {0}};
	enum fail_on fail_on = FAIL_ON_ERROR;
	json_t *old, *new;
	size_t failing;
	int c, code;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h')
			return command_help("diff", "--fail-on error|warning\tleast severity of a new "
						    "finding that makes the exit code 97\n"
						    "\nExit codes: 0 no such finding is new, 97 one is, 98 "
						    "NEW is inconclusive, 99 misuse.\n");
		if (c != 'f')
			return command_bad_option(argv, optind, options);
		if (!fail_on_parse(optarg, &fail_on) || fail_on == FAIL_ON_NEW)
			return command_misuse(
				"--fail-on: invalid value '%s' (expected error or warning)", optarg);
	}
	if (argc - optind != 2)
		return command_misuse("diff: needs an old and a new report");
	old = baseline_read(argv[optind]);
	new = baseline_read(argv[optind + 1]);
	if (!old || !new) {
		json_decref(old);
		json_decref(new);
		return COMMAND_MISUSE;
	}
	failing = print_changes(old, new, fail_on);
	code = failing                                                 ? COMMAND_FAIL
	       : json_array_size(json_object_get(new, "inconclusive")) ? COMMAND_INCONCLUSIVE
								       : COMMAND_PASS;
	json_decref(old);
	json_decref(new);
	return code;
}
