/* SPDX-License-Identifier: Apache-2.0 */
/* What a program adds to tasks it has submitted: operator information, profiling marks, new arguments. */
#include "tools/softnpu/graph/capture.h"

#define OP_INFO_MAX 65536u
#define PROF_TRACE_MAX 18

/* The information itself is for a profiler: it is not queried here. */
aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr, const size_t infoSize)
{
	const struct thread_state *t = npu_thread();

	if (!infoSize || infoSize > OP_INFO_MAX)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "infoSize is not within 1 and %u", OP_INFO_MAX);
	if (!t->last_captured || !t->last_cached)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR,
			"the last task was not captured, or ACL_STREAM_ATTR_CACHE_OP_INFO is off");
	return ACL_SUCCESS;
}

aclError aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr, const size_t infoSize)
{
	const struct thread_state *t = npu_thread();

	if (!t->last_captured && !t->last_built)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the last task is of no model");
	return ACL_SUCCESS;
}

static enum op_step nothing_step(struct op *op, struct lane *lane)
{
	(void)op;
	(void)lane;
	return OP_DONE;
}

static const struct op_type trace_type = {.name = "PROFILER_TRACE", .step = nothing_step};

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

/* What there is to replace are binaries' addresses; kernels here have none. */
static aclError task_update(aclrtStream task_stream, aclrtStream exec_stream)
{
	struct stream *s, *exec;
	aclError rc = stream_find(task_stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = stream_find(exec_stream, STREAM_SUBMIT, &exec);
	if (rc)
		return rc;
	if (!s->bound)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "taskStream is bound to no model");
	if (exec->capture)
		return npu_err(ACL_ERROR_RT_STREAM_CAPTURED, "execStream is capturing");
	if (exec->bound)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "execStream is bound to a model");
	return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "no task can be updated");
}

aclError aclrtTaskUpdateAsync(
	aclrtStream taskStream, uint32_t taskId, aclrtTaskUpdateInfo *info, aclrtStream execStream)
{
	(void)taskId;
	return LOCKED(task_update(taskStream, execStream));
}
