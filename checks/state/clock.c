/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks: sorted arrays, joined where streams wait. */
#include "checks/state/clock.h"
#include "checks/engine/instance.h"

static size_t clock_bytes(uint32_t room)
{
	return sizeof(struct clock) + room * (2 * sizeof(uint64_t));
}

/* The first entry of the stream, or of a higher one. */
static uint32_t entry_from(const struct clock *k, uint64_t stream)
{
	uint32_t from = 0, to = k->n;

	while (from < to) {
		uint32_t middle = (from + to) / 2;

		if (k->stream[middle] < stream)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

uint64_t clock_position(const struct clock *k, uint64_t stream)
{
	uint32_t at = k ? entry_from(k, stream) : 0;

	return k && at < k->n && k->stream[at] == stream ? clock_positions(k)[at] : 0;
}

bool clock_covers(const struct clock *a, const struct clock *b)
{
	for (uint32_t i = 0; b && a != b && i < b->n; i++)
		if (clock_position(a, b->stream[i]) < clock_positions(b)[i])
			return false;
	return true;
}

static void entry_put(struct clock *k, uint64_t stream, uint64_t position)
{
	k->stream[k->n] = stream;
	clock_positions(k)[k->n++] = position;
}

/* --- what a clock begins with: the entries of both; room for all of one is there -------------------------
 */

static void copy(struct clock *k, const struct clock *a)
{
	k->n = a ? a->n : 0;
	if (!a)
		return;
	memcpy(k->stream, a->stream, a->n * sizeof(a->stream[0]));
	memcpy(clock_positions(k), clock_positions(a), a->n * sizeof(a->stream[0]));
}

static bool of_same_streams(const struct clock *a, const struct clock *b)
{
	return a->n == b->n && !memcmp(a->stream, b->stream, a->n * sizeof(a->stream[0]));
}

static void merge_alike(struct clock *k, const struct clock *a, const struct clock *b)
{
	const uint64_t *x = clock_positions(a), *y = clock_positions(b), *end = x + a->n;
	uint64_t *out = clock_positions(k);

	memcpy(k->stream, a->stream, a->n * sizeof(a->stream[0]));
#pragma GCC unroll 4
	for (; x != end; x++, y++, out++) {
		uint64_t mine = *x, other = *y;

		*out = mine > other ? mine : other;
	}
	k->n = a->n;
}

/* false: there is no room. */
static bool merge_different(struct clock *k, const struct clock *a, const struct clock *b)
{
	uint32_t i = 0, j = 0;

	k->n = 0;
	while (i < a->n || j < b->n) {
		uint64_t first = i < a->n ? a->stream[i] : UINT64_MAX,
			 second = j < b->n ? b->stream[j] : UINT64_MAX;
		uint64_t mine = first <= second ? clock_positions(a)[i] : 0,
			 other = second <= first ? clock_positions(b)[j] : 0;

		if (k->n == k->room)
			return false;
		entry_put(k, first < second ? first : second, mine > other ? mine : other);
		i += first <= second;
		j += second <= first;
	}
	return true;
}

static bool merge(struct clock *k, const struct clock *a, const struct clock *b)
{
	if (!a || !b)
		copy(k, a ? a : b);
	else if (of_same_streams(a, b))
		merge_alike(k, a, b);
	else
		return merge_different(k, a, b);
	return true;
}

/* One entry more; false: there is no room. */
static bool entry_add(struct clock *k, const struct clock_entry *more)
{
	uint32_t at = entry_from(k, more->stream), behind = k->n - at;
	uint64_t *position = clock_positions(k);

	if (behind && k->stream[at] == more->stream) {
		if (position[at] < more->position)
			position[at] = more->position;
		return true;
	}
	if (k->n == k->room)
		return false;
	memmove(k->stream + at + 1, k->stream + at, behind * sizeof(k->stream[0]));
	memmove(position + at + 1, position + at, behind * sizeof(k->stream[0]));
	k->stream[at] = more->stream;
	position[at] = more->position;
	k->n++;
	return true;
}

/* --- joining ---------------------------------------------------------------------------------------------
 */

/* One with room for so many, the spare one if that is possible; NULL: no memory. */
static struct clock *clock_new(struct checks *c, struct clock *spare, uint32_t room)
{
	struct clock *k;

	/* Acquire: who used it has read it. */
	if (spare && spare->room >= room && atomic_load_explicit(&spare->users, memory_order_acquire) == 1)
		return spare;
	clock_release(c, spare);
	k = checks_alloc(c, clock_bytes(room));
	if (!k)
		return NULL;
	k->room = room;
	atomic_init(&k->users, 1);
	return k;
}

/* All of them in a clock with room for so many; NULL: there is none, or no memory. */
static struct clock *merged(struct checks *c, struct clock *spare, const struct clock *a,
	const struct clock *b, const struct clock_entry *more, uint32_t room)
{
	struct clock *k = clock_new(c, spare, room);

	if (k && merge(k, a, b) && (!more || entry_add(k, more)))
		return k;
	clock_release(c, k);
	return NULL;
}

/* Without what is settled. */
static void settle(struct checks *c, struct clock *k, clock_settled_fn settled)
{
	uint32_t n = k->n;

	k->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct clock_entry e = clock_entry_of(k, i);

		if (!settled(c, &e))
			entry_put(k, e.stream, e.position);
	}
}

/*
 * Both together have half as many entries mostly: the clock goes into a smaller piece of memory, and the
 * large one, which is still in the caches, serves the next join.  Pieces are powers of two.
 */
static struct clock *fitted(struct checks *c, struct clock *k)
{
	size_t large = clock_bytes(k->room), half = (size_t)1 << (63 - __builtin_clzll(large - 1));
	struct clock *fit = clock_bytes(k->n) <= half ? clock_new(c, NULL, k->n) : NULL;

	if (!fit)
		return k;
	copy(fit, k);
	fit->looked = k->looked;
	clock_release(c, k);
	return fit;
}

struct clock *clock_join(struct checks *c, struct clock *spare, const struct clock *a, const struct clock *b,
	const struct clock_entry *more, clock_settled_fn settled, bool *full)
{
	uint32_t mine = a ? a->n : 0, other = b ? b->n : 0;
	/* Mostly the streams of one are those of both. */
	struct clock *k = merged(c, spare, a, b, more, (mine > other ? mine : other) + 1);

	if (!k)
		k = merged(c, NULL, a, b, more, mine + other + 1);
	*full = !k;
	if (!k)
		return NULL;
	k->looked = a ? a->looked : 0;
	if (k->n > k->looked + k->looked / 4 || k->n > CLOCK_ENTRIES) {
		settle(c, k, settled);
		k->looked = k->n;
	}
	*full = k->n > CLOCK_ENTRIES;
	if (k->n && !*full)
		return fitted(c, k);
	clock_release(c, k);
	return NULL;
}

void clock_release(struct checks *c, struct clock *k)
{
	if (k && atomic_fetch_sub(&k->users, 1) == 1)
		checks_forget(c, k, clock_bytes(k->room));
}
