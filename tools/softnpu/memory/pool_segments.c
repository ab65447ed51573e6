/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pool has to give. A part that was given back stays with its stream until the pool is trimmed: others
 * get it only where the pool's attributes allow that. A pool can be full although nothing is in use.
 */
#include "tools/softnpu/memory/pool_segments.h"

#include <stdlib.h>

#include "tools/softnpu/sync/follow.h"

enum state { FREE, GIVEN_BACK, USED };

struct pool_segment {
	struct list link;
	size_t size;
	enum state state;
	int stream; /* the id of the one it was taken for */
	uint64_t records; /* of that stream, when it was given back */
};

bool segments_open(struct pool_segments *p, size_t size)
{
	struct pool_segment *s = calloc(1, sizeof(*s));

	list_init(&p->all);
	if (!s)
		return false;
	s->size = size;
	list_add(&p->all, &s->link);
	return true;
}

void segments_close(struct pool_segments *p)
{
	while (!list_empty(&p->all)) {
		struct pool_segment *s = list_first(&p->all, struct pool_segment, link);

		list_del(&s->link);
		free(s);
	}
}

static bool may_have(const struct pool_segment *part, const struct stream *s, enum reuse how)
{
	switch (how) {
	case REUSE_OWN:
		return part->stream == s->id;
	case REUSE_FOLLOWED:
		return follow_is_behind(s, part->stream, part->records);
	default:
		return true;
	}
}

/* The smallest, and the first of those. */
static struct pool_segment *segment_find(
	const struct pool_segments *p, enum state state, size_t size, const struct stream *s, enum reuse how)
{
	struct pool_segment *part, *best = NULL;

	list_for_each(part, &p->all, link)
	{
		if (part->state == state && part->size >= size && may_have(part, s, how) &&
			(!best || part->size < best->size))
			best = part;
	}
	return best;
}

/* Its first size bytes; the rest stays what it was. */
static struct pool_segment *front(struct pool_segment *s, size_t size)
{
	struct pool_segment *first;

	if (s->size == size)
		return s;
	first = calloc(1, sizeof(*first));
	if (!first)
		return NULL;
	*first = *s;
	first->size = size;
	s->size -= size;
	list_add_tail(&s->link, &first->link);
	return first;
}

/* The stream's own comes first, then what is surely over. */
static struct pool_segment *find_given_back(
	const struct pool_segments *p, size_t size, const struct stream *s, unsigned reuse)
{
	struct pool_segment *found = NULL;

	for (unsigned how = REUSE_OWN; how <= REUSE_ANY && !found; how <<= 1)
		if (how & (REUSE_OWN | reuse))
			found = segment_find(p, GIVEN_BACK, size, s, (enum reuse)how);
	return found;
}

struct pool_segment *segment_take(
	struct pool_segments *p, size_t size, const struct stream *stream, unsigned reuse)
{
	struct pool_segment *s = find_given_back(p, size, stream, reuse);
	bool again = s;

	if (!s)
		s = segment_find(p, FREE, size, NULL, REUSE_ANY);
	s = s ? front(s, size) : NULL;
	if (!s)
		return NULL;
	s->state = USED;
	s->stream = stream->id;
	p->used += size;
	p->reserved += again ? 0 : size;
	p->used_high = p->used > p->used_high ? p->used : p->used_high;
	p->reserved_high = p->reserved > p->reserved_high ? p->reserved : p->reserved_high;
	return s;
}

static bool alike(const struct pool_segment *a, const struct pool_segment *b)
{
	return a->state == b->state &&
	       (a->state == FREE || (a->stream == b->stream && a->records == b->records));
}

static void merge_next(struct pool_segments *p, struct pool_segment *s)
{
	struct pool_segment *next = container_of(s->link.next, struct pool_segment, link);

	if (s->link.next == &p->all || !alike(s, next))
		return;
	s->size += next->size;
	list_del(&next->link);
	free(next);
}

static void becomes(struct pool_segments *p, struct pool_segment *s, enum state state)
{
	s->state = state;
	merge_next(p, s);
	if (s->link.prev != &p->all)
		merge_next(p, container_of(s->link.prev, struct pool_segment, link));
}

void segment_give_back(struct pool_segments *p, struct pool_segment *s)
{
	p->used -= s->size;
	s->records = follow_records(s->stream);
	becomes(p, s, GIVEN_BACK);
}

void segment_free(struct pool_segments *p, struct pool_segment *s)
{
	p->used -= s->size;
	p->reserved -= s->size;
	becomes(p, s, FREE);
}

void segments_trim(struct pool_segments *p, size_t keep)
{
	while (p->reserved > keep) {
		struct pool_segment *s = segment_find(p, GIVEN_BACK, 0, NULL, REUSE_ANY);
		size_t beyond = p->reserved - keep;

		s = s && s->size > beyond ? front(s, beyond) : s;
		if (!s)
			return;
		p->reserved -= s->size;
		becomes(p, s, FREE);
	}
}
