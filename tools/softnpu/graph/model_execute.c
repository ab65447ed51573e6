/* SPDX-License-Identifier: Apache-2.0 */
/* aclmdlRIExecuteAsync, aclmdlRIExecute, aclmdlRIAbort. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/graph/model.h"

#define NOT_FOR_EXECUTION (ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY)

static aclError check_ready(const struct model *m)
{
	aclError rc = model_enter(m);

	if (rc)
		return rc;
	if (m->state == MODEL_CAPTURING)
		return npu_err(ACL_ERROR_RT_MODEL_CAPTURED, "the model is being captured");
	if (m->state != MODEL_READY)
		return npu_err(
			ACL_ERROR_RT_MODEL_EXECUTE, "the model is not complete, or aclmdlRIUpdate is due");
	return ACL_SUCCESS;
}

static aclError check_sub(const struct model *m)
{
	if (m->sub)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the body of a conditional task runs with its model");
	return ACL_SUCCESS;
}

/* NULL is looked at later. */
static aclError check_stream(const struct stream *s)
{
	aclError rc = ACL_SUCCESS;

	if (s && s->bound)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the stream is bound to a model");
	if (!rc)
		rc = stream_not_capturing(s);
	if (!rc && s && s->flags & NOT_FOR_EXECUTION)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "models cannot be executed on this stream");
	return rc;
}

static aclError execute_async(aclmdlRI model, aclrtStream stream)
{
	struct model *m;
	struct stream *s;
	aclError rc = model_find(model, &m);

	if (!rc)
		rc = stream_named(stream, STREAM_SUBMIT, &s);
	if (!rc)
		rc = check_stream(s);
	if (!rc)
		rc = check_sub(m);
	if (!rc)
		rc = check_ready(m);
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (!rc)
		rc = model_add_notification(m);
	return rc ? rc : stream_submit(s, model_execute_op(m));
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
	return LOCKED(execute_async(modelRI, stream));
}

/* Executes on the context's default stream, behind what is there already, and waits for that stream. */
static aclError execute(aclmdlRI model, int32_t timeout)
{
	struct model *m;
	aclError rc = model_find(model, &m);

	if (rc)
		return rc;
	if (m->captured)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "ACL Graph mode is not supported");
	rc = check_ready(m);
	if (rc)
		return rc;
	rc = stream_submit(m->ctx->default_stream, model_execute_op(m));
	return rc ? rc : stream_wait(m->ctx->default_stream, npu_deadline_ms(timeout));
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
	return LOCKED(execute(modelRI, timeout));
}

static aclError abort_model(aclmdlRI model)
{
	struct model *m;
	aclError rc = model_find(model, &m);

	if (!rc)
		rc = check_sub(m);
	if (!rc)
		rc = model_enter(m);
	if (!rc && m->active)
		instance_cancel(m->active, ACL_ERROR_RT_MODEL_ABORT_NORMAL);
	return rc;
}

aclError aclmdlRIAbort(aclmdlRI modelRI)
{
	return LOCKED(abort_model(modelRI));
}
