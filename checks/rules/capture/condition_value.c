/* SPDX-License-Identifier: Apache-2.0 */
/* The value of a condition: a word of the runtime's that lives as long as the model. */
#include "checks/engine/finding_statement.h"
#include "checks/state/condition_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/operation.h"

static void condition_value_free(struct checks *c, struct acl_call_record *call)
{
	const void *address = acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);

	if (!address || !condition_values_known(c))
		return;
	FINDING(c, call, "cond-ptr-after-destroy", condition_value_at(c, address),
		PARTS(part_address("address", address),
			part_object("model", condition_value_model(c, address))),
		"The address is that of a condition's value, which belongs to the runtime and goes with the "
		"model.");
}

/* One side of a copy or set. Elsewhere the model may have been followed by memory of another library. */
static bool condition_value_used(struct checks *c, struct acl_call_record *call, const struct op_access *a)
{
	struct acl_object *m;
	bool gone;

	if (!a || !condition_value_at(c, a->address))
		return false;
	m = condition_value_model(c, a->address);
	gone = !m;
	return FINDING(c, call, "cond-ptr-after-destroy",
		gone || ((uintptr_t)a->address & (CONDITION_BYTES - 1)) + a->span > CONDITION_BYTES,
		PARTS(part_address(a->name, a->address), part_bytes("bytes", a->span),
			part_object("model", m),
			part_advice(gone && other_submitters_possible(c, CHECKS_OTHER_WORK))),
		"%s",
		gone ? "The address was that of a condition's value, and its model has been destroyed."
		     : "The value of a condition has 8 bytes, and more are used from here on.");
}

static void condition_value_access(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (condition_value_used(c, call, e.dst) || condition_value_used(c, call, e.src))
			return;
	}
}

/* A kernel writes it through the address only, and that was never requested. */
static void condition_value_execute(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);
	const unsigned unset = CONDITION_USED | CONDITION_NO_DEFAULT;

	if (!m || model_executions(m) || !condition_with(c, m, CONDITION_USED, 0))
		return;
	FINDING(c, call, "cond-value-not-initialised", condition_with(c, m, unset, CONDITION_ADDRESS_ASKED),
		PARTS(part_handle("condition", condition_with(c, m, unset, CONDITION_ADDRESS_ASKED)),
			part_object("model", m)),
		"A condition of the model has no default value, and nothing asked for the address of its "
		"value: it "
		"is 0 at every execution.");
}

static const struct check_hook hooks[] = {
	{ON_OP(FREE_DEVICE), ACL_ENTER | ACL_WHEN(CONDITION_VALUE), condition_value_free},
	{ON_OP(FREE_HOST), ACL_ENTER | ACL_WHEN(CONDITION_VALUE), condition_value_free},
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(CONDITION_VALUE) | ACL_UNLESS_PLAIN, condition_value_access},
	{ON_GROUP(SET), ACL_ENTER | ACL_WHEN(CONDITION_VALUE) | ACL_UNLESS_PLAIN, condition_value_access},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER | ACL_IF_ASYNC, condition_value_execute},
};

const struct check_module module_condition_value = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
