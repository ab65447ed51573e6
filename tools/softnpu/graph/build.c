/* SPDX-License-Identifier: Apache-2.0 */
/* aclmdlRIBuildBegin … BuildEnd, activating and switching streams of a model. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/graph/build.h"

#include "acl/acl_mdl.h"
#include "tools/softnpu/memory/addrmap.h"
#include "tools/softnpu/memory/copy.h"

aclError bound_append(struct stream *s, struct op *op)
{
	if (s->bound->state == MODEL_BUILDING)
		return model_append(s->bound, s->capture_lane, op);
	op_put(op);
	return npu_err(ACL_ERROR_RT_STREAM_MODEL, "the stream is bound to a model that is complete");
}

static aclError build_begin(aclmdlRI *out)
{
	struct context *ctx;
	struct model *m;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	m = model_new(ctx, false);
	if (!m)
		return npu_err(ACL_ERROR_RT_NO_MODEL_RESOURCE, "no memory for a model");
	*out = object_handle(&m->obj);
	return ACL_SUCCESS;
}

aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag)
{
	return LOCKED(build_begin(modelRI));
}

static aclError check_built(const struct model *m)
{
	if (m->captured)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "not for a captured model");
	return ACL_SUCCESS;
}

/* Whether the stream could be bound to any model. */
static aclError check_bindable(const struct stream *s)
{
	if (s == s->ctx->default_stream)
		return npu_answer(MODEL_BIND_NULL_STREAM, "stream is NULL");
	if (s->flags & ACL_STREAM_DEVICE_USE_ONLY)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "not for a stream of the device");
	if (s->failure_mode == ACL_STOP_ON_FAILURE || s->flags & ACL_STREAM_FAST_LAUNCH)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not for a stream with these properties");
	if (!(s->flags & (ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE)))
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "only streams with ACL_STREAM_PERSISTENT can be bound");
	return ACL_SUCCESS;
}

static aclError check_bind(const struct model *m, const struct stream *s)
{
	aclError rc = check_built(m);

	if (!rc)
		rc = stream_not_capturing(s);
	if (!rc)
		rc = check_bindable(s);
	return rc ? rc : model_enter(m);
}

static aclError bind(aclmdlRI model, aclrtStream stream, uint32_t flag)
{
	struct stream *s;
	struct model *m;
	int lane;
	aclError rc = model_find(model, &m);

	if (!rc)
		rc = stream_named(stream, STREAM_SUBMIT, &s);
	if (!rc)
		rc = stream_default(&s);
	if (!rc)
		rc = check_bind(m, s);
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (!rc && s->bound)
		rc = npu_err(ACL_ERROR_RT_STREAM_MODEL, "the stream is bound already");
	if (rc)
		return rc;
	lane = model_add_lane(m);
	if (lane < 0)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a model");
	m->lanes[lane].stream = s;
	m->lanes[lane].head = flag == ACL_MODEL_STREAM_FLAG_HEAD;
	object_get(&s->obj);
	s->bound = m;
	s->capture_lane = (unsigned)lane;
	return ACL_SUCCESS;
}

aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag)
{
	return LOCKED(bind(modelRI, stream, flag));
}

/* What is done to a stream of a model that is built, in the model's context. */
static aclError enter_built(const struct model *m, const struct stream *s)
{
	aclError rc = check_built(m);

	if (!rc)
		rc = stream_not_capturing(s);
	return rc ? rc : model_enter(m);
}

static aclError unbind(aclmdlRI model, aclrtStream stream)
{
	struct stream *s;
	struct model *m;
	aclError rc = model_find(model, &m);

	if (!rc)
		rc = stream_named(stream, STREAM_SUBMIT, &s);
	if (!rc)
		rc = stream_default(&s);
	if (!rc)
		rc = enter_built(m, s);
	if (!rc && (s->bound != m || m->running))
		rc = npu_err(ACL_ERROR_RT_STREAM_MODEL, "the stream is not bound, or the model is running");
	if (rc)
		return rc;
	s->bound = NULL;
	m->lanes[s->capture_lane].stream = NULL;
	m->lanes[s->capture_lane].unbound = true;
	object_put(&s->obj);
	return ACL_SUCCESS;
}

aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream)
{
	return LOCKED(unbind(modelRI, stream));
}

static aclError end_task(aclmdlRI model, aclrtStream stream)
{
	struct stream *s;
	struct model *m;
	aclError rc = model_find(model, &m);

	if (!rc)
		rc = stream_named(stream, STREAM_SUBMIT, &s);
	if (!rc)
		rc = stream_default(&s);
	if (!rc)
		rc = check_built(m);
	if (!rc)
		rc = stream_not_capturing(s);
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (!rc)
		rc = model_enter(m);
	if (!rc && s->bound != m)
		rc = npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the stream is not bound to the model");
	if (!rc)
		m->lanes[s->capture_lane].ended = true;
	return rc;
}

aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream)
{
	return LOCKED(end_task(modelRI, stream));
}

static aclError build_end(aclmdlRI model)
{
	struct model *m;
	bool bound = false, ended = false;
	aclError rc = model_find(model, &m);

	if (!rc)
		rc = check_built(m);
	if (!rc)
		rc = model_enter(m);
	/* The second end is accepted. */
	if (rc || m->state != MODEL_BUILDING)
		return rc;
	for (unsigned i = 0; i < m->n_lanes; i++) {
		bound |= m->lanes[i].stream != NULL;
		ended |= m->lanes[i].ended;
	}
	if (!bound)
		return npu_err(ACL_ERROR_RT_STREAM_MODEL, "no stream is bound");
	if (!ended)
		return npu_err(ACL_ERROR_RT_MODEL_EXECUTE, "aclmdlRIEndTask is missing");
	m->state = MODEL_READY;
	return ACL_SUCCESS;
}

aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve)
{
	return LOCKED(build_end(modelRI));
}

/* --- streams that start others -------------------------------------------- */

struct activate_op {
	struct op op;
	unsigned lane; /* that begins */
	const void *left, *right; /* aclrtSwitchStream: compare first */
	aclrtCondition cond;
	aclrtCompareDataType type;
	bool elsewhere; /* the stream is bound to another model: accepted, and nothing starts */
};

static bool holds(const struct activate_op *a)
{
	int64_t left = 0, right = 0;
	size_t size = a->type == ACL_RT_SWITCH_INT64 ? 8 : 4;
	struct place l = place_of(a->left), r = place_of(a->right);

	bytes_move((char *)&left, true, l.host, l.safe, size);
	bytes_move((char *)&right, true, r.host, r.safe, size);
	if (size == 4) {
		left = (int32_t)left;
		right = (int32_t)right;
	}
	switch (a->cond) {
	case ACL_RT_EQUAL:
		return left == right;
	case ACL_RT_NOT_EQUAL:
		return left != right;
	case ACL_RT_GREATER:
		return left > right;
	case ACL_RT_GREATER_OR_EQUAL:
		return left >= right;
	case ACL_RT_LESS:
		return left < right;
	default:
		return left <= right;
	}
}

static enum op_step activate_step(struct op *op, struct lane *lane)
{
	const struct activate_op *a = container_of(op, struct activate_op, op);

	if (lane_instance(lane) && !a->elsewhere && (!a->left || holds(a)))
		instance_activate(lane_instance(lane), a->lane);
	return OP_DONE;
}

static void activate_describe(const struct op *op, char *text, size_t size)
{
	snprintf(text, size, "\"starts_stream\": %u", container_of(op, struct activate_op, op)->lane);
}

static const struct op_type activate_type = {
	.name = "STREAM_ACTIVE",
	.step = activate_step,
	.describe = activate_describe,
};

/* Comparing comes after a look at the streams, starting at once after a look for a context. */
static aclError enter_both(const struct activate_op *what, struct stream *s, const struct stream *target)
{
	struct context *ctx;
	aclError rc = what->left ? ACL_SUCCESS : context_need(&ctx);

	if (!rc && (!s->bound || !target->bound))
		rc = npu_err(ACL_ERROR_RT_STREAM_MODEL, "a stream is not bound to a model");
	return rc ? rc : stream_enter(STREAM_SUBMIT, &s);
}

static aclError activate(const struct activate_op *what, aclrtStream active, aclrtStream stream)
{
	struct activate_op *a;
	struct stream *s, *target;
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = stream_named(active, STREAM_SUBMIT, &target);
	if (!rc)
		rc = enter_both(what, s, target);
	if (rc)
		return rc;
	a = op_new(&activate_type, sizeof(*a));
	if (!a)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	a->lane = target->capture_lane;
	a->elsewhere = target->bound != s->bound;
	a->left = what->left;
	a->right = what->right;
	a->cond = what->cond;
	a->type = what->type;
	return stream_submit(s, &a->op);
}

aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream)
{
	struct activate_op none = {.left = NULL};

	return LOCKED(activate(&none, activeStream, stream));
}

aclError aclrtSwitchStream(void *leftValue, aclrtCondition cond, void *rightValue,
	aclrtCompareDataType dataType, aclrtStream trueStream, aclrtStream falseStream, aclrtStream stream)
{
	struct activate_op what = {.left = leftValue, .right = rightValue, .cond = cond, .type = dataType};

	return LOCKED(activate(&what, trueStream, stream));
}
