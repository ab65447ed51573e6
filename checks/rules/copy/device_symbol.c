/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of device variables: each device has its own. */
#include "checks/engine/finding_statement.h"
#include "checks/state/device_state.h"
#include "checks/state/operation.h"
#include "checks/state/variable_state.h"

static void symbol_use_check(
	struct checks *c, struct acl_call_record *call, const char *name, const void *address)
{
	int device = device_current(c, thread_of(call));
	struct block_lookup place;
	uint64_t devices;

	if (device < 0 || device >= ACL_DEVICES)
		return;
	devices = variable_devices(c, address, &place);
	if (devices)
		FINDING(c, call, "symbol-address-other-device", !(devices >> device & 1),
			PARTS(part_address(name, address), part_int("current device", device),
				part_block("device variable", place.block)),
			"%s is the address of a variable of device %d, and device %d is current.", name,
			load_relaxed(&place.block->device), device);
}

/* Every operation that is given memory. */
static void device_symbol_use_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (!variables_have_addresses(c))
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (e.src)
			symbol_use_check(c, call, e.src->name, e.src->address);
		if (e.dst)
			symbol_use_check(c, call, e.dst->name, e.dst->address);
	}
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_CONDITIONAL | ACL_UNLESS_PLAIN, device_symbol_use_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_CONDITIONAL, device_symbol_use_enter},
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_CONDITIONAL, device_symbol_use_enter},
	{ON_OP(WRITE_VALUE), ACL_ENTER | ACL_CONDITIONAL, device_symbol_use_enter},
	{ON_OP(WAIT_VALUE), ACL_ENTER | ACL_CONDITIONAL, device_symbol_use_enter},
};

const struct check_module module_symbol = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
