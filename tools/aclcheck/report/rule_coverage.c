/* SPDX-License-Identifier: Apache-2.0 */
/* Rule coverage of the program's own runs: which rules its calls evaluated. */
#include "tools/aclcheck/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"

#define FAMILIES 64

bool coverage_reported(const json_t *report)
{
	return json_is_object(json_object_get(json_object_get(report, "rules"), "asked"));
}

static bool is_off(const json_t *report, const char *rule)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(report, "rules"), "off"), i, one)
	{
		if (json_is_string(one) && !strcmp(json_string_value(one), rule))
			return true;
	}
	return false;
}

static bool is_broken(const json_t *report, const char *rule)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		if (!strcmp(text_of(finding, "rule"), rule))
			return true;
	}
	return false;
}

enum coverage_state coverage_state(const json_t *report, const struct acl_rule *rule, json_int_t *times)
{
	*times = number_of(json_object_get(json_object_get(report, "rules"), "asked"), rule->id);
	if (rule->state != ACL_RULE_IMPLEMENTED || is_off(report, rule->id))
		return COVERAGE_OFF;
	if (is_broken(report, rule->id))
		return COVERAGE_BROKEN;
	return *times > 0 ? COVERAGE_SILENT : COVERAGE_NEVER;
}

struct coverage_totals coverage_count(const json_t *report, const char *family)
{
	struct coverage_totals n = {0};
	json_int_t times;

	for (unsigned i = 0; i < acl_rule_count; i++) {
		enum coverage_state state;

		if (family && strcmp(acl_rules[i].family, family))
			continue;
		state = coverage_state(report, &acl_rules[i], &times);
		n.on += state != COVERAGE_OFF;
		n.evaluated += state == COVERAGE_SILENT || state == COVERAGE_BROKEN;
		n.broken += state == COVERAGE_BROKEN;
	}
	return n;
}

static int coverage_by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *rule_families(void)
{
	static const char *families[FAMILIES];
	unsigned n = 0, k;

	for (unsigned i = 0; i < acl_rule_count; i++) {
		for (k = 0; k < n && strcmp(families[k], acl_rules[i].family); k++)
			;
		if (k == n && n < FAMILIES - 1)
			families[n++] = acl_rules[i].family;
	}
	qsort(families, n, sizeof(*families), coverage_by_name);
	families[n] = NULL;
	return families;
}

const char *rule_suggestion(const char *word)
{
	struct suggestion s;

	suggest_begin(&s, word);
	for (unsigned i = 0; i < acl_rule_count; i++) {
		suggest(&s, acl_rules[i].id);
		suggest(&s, acl_rules[i].family);
	}
	return suggest_text(&s);
}
