/* SPDX-License-Identifier: Apache-2.0 */
/* SARIF 2.1.0: results with stacks, biographies as code flows, rules with help texts. */
#include "tools/aclcheck/formats/formats.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "checks/engine/rule_table.h"
#include "interpose/common/rule_switches.h"
#include "interpose/common/text.h"
#include "tools/aclcheck/common/command.h"

#define ROOT_ID "SRCROOT"
#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static const char *level_of(const char *severity)
{
	if (!strcmp(severity, "error") || !strcmp(severity, "warning"))
		return severity;
	return "note";
}

/* A path as URI: everything but unreserved characters and '/' in percent form. */
static json_t *uri(const char *path)
{
	char *buf = malloc(3 * strlen(path) + 8), *p = buf;
	json_t *json;

	if (!buf)
		return json_null();
	if (*path == '/')
		p += sprintf(p, "file://");
	for (; *path; path++) {
		if (isalnum((unsigned char)*path) || strchr("-._~/", *path))
			*p++ = *path;
		else
			p += sprintf(p, "%%%02X", (unsigned char)*path);
	}
	*p = '\0';
	json = json_string(buf);
	free(buf);
	return json;
}

static json_t *message(const char *text)
{
	return json_pack("{s:s}", "text", *text ? text : "(no text)");
}

/* Length of "{0}" and the like at s: a placeholder, unless its braces are doubled. */
static size_t placeholder(const char *s)
{
	size_t digits = *s == '{' ? strspn(s + 1, "0123456789") : 0;

	return digits && s[1 + digits] == '}' ? digits + 2 : 0;
}

/* Text the program has a say in: no control characters, no placeholders, no links. */
static json_t *said(const char *text)
{
	bool link = strstr(text, "](") != NULL;
	size_t n = strlen(text), cap = 4 * n + 1;
	char *safe = need(malloc(cap)), *plain = need(malloc(2 * cap)), *p = plain;
	struct text t;
	json_t *json;

	text_init(&t, safe, cap);
	text_safe(&t, text, n);
	for (const char *c = safe; *c; c++) {
		n = placeholder(c);
		if (n) {
			p += sprintf(p, "{%.*s}", (int)n, c);
			c += n - 1;
			continue;
		}
		if (link && strchr("[]\\", *c))
			*p++ = '\\';
		*p++ = *c;
	}
	*p = '\0';
	json = message(plain);
	free(plain);
	free(safe);
	return json;
}

/* Of a file of the checkout: relative, so that viewers find it wherever they have it. */
static json_t *artifact(const char *file)
{
	const char *path = repository_path(file), *root = repository_root();
	size_t n = strlen(root);
	json_t *json = json_pack("{s:o}", "uri", uri(path));

	if (n && path == file + n + 1 && !strncmp(file, root, n))
		json_object_set_new(json, "uriBaseId", json_string(ROOT_ID));
	return json;
}

/* The line itself, where the source is at hand. NULL otherwise. */
static json_t *snippet(const char *file, json_int_t line)
{
	FILE *f = *file == '/' ? fopen(file, "re") : NULL;
	char text[1024] = "";
	json_t *json = NULL;

	while (f && line-- > 0)
		if (!fgets(text, sizeof(text), f))
			line = -2;
	if (f && line == -1) {
		text[strcspn(text, "\r\n")] = '\0';
		json = json_string(text);
	}
	if (f)
		fclose(f);
	return json ? json_pack("{s:o}", "text", json) : NULL;
}

static json_t *region(const char *file, json_int_t line)
{
	json_t *json = json_pack("{s:I}", "startLine", line), *text = snippet(file, line);

	if (text)
		json_object_set_new(json, "snippet", text);
	return json;
}

static json_t *location(const json_t *frame, const char *text)
{
	json_t *at = json_object();
	const char *file = text_of(frame, "file"), *function = text_of(frame, "function");
	json_int_t line = number_of(frame, "line");

	if (*file) {
		json_t *physical = json_pack("{s:o}", "artifactLocation", artifact(file));

		if (line > 0)
			json_object_set_new(physical, "region", region(file, line));
		json_object_set_new(at, "physicalLocation", physical);
	} else if (*text_of(frame, "module")) {
		json_object_set_new(at, "physicalLocation",
			json_pack("{s:{s:o}}", "artifactLocation", "uri", uri(text_of(frame, "module"))));
	}
	if (*function)
		json_object_set_new(at, "logicalLocations",
			json_pack("[{s:s, s:s}]", "fullyQualifiedName", function, "kind", "function"));
	if (text)
		json_object_set_new(at, "message", said(text));
	return at;
}

static json_t *stack(const json_t *frames, const char *text)
{
	json_t *list = json_array();
	const json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
		json_array_append_new(list, json_pack("{s:o}", "location", location(frame, NULL)));
	return json_pack("{s:o, s:o}", "message", said(text), "frames", list);
}

static void step(json_t *flow, const json_t *moment, const char *what, const char *kind)
{
	const json_t *frame = json_array_get(json_object_get(moment, "stack"), 0);
	char text[512];

	if (!frame)
		return;
	snprintf(text, sizeof(text), "%.200s %s by %.200s", kind, what, text_of(moment, "call"));
	json_array_append_new(flow, json_pack("{s:o}", "location", location(frame, text)));
}

/* The life of each object up to the finding. */
static json_t *code_flows(const json_t *finding)
{
	const json_t *here = json_array_get(json_object_get(finding, "stack"), 0), *object;
	json_t *flows = json_array();
	size_t i;

	json_array_foreach(json_object_get(finding, "objects"), i, object)
	{
		json_t *steps = json_array();

		step(steps, json_object_get(object, "created"), "created", text_of(object, "kind"));
		step(steps, json_object_get(object, "last_used"), "last used", text_of(object, "kind"));
		step(steps, json_object_get(object, "destroyed"), "destroyed", text_of(object, "kind"));
		if (here)
			json_array_append_new(steps,
				json_pack("{s:o}", "location", location(here, text_of(finding, "title"))));
		if (json_array_size(steps))
			json_array_append_new(
				flows, json_pack("{s:o, s:[{s:o}]}", "message", said(text_of(object, "role")),
					       "threadFlows", "locations", json_incref(steps)));
		json_decref(steps);
	}
	return flows;
}

/* The same in plain text and as Markdown; a viewer shows one of them. */
static json_t *sarif_help(const struct acl_rule *r)
{
	static const struct {
		enum acl_rule_text which;
		bool code;
		const char *before;
	} parts[] = {{RULE_WHY, false, ""}, {RULE_HINT, false, ""}, {RULE_BAD, true, "Wrong:\n\n```c\n"},
		{RULE_GOOD, true, "Right:\n\n```c\n"}, {RULE_SOURCE, false, "Source: "}};
	char plain[8192], marked[12288];
	struct text t, m;

	text_init(&t, plain, sizeof(plain));
	text_init(&m, marked, sizeof(marked));
	text_str(&t, rule_text(r, RULE_TITLE));
	text_fmt(&m, "**%s**", rule_text(r, RULE_TITLE));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *words = rule_text(r, parts[i].which);

		if (!words || !*words)
			continue;
		if (!parts[i].code)
			text_fmt(&t, "\n\n%s%s", parts[i].before, words);
		text_fmt(&m, "\n\n%s%s%s", parts[i].before, words, parts[i].code ? "\n```" : "");
	}
	return json_pack("{s:s, s:s}", "text", plain, "markdown", marked);
}

/* "async-copy-alignment" -> "AsyncCopyAlignment" */
static json_t *rule_name(const char *id)
{
	char name[128];
	size_t n = 0;
	bool upper = true;

	for (; *id && n + 1 < sizeof(name); id++) {
		if (n ? isalnum((unsigned char)*id) : isalpha((unsigned char)*id))
			name[n++] = (char)(upper ? toupper((unsigned char)*id) : *id);
		upper = !n || !isalnum((unsigned char)*id);
	}
	name[n] = '\0';
	return json_string(n ? name : "Rule");
}

static json_t *rule_json(const char *id, const json_t *finding)
{
	const struct acl_rule *r = acl_rule_find(id);
	const char *why, *severity = r ? acl_severity_names[r->severity & 3] : text_of(finding, "severity");
	json_t *json = json_pack("{s:s, s:o, s:o}", "id", id, "name", rule_name(id), "shortDescription",
		message(r ? rule_text(r, RULE_TITLE) : text_of(finding, "title")));

	json_object_set_new(json, "defaultConfiguration", json_pack("{s:s}", "level", level_of(severity)));
	if (!r)
		return json;
	why = rule_text(r, RULE_WHY);
	if (why && *why)
		json_object_set_new(json, "fullDescription", message(why));
	json_object_set_new(json, "help", sarif_help(r));
	if (*rule_url(r))
		json_object_set_new(json, "helpUri", json_string(rule_url(r)));
	json_object_set_new(json, "properties", json_pack("{s:[s]}", "tags", r->family));
	return json;
}

static size_t rule_index(json_t *rules, const char *id, const json_t *finding)
{
	const json_t *rule;
	size_t i;

	json_array_foreach(rules, i, rule) if (!strcmp(text_of(rule, "id"), id)) return i;
	json_array_append_new(rules, rule_json(id, finding));
	return i;
}

/* Viewers drop, and GitHub refuses, what has no place: without a stack it is the program. */
static json_t *locations(const json_t *report, const json_t *frame)
{
	const json_t *process = json_array_get(json_object_get(report, "processes"), 0);
	const char *program = json_string_value(json_array_get(json_object_get(process, "argv"), 0));

	if (*text_of(frame, "file") || *text_of(frame, "module"))
		return json_pack("[o]", location(frame, NULL));
	return json_pack("[{s:{s:{s:o}}}]", "physicalLocation", "artifactLocation", "uri",
		uri(program && *program ? program : "unknown"));
}

/* An empty list says "not suppressed"; without one, "not looked at". */
static json_t *suppressions(const json_t *finding)
{
	bool expected = flag_of(finding, "expected");
	const char *why = text_of(finding, expected ? "expected_by" : "suppressed_by");
	bool in_source = expected && !strcmp(text_of(finding, "expected_in"), "program");

	if (!expected && !flag_of(finding, "suppressed"))
		return json_array();
	return json_pack("[{s:s, s:s}]", "kind", in_source ? "inSource" : "external", "justification", why);
}

/* All results have it or none. */
static void set_baseline(json_t *result, const json_t *finding, bool compared)
{
	bool old = flag_of(finding, "known") || flag_of(finding, "expected");

	if (compared)
		json_object_set_new(result, "baselineState", json_string(old ? "unchanged" : "new"));
}

/* Several lines of one function, or of several programs: each with its number. */
static json_t *other_sites(const json_t *finding)
{
	json_t *list = json_array();
	const json_t *site;
	char text[64];
	size_t i;

	json_array_foreach(json_object_get(finding, "sites"), i, site)
	{
		json_t *at;

		snprintf(text, sizeof(text), "%lld times here", number_of(site, "count"));
		at = location(site, text);
		json_object_set_new(at, "id", json_integer((json_int_t)i + 1));
		json_array_append_new(list, at);
	}
	return list;
}

static json_t *result(const json_t *report, const json_t *finding, size_t rule, bool compared)
{
	const char *detail = text_of(finding, "detail"), *severity = text_of(finding, "severity");
	bool lesser = flag_of(finding, "advice") || flag_of(finding, "secondary");
	json_t *json = json_pack("{s:s, s:I, s:s, s:o, s:{s:s}}", "ruleId", text_of(finding, "rule"),
		"ruleIndex", (json_int_t)rule, "level", lesser ? "note" : level_of(severity), "message",
		said(*detail ? detail : text_of(finding, "title")), "partialFingerprints", "aclcheck/v1",
		text_of(finding, "fingerprint"));

	json_object_set_new(json, "locations", locations(report, finding_frame(finding)));
	if (number_of(finding, "count") > 0)
		json_object_set_new(json, "occurrenceCount", json_integer(number_of(finding, "count")));
	if (json_array_size(json_object_get(finding, "stack")))
		json_object_set_new(json, "stacks",
			json_pack("[o]", stack(json_object_get(finding, "stack"), text_of(finding, "call"))));
	if (json_array_size(json_object_get(finding, "sites")) > 1)
		json_object_set_new(json, "relatedLocations", other_sites(finding));
	json_object_set_new(json, "codeFlows", code_flows(finding));
	json_object_set_new(json, "suppressions", suppressions(finding));
	set_baseline(json, finding, compared);
	json_object_set_new(json, "properties",
		json_pack("{s:O, s:O?, s:O?, s:O?}", "values", json_object_get(finding, "values"), "args",
			json_object_get(finding, "args"), "ranks", json_object_get(finding, "ranks"), "test",
			json_object_get(finding, "test")));
	return json;
}

#define UNMET "expectation-not-met"

/* A test that no longer trips is a result of its own. */
static json_t *unmet(const json_t *report, const json_t *expectation, size_t rule, bool compared)
{
	const json_t *place = json_object_get(expectation, "place");
	char text[2048], print[1024];
	json_t *json;

	snprintf(text, sizeof(text), "Expected, but not seen: %.200s (%.400s), %.1200s",
		expectation_rule(expectation), text_of(expectation, "reason"),
		expectation_place(report, expectation));
	snprintf(print, sizeof(print), "%.200s/%.400s/%.300s", expectation_rule(expectation),
		text_of(expectation, "reason"), text_of(place, "function"));
	json = json_pack("{s:s, s:I, s:s, s:o, s:{s:s}, s:o, s:[]}", "ruleId", UNMET, "ruleIndex",
		(json_int_t)rule, "level", "error", "message", said(text), "partialFingerprints",
		"aclcheck/v1", print, "locations", locations(report, place), "suppressions");
	set_baseline(json, expectation, compared);
	return json;
}

static json_t *invocation(const json_t *report)
{
	json_t *notes = json_array();
	const json_t *doubt;
	char text[1024];
	size_t i;

	json_array_foreach(json_object_get(report, "inconclusive"), i, doubt)
	{
		snprintf(text, sizeof(text), "inconclusive: %.200s: %.700s", text_of(doubt, "reason"),
			text_of(doubt, "text"));
		json_array_append_new(
			notes, json_pack("{s:s, s:o}", "level", "warning", "message", said(text)));
	}
	return json_pack("{s:b, s:o, s:{s:s}}", "executionSuccessful", (int)!json_array_size(notes),
		"toolExecutionNotifications", notes, "properties", "verdict", text_of(report, "verdict"));
}

static bool was_compared(const json_t *findings)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(findings, i, finding) if (json_object_get(finding, "known")) return true;
	return false;
}

static json_t *results(const json_t *report, json_t *rules)
{
	const json_t *findings = json_object_get(report, "findings"), *one;
	json_t *list = json_array(), *title = json_pack("{s:s, s:s}", "severity", "error", "title",
					     "What a test expects to be found was not found");
	bool compared = was_compared(findings);
	size_t i;

	json_array_foreach(findings, i, one) json_array_append_new(
		list, result(report, one, rule_index(rules, text_of(one, "rule"), one), compared));
	json_array_foreach(json_object_get(report, "expectations"), i, one)
	{
		if (expectation_unmet(one))
			json_array_append_new(
				list, unmet(report, one, rule_index(rules, UNMET, title), compared));
	}
	json_decref(title);
	return list;
}

/* What relative paths are relative to, and which revision it is. */
static void set_checkout(json_t *run)
{
	char *root;

	if (!*repository_root() || asprintf(&root, "%s/", repository_root()) < 0)
		return;
	json_object_set_new(run, "originalUriBaseIds", json_pack("{s:{s:o}}", ROOT_ID, "uri", uri(root)));
	free(root);
	if (*repository_revision())
		json_object_set_new(run, "automationDetails",
			json_pack("{s:s, s:{s:s}}", "id", "aclcheck/", "properties", "revision",
				repository_revision()));
}

void print_sarif(FILE *to, const json_t *report)
{
	json_t *rules = json_array(), *list = results(report, rules), *sarif, *run;

	sarif = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:[o], s:o, s:s}]}", "$schema", SCHEMA,
		"version", "2.1.0", "runs", "tool", "driver", "name", "aclcheck", "version", ACLCHECK_VERSION,
		"rules", rules, "invocations", invocation(report), "results", list, "columnKind",
		"unicodeCodePoints");
	run = json_array_get(json_object_get(sarif, "runs"), 0);
	if (*ACLCHECK_HOMEPAGE)
		json_object_set_new(json_object_get(json_object_get(run, "tool"), "driver"), "informationUri",
			json_string(ACLCHECK_HOMEPAGE));
	set_checkout(run);
	json_dumpf(sarif, to, JSON_INDENT(1));
	fputc('\n', to);
	json_decref(sarif);
}
