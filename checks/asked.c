/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often each rule was put to the test, for the rule coverage of the user's
 * own programs.  A thread counts for itself, so that no line is written by two;
 * the sums are made when somebody wants them.
 */
#include "checks/report.h"

/*
 * The needs a function's calls put to the test are mostly the same at every
 * call: one count for as long as they are, then it is spread over the rules.
 */
struct needs_run {
	_Atomic uint32_t needs; /* bit i: need i of the function */
	_Atomic uint64_t calls;
};

struct asked_counts {
	struct needs_run runs[ACL_API_COUNT];
	_Atomic uint64_t rules[]; /* by rule index */
};

static struct asked_counts *counts_of(struct acl_thread *t)
{
	return (struct asked_counts *)((char *)t->asked - offsetof(struct asked_counts, rules));
}

static size_t counts_size(void)
{
	return sizeof(struct asked_counts) + acl_rule_count * sizeof(_Atomic uint64_t);
}

void asked_begins(struct checks *c, struct acl_thread *t)
{
	struct asked_counts *counts = t->asked ? NULL : checks_alloc(c, counts_size());

	if (counts)
		t->asked = counts->rules;
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

/* Another set of needs than at the thread's last call of the function. */
static __attribute__((noinline, cold)) void next_run(const struct checks *c, struct asked_counts *counts,
	struct needs_run *run, unsigned api, uint32_t needs)
{
	uint64_t sums[acl_rule_count];

	memset(sums, 0, sizeof(sums));
	spread(c, sums, api, ld(&run->needs), ld(&run->calls));
	st(&run->calls, 0);
	st(&run->needs, needs);
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (sums[i])
			st(&counts->rules[i], ld(&counts->rules[i]) + sums[i]);
}

void needs_asked(struct checks *c, const struct acl_event *ev, uint32_t needs)
{
	struct asked_counts *counts = counts_of(thread_of(ev));
	struct needs_run *run = &counts->runs[ev->api];

	if (__builtin_expect(ld(&run->needs) != needs, 0))
		next_run(c, counts, run, ev->api, needs);
	st(&run->calls, ld(&run->calls) + 1);
}

void rule_asked_at_end(struct checks *c, const struct acl_rule *rule)
{
	if (rule)
		bump(&c->asked_at_end[rule->index]);
}

bool asked_create(struct checks *c)
{
	c->asked_at_end = checks_alloc(c, acl_rule_count * sizeof(*c->asked_at_end));
	return c->asked_at_end != NULL;
}

void checks_asked(const struct checks *c, uint64_t *counts)
{
	for (unsigned r = 0; r < acl_rule_count; r++)
		counts[r] = ld(&c->asked_at_end[r]);
	for (unsigned i = 0; i < ACL_THREADS; i++) {
		struct asked_counts *of = c->threads[i].asked ? counts_of(&c->threads[i]) : NULL;

		for (unsigned r = 0; of && r < acl_rule_count; r++)
			counts[r] += ld(&of->rules[r]);
		for (unsigned api = 0; of && api < ACL_API_COUNT; api++)
			spread(c, counts, api, ld(&of->runs[api].needs), ld(&of->runs[api].calls));
	}
	for (unsigned r = 0; r < acl_rule_count; r++)
		if (c->settings[r].off)
			counts[r] = 0;
}

/* What the parent asked is the parent's. */
void asked_forked(struct checks *c)
{
	for (unsigned i = 0; i < ACL_THREADS; i++)
		if (c->threads[i].asked)
			memset((void *)counts_of(&c->threads[i]), 0, counts_size());
}
