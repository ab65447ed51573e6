/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often each rule was put to the test, for the rule coverage of the user's
 * own programs.  A thread counts for itself, so that no line is written by two;
 * the sums are made when somebody wants them.
 */
#include "checks/report.h"

#define ASKED_BY 1024

/* Rules that every call of a function puts to the test: pairs in the order they were named. */
struct asked_by {
	unsigned n;
	struct {
		uint16_t rule, api;
	} at[ASKED_BY];
};

static size_t counts_size(void)
{
	return sizeof(struct asked_counts) + acl_rule_count * sizeof(_Atomic uint64_t);
}

void asked_begins(struct checks *c, struct acl_thread *t)
{
	struct asked_counts *counts = t->asked ? NULL : checks_alloc(c, counts_size());

	if (counts)
		t->asked = counts;
}

static void spread(const struct checks *c, uint64_t *sums, unsigned api, uint32_t needs, uint64_t calls)
{
	for (; needs; needs &= needs - 1) {
		const struct acl_need *n = &acl_needs[acl_needs_of[api].first + __builtin_ctz(needs)];
		const struct acl_rule *rule = need_in_force(c, n) ? acl_rule_find(n->rule) : NULL;

		if (rule)
			sums[rule->index] += calls;
	}
}

/* The call is counted already, and begins the next run. */
void needs_changed(struct checks *c, const struct acl_event *ev, uint32_t needs)
{
	struct asked_counts *counts = thread_of(ev)->asked;
	struct called_api *of = &counts->api[ev->api];
	uint64_t sums[acl_rule_count], before = ld(&of->calls) - 1;

	memset(sums, 0, sizeof(sums));
	spread(c, sums, ev->api, ld(&of->needs), before - ld(&of->before));
	st(&of->before, before);
	st(&of->needs, needs);
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (sums[i])
			st(&counts->rule[i], ld(&counts->rule[i]) + sums[i]);
}

void rule_asked_at_end(struct checks *c, const struct acl_rule *rule)
{
	if (rule)
		bump(&c->asked_at_end[rule->index]);
}

bool asked_create(struct checks *c)
{
	c->asked_at_end = checks_alloc(c, acl_rule_count * sizeof(*c->asked_at_end));
	c->asked_by = checks_alloc(c, sizeof(*c->asked_by));
	if (!c->asked_at_end || !c->asked_by)
		return false;
	rule_asked_by(c, RULE("api-error"), ACL_CALLED_ANY);
	rule_asked_by(c, RULE("api-missing-in-runtime"), ACL_CALLED_ANY);
	return true;
}

void rule_asked_by(struct checks *c, const struct acl_rule *rule, unsigned api)
{
	struct asked_by *by = c->asked_by;

	if (!rule || by->n == ASKED_BY)
		return;
	by->at[by->n].rule = rule->index;
	by->at[by->n++].api = (uint16_t)api;
}

static uint64_t calls_of(struct asked_counts *of, unsigned api)
{
	uint64_t all = 0;

	if (api != ACL_CALLED_ANY)
		return ld(&of->api[api].calls);
	for (api = 0; api < ACL_API_COUNT; api++)
		all += ld(&of->api[api].calls);
	return all;
}

static void add_thread(const struct checks *c, struct asked_counts *of, uint64_t *counts)
{
	for (unsigned r = 0; r < acl_rule_count; r++)
		counts[r] += ld(&of->rule[r]);
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		spread(c, counts, api, ld(&of->api[api].needs),
			ld(&of->api[api].calls) - ld(&of->api[api].before));
	for (unsigned i = 0; i < c->asked_by->n; i++)
		counts[c->asked_by->at[i].rule] += calls_of(of, c->asked_by->at[i].api);
}

void checks_asked(const struct checks *c, uint64_t *counts)
{
	for (unsigned r = 0; r < acl_rule_count; r++)
		counts[r] = ld(&c->asked_at_end[r]);
	for (unsigned i = 0; i < ACL_THREADS; i++) {
		if (c->threads[i].asked)
			add_thread(c, c->threads[i].asked, counts);
	}
	for (unsigned r = 0; r < acl_rule_count; r++)
		if (c->settings[r].off)
			counts[r] = CHECKS_RULE_OFF;
}

/* What the parent asked is the parent's. */
void asked_forked(struct checks *c)
{
	for (unsigned i = 0; i < ACL_THREADS; i++)
		if (c->threads[i].asked)
			memset((void *)c->threads[i].asked, 0, counts_size());
}
