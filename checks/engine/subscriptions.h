/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what hooks listen to (operations, kinds of objects, roles) to functions: resolved once from the API
 * model, so that a new variant of an operation is checked as soon as the model has it.
 */
#ifndef CHECKS_SUBSCRIPTIONS_H
#define CHECKS_SUBSCRIPTIONS_H

#include "checks/engine/instance.h"

struct subscription {
	struct check_hook hook;
	uint16_t module; /* number in check_modules[] */
};

struct subscriptions {
	struct subscription *all; /* by module */
	unsigned n;
	unsigned module_first[MODULE_COUNT + 1];
	/* Of phase p and function f: of[first[p][f]] up to of[first[p][f + 1]], positions in all[]. */
	uint32_t first[ACL_PHASES][ACL_API_COUNT + 1];
	uint16_t *of;
	unsigned most; /* of a phase and function */
};

/*
 * Those of all check modules, for each phase and function in the order in which they are called: enter in the
 * order of the modules, the others the opposite way.  false: no memory.
 */
bool subscriptions_resolve(struct checks *c, struct subscriptions *s);

static inline const struct subscription *subscription_at(const struct subscriptions *s, uint32_t position)
{
	return &s->all[s->of[position]];
}

#endif
