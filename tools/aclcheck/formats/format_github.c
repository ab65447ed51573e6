/* SPDX-License-Identifier: Apache-2.0 */
/* GitHub annotations: workflow commands, one line each. */
#include "tools/aclcheck/formats/formats.h"

#include <stdlib.h>
#include <string.h>

#include "interpose/common/text.h"
#include "tools/aclcheck/common/command.h"

/* Property values end at ',' and ':', too. */
static void put_escaped(FILE *to, const char *s, bool property)
{
	for (; *s; s++) {
		if (*s == '%' || *s == '\r' || *s == '\n' || (property && (*s == ':' || *s == ',')))
			fprintf(to, "%%%02X", (unsigned char)*s);
		else
			fputc(*s, to);
	}
}

/* Control characters first: the log is a terminal to those who read it. */
static void github_put_value(FILE *to, const char *s, bool property)
{
	size_t n = strlen(s), cap = 4 * n + 1;
	char *buf = need(malloc(cap));
	struct text t;

	text_init(&t, buf, cap);
	text_safe(&t, s, n);
	put_escaped(to, buf, property);
	free(buf);
}

static void put_file(FILE *to, const json_t *frame)
{
	if (!*text_of(frame, "file"))
		return;
	fputs("file=", to);
	github_put_value(to, repository_path(text_of(frame, "file")), true);
	if (number_of(frame, "line") > 0)
		fprintf(to, ",line=%lld", number_of(frame, "line"));
	fputc(',', to);
}

static void github_put_expectation(FILE *to, const json_t *report, const json_t *expectation)
{
	fputs("::error ", to);
	put_file(to, json_object_get(expectation, "place"));
	fputs("title=aclcheck expectation::expected, but not seen: ", to);
	github_put_value(to, expectation_rule(expectation), false);
	fputs(" (", to);
	github_put_value(to, text_of(expectation, "reason"), false);
	fputs("), ", to);
	github_put_value(to, expectation_place(report, expectation), false);
	fputc('\n', to);
}

/* GitHub shows ten annotations of a level and drops the others without a word. */
#define ANNOTATIONS 10
enum level { LEVEL_ERROR, LEVEL_WARNING, LEVEL_NOTICE, LEVELS };
static const char *const level_names[LEVELS] = {"error", "warning", "notice"};

static enum level level_of(const json_t *report, const json_t *finding)
{
	const char *severity = text_of(finding, "severity");

	if (finding_failed(report, finding))
		return LEVEL_ERROR;
	if (*finding_status(finding))
		return LEVEL_NOTICE;
	return !strcmp(severity, "error") || !strcmp(severity, "warning") ? LEVEL_WARNING : LEVEL_NOTICE;
}

static void put_line(FILE *to, const char *text)
{
	if (!*text)
		return;
	fputs("%0A", to);
	github_put_value(to, text, false);
}

static void put_sites(FILE *to, const json_t *sites)
{
	const json_t *site;
	char text[1100];
	size_t i;

	json_array_foreach(sites, i, site)
	{
		if (!i)
			continue;
		snprintf(text, sizeof(text), "also at %s", frame_place(site));
		put_line(to, text);
	}
}

static void github_put_finding(FILE *to, enum level level, const json_t *finding)
{
	fprintf(to, "::%s ", level_names[level]);
	put_file(to, finding_frame(finding));
	fputs("title=aclcheck ", to);
	github_put_value(to, text_of(finding, "rule"), true);
	fputs("::", to);
	github_put_value(to, text_of(finding, "title"), false);
	put_line(to, text_of(finding, "detail"));
	put_line(to, text_of(finding, "hint"));
	put_line(to, finding_ranks(finding));
	put_sites(to, json_object_get(finding, "sites"));
	fputc('\n', to);
}

static void github_put_reasons(FILE *to, const json_t *report, unsigned *used)
{
	bool fails = !strcmp(text_of(report, "verdict"), "inconclusive") && !format_options.keeps_exit_code;
	enum level level = fails ? LEVEL_ERROR : LEVEL_WARNING;
	const json_t *doubt;
	size_t i;

	json_array_foreach(json_object_get(report, "inconclusive"), i, doubt)
	{
		if (used[level]++ >= ANNOTATIONS)
			continue;
		fprintf(to, "::%s title=aclcheck inconclusive::", level_names[level]);
		github_put_value(to, text_of(doubt, "reason"), false);
		fputs(": ", to);
		github_put_value(to, text_of(doubt, "text"), false);
		fputc('\n', to);
	}
}

static void github_put_findings(FILE *to, const json_t *report, unsigned *used)
{
	size_t n = json_array_size(json_object_get(report, "findings"));
	struct graded_finding *sorted = findings_by_gravity(report);

	for (size_t i = 0; i < n; i++) {
		enum level level = level_of(report, sorted[i].finding);

		if (flag_of(sorted[i].finding, "suppressed") || flag_of(sorted[i].finding, "expected"))
			continue;
		if (used[level]++ < ANNOTATIONS)
			github_put_finding(to, level, sorted[i].finding);
	}
	free(sorted);
}

void print_github(FILE *to, const json_t *report)
{
	unsigned used[LEVELS] = {0}, more = 0;
	const json_t *one;
	bool summary;
	size_t i;

	/* What makes the verdict has its annotation whatever else there is. */
	github_put_reasons(to, report, used);
	json_array_foreach(json_object_get(report, "expectations"), i, one)
	{
		if (expectation_unmet(one) && used[LEVEL_ERROR]++ < ANNOTATIONS)
			github_put_expectation(to, report, one);
	}
	github_put_findings(to, report, used);
	summary = github_summary(report);
	for (unsigned l = 0; l < LEVELS; l++)
		more += used[l] > ANNOTATIONS ? used[l] - ANNOTATIONS : 0;
	fputs("aclcheck: verdict ", to);
	github_put_value(to, text_of(report, "verdict"), false);
	if (more)
		fprintf(to, "; %u more findings %s", more,
			summary ? "are in the summary of this step" : "are in the report");
	fputc('\n', to);
}
