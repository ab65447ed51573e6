/* SPDX-License-Identifier: Apache-2.0 */
/* Something that one thread may work on at a time: who is in a call on it. */
#ifndef CHECKS_THREAD_CLAIM_H
#define CHECKS_THREAD_CLAIM_H

#include "checks/engine/instance.h"

static inline uint32_t thread_number(struct checks *c, const struct acl_call_record *call)
{
	return (uint32_t)(thread_of(call) - c->threads) + 1;
}

/* A thread that ended in the middle of its call is in none. */
static inline bool thread_in_call(struct checks *c, uint32_t number, bool (*counts)(unsigned api))
{
	struct acl_thread *t = &c->threads[number - 1];
	unsigned inside = thread_inside(c, t);

	return inside && counts(inside - 1) &&
	       (!c->host.thread_lives || c->host.thread_lives(c->host.context, load_relaxed(&t->tid)));
}

/* enter: the number of another thread that is in a call of that sort on it, 0 = none, and it is the caller's
 * now. */
static inline uint32_t thread_claim(struct checks *c, const struct acl_call_record *call,
	_Atomic uint32_t *slot, bool (*counts)(unsigned api))
{
	uint32_t holder = 0, mine = thread_number(c, call);

	if (atomic_compare_exchange_strong(slot, &holder, mine))
		return 0;
	if (holder != mine && thread_in_call(c, holder, counts))
		return holder;
	store_relaxed(slot, mine);
	return 0;
}

/* leave */
static inline void thread_unclaim(
	struct checks *c, const struct acl_call_record *call, _Atomic uint32_t *slot)
{
	uint32_t mine = thread_number(c, call);

	atomic_compare_exchange_strong(slot, &mine, 0);
}

#endif
