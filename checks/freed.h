/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is gone: what was released last, for rules about its use afterwards. */
#ifndef CHECKS_FREED_H
#define CHECKS_FREED_H

#include "checks/state.h"

/* One released block; a copy that stays true to itself. */
struct freed_block {
	uint64_t base, size;
	uint8_t kind; /* enum acl_memory_kind */
	int8_t device;
	bool by_reset; /* went with its device */
	struct acl_moment created, gone;
};

/* The latest release that covers an address no table knows. registered: of host registrations instead of
 * allocations. */
bool freed_find(struct checks *c, const void *address, bool registered, struct freed_block *out);

/* Adds it to a finding. */
void finding_freed(struct acl_finding *f, const char *role, const struct freed_block *b);

#endif
