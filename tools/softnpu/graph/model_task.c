/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at the tasks of a model and changing them. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/sync/event.h"
#include "tools/softnpu/core/timeout.h"
#include "tools/softnpu/kernel/kernel.h"
#include "tools/softnpu/graph/model.h"
#include "tools/softnpu/graph/task_group.h"
#include "tools/softnpu/sync/value.h"

/* A task as the program holds it. Goes with its model. */
struct model_task {
	struct object obj;
	struct list link; /* of its model */
	struct model *model;
	unsigned lane, index;
	struct op *pending; /* what it was set to, and what aclmdlRIUpdate puts in its place */
	struct op *gap; /* disabled: aclmdlRIUpdate takes it away, and leaves this */
	void *info; /* of its operator, when it is a kernel */
	size_t info_size;
};

static void model_task_release(struct object *o)
{
	struct model_task *t = container_of(o, struct model_task, obj);

	if (t->pending)
		op_put(t->pending);
	if (t->gap)
		op_put(t->gap);
	free(t->info);
	free(t);
}

static void model_task_drop(struct model_task *t)
{
	list_del(&t->link);
	object_kill(&t->obj);
}

void model_tasks_release(struct model *m)
{
	while (!list_empty(&m->tasks))
		model_task_drop(list_first(&m->tasks, struct model_task, link));
}

static aclError model_task_find(aclmdlRITask handle, struct model_task **t, struct model **m)
{
	aclError rc = OBJECT_NAMED(handle, OBJ_MODEL_TASK, ACL_ERROR_INVALID_PARAM, "task of a model", t);

	if (rc)
		return rc;
	*m = (*t)->model;
	if (model_slot(*m, (*t)->lane, (*t)->index))
		return ACL_SUCCESS;
	/* aclrtPersistentTaskClean took it away. */
	model_task_drop(*t);
	return npu_err(ACL_ERROR_RT_INVALID_HANDLE, "%p is no task any more", handle);
}

/* The task as it was set last. */
static struct op *model_task_op(const struct model_task *t)
{
	return t->pending ? t->pending : model_slot(t->model, t->lane, t->index);
}

/* One for the device's cores. */
static bool model_task_kernel(const struct op *op, struct kernel_launch *l)
{
	return op->type->is_kernel && kernel_op_launch(op, l);
}

/* An array takes what it has room for, and NULL behind the last; too little room is an error all the same. */
static aclError array_end(void **array, uint32_t *num, uint32_t there)
{
	uint32_t room = *num;

	for (uint32_t i = there; array && i < room; i++)
		array[i] = NULL;
	*num = array && room < there ? room : there;
	if (*num == there)
		return ACL_SUCCESS;
	return npu_err(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, "there are %u, the array has room for %u",
		there, room);
}

/* --- streams of a model ------------------------------------------------------------ */

/* A captured model's streams get handles when they are queried. */
static bool give_stream(struct model *m, unsigned lane)
{
	struct stream *s;

	if (m->lanes[lane].stream)
		return true;
	s = stream_new(m->ctx, 0, 0);
	if (!s)
		return false;
	s->bound = m;
	s->capture_lane = lane;
	object_get(&s->obj);
	m->lanes[lane].stream = s;
	return true;
}

/* The stream that came last is the first. */
static aclError get_streams(aclmdlRI model, aclrtStream *streams, uint32_t *num)
{
	struct model *m;
	uint32_t there = 0;
	aclError rc = model_find_here(model, &m);

	if (!rc && m->sub)
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not for the body of a conditional task");
	if (rc)
		return rc;
	for (unsigned i = m->n_lanes; i-- > 0;) {
		if (m->lanes[i].unbound)
			continue;
		if (streams && there < *num) {
			if (!give_stream(m, i))
				return npu_err(ACL_ERROR_RT_NO_STREAM_RESOURCE, "no stream left");
			streams[there] = object_handle(&m->lanes[i].stream->obj);
		}
		there++;
	}
	return array_end(streams, num, there);
}

aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams, uint32_t *numStreams)
{
	return LOCKED(get_streams(modelRI, streams, numStreams));
}

/* The same task has the same handle whenever it is asked for. */
static struct model_task *task_of(struct model *m, unsigned lane, unsigned index)
{
	struct model_task *t;

	list_for_each(t, &m->tasks, link) if (t->lane == lane && t->index == index) return t;
	t = calloc(1, sizeof(*t));
	if (!t || !object_init(&t->obj, OBJ_MODEL_TASK, model_task_release)) {
		free(t);
		return NULL;
	}
	t->model = m;
	t->lane = lane;
	t->index = index;
	list_add(&m->tasks, &t->link);
	return t;
}

static aclError set_info(struct model_task *t, const void *info, size_t size)
{
	void *copy = NULL;

	if (info && size) {
		copy = malloc(size);
		if (!copy)
			return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for what a task is");
		memcpy(copy, info, size);
	}
	free(t->info);
	t->info = copy;
	t->info_size = copy ? size : 0;
	return ACL_SUCCESS;
}

aclError model_task_describe(struct model *m, unsigned lane, unsigned index, const void *info, size_t size)
{
	const struct op *op = model_slot(m, lane, index);
	struct model_task *t = op && op->type->is_kernel ? task_of(m, lane, index) : NULL;

	return t ? set_info(t, info, size) : ACL_SUCCESS;
}

static aclError get_tasks(aclrtStream handle, aclmdlRITask *tasks, uint32_t *num)
{
	struct stream *s;
	struct model *m;
	uint32_t there = 0;
	aclError rc = stream_named(handle, STREAM_QUERY, &s);

	if (rc)
		return rc;
	m = s->bound;
	if (!m)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the stream is of no model");
	for (unsigned i = 0; i < m->lanes[s->capture_lane].n; i++) {
		struct model_task *t;

		if (model_is_gap(&m->lanes[s->capture_lane], i))
			continue;
		if (tasks && there < *num) {
			t = task_of(m, s->capture_lane, i);
			if (!t)
				return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
			tasks[there] = object_handle(&t->obj);
		}
		there++;
	}
	return array_end(tasks, num, there);
}

aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks, uint32_t *numTasks)
{
	return LOCKED(get_tasks(stream, tasks, numTasks));
}

/* --- looking ------------------------------------------------------------------------- */

static aclError get_type(aclmdlRITask handle, aclmdlRITaskType *type)
{
	struct model_task *t;
	struct model *m;
	aclError rc = model_task_find(handle, &t, &m);

	if (!rc)
		*type = (aclmdlRITaskType)model_task_op(t)->type->task_type;
	return rc;
}

aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type)
{
	return LOCKED(get_type(task, type));
}

static aclError check_captured(const struct model *m)
{
	return m->captured ? ACL_SUCCESS
			   : npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "only for captured models");
}

static aclError get_seq(aclmdlRITask handle, uint32_t *id)
{
	struct model_task *t;
	struct model *m;
	aclError rc = model_task_find(handle, &t, &m);

	if (!rc)
		rc = check_captured(m);
	if (!rc)
		*id = m->lanes[t->lane].sequence[t->index];
	return rc;
}

aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id)
{
	return LOCKED(get_seq(task, id));
}

static void event_params(const struct op *op, aclmdlRITaskParams *params)
{
	struct event *ev = op_event(op);

	if (!ev)
		ev = edge_event(op);
	if (!ev)
		return;
	/* One that is destroyed is still the same in all its tasks. */
	params->eventRecordTaskParams.event = ev->obj.alive ? object_handle(&ev->obj) : ev;
	params->eventRecordTaskParams.eventFlag = ev->flags;
}

/* What is refused of a built model is answered all the same. */
static aclError kernel_params(
	struct model_task *t, struct op *op, const struct kernel_launch *l, aclmdlRITaskParams *params)
{
	aclError rc = check_captured(t->model);

	params->kernelTaskParams.funcHandle = l->func ? object_handle(&l->func->obj) : NULL;
	params->kernelTaskParams.args = (void *)kernel_op_device_args(op, t->model->ctx->dev);
	params->kernelTaskParams.argsSize = l->args_size;
	params->kernelTaskParams.numBlocks = l->num_blocks;
	if (rc)
		return rc;
	params->taskGrp = task_group_at(t->model, t->lane, t->index);
	params->opInfoPtr = t->info;
	params->opInfoSize = t->info_size;
	return ACL_SUCCESS;
}

static aclError get_params(aclmdlRITask handle, aclmdlRITaskParams *params)
{
	struct model_task *t;
	struct kernel_launch l;
	struct model *m;
	struct op *op;
	aclError rc = model_task_find(handle, &t, &m);

	if (rc)
		return rc;
	op = model_task_op(t);
	/* Also those of a task that has none. */
	memset(params, 0, sizeof(*params));
	params->type = (aclmdlRITaskType)op->type->task_type;
	if (params->type == ACL_MODEL_RI_TASK_DEFAULT)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "a task of this type has no parameters");
	if (model_task_kernel(op, &l))
		return kernel_params(t, op, &l, params);
	if (!value_op_params(op, params))
		event_params(op, params);
	return ACL_SUCCESS;
}

aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params)
{
	return LOCKED(get_params(task, params));
}

static void get_timeout(uint64_t us, aclrtLaunchKernelAttrId id, aclrtLaunchKernelAttrValue *value)
{
	us = us == UINT64_MAX ? 0 : timeout_of_kernel(us);
	if (id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT)
		value->timeout = (uint16_t)(us / 1000000);
	else
		value->timeoutUs = (aclrtTimeoutUs){(uint32_t)us, (uint32_t)(us >> 32)};
}

/* What else a launch may set is not kept. */
static aclError get_value(
	const struct kernel_attributes *from, aclrtLaunchKernelAttrId id, aclrtLaunchKernelAttrValue *value)
{
	switch (id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
		value->schemMode = from->schem_mode;
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
		value->dynUBufSize = from->ubuf;
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
		value->isDataDump = from->dump;
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
		get_timeout(from->timeout_us, id, value);
		return ACL_SUCCESS;
	default:
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "no task keeps attribute %d", id);
	}
}

static aclError get_attribute(
	aclmdlRITask handle, aclrtLaunchKernelAttrId id, aclrtLaunchKernelAttrValue *value)
{
	struct model_task *t;
	struct kernel_launch l;
	struct model *m;
	aclError rc = model_task_find(handle, &t, &m);

	if (!rc && !model_task_kernel(model_task_op(t), &l))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the task is no kernel");
	return rc ? rc : get_value(&l.attributes, id, value);
}

aclError aclmdlRIKernelTaskGetAttribute(
	aclmdlRITask task, aclrtLaunchKernelAttrId attrId, aclrtLaunchKernelAttrValue *attrValue)
{
	return LOCKED(get_attribute(task, attrId, attrValue));
}

/* --- changing --------------------------------------------------------------------------- */

static aclError check_complete(const struct model *m)
{
	aclError rc = check_captured(m);

	if (rc)
		return rc;
	if (m->state == MODEL_READY || m->state == MODEL_UPDATING)
		return ACL_SUCCESS;
	return npu_err(ACL_ERROR_RT_MODEL_UPDATE_FAILED, "the model is not complete");
}

static aclError check_changeable(const struct model *m)
{
	aclError rc = check_complete(m);

	if (!rc && m->running)
		rc = npu_err(ACL_ERROR_RT_MODEL_UPDATE_FAILED, "the model is running");
	return rc;
}

/* What is set last counts, also for a task that was disabled. */
static aclError set_pending(struct model_task *t, struct op *op, const aclmdlRITaskParams *params)
{
	aclError rc = set_info(t, params->opInfoPtr, params->opInfoSize);

	if (rc) {
		op_put(op);
		return rc;
	}
	if (t->pending)
		op_put(t->pending);
	if (t->gap)
		op_put(t->gap);
	t->pending = op;
	t->gap = NULL;
	t->model->state = MODEL_UPDATING;
	return ACL_SUCCESS;
}

/* Arguments that the program was given stay where they are, as long as a task has them. */
static void keep_args(const struct model_task *t, struct kernel_launch *l)
{
	struct op *now = model_slot(t->model, t->lane, t->index);
	struct kernel_launch before;

	l->args_of = kernel_op_giver(model_task_op(t), l->args);
	if (!l->args_of)
		l->args_of = kernel_op_giver(now, l->args);
	if (!l->args_of)
		return;
	l->device_args = true;
	kernel_op_launch(l->args_of, &before);
	if (l->args_size < before.args_size)
		return;
	l->holders = before.holders;
	l->n_holders = before.n_holders;
}

/* A value task comes of a task of any kind that is known, a kernel of a kernel only. */
static struct op *new_op(const struct model_task *t, const aclmdlRITaskParams *params)
{
	const aclmdlRIKernelTaskParams *k = &params->kernelTaskParams;
	const struct op *old = model_task_op(t);
	struct kernel_launch l = {.num_blocks = k->numBlocks,
		.grid = {k->numBlocks, 1, 1},
		.block = {1, 1, 1},
		.args = k->args,
		.args_size = k->argsSize,
		.device_args = !k->isHostArgs};

	if (params->taskGrp || old->type->task_type == ACL_MODEL_RI_TASK_DEFAULT)
		return NULL;
	if (params->type != ACL_MODEL_RI_TASK_KERNEL)
		return params->opInfoPtr || params->opInfoSize ? NULL : value_op_new(params);
	if (!old->type->is_kernel || !k->args || !k->argsSize || kernel_configure(&l.attributes, k->cfg) ||
		function_find(k->funcHandle, &l.func))
		return NULL;
	keep_args(t, &l);
	return kernel_op_new(&l);
}

static aclError set_params(aclmdlRITask handle, const aclmdlRITaskParams *params)
{
	struct model_task *t;
	struct model *m;
	struct op *op;
	aclError rc = model_task_find(handle, &t, &m);

	if (!rc)
		rc = check_changeable(m);
	if (rc)
		return rc;
	op = new_op(t, params);
	if (op)
		return set_pending(t, op, params);
	m->state = MODEL_FAULT;
	return npu_err(ACL_ERROR_RT_PARAM_INVALID, "parameters of type %d do not fit the task", params->type);
}

aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams *params)
{
	return LOCKED(set_params(task, params));
}

static aclError disable(aclmdlRITask handle)
{
	struct model_task *t;
	struct model *m;
	aclError rc = model_task_find(handle, &t, &m);

	if (!rc)
		rc = check_changeable(m);
	if (rc)
		return rc;
	if (model_task_op(t)->type->task_type == ACL_MODEL_RI_TASK_DEFAULT) {
		m->state = MODEL_FAULT;
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "a task of this type cannot be disabled");
	}
	if (!t->gap)
		t->gap = model_gap_new();
	if (!t->gap)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	set_info(t, NULL, 0);
	m->state = MODEL_UPDATING;
	return ACL_SUCCESS;
}

aclError aclmdlRITaskDisable(aclmdlRITask task)
{
	return LOCKED(disable(task));
}

static void model_task_update(struct model *m, struct model_task *t)
{
	if (t->gap) {
		model_drop(m, t->lane, t->index, t->gap);
		t->gap = NULL;
		model_task_drop(t);
	} else if (t->pending) {
		model_replace(m, t->lane, t->index, t->pending);
		t->pending = NULL;
	}
}

static aclError update(aclmdlRI model)
{
	struct model_task *t, *next;
	struct model *m;
	aclError rc = model_find(model, &m);

	if (rc)
		return rc;
	if (!m->captured || m->sub)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "only for captured models");
	/* While it runs nothing can have been changed. In which context the call is made does not matter. */
	rc = check_complete(m);
	if (rc)
		return rc;
	list_for_each_safe(t, next, &m->tasks, link) model_task_update(m, t);
	m->state = MODEL_READY;
	return ACL_SUCCESS;
}

aclError aclmdlRIUpdate(aclmdlRI modelRI)
{
	if (!modelRI)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "modelRI is NULL");
	return LOCKED(update(modelRI));
}
