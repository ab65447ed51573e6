/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks: sorted arrays, joined where streams wait.  Mostly the streams of both are the same ones, and
 * shared: then joining is the larger one of each two positions, four at a time.
 */
#include "checks/state/clock.h"
#include "checks/engine/instance.h"

#define LANES 4

typedef int32_t positions_v __attribute__((vector_size(LANES * sizeof(int32_t)), may_alias));

/* --- what is in a clock ------------------------------------------------------------------
 */

/* The first entry of the stream, or of a higher one. */
static uint32_t entry_from(const struct clock_streams *s, uint64_t stream)
{
	/* Streams that were made one after the other mostly wait for each other: as far from the first one.
	 */
	uint64_t near = (stream - s->stream[0]) >> 32;
	uint32_t from = 0, to = s->n;

	if (near < to && s->stream[near] == stream)
		return (uint32_t)near;
	/* What is not seen stands behind them, mostly alone. */
	if (to && s->stream[to - 1] <= stream)
		return to - (s->stream[to - 1] == stream);
	while (from < to) {
		uint32_t middle = (from + to) / 2;

		if (s->stream[middle] < stream)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool entry_is_at(const struct clock_streams *s, uint32_t at, uint64_t stream)
{
	return at < s->n && s->stream[at] == stream;
}

uint64_t clock_position(const struct clock *k, uint64_t stream)
{
	uint32_t at = k ? entry_from(k->streams, stream) : 0;

	return k && entry_is_at(k->streams, at, stream) ? clock_position_at(k, at) : 0;
}

/* Of the same streams: here or, as both were made apart, there. */
static bool streams_alike(const struct clock_streams *a, const struct clock_streams *b)
{
	return a == b || (a->n == b->n && !memcmp(a->stream, b->stream, a->n * sizeof(a->stream[0])));
}

bool clock_covers(const struct clock *a, const struct clock *b)
{
	bool alike = a && b && a->streams == b->streams;

	for (uint32_t i = 0, n = a != b ? clock_entries(b) : 0; i < n; i++)
		if ((alike ? clock_position_at(a, i) : clock_position(a, b->streams->stream[i])) <
			clock_position_at(b, i))
			return false;
	return true;
}

/* --- memory ------------------------------------------------------------------------------
 */

static size_t streams_bytes(uint32_t n)
{
	return sizeof(struct clock_streams) + n * sizeof(uint64_t);
}

/* Narrow ones are whole vectors. */
static uint32_t room_for(uint32_t n, bool wide)
{
	return wide ? n * (uint32_t)sizeof(uint64_t)
		    : (n + LANES - 1) / LANES * (uint32_t)sizeof(positions_v);
}

static struct clock_streams *streams_new(struct checks *c, uint32_t n)
{
	struct clock_streams *s = checks_alloc(c, streams_bytes(n));

	if (s) {
		s->n = n;
		atomic_init(&s->users, 1);
	}
	return s;
}

static struct clock_streams *streams_use(struct clock_streams *s)
{
	counter_inc(&s->users);
	return s;
}

/* Sequentially consistent as in clock_release(): who used it has read it. */
static void streams_release(struct checks *c, struct clock_streams *s)
{
	if (s && atomic_fetch_sub(&s->users, 1) == 1)
		checks_forget(c, s, streams_bytes(s->n));
}

void clock_release(struct checks *c, struct clock *k)
{
	if (!k || atomic_fetch_sub(&k->users, 1) != 1)
		return;
	streams_release(c, k->streams);
	checks_forget(c, k, sizeof(*k) + k->room);
}

/* Pieces of memory are powers of two: room is not left empty in half of one. */
static bool serves(struct clock *spare, uint32_t room)
{
	/* Acquire: who used it has read it. */
	return spare && spare->room >= room && sizeof(*spare) + room > (sizeof(*spare) + spare->room) / 2 &&
	       atomic_load_explicit(&spare->users, memory_order_acquire) == 1;
}

/* With positions for those streams, the spare one if that is possible; NULL: no memory. */
static struct clock *clock_new(
	struct checks *c, struct clock *spare, struct clock_streams *streams, bool wide)
{
	uint32_t room = room_for(streams->n, wide);
	struct clock *k = spare;

	if (!serves(spare, room)) {
		clock_release(c, spare);
		k = checks_alloc(c, sizeof(*k) + room);
		if (!k)
			return NULL;
		k->room = (uint16_t)room;
		atomic_init(&k->users, 1);
	}
	/* That of the spare clock mostly is the same: nothing is written that other threads use. */
	if (k->streams != streams) {
		streams_release(c, k->streams);
		k->streams = streams_use(streams);
	}
	k->wide = wide;
	return k;
}

static void position_put(struct clock *k, uint32_t at, uint64_t position)
{
	if (__builtin_expect(k->wide, 0))
		k->positions[at] = position;
	else
		((clock_half *)k->positions)[at] = (clock_half)position;
}

/* --- joining: the streams … ----------------------------------------------------------------
 */

/* Each may be NULL. */
struct join {
	const struct clock *a, *b;
	const struct clock_entry *more;
};

static bool join_is_wide(const struct join *j)
{
	return (j->a && j->a->wide) || (j->b && j->b->wide) || (j->more && j->more->position > CLOCK_NARROW);
}

/* The streams of both, into out (NULL: only counted). */
static uint32_t streams_of_both(const struct clock_streams *a, const struct clock_streams *b, uint64_t *out)
{
	uint32_t i = 0, j = 0, n = 0;

	while (i < a->n && j < b->n) {
		uint64_t first = a->stream[i], second = b->stream[j];

		if (out)
			out[n] = first < second ? first : second;
		i += first <= second;
		j += second <= first;
		n++;
	}
	if (out) {
		memcpy(out + n, a->stream + i, (a->n - i) * sizeof(*out));
		memcpy(out + n, b->stream + j, (b->n - j) * sizeof(*out));
	}
	return n + (a->n - i) + (b->n - j);
}

/* Which of both, mostly one and the same, has the streams of both; NULL: neither has. */
static struct clock_streams *streams_with_all(struct clock_streams *a, struct clock_streams *b)
{
	uint32_t n;

	/* Of two that are alike all take the same one. */
	if (streams_alike(a, b))
		return a < b ? a : b;
	n = streams_of_both(a, b, NULL);
	return n == a->n ? a : n == b->n ? b : NULL;
}

/* A copy with one more at its place; of: NULL = none. */
static struct clock_streams *streams_with(
	struct checks *c, const struct clock_streams *of, uint32_t at, uint64_t stream)
{
	uint32_t n = of ? of->n : 0;
	struct clock_streams *s = streams_new(c, n + 1);

	if (!s)
		return NULL;
	s->stream[at] = stream;
	if (of) {
		memcpy(s->stream, of->stream, at * sizeof(stream));
		memcpy(s->stream + at + 1, of->stream + at, (n - at) * sizeof(stream));
	}
	return s;
}

/* Of two clocks neither of which has all streams of the other. */
static struct clock_streams *streams_merged(struct checks *c, const struct join *j)
{
	const struct clock_streams *a = j->a->streams, *b = j->b->streams;
	struct clock_streams *s = streams_new(c, streams_of_both(a, b, NULL)), *more = s;
	uint32_t at;

	if (!s)
		return NULL;
	streams_of_both(a, b, s->stream);
	at = j->more ? entry_from(s, j->more->stream) : 0;
	if (j->more && !entry_is_at(s, at, j->more->stream)) {
		more = streams_with(c, s, at, j->more->stream);
		streams_release(c, s);
	}
	return more;
}

/* --- … and the positions -------------------------------------------------------------------
 */

static void larger_narrow(struct clock *k, const struct clock *a, const struct clock *b)
{
	const positions_v *x = (const positions_v *)a->positions, *y = (const positions_v *)b->positions,
			  *end = x + room_for(k->streams->n, false) / sizeof(*x);

	for (positions_v *out = (positions_v *)k->positions; x != end; x++, y++, out++) {
		positions_v mine = *x, other = *y, larger = mine > other;

		*out = (mine & larger) | (other & ~larger);
	}
}

static void position_raise(struct clock *k, uint32_t at, uint64_t position)
{
	if (clock_position_at(k, at) < position)
		position_put(k, at, position);
}

/* All of them are among its streams. */
static void positions_raise(struct clock *k, const struct clock *by)
{
	const uint64_t *stream = k->streams->stream;
	uint32_t at = 0, n = clock_entries(by);

	for (uint32_t i = 0; i < n; i++) {
		struct clock_entry e = clock_entry_of(by, i);

		while (stream[at] != e.stream)
			at++;
		position_raise(k, at, e.position);
	}
}

/* Narrow ones, and 0 at the place between. */
static void positions_copy_around(struct clock *k, const struct clock *a, uint32_t at)
{
	clock_half *to = (clock_half *)k->positions;
	const clock_half *from = (const clock_half *)a->positions;

	memcpy(to, from, at * sizeof(*to));
	to[at] = 0;
	memcpy(to + at + 1, from + at, (a->streams->n - at) * sizeof(*to));
}

/* most, if there is one, has all streams that are joined, but perhaps that of the entry more. */
static void positions_join(struct clock *k, const struct join *j, const struct clock *most, uint32_t at)
{
	const struct clock *other = most == j->a ? j->b : j->a;

	if (k->wide || !most) {
		memset(k->positions, 0, k->room);
		positions_raise(k, j->a);
		positions_raise(k, j->b);
	} else if (most->streams->n != k->streams->n) {
		positions_copy_around(k, most, at);
		positions_raise(k, other);
	} else if (other && other->streams->n == k->streams->n) {
		larger_narrow(k, most, other);
	} else {
		larger_narrow(k, most, most);
		positions_raise(k, other);
	}
	if (j->more)
		position_raise(k, at, j->more->position);
}

/* --- what is settled ---------------------------------------------------------------------
 */

#define ENTRIES_JOINED (2 * CLOCK_ENTRIES + 1)

/* Which entries are not settled, a bit each; how many. */
static uint32_t open_entries(struct checks *c, const struct clock *k, clock_settled_fn settled,
	uint64_t open[ENTRIES_JOINED / 64 + 1])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < clock_entries(k); i++) {
		struct clock_entry e = clock_entry_of(k, i);
		bool is_open = !settled(c, &e);

		open[i / 64] |= (uint64_t)is_open << i % 64;
		n += is_open;
	}
	return n;
}

/* The n entries whose bits are set; NULL: there are none, or too many, or no memory, which *full says. */
static struct clock *entries_kept(
	struct checks *c, const struct clock *k, const uint64_t *bits, uint32_t n, bool *full)
{
	struct clock_streams *streams = n && n <= CLOCK_ENTRIES ? streams_new(c, n) : NULL;
	struct clock *left = streams ? clock_new(c, NULL, streams, k->wide) : NULL;
	uint32_t at = 0;

	*full = n && !left;
	for (uint32_t i = 0; left && i < clock_entries(k); i++)
		if (bits[i / 64] >> i % 64 & 1) {
			streams->stream[at] = k->streams->stream[i];
			position_put(left, at++, clock_position_at(k, i));
		}
	streams_release(c, streams);
	return left;
}

/* Without what is settled; NULL: nothing is left, or no memory, which *full says. */
static struct clock *clock_settle(struct checks *c, struct clock *k, clock_settled_fn settled, bool *full)
{
	uint64_t open[ENTRIES_JOINED / 64 + 1] = {0};
	uint32_t n = open_entries(c, k, settled, open);
	struct clock *left;

	if (n == clock_entries(k))
		return k;
	left = entries_kept(c, k, open, n, full);
	clock_release(c, k);
	return left;
}

struct clock *clock_without(struct checks *c, const struct clock *k, uint64_t stream, bool *full)
{
	uint64_t kept[ENTRIES_JOINED / 64 + 1] = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < clock_entries(k); i++) {
		bool keep = k->streams->stream[i] != stream;

		kept[i / 64] |= (uint64_t)keep << i % 64;
		n += keep;
	}
	return entries_kept(c, k, kept, n, full);
}

/* The streams of both clocks, where one has them all. */
static struct clock_streams *streams_at_hand(const struct join *j)
{
	if (j->a && j->b)
		return streams_with_all(j->a->streams, j->b->streams);
	return j->a ? j->a->streams : j->b ? j->b->streams : NULL;
}

/* All of it, settled or not; NULL: nothing, or no memory. */
static struct clock *joined(struct checks *c, struct clock *spare, const struct join *j)
{
	struct clock_streams *all = streams_at_hand(j), *streams = all;
	uint32_t at = all && j->more ? entry_from(all, j->more->stream) : 0;
	struct clock *k;

	if (!all && j->a)
		streams = streams_merged(c, j);
	else if (j->more && !(all && entry_is_at(all, at, j->more->stream)))
		streams = streams_with(c, all, at, j->more->stream);
	if (!streams) {
		clock_release(c, spare);
		return NULL;
	}
	if (!all && j->more)
		at = entry_from(streams, j->more->stream);
	k = clock_new(c, spare, streams, join_is_wide(j));
	if (k)
		positions_join(k, j, !all ? NULL : j->a && j->a->streams->n == all->n ? j->a : j->b, at);
	if (streams != all)
		streams_release(c, streams);
	return k;
}

/* Mostly both are of the same streams as the spare clock, which has no other user. */
static bool joined_in_spare(struct clock *spare, const struct join *j)
{
	const struct clock_streams *s;
	uint32_t at;

	if (!spare || !j->a || !j->b || !j->more)
		return false;
	s = spare->streams;
	if (j->a->streams != s || j->b->streams != s || (spare->wide | join_is_wide(j)))
		return false;
	at = entry_from(s, j->more->stream);
	/* Acquire: who used it has read it. */
	if (!entry_is_at(s, at, j->more->stream) ||
		atomic_load_explicit(&spare->users, memory_order_acquire) != 1)
		return false;
	larger_narrow(spare, j->a, j->b);
	position_raise(spare, at, j->more->position);
	return true;
}

struct clock *clock_join(struct checks *c, struct clock *spare, const struct clock *a, const struct clock *b,
	const struct clock_entry *more, clock_settled_fn settled, bool *full)
{
	struct join j = {a, b, more};
	struct clock *k = joined_in_spare(spare, &j) ? spare : joined(c, spare, &j);
	uint32_t looked = a ? a->looked : b ? b->looked : 0;

	*full = !k && (a || b || more);
	if (k && (clock_entries(k) > looked + looked / 4 || clock_entries(k) > CLOCK_ENTRIES)) {
		k = clock_settle(c, k, settled, full);
		looked = clock_entries(k);
	}
	if (clock_entries(k) > CLOCK_ENTRIES) {
		clock_release(c, k);
		k = NULL;
		*full = true;
	}
	if (k)
		k->looked = (uint8_t)looked;
	return k;
}
