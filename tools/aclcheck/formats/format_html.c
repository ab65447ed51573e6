/* SPDX-License-Identifier: Apache-2.0 */
/* One self-contained HTML page: no script, no network, light and dark. */
#include "tools/aclcheck/formats/format_html.h"

#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/common/command.h"

void html_put(FILE *to, const char *before, const char *s, const char *after)
{
	fputs(before, to);
	put_xml(to, s);
	fputs(after, to);
}

void html_put_if(FILE *to, const char *before, const char *s, const char *after)
{
	if (*s)
		html_put(to, before, s, after);
}

const char *html_class(const char *word)
{
	static const char *const known[] = {
		"pass", "fail", "inconclusive", "error", "warning", "perf", "portability"};

	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i], word))
			return word;
	return "d";
}

void html_value(FILE *to, const json_t *value)
{
	char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	put_xml(to, text ? text : json_is_string(value) ? json_string_value(value) : "");
	free(text);
}

/* --- the overview: rules in order of gravity, their places under them ---------------- */

struct row {
	const json_t *finding;
	size_t number; /* in the report */
	unsigned grave, rule_grave; /* 0 = fails; the worst of its rule */
};

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
	const struct row *x = a, *y = b;
	int order;

	if (x->rule_grave != y->rule_grave)
		return x->rule_grave < y->rule_grave ? -1 : 1;
	order = strcmp(text_of(x->finding, "rule"), text_of(y->finding, "rule"));
	if (order)
		return order;
	if (x->grave != y->grave)
		return x->grave < y->grave ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* To be freed; as many as the report has findings. */
static struct row *sorted_rows(const json_t *report)
{
	const json_t *findings = json_object_get(report, "findings"), *finding;
	struct row *rows = need(calloc(json_array_size(findings) + 1, sizeof(*rows)));
	json_t *worst = json_object();
	size_t i;

	json_array_foreach(findings, i, finding)
	{
		const char *rule = text_of(finding, "rule");
		unsigned grave = gravity(report, finding);

		rows[i] = (struct row){finding, i, grave, grave};
		if (!json_object_get(worst, rule) || number_of(worst, rule) > grave)
			json_object_set_new(worst, rule, json_integer(grave));
	}
	for (size_t k = 0; k < i; k++)
		rows[k].rule_grave = (unsigned)number_of(worst, text_of(rows[k].finding, "rule"));
	json_decref(worst);
	qsort(rows, i, sizeof(*rows), by_gravity);
	return rows;
}

static void put_row(FILE *to, const struct row *row, bool first)
{
	const json_t *finding = row->finding;

	fputs("<tr><td class=\"m\">", to);
	if (first)
		put_xml(to, text_of(finding, "rule"));
	html_put(to, "</td><td class=\"", html_class(text_of(finding, "severity")), "\">");
	html_put(to, "", text_of(finding, "severity"), "</td><td class=\"m\">");
	fprintf(to, "<a href=\"#f%zu\">", row->number);
	html_put(to, "", *finding_place(finding) ? finding_place(finding) : "the whole process",
		"</a></td><td class=\"m c\">");
	html_put(to, "", text_of(finding, "call"), "</td><td class=\"n\">");
	fprintf(to, "%lld</td><td class=\"d\">", number_of(finding, "count"));
	html_put(to, "", finding_status(finding), "");
	html_put_if(to, *finding_status(finding) ? "; " : "", finding_ranks(finding), "");
	fputs("</td></tr>\n", to);
}

static void put_findings(FILE *to, const json_t *report)
{
	size_t n = json_array_size(json_object_get(report, "findings"));
	struct row *rows;

	if (!n)
		return;
	rows = sorted_rows(report);
	fputs("<h2>By rule and call site</h2>\n<div "
	      "class=\"t\"><table><thead><tr><th>rule</th><th>severity</th>"
	      "<th>call site</th><th>call</th><th "
	      "class=\"n\">times</th><th>remarks</th></tr></thead><tbody>\n",
		to);
	for (size_t i = 0; i < n; i++)
		put_row(to, &rows[i],
			!i || strcmp(text_of(rows[i].finding, "rule"),
				      text_of(rows[i - 1].finding, "rule")) != 0);
	fputs("</tbody></table></div>\n<h2>Findings</h2>\n", to);
	for (size_t i = 0; i < n; i++)
		html_finding(to, report, rows[i].finding, rows[i].number);
	free(rows);
}

/* --- the rest ------------------------------------------------------------------------ */

/* Tests that no longer trip; those that did are findings marked as expected. */
static void put_expectations(FILE *to, const json_t *report)
{
	const json_t *expectations = json_object_get(report, "expectations");
	const json_t *one;
	size_t i;

	if (!json_array_size(expectations))
		return;
	fputs("<h2>Expected failures</h2>\n<div "
	      "class=\"t\"><table><thead><tr><th>state</th><th>rule</th><th>reason</th>"
	      "<th>place</th></tr></thead><tbody>\n",
		to);
	json_array_foreach(expectations, i, one)
	{
		bool unmet = expectation_unmet(one);

		fprintf(to, "<tr><td class=\"%s\">%s</td><td class=\"m\">", unmet ? "fail" : "pass",
			unmet                     ? "not seen"
			: flag_of(one, "expired") ? "expired"
						  : "seen");
		html_put(to, "", expectation_rule(one), "</td><td>");
		html_put(to, "", text_of(one, "reason"), "</td><td>");
		html_put(to, "", expectation_place(report, one), "</td></tr>\n");
	}
	fputs("</tbody></table></div>\n", to);
}

/* Entries of the suppression file that are to be taken out. */
static void put_stale(FILE *to, const json_t *stale)
{
	const json_t *one;
	size_t i;

	if (!json_array_size(stale))
		return;
	fputs("<h2>Suppressions to take out</h2>\n<div "
	      "class=\"t\"><table><thead><tr><th>state</th><th>rule</th>"
	      "<th>reason</th></tr></thead><tbody>\n",
		to);
	json_array_foreach(stale, i, one)
	{
		html_put(to, "<tr><td>", text_of(one, "state"), "</td><td class=\"m\">");
		html_put(to, "", expectation_rule(one), "</td><td>");
		html_put(to, "", text_of(one, "reason"), "</td></tr>\n");
	}
	fputs("</tbody></table></div>\n", to);
}

static void put_processes(FILE *to, const json_t *processes)
{
	const json_t *p, *argument;
	size_t i, k;

	if (!json_array_size(processes))
		return;
	fputs("<h2>Processes</h2>\n<div "
	      "class=\"t\"><table><thead><tr><th>process</th><th>rank</th><th>command</"
	      "th><th>verdict</th>"
	      "<th class=\"n\">calls</th><th>end</th></tr></thead><tbody>\n",
		to);
	json_array_foreach(processes, i, p)
	{
		html_put(to, "<tr><td class=\"m c\">", text_of(p, "host"), ":");
		fprintf(to, "%lld</td><td class=\"n\">", number_of(p, "pid"));
		if (json_object_get(p, "rank"))
			fprintf(to, "%lld", number_of(p, "rank"));
		fputs("</td><td class=\"m\">", to);
		json_array_foreach(json_object_get(p, "argv"), k, argument) html_put(
			to, k ? " " : "", json_string_value(argument) ? json_string_value(argument) : "", "");
		fprintf(to, "</td><td class=\"%s\">", html_class(text_of(p, "verdict")));
		html_put(to, "", text_of(p, "verdict"), "</td><td class=\"n\">");
		fprintf(to, "%lld</td><td>", number_of(p, "calls"));
		html_put(to, "", text_of(p, "end"), "</td></tr>\n");
	}
	fputs("</tbody></table></div>\n", to);
}

static void put_last_call(FILE *to, const json_t *call)
{
	const json_t *value;
	const char *key;
	bool first = true;

	html_put(to, "<tr><td class=\"m\">", text_of(call, "call"), "(");
	json_object_foreach((json_t *)json_object_get(call, "args"), key, value)
	{
		html_put(to, first ? "" : ", ", key, "=");
		html_put(to, "", json_string_value(value) ? json_string_value(value) : "", "");
		first = false;
	}
	html_put(to, ")</td><td class=\"m\">",
		flag_of(call, "inside") ? "had not returned" : text_of(call, "result"), "</td></tr>\n");
}

/* Where the threads of a killed process had got to. */
static void put_last_calls(FILE *to, const json_t *processes)
{
	const json_t *p, *thread, *call;
	size_t i, k, n;

	json_array_foreach(processes, i, p)
	{
		json_array_foreach(json_object_get(p, "last_calls"), k, thread)
		{
			fprintf(to,
				"<details><summary>killed: process %lld, thread %lld: the last calls"
				"</summary><table><tbody>\n",
				number_of(p, "pid"), number_of(thread, "thread"));
			json_array_foreach(json_object_get(thread, "calls"), n, call) put_last_call(to, call);
			fputs("</tbody></table></details>\n", to);
		}
	}
}

static void put_reach(FILE *to, const json_t *reach)
{
	static const char *const ways[] = {"linked", "dlsym", "inside", "in_callbacks"};
	const json_t *one;
	size_t i;

	if (!json_array_size(json_object_get(reach, "calls")))
		return;
	fputs("<h2>Call coverage</h2>\n<details><summary>calls seen, by the way they "
	      "came</summary><table><thead><tr><th>function</th>"
	      "<th>by symbol</th><th>by dlsym</th><th>inside the runtime</th><th>in callbacks</th><th>first "
	      "from</th></tr>"
	      "</thead><tbody>\n",
		to);
	json_array_foreach(json_object_get(reach, "calls"), i, one)
	{
		html_put(to, "<tr><td class=\"m\">", text_of(one, "call"), "</td>");
		for (unsigned way = 0; way < 4; way++)
			fprintf(to, "<td class=\"n\">%lld</td>", number_of(one, ways[way]));
		html_put(to, "<td class=\"m\">", text_of(one, "first_caller"), "</td></tr>\n");
	}
	fputs("</tbody></table></details>\n", to);
	json_array_foreach(json_object_get(reach, "around"), i, one)
	{
		html_put(to, "<p>Passes the checker by: <code>", text_of(one, "module"), "</code>");
		fputs(flag_of(one, "cann") ? " (CANN's own)</p>\n" : "</p>\n", to);
	}
	json_array_foreach(json_object_get(reach, "foreign"), i, one) html_put(
		to, "<p>Not checked, by dlsym: functions of <code>", text_of(one, "module"), "</code></p>\n");
}

/* "3 error, 1 expected, 120 calls checked in 2 processes" */
static void put_totals(FILE *to, const json_t *report)
{
	size_t processes = json_array_size(json_object_get(report, "processes"));
	const json_t *one;
	const char *key;

	fputs("<p>", to);
	json_object_foreach((json_t *)json_object_get(report, "totals"), key, one)
	{
		if (!json_integer_value(one))
			continue;
		html_put(to, "<span class=\"", html_class(key), "\">");
		fprintf(to, "%lld ", json_integer_value(one));
		html_put(to, "", key, "</span>, ");
	}
	fprintf(to, "<span class=\"d\">%lld calls checked in %zu process%s</span></p>\n",
		number_of(report, "calls"), processes, processes == 1 ? "" : "es");
}

/* What made the verdict beside the findings. */
static void put_reasons(FILE *to, const json_t *report)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(report, "expectations"), i, one)
	{
		if (!expectation_unmet(one))
			continue;
		html_put(to, "<p class=\"why fail\"><b>expected, but not seen</b>: <code>",
			expectation_rule(one), "</code> (");
		html_put(to, "", text_of(one, "reason"), ")</p>\n");
	}
	json_array_foreach(json_object_get(report, "inconclusive"), i, one)
	{
		html_put(to, "<p class=\"why\"><b>", text_of(one, "reason"), "</b>: ");
		html_put(to, "", text_of(one, "text"), "");
		html_put_if(to, " (", finding_ranks(one), ")");
		fputs("</p>\n", to);
	}
}

void print_html(FILE *to, const json_t *report)
{
	const char *verdict = text_of(report, "verdict");

	fputs(html_head, to);
	html_put(to, "<h1>aclcheck <span class=\"v ", html_class(verdict), "\">");
	html_put(to, "", verdict, "</span></h1>\n");
	put_totals(to, report);
	put_reasons(to, report);
	put_findings(to, report);
	put_expectations(to, report);
	put_stale(to, json_object_get(report, "unused_suppressions"));
	put_processes(to, json_object_get(report, "processes"));
	put_last_calls(to, json_object_get(report, "processes"));
	put_reach(to, json_object_get(report, "reach"));
	print_html_rules(to, report);
	html_cost(to, report);
	fputs("</body>\n</html>\n", to);
}
