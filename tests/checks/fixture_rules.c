/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most of what a scenario does is looked at by rules that it is not about, and that
 * say nothing. How often each of them was evaluated, in all scenarios of a program
 * and all their variants, and how much it said, is kept in NAME.rules beside NAME.c: a check
 * that no longer looks, or looks once too often, differs there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/engine/instance.h"
#include "fixture.h"
#include "fixture_rules.h"

#define RULES 1024

static struct {
	uint64_t evaluated, findings;
	uint32_t texts; /* what they held, in any order */
} sums[RULES];

/* FNV-1a */
static uint32_t digest(const char *text)
{
	uint32_t hash = 2166136261;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 16777619;
	return hash;
}

void rules_add(const struct fixture *fixture)
{
	static uint64_t counts[RULES];

	assert_true(acl_rule_count <= RULES);
	checks_rule_counts(fixture->checks, counts);
	for (unsigned r = 0; r < acl_rule_count; r++)
		sums[r].evaluated += counts[r] == CHECKS_RULE_OFF ? 0 : counts[r];
	for (unsigned i = 0; i < fixture->n_found; i++) {
		const struct fixture_finding *f = &fixture->found[i];

		sums[f->rule->index].findings++;
		sums[f->rule->index].texts += digest(f->text);
	}
}

static void line_of(unsigned rule, char *line, size_t size)
{
	line[0] = 0;
	if (sums[rule].findings)
		snprintf(line, size, "%s evaluated %llu, findings %llu (%08x)\n", acl_rules[rule].id,
			(unsigned long long)sums[rule].evaluated, (unsigned long long)sums[rule].findings,
			sums[rule].texts);
	else if (sums[rule].evaluated)
		snprintf(line, size, "%s evaluated %llu\n", acl_rules[rule].id,
			(unsigned long long)sums[rule].evaluated);
}

static bool rules_write(const char *path)
{
	FILE *file = fopen(path, "w");
	char line[256];

	for (unsigned r = 0; file && r < acl_rule_count; r++) {
		line_of(r, line, sizeof(line));
		fputs(line, file);
	}
	return file && !fclose(file);
}

bool rules_compare(const char *path, bool writing)
{
	char line[256], want[256] = "";
	bool same = true;
	FILE *file;

	if (writing)
		return rules_write(path);
	file = fopen(path, "r");
	for (unsigned r = 0; same && r < acl_rule_count; r++) {
		line_of(r, line, sizeof(line));
		if (!line[0])
			continue;
		same = file && fgets(want, sizeof(want), file) && !strcmp(line, want);
		if (!same)
			printf("# %s (make findings writes it anew) is not what was counted: %s", path, line);
	}
	if (same && file && fgets(want, sizeof(want), file)) {
		same = false;
		printf("# %s (make findings writes it anew): not counted any more: %s", path, want);
	}
	if (file)
		fclose(file);
	fflush(stdout);
	return same;
}
