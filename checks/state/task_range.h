/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of tasks that no argument gives as source or destination: descriptors and pointers that the device
 * reads when the task runs, and what the structure of a task names.
 */
#ifndef CHECKS_TASK_RANGE_H
#define CHECKS_TASK_RANGE_H

#include "checks/engine/instance.h"
#include "checks/state/access_tree.h"

struct task_range {
	const char *name; /* of the parameter or the member: "desc", "randomResultAddr" */
	const void *at;
	uint64_t bytes; /* 1 where the length is not known */
	uint8_t flags; /* enum access_flag */
};

#define TASK_RANGES 4

/* Whether calls of the function have any. */
bool task_ranges_possible(unsigned api);
/* Of the task that the call submits, or of what it fills in; returns how many there are. */
unsigned task_ranges(
	struct checks *c, const struct acl_call_record *call, struct task_range out[TASK_RANGES]);

#endif
