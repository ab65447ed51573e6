/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: life, lookup, submission, waiting for them. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/sync/stream.h"

#include <stdlib.h>

#include "tools/softnpu/graph/build.h"
#include "tools/softnpu/sync/callback.h"
#include "tools/softnpu/sync/follow.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/core/state_callback.h"
#include "tools/softnpu/graph/task_group.h"

/* Other bits are dropped. */
#define STREAM_FLAGS                                                                                         \
	(ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_PERSISTENT | ACL_STREAM_HUGE |           \
		ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY)

/* Streams that do not belong to the host: waiting for them makes no sense. */
#define NOT_WAITED_FOR (ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY)

static void lane_busy(struct lane *lane)
{
	object_get(&container_of(lane, struct stream, lane)->obj);
}

static void lane_idle(struct lane *lane)
{
	object_put(&container_of(lane, struct stream, lane)->obj);
}

static bool stops_on_failure(const struct stream *s)
{
	return s->failure_mode == ACL_STOP_ON_FAILURE || s->ctx->stops;
}

static bool lane_failed(struct lane *lane, struct op *op, aclError code)
{
	struct stream *s = container_of(lane, struct stream, lane);

	npu_log("stream %d of device %d: %s failed with %d", s->id, lane->device, op->type->name, code);
	if (!s->error)
		s->error = code;
	if (s->ctx->stops && !s->ctx->failure)
		s->ctx->failure = code;
	return stops_on_failure(s);
}

static const struct lane_type stream_lane = {lane_busy, lane_idle, lane_failed};

struct stream *lane_stream(struct lane *lane)
{
	return lane->type == &stream_lane ? container_of(lane, struct stream, lane) : NULL;
}

static void stream_release(struct object *o)
{
	struct stream *s = container_of(o, struct stream, obj);

	object_put(&s->ctx->obj);
	free(s->followed);
	free(s);
}

struct id_search {
	int id;
	struct stream *found;
};

static void match_id(struct object *o, void *arg)
{
	struct stream *s = container_of(o, struct stream, obj);
	struct id_search *search = arg;

	if (s->id == search->id)
		search->found = s;
}

struct stream *stream_of_id(int id)
{
	struct id_search search = {id, NULL};

	objects_each(OBJ_STREAM, match_id, &search);
	return search.found;
}

struct stream *stream_new(struct context *ctx, uint32_t priority, uint32_t flags)
{
	static int next_id;
	struct stream *s = calloc(1, sizeof(*s));

	if (!s || !object_init(&s->obj, OBJ_STREAM, stream_release)) {
		free(s);
		return NULL;
	}
	lane_init(&s->lane, &stream_lane, ctx->dev->id);
	s->ctx = ctx;
	object_get(&ctx->obj);
	s->id = next_id++ & 0x7fffffff;
	s->priority = priority;
	s->flags = flags;
	ctx->dev->streams++;
	list_add_tail(&ctx->streams, &s->link);
	return s;
}

void stream_remove(struct stream *s)
{
	if (!s->obj.alive)
		return;
	callback_unsubscribe(s);
	host_func_unsubscribe(s);
	follow_forget(s);
	group_update_forget(s);
	list_del(&s->link);
	s->ctx->dev->streams--;
	object_kill(&s->obj);
}

/* What using a dead stream gave before handles were checked: the wrong-context answer, or a crash. */
static aclError dead_stream(aclrtStream handle, enum stream_use use)
{
	struct context *ctx;
	aclError rc;

	if (npu_fact(NPU_HANDLES_ARE_CHECKED))
		return npu_answer(STREAM_GONE, "%p is not a stream", handle);
	rc = context_need(&ctx);
	if (rc)
		return rc;
	if (use == STREAM_SUBMIT)
		return npu_answer(STREAM_GONE, "%p is not a stream of this context", handle);
	return npu_err(ACL_ERROR_RT_INVALID_HANDLE, "%p is not a stream", handle);
}

aclError stream_of(aclrtStream handle, enum stream_use use, struct stream **s)
{
	struct object *o = object_find(handle, OBJ_STREAM);

	if (!o)
		return dead_stream(handle, use);
	*s = container_of(o, struct stream, obj);
	return ACL_SUCCESS;
}

aclError stream_named(aclrtStream handle, enum stream_use use, struct stream **s)
{
	*s = NULL;
	return handle ? stream_of(handle, use, s) : ACL_SUCCESS;
}

aclError stream_default(struct stream **s)
{
	struct context *ctx = context_current();

	if (!*s && !ctx)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the stream is NULL, and there is no context");
	if (!*s)
		*s = ctx->default_stream;
	return ACL_SUCCESS;
}

aclError stream_enter(enum stream_use use, struct stream **s)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (!*s)
		*s = ctx->default_stream;
	if (use == STREAM_SUBMIT && (*s)->ctx != ctx)
		return npu_err(ACL_ERROR_RT_STREAM_CONTEXT, "stream %d belongs to another context", (*s)->id);
	return ACL_SUCCESS;
}

aclError stream_find(aclrtStream handle, enum stream_use use, struct stream **s)
{
	aclError rc = stream_named(handle, use, s);

	return rc ? rc : stream_enter(use, s);
}

aclError stream_not_capturing(const struct stream *s)
{
	if (s && s->capture)
		return npu_err(ACL_ERROR_RT_STREAM_CAPTURED, "stream %d is capturing", s->id);
	return ACL_SUCCESS;
}

aclError stream_check_stopped(struct stream *s)
{
	if (s->failure_mode == ACL_STOP_ON_FAILURE && s->error)
		return npu_err(s->error, "the stream stopped after a failed task");
	if (s->ctx->failure)
		return npu_err(s->ctx->failure, "the streams of the context stopped after a failed task");
	return ACL_SUCCESS;
}

bool stream_caches_op_info(const struct stream *s)
{
	return s->capture && s->capture->origin->cache_op_info;
}

/* The number of the task that comes next; those of a model are counted for themselves. */
static uint64_t next_task(const struct stream *s)
{
	const struct model *m = s->capture ? s->capture->model : s->bound;

	return m ? m->lanes[s->capture_lane].n : s->lane.submitted;
}

static void note_task(struct stream *s)
{
	struct thread_state *t = npu_thread();

	t->last_stream = object_handle(&s->obj);
	t->last_task_id = (uint32_t)(next_task(s) & 0xffff);
	t->last_captured = s->capture;
	t->last_cached = stream_caches_op_info(s);
	t->last_built = s->bound;
	t->last_model = s->capture ? object_handle(&s->capture->model->obj) : NULL;
	t->last_lane = s->capture_lane;
	t->last_index = (unsigned)next_task(s);
}

aclError stream_submit(struct stream *s, struct op *op)
{
	aclError rc;

	if (!op)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	rc = device_check_lost(s->lane.device);
	if (rc) {
		op_put(op);
		return rc;
	}
	note_task(s);
	if (s->capture && !(s->update && !op->type->is_kernel))
		return capture_append(s, op);
	if (s->bound)
		return bound_append(s, op);
	rc = s->update ? ACL_SUCCESS : stream_check_stopped(s);
	if (!rc && !sched_start())
		rc = npu_err(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no thread can be started that would do it");
	if (rc) {
		op_put(op);
		return rc;
	}
	if (s->update)
		return group_replace(s, op);
	lane_submit(&s->lane, op);
	return ACL_SUCCESS;
}

aclError stream_wait(struct stream *s, uint64_t deadline)
{
	aclError rc;

	object_get(&s->obj);
	if (!lane_wait(&s->lane, s->lane.submitted, deadline)) {
		rc = npu_err(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "work of stream %d is still pending", s->id);
	} else {
		rc = s->error ? s->error : s->ctx->failure;
		if (!stops_on_failure(s))
			s->error = ACL_SUCCESS;
		if (!rc)
			rc = device_check_lost(s->lane.device);
		if (rc)
			npu_err(rc, "a task of stream %d failed", s->id);
	}
	object_put(&s->obj);
	return rc;
}

static aclError check_flags(uint32_t flags)
{
	if (flags & ACL_STREAM_DEVICE_USE_ONLY && flags != ACL_STREAM_DEVICE_USE_ONLY)
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "ACL_STREAM_DEVICE_USE_ONLY goes with no other flag");
	if (flags & ACL_STREAM_HUGE)
		return npu_answer(STREAM_FLAG_HUGE, "ACL_STREAM_HUGE is not supported");
	return ACL_SUCCESS;
}

uint32_t stream_priority(uint32_t wanted)
{
	int32_t priority = (int32_t)wanted;

	return priority < 0 ? 0 : priority > STREAM_PRIORITY_LOWEST ? STREAM_PRIORITY_LOWEST : wanted;
}

static aclError stream_make(aclrtStream *out, uint32_t priority, uint32_t flags)
{
	struct context *ctx;
	struct stream *s;
	aclError rc = check_flags(flags);

	if (!rc)
		rc = context_need(&ctx);
	if (rc)
		return rc;
	if (ctx->dev->streams >= CFG(streams))
		return npu_err(ACL_ERROR_RT_NO_STREAM_RESOURCE, "the device has no stream left");
	s = stream_new(ctx, stream_priority(priority), flags);
	if (!s)
		return npu_err(ACL_ERROR_RT_NO_STREAM_RESOURCE, "no memory for a stream");
	*out = object_handle(&s->obj);
	return ACL_SUCCESS;
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
	aclError rc;

	rc = LOCKED(stream_make(stream, priority, flag & STREAM_FLAGS));
	if (!rc)
		stream_state_notify(*stream, ACL_RT_STREAM_STATE_CREATE_POST);
	return rc;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
	return aclrtCreateStreamWithConfig(stream, 0, 0);
}

/* Whether the stream can be destroyed. The context's own stream stays with the context: NULL. */
static aclError stream_closable(aclrtStream handle, struct stream **s)
{
	aclError rc = stream_named(handle, STREAM_SUBMIT, s);

	if (!rc)
		rc = stream_not_capturing(*s);
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, s);
	if (rc)
		return rc;
	if (*s == (*s)->ctx->default_stream)
		*s = NULL;
	else if ((*s)->bound)
		return npu_err(ACL_ERROR_RT_STREAM_MODEL, "stream %d is bound to a model", (*s)->id);
	return ACL_SUCCESS;
}

static aclError stream_close(aclrtStream handle, bool force)
{
	struct stream *s;
	aclError rc = stream_closable(handle, &s);

	if (rc || !s)
		return rc;
	object_get(&s->obj);
	stream_remove(s);
	if (force) {
		lane_hurry(&s->lane);
		lane_drain(&s->lane);
	} else {
		lane_wait(&s->lane, s->lane.submitted, 0);
	}
	object_put(&s->obj);
	return ACL_SUCCESS;
}

bool stream_notifies_end(const struct stream *s)
{
	return !(s->flags & ACL_STREAM_CPU_SCHEDULE);
}

static aclError stream_to_end(aclrtStream handle, bool *notified)
{
	struct stream *s;
	aclError rc = stream_closable(handle, &s);

	*notified = !rc && s && stream_notifies_end(s);
	return rc;
}

/* The callbacks hear only of a stream that will be destroyed; they run unlocked and may call the API. */
static aclError stream_destroy(aclrtStream handle, bool force)
{
	bool notified;
	aclError rc = LOCKED(stream_to_end(handle, &notified));

	if (rc)
		return rc;
	if (notified)
		stream_state_notify(handle, ACL_RT_STREAM_STATE_DESTROY_PRE);
	return LOCKED(stream_close(handle, force));
}

aclError aclrtDestroyStream(aclrtStream stream)
{
	return stream_destroy(stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
	return stream_destroy(stream, true);
}

/* Newer releases take work of such a stream as done. */
static bool is_skipped(const struct stream *s)
{
	return s && s->flags & NOT_WAITED_FOR && !npu_code(NPU_STREAM_NOT_FOR_HOST);
}

static aclError check_waitable(const struct stream *s)
{
	if (s && s->flags & NOT_WAITED_FOR & ~ACL_STREAM_PERSISTENT && npu_code(NPU_STREAM_NOT_FOR_HOST))
		return npu_answer(STREAM_NOT_FOR_HOST, "stream %d is not for the host", s->id);
	return stream_not_capturing(s);
}

static aclError synchronize(aclrtStream handle, int32_t timeout)
{
	struct stream *s;
	aclError rc = stream_named(handle, STREAM_QUERY, &s);

	if (!rc && !timeout)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the timeout must be positive, or -1 for ever");
	if (!rc)
		rc = check_waitable(s);
	if (rc || is_skipped(s))
		return rc;
	rc = stream_enter(STREAM_QUERY, &s);
	return rc ? rc : stream_wait(s, npu_deadline_ms(timeout));
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
	return LOCKED(synchronize(stream, -1));
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
	return LOCKED(synchronize(stream, timeout));
}

static aclError synchronize_device(int32_t timeout)
{
	struct context *ctx;
	struct stream *s, **all;
	size_t n = 0, capacity = 0;
	uint64_t deadline = npu_deadline_ms(timeout);
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	list_for_each(s, &ctx->streams, link)
	{
		if (s->capture && !(s->flags & NOT_WAITED_FOR))
			return npu_err(ACL_ERROR_RT_STREAM_CAPTURED, "stream %d of this context is capturing",
				s->id);
		capacity++;
	}
	all = malloc(capacity * sizeof(*all));
	if (!all)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for %zu streams", capacity);
	list_for_each(s, &ctx->streams, link)
	{
		object_get(&s->obj);
		all[n++] = s;
	}
	for (size_t i = 0; i < n; i++) {
		aclError one = all[i]->flags & NOT_WAITED_FOR ? ACL_SUCCESS : stream_wait(all[i], deadline);

		rc = rc ? rc : one;
		object_put(&all[i]->obj);
	}
	free(all);
	return rc;
}

aclError aclrtSynchronizeDevice(void)
{
	return LOCKED(synchronize_device(-1));
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
	return LOCKED(synchronize_device(timeout));
}

static aclError query(aclrtStream handle, aclrtStreamStatus *status)
{
	struct stream *s;
	aclError rc = stream_named(handle, STREAM_QUERY, &s);

	if (!rc)
		rc = stream_not_capturing(s);
	if (!rc && !is_skipped(s))
		rc = stream_enter(STREAM_QUERY, &s);
	if (!rc)
		*status = is_skipped(s) || lane_done(&s->lane, s->lane.submitted)
				  ? ACL_STREAM_STATUS_COMPLETE
				  : ACL_STREAM_STATUS_NOT_READY;
	return rc;
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
	return LOCKED(query(stream, status));
}
