/* SPDX-License-Identifier: Apache-2.0 */
/* How often rules were evaluated, over several processes. */
#include "tools/aclcheck/report/merge_parts.h"

#include <stdint.h>

#include "checks/engine/rule_table.h"
#include "tools/aclcheck/report/report.h"

/* Only rules of the table: what else a report names would fill the memory. */
static void merge_coverage_count(json_t *sums, const char *rule, json_int_t more)
{
	json_int_t now = json_integer_value(json_object_get(sums, rule));

	if (more <= 0 || !acl_rule_find(rule))
		return;
	json_object_set_new(sums, rule, json_integer(now > INT64_MAX - more ? INT64_MAX : now + more));
}

void rule_coverage_add(struct merged_rule_coverage *a, const json_t *rules)
{
	const json_t *evaluated = json_object_get(rules, "asked"), *value;
	json_int_t processes = number_of(rules, "processes");
	const char *rule;
	size_t i;

	if (!json_is_object(evaluated))
		return;
	if (processes < 1)
		processes = 1;
	if (!a->evaluated) {
		a->evaluated = json_object();
		a->off = json_object();
	}
	a->processes += processes > UINT32_MAX ? 1 : processes;
	json_object_foreach((json_t *)evaluated, rule, value)
		merge_coverage_count(a->evaluated, rule, json_integer_value(value));
	json_array_foreach(json_object_get(rules, "off"), i, value) if (json_is_string(value))
		merge_coverage_count(a->off, json_string_value(value), processes);
}

json_t *rule_coverage_result(struct merged_rule_coverage *a)
{
	json_t *off, *value, *json;
	const char *rule;

	if (!a->evaluated)
		return NULL;
	off = json_array();
	/* Where one process has it on, it was on. */
	json_object_foreach(a->off, rule, value) if (json_integer_value(value) >= a->processes)
		json_array_append_new(off, json_string(rule));
	json = json_pack("{s:o, s:o, s:I}", "asked", a->evaluated, "off", off, "processes", a->processes);
	json_decref(a->off);
	a->evaluated = a->off = NULL;
	a->processes = 0;
	return json;
}
