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
static void put_value(FILE *to, const char *s, bool property)
{
	size_t n = strlen(s), cap = 4 * n + 1;
	char *buf = need(malloc(cap));
	struct text t;

	text_init(&t, buf, cap);
	text_safe(&t, s, n);
	put_escaped(to, buf, property);
	free(buf);
}

/* Annotations want paths relative to the checkout. */
static const char *in_workspace(const char *file)
{
	const char *workspace = getenv("GITHUB_WORKSPACE");
	size_t n = workspace ? strlen(workspace) : 0;

	return n && !strncmp(file, workspace, n) && file[n] == '/' ? file + n + 1 : file;
}

static void put_file(FILE *to, const json_t *frame)
{
	if (!*text_of(frame, "file"))
		return;
	fputs("file=", to);
	put_value(to, in_workspace(text_of(frame, "file")), true);
	if (number_of(frame, "line") > 0)
		fprintf(to, ",line=%lld", number_of(frame, "line"));
	fputc(',', to);
}

static void put_expectation(FILE *to, const json_t *report, const json_t *expectation)
{
	if (!expectation_unmet(expectation))
		return;
	fputs("::error ", to);
	put_file(to, json_object_get(expectation, "place"));
	fputs("title=aclcheck expectation::expected, but not seen: ", to);
	put_value(to, expectation_rule(expectation), false);
	fputs(" (", to);
	put_value(to, text_of(expectation, "reason"), false);
	fputs("), ", to);
	put_value(to, expectation_place(report, expectation), false);
	fputc('\n', to);
}

static void put_finding(FILE *to, const json_t *report, const json_t *finding)
{
	const char *severity = text_of(finding, "severity"), *detail = text_of(finding, "detail");
	const json_t *frame = finding_frame(finding);

	if (flag_of(finding, "suppressed") || flag_of(finding, "expected"))
		return;
	fprintf(to, "::%s ",
		finding_failed(report, finding)                              ? "error"
		: *finding_status(finding)                                   ? "notice"
		: !strcmp(severity, "error") || !strcmp(severity, "warning") ? "warning"
									     : "notice");
	put_file(to, frame);
	fputs("title=aclcheck ", to);
	put_value(to, text_of(finding, "rule"), true);
	fputs("::", to);
	put_value(to, text_of(finding, "title"), false);
	if (*detail) {
		fputs("%0A", to);
		put_value(to, detail, false);
	}
	if (*text_of(finding, "hint")) {
		fputs("%0A", to);
		put_value(to, text_of(finding, "hint"), false);
	}
	if (*finding_ranks(finding)) {
		fputs("%0A", to);
		put_value(to, finding_ranks(finding), false);
	}
	fputc('\n', to);
}

void print_github(FILE *to, const json_t *report)
{
	const json_t *finding, *doubt;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding) put_finding(to, report, finding);
	json_array_foreach(json_object_get(report, "expectations"), i, finding)
		put_expectation(to, report, finding);
	json_array_foreach(json_object_get(report, "inconclusive"), i, doubt)
	{
		fputs("::warning title=aclcheck inconclusive::", to);
		put_value(to, text_of(doubt, "reason"), false);
		fputs(": ", to);
		put_value(to, text_of(doubt, "text"), false);
		fputc('\n', to);
	}
	fputs("aclcheck: verdict ", to);
	put_value(to, text_of(report, "verdict"), false);
	fputc('\n', to);
}
