/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the arguments of a launch lie: in memory that is there, of the side and the device that the call
 * says, and large enough.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/rules/copy/gone_memory.h"
#include "checks/rules/copy/memory_owner.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"

/* What no table knows may be memory of a library; registered memory has an address for the device. */
static void check_own_memory(
	struct checks *c, struct acl_call_record *call, const char *name, const void *address)
{
	struct block_lookup place;

	if (map_live(registered_ranges(c)) && map_find(registered_ranges(c), (uintptr_t)address, &place))
		return;
	if (host_class(c, call, acl_role_param(call->api, ACL_ROLE_DEVICE_ARGUMENTS), address) >
		ACL_HOST_UNKNOWN)
		FINDING(c, call, "kernel-args-location", true, PARTS(part_address(name, address)),
			"%s must be device memory, and lies in the program's own host memory.", name);
}

static inline __attribute__((always_inline)) void check_side(struct checks *c, struct acl_call_record *call,
	const char *name, const void *address, const struct block_lookup *place, bool host)
{
	FINDING(c, call, "kernel-args-location",
		host ? place->kind == MEM_DEVICE || place->kind == MEM_POOL : place->kind == MEM_HOST,
		PARTS(part_address(name, address), part_block("arguments", place->block)),
		"%s must be %s memory, this is %s.", name, host ? "host" : "device",
		memory_kind_name(place->kind));
}

#define ROUNDING 63 /* the runtime adds no more to what was asked for: up to a multiple of 32, and 32 */

/* Blocks that end where the program sees no other one begin. */
static void check_args_end(
	struct checks *c, struct acl_call_record *call, const void *address, const struct block_lookup *place)
{
	uint64_t bytes = acl_arg_value(call->api, call->args, ACL_ROLE_ARGUMENT_BYTES), room;

	if (place->kind != MEM_DEVICE && place->kind != MEM_POOL)
		return;
	room = place->base + place->size - (uintptr_t)address;
	FINDING(c, call, "kernel-args-location", bytes > room && bytes - room > ROUNDING,
		PARTS(part_address("argsData", address), part_bytes("argsSize", bytes),
			part_block("arguments", place->block)),
		"argsSize is %llu, and the memory of argsData ends after %llu bytes.",
		(unsigned long long)bytes, (unsigned long long)room);
}

/* Every launch: one look-up for all that is to be said of the place. */
static void launch_device_args(struct checks *c, struct acl_call_record *call)
{
	const void *address = acl_arg_pointer(call->api, call->args, ACL_ROLE_DEVICE_ARGUMENTS);
	const struct block_lookup *place = address ? allocation_at(c, call, address, 0) : NULL;

	if (!address)
		return;
	if (!place) {
		gone_memory_used(c, call, "argsData", "arguments", address);
		if (!runs_on_device(c))
			check_own_memory(c, call, "argsData", address);
		return;
	}
	gone_memory_evaluated(call, place->kind);
	if (checks_happened(c, WHEN_DEVICES))
		memory_owner_check(c, call, RULE("kernel-args-location"), "argsData", address, place,
			task_device(c, call));
	if (runs_on_device(c))
		return;
	check_side(c, call, "argsData", address, place, false);
	check_args_end(c, call, address, place);
}

static void launch_host_args(struct checks *c, struct acl_call_record *call)
{
	const void *address = acl_arg_pointer(call->api, call->args, ACL_ROLE_HOST_ARGUMENTS);
	const struct block_lookup *place =
		address && !runs_on_device(c) ? allocation_at(c, call, address, 0) : NULL;

	if (place)
		check_side(c, call, "hostArgs", address, place, true);
}

static const struct check_hook hooks[] = {
	{ON_OP_WITH(LAUNCH_KERNEL, DEVICE_ARGUMENTS), ACL_ENTER, launch_device_args},
	{ON_OP_WITH(LAUNCH_KERNEL, HOST_ARGUMENTS), ACL_ENTER, launch_host_args},
};

const struct check_module module_launch_place = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
