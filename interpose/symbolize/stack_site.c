/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks in the place of code addresses: a table that only grows; a site's number is its place there. */
#include "interpose/symbolize/stack_site.h"

#include <stdatomic.h>

#define BUSY UINT32_MAX /* whoever took the place has not filled it yet */
#define PLACES_TRIED 64

static struct {
	_Atomic uint32_t stack; /* 0 = free */
	_Atomic uint64_t address;
} sites[STACK_SITES];

uint64_t stack_site(uint32_t stack, uint64_t address)
{
	uint32_t at = (uint32_t)((stack ^ address * UINT64_C(0x9e3779b97f4a7c15) >> 32) * 0x9e3779b1u >> 16);

	for (unsigned i = 0; i < PLACES_TRIED; i++, at++) {
		uint32_t place = at % (STACK_SITES - 1) + 1;
		uint32_t found = atomic_load_explicit(&sites[place].stack, memory_order_acquire);

		/* Of two threads that come at once, one may take a second place for the same. */
		if (!found && atomic_compare_exchange_strong(&sites[place].stack, &found, BUSY)) {
			atomic_store_explicit(&sites[place].address, address, memory_order_relaxed);
			atomic_store_explicit(&sites[place].stack, stack, memory_order_release);
			return place;
		}
		if (found == stack &&
			atomic_load_explicit(&sites[place].address, memory_order_relaxed) == address)
			return place;
	}
	return address;
}

uint64_t stack_site_address(uint64_t caller)
{
	return is_stack_site(caller) ? atomic_load_explicit(&sites[caller].address, memory_order_relaxed)
				     : caller;
}

uint32_t stack_site_stack(uint64_t caller)
{
	return is_stack_site(caller) ? atomic_load_explicit(&sites[caller].stack, memory_order_acquire) : 0;
}
