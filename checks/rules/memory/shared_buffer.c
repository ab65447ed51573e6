/* SPDX-License-Identifier: Apache-2.0 */
/* Shared buffers: how much data fits, how long a chain may be. */
#include "checks/engine/finding_statement.h"
#include "checks/state/buffer_state.h"

#define CHAIN_MAX 128

static struct acl_object *buffer(struct checks *c, const void *value)
{
	return value ? object_live(c, ACL_HANDLE_MBUF, value) : NULL;
}

/* The runtime's word on the room; what was asked for may have been rounded up. */
static void sized(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetBufData *a = call->args;
	struct acl_object *b = buffer(c, a->buf);

	if (b && succeeded(call) && a->size)
		store_relaxed(&mbuf_state(b)->size, *a->size);
}

static void setting_length(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetBufDataLen *a = call->args;
	struct acl_object *b = buffer(c, a->buf);
	uint64_t size = b ? load_relaxed(&mbuf_state(b)->size) : 0;

	/* The document wants less than the size; nothing is known to go wrong with all of it. */
	if (size)
		FINDING(c, call, "mbuf-size-and-chain", a->len >= size,
			PARTS(part_bytes("len", a->len), part_bytes("size", size),
				part_object("shared buffer", b),
				part_severity(a->len == size ? ACL_SEV_PORTABILITY : ACL_SEV_ERROR),
				part_advice(a->len == size)),
			"The buffer has room for %llu bytes, the data shall have %llu.",
			(unsigned long long)size, (unsigned long long)a->len);
}

static void appending(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *head = buffer(c, ACL_ARGS(call, aclrtAppendBufChain)->headBuf);

	if (head)
		FINDING(c, call, "mbuf-size-and-chain",
			load_relaxed(&mbuf_state(head)->appended) >= CHAIN_MAX,
			PARTS(part_object("head of the chain", head)),
			"%u buffers were appended to this one already.", CHAIN_MAX);
}

static void appended(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtAppendBufChain *a = call->args;
	struct acl_object *head = buffer(c, a->headBuf), *b = buffer(c, a->buf);

	if (!succeeded(call))
		return;
	if (head)
		counter_inc(&mbuf_state(head)->appended);
	/* Whether it goes with its head or by itself is not documented: it is never called leaked. */
	if (b)
		atomic_fetch_or(&b->flags, ACL_OBJECT_LEARNED);
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_BUFFER_DATA), ACL_LEAVE, sized},
	{ON_OP(BUFFER_SET_LENGTH), ACL_ENTER, setting_length},
	{ON_OP(BUFFER_APPEND), ACL_ENTER, appending},
	{ON_OP(BUFFER_APPEND), ACL_LEAVE, appended},
};

const struct check_module module_mbuf = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
