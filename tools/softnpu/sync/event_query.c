/* SPDX-License-Identifier: Apache-2.0 */
/* Events seen from the host: waiting, querying, time. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/sync/event.h"

/* Events recorded in an open capture, and external ones, have no state that a host could query; of two events
 * both are first looked at for a capture. */
static aclError check_free(const struct event *a, const struct event *b)
{
	if (a->capture || b->capture)
		return npu_err(ACL_ERROR_RT_EVENT_CAPTURED, "an event is part of an open capture");
	if (a->kind == EVENT_EXTERNAL || b->kind == EVENT_EXTERNAL)
		return npu_answer(EVENT_EXTERNAL_SEEN_BY_HOST, "an event is external");
	return ACL_SUCCESS;
}

static aclError find_free(aclrtEvent handle, struct event **ev)
{
	aclError rc = event_find(handle, ev);

	return rc ? rc : check_free(*ev, *ev);
}

/* What another process has recorded is not reported here: look now and then. */
static aclError synchronize_shared(struct event *ev, uint64_t deadline)
{
	uint64_t number = event_ipc_submitted(ev), now;
	aclError rc = ACL_SUCCESS;

	object_get(&ev->obj);
	while (!rc && !event_ipc_done(ev, number)) {
		now = npu_now();
		if (deadline && now >= deadline)
			rc = npu_err(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "the event is still pending");
		else
			npu_wait(&ev->recorded, now + 200000);
	}
	object_put(&ev->obj);
	return rc;
}

/* By a task of a model, or on a stream that a model got later. */
static bool recorded_by_model(const struct record *r)
{
	const struct stream *s = stream_of_id(r->stream);

	return r->built || (s && s->bound);
}

static aclError synchronize(aclrtEvent handle, int32_t timeout)
{
	uint64_t deadline = npu_deadline_ms(timeout);
	struct event *ev;
	struct record *r;
	aclError rc = find_free(handle, &ev);

	if (rc)
		return rc;
	if (ev->ipc)
		return synchronize_shared(ev, deadline);
	if (!ev->latest)
		return ACL_SUCCESS;
	r = ev->latest;
	if (recorded_by_model(r))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the event is recorded by a model");
	record_get(r);
	object_get(&ev->obj);
	while (!r->done && npu_wait(&ev->recorded, deadline))
		;
	if (!r->done)
		rc = npu_err(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "the event is still pending");
	else
		rc = device_check_lost(ev->dev->id);
	object_put(&ev->obj);
	record_put(r);
	return rc;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
	return LOCKED(synchronize(event, -1));
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
	return LOCKED(synchronize(event, timeout));
}

/* The older questions are not for events of aclrtCreateEventExWithFlag, whatever their state is. */
static aclError find_plain(aclrtEvent handle, struct event **ev)
{
	aclError rc = event_find(handle, ev);

	if (!rc && ((*ev)->kind == EVENT_EX || (*ev)->kind == EVENT_IPC))
		rc = npu_err(
			ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not for events of aclrtCreateEventExWithFlag");
	return rc ? rc : find_free(handle, ev);
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
	return LOCKED_WITH(event, ev, find_plain(event, &ev),
		*status = ev->latest && !ev->latest->done ? ACL_EVENT_STATUS_NOT_READY
							  : ACL_EVENT_STATUS_COMPLETE);
}

static aclError query_status(aclrtEvent handle, aclrtEventRecordedStatus *status)
{
	struct event *ev;
	bool complete;
	aclError rc = find_free(handle, &ev);

	if (rc)
		return rc;
	complete = ev->ipc      ? event_ipc_done(ev, event_ipc_submitted(ev))
		   : ev->latest ? ev->latest->done
				: ev->kind == EVENT_EX || ev->kind == EVENT_IPC;
	*status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
	return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
	return LOCKED(query_status(event, status));
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
	return LOCKED_WITH(event, ev, find_plain(event, &ev),
		*status = ev->waits ? ACL_EVENT_WAIT_STATUS_NOT_READY : ACL_EVENT_WAIT_STATUS_COMPLETE);
}

static aclError has_time(const struct event *a, const struct event *b)
{
	aclError rc = check_free(a, b);

	if (!rc && (a->kind == EVENT_IPC || b->kind == EVENT_IPC))
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "an event is shared between processes");
	return rc;
}

static aclError time_of(const struct event *ev, bool of_any_ex, uint64_t *ns)
{
	if (!ev->latest)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the event has not been recorded");
	if (!ev->latest->done || !(ev->flags & ACL_EVENT_TIME_LINE || (of_any_ex && ev->kind == EVENT_EX)))
		return npu_err(
			ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "the event is pending or has no time line");
	*ns = ev->latest->time;
	return ACL_SUCCESS;
}

static aclError elapsed(float *ms, aclrtEvent start, aclrtEvent end)
{
	struct event *first, *last;
	uint64_t from, to;
	aclError rc = event_find(start, &first);

	if (!rc)
		rc = event_find(end, &last);
	if (!rc)
		rc = has_time(first, last);
	if (!rc)
		rc = time_of(first, false, &from);
	if (!rc)
		rc = time_of(last, false, &to);
	if (!rc)
		*ms = (float)((double)(int64_t)(to - from) / 1e6);
	return rc;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
	return LOCKED(elapsed(ms, startEvent, endEvent));
}

static aclError timestamp(aclrtEvent event, uint64_t *us)
{
	struct event *ev;
	uint64_t ns;
	aclError rc = event_find(event, &ev);

	if (!rc)
		rc = has_time(ev, ev);
	if (!rc)
		rc = time_of(ev, true, &ns);

	if (!rc)
		*us = ns / 1000u;
	return rc;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp_us)
{
	return LOCKED(timestamp(event, timestamp_us));
}

/* Some have an id from the start, others from a record on, those of ...ExWithFlag only until it is over. */
static bool has_id(const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_DEFAULT:
		return ev->latest;
	case EVENT_EX:
		return ev->flags & ACL_EVENT_SYNC && ev->latest && !ev->latest->done;
	case EVENT_FLAG:
		return ev->flags & ACL_EVENT_SYNC;
	default:
		return true;
	}
}

static aclError get_id(aclrtEvent handle, uint32_t *id)
{
	struct event *ev;
	aclError rc = event_find(handle, &ev);

	if (!rc && ev->kind == EVENT_IPC)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the event is shared between processes");
	if (!rc && !has_id(ev))
		rc = npu_answer(EVENT_WITHOUT_ID, "the event has no id, or none yet");
	if (!rc)
		*id = ev->id;
	return rc;
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)
{
	return LOCKED(get_id(event, eventId));
}

static aclError available(uint32_t *count)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc)
		*count = (uint32_t)CFG(events) - ctx->dev->events;
	return rc;
}

aclError aclrtGetEventAvailNum(uint32_t *eventCount)
{
	return LOCKED(available(eventCount));
}
