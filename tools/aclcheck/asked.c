/* SPDX-License-Identifier: Apache-2.0 */
/* Rule coverage of the program's own runs: which rules its calls evaluated. */
#include "tools/aclcheck/asked.h"

#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/report.h"

#define FAMILIES 64

bool asked_told(const json_t *report)
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

enum asked_state asked_state(const json_t *report, const struct acl_rule *rule, json_int_t *times)
{
	*times = number_of(json_object_get(json_object_get(report, "rules"), "asked"), rule->id);
	if (rule->state != ACL_RULE_IMPLEMENTED || is_off(report, rule->id))
		return ASKED_OFF;
	if (is_broken(report, rule->id))
		return ASKED_BROKEN;
	return *times > 0 ? ASKED_SILENT : ASKED_NEVER;
}

struct asked_totals asked_count(const json_t *report, const char *family)
{
	struct asked_totals n = {0};
	json_int_t times;

	for (unsigned i = 0; i < acl_rule_count; i++) {
		enum asked_state state;

		if (family && strcmp(acl_rules[i].family, family))
			continue;
		state = asked_state(report, &acl_rules[i], &times);
		n.on += state != ASKED_OFF;
		n.asked += state == ASKED_SILENT || state == ASKED_BROKEN;
		n.broken += state == ASKED_BROKEN;
	}
	return n;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *asked_families(void)
{
	static const char *families[FAMILIES];
	unsigned n = 0, k;

	for (unsigned i = 0; i < acl_rule_count; i++) {
		for (k = 0; k < n && strcmp(families[k], acl_rules[i].family); k++)
			;
		if (k == n && n < FAMILIES - 1)
			families[n++] = acl_rules[i].family;
	}
	qsort(families, n, sizeof(*families), by_name);
	families[n] = NULL;
	return families;
}

static void print_family(FILE *to, const json_t *report, const char *family)
{
	static const char *const words[] = {"off", "never", "evaluated", "broken"};
	struct asked_totals n = asked_count(report, family);
	json_int_t times;

	if (!n.on)
		return;
	fprintf(to, "%s: %u of %u\n", family, n.asked, n.on);
	for (unsigned i = 0; i < acl_rule_count; i++) {
		enum asked_state state;

		if (strcmp(acl_rules[i].family, family))
			continue;
		state = asked_state(report, &acl_rules[i], &times);
		if (state != ASKED_OFF)
			fprintf(to, "  %-11s %12lld  %s\n", words[state], (long long)times, acl_rules[i].id);
	}
}

void print_rules(FILE *to, const json_t *report)
{
	struct asked_totals n = asked_count(report, NULL);

	if (!asked_told(report)) {
		fputs("No process that ended reported which rules its calls evaluated.\n", to);
		return;
	}
	for (const char *const *family = asked_families(); *family; family++)
		print_family(to, report, *family);
	fprintf(to, "all: %u of %u rules evaluated, %u broken\n", n.asked, n.on, n.broken);
}
