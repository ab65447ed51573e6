/* SPDX-License-Identifier: Apache-2.0 */
/* Models: life and contents. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/graph/model.h"

#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/graph/condition.h"
#include "tools/softnpu/graph/label.h"
#include "tools/softnpu/graph/task_group.h"

#define DESTROY_WAIT_MS 10000

static void model_release(struct object *o)
{
	struct model *m = container_of(o, struct model, obj);

	for (unsigned i = 0; i < m->n_lanes; i++) {
		for (unsigned k = 0; k < m->lanes[i].n; k++)
			op_put(m->lanes[i].ops[k]);
		free(m->lanes[i].ops);
		free(m->lanes[i].sequence);
	}
	free(m->lanes);
	object_put(&m->ctx->obj);
	free(m);
}

struct model *model_new(struct context *ctx, bool captured)
{
	static uint32_t next_id;
	struct model *m = calloc(1, sizeof(*m));

	if (!m || !object_init(&m->obj, OBJ_MODEL, model_release)) {
		free(m);
		return NULL;
	}
	m->ctx = ctx;
	object_get(&ctx->obj);
	m->captured = captured;
	m->state = captured ? MODEL_CAPTURING : MODEL_BUILDING;
	m->id = next_id++;
	list_init(&m->turn);
	list_init(&m->callbacks);
	list_init(&m->conditions);
	list_init(&m->labels);
	list_init(&m->tasks);
	list_init(&m->groups);
	list_add_tail(&ctx->models, &m->link);
	return m;
}

aclError model_find(aclmdlRI handle, struct model **m)
{
	return OBJECT_NAMED(handle, OBJ_MODEL, ACL_ERROR_INVALID_PARAM, "model", m);
}

aclError model_enter(const struct model *m)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc && m->ctx != ctx)
		rc = npu_err(ACL_ERROR_RT_MODEL_CONTEXT, "the model belongs to another context");
	return rc;
}

aclError model_find_here(aclmdlRI handle, struct model **m)
{
	aclError rc = model_find(handle, m);

	return rc ? rc : model_enter(*m);
}

int model_add_lane(struct model *m)
{
	struct model_lane *lanes = realloc(m->lanes, (m->n_lanes + 1) * sizeof(*lanes));

	if (!lanes)
		return -1;
	m->lanes = lanes;
	memset(&lanes[m->n_lanes], 0, sizeof(*lanes));
	lanes[m->n_lanes].head = true;
	return (int)m->n_lanes++;
}

static bool grow(struct model_lane *l)
{
	unsigned capacity = l->capacity ? l->capacity * 2 : 16;
	struct op **ops = realloc(l->ops, capacity * sizeof(*ops));
	uint32_t *sequence = ops ? realloc(l->sequence, capacity * sizeof(*sequence)) : NULL;

	if (ops)
		l->ops = ops;
	if (!sequence)
		return false;
	l->sequence = sequence;
	l->capacity = capacity;
	return true;
}

aclError model_append(struct model *m, unsigned lane, struct op *op)
{
	struct model_lane *l = &m->lanes[lane];

	if (op && l->n == l->capacity && !grow(l)) {
		op_put(op);
		op = NULL;
	}
	if (!op)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	l->sequence[l->n] = m->n_tasks++;
	l->ops[l->n++] = op;
	return ACL_SUCCESS;
}

enum op_step task_step_over(struct op *op, struct lane *lane)
{
	(void)op;
	(void)lane;
	return OP_DONE;
}

static const struct op_type notification_type = {.name = "NOTIFY_RECORD", .step = task_step_over};

aclError model_add_notification(struct model *m)
{
	aclError rc = ACL_SUCCESS;

	if (m->captured && !m->notifies)
		rc = model_append(m, 0, op_new(&notification_type, sizeof(struct op)));
	m->notifies |= !rc;
	return rc;
}

struct op *model_slot(struct model *m, unsigned lane, unsigned index)
{
	return lane < m->n_lanes && index < m->lanes[lane].n ? m->lanes[lane].ops[index] : NULL;
}

void model_replace(struct model *m, unsigned lane, unsigned index, struct op *op)
{
	struct op *old = m->lanes[lane].ops[index];

	m->lanes[lane].ops[index] = op;
	op_put(old);
}

static const struct op_type gap_type = {.name = "GAP", .step = task_step_over};
static const struct op_type nothing_type = {.name = "NOP", .step = task_step_over};

struct op *model_gap_new(void)
{
	return op_new(&gap_type, sizeof(struct op));
}

bool model_is_gap(const struct model_lane *lane, unsigned index)
{
	return lane->ops[index]->type == &gap_type;
}

/* A stream that loses its last task gets one that does nothing. */
void model_drop(struct model *m, unsigned lane, unsigned index, struct op *gap)
{
	const struct model_lane *l = &m->lanes[lane];
	struct op *nothing;
	unsigned i = 0;

	model_replace(m, lane, index, gap);
	while (i < l->n && model_is_gap(l, i))
		i++;
	nothing = i == l->n ? op_new(&nothing_type, sizeof(struct op)) : NULL;
	if (nothing)
		model_replace(m, lane, 0, nothing);
}

void model_kill(struct model *m, struct list *callbacks)
{
	if (!m->obj.alive)
		return;
	while (callbacks && !list_empty(&m->callbacks)) {
		struct list *l = m->callbacks.next;

		list_del(l);
		list_add_tail(callbacks, l);
	}
	for (unsigned i = 0; i < m->n_lanes; i++) {
		struct stream *s = m->lanes[i].stream;

		if (!s)
			continue;
		s->bound = NULL;
		if (m->captured)
			stream_remove(s);
		object_put(&s->obj);
		m->lanes[i].stream = NULL;
	}
	conditions_release_model(m);
	labels_release_model(m);
	model_tasks_release(m);
	task_groups_release(m);
	list_del(&m->link);
	object_kill(&m->obj);
}

void model_run_callbacks(struct list *callbacks)
{
	while (!list_empty(callbacks)) {
		struct model_callback *c = list_first(callbacks, struct model_callback, link);

		list_del(&c->link);
		c->fn(c->data);
		free(c);
	}
}

void models_release_context(struct context *ctx)
{
	while (!list_empty(&ctx->models)) {
		struct model *m = list_first(&ctx->models, struct model, link);
		struct list callbacks;

		list_init(&callbacks);
		object_get(&m->obj);
		model_kill(m, &callbacks);
		npu_unlock();
		model_run_callbacks(&callbacks);
		npu_lock();
		object_put(&m->obj);
	}
}

/* Executions under way keep the model; ten seconds is what the real runtime waits for them. */
static aclError model_end(aclmdlRI handle, struct list *callbacks)
{
	struct model *m;
	uint64_t deadline = npu_deadline_ms(DESTROY_WAIT_MS);
	aclError rc = model_find(handle, &m);

	if (!rc && m->sub)
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the body of a conditional task goes with its model");
	if (!rc)
		rc = model_enter(m);
	if (rc)
		return rc;
	if (m->state == MODEL_CAPTURING)
		return npu_err(ACL_ERROR_RT_MODEL_CAPTURED, "the model is being captured");
	object_get(&m->obj);
	while (m->running && npu_wait(&m->idle, deadline))
		;
	if (m->running)
		rc = npu_err(ACL_ERROR_RT_MODEL_RUNNING, "the model is still running");
	else
		model_kill(m, callbacks);
	object_put(&m->obj);
	return rc;
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
	struct list callbacks;
	aclError rc;

	list_init(&callbacks);
	rc = LOCKED(model_end(modelRI, &callbacks));
	model_run_callbacks(&callbacks);
	return rc;
}

static struct model_callback *find_callback(const struct model *m, aclrtCallback fn)
{
	struct model_callback *c;

	list_for_each(c, &m->callbacks, link) if (c->fn == fn) return c;
	return NULL;
}

static aclError add_callback(aclmdlRI handle, aclrtCallback fn, void *data)
{
	struct model_callback *c;
	struct model *m;
	aclError rc = model_find(handle, &m);

	if (rc)
		return rc;
	if (m->sub)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not for the body of a conditional task");
	if (find_callback(m, fn))
		return npu_answer(MODEL_CALLBACK_AGAIN, "the callback is registered already");
	c = calloc(1, sizeof(*c));
	if (!c)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a callback");
	c->fn = fn;
	c->data = data;
	list_add_tail(&m->callbacks, &c->link);
	return ACL_SUCCESS;
}

aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void *userData)
{
	return LOCKED(add_callback(modelRI, func, userData));
}

static aclError drop_callback(aclmdlRI handle, aclrtCallback fn)
{
	struct model_callback *c;
	struct model *m;
	aclError rc = model_find(handle, &m);

	if (rc)
		return rc;
	c = find_callback(m, fn);
	if (!c)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the callback is not registered");
	list_del(&c->link);
	free(c);
	return ACL_SUCCESS;
}

aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func)
{
	return LOCKED(drop_callback(modelRI, func));
}
