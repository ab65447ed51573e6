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

/* Looks through all modules; their number, *list valid for the process' life. */
unsigned bypass_search(const struct bypass **list);
/* What the last search found. */
unsigned bypass_found(const struct bypass **list);

#endif
