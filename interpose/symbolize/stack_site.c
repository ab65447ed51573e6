/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks in the place of code addresses: a table that only grows; a site's number is its place there. */
#include "interpose/symbolize/stack_site.h"

#include <stdatomic.h>
#include <stddef.h>

#include "interpose/common/tool_arena.h"
#include "interpose/symbolize/call_stack.h"
#include "interpose/symbolize/python_place.h"

#define BUSY UINT32_MAX /* whoever took the place has not filled it yet */
#define PLACES_TRIED 64
#define PYTHON_NEAR 5 /* FINGERPRINT_FRAMES */

struct site {
	_Atomic uint32_t stack; /* 0 = free */
	_Atomic uint64_t address;
};

/* Made when there is the first one. */
static _Atomic(struct site *) sites;

/* NULL: there is no memory for them. */
static struct site *table(void)
{
	struct site *t = atomic_load_explicit(&sites, memory_order_acquire), *none = NULL;

	if (t)
		return t;
	t = arena_alloc(STACK_SITES * sizeof(*t));
	/* A loser's untouched pages cost address space only. */
	if (t && !atomic_compare_exchange_strong(&sites, &none, t))
		t = none;
	return t;
}

uint64_t stack_site(uint32_t stack, uint64_t address)
{
	uint32_t at = (uint32_t)((stack ^ address * UINT64_C(0x9e3779b97f4a7c15) >> 32) * 0x9e3779b1u >> 16);
	struct site *t = table();

	for (unsigned i = 0; t && i < PLACES_TRIED; i++, at++) {
		uint32_t place = at % (STACK_SITES - 1) + 1;
		uint32_t found = atomic_load_explicit(&t[place].stack, memory_order_acquire);

		/* Of two threads that come at once, one may take a second place for the same. */
		if (!found && atomic_compare_exchange_strong(&t[place].stack, &found, BUSY)) {
			atomic_store_explicit(&t[place].address, address, memory_order_relaxed);
			atomic_store_explicit(&t[place].stack, stack, memory_order_release);
			return place;
		}
		if (found == stack &&
			atomic_load_explicit(&t[place].address, memory_order_relaxed) == address)
			return place;
	}
	return address;
}

/* NULL: it is a return address. */
static struct site *site_at(uint64_t caller)
{
	struct site *t = atomic_load_explicit(&sites, memory_order_acquire);

	return t && is_stack_site(caller) ? &t[caller] : NULL;
}

uint64_t stack_site_address(uint64_t caller)
{
	struct site *s = site_at(caller);

	return s ? atomic_load_explicit(&s->address, memory_order_relaxed) : caller;
}

uint32_t stack_site_stack(uint64_t caller)
{
	struct site *s = site_at(caller);

	return s ? atomic_load_explicit(&s->stack, memory_order_acquire) : 0;
}

uint32_t stack_python_site(uint32_t stack)
{
	const uint64_t *words;
	uint64_t hash = 0;
	unsigned n = stack_frames(stack, &words), near = 0;

	for (unsigned i = 0; i < n && near < PYTHON_NEAR; i++) {
		if (!is_python_frame(words[i]) || python_place_of(words[i])->library)
			continue;
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
		near++;
	}
	return near ? (uint32_t)hash | 1 : 0;
}
