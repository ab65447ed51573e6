/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit XML: the verdict as one test, each finding as another. */
#include "tools/aclcheck/formats/formats.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The text form of one finding, as body of an element. */
static void put_body(FILE *to, const json_t *finding)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return;
	print_text_finding(f, finding);
	fclose(f);
	put_xml(to, text);
	free(text);
}

/* Where the services link to. */
static void put_place(FILE *to, const json_t *frame)
{
	if (!*text_of(frame, "file"))
		return;
	fputs(" file=\"", to);
	put_xml(to, repository_path(text_of(frame, "file")));
	fputc('"', to);
	if (number_of(frame, "line") > 0)
		fprintf(to, " line=\"%lld\"", number_of(frame, "line"));
}

static void put_case(FILE *to, const json_t *report, const json_t *finding)
{
	const char *excuse = finding_status(finding);

	fputs("  <testcase classname=\"aclcheck.", to);
	put_xml(to, text_of(finding, "rule"));
	fputs("\" name=\"", to);
	put_xml(to, text_of(finding, "call"));
	fputs(" ", to);
	put_xml(to, finding_place(finding));
	if (*text_of(finding, "test")) {
		fputs(" in ", to);
		put_xml(to, text_of(finding, "test"));
	}
	fprintf(to, " [");
	put_xml(to, text_of(finding, "fingerprint"));
	fputs("]\" time=\"0\"", to);
	put_place(to, finding_frame(finding));
	fputs(">\n", to);
	if (finding_failed(report, finding)) {
		fputs("   <failure type=\"", to);
		put_xml(to, text_of(finding, "severity"));
		fputs("\" message=\"", to);
		put_xml(to,
			*text_of(finding, "detail") ? text_of(finding, "detail") : text_of(finding, "title"));
		fputs("\">", to);
		put_body(to, finding);
		fputs("</failure>\n", to);
	} else if (flag_of(finding, "expected")) {
		fputs("   <system-out>", to);
		put_body(to, finding);
		fputs("</system-out>\n", to);
	} else {
		fputs("   <skipped message=\"", to);
		put_xml(to, *excuse ? excuse : text_of(finding, "severity"));
		fputs("\"/>\n   <system-out>", to);
		put_body(to, finding);
		fputs("</system-out>\n", to);
	}
	fputs("  </testcase>\n", to);
}

/* Met or not: a test of its own. */
static void junit_put_expectation(FILE *to, const json_t *report, const json_t *expectation)
{
	fputs("  <testcase classname=\"aclcheck.expectation\" name=\"", to);
	put_xml(to, expectation_rule(expectation));
	fputs(": ", to);
	put_xml(to, text_of(expectation, "reason"));
	fputs("\" time=\"0\"", to);
	put_place(to, json_object_get(expectation, "place"));
	fputs(">\n", to);
	if (expectation_unmet(expectation)) {
		fputs("   <failure type=\"unmet\" message=\"expected, but not seen\">", to);
		put_xml(to, expectation_place(report, expectation));
		fputs("</failure>\n", to);
	} else if (flag_of(expectation, "expired")) {
		fputs("   <skipped message=\"expired\"/>\n", to);
	}
	fputs("  </testcase>\n", to);
}

struct counts {
	size_t tests, failures, skipped;
	bool error, failed;
};

/* "2026-11-22T14:30:33Z" in seconds since 1970; false when it is none. */
static bool seconds(const char *text, time_t *out)
{
	struct tm tm = {0};

	if (!strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return false;
	*out = timegm(&tm);
	return true;
}

struct span_of_time {
	time_t first, last;
	const char *host; /* of the process that began first */
};

static struct span_of_time run_time(const json_t *report)
{
	struct span_of_time t = {.host = "localhost"};
	const json_t *process;
	bool any = false;
	time_t when;
	size_t i;

	json_array_foreach(json_object_get(report, "processes"), i, process)
	{
		if (!seconds(text_of(process, "started"), &when))
			continue;
		if (!any || when < t.first) {
			t.first = when;
			t.host = text_of(process, "host");
		}
		any = true;
		if (when > t.last || (seconds(text_of(process, "ended"), &when) && when > t.last))
			t.last = when;
	}
	return t;
}

static void junit_put_reasons(FILE *to, const json_t *report)
{
	const json_t *doubt;
	size_t i;

	json_array_foreach(json_object_get(report, "inconclusive"), i, doubt)
	{
		put_xml(to, text_of(doubt, "reason"));
		fputs(": ", to);
		put_xml(to, text_of(doubt, "text"));
		fputc('\n', to);
	}
}

static void put_verdict(FILE *to, const json_t *report, const struct counts *n, const struct span_of_time *t)
{
	fprintf(to, "  <testcase classname=\"aclcheck\" name=\"verdict\" time=\"%lld\">\n",
		(long long)(t->last - t->first));
	if (n->error) {
		fputs("   <error type=\"inconclusive\" message=\"the run was not observed completely\">", to);
		junit_put_reasons(to, report);
		fputs("</error>\n", to);
	} else if (n->failed) {
		fprintf(to, "   <failure type=\"fail\" message=\"verdict: fail\">%zu tests failed\n",
			n->failures - 1);
		junit_put_reasons(to, report);
		fputs("</failure>\n", to);
	}
	fputs("  </testcase>\n", to);
}

static struct counts junit_count(const json_t *report)
{
	struct counts n = {.tests = 1,
		.error = !strcmp(text_of(report, "verdict"), "inconclusive"),
		.failed = !strcmp(text_of(report, "verdict"), "fail")};
	const json_t *one;
	size_t i;

	n.failures = n.failed;
	json_array_foreach(json_object_get(report, "findings"), i, one)
	{
		n.tests++;
		if (finding_failed(report, one))
			n.failures++;
		else if (!flag_of(one, "expected"))
			n.skipped++;
	}
	json_array_foreach(json_object_get(report, "expectations"), i, one)
	{
		n.tests++;
		if (expectation_unmet(one))
			n.failures++;
		else if (flag_of(one, "expired"))
			n.skipped++;
	}
	return n;
}

void print_junit(FILE *to, const json_t *report)
{
	struct span_of_time t = run_time(report);
	struct counts n = junit_count(report);
	const json_t *one;
	char stamp[32];
	size_t i;

	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", gmtime(&t.first));
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
	fprintf(to, "<testsuites name=\"aclcheck\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\">\n", n.tests,
		n.failures, n.error);
	fprintf(to,
		" <testsuite name=\"aclcheck\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\" "
		"skipped=\"%zu\" time=\"%lld\" timestamp=\"%s\" hostname=\"",
		n.tests, n.failures, n.error, n.skipped, (long long)(t.last - t.first), stamp);
	put_xml(to, t.host);
	fputs("\">\n", to);
	put_verdict(to, report, &n, &t);
	json_array_foreach(json_object_get(report, "findings"), i, one) put_case(to, report, one);
	json_array_foreach(json_object_get(report, "expectations"), i, one)
		junit_put_expectation(to, report, one);
	fputs(" </testsuite>\n</testsuites>\n", to);
}
