/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks: which tasks of which streams come before something.  A clock names, by
 * stream, the last position of which that is known; what is not in it may run at
 * the same time.  Clocks never change: streams, and what is computed from them,
 * share them by counting users.  NULL is the clock with nothing in it.
 */
#ifndef CHECKS_CLOCK_H
#define CHECKS_CLOCK_H

#include "checks/engine/objects.h"

/* Streams in one clock; a clock that would need more is replaced by "may come after anything". */
#define CLOCK_ENTRIES 128

/* Added to a stream: what comes after a wait at the position whose end only that stream's end shows. */
#define CLOCK_UNSEEN (UINT64_C(1) << 63)

struct clock_entry {
	uint64_t stream; /* acl_ref, with CLOCK_UNSEEN for an unseen wait */
	uint64_t position;
};

struct clock {
	_Atomic uint32_t users;
	uint32_t n, room;
	struct clock_entry entry[]; /* by stream */
};

/* Whether an entry says nothing any more. */
typedef bool (*clock_settled_fn)(struct checks *c, const struct clock_entry *entry);

/* The last position of the stream that comes before, 0 = none known. */
uint64_t clock_position(const struct clock *k, uint64_t stream);
/* Whether every entry of b is in a already. */
bool clock_covers(const struct clock *a, const struct clock *b);

/*
 * Both, and one entry more, without what is settled; for one user.  *full: the
 * result would have had too many entries, or there was no memory for it.
 */
struct clock *clock_join(struct checks *c, const struct clock *a, const struct clock *b,
	const struct clock_entry *more, clock_settled_fn settled, bool *full);

static inline struct clock *clock_use(struct clock *k)
{
	if (k)
		counter_inc(&k->users);
	return k;
}

void clock_release(struct checks *c, struct clock *k);

#endif
