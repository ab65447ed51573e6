/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table as a whole: how much of it is checked and tested, and as a document. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "aclcheck/model.h"
#include "checks/engine/rule_table.h"
#include "interpose/common/rule_switches.h"
#include "tools/aclcheck/rules_table.h"

struct counts {
	unsigned known, state[3], paired, live;
};

static bool among(const char *const *ids, const struct acl_rule *r)
{
	for (const char *const *id = ids; *id; id++)
		if (!strcmp(*id, r->id))
			return true;
	return false;
}

/* Counts the rules of a family, NULL = all of them. */
static struct counts rules_count(const char *family)
{
	struct counts n = {0};

	for (unsigned i = 0; i < acl_rule_count; i++) {
		if (family && strcmp(acl_rules[i].family, family))
			continue;
		n.known++;
		n.state[acl_rules[i].state]++;
		if (acl_rules[i].state != ACL_RULE_IMPLEMENTED)
			continue;
		n.paired += among(acl_twinned_rules, &acl_rules[i]);
		n.live += among(acl_live_rules, &acl_rules[i]);
	}
	return n;
}

/* Whether rule i is the first one of its family. */
static bool first_of_family(unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (!strcmp(acl_rules[k].family, acl_rules[i].family))
			return false;
	return true;
}

static void coverage_line(const char *family, const struct counts *n)
{
	printf("%-14s %12u %12u %16u %12u %8u %10u\n", family, n->known, n->state[ACL_RULE_IMPLEMENTED],
		n->paired, n->state[ACL_RULE_UNCHECKABLE], n->state[ACL_RULE_PLANNED], n->live);
}

static void planned_lines(enum acl_rule_waits_for engine, const char *what)
{
	unsigned n = 0;

	for (unsigned i = 0; i < acl_rule_count; i++)
		n += acl_rules[i].state == ACL_RULE_PLANNED && acl_rules[i].waits_for == engine;
	if (!n)
		return;
	printf("\n%u planned, waiting for %s:\n", n, what);
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (acl_rules[i].state == ACL_RULE_PLANNED && acl_rules[i].waits_for == engine)
			printf("  %-40s %s\n", acl_rules[i].id, rule_text(&acl_rules[i], RULE_TITLE));
}

void rules_coverage(void)
{
	struct counts all = rules_count(NULL);

	printf("%-14s %12s %12s %16s %12s %8s %10s\n", "family", "in catalogue", "implemented",
		"paired tests", "uncheckable", "planned", "run live");
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (first_of_family(i)) {
			struct counts n = rules_count(acl_rules[i].family);

			coverage_line(acl_rules[i].family, &n);
		}
	coverage_line("all", &all);
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (acl_rules[i].state == ACL_RULE_UNCHECKABLE)
			printf("\n%s cannot be checked:\n  %s\n", acl_rules[i].id,
				rule_text(&acl_rules[i], RULE_REASON));
	planned_lines(ACL_WAITS_FOR_ORDER, "the order engine (what may run at the same time as what)");
	planned_lines(ACL_WAITS_FOR_CAPTURE, "the capture engine (states of captures and models)");
	planned_lines(ACL_WAITS_FOR_NOTHING, "their check");
}

/* --- checks/RULES.md --------------------------------------------------------------- */

/* A cell: what would end it or begin markup is escaped. */
static void cell(const char *text)
{
	for (; *text; text++) {
		if (strchr("|*_<>`", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void row(const struct acl_rule *r)
{
	static const char *const defaults[] = {"", ", advice", ", off"};

	printf("| `%s` | %s%s%s | ", r->id, r->tier == ACL_TIER_MISSION ? "**mission** " : "",
		acl_severity_names[r->severity], defaults[r->dflt]);
	cell(rule_text(r, RULE_TITLE));
	printf(" | ");
	cell(rule_text(r, RULE_TITLE + ACL_LANG_ZH));
	printf(" | ");
	cell(rule_text(r, RULE_HINT) ? rule_text(r, RULE_HINT) : "");
	printf(" |\n");
}

static void family_table(const char *family)
{
	struct counts n = rules_count(family);
	bool planned = false;

	printf("\n## %s\n\n%u of %u rules are checked.\n", family, n.state[ACL_RULE_IMPLEMENTED], n.known);
	if (n.state[ACL_RULE_IMPLEMENTED])
		printf("\n| rule | weight | what | 内容 | how to fix it |\n|---|---|---|---|---|\n");
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (!strcmp(acl_rules[i].family, family) && acl_rules[i].state == ACL_RULE_IMPLEMENTED)
			row(&acl_rules[i]);
	for (unsigned i = 0; i < acl_rule_count; i++) {
		if (strcmp(acl_rules[i].family, family) || acl_rules[i].state != ACL_RULE_PLANNED)
			continue;
		printf("%s`%s`", planned ? ", " : "\nPlanned: ", acl_rules[i].id);
		planned = true;
	}
	if (planned)
		printf(".\n");
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (!strcmp(acl_rules[i].family, family) && acl_rules[i].state == ACL_RULE_UNCHECKABLE)
			printf("\nCannot be checked: `%s`: %s\n", acl_rules[i].id,
				rule_text(&acl_rules[i], RULE_REASON));
}

void rules_markdown(void)
{
	struct counts all = rules_count(NULL);

	printf("<!-- Printed by `aclcheck rules --markdown` from checks/rules; `make docs` renews "
	       "it. "
	       "-->\n"
	       "# Rules\n\n%u rules are known: %u are checked, %u are planned, %u cannot be checked from "
	       "outside.\n"
	       "`aclcheck rules ID` explains one in English and, with `ACLCHECK_LANG=zh`, in Chinese.\n",
		all.known, all.state[ACL_RULE_IMPLEMENTED], all.state[ACL_RULE_PLANNED],
		all.state[ACL_RULE_UNCHECKABLE]);
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (first_of_family(i))
			family_table(acl_rules[i].family);
}
