/* SPDX-License-Identifier: Apache-2.0 */
/* One self-contained HTML page: no script, no network, light and dark. */
#include "tools/aclcheck/asked.h"
#include "tools/aclcheck/formats.h"

#include <stdlib.h>
#include <string.h>

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n<title>aclcheck report</title>\n<style>\n"
	":root{--bg:#fff;--fg:#1c2024;--dim:#5b6470;--line:#d9dde2;--card:#f6f7f9;--bad:#b3261e;--warn:#"
	"8a5a00;"
	"--good:#1b6e3c;--note:#24518f}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e4e7eb;--dim:#9aa4b0;--line:#343a42;--"
	"card:#1d2126;"
	"--bad:#ff8a80;--warn:#f0b95a;--good:#7bd39a;--note:#8db9f5}}\n"
	"*{box-sizing:border-box}body{margin:0 "
	"auto;max-width:72rem;padding:1.5rem;background:var(--bg);color:var(--fg);"
	"font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.4rem;margin:0 0 .25rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
	"code,pre,.m{font-family:ui-monospace,monospace;font-size:13px;overflow-wrap:anywhere}\n"
	"pre{white-space:pre-wrap;margin:.5rem 0}.d{color:var(--dim)}\n"
	"table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem "
	".6rem .25rem 0;"
	"border-bottom:1px solid var(--line)}td.n{text-align:right}\n"
	"details{background:var(--card);border:1px solid var(--line);border-radius:6px;margin:.5rem "
	"0;padding:.5rem .8rem}\n"
	"summary{cursor:pointer}details[open]>summary{margin-bottom:.5rem}ol,ul{margin:.25rem "
	"0;padding-left:1.5rem}\n"
	".fail,.error{color:var(--bad)}.inconclusive,.warning{color:var(--warn)}.pass{color:var(--good)}"
	".perf,.portability{color:var(--note)}b.s{text-transform:uppercase;font-size:12px}\n"
	".before span{display:inline-block;border:1px solid var(--line);border-radius:3px;padding:0 "
	".35rem;margin:.1rem}\n"
	"details.f{padding:.2rem .8rem;margin:.2rem 0}.f summary span{display:inline-block;margin-right:1rem}"
	".w{min-width:9rem}.f .n{min-width:5rem;text-align:right}meter{width:14rem;margin-right:1rem}\n"
	"</style>\n</head>\n<body>\n";

static void put(FILE *to, const char *before, const char *s, const char *after)
{
	fputs(before, to);
	put_xml(to, s);
	fputs(after, to);
}

static void put_if(FILE *to, const char *before, const char *s, const char *after)
{
	if (*s)
		put(to, before, s, after);
}

/* A value that is only trusted as class name when it is one of ours. */
static const char *class_of(const char *word)
{
	static const char *const known[] = {
		"pass", "fail", "inconclusive", "error", "warning", "perf", "portability"};

	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i], word))
			return word;
	return "d";
}

static void put_value(FILE *to, const json_t *value)
{
	char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	put_xml(to, text ? text : json_is_string(value) ? json_string_value(value) : "");
	free(text);
}

static void put_stack(FILE *to, const json_t *stack)
{
	const json_t *frame;
	size_t i;

	if (!json_array_size(stack))
		return;
	fputs("<ol class=\"m\">", to);
	json_array_foreach(stack, i, frame)
	{
		put(to, "<li>",
			*text_of(frame, "function") ? text_of(frame, "function") : text_of(frame, "address"),
			" <span class=\"d\">");
		if (*text_of(frame, "file")) {
			put_xml(to, text_of(frame, "file"));
			fprintf(to, ":%lld", number_of(frame, "line"));
		} else {
			put(to, "", text_of(frame, "module"), "+");
			put_xml(to, text_of(frame, "offset"));
		}
		fputs("</span></li>", to);
	}
	fputs("</ol>\n", to);
}

static void put_call(FILE *to, const json_t *finding)
{
	const json_t *value;
	const char *key;
	bool first = true;

	if (!*text_of(finding, "call"))
		return;
	put(to, "<pre>", text_of(finding, "call"), "(");
	json_object_foreach((json_t *)json_object_get(finding, "args"), key, value)
	{
		put(to, first ? "" : ", ", key, "=");
		put_value(to, value);
		first = false;
	}
	fputs(")", to);
	put_if(to, " returned ", text_of(finding, "result"), "");
	fputs("</pre>\n", to);
}

static void put_moment(FILE *to, const char *what, const json_t *moment)
{
	if (!moment)
		return;
	fprintf(to, "<li>%s by <code>", what);
	put_xml(to, text_of(moment, "call"));
	fprintf(to, "</code> on thread %lld", number_of(moment, "thread"));
	put_stack(to, json_object_get(moment, "stack"));
	fputs("</li>", to);
}

static void put_object(FILE *to, const json_t *object)
{
	put(to, "<p><b>", text_of(object, "role"), "</b>: ");
	put(to, "", text_of(object, "kind"), " <code>");
	put(to, "", text_of(object, "value"), "</code>");
	if (number_of(object, "size"))
		fprintf(to, ", %lld bytes", number_of(object, "size"));
	if (json_object_get(object, "device"))
		fprintf(to, ", device %lld", number_of(object, "device"));
	fputs("</p><ul>", to);
	put_moment(to, "created", json_object_get(object, "created"));
	put_moment(to, "last used", json_object_get(object, "last_used"));
	put_moment(to, "destroyed", json_object_get(object, "destroyed"));
	fputs("</ul>\n", to);
}

/* What the thread did before, failed calls marked. */
static void put_before(FILE *to, const json_t *before)
{
	const json_t *call;
	size_t i;

	if (!json_array_size(before))
		return;
	fputs("<p class=\"before m\">", to);
	json_array_foreach(before, i, call)
	{
		fprintf(to, "<span%s>", *text_of(call, "result") ? " class=\"error\"" : "");
		put(to, "", text_of(call, "call"), "");
		put_if(to, " ", text_of(call, "result"), "");
		fputs("</span> ", to);
	}
	fputs("<b>here</b></p>\n", to);
}

static void put_finding(FILE *to, const json_t *report, const json_t *finding, size_t number)
{
	const json_t *value, *object;
	const char *key;
	size_t i;

	fprintf(to, "<details id=\"f%zu\"%s><summary>", number,
		finding_failed(report, finding) ? " open" : "");
	fprintf(to, "<b class=\"s %s\">", class_of(text_of(finding, "severity")));
	put(to, "", text_of(finding, "severity"), "</b> <code>");
	put(to, "", text_of(finding, "rule"), "</code> ");
	put(to, "", text_of(finding, "title"), " <span class=\"d\">");
	put_if(to, "", finding_place(finding), "");
	fprintf(to, " &times; %lld", number_of(finding, "count"));
	put_if(to, ", ", finding_ranks(finding), "");
	put_if(to, ", ", finding_excuse(finding), "");
	fputs("</span></summary>\n", to);
	put_call(to, finding);
	put_if(to, "<p>", text_of(finding, "detail"), "</p>\n");
	if (json_object_size(json_object_get(finding, "values"))) {
		fputs("<table>", to);
		json_object_foreach((json_t *)json_object_get(finding, "values"), key, value)
		{
			put(to, "<tr><td>", key, "</td><td class=\"m\">");
			put_value(to, value);
			fputs("</td></tr>", to);
		}
		fputs("</table>\n", to);
	}
	put_before(to, json_object_get(finding, "before"));
	put_stack(to, json_object_get(finding, "stack"));
	json_array_foreach(json_object_get(finding, "objects"), i, object) put_object(to, object);
	put_if(to, "<p><b>How to mend it</b> ", text_of(finding, "hint"), "</p>\n");
	put_if(to, "<p class=\"d\">", text_of(finding, "source"), "</p>\n");
	put(to, "<p class=\"d m\">", text_of(finding, "fingerprint"), "</p></details>\n");
}

static void put_table(FILE *to, const json_t *findings)
{
	const json_t *finding;
	size_t i;

	fputs("<h2>By rule and "
	      "place</h2>\n<table><thead><tr><th>severity</th><th>rule</th><th>call</th><th>place</th>"
	      "<th>times</th></tr></thead><tbody>\n",
		to);
	json_array_foreach(findings, i, finding)
	{
		fprintf(to, "<tr><td class=\"%s\">", class_of(text_of(finding, "severity")));
		put_xml(to, text_of(finding, "severity"));
		fprintf(to, "</td><td class=\"m\"><a href=\"#f%zu\">", i);
		put(to, "", text_of(finding, "rule"), "</a></td><td class=\"m\">");
		put(to, "", text_of(finding, "call"), "</td><td class=\"m\">");
		put(to, "", finding_place(finding), "</td><td class=\"n\">");
		fprintf(to, "%lld</td></tr>\n", number_of(finding, "count"));
	}
	fputs("</tbody></table>\n", to);
}

/* Tests that no longer trip; those that did are findings marked as expected. */
static void put_expectations(FILE *to, const json_t *expectations)
{
	const json_t *one;
	size_t i;

	if (!json_array_size(expectations))
		return;
	fputs("<h2>Expected failures</h2>\n<table><thead><tr><th>state</th><th>rule</th><th>reason</th>"
	      "<th>place</th></tr></thead><tbody>\n",
		to);
	json_array_foreach(expectations, i, one)
	{
		bool unmet = expectation_unmet(one);

		fprintf(to, "<tr><td class=\"%s\">%s</td><td class=\"m\">", unmet ? "fail" : "pass",
			unmet                     ? "not seen"
			: flag_of(one, "expired") ? "expired"
						  : "seen");
		put(to, "", expectation_rule(one), "</td><td>");
		put(to, "", text_of(one, "reason"), "</td><td>");
		put(to, "", expectation_place(one), "</td></tr>\n");
	}
	fputs("</tbody></table>\n", to);
}

static void put_processes(FILE *to, const json_t *processes)
{
	const json_t *p, *argument;
	size_t i, k;

	if (!json_array_size(processes))
		return;
	fputs("<h2>Processes</h2>\n<table><thead><tr><th>process</th><th>rank</th><th>command</"
	      "th><th>verdict</th>"
	      "<th>calls</th><th>end</th></tr></thead><tbody>\n",
		to);
	json_array_foreach(processes, i, p)
	{
		put(to, "<tr><td class=\"m\">", text_of(p, "host"), ":");
		fprintf(to, "%lld</td><td class=\"n\">", number_of(p, "pid"));
		if (json_object_get(p, "rank"))
			fprintf(to, "%lld", number_of(p, "rank"));
		fputs("</td><td class=\"m\">", to);
		json_array_foreach(json_object_get(p, "argv"), k, argument) put(
			to, k ? " " : "", json_string_value(argument) ? json_string_value(argument) : "", "");
		fprintf(to, "</td><td class=\"%s\">", class_of(text_of(p, "verdict")));
		put(to, "", text_of(p, "verdict"), "</td><td class=\"n\">");
		fprintf(to, "%lld</td><td>", number_of(p, "calls"));
		put(to, "", text_of(p, "end"), "</td></tr>\n");
	}
	fputs("</tbody></table>\n", to);
}

static void put_last_call(FILE *to, const json_t *call)
{
	const json_t *value;
	const char *key;
	bool first = true;

	put(to, "<tr><td class=\"m\">", text_of(call, "call"), "(");
	json_object_foreach((json_t *)json_object_get(call, "args"), key, value)
	{
		put(to, first ? "" : ", ", key, "=");
		put(to, "", json_string_value(value) ? json_string_value(value) : "", "");
		first = false;
	}
	put(to, ")</td><td class=\"m\">",
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
	fputs("<h2>Reach</h2>\n<details><summary>calls seen, by the way they "
	      "came</summary><table><thead><tr><th>function</th>"
	      "<th>by symbol</th><th>by dlsym</th><th>inside the runtime</th><th>in callbacks</th><th>first "
	      "from</th></tr>"
	      "</thead><tbody>\n",
		to);
	json_array_foreach(json_object_get(reach, "calls"), i, one)
	{
		put(to, "<tr><td class=\"m\">", text_of(one, "call"), "</td>");
		for (unsigned way = 0; way < 4; way++)
			fprintf(to, "<td class=\"n\">%lld</td>", number_of(one, ways[way]));
		put(to, "<td class=\"m\">", text_of(one, "first_caller"), "</td></tr>\n");
	}
	fputs("</tbody></table></details>\n", to);
	json_array_foreach(json_object_get(reach, "around"), i, one)
	{
		put(to, "<p>Passes the checker by: <code>", text_of(one, "module"), "</code>");
		fputs(flag_of(one, "cann") ? " (CANN's own)</p>\n" : "</p>\n", to);
	}
}

void print_html(FILE *to, const json_t *report)
{
	const json_t *findings = json_object_get(report, "findings"), *one;
	const char *verdict = text_of(report, "verdict"), *key;
	size_t i;

	fputs(head, to);
	fprintf(to, "<h1>aclcheck: <span class=\"%s\">", class_of(verdict));
	put(to, "", verdict, "</span></h1>\n<p class=\"d\">");
	json_object_foreach((json_t *)json_object_get(report, "totals"), key, one)
	{
		if (!json_integer_value(one))
			continue;
		fprintf(to, "%lld ", json_integer_value(one));
		put(to, "", key, ", ");
	}
	fprintf(to, "%lld calls checked in %zu processes</p>\n", number_of(report, "calls"),
		json_array_size(json_object_get(report, "processes")));
	json_array_foreach(json_object_get(report, "inconclusive"), i, one)
	{
		put(to, "<p class=\"inconclusive\"><b>", text_of(one, "reason"), "</b>: ");
		put(to, "", text_of(one, "text"), "");
		put_if(to, " (", finding_ranks(one), ")");
		fputs("</p>\n", to);
	}
	if (json_array_size(findings)) {
		put_table(to, findings);
		fputs("<h2>Findings</h2>\n", to);
	}
	json_array_foreach(findings, i, one) put_finding(to, report, one, i);
	put_expectations(to, json_object_get(report, "expectations"));
	put_processes(to, json_object_get(report, "processes"));
	put_last_calls(to, json_object_get(report, "processes"));
	put_reach(to, json_object_get(report, "reach"));
	print_html_rules(to, report);
	fputs("</body>\n</html>\n", to);
}
