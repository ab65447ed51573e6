/* SPDX-License-Identifier: Apache-2.0 */
/* What a task that makes random numbers does to memory: its addresses stand in a structure. */
#ifndef CHECKS_RANDOM_TASK_H
#define CHECKS_RANDOM_TASK_H

#include "checks/engine/instance.h"

struct random_range {
	const void *at;
	uint64_t bytes; /* 1 where the length is not known */
	uint8_t flags; /* enum access_flag */
};

#define RANDOM_RANGES 4

/* Returns how many there are; 0 of other calls. */
unsigned random_ranges(
	struct checks *c, const struct acl_call_record *call, struct random_range out[RANDOM_RANGES]);

#endif
