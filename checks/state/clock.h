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

/* Of which streams the entries of a clock are.  Mostly they are those of other clocks, too, which share this.
 */
struct clock_streams {
	_Atomic uint32_t users;
	uint32_t n;
	uint64_t stream[]; /* in order; they never change */
};

/* The high halves of positions are mostly zero; then they are not kept. */
#define CLOCK_NARROW ((uint64_t)INT32_MAX)

struct clock {
	_Alignas(16) _Atomic uint32_t users;
	uint16_t room; /* bytes of the positions */
	uint8_t looked; /* entries that were left when it, or what it was joined from, was looked through */
	bool wide; /* a position is larger than CLOCK_NARROW */
	struct clock_streams *streams;
	uint64_t positions[]; /* of the same order; narrow ones are halves of words */
};

typedef uint32_t __attribute__((may_alias)) clock_half;

static inline uint32_t clock_entries(const struct clock *k)
{
	return k ? k->streams->n : 0;
}

static inline uint64_t clock_position_at(const struct clock *k, uint32_t i)
{
	return __builtin_expect(k->wide, 0) ? k->positions[i] : ((const clock_half *)k->positions)[i];
}

static inline struct clock_entry clock_entry_of(const struct clock *k, uint32_t i)
{
	return (struct clock_entry){k->streams->stream[i], clock_position_at(k, i)};
}

/* Whether an entry says nothing any more. */
typedef bool (*clock_settled_fn)(struct checks *c, const struct clock_entry *entry);

/* The last position of the stream that comes before, 0 = none known. */
uint64_t clock_position(const struct clock *k, uint64_t stream);
/* Whether every entry of b is in a already. */
bool clock_covers(const struct clock *a, const struct clock *b);

/*
 * Both, and one entry more; for one user.  What is settled does no harm, and each
 * entry's stream has to be looked up for that: it is left out where there would be a
 * quarter more entries than at the last look.  *full: there are too many all the
 * same, or there was no memory.  spare: a clock that the caller needs no more, and
 * neither of both, NULL = none: its memory serves where no other stream uses it.
 */
struct clock *clock_join(struct checks *c, struct clock *spare, const struct clock *a, const struct clock *b,
	const struct clock_entry *more, clock_settled_fn settled, bool *full);

/* All of it but the entry of that stream, for one user; NULL: nothing is left, or, as *full has it, no
 * memory. */
struct clock *clock_without(struct checks *c, const struct clock *k, uint64_t stream, bool *full);

static inline struct clock *clock_use(struct clock *k)
{
	if (k)
		counter_inc(&k->users);
	return k;
}

void clock_release(struct checks *c, struct clock *k);

#endif
