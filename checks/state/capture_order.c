/* SPDX-License-Identifier: Apache-2.0 */
/* The order of captured tasks: a vector a wait, by stream. */
#include "checks/state/capture_order.h"

#define STREAMS_FIRST 16 /* most captures have fewer */
#define VERSIONS_FIRST 2
#define VERSIONS 4096 /* waits of a stream; captures of large models have some hundreds */
#define NUMBERS (8u << 20) /* of all versions together */

/*
 * A version is `since`, the task of the stream from which on it holds, and then of as many streams as there
 * was room for: the tasks up to that number come before.
 */
struct order_stream {
	uint32_t *version; /* oldest first */
	uint32_t n, room;
	uint32_t width; /* streams in each */
};

static size_t version_size(const struct order_stream *s)
{
	return 1u + s->width;
}

static uint32_t *version_number(const struct order_stream *s, uint32_t i)
{
	return s->version + i * version_size(s);
}

static size_t stream_bytes(const struct order_stream *s)
{
	return s->room * version_size(s) * sizeof(uint32_t);
}

void capture_order_free(struct checks *c, struct capture_order *o)
{
	for (uint32_t i = 0; i < o->room; i++)
		checks_forget(c, o->stream[i].version, stream_bytes(&o->stream[i]));
	checks_forget(c, o->stream, o->room * sizeof(o->stream[0]));
}

/* Whether there is room for that many streams. */
static bool streams_grow(struct checks *c, struct capture_order *o, uint32_t streams)
{
	uint32_t room = o->room ? o->room : STREAMS_FIRST;
	struct order_stream *more;

	while (room < streams)
		room *= 2;
	if (room == o->room)
		return true;
	if (room > ORDER_STREAMS)
		return false;
	more = checks_alloc_more(c, o->stream, o->room * sizeof(*more), room * sizeof(*more));
	if (!more)
		return false;
	o->stream = more;
	o->room = room;
	return true;
}

/* With as many streams in each version as there is room for, and room for more of them. */
static bool versions_grow(struct checks *c, struct capture_order *o, struct order_stream *s)
{
	struct order_stream more = {.n = s->n, .width = o->room, .room = s->room ? s->room : VERSIONS_FIRST};
	size_t before = s->room * version_size(s), now;

	if (s->n == s->room && s->room)
		more.room *= 2;
	now = more.room * version_size(&more);
	if (more.room > VERSIONS || o->numbers - before + now > NUMBERS)
		return false;
	more.version = checks_alloc(c, now * sizeof(uint32_t));
	if (!more.version)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		memcpy(version_number(&more, i), version_number(s, i), version_size(s) * sizeof(uint32_t));
	checks_forget(c, s->version, before * sizeof(uint32_t));
	o->numbers = (uint32_t)(o->numbers - before + now);
	*s = more;
	return true;
}

/* That of the stream's task, without its first number; NULL: nothing comes before. */
static const uint32_t *before_at(const struct order_stream *s, uint32_t task)
{
	for (uint32_t i = s->n; i-- > 0;)
		if (version_number(s, i)[0] <= task)
			return version_number(s, i) + 1;
	return NULL;
}

static void add_before(uint32_t *before, const uint32_t *other, uint32_t width)
{
	for (uint32_t i = 0; other && i < width; i++)
		if (before[i] < other[i])
			before[i] = other[i];
}

static bool version_add(struct checks *c, struct capture_order *o, uint32_t stream, uint32_t task,
	uint32_t other, uint32_t record)
{
	struct order_stream *s, *from;
	uint32_t *before;

	if (!streams_grow(c, o, stream > other ? stream : other))
		return false;
	s = &o->stream[stream - 1];
	from = &o->stream[other - 1];
	if ((s->n == s->room || s->width < o->room) && !versions_grow(c, o, s))
		return false;
	before = version_number(s, s->n) + 1;
	add_before(before, before_at(s, UINT32_MAX), s->width);
	add_before(before, before_at(from, record), from->width);
	if (before[other - 1] < record)
		before[other - 1] = record;
	before[-1] = task;
	s->n++;
	return true;
}

void capture_order_wait(struct checks *c, struct capture_order *o, uint32_t stream, uint32_t task,
	uint32_t other, uint32_t record)
{
	if (stream == other || o->incomplete)
		return;
	o->incomplete = !stream || !other || stream > ORDER_STREAMS || other > ORDER_STREAMS ||
			!version_add(c, o, stream, task, other, record);
}

bool capture_order_is_before(const struct capture_order *o, uint32_t earlier, uint32_t task, uint32_t later)
{
	const struct order_stream *s;
	const uint32_t *before;

	if (earlier == later || !earlier || !later || earlier > ORDER_STREAMS || later > ORDER_STREAMS ||
		o->incomplete)
		return true;
	s = later <= o->room ? &o->stream[later - 1] : NULL;
	before = s ? before_at(s, UINT32_MAX) : NULL;
	return before && earlier <= s->width && before[earlier - 1] >= task;
}

bool capture_order_is_surely_before(
	const struct capture_order *o, uint32_t earlier, uint32_t task, uint32_t later, uint32_t behind)
{
	const uint32_t *before;

	if (!earlier || !later || o->incomplete)
		return false;
	if (earlier == later)
		return task < behind;
	before = later <= o->room ? before_at(&o->stream[later - 1], behind) : NULL;
	return before && earlier <= o->stream[later - 1].width && before[earlier - 1] >= task;
}
