/* SPDX-License-Identifier: Apache-2.0 */
/* What a program adds to tasks it has submitted: operator information, profiling marks, new arguments. */
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/kernel/kernel.h"

#define OP_INFO_MAX 65536u
#define PROF_TRACE_MAX 18

/* The stream of the thread's last task is of the current context. */
static aclError find_last(const struct thread_state *t)
{
	struct object *last;
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	last = object_find(t->last_stream, OBJ_STREAM);
	if (last && container_of(last, struct stream, obj)->ctx != ctx)
		return npu_err(ACL_ERROR_RT_STREAM_CONTEXT, "the last task is of another context");
	return ACL_SUCCESS;
}

/* For a profiler, and what aclmdlRITaskGetParams answers. */
static aclError cache_info(const struct thread_state *t, const void *info, size_t size)
{
	struct object *o = object_find(t->last_model, OBJ_MODEL);

	return o ? model_task_describe(
			   container_of(o, struct model, obj), t->last_lane, t->last_index, info, size)
		 : ACL_SUCCESS;
}

aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr, const size_t infoSize)
{
	const struct thread_state *t = npu_thread();
	aclError rc;

	if (infoSize > OP_INFO_MAX)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "infoSize is above %u", OP_INFO_MAX);
	rc = LOCKED(find_last(t));
	if (!rc && (!t->last_captured || !t->last_cached))
		rc = npu_err(ACL_ERROR_RT_INTERNAL_ERROR,
			"the last task was not captured, or ACL_STREAM_ATTR_CACHE_OP_INFO is off");
	return rc ? rc : LOCKED(cache_info(t, infoPtr, infoSize));
}

aclError aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr, const size_t infoSize)
{
	const struct thread_state *t = npu_thread();
	aclError rc = LOCKED(find_last(t));

	if (!rc && !t->last_captured && !t->last_built)
		rc = npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the last task is of no model");
	return rc;
}

static enum op_step task_info_nothing_step(struct op *op, struct lane *lane)
{
	(void)op;
	(void)lane;
	return OP_DONE;
}

static const struct op_type trace_type = {.name = "PROFILER_TRACE", .step = task_info_nothing_step};

static aclError submit_trace(aclrtStream stream)
{
	struct stream *s;
	aclError rc = stream_find(stream, STREAM_SUBMIT, &s);

	return rc ? rc : stream_submit(s, op_new(&trace_type, sizeof(struct op)));
}

aclError aclrtProfTrace(void *userdata, int32_t length, aclrtStream stream)
{
	if (!userdata || length <= 0 || length > PROF_TRACE_MAX)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "userdata is NULL, or length not within 1 and %d",
			PROF_TRACE_MAX);
	return LOCKED(submit_trace(stream));
}

static bool draws_random_numbers(const struct stream *s, uint32_t task)
{
	const struct model_lane *lane = &s->bound->lanes[s->capture_lane];

	return task < lane->n && random_is(lane->ops[task]);
}

/* The stream that updates is looked at first, its context last; that of the task may be of any context. */
static aclError find_updating(struct stream **s)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc && !*s)
		*s = ctx->default_stream;
	if (!rc && (*s)->bound)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "execStream is bound to a model");
	if (!rc)
		rc = stream_not_capturing(*s);
	return rc ? rc : stream_enter(STREAM_SUBMIT, s);
}

/* What there is to replace are binaries' addresses; kernels here have none. */
static aclError task_update(
	aclrtUpdateTaskAttrId id, aclrtStream task_stream, uint32_t task, aclrtStream exec_stream)
{
	struct stream *s, *exec;
	aclError rc = stream_named(task_stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = stream_named(exec_stream, STREAM_SUBMIT, &exec);
	if (!rc)
		rc = find_updating(&exec);
	if (rc)
		return rc;
	if (!s->bound)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "taskStream is bound to no model");
	if (id == ACL_RT_UPDATE_RANDOM_TASK && !draws_random_numbers(s, task))
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "task %u of taskStream draws no random numbers", task);
	return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "no task can be updated");
}

aclError aclrtTaskUpdateAsync(
	aclrtStream taskStream, uint32_t taskId, aclrtTaskUpdateInfo *info, aclrtStream execStream)
{
	return LOCKED(task_update(info->id, taskStream, taskId, execStream));
}
