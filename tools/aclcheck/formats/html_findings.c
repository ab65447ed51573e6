/* SPDX-License-Identifier: Apache-2.0 */
/* Findings for the HTML page: by rule, the worst first, and by file and line. */
#include "tools/aclcheck/formats/format_html.h"

#include <stdlib.h>
#include <string.h>

#include "checks/engine/rule_table.h"
#include "interpose/common/rule_switches.h"
#include "tools/aclcheck/common/command.h"

static json_t *frames(const json_t *stack)
{
	json_t *list = json_array(), *where;
	const json_t *frame;
	size_t i;

	json_array_foreach(stack, i, frame)
	{
		const char *file = text_of(frame, "file"), *function = text_of(frame, "function");

		where = *file ? json_sprintf("%s:%lld", file, (long long)number_of(frame, "line"))
			      : json_sprintf("%s+%s", text_of(frame, "module"), text_of(frame, "offset"));
		json_array_append_new(list,
			json_pack("{s:s, s:o}", "function", *function ? function : text_of(frame, "address"),
				"where", where ? where : json_string("")));
	}
	return list;
}

/* A list under its name, and whether there is one: the nearest name counts, so it is always set. */
static void set_list(json_t *view, const char *has, const char *name, json_t *list)
{
	json_object_set_new(view, has, json_boolean(json_array_size(list)));
	json_object_set_new(view, name, list);
}

static void add_history(json_t *list, const char *what, const json_t *moment)
{
	json_t *one;

	if (!moment)
		return;
	one = json_pack("{s:s, s:s, s:I}", "what", in_language(what), "call", text_of(moment, "call"),
		"thread", number_of(moment, "thread"));
	set_list(one, "has_stack", "stack", frames(json_object_get(moment, "stack")));
	json_array_append_new(list, one);
}

static json_t *objects(const json_t *finding)
{
	json_t *list = json_array(), *history, *one;
	const json_t *object;
	char device[32];
	size_t i;

	json_array_foreach(json_object_get(finding, "objects"), i, object)
	{
		const char *value = text_of(object, "value");

		*device = '\0';
		if (json_object_get(object, "device"))
			snprintf(device, sizeof(device), "%lld", number_of(object, "device"));
		history = json_array();
		add_history(history, "created", json_object_get(object, "created"));
		add_history(history, "last used", json_object_get(object, "last_used"));
		add_history(history, "destroyed", json_object_get(object, "destroyed"));
		one = json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:s}", "role",
			in_language(text_of(object, "role")), "kind", in_language(text_of(object, "kind")),
			"value", strcmp(value, "0x0") ? value : "", "name", text_of(object, "name"), "size",
			number_of(object, "size"), "device", device, "context", text_of(object, "context"));
		set_list(one, "has_history", "history", history);
		json_array_append_new(list, one);
	}
	return list;
}

/* How often the call at i is repeated from there on, result and all. */
static size_t repeats(const json_t *before, size_t i)
{
	size_t n = 1;

	while (i + n < json_array_size(before) &&
		json_equal(json_array_get(before, i), json_array_get(before, i + n)))
		n++;
	return n;
}

/* What the thread did before. */
static json_t *calls_before(const json_t *finding)
{
	const json_t *before = json_object_get(finding, "before"), *call;
	json_t *list = json_array();

	for (size_t i = 0, n; i < json_array_size(before); i += n) {
		call = json_array_get(before, i);
		n = repeats(before, i);
		json_array_append_new(list,
			json_pack("{s:s, s:s, s:I}", "call", text_of(call, "call"), "result",
				text_of(call, "result"), "times", n > 1 ? (json_int_t)n : (json_int_t)0));
	}
	return list;
}

static json_t *sites(const json_t *finding)
{
	json_t *list = json_array();
	const json_t *site;
	size_t i;

	if (json_array_size(json_object_get(finding, "sites")) < 2)
		return list;
	json_array_foreach(json_object_get(finding, "sites"), i, site) json_array_append_new(
		list, json_pack("{s:s, s:I}", "place", frame_place(site), "count", number_of(site, "count")));
	return list;
}

/* The boxes of the filter: the keys of the totals, and what these do not count. */
static const char *const groups[] = {"error", "warning", "perf", "portability", "advice", "suppressed",
	"expected", "consequence", "other"};
#define GROUPS (sizeof(groups) / sizeof(*groups))

static unsigned group_of(const json_t *finding)
{
	const char *total = finding_total(finding), *word = *total ? total : "consequence";
	unsigned k = 0;

	while (k < GROUPS - 1 && strcmp(groups[k], word) != 0)
		k++;
	return k;
}

static json_t *finding_view(const json_t *finding, size_t number)
{
	static const char *const texts[] = {"rule", "call", "result", "source", "fingerprint"};
	const char *place = finding_place(finding), *call = text_of(finding, "call");
	json_int_t count = number_of(finding, "count");
	json_t *view = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "class",
		html_class(text_of(finding, "severity")), "group", groups[group_of(finding)], "place",
		*place ? place : in_language("the whole process"), "status",
		in_language(finding_status(finding)), "relaxed", text_of(finding, "relaxed_since"), "here",
		*call ? call : in_language("here"));

	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		json_object_set_new(view, texts[i], json_string(text_of(finding, texts[i])));
	json_object_set_new(view, "id", json_sprintf("f%zu", number));
	json_object_set_new(view, "severity", json_string(in_language(text_of(finding, "severity"))));
	json_object_set_new(view, "detail", json_string(in_language(text_of(finding, "detail"))));
	json_object_set_new(view, "ranks", json_string(in_language(finding_ranks(finding))));
	json_object_set_new(view, "times", count > 1 ? html_count(count, "time", "times") : json_string(""));
	json_object_set_new(view, "thread", json_integer(number_of(finding, "thread")));
	json_object_set_new(view, "in_callback", json_boolean(number_of(finding, "callback_depth") > 0));
	json_object_set_new(view, "args", html_members(json_object_get(finding, "args")));
	set_list(view, "has_values", "values", html_members(json_object_get(finding, "values")));
	set_list(view, "has_stack", "stack", frames(json_object_get(finding, "stack")));
	set_list(view, "has_sites", "sites", sites(finding));
	set_list(view, "has_before", "before", calls_before(finding));
	json_object_set_new(view, "objects", objects(finding));
	return view;
}

/* --- by rule ------------------------------------------------------------------------- */

/* The rule's text in the reader's language, if there is one; else the report's. */
static const char *rule_words(const struct acl_rule *r, enum acl_rule_text which, const char *reported)
{
	const char *text = r ? rule_text(r, which + command_language()) : NULL;

	return text && *text && command_language() != ACL_LANG_EN ? text : reported;
}

static json_t *rule_view(const json_t *finding, size_t number)
{
	const char *id = text_of(finding, "rule"), *severity = text_of(finding, "severity");
	const struct acl_rule *r = acl_rule_find(id);
	const char *why = r ? rule_text(r, RULE_WHY) : NULL;

	return json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:I}", "number", (json_int_t)number,
		"rule", id, "severity", in_language(severity), "class", html_class(severity), "title",
		rule_words(r, RULE_TITLE, text_of(finding, "title")), "why",
		rule_words(r, RULE_WHY, why ? why : ""), "hint",
		rule_words(r, RULE_HINT, text_of(finding, "hint")), "url", r ? rule_url(r) : "", "findings",
		"count", (json_int_t)0);
}

/* Rules in the order of their worst finding, and the findings of each in that order. */
static void put_rules(json_t *page, const struct graded_finding *sorted, size_t n)
{
	json_t *rules = json_array(), *by_id = json_object(), *rule, *findings;
	size_t i;

	for (i = 0; i < n; i++) {
		const json_t *finding = sorted[i].finding;
		const char *id = text_of(finding, "rule");

		rule = json_object_get(by_id, id);
		if (!rule) {
			rule = rule_view(finding, json_array_size(rules));
			json_array_append_new(rules, rule);
			json_object_set(by_id, id, rule);
		}
		json_array_append_new(
			json_object_get(rule, "findings"), finding_view(finding, sorted[i].number));
		json_object_set_new(
			rule, "count", json_integer(number_of(rule, "count") + number_of(finding, "count")));
	}
	json_array_foreach(rules, i, rule)
	{
		findings = json_object_get(rule, "findings");
		json_object_set_new(rule, "findings_text",
			html_count((json_int_t)json_array_size(findings), "finding", "findings"));
		json_object_set_new(
			rule, "times_text", html_count(number_of(rule, "count"), "time", "times"));
	}
	json_decref(by_id);
	json_object_set_new(page, "rules", rules);
}

/* --- by call site -------------------------------------------------------------------- */

static void add_site(
	json_t *files, const json_t *finding, const json_t *frame, size_t number, json_int_t count)
{
	const char *file = *text_of(frame, "file")     ? text_of(frame, "file")
			   : *text_of(frame, "module") ? text_of(frame, "module")
						       : in_language("the whole process");
	json_t *sites = json_object_get(files, file);
	char line[32] = "";

	if (!sites)
		json_object_set_new(files, file, sites = json_array());
	if (number_of(frame, "line") > 0)
		snprintf(line, sizeof(line), "%lld", number_of(frame, "line"));
	json_array_append_new(
		sites, json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:I}", "line", line, "function",
			       text_of(frame, "function"), "rule", text_of(finding, "rule"), "class",
			       html_class(text_of(finding, "severity")), "call", text_of(finding, "call"),
			       "id", json_sprintf("f%zu", number), "count", count));
}

static int by_line(const void *a, const void *b)
{
	const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
	long p = strtol(text_of(x, "line"), NULL, 10), q = strtol(text_of(y, "line"), NULL, 10);

	return p != q ? (p < q ? -1 : 1) : strcmp(text_of(x, "function"), text_of(y, "function"));
}

static json_t *sorted_by_line(const json_t *sites)
{
	size_t n = json_array_size(sites);
	json_t **list = need(calloc(n + 1, sizeof(*list))), *sorted = json_array();

	for (size_t i = 0; i < n; i++)
		list[i] = json_array_get(sites, i);
	qsort(list, n, sizeof(*list), by_line);
	for (size_t i = 0; i < n; i++)
		json_array_append(sorted, list[i]);
	free(list);
	return sorted;
}

static void put_files(json_t *page, const struct graded_finding *sorted, size_t n)
{
	json_t *files = json_object(), *list = json_array(), *sites_of;
	const json_t *site;
	const char *file;
	size_t k;

	for (size_t i = 0; i < n; i++) {
		const json_t *finding = sorted[i].finding, *places = json_object_get(finding, "sites");
		size_t number = sorted[i].number;

		json_array_foreach(places, k, site)
			add_site(files, finding, site, number, number_of(site, "count"));
		if (!json_array_size(places))
			add_site(files, finding, finding_frame(finding), number, number_of(finding, "count"));
	}
	json_object_foreach(files, file, sites_of) json_array_append_new(
		list, json_pack("{s:s, s:o, s:o}", "file", file, "findings_text",
			      html_count((json_int_t)json_array_size(sites_of), "finding", "findings"),
			      "sites", sorted_by_line(sites_of)));
	json_decref(files);
	json_object_set_new(page, "files", list);
}

/* --- both ---------------------------------------------------------------------------- */

static void put_groups(json_t *page, const json_t *report)
{
	json_int_t counts[GROUPS] = {0};
	json_t *list = json_array();
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding) counts[group_of(finding)]++;
	for (unsigned k = 0; k < GROUPS; k++)
		if (counts[k])
			json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I}", "group", groups[k],
							    "name", in_language(groups[k]), "class",
							    html_class(groups[k]), "count", counts[k]));
	json_object_set_new(page, "groups", list);
}

void html_findings(json_t *page, const json_t *report)
{
	size_t n = json_array_size(json_object_get(report, "findings"));
	struct graded_finding *sorted = findings_by_gravity(report);

	json_object_set_new(page, "any", json_boolean(n));
	put_groups(page, report);
	put_rules(page, sorted, n);
	put_files(page, sorted, n);
	free(sorted);
}
