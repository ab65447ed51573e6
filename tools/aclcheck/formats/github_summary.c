/* SPDX-License-Identifier: Apache-2.0 */
/* The step's page on GitHub: all findings as Markdown, appended to the file that the service names. */
#include "tools/aclcheck/formats/formats.h"

#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"

#define SUMMARY_MAX (900 * 1024) /* GitHub refuses pages of more than 1 MiB */

/* A cell of a table: markup and what Markdown would read as its own are written as entities. */
static void put_cell(FILE *to, const char *s)
{
	char *escaped = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&escaped, &n);

	if (!f)
		return;
	put_xml(f, s);
	fclose(f);
	for (const char *c = escaped; *c; c++) {
		if (*c == '\n')
			fputs("<br>", to);
		else if (strchr("|`*_[]\\~@", *c))
			fprintf(to, "&#%d;", *c);
		else
			fputc(*c, to);
	}
	free(escaped);
}

static void put_places(FILE *to, const json_t *finding)
{
	const json_t *sites = json_object_get(finding, "sites"), *site;
	size_t i;

	if (!json_array_size(sites))
		put_cell(to, *finding_place(finding) ? finding_place(finding) : "the whole process");
	json_array_foreach(sites, i, site)
	{
		fputs(i ? "<br>" : "", to);
		put_cell(to, frame_place(site));
	}
}

static void put_row(FILE *to, const json_t *finding)
{
	fputs("| ", to);
	put_cell(to, text_of(finding, "severity"));
	fputs(" | ", to);
	put_cell(to, text_of(finding, "rule"));
	fputs("<br>", to);
	put_cell(to, text_of(finding, "title"));
	fputs(" | ", to);
	put_cell(to, text_of(finding, "call"));
	fputs(" | ", to);
	put_places(to, finding);
	fprintf(to, " | %lld | ", number_of(finding, "count"));
	put_cell(to, finding_ranks(finding));
	fputs(*finding_ranks(finding) && *finding_status(finding) ? "; " : "", to);
	put_cell(to, finding_status(finding));
	fputs(" |\n", to);
}

static void summary_put_findings(FILE *to, const json_t *report)
{
	size_t n = json_array_size(json_object_get(report, "findings"));
	struct graded_finding *sorted = findings_by_gravity(report);
	long start = ftell(to);

	if (n)
		fputs("\n| severity | rule | call | call site | times | remarks "
		      "|\n|---|---|---|---|--:|---|\n",
			to);
	for (size_t i = 0; i < n; i++) {
		if (ftell(to) - start > SUMMARY_MAX) {
			fprintf(to, "\n… and %zu more: see the report.\n", n - i);
			break;
		}
		put_row(to, sorted[i].finding);
	}
	free(sorted);
}

static void put_page(FILE *to, const json_t *report)
{
	const json_t *one;
	const char *key;
	char calls[64];
	size_t i;

	fputs("## aclcheck: ", to);
	put_cell(to, text_of(report, "verdict"));
	fputs("\n\n", to);
	json_object_foreach((json_t *)json_object_get(report, "totals"), key, one)
	{
		fprintf(to, "%lld ", json_integer_value(one));
		put_cell(to, key);
		fputs(", ", to);
	}
	fprintf(to, "%s\n",
		plural_text(calls, sizeof(calls), "%lld calls checked", number_of(report, "calls")));
	json_array_foreach(json_object_get(report, "inconclusive"), i, one)
	{
		fputs("\n**inconclusive**: ", to);
		put_cell(to, text_of(one, "reason"));
		fputs(": ", to);
		put_cell(to, text_of(one, "text"));
		fputc('\n', to);
	}
	json_array_foreach(json_object_get(report, "expectations"), i, one)
	{
		if (!expectation_unmet(one))
			continue;
		fputs("\n**expected, but not reported**: ", to);
		put_cell(to, expectation_rule(one));
		fputs(", ", to);
		put_cell(to, expectation_place(report, one));
		fputc('\n', to);
	}
	summary_put_findings(to, report);
}

bool github_summary(const json_t *report)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	FILE *f = path && *path ? fopen(path, "ae") : NULL;
	bool good;

	if (!f)
		return false;
	put_page(f, report);
	good = !ferror(f);
	return !fclose(f) && good;
}
