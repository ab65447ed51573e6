/* SPDX-License-Identifier: Apache-2.0 */
/* One self-contained HTML page: page/page.html filled with values; style and script are part of it. */
#include "tools/aclcheck/formats/format_html.h"

#include <string.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/formats/template.h"

#include "html_digests.h"

EMBED(html_page, "tools/aclcheck/formats/page/page.html");
EMBED(html_style, "tools/aclcheck/formats/page/style.css");
EMBED(html_script, "tools/aclcheck/formats/page/page.js");

json_t *html_count(json_int_t n, const char *one, const char *many)
{
	char text[64];

	snprintf(text, sizeof(text), "%lld %s", (long long)n, n == 1 ? one : many);
	return json_string(in_language(text));
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

json_t *html_command(const json_t *argv)
{
	json_t *text = json_string(""), *longer;
	const json_t *word;
	size_t i;

	json_array_foreach(argv, i, word)
	{
		longer = json_sprintf("%s%s%s", json_string_value(text), i ? " " : "",
			json_string_value(word) ? json_string_value(word) : "");
		if (!longer)
			break;
		json_decref(text);
		text = longer;
	}
	return text;
}

json_t *html_members(const json_t *object)
{
	json_t *list = json_array();
	const json_t *value;
	const char *key;

	json_object_foreach((json_t *)object, key, value) json_array_append_new(
		list, json_pack("{s:s, s:s, s:O}", "comma", json_array_size(list) ? ", " : "", "name", key,
			      "value", value));
	return list;
}

/* --- who, when, what ----------------------------------------------------------------- */

static void about(json_t *list, const char *name, const char *value)
{
	if (*value)
		json_array_append_new(
			list, json_pack("{s:s, s:s}", "name", in_language(name), "value", value));
}

static void about_command(json_t *page, json_t *list, const json_t *argv)
{
	json_t *command = html_command(argv);
	const json_t *word;
	const char *base;

	about(list, "program", json_string_value(command));
	json_decref(command);
	word = json_array_get(argv, 0);
	base = json_string_value(word) ? strrchr(json_string_value(word), '/') : NULL;
	json_object_set_new(page, "program",
		json_string(base                      ? base + 1
			    : json_string_value(word) ? json_string_value(word)
						      : ""));
}

/* Of the run, or of the first process where no run is known. */
static void put_about(json_t *page, const json_t *report)
{
	const json_t *process = json_array_get(json_object_get(report, "processes"), 0);
	const json_t *run = json_array_get(json_object_get(report, "runs"), 0);
	const char *target = text_of(json_object_get(process, "settings"), "target_cann");
	json_t *list = json_array();
	char status[64] = "";

	if (!process && !run)
		target = "";
	else if (!*target)
		target = "documents";
	about_command(page, list, json_object_get(run ? run : process, run ? "command" : "argv"));
	json_object_set_new(page, "date", json_string(text_of(run ? run : process, "started")));
	about(list, "date", text_of(run ? run : process, "started"));
	about(list, "host", text_of(process, "host"));
	about(list, "commit", text_of(run, "revision"));
	about(list, "runtime", text_of(process, "runtime"));
	about(list, "runtime version", text_of(process, "runtime_version"));
	about(list, "target CANN", target);
	if (json_object_get(run, "exit_status"))
		snprintf(status, sizeof(status), "%lld", number_of(run, "exit_status"));
	else if (json_object_get(run, "signal"))
		snprintf(status, sizeof(status), "signal %lld", number_of(run, "signal"));
	about(list, "exit status", in_language(status));
	about(list, "aclcheck", ACLCHECK_VERSION);
	json_object_set_new(page, "about", list);
}

/* --- the verdict --------------------------------------------------------------------- */

static void put_totals(json_t *page, const json_t *report)
{
	json_t *list = json_array();
	const json_t *one;
	const char *key;

	json_object_foreach((json_t *)json_object_get(report, "totals"), key, one)
		json_array_append_new(list, json_pack("{s:s, s:s, s:O}", "name", in_language(key), "class",
						    html_class(key), "count", one));
	json_object_set_new(page, "totals", list);
}

/* What made the verdict beside the findings. */
static void html_put_reasons(json_t *page, const json_t *report)
{
	json_t *unmet = json_array(), *reasons = json_array();
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(report, "expectations"), i, one)
	{
		if (expectation_unmet(one))
			json_array_append_new(unmet, json_pack("{s:s, s:s}", "rule", expectation_rule(one),
							     "reason", text_of(one, "reason")));
	}
	json_array_foreach(json_object_get(report, "inconclusive"), i, one) json_array_append_new(reasons,
		json_pack("{s:s, s:s, s:s}", "reason", text_of(one, "reason"), "text",
			in_language(text_of(one, "text")), "ranks", in_language(finding_ranks(one))));
	json_object_set_new(page, "unmet", unmet);
	json_object_set_new(page, "reasons", reasons);
}

/* Tests that no longer trip, those that did, and entries of the suppression file that are to be taken out. */
static void put_expectations(json_t *page, const json_t *report)
{
	json_t *list = json_array(), *stale = json_array();
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(report, "expectations"), i, one)
	{
		bool unmet = expectation_unmet(one);
		const char *state = unmet ? "not seen" : flag_of(one, "expired") ? "expired" : "seen";

		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "class", unmet ? "fail" : "pass",
				      "state", in_language(state), "rule", expectation_rule(one), "reason",
				      text_of(one, "reason"), "place",
				      in_language(expectation_place(report, one))));
	}
	json_array_foreach(json_object_get(report, "unused_suppressions"), i, one) json_array_append_new(
		stale, json_pack("{s:s, s:s, s:s}", "state", in_language(text_of(one, "state")), "rule",
			       expectation_rule(one), "reason", text_of(one, "reason")));
	json_object_set_new(page, "has_expectations", json_boolean(json_array_size(list)));
	json_object_set_new(page, "expectations", list);
	json_object_set_new(page, "has_stale", json_boolean(json_array_size(stale)));
	json_object_set_new(page, "stale", stale);
}

static void put_injected(json_t *page, const json_t *report)
{
	json_t *list = json_array();
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(report, "injected"), i, one)
	{
		const char *noticed = in_language(injected_noticed(one));

		if (!injected_changed(one))
			continue;
		json_array_append_new(list,
			json_pack("{s:s, s:s, s:I, s:I, s:s, s:s}", "call", text_of(one, "call"), "fault",
				text_of(one, "fault"), "first", number_of(one, "first"), "times",
				number_of(one, "times"), "place", injected_place(one), "noticed", noticed));
	}
	json_object_set_new(page, "has_injected", json_boolean(json_array_size(list)));
	json_object_set_new(page, "injected", list);
}

void print_html(FILE *to, const json_t *report)
{
	const struct template_part page_file = {"page.html", html_page, html_page_end};
	const struct template_part parts[] = {{"style.css", html_style, html_style_end},
		{"page.js", html_script, html_script_end}, {NULL, NULL, NULL}};
	const char *verdict = text_of(report, "verdict");
	json_t *page = need(json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "style_hash", HTML_STYLE_HASH,
		"script_hash", HTML_SCRIPT_HASH, "version", ACLCHECK_VERSION, "verdict", verdict,
		"verdict_class", html_class(verdict), "calls", number_of(report, "calls")));

	json_object_set_new(page, "lang", json_string(command_language() == ACL_LANG_ZH ? "zh" : "en"));
	json_object_set_new(page, "findings_label", json_string(in_language("Findings")));
	json_object_set_new(page, "search_hint", json_string(in_language("rule, function, file, text")));
	json_object_set_new(page, "shown_of", json_string(in_language("of")));
	json_object_set_new(page, "shown_findings", json_string(in_language("findings")));
	put_about(page, report);
	put_totals(page, report);
	html_put_reasons(page, report);
	html_findings(page, report);
	put_expectations(page, report);
	put_injected(page, report);
	html_processes(page, report);
	html_coverage(page, report);
	html_rules(page, report);
	html_cost(page, report);
	template_fill(to, &page_file, parts, page);
	json_decref(page);
}
