/* SPDX-License-Identifier: Apache-2.0 */
/* The order of captured tasks: a vector a wait, by stream. */
#include "checks/state/capture_order.h"

#define VERSIONS_FIRST 8
#define VERSIONS 4096 /* waits of a stream; captures of large models have some hundreds */

/* From task `since` of its stream on: of each stream the tasks up to that number come before. */
struct order_version {
	uint32_t since;
	uint32_t before[ORDER_STREAMS];
};

void capture_order_free(struct checks *c, struct capture_order *o)
{
	for (unsigned i = 0; i < ORDER_STREAMS; i++)
		checks_forget(c, o->stream[i].version, o->stream[i].room * sizeof(struct order_version));
}

static const struct order_version *version_at(const struct capture_order *o, unsigned stream, uint32_t task)
{
	for (uint32_t i = o->stream[stream].n; i-- > 0;)
		if (o->stream[stream].version[i].since <= task)
			return &o->stream[stream].version[i];
	return NULL;
}

static struct order_version *version_take(struct checks *c, struct capture_order *o, unsigned stream)
{
	uint32_t n = o->stream[stream].n, old = o->stream[stream].room, room = old ? old * 2 : VERSIONS_FIRST;
	struct order_version *more;

	if (n == old) {
		more = room <= VERSIONS ? checks_alloc(c, room * sizeof(*more)) : NULL;
		if (!more)
			return NULL;
		if (n)
			memcpy(more, o->stream[stream].version, n * sizeof(*more));
		checks_forget(c, o->stream[stream].version, old * sizeof(*more));
		o->stream[stream].version = more;
		o->stream[stream].room = room;
	}
	o->stream[stream].n++;
	return &o->stream[stream].version[n];
}

static void add_before(struct order_version *v, const struct order_version *other)
{
	for (unsigned i = 0; other && i < ORDER_STREAMS; i++)
		if (v->before[i] < other->before[i])
			v->before[i] = other->before[i];
}

void capture_order_wait(struct checks *c, struct capture_order *o, uint32_t stream, uint32_t task,
	uint32_t other, uint32_t record)
{
	struct order_version v = {.since = task}, *place;

	if (stream == other)
		return;
	if (!stream || !other || stream > ORDER_STREAMS || other > ORDER_STREAMS || o->incomplete) {
		o->incomplete = true;
		return;
	}
	add_before(&v, version_at(o, stream - 1, UINT32_MAX));
	add_before(&v, version_at(o, other - 1, record));
	if (v.before[other - 1] < record)
		v.before[other - 1] = record;
	place = version_take(c, o, stream - 1);
	if (place)
		*place = v;
	else
		o->incomplete = true;
}

bool capture_order_is_before(const struct capture_order *o, uint32_t earlier, uint32_t task, uint32_t later)
{
	const struct order_version *v;

	if (earlier == later || !earlier || !later || earlier > ORDER_STREAMS || later > ORDER_STREAMS ||
		o->incomplete)
		return true;
	v = version_at(o, later - 1, UINT32_MAX);
	return v && v->before[earlier - 1] >= task;
}
