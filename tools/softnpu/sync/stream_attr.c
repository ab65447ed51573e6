/* SPDX-License-Identifier: Apache-2.0 */
/* What a stream is asked for and told: attributes, failure mode, overflow check, abort. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/core/state_callback.h"
#include "tools/softnpu/sync/stream.h"

#define MAX_ABORT_MS (36 * 60 * 1000u)

enum what { GET_ID, GET_FLAGS, GET_PRIORITY };

static aclError get(aclrtStream handle, enum what what, uint32_t *value)
{
	struct stream *s;
	aclError rc = stream_named(handle, STREAM_QUERY, &s);

	if (!rc && (!s || what != GET_ID))
		rc = stream_enter(STREAM_QUERY, &s);
	if (!rc)
		*value = what == GET_ID ? (uint32_t)s->id : what == GET_FLAGS ? s->flags : s->priority;
	return rc;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
	return LOCKED(get(stream, GET_ID, (uint32_t *)streamId));
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
	return LOCKED(get(stream, GET_FLAGS, flags));
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
	return LOCKED(get(stream, GET_PRIORITY, priority));
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority)
{
	if (leastPriority)
		*leastPriority = STREAM_PRIORITY_LOWEST;
	if (greatestPriority)
		*greatestPriority = 0;
	return ACL_SUCCESS;
}

static aclError available(uint32_t *count)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc)
		*count = ctx->dev->streams < CFG(streams) ? (uint32_t)CFG(streams) - ctx->dev->streams : 0;
	return rc;
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
	return LOCKED(available(streamCount));
}

/* These need no context, but for the NULL handle. */
static aclError find_or_default(aclrtStream handle, struct stream **s)
{
	aclError rc = stream_named(handle, STREAM_QUERY, s);

	return rc ? rc : stream_default(s);
}

/* Of the mode its last bit counts. */
static aclError set_failure_mode(struct stream *s, uint64_t mode)
{
	struct context *ctx;
	aclError rc = ACL_SUCCESS;

	mode &= ACL_STOP_ON_FAILURE;
	if (s->flags & ACL_STREAM_DEVICE_USE_ONLY)
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the stream is not for the host");
	if (!rc)
		rc = context_need(&ctx);
	if (rc)
		return rc;
	if (s->bound || (s->failure_mode == ACL_STOP_ON_FAILURE && mode == ACL_CONTINUE_ON_FAILURE))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the failure mode cannot be taken back");
	if (s->failure_mode != mode && s->ctx != ctx)
		return npu_err(ACL_ERROR_RT_STREAM_CONTEXT, "the stream belongs to another context");
	s->failure_mode = mode;
	/* There the other streams of its context stop at a failure as well. */
	if (mode == ACL_STOP_ON_FAILURE && (npu_soc("Ascend910B") || npu_soc("Ascend910_93")))
		s->ctx->stops = true;
	return ACL_SUCCESS;
}

static aclError failure_mode(aclrtStream handle, uint64_t mode)
{
	struct stream *s;
	aclError rc = find_or_default(handle, &s);

	return rc ? rc : set_failure_mode(s, mode);
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
	return LOCKED(failure_mode(stream, mode));
}

/* A stream that takes part in no capture. */
static aclError find_idle(aclrtStream handle, struct stream **s)
{
	aclError rc = stream_named(handle, STREAM_SUBMIT, s);

	if (!rc)
		rc = stream_not_capturing(*s);
	return rc ? rc : stream_enter(STREAM_SUBMIT, s);
}

static aclError overflow_switch(aclrtStream handle, uint32_t on)
{
	struct context *ctx;
	struct stream *s;
	aclError rc = stream_named(handle, STREAM_SUBMIT, &s);

	if (!rc)
		rc = stream_not_capturing(s);
	if (!rc)
		rc = context_need(&ctx);
	if (!rc && overflows_are_infinite())
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"overflows are watched for only in saturation mode");
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (!rc)
		s->overflow_switch = on;
	return rc;
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
	return LOCKED(overflow_switch(stream, flag));
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
	return LOCKED_WITH(stream, s, stream_find(stream, STREAM_SUBMIT, &s), *flag = s->overflow_switch);
}

static aclError set_tag(aclrtStream handle, uint32_t tag)
{
	struct stream *s;
	aclError rc = find_idle(handle, &s);

	if (!rc)
		s->tag = tag;
	return rc;
}

/* The default stream has none, and what the host does not submit to neither. */
static aclError find_with_priority(aclrtStream handle, struct stream **s)
{
	aclError rc = stream_named(handle, STREAM_QUERY, s);

	if (!rc && !*s)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the stream is NULL");
	if (!rc && (*s)->flags & ACL_STREAM_CPU_SCHEDULE)
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not for such a stream");
	return rc ? rc : stream_enter(STREAM_QUERY, s);
}

static aclError set_priority(aclrtStream handle, uint32_t priority)
{
	struct stream *s;
	aclError rc = find_with_priority(handle, &s);

	if (!rc)
		s->priority = stream_priority(priority);
	return rc;
}

static aclError set_cache_op_info(aclrtStream handle, uint32_t on)
{
	struct stream *s;
	aclError rc = find_or_default(handle, &s);

	if (!rc && on > 1)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the switch is not 0 or 1");
	if (!rc)
		s->cache_op_info = on;
	return rc;
}

static aclError set_attribute(aclrtStream handle, aclrtStreamAttr attr, const aclrtStreamAttrValue *value)
{
	switch (attr) {
	case ACL_STREAM_ATTR_FAILURE_MODE:
		return failure_mode(handle, value->failureMode);
	case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
		if (value->overflowSwitch > 1)
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the switch is not 0 or 1");
		return overflow_switch(handle, value->overflowSwitch);
	case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
		return set_tag(handle, value->userCustomTag);
	case ACL_STREAM_ATTR_CACHE_OP_INFO:
		return set_cache_op_info(handle, value->cacheOpInfoSwitch);
	default:
		return set_priority(handle, value->streamPriority);
	}
}

/* The handle is looked at before the attribute is. */
static aclError check_attribute(aclrtStream handle, aclrtStreamAttr attr)
{
	struct stream *s;
	aclError rc = stream_named(handle, STREAM_QUERY, &s);

	if (!rc && (attr < ACL_STREAM_ATTR_FAILURE_MODE || attr > ACL_STREAM_ATTR_PRIORITY))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown attribute %d", attr);
	if (!rc && attr == ACL_STREAM_ATTR_PRIORITY)
		rc = npu_answer(STREAM_ATTRIBUTE_PRIORITY, "unknown attribute %d", attr);
	return rc;
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
	aclError rc = LOCKED(check_attribute(stream, stmAttrType));

	return rc ? rc : LOCKED(set_attribute(stream, stmAttrType, value));
}

static aclError find_with(aclrtStream handle, aclrtStreamAttr attr, struct stream **s)
{
	switch (attr) {
	case ACL_STREAM_ATTR_FAILURE_MODE:
	case ACL_STREAM_ATTR_CACHE_OP_INFO:
		return find_or_default(handle, s);
	case ACL_STREAM_ATTR_PRIORITY:
		return find_with_priority(handle, s);
	default:
		return stream_find(handle, STREAM_SUBMIT, s);
	}
}

static aclError get_attribute(aclrtStream handle, aclrtStreamAttr attr, aclrtStreamAttrValue *value)
{
	struct stream *s;
	aclError rc = find_with(handle, attr, &s);

	if (rc)
		return rc;
	switch (attr) {
	case ACL_STREAM_ATTR_FAILURE_MODE:
		value->failureMode = s->failure_mode;
		break;
	case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
		value->overflowSwitch = s->overflow_switch;
		break;
	case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
		value->userCustomTag = s->tag;
		break;
	case ACL_STREAM_ATTR_CACHE_OP_INFO:
		value->cacheOpInfoSwitch = stream_caches_op_info(s);
		break;
	default:
		value->streamPriority = s->priority;
		break;
	}
	return ACL_SUCCESS;
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
	aclError rc = LOCKED(check_attribute(stream, stmAttrType));

	return rc ? rc : LOCKED(get_attribute(stream, stmAttrType, value));
}

/* --- overflow status: nothing ever overflows here ------------------------------ */

static aclError clear_status(aclrtStream handle)
{
	struct stream *s;

	return find_idle(handle, &s);
}

aclError aclrtResetOverflowStatus(aclrtStream stream)
{
	return LOCKED(clear_status(stream));
}

aclError aclrtResetFloatOverflowStatus(aclrtStream stream)
{
	return LOCKED(clear_status(stream));
}

/* As clear_status, but for the answer to the NULL handle without a context. */
static aclError clear_float_status(aclrtStream handle)
{
	struct stream *s;
	aclError rc = find_or_default(handle, &s);

	return rc ? rc : clear_status(handle);
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream)
{
	(void)checkMode;
	return LOCKED(clear_float_status(stream));
}

#define STATUS_BYTES 64u

static aclError read_status(void *addr, uint64_t size, aclrtStream stream)
{
	aclError rc;

	if (!addr || size != STATUS_BYTES)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the status takes %u bytes", STATUS_BYTES);
	rc = LOCKED(clear_status(stream));
	return rc ? rc : aclrtMemsetAsync(addr, size, 0, size, stream);
}

aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream)
{
	return read_status(outputAddr, outputSize, stream);
}

aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize, aclrtStream stream)
{
	return read_status(outputAddr, outputSize, stream);
}

aclError aclrtNpuGetFloatOverFlowStatus(
	void *outputAddr, uint64_t outputSize, uint32_t checkMode, aclrtStream stream)
{
	(void)checkMode;
	return read_status(outputAddr, outputSize, stream);
}

/* --- ending work early ------------------------------------------------------------- */

static aclError give_up(aclrtStream handle, bool of_device)
{
	struct stream *s;
	aclError rc = find_or_default(handle, &s);

	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	if (s->bound || !!(s->flags & ACL_STREAM_DEVICE_USE_ONLY) != of_device)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR,
			"the stream is bound to a model, or %sfor the host", of_device ? "" : "not ");
	object_get(&s->obj);
	lane_cancel(&s->lane);
	lane_wait_for_tasks(&s->lane, s->lane.submitted, 0);
	s->error = s->ctx->failure = ACL_SUCCESS;
	object_put(&s->obj);
	return ACL_SUCCESS;
}

aclError aclrtStreamAbort(aclrtStream stream)
{
	return LOCKED(give_up(stream, false));
}

/* Only for the streams that aborting refuses: what the device's CPUs submit to. */
aclError aclrtStreamStop(aclrtStream stream)
{
	return LOCKED(give_up(stream, true));
}

static void abort_if_on(struct object *o, void *dev)
{
	struct stream *s = container_of(o, struct stream, obj);

	if (s->ctx->dev == dev)
		lane_cancel(&s->lane);
}

struct abort_wait {
	struct device *dev;
	struct stream *busy;
};

static void find_busy(struct object *o, void *arg)
{
	struct stream *s = container_of(o, struct stream, obj);
	struct abort_wait *w = arg;

	if (s->ctx->dev == w->dev && s->lane.completed < s->lane.submitted)
		w->busy = s;
}

static aclError check_set(const struct device *dev, int32_t id)
{
	if (!dev)
		return ACL_ERROR_RT_INVALID_DEVICEID;
	if (!device_is_open(id))
		return npu_err(ACL_ERROR_RT_CONTEXT_NULL, "device %d is not set", id);
	return ACL_SUCCESS;
}

/* Callbacks might have reset the device. Those that streams handed out are not waited for. */
static aclError abort_device(int32_t id, uint32_t timeout)
{
	struct abort_wait w = {.dev = device_find(id)};
	aclError rc = check_set(w.dev, id);
	uint64_t deadline = timeout ? npu_deadline_ms(timeout) : 0;
	bool done = true;

	if (rc)
		return rc;
	objects_each(OBJ_STREAM, abort_if_on, w.dev);
	do {
		w.busy = NULL;
		objects_each(OBJ_STREAM, find_busy, &w);
		if (w.busy) {
			object_get(&w.busy->obj);
			done = lane_wait_for_tasks(&w.busy->lane, w.busy->lane.submitted, deadline);
			object_put(&w.busy->obj);
		}
	} while (w.busy && done);
	return done ? ACL_SUCCESS : npu_err(ACL_ERROR_RT_DEVICE_TASK_ABORT, "tasks of device %d go on", id);
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
	aclError rc;

	if (timeout > MAX_ABORT_MS)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "timeout %u exceeds %u ms", timeout, MAX_ABORT_MS);
	rc = LOCKED(check_set(device_find(deviceId), deviceId));
	if (!rc)
		rc = task_abort_notify(deviceId, ACL_RT_DEVICE_TASK_ABORT_PRE, timeout);
	if (!rc)
		rc = LOCKED(abort_device(deviceId, timeout));
	if (!rc)
		rc = task_abort_notify(deviceId, ACL_RT_DEVICE_TASK_ABORT_POST, timeout);
	return rc;
}

static aclError clean(aclrtStream handle)
{
	struct stream *s;
	aclError rc = stream_named(handle, STREAM_SUBMIT, &s);

	if (rc)
		return rc;
	/* Looked at before the context is. */
	if (!(s->flags & ACL_STREAM_PERSISTENT) || !s->bound || s->bound->state == MODEL_BUILDING ||
		s->bound->running)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR,
			"the stream has no complete model, or one that is running");
	rc = stream_enter(STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	while (s->bound->lanes[s->capture_lane].n)
		op_put(s->bound->lanes[s->capture_lane].ops[--s->bound->lanes[s->capture_lane].n]);
	return ACL_SUCCESS;
}

aclError aclrtPersistentTaskClean(aclrtStream stream)
{
	return LOCKED(clean(stream));
}

static aclError last_task(uint32_t *id)
{
	*id = npu_thread()->last_task_id;
	return ACL_SUCCESS;
}

aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
	return last_task(taskId);
}
