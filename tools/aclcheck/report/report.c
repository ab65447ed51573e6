/* SPDX-License-Identifier: Apache-2.0 */
/* Reading members of reports, their verdict, writing them out. */
#include "tools/aclcheck/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

static const char *const fail_on_words[] = {"error", "warning", "new"};

bool fail_on_parse(const char *word, enum fail_on *out)
{
	for (unsigned i = 0; i < sizeof(fail_on_words) / sizeof(*fail_on_words); i++)
		if (!strcmp(word, fail_on_words[i])) {
			*out = (enum fail_on)i;
			return true;
		}
	return false;
}

bool expectation_unmet(const json_t *expectation)
{
	json_int_t met = number_of(expectation, "met");

	if (!strcmp(text_of(expectation, "in"), "program"))
		return met < number_of(expectation, "opened");
	return met < 1 && !flag_of(expectation, "expired");
}

const char *expectation_rule(const json_t *expectation)
{
	const char *rule = text_of(expectation, "rule");

	return *rule ? rule : text_of(expectation, "fingerprint");
}

bool finding_fails(const json_t *finding, enum fail_on fail_on)
{
	const char *severity = text_of(finding, "severity");

	if (flag_of(finding, "advice") || flag_of(finding, "secondary") || flag_of(finding, "suppressed") ||
		flag_of(finding, "expected"))
		return false;
	if (fail_on == FAIL_ON_NEW && flag_of(finding, "known"))
		return false;
	return !strcmp(severity, "error") || (fail_on == FAIL_ON_WARNING && !strcmp(severity, "warning"));
}

/* What the run is without its findings: what was expected may be among what was not seen. */
static const char *verdict_without(const json_t *report)
{
	const json_t *one;
	size_t i;

	if (json_array_size(json_object_get(report, "inconclusive")))
		return "inconclusive";
	json_array_foreach(json_object_get(report, "expectations"), i, one)
	{
		if (expectation_unmet(one))
			return "fail";
	}
	return "pass";
}

const char *finding_total(const json_t *finding)
{
	static const char *const marks[] = {"suppressed", "expected", "advice"};

	if (flag_of(finding, "secondary"))
		return "";
	for (unsigned i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (flag_of(finding, marks[i]))
			return marks[i];
	return text_of(finding, "severity");
}

enum fail_on report_fail_on(const json_t *report)
{
	enum fail_on own = FAIL_ON_ERROR;

	fail_on_parse(text_of(report, "fail_on"), &own);
	return own;
}

void report_evaluate(json_t *report, enum fail_on fail_on)
{
	/* Each key always there. */
	json_t *totals = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "error", 0, "warning", 0, "perf", 0,
		"portability", 0, "advice", 0, "suppressed", 0, "expected", 0);
	json_t *finding;
	const char *verdict = verdict_without(report);
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		const char *key = finding_total(finding);

		if (finding_fails(finding, fail_on))
			verdict = "fail";
		if (json_object_get(totals, key))
			json_object_set_new(totals, key,
				json_integer(number_of(totals, key) + number_of(finding, "count")));
	}
	json_object_set_new(report, "totals", totals);
	json_object_set_new(report, "verdict", json_string(verdict));
	json_object_set_new(report, "fail_on", json_string(fail_on_words[fail_on]));
}

int report_exit(const json_t *report)
{
	const char *verdict = text_of(report, "verdict");

	if (!strcmp(verdict, "pass"))
		return COMMAND_PASS;
	return !strcmp(verdict, "fail") ? COMMAND_FAIL : COMMAND_INCONCLUSIVE;
}
