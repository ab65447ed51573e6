/* SPDX-License-Identifier: Apache-2.0 */
/* Streams as lanes: what was put on each, which record a wait is for, and captures. */
#include <string.h>

#include "tools/aclcheck/trace/timeline/timeline.h"

struct recorded {
	UT_hash_handle hh;
	struct {
		uint64_t process, object;
		const struct signal_way *way;
	} key;
	const struct stream_lane *lane;
	unsigned row;
	int64_t time;
};

/* --- streams ------------------------------------------------------------------ */

/* The first parameter that is a stream, as the reader takes it. */
static bool has_stream(unsigned api, enum acl_life life)
{
	for (unsigned i = 0; i < acl_apis[api].n_params; i++)
		if (acl_params(&acl_apis[api])[i].handle == ACL_HANDLE_STREAM)
			return acl_params(&acl_apis[api])[i].life == life;
	return false;
}

static struct stream_lane *lane_of(struct lanes *l, const struct timeline_call *c)
{
	const struct process_state *p = c->thread->process;
	struct stream_lane *lane, *other, wanted = {.key = {p->key, c->stream}};

	HASH_FIND(hh, l->live, &wanted.key, sizeof(wanted.key), lane);
	if (lane)
		return lane;
	lane = need(calloc(1, sizeof(*lane)));
	lane->key = wanted.key;
	lane->process = p;
	for (other = l->all; other && other->process != p;)
		other = other->next;
	lane->number = other ? other->number + 1 : 1;
	while (other && memcmp(&other->key, &lane->key, sizeof(lane->key)) != 0)
		other = other->next;
	lane->from = other ? other->until : 0;
	lane->until = INT64_MAX;
	lane->next = l->all;
	l->all = lane;
	HASH_ADD(hh, l->live, key, sizeof(lane->key), lane);
	return lane;
}

static void stream_destroyed(struct lanes *l, const struct timeline_call *c)
{
	struct stream_lane *lane, wanted = {.key = {c->thread->process->key, c->stream}};

	HASH_FIND(hh, l->live, &wanted.key, sizeof(wanted.key), lane);
	if (!lane)
		return;
	lane->until = c->end;
	HASH_DEL(l->live, lane);
}

/* The first row in which nothing is at that time; the last one takes what finds none. */
static unsigned row_of(struct stream_lane *lane, const struct timeline_call *c)
{
	unsigned row = 0;

	while (row < LANE_ROWS - 1 && row < lane->rows && lane->ends[row] > c->start)
		row++;
	if (row == lane->rows)
		lane->rows++;
	lane->ends[row] = c->end;
	return row;
}

/* --- what streams wait for ------------------------------------------------------- */

static struct recorded *find_recorded(struct lanes *l, const struct timeline_call *c, bool make)
{
	struct recorded *r, wanted;

	memset(&wanted, 0, sizeof(wanted));
	wanted.key.process = c->thread->process->key;
	wanted.key.object = c->object;
	signal_act(c->api, &wanted.key.way);
	HASH_FIND(hh, l->recorded, &wanted.key, sizeof(wanted.key), r);
	if (r || !make)
		return r;
	r = need(calloc(1, sizeof(*r)));
	r->key = wanted.key;
	HASH_ADD(hh, l->recorded, key, sizeof(r->key), r);
	return r;
}

static void forget_record(struct lanes *l, const struct timeline_call *c)
{
	struct recorded *r = find_recorded(l, c, false);

	if (!r)
		return;
	HASH_DEL(l->recorded, r);
	free(r);
}

/* All that the process has recorded that way. */
static void forget_way(struct lanes *l, const struct timeline_call *c, const struct signal_way *way)
{
	struct recorded *next;

	for (struct recorded *r = l->recorded; r; r = next) {
		next = r->hh.next;
		if (r->key.process != c->thread->process->key || r->key.way != way)
			continue;
		HASH_DEL(l->recorded, r);
		free(r);
	}
}

/* Which words go with the memory is not known. */
static void memory_given_back(struct lanes *l, const struct timeline_call *c)
{
	const struct signal_way *way;
	struct memory_rule rule;

	if (!memory_rule(c->api, &rule) || rule.allocates)
		return;
	signal_act(ACL_API_aclrtValueWrite, &way);
	forget_way(l, c, way);
}

/* Of several that one call resets it is not recorded which they are. */
static void lane_forget(struct lanes *l, const struct timeline_call *c)
{
	const struct signal_way *way;

	signal_act(c->api, &way);
	if (signal_argument(c->api) < 0)
		forget_way(l, c, way);
	else
		forget_record(l, c);
}

static void lane_record(struct lanes *l, const struct timeline_call *c, const struct lane_item *item)
{
	struct recorded *r = find_recorded(l, c, true);

	r->lane = item->lane;
	r->row = item->row;
	r->time = c->start;
}

static void wait(struct lanes *l, const struct timeline_call *c, struct lane_item *item)
{
	const struct recorded *r = find_recorded(l, c, false);

	/* The record that it is for may be among what was lost. */
	if (!r || timeline_gap_between(l->timeline, c->thread->process, r->time, c->start))
		return;
	item->recorded_lane = r->lane;
	item->recorded_row = r->row;
	item->recorded = r->time;
}

/* A record whose fate is unknown makes unknown what later waits are for. */
static void not_put(struct lanes *l, const struct timeline_call *c)
{
	const struct signal_way *way;

	if (c->how != CALL_RETURNED && signal_act(c->api, &way) == SIGNAL_RECORD)
		forget_record(l, c);
}

/* --- calls ------------------------------------------------------------------------ */

static bool lane_put(struct lanes *l, const struct timeline_call *c, struct lane_item *item)
{
	const struct signal_way *way;

	item->lane = lane_of(l, c);
	item->row = row_of(item->lane, c);
	switch (signal_act(c->api, &way)) {
	case SIGNAL_RECORD:
		lane_record(l, c, item);
		break;
	case SIGNAL_WAIT:
		wait(l, c, item);
		break;
	default:
		break;
	}
	return true;
}

static void capture_ended(struct lanes *l, const struct timeline_call *c, struct lane_item *item)
{
	item->lane = lane_of(l, c);
	item->captured_since = item->lane->capture;
	item->lane->capture = 0;
}

bool lanes_call(struct lanes *l, const struct timeline_call *c, struct lane_item *item)
{
	const struct acl_api_info *a = &acl_apis[c->api];
	const struct signal_way *way;

	memset(item, 0, sizeof(*item));
	if (c->inside || c->bare)
		return false;
	/* A capture that failed is over, too. */
	if (a->operation == ACL_OP_CAPTURE_END && c->how == CALL_RETURNED &&
		!acl_capture_goes_on(c->result)) {
		capture_ended(l, c, item);
		return false;
	}
	if (c->how != CALL_RETURNED || c->result) {
		not_put(l, c);
		return false;
	}
	switch (a->operation) {
	case ACL_OP_DESTROY_STREAM:
		stream_destroyed(l, c);
		return false;
	case ACL_OP_CAPTURE_BEGIN:
		lane_of(l, c)->capture = c->end;
		return false;
	default:
		break;
	}
	if (signal_act(c->api, &way) == SIGNAL_FORGET)
		lane_forget(l, c);
	memory_given_back(l, c);
	return a->mode == ACL_MODE_ASYNC && has_stream(c->api, ACL_LIFE_USE) && lane_put(l, c, item);
}

void lanes_free(struct lanes *l)
{
	struct recorded *r, *next;
	struct stream_lane *lane;

	HASH_ITER(hh, l->recorded, r, next)
	{
		HASH_DEL(l->recorded, r);
		free(r);
	}
	HASH_CLEAR(hh, l->live);
	while ((lane = l->all)) {
		l->all = lane->next;
		free(lane);
	}
}
