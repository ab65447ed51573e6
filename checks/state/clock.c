/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks: sorted arrays, joined where streams wait. */
#include "checks/state/clock.h"
#include "checks/engine/instance.h"

static size_t clock_bytes(uint32_t room)
{
	return sizeof(struct clock) + (room + 1) * sizeof(struct clock_entry);
}

/* The first entry of the stream, or of a higher one. */
static uint32_t entry_from(const struct clock *k, uint64_t stream)
{
	uint32_t from = 0, to = k->n;

	while (from < to) {
		uint32_t middle = (from + to) / 2;

		if (k->entry[middle].stream < stream)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

uint64_t clock_position(const struct clock *k, uint64_t stream)
{
	uint32_t from = 0, to = k ? k->n : 0;

	while (from < to) {
		uint32_t middle = (from + to) / 2;

		if (k->entry[middle].stream == stream)
			return k->entry[middle].position;
		if (k->entry[middle].stream < stream)
			from = middle + 1;
		else
			to = middle;
	}
	return 0;
}

bool clock_covers(const struct clock *a, const struct clock *b)
{
	for (uint32_t i = 0; b && a != b && i < b->n; i++)
		if (clock_position(a, b->entry[i].stream) < b->entry[i].position)
			return false;
	return true;
}

/* Behind the last entry of every clock: no stream has a higher reference. */
static const struct clock_entry behind_all = {UINT64_MAX, 0};

/* Mostly both have the same streams: so many entries of both from here on, at the most n. */
static inline uint64_t merge_alike(
	struct clock_entry *out, const struct clock_entry *x, const struct clock_entry *y, uint64_t n)
{
	const struct clock_entry *from = x, *end = x + n;

#pragma GCC unroll 4
	for (; x != end; x++, y++, out++) {
		uint64_t stream = x->stream, mine = x->position, other = y->position;

		if (__builtin_expect(y->stream != stream, 0))
			break;
		out->stream = stream;
		out->position = mine > other ? mine : other;
	}
	return (uint64_t)(x - from);
}

static bool copy(struct clock *k, const struct clock *a)
{
	k->n = a ? a->n : 0;
	if (a)
		memcpy(k->entry, a->entry, a->n * sizeof(a->entry[0]));
	return true;
}

/* The entries of both; false: there is no room. */
static bool merge(struct clock *k, const struct clock *a, const struct clock *b)
{
	const struct clock_entry *x = a->entry, *y = b->entry, *x_end = x + a->n;
	struct clock_entry *out = k->entry, *end = out + k->room;

	for (;;) {
		uint64_t left = (uint64_t)(x_end - x), room = (uint64_t)(end - out),
			 alike = merge_alike(out, x, y, left < room ? left : room);
		bool first;

		x += alike;
		y += alike;
		out += alike;
		if (x->stream == y->stream && x->stream == UINT64_MAX)
			break;
		if (out == end)
			return false;
		first = x->stream < y->stream;
		*out++ = first ? *x : *y;
		x += first;
		y += !first;
	}
	k->n = (uint32_t)(out - k->entry);
	return true;
}

/* One entry more; false: there is no room. */
static bool entry_add(struct clock *k, const struct clock_entry *more)
{
	uint32_t at = entry_from(k, more->stream);
	struct clock_entry *e = &k->entry[at];

	if (at < k->n && e->stream == more->stream) {
		if (e->position < more->position)
			e->position = more->position;
		return true;
	}
	if (k->n == k->room)
		return false;
	memmove(e + 1, e, (k->n - at) * sizeof(*e));
	*e = *more;
	k->n++;
	return true;
}

/* One with room for so many, the spare one if that is possible; NULL: no memory. */
static struct clock *clock_new(struct checks *c, struct clock *spare, uint32_t room)
{
	struct clock *k;

	/* Acquire: who used it has read it. */
	if (spare && spare->room >= room && atomic_load_explicit(&spare->users, memory_order_acquire) == 1) {
		spare->n = 0;
		return spare;
	}
	clock_release(c, spare);
	k = checks_alloc(c, clock_bytes(room));
	if (!k)
		return NULL;
	k->n = 0;
	k->room = room;
	atomic_init(&k->users, 1);
	return k;
}

/* All of them in a clock with room for so many; NULL: there is none, or no memory. */
static struct clock *merged(struct checks *c, struct clock *spare, const struct clock *a,
	const struct clock *b, const struct clock_entry *more, uint32_t room)
{
	struct clock *k = clock_new(c, spare, room);

	if (k && (a && b ? merge(k, a, b) : copy(k, a ? a : b)) && (!more || entry_add(k, more)))
		return k;
	clock_release(c, k);
	return NULL;
}

/* Without what is settled. */
static void settle(struct checks *c, struct clock *k, clock_settled_fn settled)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->n; i++)
		if (!settled(c, &k->entry[i]))
			k->entry[n++] = k->entry[i];
	k->n = n;
}

/*
 * Both together have half as many entries mostly: the clock goes into a smaller piece of memory, and the
 * large one, which is still in the caches, serves the next join.  Pieces are powers of two.
 */
static struct clock *fitted(struct checks *c, struct clock *k)
{
	size_t large = clock_bytes(k->room), half = (size_t)1 << (63 - __builtin_clzll(large - 1));
	struct clock *fit = clock_bytes(k->n) <= half ? checks_alloc(c, clock_bytes(k->n)) : NULL;

	if (!fit)
		return k;
	memcpy(fit->entry, k->entry, (k->n + 1) * sizeof(k->entry[0]));
	fit->n = fit->room = k->n;
	fit->looked = k->looked;
	atomic_init(&fit->users, 1);
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
	k->entry[k->n] = behind_all;
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
