/* SPDX-License-Identifier: Apache-2.0 */
/* What the device reads addresses from when a task runs: descriptors, and pointers in its memory. */
#ifndef CHECKS_DESCRIPTOR_STATE_H
#define CHECKS_DESCRIPTOR_STATE_H

#include "checks/engine/instance.h"

struct descriptor_range {
	uint16_t role; /* of the argument: enum acl_role */
	const void *at;
	uint64_t bytes; /* 1 where the length is not known */
};

#define DESCRIPTOR_RANGES 2

/* Bytes of a descriptor of the call's kind as the runtime answered, 0 = it was not queried. */
uint64_t descriptor_bytes(struct checks *c, const struct acl_call_record *call);
/* What the task that the call submits reads, or what the call fills in; returns how many there are. */
unsigned descriptor_ranges(
	struct checks *c, const struct acl_call_record *call, struct descriptor_range out[DESCRIPTOR_RANGES]);

#endif
