/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks: sorted arrays, joined where streams wait. */
#include "checks/state/clock.h"
#include "checks/engine/instance.h"

static size_t clock_bytes(uint32_t room)
{
	return sizeof(struct clock) + room * sizeof(struct clock_entry);
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

/* What is left of a sorted array. */
struct clock_rest {
	const struct clock_entry *at, *end;
};

/* The entries of the lowest stream, taken out of all arrays as one. */
static bool rest_next(struct clock_rest *rest, unsigned n, struct clock_entry *out)
{
	out->stream = UINT64_MAX;
	out->position = 0;
	for (unsigned i = 0; i < n; i++)
		if (rest[i].at < rest[i].end && rest[i].at->stream < out->stream)
			out->stream = rest[i].at->stream;
	for (unsigned i = 0; i < n; i++)
		if (rest[i].at < rest[i].end && rest[i].at->stream == out->stream) {
			if (rest[i].at->position > out->position)
				out->position = rest[i].at->position;
			rest[i].at++;
		}
	return out->position != 0;
}

static struct clock_rest rest_of(const struct clock *k)
{
	return k ? (struct clock_rest){k->entry, k->entry + k->n} : (struct clock_rest){NULL, NULL};
}

struct clock *clock_join(struct checks *c, const struct clock *a, const struct clock *b,
	const struct clock_entry *more, clock_settled_fn settled, bool *full)
{
	uint32_t room = (a ? a->n : 0) + (b ? b->n : 0) + 1;
	struct clock_rest rest[3] = {rest_of(a), rest_of(b), {more, more + (more != NULL)}};
	struct clock *k = checks_alloc(c, clock_bytes(room));
	struct clock_entry next;

	*full = !k;
	if (!k)
		return NULL;
	k->room = room;
	atomic_init(&k->users, 1);
	while (rest_next(rest, 3, &next))
		if (!settled(c, &next))
			k->entry[k->n++] = next;
	*full = k->n > CLOCK_ENTRIES;
	if (k->n && !*full)
		return k;
	clock_release(c, k);
	return NULL;
}

void clock_release(struct checks *c, struct clock *k)
{
	if (k && atomic_fetch_sub(&k->users, 1) == 1)
		checks_forget(c, k, clock_bytes(k->room));
}
