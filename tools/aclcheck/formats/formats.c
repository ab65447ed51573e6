/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats and what several of them need. */
#include "tools/aclcheck/formats/formats.h"

#include "tools/aclcheck/report/report.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/common/suppression.h"
#include "interpose/common/text.h"
#include "tools/aclcheck/common/command.h"

const struct report_format report_formats[] = {
	{"text", print_text},
	{"json", print_json},
	{"sarif", print_sarif},
	{"junit", print_junit},
	{"tap", print_tap},
	{"tap14", print_tap14},
	{"github", print_github},
	{"gitlab", print_gitlab},
	{"html", print_html},
	{"rules", print_rules},
	{NULL, NULL},
};

struct format_options format_options = {.max_findings = SIZE_MAX};

/* 0 = fails; what does not count comes last. */
static unsigned gravity(const json_t *report, const json_t *finding)
{
	static const char *const severities[] = {"error", "warning", "perf", "portability"};
	unsigned s = 0;

	if (finding_failed(report, finding))
		return 0;
	while (s < 4 && strcmp(severities[s], text_of(finding, "severity")) != 0)
		s++;
	return (*finding_status(finding) ? 10 : 1) + s;
}

static int by_gravity(const void *a, const void *b)
{
	const struct graded_finding *x = a, *y = b;

	if (x->gravity != y->gravity)
		return x->gravity < y->gravity ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

struct graded_finding *findings_by_gravity(const json_t *report)
{
	const json_t *findings = json_object_get(report, "findings"), *finding;
	size_t n = json_array_size(findings), i;
	struct graded_finding *graded = need(calloc(n + 1, sizeof(*graded)));

	json_array_foreach(findings, i, finding) graded[i] =
		(struct graded_finding){finding, gravity(report, finding), i};
	qsort(graded, n, sizeof(*graded), by_gravity);
	return graded;
}

/* Of the frame to look at first. */
static size_t finding_depth(const json_t *finding)
{
	const json_t *stack = json_object_get(finding, "stack"), *frame;
	size_t i;

	json_array_foreach(
		stack, i, frame) if (*text_of(frame, "file") && !flag_of(frame, "library")) return i;
	return 0;
}

const json_t *finding_frame(const json_t *finding)
{
	return json_array_get(json_object_get(finding, "stack"), finding_depth(finding));
}

bool finding_failed(const json_t *report, const json_t *finding)
{
	enum fail_on fail_on = FAIL_ON_ERROR;

	fail_on_parse(text_of(report, "fail_on"), &fail_on);
	return finding_fails(finding, fail_on);
}

const char *finding_status(const json_t *finding)
{
	static char buf[512];

	if (flag_of(finding, "suppressed")) {
		snprintf(buf, sizeof(buf), "suppressed: %.400s", text_of(finding, "suppressed_by"));
		return buf;
	}
	if (flag_of(finding, "expected")) {
		snprintf(buf, sizeof(buf), "expected: %.400s", text_of(finding, "expected_by"));
		return buf;
	}
	if (flag_of(finding, "advice"))
		return "advice";
	if (flag_of(finding, "secondary"))
		return "a consequence of another finding";
	return flag_of(finding, "known") ? "known" : "";
}

const char *frame_place(const json_t *frame)
{
	static char buf[1024];

	if (!frame)
		return "";
	if (*text_of(frame, "file"))
		snprintf(buf, sizeof(buf), "%.400s (%.500s:%lld)", text_of(frame, "function"),
			text_of(frame, "file"), number_of(frame, "line"));
	else
		snprintf(buf, sizeof(buf), "%.400s (%.500s)", text_of(frame, "function"),
			text_of(frame, "module"));
	return buf;
}

const char *finding_place(const json_t *finding)
{
	return frame_place(finding_frame(finding));
}

const char *finding_caller(const json_t *finding)
{
	return frame_place(json_array_get(json_object_get(finding, "stack"), finding_depth(finding) + 1));
}

/* What a user would look for first when a test no longer trips. */
static const char *unmet_reason(const json_t *report, const json_t *expectation)
{
	const char *pattern = text_of(expectation, "rule");
	unsigned named = 0, on = 0, evaluated = 0;
	json_int_t times;

	if (!*pattern || !expectation_unmet(expectation) || number_of(expectation, "met") > 0)
		return "";
	for (unsigned i = 0; i < acl_rule_count; i++) {
		enum coverage_state state;

		if (!glob_match(pattern, acl_rules[i].id))
			continue;
		state = coverage_state(report, &acl_rules[i], &times);
		named++;
		on += state != COVERAGE_OFF;
		evaluated += state == COVERAGE_SILENT || state == COVERAGE_BROKEN;
	}
	if (!named)
		return ", no rule has this name";
	if (!on)
		return ", the rule is switched off or not checked yet";
	return coverage_reported(report) && !evaluated ? ", the rule was never evaluated" : "";
}

const char *expectation_place(const json_t *report, const json_t *expectation)
{
	static char buf[1280];

	if (strcmp(text_of(expectation, "in"), "program") != 0)
		snprintf(buf, sizeof(buf), "an entry of the suppression file%s",
			unmet_reason(report, expectation));
	else
		snprintf(buf, sizeof(buf), "a scope opened in %s, %lld of %lld times seen%s",
			frame_place(json_object_get(expectation, "place")), number_of(expectation, "met"),
			number_of(expectation, "opened"), unmet_reason(report, expectation));
	return buf;
}

const char *injected_place(const json_t *injected)
{
	const json_t *python = json_object_get(injected, "python");

	return frame_place(python ? python : json_object_get(injected, "place"));
}

bool injected_changed(const json_t *injected)
{
	return number_of(injected, "error") > 0 || number_of(injected, "delay_ns") > 0;
}

const char *injected_noticed(const json_t *injected)
{
	static const char *const words[][2] = {{"output-used", "what it left behind was used"},
		{"stopped", "the process ended with an error"}, {"retried", "the call was made again"},
		{"no-sign", "no sign that it was noticed"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(text_of(injected, "noticed"), words[i][0]))
			return words[i][1];
	return "";
}

const char *injected_text(const json_t *injected)
{
	const char *call = text_of(injected, "call"), *name = text_of(injected, "error_name"),
		   *place = injected_place(injected);
	const long long times = number_of(injected, "times");
	static char buf[2048];

	if (json_object_get(injected, "error"))
		snprintf(buf, sizeof(buf), "%s failed with %lld (%s) x %lld, in %s: %s", call,
			(long long)number_of(injected, "error"), *name ? name : "unnamed", times, place,
			injected_noticed(injected));
	else
		snprintf(buf, sizeof(buf), "%s took %lld us longer x %lld, in %s", call,
			(long long)number_of(injected, "delay_ns") / 1000, times, place);
	return buf;
}

void put_safe(FILE *to, const char *s)
{
	size_t n = strlen(s), cap = 4 * n + 1;
	char *buf = need(malloc(cap));
	struct text t;

	text_init(&t, buf, cap);
	text_safe(&t, s, n);
	fwrite(buf, 1, t.len, to);
	free(buf);
}

const char *finding_ranks(const json_t *finding)
{
	static char buf[512];
	const json_t *ranks = json_object_get(finding, "ranks");
	size_t n = json_array_size(ranks), used;
	json_int_t processes = number_of(finding, "processes");

	*buf = '\0';
	if (processes > 1)
		snprintf(buf, sizeof(buf), "%lld processes", processes);
	if (n)
		strcat(buf, *buf ? ", ranks " : "rank ");
	for (size_t i = 0; i < n;) {
		json_int_t first = json_integer_value(json_array_get(ranks, i)), last = first;
		size_t start = i;

		while (++i < n && json_integer_value(json_array_get(ranks, i)) == last + 1)
			last++;
		used = strlen(buf);
		if (used > sizeof(buf) - 64) {
			strcat(buf, ", …");
			break;
		}
		snprintf(buf + used, sizeof(buf) - used, last > first ? "%s%lld-%lld" : "%s%lld",
			start ? ", " : "", first, last);
	}
	return buf;
}
