/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All memory that a call uses, in whatever form the function is given it: source and destination, entries of
 * batches, arguments in device memory, descriptors, addresses in structures.
 */
#ifndef CHECKS_USED_MEMORY_H
#define CHECKS_USED_MEMORY_H

#include "checks/engine/check_module.h"
#include "checks/state/operation.h"
#include "checks/state/task_range.h"

struct used_memory {
	const struct operation *op;
	uint64_t side; /* of the operation's: destination of entry i at 2 * i, then its source */
	unsigned range, ranges;
	struct task_range at[TASK_RANGES];
	struct op_access access; /* to the last range of these */
};

/* Adds the hook for every function whose calls use, or write, memory that may be a device's. */
enum memory_use { MEMORY_USED, MEMORY_WRITTEN };
void used_memory_bind(void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder,
	enum memory_use use, unsigned phase, check_hook_fn fn);

void used_memory_begin(struct checks *c, struct acl_call_record *call, struct used_memory *m);
/* The next access, destinations first; NULL: that were all. Good until the next one is asked for. */
const struct op_access *used_memory_next(struct checks *c, struct used_memory *m);

/* For each of them: struct used_memory m; const struct op_access *a. */
#define used_memory_each(c, call, m, a)                                                                      \
	for (used_memory_begin((c), (call), (m)); ((a) = used_memory_next((c), (m))) != NULL;)

#endif
