/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the interface that dlsym handed out as they are, because our wrapper leads to another one. */
#ifndef INTERPOSE_FOREIGN_FUNCTION_H
#define INTERPOSE_FOREIGN_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

struct foreign_module {
	char path[256];
	bool runtime; /* a whole one: then calls of it are calls that are not checked */
	uint32_t functions; /* how many names were asked for */
	uint16_t first; /* enum acl_api of one of them */
};

/* From dlsym: the loader's lock may be taken. */
void foreign_function_note(unsigned api, const void *address);

/* The i-th module, NULL after the last. */
const struct foreign_module *foreign_module(unsigned i);

#endif
