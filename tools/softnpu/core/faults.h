/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the program that shall fail or take longer (SOFTNPU_INJECT, softnpu_inject): asked by what
 * programs call (gen/softnpu_entry.c). Calls that the runtime makes itself are not counted.
 */
#ifndef SOFTNPU_FAULTS_H
#define SOFTNPU_FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "acl/acl_base.h"

struct faults;

/* Names of the functions that answer with an error code, NULL-terminated. */
extern const char *const npu_entries[];
/* False once it is known that no fault was asked for. */
extern _Atomic bool npu_faults_on;

#define NPU_FAULT(function)                                                                                  \
	(__builtin_expect(atomic_load_explicit(&npu_faults_on, memory_order_relaxed), 0)                     \
			? npu_fault(function)                                                                \
			: ACL_SUCCESS)

/* What this call answers instead of doing anything, or 0. Takes the lock. */
aclError npu_fault(const char *function);
/* False: not a list of faults. out may be NULL. */
bool faults_parse(const char *list, struct faults *out);

#endif
