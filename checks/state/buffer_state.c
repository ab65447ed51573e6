/* SPDX-License-Identifier: Apache-2.0 */
/* Shared buffers: how much data fits, how long a chain is. */
#include "checks/state/buffer_state.h"
#include "checks/state/lifecycle.h"

static struct acl_object *buffer(struct checks *c, const void *value)
{
	return value ? object_live(c, ACL_HANDLE_MBUF, value) : NULL;
}

void buffer_created(const struct acl_call_record *call, struct acl_object *o)
{
	store_relaxed(&mbuf_state(o)->requested, acl_arg_value(call->api, call->args, ACL_ROLE_BYTES));
}

/* The runtime's word on the room; what was requested may have been rounded up. */
static void buffer_data_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetBufData *a = call->args;
	struct acl_object *b = buffer(c, a->buf);

	if (b && succeeded(call) && a->size)
		store_relaxed(&mbuf_state(b)->size, *a->size);
}

static void buffer_append_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtAppendBufChain *a = call->args;
	struct acl_object *head = buffer(c, a->headBuf), *b = buffer(c, a->buf);

	if (!succeeded(call))
		return;
	/* It comes with what is behind it. */
	if (head)
		atomic_fetch_add_explicit(&mbuf_state(head)->appended,
			1 + (b ? load_relaxed(&mbuf_state(b)->appended) : 0), memory_order_relaxed);
	/* It goes with its head: it is never called leaked. */
	if (b)
		atomic_fetch_or(&b->flags, ACL_OBJECT_LEARNED);
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_BUFFER_DATA), ACL_LEAVE, buffer_data_leave},
	{ON_OP(BUFFER_APPEND), ACL_LEAVE, buffer_append_leave},
};

const struct check_module module_buffer = {
	.order = 17,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
