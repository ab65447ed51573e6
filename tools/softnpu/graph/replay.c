/* SPDX-License-Identifier: Apache-2.0 */
/* Executing a model: one lane for each of its streams, waits between them, turns. */
#include <stdlib.h>

#include "tools/softnpu/graph/condition.h"
#include "tools/softnpu/graph/model.h"
#include "tools/softnpu/sync/event.h"

struct edge {
	bool done;
	struct list waiters;
};

struct replay_lane {
	struct lane lane;
	struct instance *inst;
	bool started;
};

/* One execution of a model. */
struct instance {
	struct model *model;
	unsigned remaining; /* lanes that have work left */
	aclError error;
	bool cancelled;
	struct list finished; /* the lane that waits for the end */
	struct edge *edges;
	unsigned n_lanes; /* the model may get more meanwhile */
	struct replay_lane lanes[];
};

static void lane_busy(struct lane *lane)
{
	container_of(lane, struct replay_lane, lane)->inst->remaining++;
}

static void lane_idle(struct lane *lane)
{
	struct instance *inst = container_of(lane, struct replay_lane, lane)->inst;

	if (--inst->remaining == 0)
		lanes_wake(&inst->finished);
}

/* A failed task ends the whole execution: the waits on it would never end. */
static bool lane_failed(struct lane *lane, struct op *op, aclError code)
{
	struct instance *inst = container_of(lane, struct replay_lane, lane)->inst;

	npu_log("model %u: %s failed with %d", inst->model->id, op->type->name, code);
	instance_cancel(inst, code);
	return true;
}

static const struct lane_type replay_lane = {lane_busy, lane_idle, lane_failed};

struct instance *lane_instance(struct lane *lane)
{
	return lane->type == &replay_lane ? container_of(lane, struct replay_lane, lane)->inst : NULL;
}

struct model *instance_model(struct instance *inst)
{
	return inst->model;
}

void instance_cancel(struct instance *inst, aclError code)
{
	if (inst->cancelled)
		return;
	inst->cancelled = true;
	if (!inst->error)
		inst->error = code;
	for (unsigned i = 0; i < inst->n_lanes; i++)
		lane_cancel(&inst->lanes[i].lane);
}

void instance_activate(struct instance *inst, unsigned lane)
{
	const struct model_lane *l = &inst->model->lanes[lane];

	if (inst->lanes[lane].started || !l->n || l->unbound || inst->cancelled)
		return;
	inst->lanes[lane].started = true;
	lane_start(&inst->lanes[lane].lane, l->ops, l->n);
}

void lane_jump(struct lane *lane, unsigned index)
{
	lane->pc = index - 1; /* the scheduler goes on to the next */
}

aclError instance_start(struct model *m, struct lane *parent, struct instance **out)
{
	struct instance *inst = calloc(1, sizeof(*inst) + m->n_lanes * sizeof(inst->lanes[0]));

	if (inst && m->edges && !(inst->edges = calloc(m->edges, sizeof(*inst->edges)))) {
		free(inst);
		inst = NULL;
	}
	if (!inst)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	inst->model = m;
	inst->n_lanes = m->n_lanes;
	object_get(&m->obj);
	list_init(&inst->finished);
	for (unsigned i = 0; i < m->edges; i++)
		list_init(&inst->edges[i].waiters);
	for (unsigned i = 0; i < m->n_lanes; i++) {
		lane_init(&inst->lanes[i].lane, &replay_lane, parent->device);
		inst->lanes[i].inst = inst;
	}
	conditions_begin(m);
	for (unsigned i = 0; i < m->n_lanes; i++)
		if (m->lanes[i].head)
			instance_activate(inst, i);
	*out = inst;
	return ACL_SUCCESS;
}

bool instance_over(struct instance *inst, aclError *rc)
{
	if (inst->remaining)
		return false;
	*rc = inst->error;
	object_put(&inst->model->obj);
	free(inst->edges);
	free(inst);
	return true;
}

enum op_step instance_park(struct instance *inst, struct lane *parent)
{
	return lane_park(parent, &inst->finished, 0);
}

/* --- waits between the lanes of a model ---------------------------------- */

struct edge_op {
	struct op op;
	unsigned edge;
	struct event *ev; /* which the program named: for who asks */
};

static void edge_release(struct op *op)
{
	object_put(&container_of(op, struct edge_op, op)->ev->obj);
}

static struct edge *edge_of(struct op *op, struct lane *lane)
{
	return &lane_instance(lane)->edges[container_of(op, struct edge_op, op)->edge];
}

static enum op_step edge_record_step(struct op *op, struct lane *lane)
{
	struct edge *e = edge_of(op, lane);

	e->done = true;
	lanes_wake(&e->waiters);
	return OP_DONE;
}

static enum op_step edge_wait_step(struct op *op, struct lane *lane)
{
	struct edge *e = edge_of(op, lane);

	return e->done ? OP_DONE : lane_park(lane, &e->waiters, 0);
}

static void edge_describe(const struct op *op, char *text, size_t size)
{
	snprintf(text, size, "\"edge\": %u", container_of(op, struct edge_op, op)->edge);
}

static const struct op_type edge_record_type = {
	.name = "EVENT_RECORD",
	.step = edge_record_step,
	.release = edge_release,
	.describe = edge_describe,
	.task_type = ACL_MODEL_RI_TASK_EVENT_RECORD,
};
static const struct op_type edge_wait_type = {
	.name = "EVENT_WAIT",
	.step = edge_wait_step,
	.release = edge_release,
	.describe = edge_describe,
	.task_type = ACL_MODEL_RI_TASK_EVENT_WAIT,
};

/* Each replay begins with records of its own: nothing is left to do. */
static const struct op_type edge_reset_type = {
	.name = "EVENT_RESET",
	.step = task_step_over,
	.release = edge_release,
	.describe = edge_describe,
	.task_type = ACL_MODEL_RI_TASK_EVENT_RESET,
};

static struct op *edge_op(const struct op_type *type, unsigned edge, struct event *ev)
{
	struct edge_op *e = op_new(type, sizeof(*e));

	if (!e)
		return NULL;
	e->edge = edge;
	e->ev = ev;
	object_get(&ev->obj);
	return &e->op;
}

struct op *edge_record_op(unsigned edge, struct event *ev)
{
	return edge_op(&edge_record_type, edge, ev);
}

struct op *edge_wait_op(unsigned edge, struct event *ev)
{
	return edge_op(&edge_wait_type, edge, ev);
}

struct op *edge_reset_op(unsigned edge, struct event *ev)
{
	return edge_op(&edge_reset_type, edge, ev);
}

struct event *edge_event(const struct op *op)
{
	return op->type->release == edge_release ? container_of(op, struct edge_op, op)->ev : NULL;
}

/* --- the task that executes a model ---------------------------------------- */

struct execute_op {
	struct op op;
	struct model *model;
};

static enum op_step execute_step(struct op *op, struct lane *lane)
{
	struct model *m = container_of(op, struct execute_op, op)->model;
	struct instance *inst = lane->op_state;

	if (!inst) {
		if (m->active)
			return lane_park(lane, &m->turn, 0);
		lane->result = instance_start(m, lane, &inst);
		if (lane->result)
			return OP_DONE;
		m->active = lane->op_state = inst;
	}
	if (lane->cancelled)
		instance_cancel(inst, ACL_ERROR_RT_STREAM_ABORT);
	if (!instance_over(inst, &lane->result))
		return instance_park(inst, lane);
	m->active = NULL;
	/* All of them: the first, whose turn it is, may be aborted before it is served. */
	lanes_wake(&m->turn);
	return OP_DONE;
}

static void execute_release(struct op *op)
{
	struct model *m = container_of(op, struct execute_op, op)->model;

	if (--m->running == 0)
		npu_changed(&m->idle);
	object_put(&m->obj);
}

static const struct op_type execute_type = {
	.name = "MODEL_EXECUTE",
	.step = execute_step,
	.release = execute_release,
};

struct op *model_execute_op(struct model *m)
{
	struct execute_op *e = op_new(&execute_type, sizeof(*e));

	if (!e)
		return NULL;
	e->model = m;
	m->running++;
	object_get(&m->obj);
	return &e->op;
}
