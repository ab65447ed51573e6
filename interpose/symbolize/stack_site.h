/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a call is made, in one word that the history of objects and tasks can hold: as a rule its return
 * address.  Where that says too little (all calls of Python code return to one place, or full stacks are
 * wanted) it is the number of a call stack instead, so small that no code has it as its address.
 */
#ifndef INTERPOSE_STACK_SITE_H
#define INTERPOSE_STACK_SITE_H

#include <stdbool.h>
#include <stdint.h>

#define STACK_SITES 65536u /* the kernel maps nothing there: vm.mmap_min_addr */

static inline bool is_stack_site(uint64_t caller)
{
	return caller - 1 < STACK_SITES - 1;
}

/* The site of calls that have the interned stack and return to the address; the address: there are too many
 * sites. Lock-free. */
uint64_t stack_site(uint32_t stack, uint64_t address);

/* Return address of a site. */
uint64_t stack_site_address(uint64_t caller);

/* The interned stack of a site, 0: it is a return address. */
uint32_t stack_site_stack(uint64_t caller);

/*
 * The nearest frames of Python code of an interned stack, as many as a fingerprint has: calls of all its
 * lines come from one place of libffi or of an extension module, so the caller does not distinguish them.  0:
 * there are none.
 */
uint32_t stack_python_site(uint32_t stack);

#endif
