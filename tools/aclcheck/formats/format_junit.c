/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit XML: the verdict as one test, each finding as another. */
#include "tools/aclcheck/formats/formats.h"

#include <stdlib.h>
#include <string.h>

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

static void put_case(FILE *to, const json_t *report, const json_t *finding)
{
	const char *excuse = finding_status(finding);

	fputs("  <testcase classname=\"aclcheck.", to);
	put_xml(to, text_of(finding, "rule"));
	fputs("\" name=\"", to);
	put_xml(to, text_of(finding, "call"));
	fputs(" ", to);
	put_xml(to, finding_place(finding));
	fprintf(to, " [");
	put_xml(to, text_of(finding, "fingerprint"));
	fputs("]\">\n", to);
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
static void put_expectation(FILE *to, const json_t *report, const json_t *expectation)
{
	fputs("  <testcase classname=\"aclcheck.expectation\" name=\"", to);
	put_xml(to, expectation_rule(expectation));
	fputs(": ", to);
	put_xml(to, text_of(expectation, "reason"));
	fputs("\">\n", to);
	if (expectation_unmet(expectation)) {
		fputs("   <failure type=\"unmet\" message=\"expected, but not seen\">", to);
		put_xml(to, expectation_place(report, expectation));
		fputs("</failure>\n", to);
	} else if (flag_of(expectation, "expired")) {
		fputs("   <skipped message=\"expired\"/>\n", to);
	}
	fputs("  </testcase>\n", to);
}

static void put_verdict(FILE *to, const json_t *report, bool inconclusive)
{
	const json_t *doubt;
	size_t i;

	fputs("  <testcase classname=\"aclcheck\" name=\"verdict\">\n", to);
	if (inconclusive) {
		fputs("   <error type=\"inconclusive\" message=\"the run was not observed completely\">", to);
		json_array_foreach(json_object_get(report, "inconclusive"), i, doubt)
		{
			put_xml(to, text_of(doubt, "reason"));
			fputs(": ", to);
			put_xml(to, text_of(doubt, "text"));
			fputc('\n', to);
		}
		fputs("</error>\n", to);
	}
	fputs("  </testcase>\n", to);
}

struct counts {
	size_t tests, failures, skipped;
	bool error;
};

static struct counts count(const json_t *report)
{
	struct counts n = {.tests = 1, .error = !strcmp(text_of(report, "verdict"), "inconclusive")};
	const json_t *one;
	size_t i;

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
	struct counts n = count(report);
	const json_t *one;
	size_t i;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
	fprintf(to, "<testsuites name=\"aclcheck\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\">\n", n.tests,
		n.failures, n.error);
	fprintf(to,
		" <testsuite name=\"aclcheck\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\" "
		"skipped=\"%zu\">\n",
		n.tests, n.failures, n.error, n.skipped);
	put_verdict(to, report, n.error);
	json_array_foreach(json_object_get(report, "findings"), i, one) put_case(to, report, one);
	json_array_foreach(json_object_get(report, "expectations"), i, one) put_expectation(to, report, one);
	fputs(" </testsuite>\n</testsuites>\n", to);
}
