/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of open captures, and which of their records are waited for. */
#include "checks/state/capture_streams.h"
#include "checks/state/capture_change.h"
#include "checks/state/capture_order.h"
#include "checks/state/event_state.h"
#include "checks/state/stream_state.h"

#define STREAMS_FIRST 8
#define UNSEEN_WAITS 16

struct capture_streams {
	acl_ref model; /* the slot may hold another one by now */
	uint32_t n, room;
	bool incomplete; /* no memory for a stream */
	uint32_t n_ranges; /* ever; they are kept in turn */
	struct capture_range range[CAPTURE_RANGES];
	uint32_t n_unseen; /* waits that something unseen ends; more than there is room for: not all are known
			    */
	struct capture_place unseen[UNSEEN_WAITS];
	struct capture_stream *stream;
	struct capture_order order; /* of the streams by their places there, from 1 */
};

static struct capture_streams *streams_of(struct acl_object *model)
{
	struct capture_streams *a = load_relaxed(&model_state(model)->streams);

	return a && a->model == object_ref(model) ? a : NULL;
}

static void streams_free(struct checks *c, struct capture_streams *a)
{
	if (!a)
		return;
	checks_forget(c, a->stream, a->room * sizeof(a->stream[0]));
	capture_order_free(c, &a->order);
	checks_forget(c, a, sizeof(*a));
}

void capture_streams_end(struct checks *c, struct acl_object *model)
{
	struct model_state *m = model_state(model);
	struct capture_streams *a;

	lock(&m->lock);
	a = load_relaxed(&m->streams);
	store_relaxed(&m->streams, NULL);
	unlock(&m->lock);
	streams_free(c, a);
}

void capture_streams_begin(struct checks *c, struct acl_object *model)
{
	struct capture_streams *a = checks_alloc(c, sizeof(*a));

	capture_streams_end(c, model);
	if (!a)
		return;
	a->model = object_ref(model);
	store_relaxed(&model_state(model)->streams, a);
}

/* Under the lock: room for one more; false: no memory. */
static bool streams_grow(struct checks *c, struct capture_streams *a)
{
	uint32_t room = a->room ? a->room * 2 : STREAMS_FIRST;
	struct capture_stream *more;

	if (a->n < a->room)
		return true;
	more = checks_alloc_more(c, a->stream, a->room * sizeof(*more), room * sizeof(*more));
	if (!more)
		return false;
	a->stream = more;
	a->room = room;
	return true;
}

static struct acl_call_site capture_task_site(const struct acl_call_record *call)
{
	return (struct acl_call_site){.caller = call->caller, .tid = call->tid, .api = call->api};
}

void capture_stream_joins(
	struct checks *c, struct acl_object *model, struct acl_object *s, const struct acl_call_record *call)
{
	struct stream_rare *rare = stream_rare_make(c, s);
	struct model_state *m = model_state(model);
	struct capture_streams *a;

	if (!rare)
		return;
	lock(&m->lock);
	a = streams_of(model);
	if (a && streams_grow(c, a)) {
		a->stream[a->n] =
			(struct capture_stream){.stream = object_ref(s), .joined = capture_task_site(call)};
		store_relaxed(&rare->capture_stream, ++a->n);
	} else {
		store_relaxed(&rare->capture_stream, 0);
		if (a)
			a->incomplete = true;
	}
	unlock(&m->lock);
}

/* Under the lock: what is kept of the stream, NULL = nothing. */
static struct capture_stream *stream_in(struct capture_streams *a, struct acl_object *s)
{
	uint32_t at = stream_rarely(s, capture_stream);

	return a && at && at <= a->n && a->stream[at - 1].stream == object_ref(s) ? &a->stream[at - 1] : NULL;
}

static void task_add(struct capture_stream *s, enum capture_last kind, const struct acl_call_record *call)
{
	if (s->waited && s->waited == s->tasks)
		s->late = capture_task_site(call);
	if (s->record && s->record == s->tasks)
		s->after = capture_task_site(call);
	s->tasks++;
	if (kind == LAST_RECORD) {
		s->record = s->tasks;
		s->after = (struct acl_call_site){0};
	}
	s->last = (uint8_t)kind;
	s->last_task = capture_task_site(call);
}

void capture_stream_task(struct checks *c, struct acl_object *model, struct acl_object *s,
	enum capture_last kind, const struct acl_call_record *call)
{
	struct model_state *m = model_state(model);
	struct capture_stream *in;

	(void)c;
	lock(&m->lock);
	in = stream_in(streams_of(model), s);
	if (in)
		task_add(in, kind, call);
	unlock(&m->lock);
}

void capture_stream_records(struct checks *c, struct acl_object *model, struct acl_object *s,
	struct acl_object *event, const struct acl_call_record *call)
{
	struct event_rare *e = event_rare_make(c, event);
	struct model_state *m = model_state(model);
	struct capture_stream *in;

	lock(&m->lock);
	in = stream_in(streams_of(model), s);
	if (in)
		task_add(in, LAST_RECORD, call);
	if (e) {
		store_relaxed(&e->captured_on, in ? stream_rarely(s, capture_stream) : 0);
		store_relaxed(&e->captured_at, in ? in->tasks : 0);
	}
	unlock(&m->lock);
}

/* What came first after an older record is not kept. */
static void record_awaited(struct capture_stream *s, uint32_t record)
{
	if (s->waited >= record)
		return;
	s->waited = record;
	s->late = record == s->record ? s->after : (struct acl_call_site){0};
}

void capture_stream_waits(struct checks *c, struct acl_object *model, struct acl_object *s,
	struct acl_object *event, const struct acl_call_record *call)
{
	struct model_state *m = model_state(model);
	uint32_t on = event_rarely(event, captured_on), record = event_rarely(event, captured_at);
	uint32_t stream = stream_rarely(s, capture_stream);
	struct capture_streams *a;
	struct capture_stream *in;

	lock(&m->lock);
	a = streams_of(model);
	in = stream_in(a, s);
	/* A wait for its own record is no task. */
	if (in && on != stream) {
		task_add(in, LAST_TASK, call);
		capture_order_wait(c, &a->order, stream, in->tasks, on, record);
	}
	if (in && on && on <= a->n && &a->stream[on - 1] != in)
		record_awaited(&a->stream[on - 1], record);
	unlock(&m->lock);
}

void capture_stream_group_begins(struct acl_object *model, struct acl_object *s)
{
	struct model_state *m = model_state(model);
	struct capture_stream *in;

	lock(&m->lock);
	in = stream_in(streams_of(model), s);
	if (in)
		in->group = (struct group_kernels){.known = true};
	unlock(&m->lock);
}

void capture_stream_group_kernel(struct acl_object *model, struct acl_object *s, const void *function)
{
	struct model_state *m = model_state(model);
	struct capture_stream *in;

	lock(&m->lock);
	in = stream_in(streams_of(model), s);
	if (in && in->group.n < GROUP_KERNELS)
		in->group.function[in->group.n] = function;
	if (in)
		in->group.n++;
	unlock(&m->lock);
}

struct group_kernels capture_stream_group(struct acl_object *model, struct acl_object *s)
{
	struct model_state *m = model_state(model);
	struct group_kernels group = {0};
	struct capture_stream *in;

	lock(&m->lock);
	in = stream_in(streams_of(model), s);
	if (in)
		group = in->group;
	unlock(&m->lock);
	return group;
}

void capture_stream_waits_unseen(struct acl_object *model, struct acl_object *s)
{
	struct model_state *m = model_state(model);
	struct capture_streams *a;

	lock(&m->lock);
	a = streams_of(model);
	if (a && s && stream_in(a, s) && a->n_unseen < UNSEEN_WAITS)
		a->unseen[a->n_unseen++] = capture_place_of(model, s);
	else if (a)
		a->n_unseen = UNSEEN_WAITS + 1;
	unlock(&m->lock);
}

bool capture_stream_next(struct acl_object *model, unsigned *at, struct capture_stream *stream)
{
	struct model_state *m = model_state(model);
	struct capture_streams *a;
	bool more;

	lock(&m->lock);
	a = streams_of(model);
	more = a && !a->incomplete && *at < a->n;
	if (more)
		*stream = a->stream[(*at)++];
	unlock(&m->lock);
	return more;
}

/* --- places, under the model's lock ------------------------------------------------------------------ */

struct capture_place capture_place_of(struct acl_object *model, struct acl_object *s)
{
	struct capture_stream *in = stream_in(streams_of(model), s);
	uint32_t stream = stream_rarely(s, capture_stream);

	return in ? (struct capture_place){stream, in->tasks} : (struct capture_place){0};
}

bool capture_place_is_before(struct acl_object *model, struct capture_place earlier, struct acl_object *s)
{
	struct capture_streams *a = streams_of(model);

	return !stream_in(a, s) || a->incomplete ||
	       capture_order_is_before(
		       &a->order, earlier.stream, earlier.task, stream_rarely(s, capture_stream));
}

bool capture_waits_are_common(struct acl_object *model, struct capture_place earlier, struct acl_object *s)
{
	struct capture_streams *a = streams_of(model);
	uint32_t next = stream_rarely(s, capture_stream);

	if (!stream_in(a, s) || a->incomplete || a->n_unseen > UNSEEN_WAITS)
		return false;
	for (uint32_t i = 0; i < a->n_unseen; i++) {
		struct capture_place wait = a->unseen[i];

		if (!capture_order_is_surely_before(
			    &a->order, wait.stream, wait.task, earlier.stream, earlier.task) ||
			!capture_order_is_surely_before(&a->order, wait.stream, wait.task, next, UINT32_MAX))
			return false;
	}
	return true;
}

uint64_t capture_place_stream(struct acl_object *model, struct capture_place place)
{
	struct capture_streams *a = streams_of(model);

	return a && place.stream && place.stream <= a->n ? a->stream[place.stream - 1].stream : 0;
}

/* --- memory -------------------------------------------------------------------------------------------- */

void capture_range_add(
	struct acl_object *model, uint64_t address, uint64_t bytes, const struct acl_call_record *call)
{
	struct model_state *m = model_state(model);
	struct capture_streams *a;

	lock(&m->lock);
	a = streams_of(model);
	if (a && bytes)
		a->range[a->n_ranges++ % CAPTURE_RANGES] =
			(struct capture_range){address, bytes, capture_task_site(call)};
	unlock(&m->lock);
}

bool capture_range_at(struct acl_object *model, uint64_t address, uint64_t bytes, struct capture_range *range)
{
	struct model_state *m = model_state(model);
	struct capture_streams *a;
	bool found = false;

	lock(&m->lock);
	a = streams_of(model);
	for (uint32_t i = 0; a && i < CAPTURE_RANGES && i < a->n_ranges && !found; i++) {
		*range = a->range[i];
		found = address < range->address + range->bytes && range->address < address + bytes;
	}
	unlock(&m->lock);
	return found;
}
