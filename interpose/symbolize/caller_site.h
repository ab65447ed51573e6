/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of where a call is made, for findings about a later one. */
#ifndef INTERPOSE_CALLER_SITE_H
#define INTERPOSE_CALLER_SITE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The site (stack_site.h) of the thread's present call, which returns to the address: of its full stack, or
 * of the frames of Python code that lead to it; the address itself where there are none.  Keeps errno.
 */
uint64_t caller_site_take(uint64_t address, bool full);

#endif
