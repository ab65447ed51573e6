/* SPDX-License-Identifier: Apache-2.0 */
/* Events: creation, record, wait, reset. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/sync/follow.h"

#include <stdlib.h>

#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/core/ipc.h"
#include "tools/softnpu/core/timeout.h"

/* And 0x4, which has no name and is accepted. */
#define PLAIN_FLAGS (ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | 0x4u | ACL_EVENT_TIME_LINE)
#define DEFAULT_FLAGS 0xeu /* what aclrtCreateEvent stands for */

struct record *record_new(int stream)
{
	struct record *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->refs = 1;
	r->stream = stream;
	list_init(&r->waiters);
	return r;
}

void record_get(struct record *r)
{
	r->refs++;
}

void record_put(struct record *r)
{
	if (r && --r->refs == 0)
		free(r);
}

void record_complete(struct record *r)
{
	if (r->done)
		return;
	r->done = true;
	r->time = npu_now();
	lanes_wake(&r->waiters);
}

static void event_release(struct object *o)
{
	struct event *ev = container_of(o, struct event, obj);

	record_put(ev->latest);
	if (ev->ipc)
		shared_word_close(ev->ipc);
	free(ev);
}

/* --- operations ------------------------------------------------------- */

struct event_op {
	struct op op;
	struct event *ev;
	struct record *rec;
	uint32_t seconds; /* of a wait, 0 = as configured */
	uint64_t number; /* of the record of a shared event that is waited for */
	bool outside; /* record or wait of a model that others see as an ordinary one */
};

static void event_op_release(struct op *op)
{
	struct event_op *e = container_of(op, struct event_op, op);

	record_put(e->rec);
	object_put(&e->ev->obj);
}

static void wait_release(struct op *op)
{
	container_of(op, struct event_op, op)->ev->waits--;
	event_op_release(op);
}

/* A model records an event for those outside: as if it had just been recorded. */
static void record_outside(struct event *ev)
{
	struct record *r = record_new(-1);

	if (!r)
		return;
	record_complete(r);
	record_put(ev->latest);
	ev->latest = r;
	ev->reset = false;
}

static void complete(struct event_op *e)
{
	if (e->rec)
		record_complete(e->rec);
	else if (e->outside)
		record_outside(e->ev);
	event_ipc_complete(e->ev, e->rec ? e->rec->number : 0);
	e->ev->signalled = true;
	lanes_wake(&e->ev->waiters);
	npu_changed(&e->ev->recorded);
}

static enum op_step event_record_step(struct op *op, struct lane *lane)
{
	(void)lane;
	complete(container_of(op, struct event_op, op));
	return OP_DONE;
}

static void record_cancelled(struct op *op)
{
	complete(container_of(op, struct event_op, op));
}

static bool event_satisfied(const struct event_op *e)
{
	if (e->number)
		return event_ipc_done(e->ev, e->number);
	if (e->outside)
		return !e->ev->latest || e->ev->latest->done;
	return e->rec ? e->rec->done : e->ev->signalled;
}

/* Who tells when it may be recorded; another process would not. */
static struct list *waiters(struct event_op *e)
{
	if (e->number)
		return NULL;
	if (e->outside)
		return &e->ev->latest->waiters;
	return e->rec ? &e->rec->waiters : &e->ev->waiters;
}

static enum op_step event_wait_step(struct op *op, struct lane *lane)
{
	struct event_op *e = container_of(op, struct event_op, op);

	if (event_satisfied(e))
		return OP_DONE;
	return lane_park_until(lane, waiters(e), timeout_wait_deadline(e->seconds));
}

static enum op_step reset_step(struct op *op, struct lane *lane)
{
	struct event *ev = container_of(op, struct event_op, op)->ev;

	(void)lane;
	ev->signalled = false;
	ev->reset |= ev->latest && ev->latest->done;
	return OP_DONE;
}

static void event_describe(const struct op *op, char *text, size_t size)
{
	const struct event_op *e = container_of(op, struct event_op, op);

	snprintf(text, size, "\"event_id\": %u", e->ev->id);
}

static const struct op_type record_type = {
	.name = "EVENT_RECORD",
	.step = event_record_step,
	.release = event_op_release,
	.cancelled = record_cancelled,
	.describe = event_describe,
	.task_type = ACL_MODEL_RI_TASK_EVENT_RECORD,
};
static const struct op_type wait_type = {
	.name = "EVENT_WAIT",
	.step = event_wait_step,
	.release = wait_release,
	.describe = event_describe,
	.task_type = ACL_MODEL_RI_TASK_EVENT_WAIT,
};
static const struct op_type reset_type = {
	.name = "EVENT_RESET",
	.step = reset_step,
	.release = event_op_release,
	.describe = event_describe,
	.task_type = ACL_MODEL_RI_TASK_EVENT_RESET,
};

static struct op *event_op(const struct op_type *type, struct event *ev, struct record *r, uint32_t seconds)
{
	struct event_op *e = op_new(type, sizeof(*e));

	if (!e)
		return NULL;
	e->ev = ev;
	object_get(&ev->obj);
	e->rec = r;
	if (r)
		record_get(r);
	e->seconds = seconds;
	if (type == &wait_type)
		ev->waits++;
	return &e->op;
}

struct op *event_record_op(struct event *ev, struct record *r)
{
	struct op *op = event_op(&record_type, ev, r, 0);

	if (op && !r && ev->kind == EVENT_EX)
		container_of(op, struct event_op, op)->outside = true;
	return op;
}

struct op *event_wait_op(struct event *ev, struct record *r, uint32_t seconds)
{
	return event_op(&wait_type, ev, r, seconds);
}

struct op *event_outside_wait_op(struct event *ev)
{
	struct op *op = event_op(&wait_type, ev, NULL, 0);

	if (op)
		container_of(op, struct event_op, op)->outside = true;
	return op;
}

/* Of a shared event: for the records submitted by any process so far. */
static struct op *shared_wait_op(struct event *ev, uint32_t seconds)
{
	struct op *op = event_op(&wait_type, ev, NULL, seconds);

	if (op)
		container_of(op, struct event_op, op)->number = event_ipc_submitted(ev);
	return op;
}

struct op *event_reset_op(struct event *ev)
{
	return event_op(&reset_type, ev, NULL, 0);
}

struct event *op_event(const struct op *op)
{
	if (op->type != &record_type && op->type != &wait_type && op->type != &reset_type)
		return NULL;
	return container_of(op, struct event_op, op)->ev;
}

/* --- creation and destruction ------------------------------------------ */

aclError event_new(enum event_kind kind, uint32_t flags, struct event **out)
{
	static uint32_t next_id;
	struct context *ctx;
	struct event *ev;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (ctx->dev->events >= CFG(events))
		return npu_err(ACL_ERROR_RT_NO_EVENT_RESOURCE, "the device has no event left");
	ev = calloc(1, sizeof(*ev));
	if (!ev || !object_init(&ev->obj, OBJ_EVENT, event_release)) {
		free(ev);
		return npu_err(ACL_ERROR_RT_NO_EVENT_RESOURCE, "no memory for an event");
	}
	ev->kind = kind;
	ev->flags = flags;
	ev->id = next_id++ & 0xffff;
	ev->dev = ctx->dev;
	ev->record_flag = ev->wait_flag = -1;
	list_init(&ev->waiters);
	list_init(&ev->captured);
	ctx->dev->events++;
	*out = ev;
	return ACL_SUCCESS;
}

static aclError event_create(aclrtEvent *out, enum event_kind kind, uint32_t flags)
{
	struct event *ev;
	aclError rc = event_new(kind, flags, &ev);

	if (!rc)
		*out = object_handle(&ev->obj);
	return rc;
}

static aclError flags_kind(uint32_t flag, bool ex, enum event_kind *kind)
{
	*kind = ex ? EVENT_EX : EVENT_FLAG;
	if (flag && !(flag & ~PLAIN_FLAGS))
		return ACL_SUCCESS;
	*kind = ex ? EVENT_IPC : EVENT_EXTERNAL;
	if (flag == (ex ? ACL_EVENT_IPC : ACL_EVENT_EXTERNAL))
		return ACL_SUCCESS;
	*kind = EVENT_DEVICE_ONLY;
	if (flag == ACL_EVENT_DEVICE_USE_ONLY && !ex)
		return ACL_SUCCESS;
	return npu_err(
		ACL_ERROR_RT_PARAM_INVALID, "event flags 0x%x are unknown or do not go together", flag);
}

static aclError create_flag(aclrtEvent *event, uint32_t flag, bool ex)
{
	enum event_kind kind;
	aclError rc;

	if (!event)
		return npu_err(ACL_ERROR_INVALID_PARAM, "event is NULL");
	rc = flags_kind(flag, ex, &kind);
	return rc ? rc : LOCKED(event_create(event, kind, flag));
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
	return LOCKED(event_create(event, EVENT_DEFAULT, DEFAULT_FLAGS));
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
	return create_flag(event, flag, false);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
	return create_flag(event, flag, true);
}

aclError event_find(aclrtEvent handle, struct event **ev)
{
	return OBJECT_NAMED(handle, OBJ_EVENT, ACL_ERROR_INVALID_PARAM, "event", ev);
}

/* Records and waits under way keep the event; only the handle ends. */
static void kill_event(struct event *ev)
{
	ev->dev->events--;
	capture_forget_event(ev);
	object_kill(&ev->obj);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
	return LOCKED_WITH(event, ev, event_find(event, &ev), kill_event(ev));
}

static void kill_if_on(struct object *o, void *dev)
{
	struct event *ev = container_of(o, struct event, obj);

	if (ev->dev == dev)
		kill_event(ev);
}

void events_release_device(struct device *dev)
{
	objects_each(OBJ_EVENT, kill_if_on, dev);
}

/* --- submission ----------------------------------------------------------- */

/* The first attempt, even a failed one, decides for ever how an event is recorded or waited for. */
static aclError latch(int *latched, uint32_t flag)
{
	if (*latched < 0)
		*latched = (int)flag;
	if (*latched != (int)flag)
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "the event was used with flag %d before", *latched);
	return ACL_SUCCESS;
}

/* Either 0x4 or ACL_EVENT_SYNC makes a plain event one that streams can wait for. */
bool event_waitable(const struct event *ev)
{
	return ev->kind == EVENT_DEFAULT || ev->kind == EVENT_EXTERNAL || ev->kind == EVENT_IPC ||
	       ev->flags & (ACL_EVENT_SYNC | 0x4u);
}

enum use { RECORD, WAIT, RESET };

/* What an event is not for, on this stream (NULL when the handle was NULL). */
static aclError event_check_kind(const struct event *ev, const struct stream *s, enum use use)
{
	if (ev->kind == EVENT_DEVICE_ONLY)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the event is for use on the device only");
	if (ev->kind == EVENT_IPC && (use == RESET || (s && s->capture)))
		return npu_err(
			ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "a shared event is neither captured nor reset");
	if (use != RECORD && !event_waitable(ev))
		return npu_err(
			ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the event was created without ACL_EVENT_SYNC");
	return ACL_SUCCESS;
}

/* An event that does not suit the flag keeps no trace of it. */
static aclError check_flag(struct event *ev, const struct stream *s, uint32_t flag, int *latched)
{
	aclError rc;

	if (flag && (ev->kind != EVENT_EX || ev->flags != ACL_EVENT_SYNC))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not for this kind of event");
	rc = latch(latched, flag);
	if (!rc && flag && s && s->capture && s->capture->model->sub)
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not in the body of a condition");
	return rc;
}

/* Models that are built know only the events of aclrtCreateEventWithFlag, and only those others are reset. */
static aclError event_enter(const struct event *ev, struct stream **s, enum use use)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc && *s && (*s)->bound &&
		(ev->kind == EVENT_EX || ev->kind == EVENT_IPC || ev->kind == EVENT_DEFAULT))
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not an event for a stream of a model");
	if (!rc && use == RESET && ev->kind == EVENT_EX)
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "an event made this way cannot be reset");
	return rc ? rc : stream_enter(STREAM_SUBMIT, s);
}

/* The event and the stream of a call, when both suit it. */
static aclError find_both(aclrtEvent handle, struct event **ev, aclrtStream stream, struct stream **s,
	enum use use, uint32_t flag)
{
	aclError rc = event_find(handle, ev);

	if (!rc)
		rc = stream_named(stream, STREAM_SUBMIT, s);
	if (!rc)
		rc = event_check_kind(*ev, *s, use);
	if (!rc && use != RESET)
		rc = check_flag(*ev, *s, flag, use == RECORD ? &(*ev)->record_flag : &(*ev)->wait_flag);
	return rc ? rc : event_enter(*ev, s, use);
}

static aclError record(aclrtEvent handle, aclrtStream stream, uint32_t flag)
{
	struct event *ev;
	struct stream *s;
	struct record *r;
	aclError rc = find_both(handle, &ev, stream, &s, RECORD, flag);

	if (rc)
		return rc;
	if (flag)
		return capture_external(s, ev, true);
	if (s->capture)
		return capture_record(s, ev);
	r = record_new(s->id);
	if (!r)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	r->built = s->bound;
	rc = stream_submit(s, event_record_op(ev, r));
	if (rc) {
		record_put(r);
		return rc;
	}
	r->number = event_ipc_submit(ev);
	follow_recorded(s, r);
	/* An event of an open capture stays one. */
	record_put(ev->latest);
	ev->latest = r;
	ev->reset = false;
	return ACL_SUCCESS;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
	return LOCKED(record(event, stream, ACL_EVENT_RECORD_DEFAULT));
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)
{
	return LOCKED(record(event, stream, flag));
}

static aclError wait_event(aclrtStream stream, aclrtEvent handle, uint32_t seconds, uint32_t flag)
{
	struct event *ev;
	struct stream *s;
	aclError rc = find_both(handle, &ev, stream, &s, WAIT, flag);

	if (rc)
		return rc;
	if (flag)
		return capture_external(s, ev, false);
	if (s->capture || ev->capture)
		return capture_wait(s, ev);
	if (ev->latest && !ev->reset)
		follow_waits(s, ev->latest);
	if (ev->ipc)
		return event_ipc_submitted(ev) ? stream_submit(s, shared_wait_op(ev, seconds)) : ACL_SUCCESS;
	if (ev->latest && !ev->reset) {
		if (ev->kind == EVENT_EX && ev->latest->stream == s->id)
			return ACL_SUCCESS;
		return stream_submit(s, event_wait_op(ev, ev->latest, seconds));
	}
	if (ev->kind == EVENT_DEFAULT)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the event has not been recorded");
	if (ev->kind == EVENT_EX || ev->kind == EVENT_IPC)
		return ACL_SUCCESS;
	return stream_submit(s, event_wait_op(ev, NULL, seconds));
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
	return LOCKED(wait_event(stream, event, 0, ACL_EVENT_WAIT_DEFAULT));
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
	return LOCKED(wait_event(stream, event, (uint32_t)timeout, ACL_EVENT_WAIT_DEFAULT));
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag)
{
	return LOCKED(wait_event(stream, event, timeout, flag));
}

static aclError reset(aclrtEvent handle, aclrtStream stream)
{
	struct event *ev;
	struct stream *s;
	aclError rc = find_both(handle, &ev, stream, &s, RESET, 0);

	if (rc)
		return rc;
	if (s->capture)
		return capture_reset(s, ev);
	if (ev->kind == EVENT_DEFAULT)
		return ACL_SUCCESS;
	rc = stream_submit(s, event_reset_op(ev));
	ev->reset |= !rc && ev->latest;
	return rc;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
	return LOCKED(reset(event, stream));
}
