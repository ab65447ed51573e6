/* SPDX-License-Identifier: Apache-2.0 */
/* GitLab code quality: a list of issues, one a call site, fingerprints distinct. */
#include "tools/aclcheck/formats/formats.h"

#include <stdlib.h>
#include <string.h>

#include "interpose/common/text.h"
#include "tools/aclcheck/common/command.h"

/* Text the program has a say in, without control characters and links. */
static json_t *safe(const char *s)
{
	size_t n = strlen(s), cap = 4 * n + 1;
	char *buf = need(malloc(cap));
	struct text t;
	json_t *json;

	text_init(&t, buf, cap);
	text_safe(&t, s, n);
	json = json_string(buf);
	free(buf);
	return json;
}

static const char *severity(const json_t *report, const json_t *finding)
{
	const char *word = text_of(finding, "severity");

	if (finding_failed(report, finding))
		return "critical";
	if (*finding_status(finding))
		return "info";
	return !strcmp(word, "error") || !strcmp(word, "warning") ? "major" : "minor";
}

/* GitLab drops what has no place: without a line it is the first one of the program's file. */
static json_t *location(const json_t *report, const json_t *frame)
{
	const json_t *process = json_array_get(json_object_get(report, "processes"), 0);
	const char *program = json_string_value(json_array_get(json_object_get(process, "argv"), 0));
	const char *file = text_of(frame, "file");
	json_int_t line = number_of(frame, "line");

	if (!*file)
		file = *text_of(frame, "module") ? text_of(frame, "module") : program ? program : "unknown";
	return json_pack("{s:o, s:{s:I}}", "path", safe(repository_path(file)), "lines", "begin",
		line > 0 ? line : (json_int_t)1);
}

static void add_site(
	json_t *list, const json_t *report, const json_t *finding, const json_t *site, size_t number)
{
	const char *detail = text_of(finding, "detail");
	char *text, print[192];

	if (asprintf(&text, "%s: %s%s%s", text_of(finding, "rule"), text_of(finding, "title"),
		    *detail ? ": " : "", detail) < 0)
		return;
	snprintf(print, sizeof(print), number ? "%.128s-%zu" : "%.128s", text_of(finding, "fingerprint"),
		number + 1);
	json_array_append_new(
		list, json_pack("{s:o, s:o, s:o, s:s, s:o}", "description", safe(text), "check_name",
			      safe(text_of(finding, "rule")), "fingerprint", safe(print), "severity",
			      severity(report, finding), "location", location(report, site)));
	free(text);
}

static void add_finding(json_t *list, const json_t *report, const json_t *finding)
{
	const json_t *sites = json_object_get(finding, "sites"), *site;
	size_t i;

	if (flag_of(finding, "suppressed") || flag_of(finding, "expected"))
		return;
	json_array_foreach(sites, i, site) add_site(list, report, finding, site, i);
	if (!json_array_size(sites))
		add_site(list, report, finding, finding_frame(finding), 0);
}

/* What is no finding and still matters: reasons and expectations. */
static void add_remark(
	json_t *list, const json_t *report, const char *name, const char *text, const json_t *frame)
{
	json_t *print;
	char key[1024];

	snprintf(key, sizeof(key), "%s %.900s", name, text);
	print = safe(key);
	json_array_append_new(list,
		json_pack("{s:o, s:s, s:o, s:s, s:o}", "description", safe(text), "check_name", name,
			"fingerprint", print, "severity", "critical", "location", location(report, frame)));
}

void print_gitlab(FILE *to, const json_t *report)
{
	json_t *list = json_array();
	const json_t *one;
	char text[1600];
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, one) add_finding(list, report, one);
	json_array_foreach(json_object_get(report, "expectations"), i, one)
	{
		if (!expectation_unmet(one))
			continue;
		snprintf(text, sizeof(text), "expected, but not reported: %.200s (%.400s)",
			expectation_rule(one), text_of(one, "reason"));
		add_remark(list, report, "expectation", text, json_object_get(one, "place"));
	}
	json_array_foreach(json_object_get(report, "inconclusive"), i, one)
	{
		snprintf(text, sizeof(text), "inconclusive: %.200s: %.1000s", text_of(one, "reason"),
			text_of(one, "text"));
		add_remark(list, report, "inconclusive", text, NULL);
	}
	json_dumpf(list, to, JSON_INDENT(1));
	fputc('\n', to);
	json_decref(list);
}
