/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is gone: what was released last, for rules about its use afterwards. */
#ifndef CHECKS_FREED_MEMORY_H
#define CHECKS_FREED_MEMORY_H

#include "checks/engine/finding.h"
#include "checks/engine/instance.h"

/* One released block; a copy that stays true to itself. */
struct freed_block {
	uint64_t base, size;
	uint8_t kind; /* enum acl_memory_kind */
	int8_t device;
	bool by_reset; /* went with its device */
	uint64_t mapping; /* of page-locked memory: what was mapped there when it had been released, 0 = not
			     known */
	struct acl_call_site created, gone;
};

/* The latest release that covers an address no table knows. registered: of host registrations instead of
 * allocations. */
bool freed_find(struct checks *c, const void *address, bool registered, struct freed_block *out);

/* Page-locked memory was here, and nothing is now: libc has not mapped the range again. */
bool freed_is_unmapped(struct checks *c, const void *address);

/* What was mapped at the release still is: the runtime keeps it, and no other allocator has got the
 * addresses. */
bool freed_is_kept(struct checks *c, const void *address, const struct freed_block *b);

/* libc uses the address by now: for a stack, the heap, a mapped file. */
bool freed_taken_again(struct checks *c, struct acl_call_record *call, const void *address);

/* Libraries that allocate below us may have got the address since: then its use is advice. */
bool freed_maybe_reused(struct checks *c);

/* Of a struct freed_block, for part_history(). */
void freed_history(struct acl_object_history *out, const void *freed);

#endif
