/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies: one record releases one wait. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/sync/notify.h"

#include <stdlib.h>
#include <unistd.h>

#include "tools/softnpu/core/timeout.h"

static void notify_release(struct object *o)
{
	struct notify *n = container_of(o, struct notify, obj);

	if (n->shared)
		shared_word_close(n->shared);
	free(n);
}

aclError notify_find(aclrtNotify handle, struct notify **n)
{
	return OBJECT_NAMED(handle, OBJ_NOTIFY, ACL_ERROR_RT_PARAM_INVALID, "notify", n);
}

aclError notify_new(struct notify **out)
{
	static uint32_t next_id;
	struct context *ctx;
	struct notify *n;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (ctx->dev->notifies >= CFG(notifies))
		return npu_err(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "the device has no notify left");
	n = calloc(1, sizeof(*n));
	if (!n || !object_init(&n->obj, OBJ_NOTIFY, notify_release)) {
		free(n);
		return npu_err(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "no memory for a notify");
	}
	n->dev = ctx->dev;
	n->id = next_id++ & 0x1fff;
	n->word = &n->local;
	list_init(&n->waiters);
	ctx->dev->notifies++;
	*out = n;
	return ACL_SUCCESS;
}

static aclError notify_create(aclrtNotify *out)
{
	struct notify *n;
	aclError rc = notify_new(&n);

	if (!rc)
		*out = object_handle(&n->obj);
	return rc;
}

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
	return LOCKED(notify_create(notify));
}

static void kill_notify(struct notify *n)
{
	n->dev->notifies--;
	object_kill(&n->obj);
}

/* The handle outlives a reset of the device, so that the lack of a context is said first. */
static aclError lost(const struct notify *n)
{
	return n->lost ? npu_err(ACL_ERROR_RT_INVALID_HANDLE, "the notify's device was reset") : ACL_SUCCESS;
}

/* The calls about a notify alone need a context all the same. */
static aclError find_here(aclrtNotify handle, struct notify **n)
{
	struct context *ctx;
	aclError rc = notify_find(handle, n);

	if (!rc)
		rc = context_need(&ctx);
	return rc ? rc : lost(*n);
}

aclError aclrtDestroyNotify(aclrtNotify notify)
{
	return LOCKED_WITH(notify, n, find_here(notify, &n), kill_notify(n));
}

static void lose_if_on(struct object *o, void *dev)
{
	struct notify *n = container_of(o, struct notify, obj);

	if (n->dev != dev || n->lost)
		return;
	n->lost = true;
	n->dev->notifies--;
	n->word = &n->local;
	if (n->shared)
		shared_word_close(n->shared);
	n->shared = NULL;
}

void notifies_release_device(struct device *dev)
{
	objects_each(OBJ_NOTIFY, lose_if_on, dev);
}

/* --- tasks ------------------------------------------------------------------- */

struct notify_op {
	struct op op;
	struct notify *n;
	uint32_t seconds;
};

static enum op_step notify_record_step(struct op *op, struct lane *lane)
{
	struct notify *n = container_of(op, struct notify_op, op)->n;

	(void)lane;
	__atomic_store_n(n->word, 1, __ATOMIC_SEQ_CST);
	/* All of them: the first, which takes it, may be aborted before it is served. */
	lanes_wake(&n->waiters);
	return OP_DONE;
}

static enum op_step notify_wait_step(struct op *op, struct lane *lane)
{
	struct notify_op *w = container_of(op, struct notify_op, op);

	if (__atomic_exchange_n(w->n->word, 0, __ATOMIC_SEQ_CST))
		return OP_DONE;
	/* Another process may record a shared one. */
	return lane_park_until(lane, w->n->shared ? NULL : &w->n->waiters,
		npu_deadline_ms(w->seconds ? (int64_t)w->seconds * 1000 : -1));
}

static void notify_op_release(struct op *op)
{
	object_put(&container_of(op, struct notify_op, op)->n->obj);
}

static void notify_describe(const struct op *op, char *text, size_t size)
{
	snprintf(text, size, "\"notify_id\": %u", container_of(op, struct notify_op, op)->n->id);
}

static const struct op_type record_type = {
	.name = "NOTIFY_RECORD",
	.step = notify_record_step,
	.release = notify_op_release,
	.describe = notify_describe,
};
static const struct op_type wait_type = {
	.name = "NOTIFY_WAIT",
	.step = notify_wait_step,
	.release = notify_op_release,
	.describe = notify_describe,
};

static aclError notify_submit(
	const struct op_type *type, aclrtNotify handle, aclrtStream stream, uint32_t seconds)
{
	struct notify_op *op;
	struct notify *n;
	struct stream *s;
	aclError rc = notify_find(handle, &n);

	if (!rc)
		rc = stream_find(stream, STREAM_SUBMIT, &s);
	if (!rc)
		rc = lost(n);
	if (rc)
		return rc;
	if (type == &wait_type && (n->imported || (n->shared && n->dev != s->ctx->dev)))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID,
			"a shared notify is waited for in the process and on the device that created it");
	op = op_new(type, sizeof(*op));
	if (!op)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	op->n = n;
	op->seconds = seconds;
	object_get(&n->obj);
	return stream_submit(s, &op->op);
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
	return LOCKED(notify_submit(&record_type, notify, stream, 0));
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)
{
	return LOCKED(notify_submit(&wait_type, notify, stream, timeout));
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)
{
	return LOCKED_WITH(notify, n, find_here(notify, &n), *notifyId = n->id);
}

static aclError batch_reset(aclrtNotify *handles, size_t num)
{
	struct notify *n;
	aclError rc = ACL_SUCCESS;

	for (size_t i = 0; i < num && !rc; i++) {
		rc = find_here(handles[i], &n);
		if (!rc)
			__atomic_store_n(n->word, 0, __ATOMIC_SEQ_CST);
	}
	return rc;
}

aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num)
{
	return LOCKED(batch_reset(notifies, num));
}

/* --- between processes ---------------------------------------------------------- */

static bool known_flags(uint64_t flags)
{
	return flags == ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT ||
	       flags == ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION;
}

static aclError export_key(aclrtNotify handle, char *key, size_t len, uint64_t flags)
{
	struct notify *n;
	aclError rc = notify_find(handle, &n);

	if (!rc)
		rc = lost(n);
	if (!rc && (len < IPC_KEY_SIZE || !known_flags(flags)))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "len %zu is below %u, or unknown flags", len,
			IPC_KEY_SIZE);
	if (rc)
		return rc;
	if (n->shared || n->imported)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the notify has a key already");
	n->shared = shared_word_new(SHARED_NOTIFY, n->dev->id);
	if (!n->shared)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "cannot share the notify");
	if (flags == ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION)
		shared_let_all(n->shared);
	n->word = shared_word(n->shared);
	*n->word = n->local;
	lanes_wake(&n->waiters); /* from now on they look for what another process does */
	shared_word_key(n->shared, key, len);
	return ACL_SUCCESS;
}

aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags)
{
	return LOCKED(export_key(notify, key, (uint32_t)len, flags));
}

/* An import that fails in the driver leaves NULL, one that does not get there leaves *out alone. */
static aclError import_key(aclrtNotify *out, const char *key, uint64_t flags)
{
	struct context *ctx;
	struct shared *shared;
	struct notify *n;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	*out = NULL;
	shared = shared_word_open(SHARED_NOTIFY, key);
	if (!shared)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "no process has exported this key");
	rc = shared_lets(shared, getpid())
		     ? notify_new(&n)
		     : npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "the key is for other processes");
	if (rc) {
		shared_word_close(shared);
		return rc;
	}
	n->shared = shared;
	n->word = shared_word(shared);
	n->imported = true;
	if (flags & ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS)
		peers_connect(shared_device(shared), n->dev->id);
	*out = object_handle(&n->obj);
	return ACL_SUCCESS;
}

aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags)
{
	return LOCKED(import_key(notify, key, flags));
}

static void notify_let(struct notify *n, const int32_t *pid, size_t num)
{
	for (size_t i = 0; n->shared && !n->imported && i < num; i++)
		shared_let(n->shared, pid[i]);
}

aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num)
{
	return LOCKED_WITH(notify, n, find_here(notify, &n), notify_let(n, pid, (uint32_t)num));
}
