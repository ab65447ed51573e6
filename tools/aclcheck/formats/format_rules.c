/* SPDX-License-Identifier: Apache-2.0 */
/* Rule coverage as text: a line a rule, by family. */
#include "tools/aclcheck/formats/formats.h"

#include <string.h>

static void print_family(FILE *to, const json_t *report, const char *family)
{
	static const char *const words[] = {"off", "never", "evaluated", "broken"};
	struct coverage_totals n = coverage_count(report, family);
	json_int_t times;

	if (!n.on)
		return;
	fprintf(to, "%s: %u of %u\n", family, n.evaluated, n.on);
	for (unsigned i = 0; i < acl_rule_count; i++) {
		enum coverage_state state;

		if (strcmp(acl_rules[i].family, family))
			continue;
		state = coverage_state(report, &acl_rules[i], &times);
		if (state != COVERAGE_OFF)
			fprintf(to, "  %-11s %12lld  %s\n", words[state], (long long)times, acl_rules[i].id);
	}
}

void print_rules(FILE *to, const json_t *report)
{
	struct coverage_totals n = coverage_count(report, NULL);

	if (!coverage_reported(report)) {
		fputs("No process that ended reported which rules its calls evaluated.\n", to);
		return;
	}
	for (const char *const *family = rule_families(); *family; family++)
		print_family(to, report, *family);
	fprintf(to, "all: %u of %u rules evaluated, %u broken\n", n.evaluated, n.on, n.broken);
}
