/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that nothing wrote, read by a copy or compared by a wait. */
#include "checks/engine/finding_statement.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"
#include "checks/state/written_state.h"

/* Some side of the copy is device memory whose content the copy reads now. */
static bool reads_device(const struct operation *op)
{
	for (uint64_t i = 0; i < op->n_entries; i++) {
		const struct op_access *src = operation_entry(op, i).src;

		if (src && src->block.block && src->block.kind == MEM_DEVICE)
			return true;
	}
	return false;
}

static void copy_reads_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	const struct op_access *src = unwritten_source(op, call);

	/* What is captured reads when the model runs. */
	if (!call->state.capture && reads_device(op))
		FINDING(c, call, "uninit-device-read", src,
			PARTS(part_address("src", src->address),
				part_block("source memory", src->block.block)),
			"Nothing has written this memory since it was allocated.");
}

/* --- value-wait-uninitialised -------------------------------------------------------------- */

static void value_wait_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	uint64_t flag = acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS);
	const struct op_access *a = operation_entry(op, 0).src;

	/* The other conditions also serve to wait for a change of whatever was there. */
	if (call->state.capture || !op->n_entries ||
		(flag != ACL_STREAM_WAIT_VALUE_EQ && flag != ACL_STREAM_WAIT_VALUE_GEQ) || !a->block.block ||
		a->block.kind != MEM_DEVICE)
		return;
	FINDING(c, call, "value-wait-uninitialised", !block_maybe_written(c, a->block.block),
		PARTS(part_address(a->name, a->address), part_block("memory", a->block.block)),
		"Nothing has written this memory since it was allocated: what the wait compares is "
		"undefined.");
}

/* A plainly right copy does not read such memory. */
static bool uninitialized_create(struct checks *c)
{
	rule_evaluated_by(c, RULE("uninit-device-read"), ACL_CALLED_PLAIN_COPY);
	return true;
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_UNLESS_PLAIN, copy_reads_enter},
	{ON_OP(WAIT_VALUE), ACL_ENTER, value_wait_enter},
};

const struct check_module module_uninitialized = {
	.create = uninitialized_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
