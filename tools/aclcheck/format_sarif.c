/* SPDX-License-Identifier: Apache-2.0 */
/* SARIF 2.1.0: results with stacks, biographies as code flows, rules with help texts. */
#include "tools/aclcheck/formats.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "checks/rule.h"
#include "interpose/text.h"

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

static json_t *location(const json_t *frame, const char *text)
{
	json_t *at = json_object();
	const char *file = text_of(frame, "file"), *function = text_of(frame, "function");
	json_int_t line = number_of(frame, "line");

	if (*file) {
		json_t *physical = json_pack("{s:{s:o}}", "artifactLocation", "uri", uri(file));

		if (line > 0)
			json_object_set_new(physical, "region", json_pack("{s:I}", "startLine", line));
		json_object_set_new(at, "physicalLocation", physical);
	} else if (*text_of(frame, "module")) {
		json_object_set_new(at, "physicalLocation",
			json_pack("{s:{s:o}}", "artifactLocation", "uri", uri(text_of(frame, "module"))));
	}
	if (*function)
		json_object_set_new(at, "logicalLocations",
			json_pack("[{s:s, s:s}]", "fullyQualifiedName", function, "kind", "function"));
	if (text)
		json_object_set_new(at, "message", message(text));
	return at;
}

static json_t *stack(const json_t *frames, const char *text)
{
	json_t *list = json_array();
	const json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
		json_array_append_new(list, json_pack("{s:o}", "location", location(frame, NULL)));
	return json_pack("{s:o, s:o}", "message", message(text), "frames", list);
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
			json_array_append_new(flows,
				json_pack("{s:o, s:[{s:o}]}", "message", message(text_of(object, "role")),
					"threadFlows", "locations", json_incref(steps)));
		json_decref(steps);
	}
	return flows;
}

static json_t *help(const struct acl_rule *r)
{
	char text[8192];
	struct text t;

	text_init(&t, text, sizeof(text));
	text_fmt(&t, "%s", r->title[ACL_LANG_EN]);
	if (r->why[ACL_LANG_EN])
		text_fmt(&t, "\n\n%s", r->why[ACL_LANG_EN]);
	if (r->hint[ACL_LANG_EN])
		text_fmt(&t, "\n\n%s", r->hint[ACL_LANG_EN]);
	if (r->source)
		text_fmt(&t, "\n\nSource: %s", r->source);
	return message(text);
}

static json_t *rule_json(const char *id, const json_t *finding)
{
	const struct acl_rule *r = acl_rule_find(id);
	json_t *json = json_pack("{s:s, s:o}", "id", id, "shortDescription",
		message(r ? r->title[ACL_LANG_EN] : text_of(finding, "title")));

	json_object_set_new(json, "defaultConfiguration",
		json_pack("{s:s}", "level", level_of(text_of(finding, "severity"))));
	if (r && r->why[ACL_LANG_EN] && *r->why[ACL_LANG_EN])
		json_object_set_new(json, "fullDescription", message(r->why[ACL_LANG_EN]));
	if (r)
		json_object_set_new(json, "help", help(r));
	if (r)
		json_object_set_new(json, "properties", json_pack("{s:[s]}", "tags", r->family));
	return json;
}

static size_t rule_index(json_t *rules, const json_t *finding)
{
	const char *id = text_of(finding, "rule");
	const json_t *rule;
	size_t i;

	json_array_foreach(rules, i, rule) if (!strcmp(text_of(rule, "id"), id)) return i;
	json_array_append_new(rules, rule_json(id, finding));
	return i;
}

static json_t *result(const json_t *finding, size_t rule)
{
	const json_t *frame = finding_frame(finding);
	const char *detail = text_of(finding, "detail"), *severity = text_of(finding, "severity");
	bool lesser = flag_of(finding, "advice") || flag_of(finding, "secondary");
	json_t *json = json_pack("{s:s, s:I, s:s, s:o, s:{s:s}}", "ruleId", text_of(finding, "rule"),
		"ruleIndex", (json_int_t)rule, "level", lesser ? "note" : level_of(severity), "message",
		message(*detail ? detail : text_of(finding, "title")), "partialFingerprints", "aclcheck/v1",
		text_of(finding, "fingerprint"));

	json_object_set_new(json, "locations", json_array());
	if (frame)
		json_array_append_new(json_object_get(json, "locations"), location(frame, NULL));
	if (number_of(finding, "count") > 0)
		json_object_set_new(json, "occurrenceCount", json_integer(number_of(finding, "count")));
	if (json_array_size(json_object_get(finding, "stack")))
		json_object_set_new(json, "stacks",
			json_pack("[o]", stack(json_object_get(finding, "stack"), text_of(finding, "call"))));
	json_object_set_new(json, "codeFlows", code_flows(finding));
	if (flag_of(finding, "suppressed"))
		json_object_set_new(json, "suppressions",
			json_pack("[{s:s, s:s}]", "kind", "external", "justification",
				text_of(finding, "suppressed_by")));
	if (json_object_get(finding, "known"))
		json_object_set_new(
			json, "baselineState", json_string(flag_of(finding, "known") ? "unchanged" : "new"));
	json_object_set_new(json, "properties",
		json_pack("{s:O, s:O?, s:O?}", "values", json_object_get(finding, "values"), "args",
			json_object_get(finding, "args"), "ranks", json_object_get(finding, "ranks")));
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
			notes, json_pack("{s:s, s:o}", "level", "warning", "message", message(text)));
	}
	return json_pack("{s:b, s:o, s:{s:s}}", "executionSuccessful", (int)!json_array_size(notes),
		"toolExecutionNotifications", notes, "properties", "verdict", text_of(report, "verdict"));
}

void print_sarif(FILE *to, const json_t *report)
{
	json_t *rules = json_array(), *results = json_array(), *sarif;
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
		json_array_append_new(results, result(finding, rule_index(rules, finding)));
	sarif = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:[o], s:o, s:s}]}", "$schema", SCHEMA,
		"version", "2.1.0", "runs", "tool", "driver", "name", "aclcheck", "version", ACLCHECK_VERSION,
		"rules", rules, "invocations", invocation(report), "results", results, "columnKind",
		"unicodeCodePoints");
	json_dumpf(sarif, to, JSON_INDENT(1));
	fputc('\n', to);
	json_decref(sarif);
}
