/* SPDX-License-Identifier: Apache-2.0 */
/* What a stream is asked for and told: attributes, failure mode, overflow check, abort. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/core/state_callback.h"
#include "tools/softnpu/sync/stream.h"

#define PRIORITY_LOWEST 7u
#define MAX_ABORT_MS (36 * 60 * 1000u)

enum what { GET_ID, GET_FLAGS, GET_PRIORITY };

static aclError get(aclrtStream handle, enum what what, uint32_t *value)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_QUERY, &s);

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
		*leastPriority = (int32_t)PRIORITY_LOWEST;
	if (greatestPriority)
		*greatestPriority = 0;
	return ACL_SUCCESS;
}

static aclError available(uint32_t *count)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc)
		*count = (uint32_t)CFG(streams) - ctx->dev->streams;
	return rc;
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
	return LOCKED(available(streamCount));
}

static aclError set_failure_mode(struct stream *s, uint64_t mode)
{
	if (mode > ACL_STOP_ON_FAILURE)
		return npu_answer(
			STREAM_FAILURE_MODE_UNKNOWN, "unknown failure mode %llu", (unsigned long long)mode);
	if (s->bound || (s->failure_mode == ACL_STOP_ON_FAILURE && mode == ACL_CONTINUE_ON_FAILURE))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the failure mode cannot be taken back");
	s->failure_mode = mode;
	return ACL_SUCCESS;
}

static aclError set_overflow(struct stream *s, uint32_t on)
{
	if (s->capture)
		return npu_err(ACL_ERROR_RT_STREAM_CAPTURED, "the stream is capturing");
	s->overflow_switch = on;
	return ACL_SUCCESS;
}

static aclError failure_mode(aclrtStream handle, uint64_t mode)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_QUERY, &s);

	return rc ? rc : set_failure_mode(s, mode);
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
	return LOCKED(failure_mode(stream, mode));
}

static aclError overflow_switch(aclrtStream handle, uint32_t on)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_SUBMIT, &s);

	return rc ? rc : set_overflow(s, on);
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
	return LOCKED(overflow_switch(stream, flag));
}

static aclError get_overflow(aclrtStream handle, uint32_t *flag)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_SUBMIT, &s);

	if (!rc)
		*flag = s->overflow_switch;
	return rc;
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
	return LOCKED(get_overflow(stream, flag));
}

static aclError set_tag(struct stream *s, uint32_t tag)
{
	if (s->capture)
		return npu_err(ACL_ERROR_RT_STREAM_CAPTURED, "the stream is capturing");
	s->tag = tag;
	return ACL_SUCCESS;
}

static aclError set_attribute(aclrtStream handle, aclrtStreamAttr attr, const aclrtStreamAttrValue *value)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_QUERY, &s);

	if (rc)
		return rc;
	switch (attr) {
	case ACL_STREAM_ATTR_FAILURE_MODE:
		return set_failure_mode(s, value->failureMode);
	case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
		if (value->overflowSwitch > 1)
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the switch is not 0 or 1");
		return set_overflow(s, value->overflowSwitch);
	case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
		return set_tag(s, value->userCustomTag);
	case ACL_STREAM_ATTR_CACHE_OP_INFO:
		if (value->cacheOpInfoSwitch > 1)
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the switch is not 0 or 1");
		s->cache_op_info = value->cacheOpInfoSwitch;
		return ACL_SUCCESS;
	default:
		s->priority =
			value->streamPriority > PRIORITY_LOWEST ? PRIORITY_LOWEST : value->streamPriority;
		return ACL_SUCCESS;
	}
}

static aclError check_attribute(aclrtStreamAttr attr)
{
	if (attr < ACL_STREAM_ATTR_FAILURE_MODE || attr > ACL_STREAM_ATTR_PRIORITY)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown attribute %d", attr);
	return ACL_SUCCESS;
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
	aclError rc = check_attribute(stmAttrType);

	return rc ? rc : LOCKED(set_attribute(stream, stmAttrType, value));
}

static aclError get_attribute(aclrtStream handle, aclrtStreamAttr attr, aclrtStreamAttrValue *value)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_QUERY, &s);

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
		value->cacheOpInfoSwitch = s->cache_op_info;
		break;
	default:
		value->streamPriority = s->priority;
		break;
	}
	return ACL_SUCCESS;
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
	aclError rc = check_attribute(stmAttrType);

	return rc ? rc : LOCKED(get_attribute(stream, stmAttrType, value));
}

/* --- overflow status: nothing ever overflows here ------------------------------ */

static aclError clear_status(aclrtStream handle)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_SUBMIT, &s);

	if (!rc && s->capture)
		rc = npu_err(ACL_ERROR_RT_STREAM_CAPTURED, "the stream is capturing");
	return rc;
}

aclError aclrtResetOverflowStatus(aclrtStream stream)
{
	return LOCKED(clear_status(stream));
}

aclError aclrtResetFloatOverflowStatus(aclrtStream stream)
{
	return LOCKED(clear_status(stream));
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream)
{
	(void)checkMode;
	return LOCKED(clear_status(stream));
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

static aclError abort_stream(aclrtStream handle)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_SUBMIT, &s);

	if (rc)
		return rc;
	if (s->bound)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the stream is bound to a model");
	object_get(&s->obj);
	lane_cancel(&s->lane);
	lane_wait(&s->lane, s->lane.submitted, 0);
	s->error = ACL_SUCCESS;
	object_put(&s->obj);
	return ACL_SUCCESS;
}

aclError aclrtStreamAbort(aclrtStream stream)
{
	return LOCKED(abort_stream(stream));
}

aclError aclrtStreamStop(aclrtStream stream)
{
	return LOCKED(abort_stream(stream));
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

	if (s->ctx->dev == w->dev && !lane_done(&s->lane, s->lane.submitted))
		w->busy = s;
}

static aclError abort_device(int32_t id, uint32_t timeout)
{
	struct abort_wait w = {.dev = device_find(id)};
	uint64_t deadline = timeout ? npu_deadline_ms(timeout) : 0;
	bool done = true;

	if (!w.dev)
		return ACL_ERROR_RT_INVALID_DEVICEID;
	if (!w.dev->primary && !w.dev->contexts)
		return npu_err(ACL_ERROR_RT_CONTEXT_NULL, "device %d is not set", id);
	objects_each(OBJ_STREAM, abort_if_on, w.dev);
	do {
		w.busy = NULL;
		objects_each(OBJ_STREAM, find_busy, &w);
		if (w.busy) {
			object_get(&w.busy->obj);
			done = lane_wait(&w.busy->lane, w.busy->lane.submitted, deadline);
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
	task_abort_notify(deviceId, ACL_RT_DEVICE_TASK_ABORT_PRE, timeout);
	rc = LOCKED(abort_device(deviceId, timeout));
	task_abort_notify(deviceId, ACL_RT_DEVICE_TASK_ABORT_POST, timeout);
	return rc;
}

static aclError clean(aclrtStream handle)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_SUBMIT, &s);

	if (rc)
		return rc;
	if (!(s->flags & ACL_STREAM_PERSISTENT) || !s->bound || s->bound->state == MODEL_BUILDING)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the stream has no complete model");
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
