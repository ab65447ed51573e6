/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program declares that a kernel reads and writes, for the thread's
 * next launch on the stream.  The accesses of such a kernel are followed like
 * those of a copy; any other kernel may do anything.
 */
#ifndef CHECKS_DECLARED_KERNEL_H
#define CHECKS_DECLARED_KERNEL_H

#include "checks/engine/instance.h"

#define KERNEL_ACCESSES 32 /* of one kernel; of one with more nothing is known */

struct kernel_access {
	const void *address;
	uint64_t bytes;
	bool writes;
};

struct kernel_accesses {
	uint64_t stream; /* acl_ref */
	uint32_t tid;
	uint32_t n; /* KERNEL_ACCESSES + 1: more than there is room for */
	struct kernel_access at[KERNEL_ACCESSES];
};

/* Of the kernel that the call launches; NULL: not declared, or it does not run now. */
const struct kernel_accesses *kernel_accesses(const struct acl_call_record *call);

#endif
