/* SPDX-License-Identifier: Apache-2.0 */
/* Shared buffers: how much data fits, how long a chain may be. */
#include "checks/engine/finding_statement.h"
#include "checks/state/buffer_state.h"

#define CHAIN_MAX 128 /* buffers of one chain, its head as well */

static struct acl_object *buffer(struct checks *c, const void *value)
{
	return value ? object_live(c, ACL_HANDLE_MBUF, value) : NULL;
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

/* More than was requested may have found room; where the runtime refuses it, it has not. */
static void refused_length(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetBufDataLen *a = call->args;
	struct acl_object *b = buffer(c, a->buf);
	uint64_t requested = b ? load_relaxed(&mbuf_state(b)->requested) : 0;

	if (requested && !load_relaxed(&mbuf_state(b)->size))
		FINDING(c, call, "mbuf-size-and-chain", a->len > requested,
			PARTS(part_bytes("len", a->len), part_bytes("requested", requested),
				part_object("shared buffer", b)),
			"The buffer was made for %llu bytes, the data shall have %llu.",
			(unsigned long long)requested, (unsigned long long)a->len);
}

static unsigned in_chain(struct acl_object *head)
{
	return 1 + (head ? load_relaxed(&mbuf_state(head)->appended) : 0);
}

static void appending(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtAppendBufChain *a = call->args;
	struct acl_object *head = buffer(c, a->headBuf);
	unsigned has = in_chain(head), more = in_chain(buffer(c, a->buf));

	if (head)
		FINDING(c, call, "mbuf-size-and-chain", has + more > CHAIN_MAX,
			PARTS(part_object("head of the chain", head)),
			"The chain has %u buffers and would get %u more; %u are the most.", has, more,
			CHAIN_MAX);
}

static const struct check_hook hooks[] = {
	{ON_OP(BUFFER_SET_LENGTH), ACL_ENTER, setting_length},
	{ON_OP(BUFFER_SET_LENGTH), ACL_FAILED, refused_length},
	{ON_OP(BUFFER_APPEND), ACL_ENTER, appending},
};

const struct check_module module_buffer_use = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
