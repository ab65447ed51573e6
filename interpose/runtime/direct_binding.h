/* SPDX-License-Identifier: Apache-2.0 */
/* Modules whose imports of acl functions were bound to the runtime itself (RTLD_DEEPBIND ...). */
#ifndef INTERPOSE_DIRECT_BINDING_H
#define INTERPOSE_DIRECT_BINDING_H

#include <stdatomic.h>
#include <stdint.h>

struct direct_binding {
	char module[256];
	_Atomic uint32_t functions; /* how many are bound so */
	uint16_t first; /* enum acl_api of one of them */
};

/* Looks through all modules, in several threads if need be; the number of those found until now, *list valid
 * for the process' life. */
unsigned direct_binding_search(const struct direct_binding **list);
/* What was found until now: modules that were unloaded meanwhile as well. */
unsigned direct_binding_found(const struct direct_binding **list);
/* In the child after fork. */
void direct_binding_forked(void);

#endif
