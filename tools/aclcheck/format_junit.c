/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit XML: the verdict as one test, each finding as another. */
#include "tools/aclcheck/formats.h"

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
	const char *excuse = finding_excuse(finding);

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
	} else {
		fputs("   <skipped message=\"", to);
		put_xml(to, *excuse ? excuse : text_of(finding, "severity"));
		fputs("\"/>\n   <system-out>", to);
		put_body(to, finding);
		fputs("</system-out>\n", to);
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

void print_junit(FILE *to, const json_t *report)
{
	const json_t *findings = json_object_get(report, "findings"), *finding;
	bool inconclusive = !strcmp(text_of(report, "verdict"), "inconclusive");
	size_t i, failures = 0, n = json_array_size(findings);

	json_array_foreach(findings, i, finding) failures += finding_failed(report, finding);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
	fprintf(to, "<testsuites name=\"aclcheck\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\">\n", n + 1,
		failures, inconclusive);
	fprintf(to,
		" <testsuite name=\"aclcheck\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\" "
		"skipped=\"%zu\">\n",
		n + 1, failures, inconclusive, n - failures);
	put_verdict(to, report, inconclusive);
	json_array_foreach(findings, i, finding) put_case(to, report, finding);
	fputs(" </testsuite>\n</testsuites>\n", to);
}
