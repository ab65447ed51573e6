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

static inline uint64_t rest_stream(const struct clock_rest *r)
{
	return r->at < r->end ? r->at->stream : UINT64_MAX;
}

static inline void rest_take(struct clock_rest *r, struct clock_entry *out)
{
	if (rest_stream(r) != out->stream)
		return;
	if (r->at->position > out->position)
		out->position = r->at->position;
	r->at++;
}

/* The entries of the lowest stream, taken out of all arrays as one. */
static inline bool rest_next(
	struct clock_rest *a, struct clock_rest *b, struct clock_rest *more, struct clock_entry *out)
{
	uint64_t low = rest_stream(a) < rest_stream(b) ? rest_stream(a) : rest_stream(b);

	out->stream = rest_stream(more) < low ? rest_stream(more) : low;
	out->position = 0;
	if (out->stream == UINT64_MAX)
		return false;
	rest_take(a, out);
	rest_take(b, out);
	rest_take(more, out);
	return true;
}

static struct clock_rest rest_of(const struct clock *k)
{
	return k ? (struct clock_rest){k->entry, k->entry + k->n} : (struct clock_rest){NULL, NULL};
}

struct clock *clock_join(struct checks *c, const struct clock *a, const struct clock *b,
	const struct clock_entry *more, clock_settled_fn settled, bool *full)
{
	uint32_t room = (a ? a->n : 0) + (b ? b->n : 0) + 1;
	struct clock_rest first = rest_of(a), second = rest_of(b), third = {more, more + (more != NULL)};
	struct clock *k = checks_alloc(c, clock_bytes(room));
	struct clock_entry next;

	*full = !k;
	if (!k)
		return NULL;
	k->room = room;
	atomic_init(&k->users, 1);
	while (rest_next(&first, &second, &third, &next))
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
