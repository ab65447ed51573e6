/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck suppress: a suppression file out of a report. */
#include <getopt.h>
#include <stdlib.h>

#include "interpose/common/suppression.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/formats/formats.h"

int cmd_suppress(int argc, char **argv);

static json_t *suppression_for(const json_t *finding, const char *reason, const char *until)
{
	const json_t *frame = finding_frame(finding);
	char *note = NULL;
	json_t *json;

	if (asprintf(&note, "%s%s%s%s%s", text_of(finding, "call"), frame ? " in " : "",
		    frame ? text_of(frame, "function") : "", frame && *text_of(frame, "file") ? ", " : "",
		    frame ? text_of(frame, "file") : "") < 0)
		return NULL;
	json = json_pack("{s:s, s:s, s:s, s:s}", "rule", text_of(finding, "rule"), "fingerprint",
		text_of(finding, "fingerprint"), "note", note, "reason", reason);
	free(note);
	if (json && until)
		json_object_set_new(json, "until", json_string(until));
	return json;
}

static void print_suppressions(const json_t *report, const char *reason, const char *until)
{
	json_t *list = json_array(), *top = json_pack("{s:o}", "suppressions", list), *finding, *one;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		if (flag_of(finding, "suppressed") || flag_of(finding, "expected"))
			continue;
		one = suppression_for(finding, reason, until);
		if (one)
			json_array_append_new(list, one);
	}
	json_dumpf(top, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(top);
}

int cmd_suppress(int argc, char **argv)
{
	static const struct option options[] = {{"reason", required_argument, NULL, 'r'},
		{"until", required_argument, NULL, 'u'}, {"help", no_argument, NULL, 'h'}, {0}};
	const char *reason = NULL, *until = NULL;
	struct merge *m;
	json_t *report;
	bool good = true;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h')
			return command_help("suppress",
				"--reason TEXT\twhy they are accepted; without it each reason has to be "
				"filled in\n"
				"--until DAY\tlast day they hold, as in 2027-01-31\n"
				"\nPrints a file for --suppress: each finding by rule and fingerprint.\n");
		if (c == 'r')
			reason = optarg;
		else if (c == 'u')
			until = optarg;
		else
			return command_bad_option(argv, optind, options);
	}
	if (reason && suppress_is_blank(reason))
		return command_misuse(
			"--reason: it is blank (expected a text: --reason 'upstream issue 12')");
	if (until && !suppress_is_date(until))
		return command_misuse(
			"--until: invalid value '%s' (expected a day: --until 2027-01-31)", until);
	if (optind == argc)
		return command_misuse("suppress: no report named");
	m = merge_new();
	for (; optind < argc; optind++)
		good &= merge_add(m, argv[optind]);
	report = merge_result(m);
	merge_free(m);
	if (good)
		print_suppressions(report, reason ? reason : "", until);
	json_decref(report);
	return good ? 0 : COMMAND_MISUSE;
}
