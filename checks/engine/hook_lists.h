/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions of the check modules are called for which function of the API: laid out once, at creation.
 */
#ifndef CHECKS_HOOK_LISTS_H
#define CHECKS_HOOK_LISTS_H

#include "checks/engine/instance.h"

/* Fills the plans from check_modules; false: no memory. */
bool hook_lists_create(struct checks *c);

/* Whether anything is done for the function at all. */
static inline bool hook_lists_listen(const struct checks *c, unsigned api)
{
	const struct call_plan *p = &c->plans_with[1][api];

	return p->n_handles || p->n_set || p->constraints || *p->hooks[true].enter->hooks ||
	       *p->hooks[true].leave[false]->hooks || *c->failed[api];
}

#endif
