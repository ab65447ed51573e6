/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks: sorted arrays, joined where streams wait. */
#include "checks/state/clock.h"
#include "checks/engine/instance.h"

static size_t clock_bytes(uint32_t room)
{
	return sizeof(struct clock) + (room + 1) * sizeof(struct clock_entry);
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

static const struct clock_entry *entries_of(const struct clock *k)
{
	return k ? k->entry : &behind_all;
}

/*
 * The entries of both, as many as are of streams below one, behind those of k. Mostly both have the same
 * streams: no branch depends on which has the lower one.
 */
static void merge_below(
	struct clock *k, const struct clock_entry **a, const struct clock_entry **b, uint64_t stream)
{
	const struct clock_entry *x = *a, *y = *b;
	struct clock_entry *out = k->entry + k->n;

	for (;;) {
		uint64_t first = x->stream, second = y->stream, low = first < second ? first : second;
		uint64_t mine = first == low ? x->position : 0, other = second == low ? y->position : 0;

		if (low >= stream)
			break;
		out->stream = low;
		out->position = mine > other ? mine : other;
		out++;
		x += first == low;
		y += second == low;
	}
	*a = x;
	*b = y;
	k->n = (uint32_t)(out - k->entry);
}

/* The stream of more: the latest of what all three say. */
static void merge_more(struct clock *k, const struct clock_entry **a, const struct clock_entry **b,
	const struct clock_entry *more)
{
	const struct clock_entry **from[] = {a, b};
	struct clock_entry out = *more;

	for (unsigned i = 0; i < 2; i++)
		if ((*from[i])->stream == out.stream) {
			out.position =
				(*from[i])->position > out.position ? (*from[i])->position : out.position;
			++*from[i];
		}
	k->entry[k->n++] = out;
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

struct clock *clock_join(struct checks *c, const struct clock *a, const struct clock *b,
	const struct clock_entry *more, clock_settled_fn settled, bool *full)
{
	uint32_t room = (a ? a->n : 0) + (b ? b->n : 0) + 1;
	const struct clock_entry *first = entries_of(a), *second = entries_of(b);
	struct clock *k = checks_alloc(c, clock_bytes(room));

	*full = !k;
	if (!k)
		return NULL;
	k->room = room;
	atomic_init(&k->users, 1);
	if (more) {
		merge_below(k, &first, &second, more->stream);
		merge_more(k, &first, &second, more);
	}
	merge_below(k, &first, &second, UINT64_MAX);
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
