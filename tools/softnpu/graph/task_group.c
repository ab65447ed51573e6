/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of captured kernels, and updating them in the order of a stream. */
#include "tools/softnpu/graph/task_group.h"

#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/kernel/kernel.h"

struct task_group {
	struct object obj;
	struct list link; /* of its model */
	struct model *model; /* NULL when that is gone, and an update still under way */
	unsigned lane, first, n;
	bool updating;
};

/* State of a stream between UpdateBegin and UpdateEnd. */
struct group_update {
	struct task_group *group;
	unsigned next;
};

aclError group_check(struct capture *cap, struct stream *s, const struct op *op)
{
	aclError rc = ACL_SUCCESS;

	if (!cap->groups)
		return ACL_SUCCESS;
	if (!s->group_open)
		rc = npu_err(ACL_ERROR_STREAM_TASK_GROUP_INTR, "a task group is open on another stream");
	else if (!op->type->is_kernel)
		rc = npu_err(
			ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "%s cannot be in a task group", op->type->name);
	if (rc) {
		cap->group_error = rc;
		capture_invalidate(cap);
	}
	return rc;
}

/* What a group is updated to must not have been fetched: so many tasks lie between it and what is before. */
#define TASKS_FETCHED_AHEAD 8

static const struct op_type nop_type = {.name = "NOP", .step = task_step_over};

static aclError keep_distance(struct stream *s)
{
	aclError rc = ACL_SUCCESS;

	for (unsigned i = 0; i < TASKS_FETCHED_AHEAD && !rc; i++)
		rc = stream_submit(s, op_new(&nop_type, sizeof(struct op)));
	return rc;
}

static aclError group_begin(aclrtStream handle)
{
	struct stream *s;
	aclError rc = capture_find(handle, &s);

	if (rc)
		return rc;
	if (s->grouping || s->update)
		return npu_err(
			ACL_ERROR_STREAM_TASK_GROUP_STATUS, "a task group is open, or an update under way");
	rc = keep_distance(s);
	if (rc)
		return rc;
	s->grouping = s->group_open = true;
	s->group_first = s->capture->model->lanes[s->capture_lane].n;
	s->capture->groups++;
	return ACL_SUCCESS;
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
	return LOCKED(group_begin(stream));
}

static void task_group_release(struct object *o)
{
	free(container_of(o, struct task_group, obj));
}

static aclError group_end(aclrtStream handle, aclrtTaskGrp *out)
{
	struct stream *s;
	struct capture *cap;
	struct task_group *g;
	aclError rc = capture_find(handle, &s);

	if (rc)
		return rc;
	cap = s->capture;
	if (!s->grouping)
		return npu_err(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "no task group is open on this stream");
	if (!s->group_open)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the task group was of a capture that is over");
	s->grouping = s->group_open = false;
	cap->groups--;
	if (cap->group_error)
		return npu_err(cap->group_error, "the task group was broken");
	if (cap->invalid)
		return npu_err(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "the capture was invalidated");
	g = calloc(1, sizeof(*g));
	if (!g || !object_init(&g->obj, OBJ_TASK_GROUP, task_group_release)) {
		free(g);
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task group");
	}
	g->model = cap->model;
	list_add_tail(&cap->model->groups, &g->link);
	g->lane = s->capture_lane;
	g->first = s->group_first;
	g->n = cap->model->lanes[s->capture_lane].n - g->first;
	*out = object_handle(&g->obj);
	return ACL_SUCCESS;
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
	return LOCKED(group_end(stream, handle));
}

aclrtTaskGrp task_group_at(const struct model *m, unsigned lane, unsigned index)
{
	const struct task_group *g;

	list_for_each(g, &m->groups, link) if (g->lane == lane && index >= g->first &&
					       index - g->first < g->n) return object_handle(&g->obj);
	return NULL;
}

void task_groups_release(struct model *m)
{
	while (!list_empty(&m->groups)) {
		struct task_group *g = list_first(&m->groups, struct task_group, link);

		list_del(&g->link);
		g->model = NULL;
		object_kill(&g->obj);
	}
}

static aclError enter_for_update(struct stream **s)
{
	aclError rc = stream_not_capturing(*s);

	if (!rc && (*s)->bound)
		rc = npu_err(ACL_ERROR_RT_STREAM_MODEL, "the stream is bound to a model");
	return rc ? rc : stream_enter(STREAM_SUBMIT, s);
}

static aclError update_begin(aclrtStream stream, aclrtTaskGrp handle)
{
	struct object *o = object_find(handle, OBJ_TASK_GROUP);
	struct task_group *g = container_of(o, struct task_group, obj);
	struct group_update *u;
	struct stream *s;
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	if (!rc && !o)
		rc = npu_err(ACL_ERROR_RT_INVALID_HANDLE, "%p is not a task group", handle);
	if (!rc)
		rc = enter_for_update(&s);
	if (rc)
		return rc;
	if (s->grouping || s->update || g->updating)
		return npu_err(
			ACL_ERROR_STREAM_TASK_GROUP_STATUS, "a task group is open, or an update under way");
	u = calloc(1, sizeof(*u));
	if (!u)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for an update");
	u->group = g;
	g->updating = true;
	object_get(&g->obj);
	s->update = u;
	return ACL_SUCCESS;
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)
{
	return LOCKED(update_begin(stream, handle));
}

/* Only the end of an update lets the group be updated again. */
void group_update_forget(struct stream *s)
{
	struct group_update *u = s->update;

	if (!u)
		return;
	s->update = NULL;
	object_put(&u->group->obj);
	free(u);
}

static aclError update_end(aclrtStream stream)
{
	struct group_update *u;
	struct stream *s;
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = enter_for_update(&s);
	if (rc)
		return rc;
	u = s->update;
	if (!u)
		return npu_err(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "no update is under way on this stream");
	if (u->next != u->group->n)
		rc = npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "%u tasks for a group of %u", u->next, u->group->n);
	u->group->updating = false;
	group_update_forget(s);
	return rc;
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
	return LOCKED(update_end(stream));
}

/* --- the replacement happens in stream order ----------------------------- */

struct replace_op {
	struct op op;
	struct model *model;
	unsigned lane, index;
	struct op *with;
};

static enum op_step replace_step(struct op *op, struct lane *lane)
{
	struct replace_op *r = container_of(op, struct replace_op, op);

	(void)lane;
	op_get(r->with);
	model_replace(r->model, r->lane, r->index, r->with);
	return OP_DONE;
}

static void replace_release(struct op *op)
{
	struct replace_op *r = container_of(op, struct replace_op, op);

	op_put(r->with);
	object_put(&r->model->obj);
}

static const struct op_type replace_type = {
	.name = "UPDATE", .step = replace_step, .release = replace_release};

/* Compilers name the two halves of a mixed kernel so; other names stand for kernels of one type. */
static const char *cores_of(const struct op *op)
{
	struct kernel_launch l;
	size_t n;

	if (!op || !kernel_op_launch(op, &l))
		return "";
	n = strlen(l.name);
	return n > 4 && (!strcmp(l.name + n - 4, "_aic") || !strcmp(l.name + n - 4, "_aiv")) ? l.name + n - 4
											     : "";
}

aclError group_replace(struct stream *s, struct op *op)
{
	struct group_update *u = s->update;
	struct task_group *g = u->group;
	struct replace_op *r;
	aclError rc;

	if (!op->type->is_kernel) {
		rc = npu_err(
			ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "%s cannot update a task group", op->type->name);
		op_put(op);
		return rc;
	}
	if (!g->model || u->next == g->n) {
		op_put(op);
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the task group has %u tasks", g->n);
	}
	if (strcmp(cores_of(op), cores_of(model_slot(g->model, g->lane, g->first + u->next)))) {
		op_put(op);
		return npu_err(
			ACL_ERROR_RT_INTERNAL_ERROR, "the kernel has another type than the captured one");
	}
	r = op_new(&replace_type, sizeof(*r));
	if (!r) {
		op_put(op);
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	}
	r->model = g->model;
	object_get(&g->model->obj);
	r->lane = g->lane;
	r->index = g->first + u->next++;
	r->with = op;
	lane_submit(&s->lane, &r->op);
	return ACL_SUCCESS;
}
