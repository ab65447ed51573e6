/* SPDX-License-Identifier: Apache-2.0 */
/* Modules whose imports of acl functions were bound to the runtime itself (RTLD_DEEPBIND ...). */
#ifndef INTERPOSE_BYPASS_H
#define INTERPOSE_BYPASS_H

#include <stdint.h>

struct bypass {
	char module[256];
	uint32_t functions; /* how many are bound so */
	uint16_t first; /* enum acl_api of one of them */
};

/* Looks through all modules; the number of those found until now, *list valid for the process' life. */
unsigned bypass_search(const struct bypass **list);
/* What was found until now: modules that were unloaded meanwhile as well. */
unsigned bypass_found(const struct bypass **list);
/* In the child after fork. */
void bypass_forked(void);

#endif
