/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules were evaluated: a check that has all its evidence counts the rule, broken or not. */
#ifndef CHECKS_RULE_COVERAGE_H
#define CHECKS_RULE_COVERAGE_H

#include "checks/engine/instance.h"

/*
 * The rule has all its evidence and is about to be evaluated: counted, once a call, after
 * everything unknown has returned and before the condition itself.
 */
static inline void rule_evaluated(const struct acl_call_record *call, const struct acl_rule *rule)
{
	struct coverage_counts *coverage = thread_of(call)->coverage;

	if (rule && is_checked(call))
		store_relaxed(&coverage->rule[rule->index], load_relaxed(&coverage->rule[rule->index]) + 1);
}

/* The same where there is no call: when the process ends. */
void rule_evaluated_at_end(struct checks *c, const struct acl_rule *rule);

/* Whether the rule can say anything at all: lets a check skip costly evidence. */
bool rule_wanted(const struct checks *c, const struct acl_rule *rule);

#endif
