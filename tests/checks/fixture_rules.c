/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most of what a scenario does is looked at by rules that it is not about, and that
 * say nothing. How often each of them was evaluated, in all scenarios of a program
 * and all their variants, how much it said, and what was there in the end is kept in NAME.rules
 * beside NAME.c: a check that no longer looks, or looks once too often, differs there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/engine/instance.h"
#include "checks/engine/value_table.h"
#include "fixture.h"
#include "fixture_rules.h"

#define RULES 1024

static struct {
	uint64_t evaluated, findings;
	uint32_t texts; /* what they held, in any order */
} sums[RULES];

static struct {
	uint64_t calls, inconclusive; /* calls that were checked, checkers that could not know all */
	uint64_t ends[CHECKS_EVIDENCE_ENDS]; /* of evidence */
	uint64_t objects[ACL_HANDLE_COUNT], blocks, registered; /* that are there in the end */
} whole;

static uint32_t digest(const char *text)
{
	uint64_t key = KEY_OF_TEXT;

	for (; *text; text++)
		key = key_with_byte(key, (unsigned char)*text);
	return (uint32_t)(key >> 32);
}

static void whole_add(struct checks *c)
{
	struct checks_totals totals;
	struct acl_object *o;

	checks_totals(c, &totals);
	whole.calls += totals.calls;
	whole.inconclusive += totals.degraded;
	for (unsigned i = 0; i < CHECKS_EVIDENCE_ENDS; i++)
		whole.ends[i] += totals.evidence_ends[i];
	for (unsigned kind = 0; kind < ACL_HANDLE_COUNT; kind++)
		object_each(c, kind, o) whole.objects[kind] += object_usable(o);
	whole.blocks += map_live(c->maps[MAP_MEMORY]);
	whole.registered += map_live(c->maps[MAP_REGISTERED]);
}

void rules_add(const struct fixture *fixture)
{
	static uint64_t counts[RULES];

	assert_true(acl_rule_count <= RULES);
	whole_add(fixture->checks);
	checks_rule_counts(fixture->checks, counts);
	for (unsigned r = 0; r < acl_rule_count; r++)
		sums[r].evaluated += counts[r] == CHECKS_RULE_OFF ? 0 : counts[r];
	for (unsigned i = 0; i < fixture->n_found; i++) {
		const struct fixture_finding *f = &fixture->found[i];

		sums[f->rule->index].findings++;
		sums[f->rule->index].texts += digest(f->text);
	}
}

static void line_of(FILE *out, unsigned rule)
{
	if (sums[rule].findings)
		fprintf(out, "%s evaluated %llu, findings %llu (%08x)\n", acl_rules[rule].id,
			(unsigned long long)sums[rule].evaluated, (unsigned long long)sums[rule].findings,
			sums[rule].texts);
	else if (sums[rule].evaluated)
		fprintf(out, "%s evaluated %llu\n", acl_rules[rule].id,
			(unsigned long long)sums[rule].evaluated);
}

static void number(FILE *out, const char *name, uint64_t n)
{
	if (n)
		fprintf(out, "%s: %llu\n", name, (unsigned long long)n);
}

static char *text_of_all(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	number(out, "calls checked", whole.calls);
	number(out, "inconclusive", whole.inconclusive);
	for (unsigned i = 0; i < CHECKS_EVIDENCE_ENDS; i++)
		number(out, checks_evidence_end_name(i), whole.ends[i]);
	for (unsigned kind = 0; kind < ACL_HANDLE_COUNT; kind++)
		number(out, acl_handle_names[kind], whole.objects[kind]);
	number(out, "blocks", whole.blocks);
	number(out, "registered ranges", whole.registered);
	for (unsigned r = 0; r < acl_rule_count; r++)
		line_of(out, r);
	fclose(out);
	return text;
}

bool rules_compare(const char *path, bool writing)
{
	FILE *file = fopen(path, writing ? "w" : "r");
	char *text = text_of_all(), *line = text, want[256];
	bool same = file != NULL;

	if (writing)
		return file && fputs(text, file) >= 0 && !fclose(file);
	while (same && fgets(want, sizeof(want), file)) {
		same = !strncmp(line, want, strlen(want));
		line += same ? strlen(want) : 0;
	}
	same = same && !*line;
	if (!same)
		printf("# %s (make findings writes it anew) is not what was counted: %.*s\n", path,
			(int)strcspn(line, "\n"), line);
	fflush(stdout);
	if (file)
		fclose(file);
	free(text);
	return same;
}
