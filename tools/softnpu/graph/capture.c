/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing captures; the mode rules. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/graph/capture.h"

#include <stdlib.h>

#include "tools/softnpu/graph/condition.h"
#include "tools/softnpu/sync/event.h"
#include "tools/softnpu/graph/task_group.h"

#define NO_CAPTURE 3 /* compares greater than every mode */

static struct list captures = {&captures, &captures};

/* Threads are told apart by numbers, which never come back. */
static uint64_t this_thread(void)
{
	static uint64_t last;
	static __thread uint64_t number;

	if (!number)
		number = ++last;
	return number;
}

static int strictest_of_context(const struct context *ctx)
{
	int strictest = NO_CAPTURE;
	struct capture *c;

	list_for_each(c, &captures, link)
	{
		if (c->ctx == ctx && (int)c->mode < strictest)
			strictest = (int)c->mode;
	}
	return strictest;
}

/* A thread counts on its own: what another thread ended, or a reset, stays open to it. */
static int strictest_of_thread(const struct thread_state *t)
{
	int mode = 0;

	while (mode < NO_CAPTURE && !t->captures[mode])
		mode++;
	return mode;
}

static void thread_ends(aclmdlRICaptureMode mode)
{
	struct thread_state *t = npu_thread();

	if (t->captures[mode])
		t->captures[mode]--;
}

/*
 * The strictest open capture of this context and of this thread decide, together
 * with what the thread asked for by aclmdlRICaptureThreadExchangeMode.
 */
bool capture_forbids(void)
{
	int in_context = strictest_of_context(context_current());
	int by_thread = strictest_of_thread(npu_thread());

	switch (npu_thread()->exchange_mode) {
	case ACL_MODEL_RI_CAPTURE_MODE_GLOBAL:
		if (in_context == NO_CAPTURE)
			return false;
		return in_context == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL ||
		       by_thread == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
	case ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL:
		return in_context != NO_CAPTURE && by_thread <= ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
	default:
		return false;
	}
}

aclError capture_refuses(void)
{
	if (!capture_forbids())
		return ACL_SUCCESS;
	return npu_err(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, "not while a capture is open in this mode");
}

void capture_invalidate(struct capture *cap)
{
	cap->invalid = true;
}

void capture_forget_event(struct event *ev)
{
	list_del(&ev->captured);
	ev->capture = NULL;
}

/* The streams and events are free again. The model stays, or goes with a failed capture. */
static void close_capture(struct capture *cap, bool keep_model)
{
	struct model *m = cap->model;

	for (unsigned i = 0; i < m->n_lanes; i++) {
		cap->streams[i]->capture = NULL;
		cap->streams[i]->group_open = false;
		object_put(&cap->streams[i]->obj);
	}
	while (!list_empty(&cap->events))
		capture_forget_event(list_first(&cap->events, struct event, captured));
	list_del(&cap->link);
	free(cap->streams);
	free(cap->edges);
	free(cap->externals);
	free(cap);
	/* A body lives as long as its condition: a capture that failed has filled it for good. */
	if (keep_model || m->sub) {
		m->state = MODEL_READY;
		m->filled = true;
	} else {
		model_kill(m, NULL);
	}
	object_put(&m->obj);
}

bool capture_is_valid(const struct model *m)
{
	struct capture *c;

	list_for_each(c, &captures, link) if (c->model == m) return !c->invalid;
	return false;
}

void captures_release_context(struct context *ctx)
{
	struct capture *c, *tmp;

	list_for_each_safe(c, tmp, &captures, link) if (c->ctx == ctx) close_capture(c, false);
}

void captures_forget(void)
{
	list_init(&captures);
}

#define NOT_CAPTURED (ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY)

static aclError check_flags(const struct stream *s)
{
	if (s && s->flags & NOT_CAPTURED)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "a stream with these flags cannot be captured");
	return ACL_SUCCESS;
}

/* What needs no context. */
static aclError name_stream(aclrtStream handle, struct stream **s)
{
	aclError rc = stream_named(handle, STREAM_SUBMIT, s);

	return rc ? rc : check_flags(*s);
}

static aclError enter_stream(struct stream **s)
{
	aclError rc = stream_enter(STREAM_SUBMIT, s);

	if (rc)
		return rc;
	if ((*s)->bound)
		return npu_err(ACL_ERROR_RT_STREAM_MODEL, "the stream is bound to a model");
	if (*s == (*s)->ctx->default_stream)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the default stream cannot be captured");
	return ACL_SUCCESS;
}

/* The stream's tasks go to a lane of the model from now on. */
static bool join(struct capture *cap, struct stream *s)
{
	struct stream **streams = realloc(cap->streams, (cap->model->n_lanes + 1) * sizeof(struct stream *));
	int lane;

	if (!streams)
		return false;
	cap->streams = streams;
	lane = model_add_lane(cap->model);
	if (lane < 0)
		return false;
	streams[lane] = s;
	object_get(&s->obj);
	s->capture = cap;
	s->capture_lane = (unsigned)lane;
	return true;
}

static aclError open_capture(struct stream *s, struct model *m, aclmdlRICaptureMode mode)
{
	struct capture *cap = calloc(1, sizeof(*cap));

	if (!cap || !m)
		goto no_memory;
	cap->ctx = s->ctx;
	cap->model = m;
	cap->origin = s;
	cap->mode = mode;
	cap->thread = this_thread();
	list_init(&cap->events);
	if (!join(cap, s))
		goto no_memory;
	object_get(&m->obj);
	m->state = MODEL_CAPTURING;
	list_add_tail(&captures, &cap->link);
	npu_thread()->captures[mode]++;
	return ACL_SUCCESS;
no_memory:
	free(cap);
	if (m && !m->sub)
		model_kill(m, NULL);
	return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a capture");
}

static aclError begin(aclrtStream handle, aclmdlRICaptureMode mode)
{
	struct stream *s;
	aclError rc = name_stream(handle, &s);

	if (!rc)
		rc = enter_stream(&s);
	if (!rc)
		rc = stream_not_capturing(s);
	return rc ? rc : open_capture(s, model_new(s->ctx, true), mode);
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
	return LOCKED(begin(stream, mode));
}

static aclError begin_into(aclrtStream handle, aclmdlRI model, aclmdlRICaptureMode mode)
{
	struct stream *s;
	struct model *m;
	aclError rc = model_find(model, &m);

	if (!rc)
		rc = name_stream(handle, &s);
	if (!rc && !m->sub)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the model is not the body of a conditional task");
	if (!rc)
		rc = enter_stream(&s);
	if (!rc && (m->filled || m->n_lanes))
		rc = npu_err(ACL_ERROR_RT_MODEL_CAPTURED, "the body was captured before");
	if (!rc)
		rc = stream_not_capturing(s);
	return rc ? rc : open_capture(s, m, mode);
}

aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI, aclmdlRICaptureMode mode)
{
	return LOCKED(begin_into(stream, modelRI, mode));
}

/* The last task of each joined stream is a record that was waited for, and one of those waits is the
 * origin's. */
static bool is_joined(const struct capture *cap)
{
	const struct model *m = cap->model;
	bool by_origin = m->n_lanes == 1;

	for (unsigned lane = 1; lane < m->n_lanes; lane++) {
		bool waited = false;

		for (unsigned e = 0; e < m->edges; e++) {
			const struct capture_edge *edge = &cap->edges[e];

			if (edge->lane != lane || edge->index + 1 != m->lanes[lane].n || !edge->waited)
				continue;
			waited = true;
			by_origin |= edge->waited_by_origin;
		}
		if (!waited)
			return false;
	}
	return by_origin;
}

/* Whether the capture, which ends now whatever the answer, makes a model. */
static aclError judge_end(const struct capture *cap)
{
	if (cap->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && cap->thread != this_thread())
		return npu_err(
			ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "the capture was begun by another thread");
	if (cap->invalid)
		return npu_err(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "the capture was invalidated");
	if (!conditions_complete(cap->model))
		return npu_err(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING, "a conditional task has no body yet");
	if (cap->groups)
		return npu_err(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "a task group is open");
	if (!is_joined(cap))
		return npu_err(ACL_ERROR_RT_STREAM_UNJOINED, "a forked stream was not joined");
	return ACL_SUCCESS;
}

/* The stream that the capture began on ends with resets of all records, tasks like others. */
static aclError reset_edges(const struct capture *cap)
{
	struct model *m = cap->model;
	aclError rc = ACL_SUCCESS;

	for (unsigned e = 0; e < m->edges && !rc; e++) {
		const struct op *record = model_slot(m, cap->edges[e].lane, cap->edges[e].index);

		rc = model_append(m, 0, edge_reset_op(e, edge_event(record)));
	}
	return rc;
}

static aclError end(aclrtStream handle, aclmdlRI *out)
{
	struct stream *s;
	struct capture *cap;
	aclError rc = name_stream(handle, &s);
	/* The body of a condition has its handle already. */
	bool missing = !out && !(!rc && s->capture && s->capture->model->sub);

	if (missing && npu_code(NPU_CAPTURE_END_NO_OUTPUT))
		return npu_answer(CAPTURE_END_NO_OUTPUT, "modelRI is NULL");
	if (!rc && s->capture && missing)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "modelRI is NULL");
	if (!rc)
		rc = enter_stream(&s);
	if (rc)
		return rc;
	cap = s->capture;
	if (!cap)
		return npu_err(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not capturing");
	if (out && !cap->model->sub)
		*out = NULL;
	if (s != cap->origin)
		return npu_err(
			ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "the capture was begun on another stream");
	rc = judge_end(cap);
	if (!rc)
		rc = reset_edges(cap);
	thread_ends(cap->mode);
	if (out && !rc)
		*out = object_handle(&cap->model->obj);
	/* Another thread's end frees the streams alone: who asked for the model meanwhile still has it. */
	close_capture(cap, !rc || rc == ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD);
	return rc;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
	return LOCKED(end(stream, modelRI));
}

static aclError get_info(aclrtStream handle, aclmdlRICaptureStatus *status, aclmdlRI *model)
{
	struct context *ctx = context_current();
	struct stream *s;
	const struct capture *cap;
	aclError rc = stream_of(handle, STREAM_QUERY, &s);

	if (!rc && !ctx)
		rc = npu_answer(CAPTURE_INFO_NO_CONTEXT, "this thread has no context");
	else if (!rc && ctx != s->ctx)
		rc = npu_answer(CAPTURE_INFO_OTHER_CONTEXT, "the stream belongs to another context");
	if (rc)
		return rc;
	cap = s->capture;
	if (status)
		*status = cap ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	if (model)
		*model = cap ? object_handle(&cap->model->obj) : NULL;
	return ACL_SUCCESS;
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI)
{
	return LOCKED(get_info(stream, status, modelRI));
}

static aclError exchange_mode(aclmdlRICaptureMode *mode)
{
	struct thread_state *t = npu_thread();
	struct context *ctx;
	int old = t->exchange_mode;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	t->exchange_mode = (int)*mode;
	*mode = (aclmdlRICaptureMode)old;
	return ACL_SUCCESS;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
	return LOCKED(exchange_mode(mode));
}

aclError capture_find(aclrtStream handle, struct stream **s)
{
	aclError rc;

	if (!handle)
		return npu_err(ACL_ERROR_INVALID_PARAM, "stream is NULL");
	rc = stream_named(handle, STREAM_SUBMIT, s);
	if (!rc && !(*s)->capture)
		rc = npu_err(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not capturing");
	return rc ? rc : stream_enter(STREAM_SUBMIT, s);
}

/* --- tasks and events of a capture ------------------------------------------ */

aclError capture_append(struct stream *s, struct op *op)
{
	struct capture *cap = s->capture;
	aclError rc = group_check(cap, s, op);

	if (rc) {
		op_put(op);
		return rc;
	}
	return model_append(cap->model, s->capture_lane, op);
}

/* Only two kinds of events can be in a model: those of the Ex function, and external ones. */
static aclError capture_check_kind(const struct event *ev)
{
	if (ev->kind == EVENT_EX || ev->kind == EVENT_EXTERNAL)
		return ACL_SUCCESS;
	return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "an event made this way cannot be captured");
}

static aclError capture_task_append(struct stream *s, struct op *op)
{
	if (!op)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	return capture_append(s, op);
}

static aclError record_edge(struct stream *s, struct event *ev)
{
	struct capture *cap = s->capture;
	struct model *m = cap->model;
	struct capture_edge *edges = realloc(cap->edges, (m->edges + 1) * sizeof(*edges));
	aclError rc;

	if (!edges)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	cap->edges = edges;
	rc = capture_task_append(s, edge_record_op(m->edges, ev));
	if (rc)
		return rc;
	edges[m->edges] =
		(struct capture_edge){s->capture_lane, m->lanes[s->capture_lane].n - 1, false, false};
	capture_forget_event(ev);
	ev->capture = cap;
	ev->capture_edge = m->edges++;
	list_add_tail(&cap->events, &ev->captured);
	return ACL_SUCCESS;
}

aclError capture_record(struct stream *s, struct event *ev)
{
	aclError rc = capture_check_kind(ev);

	if (rc)
		return rc;
	if (ev->kind == EVENT_EXTERNAL)
		return capture_task_append(s, event_record_op(ev, NULL));
	if (!event_waitable(ev))
		return ACL_SUCCESS; /* nothing could wait for it: dropped */
	return record_edge(s, ev);
}

aclError capture_reset(struct stream *s, struct event *ev)
{
	aclError rc = capture_check_kind(ev);

	return rc ? rc : capture_task_append(s, event_reset_op(ev));
}

/* Each event may be used once so in a graph. */
static aclError note_external(struct capture *cap, const struct event *ev)
{
	uint64_t *list;

	for (unsigned i = 0; i < cap->n_externals; i++)
		if (cap->externals[i] == ev->obj.generation)
			return npu_err(ACL_ERROR_RT_PARAM_INVALID,
				"the event is used externally before in this graph");
	list = realloc(cap->externals, (cap->n_externals + 1) * sizeof(*list));
	if (!list)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	cap->externals = list;
	list[cap->n_externals++] = ev->obj.generation;
	return ACL_SUCCESS;
}

aclError capture_external(struct stream *s, struct event *ev, bool record)
{
	aclError rc;

	if (!s->capture)
		return npu_err(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not capturing");
	if (ev->latest && !ev->external)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID,
			"the event was recorded before it was first used externally");
	ev->external = true;
	rc = note_external(s->capture, ev);
	if (rc)
		return rc;
	return capture_task_append(s, record ? event_record_op(ev, NULL) : event_outside_wait_op(ev));
}

static aclError conflict(struct capture *a, struct capture *b)
{
	capture_invalidate(a);
	capture_invalidate(b);
	return npu_err(ACL_ERROR_STREAM_CAPTURE_CONFLICT, "the event belongs to another open capture");
}

/* A capture that was invalidated goes on, without further streams. */
static aclError join_by_wait(struct capture *cap, struct stream *s)
{
	aclError rc = check_flags(s);

	if (rc)
		return rc;
	if (s == s->ctx->default_stream)
		return npu_err(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "the default stream cannot be captured");
	if (cap->invalid)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the capture was invalidated");
	if (!join(cap, s))
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a capture");
	return ACL_SUCCESS;
}

/* A stream that waits for a captured event becomes part of the capture. */
static aclError wait_edge(struct stream *s, struct event *ev)
{
	struct capture *cap = ev->capture;
	struct capture_edge *edge = &cap->edges[ev->capture_edge];
	aclError rc = s->capture ? ACL_SUCCESS : join_by_wait(cap, s);

	if (rc)
		return rc;
	if (s->capture != cap)
		return conflict(s->capture, cap);
	if (edge->lane == s->capture_lane)
		return ACL_SUCCESS;
	edge->waited = true;
	edge->waited_by_origin |= s == cap->origin;
	return capture_task_append(s, edge_wait_op(ev->capture_edge, ev));
}

aclError capture_wait(struct stream *s, struct event *ev)
{
	aclError rc = capture_check_kind(ev);

	if (rc)
		return rc;
	if (ev->kind == EVENT_EXTERNAL)
		return capture_task_append(s, event_wait_op(ev, NULL, 0));
	if (ev->capture)
		return wait_edge(s, ev);
	if (ev->latest)
		return npu_err(ACL_ERROR_RT_CAPTURE_DEPENDENCY, "the event was recorded outside the capture");
	return ACL_SUCCESS;
}
