/* SPDX-License-Identifier: Apache-2.0 */
/* Labels, lists of them, and switching by an index in device memory. */
#include "tools/softnpu/graph/label.h"

#include <stdlib.h>

#include "tools/softnpu/memory/addrmap.h"
#include "tools/softnpu/memory/copy.h"
#include "tools/softnpu/memory/memory.h"

#define MAX_LABELS 65535u /* of a process, and in a list */
#define LABEL_BYTES 16 /* in a list */

static unsigned n_labels; /* that are not destroyed */
static struct list lists = {&lists, &lists};

void labels_forget(void)
{
	n_labels = 0;
	list_init(&lists);
}

struct label {
	struct object obj;
	struct list link; /* of the model it is set in */
	uint64_t context; /* the generation of the one that it belongs to */
	bool listed;
	struct model *model; /* NULL until set */
	unsigned lane, index; /* the task that follows */
};

/* A list is device memory: what frees memory destroys it, and what destroys lists frees memory. */
struct label_list {
	struct list link;
	unsigned users;
	struct device *dev;
	struct kept_memory where;
	size_t n;
	struct label *labels[];
};

static void label_release(struct object *o)
{
	free(container_of(o, struct label, obj));
}

static void list_put(struct label_list *l)
{
	if (!l || --l->users)
		return;
	for (size_t i = 0; i < l->n; i++)
		object_put(&l->labels[i]->obj);
	free(l);
}

/* The newest at that address; lists whose memory is gone go as well. */
static struct label_list *list_at(const void *addr)
{
	struct label_list *l, *next, *found = NULL;

	list_for_each_safe(l, next, &lists, link)
	{
		if (!kept_find(&l->where, l->dev)) {
			list_del(&l->link);
			list_put(l);
		} else if (l->where.addr == addr) {
			found = l;
		}
	}
	return found;
}

void labels_release_model(struct model *m)
{
	while (!list_empty(&m->labels)) {
		struct label *l = list_first(&m->labels, struct label, link);

		list_del(&l->link);
		l->model = NULL;
	}
}

static aclError label_find(aclrtLabel handle, struct label **l)
{
	return OBJECT_NAMED(handle, OBJ_LABEL, ACL_ERROR_INVALID_PARAM, "label", l);
}

/* Also 507031 when it belongs to another context than the current. */
static aclError label_find_here(aclrtLabel handle, struct label **l)
{
	struct context *ctx;
	aclError rc = label_find(handle, l);

	if (!rc)
		rc = context_need(&ctx);
	if (!rc && (*l)->context != ctx->obj.generation)
		rc = npu_err(ACL_ERROR_RT_LABEL_CONTEXT, "the label belongs to another context");
	return rc;
}

static aclError label_create(aclrtLabel *out)
{
	struct context *ctx;
	struct label *l;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (n_labels == MAX_LABELS)
		return npu_err(
			ACL_ERROR_RT_INTERNAL_ERROR, "there are %u labels, as many as can be", n_labels);
	l = calloc(1, sizeof(*l));
	if (!l || !object_init(&l->obj, OBJ_LABEL, label_release)) {
		free(l);
		return npu_err(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no memory for a label");
	}
	n_labels++;
	list_init(&l->link);
	l->context = ctx->obj.generation;
	*out = object_handle(&l->obj);
	return ACL_SUCCESS;
}

aclError aclrtCreateLabel(aclrtLabel *label)
{
	return LOCKED(label_create(label));
}

static aclError label_destroy(aclrtLabel handle)
{
	struct label *l;
	aclError rc = label_find_here(handle, &l);

	if (rc)
		return rc;
	list_del(&l->link);
	l->model = NULL;
	n_labels--;
	object_kill(&l->obj);
	return ACL_SUCCESS;
}

aclError aclrtDestroyLabel(aclrtLabel label)
{
	return LOCKED(label_destroy(label));
}

/* A label knows its place from here on, even when there will be no list. */
static aclError list_fill(struct label_list *list, aclrtLabel *handles, size_t n)
{
	struct label *l;

	for (size_t i = 0; i < n; i++) {
		aclError rc = label_find(handles[i], &l);

		if (rc)
			return rc;
		if (l->listed)
			return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "label %zu is in a list already", i);
		l->listed = true;
		object_get(&l->obj);
		list->labels[list->n++] = l;
	}
	return ACL_SUCCESS;
}

static aclError list_make(struct label_list *list, aclrtLabel *handles, size_t n)
{
	struct context *ctx;
	struct label *l;
	aclError rc = ACL_SUCCESS;

	for (size_t i = 0; i < n && !rc; i++)
		rc = label_find(handles[i], &l);
	/* The labels may belong to other contexts. */
	if (!rc)
		rc = context_need(&ctx);
	if (rc)
		return rc;
	list->dev = ctx->dev;
	if (!kept_make(&list->where, ctx->dev, n * LABEL_BYTES))
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no device memory for a label list");
	rc = list_fill(list, handles, n);
	if (rc)
		kept_drop(&list->where, ctx->dev);
	return rc;
}

static aclError list_create(aclrtLabel *handles, size_t n, aclrtLabelList *out)
{
	struct label_list *list = calloc(1, sizeof(*list) + n * sizeof(list->labels[0]));
	aclError rc;

	if (!list)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a label list");
	list->users = 1;
	rc = list_make(list, handles, n);
	if (rc) {
		list_put(list);
		return rc;
	}
	(void)list_at(NULL);
	list_add_tail(&lists, &list->link);
	*out = list->where.addr;
	return ACL_SUCCESS;
}

aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num, aclrtLabelList *labelList)
{
	if (!num || num > MAX_LABELS)
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "%zu labels, 1 to %u are possible", num, MAX_LABELS);
	return LOCKED(list_create(labels, num, labelList));
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList)
{
	return aclrtFree(labelList);
}

static aclError label_set(aclrtLabel handle, aclrtStream stream)
{
	struct stream *s;
	struct label *l;
	aclError rc = label_find(handle, &l);

	if (!rc)
		rc = stream_named(stream, STREAM_SUBMIT, &s);
	if (!rc)
		rc = label_find_here(handle, &l);
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	if (!s->bound)
		return npu_err(ACL_ERROR_RT_STREAM_MODEL, "the stream is not bound to a model");
	if (l->model || !l->listed)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the label is set already, or in no list");
	l->model = s->bound;
	l->lane = s->capture_lane;
	l->index = s->bound->lanes[s->capture_lane].n;
	list_add_tail(&s->bound->labels, &l->link);
	return ACL_SUCCESS;
}

aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream)
{
	return LOCKED(label_set(label, stream));
}

struct switch_op {
	struct op op;
	void *index; /* of the label to go to, in device memory */
	uint32_t max;
	unsigned lane;
	struct label_list *list; /* NULL: the address is none of a list */
};

/* An index of max or more means the last label before it, what is beyond the list is none.  Where the index
 * and the list are is looked at here: the call takes any address. */
static enum op_step switch_step(struct op *op, struct lane *lane)
{
	const struct switch_op *sw = container_of(op, struct switch_op, op);
	struct place p = place_of(sw->index);
	const struct label *l = NULL;
	uint32_t index = 0;

	if (!sw->list || p.loc != LOC_DEVICE) {
		lane->result = ACL_ERROR_RT_MODEL_EXECUTE;
		return OP_DONE;
	}
	lane->result = bytes_move((char *)&index, true, p.host, p.safe, sizeof(index));
	if (lane->result)
		return OP_DONE;
	index = index < sw->max ? index : sw->max - 1;
	if (index < sw->list->n)
		l = sw->list->labels[index];
	if (!l || l->model != instance_model(lane_instance(lane)) || l->lane != sw->lane)
		lane->result = ACL_ERROR_RT_MODEL_EXECUTE;
	else
		lane_jump(lane, l->index);
	return OP_DONE;
}

static void switch_release(struct op *op)
{
	list_put(container_of(op, struct switch_op, op)->list);
}

static const struct op_type switch_type = {
	.name = "LABEL_SWITCH",
	.step = switch_step,
	.release = switch_release,
};

static aclError label_switch(void *index, uint32_t max, aclrtLabelList handle, aclrtStream stream)
{
	struct switch_op *sw;
	struct stream *s;
	aclError rc = stream_find(stream, STREAM_SUBMIT, &s);

	if (!rc && !s->bound)
		rc = npu_err(ACL_ERROR_RT_STREAM_MODEL, "the stream is not bound to a model");
	if (rc)
		return rc;
	sw = op_new(&switch_type, sizeof(*sw));
	if (!sw)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	sw->index = index;
	sw->max = max;
	sw->lane = s->capture_lane;
	sw->list = list_at(handle);
	if (sw->list)
		sw->list->users++;
	return stream_submit(s, &sw->op);
}

aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream)
{
	return LOCKED(label_switch(ptr, maxValue, labelList, stream));
}
