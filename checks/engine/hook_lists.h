/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions of the check modules are called for which function of the API: laid out once, at creation.
 */
#ifndef CHECKS_HOOK_LISTS_H
#define CHECKS_HOOK_LISTS_H

#include "checks/engine/instance.h"

/* Fills c->hooks from check_modules; false: no memory. */
bool hook_lists_create(struct checks *c);

/* Whether anything is called for the function at all. */
static inline bool hook_lists_listen(const struct hook_list *l)
{
	return *l->enter_state[1] || *l->enter_rules[1][0] || *l->leave_state[1] || *l->leave_rules[1][0] ||
	       *l->failed;
}

#endif
