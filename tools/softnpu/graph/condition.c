/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional tasks: a value in device memory decides which bodies run. */
#include "tools/softnpu/graph/condition.h"

#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/memory/memory.h"

struct condition {
	struct object obj;
	struct list link; /* of its model */
	struct model *model;
	uint64_t initial;
	bool assign; /* take the initial value at each execution */
	char *value; /* the word in device memory, as the program knows it */
	uint64_t *word; /* the same as we reach it */
	bool used;
	aclmdlRICondTaskType type;
	unsigned n;
	struct model **bodies;
};

static void condition_release(struct object *o)
{
	struct condition *c = container_of(o, struct condition, obj);

	free(c->bodies);
	free(c);
}

void conditions_release_model(struct model *m)
{
	while (!list_empty(&m->conditions)) {
		struct condition *c = list_first(&m->conditions, struct condition, link);

		list_del(&c->link);
		for (unsigned i = 0; i < c->n; i++)
			model_kill(c->bodies[i], NULL);
		if (block_at(c->value))
			memory_delete(block_at(c->value));
		c->value = NULL;
		object_kill(&c->obj);
	}
}

void conditions_begin(struct model *m)
{
	struct condition *c;

	list_for_each(c, &m->conditions, link) if (c->assign)
		__atomic_store_n(c->word, c->initial, __ATOMIC_SEQ_CST);
}

bool conditions_complete(const struct model *m)
{
	struct condition *c;

	list_for_each(c, &m->conditions, link)
	{
		for (unsigned i = 0; i < c->n; i++)
			if (!c->bodies[i]->filled || !conditions_complete(c->bodies[i]))
				return false;
	}
	return true;
}

static aclError condition_create(
	aclmdlRI model, uint32_t initial, aclmdlRICondHandleFlag flag, aclmdlRICondHandle *out)
{
	struct condition *c;
	struct block *b;
	struct model *m;
	aclError rc = model_find(model, &m);

	if (!rc && !m->captured)
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "only for captured models");
	if (!rc && !capture_is_valid(m))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the model is not being captured");
	if (!rc)
		rc = model_enter(m);
	if (rc)
		return rc;
	c = calloc(1, sizeof(*c));
	if (!c || !object_init(&c->obj, OBJ_COND, condition_release)) {
		free(c);
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a condition");
	}
	c->model = m;
	c->initial = initial;
	c->assign = flag == ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT;
	b = memory_new(BLOCK_DEVICE, m->ctx->dev, 64, sizeof(uint64_t), ARENA_GRAIN);
	if (!b) {
		object_kill(&c->obj);
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no device memory for a condition");
	}
	c->value = b->addr;
	c->word = (uint64_t *)b->shadow;
	*c->word = 0;
	list_add_tail(&m->conditions, &c->link);
	*out = object_handle(&c->obj);
	return ACL_SUCCESS;
}

aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue, aclmdlRICondHandleFlag flag,
	aclmdlRICondHandle *handle)
{
	return LOCKED(condition_create(modelRI, defaultLaunchValue, flag, handle));
}

static aclError condition_find(aclmdlRICondHandle handle, struct condition **c)
{
	struct object *o = object_find(handle, OBJ_COND);

	if (!o)
		return npu_err(ACL_ERROR_RT_INVALID_HANDLE, "%p is not a condition", handle);
	*c = container_of(o, struct condition, obj);
	return ACL_SUCCESS;
}

static aclError get_pointer(aclmdlRICondHandle handle, uint64_t **ptr)
{
	struct condition *c;
	struct context *ctx;
	aclError rc = condition_find(handle, &c);

	if (!rc)
		rc = context_need(&ctx);
	if (!rc)
		*ptr = (uint64_t *)c->value;
	return rc;
}

aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **ptr)
{
	return LOCKED(get_pointer(handle, ptr));
}

/* --- the task ------------------------------------------------------------ */

struct cond_op {
	struct op op;
	struct condition *cond;
};

/* The body that runs now, NULL when none (more). */
static struct model *choose(const struct condition *c)
{
	uint64_t value = __atomic_load_n(c->word, __ATOMIC_SEQ_CST);

	switch (c->type) {
	case ACL_MODEL_RI_COND_TYPE_WHILE:
		return value ? c->bodies[0] : NULL;
	case ACL_MODEL_RI_COND_TYPE_IF:
		return value ? c->bodies[0] : c->n == 2 ? c->bodies[1] : NULL;
	default:
		return value < c->n ? c->bodies[value] : NULL;
	}
}

static enum op_step cond_step(struct op *op, struct lane *lane)
{
	const struct condition *c = container_of(op, struct cond_op, op)->cond;
	struct instance *inst = lane->op_state;
	struct model *body;
	bool at_once = false;

	for (;;) {
		if (!inst) {
			body = c->value ? choose(c) : NULL;
			if (!body || lane->cancelled)
				return OP_DONE;
			lane->result = instance_start(body, lane, &inst);
			if (lane->result)
				return OP_DONE;
			lane->op_state = inst;
			at_once = true;
		}
		if (lane->cancelled)
			instance_cancel(inst, ACL_ERROR_RT_MODEL_EXECUTE);
		if (!instance_over(inst, &lane->result))
			return instance_park(inst, lane);
		inst = lane->op_state = NULL;
		if (lane->result || c->type != ACL_MODEL_RI_COND_TYPE_WHILE)
			return OP_DONE;
		/* Of a body without tasks others must come in between: only they can change the value. */
		if (at_once)
			return lane_park_until(lane, NULL, 0);
	}
}

static void cond_release(struct op *op)
{
	struct condition *c = container_of(op, struct cond_op, op)->cond;

	for (unsigned i = 0; i < c->n; i++)
		object_put(&c->bodies[i]->obj);
	object_put(&c->obj);
}

static void cond_describe(const struct op *op, char *text, size_t size)
{
	static const char *const kinds[] = {"IF", "WHILE", "SWITCH"};
	const struct condition *c = container_of(op, struct cond_op, op)->cond;

	snprintf(text, size, "\"kind\": \"%s\", \"bodies\": %u", kinds[c->type], c->n);
}

static const struct op_type cond_type = {
	.name = "CONDITION",
	.step = cond_step,
	.release = cond_release,
	.describe = cond_describe,
};

static bool size_fits(aclmdlRICondTaskType type, uint32_t size)
{
	switch (type) {
	case ACL_MODEL_RI_COND_TYPE_IF:
		return size == 1 || size == 2;
	case ACL_MODEL_RI_COND_TYPE_WHILE:
		return size == 1;
	case ACL_MODEL_RI_COND_TYPE_SWITCH:
		return size > 0;
	default:
		return false;
	}
}

static bool make_bodies(struct condition *c, const aclmdlRICondTaskParams *params)
{
	c->bodies = calloc(params->size, sizeof(*c->bodies));
	while (c->bodies && c->n < params->size) {
		struct model *body = model_new(c->model->ctx, true);

		if (!body)
			return false;
		body->sub = true;
		body->state = MODEL_READY; /* until its capture begins */
		list_del(&body->link); /* goes with its condition, not with the context */
		object_get(&body->obj);
		c->bodies[c->n++] = body;
		params->modelRIArray[c->n - 1] = object_handle(&body->obj);
	}
	return c->bodies != NULL;
}

/* Of a task that was not captured; it has given up its own references. */
static void drop_bodies(struct condition *c, const aclmdlRICondTaskParams *params)
{
	for (unsigned i = 0; i < c->n; i++)
		model_kill(c->bodies[i], NULL);
	free(c->bodies);
	c->bodies = NULL;
	c->n = 0;
	c->used = false;
	memset(params->modelRIArray, 0, params->size * sizeof(*params->modelRIArray));
}

static aclError submit(struct stream *s, struct cond_op *op, const aclmdlRICondTaskParams *params)
{
	struct condition *c = op->cond;
	aclError rc;

	if (!make_bodies(c, params)) {
		rc = npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for %u bodies", params->size);
		op_put(&op->op);
	} else {
		rc = stream_submit(s, &op->op);
	}
	if (rc)
		drop_bodies(c, params);
	return rc;
}

static aclError add_task(const aclmdlRICondTaskParams *params, aclrtStream stream)
{
	struct condition *c;
	struct cond_op *op;
	struct stream *s;
	aclError rc = condition_find(params->handle, &c);

	if (!rc)
		rc = stream_named(stream, STREAM_SUBMIT, &s);
	if (!rc && c->used)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the handle is used already");
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	if (!s->capture)
		return npu_err(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not capturing");
	if (c->model != s->capture->model)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the handle is of another model");
	if (!size_fits(params->type, params->size))
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "kind %d with %u bodies", params->type, params->size);
	op = op_new(&cond_type, sizeof(*op));
	if (!op)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	op->cond = c;
	object_get(&c->obj);
	c->used = true;
	c->type = params->type;
	return submit(s, op, params);
}

aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags)
{
	return LOCKED(add_task(&params, stream));
}
