/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of device variables: each device has its own. */
#include "checks/engine/finding_statement.h"
#include "checks/state/device_state.h"
#include "checks/state/used_memory.h"
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

static void device_symbol_use_enter(struct checks *c, struct acl_call_record *call)
{
	struct used_memory m;
	const struct op_access *a;

	used_memory_each(c, call, &m, a) symbol_use_check(c, call, a->name, a->address);
}

static void device_symbol_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	used_memory_bind(add, binder, MEMORY_USED, ACL_ENTER | ACL_WHEN(VARIABLES) | ACL_UNLESS_PLAIN,
		device_symbol_use_enter);
}

const struct check_module module_symbol = {
	.bind = device_symbol_bind,
};
