/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often each rule was evaluated, for the rule coverage of the user's
 * own programs.  A thread counts for itself, so that no line is written by two;
 * the sums are made when they are read.
 */
#include "checks/engine/rule_coverage.h"

#define ASKED_BY 1024

/* Rules that every call of a function evaluates: pairs in the order they were named. */
struct evaluated_by {
	unsigned n;
	struct {
		uint16_t rule, api;
	} at[ASKED_BY];
};

static size_t counts_size(void)
{
	return sizeof(struct coverage_counts) + acl_rule_count * sizeof(_Atomic uint64_t);
}

void coverage_thread_begins(struct checks *c, struct acl_thread *t)
{
	struct coverage_counts *counts;

	if (t->coverage && t->coverage != c->coverage_lost)
		return;
	counts = checks_alloc(c, counts_size());
	t->coverage = counts ? counts : c->coverage_lost;
}

/* Bits for what calls are, and not for a rule. */
#define CALLED_AS(evaluated, called) ((evaluated) >> (40 + (called)-ACL_CALLED_PLAIN_COPY) & 1)
#define ONE_RULE_EACH (((uint64_t)1 << 40) - 1)

/* The rule behind the lowest of these bits, NULL if that is not in force. */
static const struct acl_rule *rule_of_first(const struct checks *c, unsigned api, uint64_t evaluated)
{
	unsigned bit = (unsigned)__builtin_ctzll(evaluated);
	const struct acl_constraint *n = &acl_constraints[acl_constraints_of[api].first + bit];

	if (bit >= 32)
		return &acl_rules[load_acquire(&c->plans[api])->handles[bit - 32].rule];
	return constraint_in_force(c, n) ? &acl_rules[n->rule] : NULL;
}

static void spread(const struct checks *c, uint64_t *sums, unsigned api, uint64_t evaluated, uint64_t calls)
{
	for (evaluated &= ONE_RULE_EACH; evaluated; evaluated &= evaluated - 1) {
		const struct acl_rule *rule = rule_of_first(c, api, evaluated);

		if (rule)
			sums[rule->index] += calls;
	}
}

static void count_more(_Atomic uint64_t *count, uint64_t calls)
{
	store_relaxed(count, load_relaxed(count) + calls);
}

/* The call is counted already, and begins the next run. Only the thread itself writes its counts. */
void evaluated_changed(const struct checks *c, const struct acl_call_record *call)
{
	struct coverage_counts *counts = thread_of(call)->coverage;
	struct called_api *of = &counts->api[call->api];
	uint64_t before = load_relaxed(&of->calls) - 1, calls = before - load_relaxed(&of->before),
		 was = load_relaxed(&of->evaluated);

	for (uint64_t left = was & ONE_RULE_EACH; left; left &= left - 1) {
		const struct acl_rule *rule = rule_of_first(c, call->api, left);

		if (rule)
			count_more(&counts->rule[rule->index], calls);
	}
	for (unsigned called = ACL_CALLED_PLAIN_COPY; called < ACL_CALLED_COUNT; called++)
		if (CALLED_AS(was, called))
			count_more(&counts->api[called].calls, calls);
	store_relaxed(&of->before, before);
	store_relaxed(&of->evaluated, call->state.evaluated);
}

void rule_evaluated_at_end(struct checks *c, const struct acl_rule *rule)
{
	if (rule)
		counter_inc(&c->evaluated_at_end[rule->index]);
}

bool coverage_create(struct checks *c)
{
	c->evaluated_at_end = checks_alloc(c, acl_rule_count * sizeof(*c->evaluated_at_end));
	c->evaluated_by = checks_alloc(c, sizeof(*c->evaluated_by));
	c->coverage_lost = checks_alloc(c, counts_size());
	if (!c->evaluated_at_end || !c->evaluated_by || !c->coverage_lost)
		return false;
	rule_evaluated_by(c, RULE("api-error"), ACL_CALLED_ANY);
	rule_evaluated_by(c, RULE("api-missing-in-runtime"), ACL_CALLED_ANY);
	return true;
}

void rule_evaluated_by(struct checks *c, const struct acl_rule *rule, unsigned api)
{
	struct evaluated_by *by = c->evaluated_by;

	if (!rule || by->n == ASKED_BY)
		return;
	by->at[by->n].rule = rule->index;
	by->at[by->n++].api = (uint16_t)api;
}

void rule_evaluated_by_operation(struct checks *c, const struct acl_rule *rule, unsigned operation)
{
	const struct acl_operation_info *of = &acl_operations[operation];

	for (unsigned i = 0; i < of->n_apis; i++)
		rule_evaluated_by(c, rule, acl_operation_apis[of->first_api + i]);
}

/* Calls of the present run that are such. */
static uint64_t calls_as(const struct called_api *of, unsigned called)
{
	struct called_api *run = (struct called_api *)of;

	if (called != ACL_CALLED_ANY && !CALLED_AS(load_relaxed(&run->evaluated), called))
		return 0;
	return load_relaxed(&run->calls) - (called == ACL_CALLED_ANY ? 0 : load_relaxed(&run->before));
}

static uint64_t calls_of(const struct coverage_counts *of, unsigned api)
{
	uint64_t all = 0;

	if (api < ACL_CALLED_ANY)
		all = load_relaxed(&((struct coverage_counts *)of)->api[api].calls);
	for (unsigned other = 0; api >= ACL_API_COUNT && other < ACL_API_COUNT; other++)
		all += calls_as(&of->api[other], api);
	return all;
}

static void add_thread(const struct checks *c, struct coverage_counts *of, uint64_t *counts)
{
	for (unsigned r = 0; r < acl_rule_count; r++)
		counts[r] += load_relaxed(&of->rule[r]);
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		spread(c, counts, api, load_relaxed(&of->api[api].evaluated),
			load_relaxed(&of->api[api].calls) - load_relaxed(&of->api[api].before));
	for (unsigned i = 0; i < c->evaluated_by->n; i++)
		counts[c->evaluated_by->at[i].rule] += calls_of(of, c->evaluated_by->at[i].api);
}

void checks_rule_counts(const struct checks *c, uint64_t *counts)
{
	struct acl_thread *t;

	for (unsigned r = 0; r < acl_rule_count; r++)
		counts[r] = load_relaxed(&c->evaluated_at_end[r]);
	thread_each(c, t) if (t->coverage != c->coverage_lost) add_thread(c, t->coverage, counts);
	for (unsigned r = 0; r < acl_rule_count; r++)
		if (c->settings[r].off)
			counts[r] = CHECKS_RULE_OFF;
}

/* What the parent evaluated is the parent's. */
void coverage_forked(struct checks *c)
{
	struct acl_thread *t;

	thread_each(c, t) memset((void *)t->coverage, 0, counts_size());
}
