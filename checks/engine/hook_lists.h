/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions of the check modules are called for which function of the API: laid out when one is called
 * first.
 */
#ifndef CHECKS_HOOK_LISTS_H
#define CHECKS_HOOK_LISTS_H

#include "checks/engine/instance.h"

/* From check_modules; false: no memory. */
bool hook_lists_create(struct checks *c);
/* Whether anything is done for the function at all. */
bool hook_lists_listen(const struct checks *c, unsigned api);

#endif
