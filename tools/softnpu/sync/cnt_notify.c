/* SPDX-License-Identifier: Apache-2.0 */
/* Counting notifies, of Ascend 950 only: a number that streams change and wait for. */
#include <stdlib.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/sync/stream.h"

struct cnt_notify {
	struct object obj;
	struct device *dev;
	uint32_t id, value;
	struct list waiters; /* lanes */
};

static void cnt_notify_release(struct object *o)
{
	free(container_of(o, struct cnt_notify, obj));
}

static aclError supported(void)
{
	return npu_soc("Ascend950") ? ACL_SUCCESS
				    : npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s has no counting notifies",
					      CFG_STR(soc));
}

static aclError cnt_notify_find(const void *handle, struct cnt_notify **n)
{
	aclError rc = supported();

	return rc ? rc : OBJECT_NAMED(handle, OBJ_CNT_NOTIFY, ACL_ERROR_INVALID_PARAM, "counting notify", n);
}

static aclError cnt_notify_create(aclrtCntNotify *out)
{
	static uint32_t next_id;
	struct context *ctx;
	struct cnt_notify *n;
	aclError rc = context_need(&ctx);

	if (!rc && !out)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "cntNotify is NULL");
	if (!rc)
		rc = supported();
	if (rc)
		return rc;
	n = calloc(1, sizeof(*n));
	if (!n || !object_init(&n->obj, OBJ_CNT_NOTIFY, cnt_notify_release)) {
		free(n);
		return npu_err(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "no memory for a counting notify");
	}
	n->dev = ctx->dev;
	n->id = next_id++;
	list_init(&n->waiters);
	*out = object_handle(&n->obj);
	return ACL_SUCCESS;
}

aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag)
{
	return LOCKED(cnt_notify_create(cntNotify));
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify)
{
	return LOCKED_WITH(cnt_notify, n, cnt_notify_find(cntNotify, &n), object_kill(&n->obj));
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId)
{
	return LOCKED_WITH(cnt_notify, n, cnt_notify_find(cntNotify, &n), *notifyId = n->id);
}

static void kill_if_on(struct object *o, void *dev)
{
	if (container_of(o, struct cnt_notify, obj)->dev == dev)
		object_kill(o);
}

void cnt_notifies_release_device(struct device *dev)
{
	objects_each(OBJ_CNT_NOTIFY, kill_if_on, dev);
}

/* --- tasks ----------------------------------------------------------------------------- */

struct cnt_op {
	struct op op;
	struct cnt_notify *n;
	unsigned mode;
	uint32_t value, seconds;
	bool clear;
};

static enum op_step cnt_notify_record_step(struct op *op, struct lane *lane)
{
	const struct cnt_op *c = container_of(op, struct cnt_op, op);

	(void)lane;
	switch (c->mode) {
	case ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE:
		c->n->value = c->value;
		break;
	case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
		c->n->value += c->value;
		break;
	case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
		c->n->value |= c->value;
		break;
	default:
		c->n->value &= c->value;
	}
	lanes_wake(&c->n->waiters);
	return OP_DONE;
}

static bool cnt_notify_satisfied(const struct cnt_op *c)
{
	switch (c->mode) {
	case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE:
		return c->n->value < c->value;
	case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE:
		return c->n->value == c->value;
	case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE:
		return c->n->value > c->value;
	case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE:
		return c->n->value >= c->value;
	default:
		return (c->n->value & c->value) == c->value;
	}
}

static enum op_step cnt_notify_wait_step(struct op *op, struct lane *lane)
{
	struct cnt_op *c = container_of(op, struct cnt_op, op);

	if (cnt_notify_satisfied(c)) {
		if (c->clear)
			c->n->value = 0;
		return OP_DONE;
	}
	return lane_park_until(
		lane, &c->n->waiters, npu_deadline_ms(c->seconds ? (int64_t)c->seconds * 1000 : -1));
}

static void cnt_notify_op_release(struct op *op)
{
	object_put(&container_of(op, struct cnt_op, op)->n->obj);
}

static const struct op_type record_type = {
	.name = "CNT_NOTIFY_RECORD", .step = cnt_notify_record_step, .release = cnt_notify_op_release};
static const struct op_type wait_type = {
	.name = "CNT_NOTIFY_WAIT", .step = cnt_notify_wait_step, .release = cnt_notify_op_release};

static aclError cnt_notify_submit(
	const struct op_type *type, const void *handle, aclrtStream stream, struct cnt_op what)
{
	struct cnt_notify *n;
	struct cnt_op *op;
	struct stream *s;
	aclError rc = cnt_notify_find(handle, &n);

	if (!rc)
		rc = stream_find(stream, STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	op = op_new(type, sizeof(*op));
	if (!op)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	op->n = n;
	op->mode = what.mode;
	op->value = what.value;
	op->seconds = what.seconds;
	op->clear = what.clear;
	object_get(&n->obj);
	return stream_submit(s, &op->op);
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo *info)
{
	return LOCKED(cnt_notify_submit(
		&record_type, cntNotify, stream, (struct cnt_op){.mode = info->mode, .value = info->value}));
}

aclError aclrtCntNotifyWaitWithTimeout(
	aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyWaitInfo *info)
{
	return LOCKED(cnt_notify_submit(&wait_type, cntNotify, stream,
		(struct cnt_op){.mode = info->mode,
			.value = info->value,
			.seconds = info->timeout,
			.clear = info->isClear}));
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream)
{
	return LOCKED(cnt_notify_submit(&record_type, cntNotify, stream,
		(struct cnt_op){.mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE}));
}
