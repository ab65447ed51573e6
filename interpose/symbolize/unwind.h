/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the calling thread's stack by the call frame information of the loaded modules. */
#ifndef INTERPOSE_UNWIND_H
#define INTERPOSE_UNWIND_H

#include <stdint.h>

/*
 * Code addresses of the callers, innermost first, without those of this
 * library; returns how many.  No descriptor, lock, allocation or other library;
 * where all frames are known already, no system call either and little stack.
 */
unsigned unwind_stack(uint64_t *ips, unsigned max);

/* A module went away: what is known of code addresses is forgotten. */
void unwind_forget(void);

#endif
