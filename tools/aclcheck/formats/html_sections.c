/* SPDX-License-Identifier: Apache-2.0 */
/* What the HTML page says beside the findings: processes, coverage of calls and rules, cost. */
#include "tools/aclcheck/formats/format_html.h"

#include <stdint.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"

/* --- processes ----------------------------------------------------------------------- */

static json_t *last_calls(const json_t *calls)
{
	json_t *list = json_array();
	const json_t *call;
	size_t i;

	json_array_foreach(calls, i, call) json_array_append_new(list,
		json_pack("{s:s, s:o, s:s}", "call", text_of(call, "call"), "args",
			html_members(json_object_get(call, "args")), "result",
			flag_of(call, "inside") ? in_language("had not returned") : text_of(call, "result")));
	return list;
}

/* Where the threads of a killed process had got to. */
static void add_last_calls(json_t *list, const json_t *process)
{
	const json_t *thread;
	size_t i;

	json_array_foreach(json_object_get(process, "last_calls"), i, thread) json_array_append_new(list,
		json_pack("{s:I, s:I, s:o}", "pid", number_of(process, "pid"), "thread",
			number_of(thread, "thread"), "calls", last_calls(json_object_get(thread, "calls"))));
}

void html_processes(json_t *page, const json_t *report)
{
	const json_t *processes = json_object_get(report, "processes"), *p;
	json_t *list = json_array(), *threads = json_array();
	char rank[32];
	size_t i;

	json_array_foreach(processes, i, p)
	{
		*rank = '\0';
		if (json_object_get(p, "rank"))
			snprintf(rank, sizeof(rank), "%lld", number_of(p, "rank"));
		json_array_append_new(
			list, json_pack("{s:s, s:I, s:s, s:o, s:s, s:s, s:I, s:s}", "host",
				      text_of(p, "host"), "pid", number_of(p, "pid"), "rank", rank, "command",
				      html_command(json_object_get(p, "argv")), "class",
				      html_class(text_of(p, "verdict")), "verdict", text_of(p, "verdict"),
				      "calls", number_of(p, "calls"), "end", text_of(p, "end")));
		add_last_calls(threads, p);
	}
	json_object_set_new(page, "has_processes", json_boolean(json_array_size(list)));
	json_object_set_new(page, "processes_text",
		html_count((json_int_t)json_array_size(list), "process", "processes"));
	json_object_set_new(page, "processes", list);
	json_object_set_new(page, "last_calls", threads);
}

/* --- call coverage ------------------------------------------------------------------- */

void html_coverage(json_t *page, const json_t *report)
{
	static const char *const ways[] = {"linked", "dlsym", "inside", "in_callbacks"};
	const json_t *coverage = json_object_get(report, "reach"), *one;
	json_t *list = json_array(), *call;
	size_t i;

	json_array_foreach(json_object_get(coverage, "calls"), i, one)
	{
		call = json_pack("{s:s, s:s}", "call", text_of(one, "call"), "first_caller",
			text_of(one, "first_caller"));
		for (unsigned way = 0; way < 4; way++)
			json_object_set_new(call, ways[way], json_integer(number_of(one, ways[way])));
		json_array_append_new(list, call);
	}
	json_object_set_new(page, "has_coverage", json_boolean(json_array_size(list)));
	json_object_set_new(page, "coverage", list);
	json_object_set(page, "around", json_object_get(coverage, "around"));
	json_object_set(page, "foreign", json_object_get(coverage, "foreign"));
}

/* --- rules evaluated ----------------------------------------------------------------- */

static json_t *rules_of(const json_t *report, const char *family)
{
	static const char *const class[] = {"d", "d", "pass", "error"};
	json_t *list = json_array();
	json_int_t times;

	for (unsigned i = 0; i < acl_rule_count; i++) {
		const struct acl_rule *r = &acl_rules[i];
		enum coverage_state state;

		if (strcmp(r->family, family) != 0)
			continue;
		state = coverage_state(report, r, &times);
		if (state == COVERAGE_OFF)
			continue;
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:o}", "rule", r->id, "class", class[state], "title",
				      rule_text_in(r, RULE_TITLE, command_language()), "times",
				      state == COVERAGE_NEVER ? json_string(in_language("never"))
							      : json_integer(times)));
	}
	return list;
}

static json_t *families(const json_t *report)
{
	json_t *list = json_array();

	for (const char *const *family = rule_families(); *family; family++) {
		struct coverage_totals n = coverage_count(report, *family);

		if (n.on)
			json_array_append_new(
				list, json_pack("{s:s, s:I, s:I, s:I, s:o}", "family", *family, "evaluated",
					      (json_int_t)n.evaluated, "on", (json_int_t)n.on, "broken",
					      (json_int_t)n.broken, "rules", rules_of(report, *family)));
	}
	return list;
}

void html_rules(json_t *page, const json_t *report)
{
	struct coverage_totals n = coverage_count(report, NULL);
	json_int_t states[3] = {0};

	for (unsigned i = 0; i < acl_rule_count; i++)
		states[acl_rules[i].state]++;
	/* Text: none evaluated is something, no process that says so is not. */
	json_object_set_new(page, "evaluated",
		coverage_reported(report) ? json_sprintf("%u", n.evaluated) : json_string(""));
	json_object_set_new(page, "on", json_integer(n.on));
	json_object_set_new(page, "families", families(report));
	json_object_set_new(page, "implemented", json_integer(states[ACL_RULE_IMPLEMENTED]));
	json_object_set_new(page, "uncheckable", json_integer(states[ACL_RULE_UNCHECKABLE]));
}

/* --- cost ---------------------------------------------------------------------------- */

static void row(json_t *rows, const char *name, json_t *value, json_t *text)
{
	json_array_append_new(rows,
		json_pack("{s:s, s:s, s:s}", "name", in_language(name), "value",
			in_language(json_string_value(value)), "text", in_language(json_string_value(text))));
	json_decref(value);
	json_decref(text);
}

static json_t *milliseconds(json_int_t us)
{
	return json_sprintf("%.1f ms", (double)us / 1000);
}

static void put_calls(json_t *rows, const json_t *cost, json_int_t calls)
{
	json_int_t samples = number_of(cost, "samples");
	double each = samples > 0 ? (double)number_of(cost, "samples_ns") / (double)samples : 0;

	if (samples < 1) {
		row(rows, "calls", json_string("not known"),
			json_string("too few to be timed: one in about 256 is"));
		return;
	}
	row(rows, "a call, on average", json_sprintf("%.0f ns", each),
		json_sprintf("of %lld timed ones, before and after the real call; %lld more took 0.1 ms and "
			     "longer, as threads were interrupted or reported a finding",
			(long long)samples, (long long)number_of(cost, "interrupted")));
	row(rows, "all calls", json_sprintf("%.1f ms", each * (double)calls / 1e6),
		json_sprintf("estimated: %lld times that, over all threads", (long long)calls));
}

/* Reasons that say something went by unseen or was not kept; each has its line at the top of the page. */
static void put_losses(json_t *rows, const json_t *reasons)
{
	static const char *const losses[] = {"calls-unseen", "events-lost", "table-full", "report-lost",
		"report-unreadable", "process-killed", "bypass", "other-runtime", "child-not-covered"};
	char names[512] = "";
	const json_t *reason;
	size_t i;

	json_array_foreach(reasons, i, reason)
	{
		for (unsigned k = 0; k < sizeof(losses) / sizeof(*losses); k++) {
			if (strcmp(losses[k], text_of(reason, "reason")) != 0 || strstr(names, losses[k]))
				continue;
			strcat(names, *names ? ", " : "");
			strcat(names, losses[k]);
		}
	}
	row(rows, "losses", json_string(*names ? names : "none"),
		json_string(*names ? "listed at the top"
				   : "no call, event, process or finding known to be missed"));
}

void html_cost(json_t *page, const json_t *report)
{
	const json_t *cost = json_object_get(report, "cost");
	json_t *rows = json_array();

	if (!json_object_size(cost)) {
		json_decref(rows);
		return;
	}
	put_calls(rows, cost, number_of(report, "calls"));
	row(rows, "opening", milliseconds(number_of(cost, "open_us")),
		json_string("settings, libraries, tables"));
	row(rows, "findings", milliseconds(number_of(cost, "findings_us")),
		json_string("call stacks, symbols, log and journal"));
	row(rows, "the end", milliseconds(number_of(cost, "finish_us")),
		json_string("leaks and balances, before the report is written"));
	row(rows, "memory", json_string(bytes_text((uint64_t)number_of(cost, "memory_used"))),
		json_sprintf("in use at the end, of %s of address space",
			bytes_text((uint64_t)number_of(cost, "memory_mapped"))));
	put_losses(rows, json_object_get(report, "inconclusive"));
	json_object_set_new(page, "cost", json_pack("{s:o}", "rows", rows));
}
