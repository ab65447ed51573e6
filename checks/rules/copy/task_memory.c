/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of tasks that are no copies (reductions, cache operations, random numbers, the overflow status): of
 * the device that runs them, of the right kind and large enough.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/rules/copy/memory_owner.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"
#include "checks/state/task_range.h"
#include "checks/state/stream_state.h"

static void check_access_owner(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct op_access *a, int device)
{
	if (a && a->address)
		memory_owner_check(c, call, rule, a->name, a->address, &a->block, device);
}

static void reduce_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	int device = task_device(c, call);

	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		check_access_owner(c, call, RULE("reduce-arguments"), e.src, device);
		check_access_owner(c, call, RULE("reduce-arguments"), e.dst, device);
	}
}

/* --- cache operations -------------------------------------------------------------------------- */

/* The cache is the device's, and serves its own memory only. */
static void cache_enter(struct checks *c, struct acl_call_record *call)
{
	const void *address = acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
	const struct block_lookup *place;

	if (!address || runs_on_device(c))
		return;
	place = lookup_of(c, call, address, 0);
	if (!place->block || FINDING(c, call, "cmo-target-invalid", kind_is_host(place->kind),
				     PARTS(part_address("src", address), part_block("memory", place->block)),
				     "src is %s.", memory_kind_name(place->kind)))
		return;
	memory_owner_check(c, call, RULE("cmo-target-invalid"), "src", address, place, task_device(c, call));
}

/* --- others -------------------------------------------------------------------------------------- */

/* Mapped memory may go on behind the block. */
static void random_enter(struct checks *c, struct acl_call_record *call)
{
	struct task_range r[TASK_RANGES];
	unsigned n = task_ranges(c, call, r);
	struct block_lookup place;

	for (unsigned i = 0; i < n; i++) {
		uint64_t room;

		if (!lookup_find(c, call, r[i].at, 0, &place) ||
			(place.kind != MEM_DEVICE && place.kind != MEM_POOL))
			continue;
		room = place.base + place.size - (uintptr_t)r[i].at;
		FINDING(c, call, "random-task-arguments", room < r[i].bytes,
			PARTS(part_address(r[i].name, r[i].at), part_bytes("room", room),
				part_block("memory", place.block)),
			"%s takes %llu bytes, and there is room for %llu.", r[i].name,
			(unsigned long long)r[i].bytes, (unsigned long long)room);
	}
}

static void overflow_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	struct op_access *out = op->n_entries ? operation_entry(op, 0).dst : NULL;

	if (!out || !out->address || runs_on_device(c))
		return;
	access_classify(c, call, out);
	if (out->location != ACCESS_UNKNOWN)
		FINDING(c, call, "overflow-output-size", !access_is_device(out),
			PARTS(part_address(out->name, out->address), part_block("memory", out->block.block)),
			"The device writes the status, and %s is host memory.", out->name);
}

/* The words are set by a task that knows host and device memory only. */
static void words_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	struct op_access *out = op->n_entries ? operation_entry(op, 0).dst : NULL;

	if (out && out->block.block && out->span)
		FINDING(c, call, "memsetd32-args", out->block.kind == MEM_MANAGED,
			PARTS(part_address(out->name, out->address), part_block("memory", out->block.block)),
			"%s is managed memory, which the function refuses.", out->name);
}

static const struct check_hook hooks[] = {
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_WHEN(DEVICES), reduce_enter},
	{ON_OP(CACHE_MAINTAIN), ACL_ENTER, cache_enter},
	{ON_OP(DESCRIBE_CACHE), ACL_ENTER, cache_enter},
	{ON_GROUP(RANDOM), ACL_ENTER, random_enter},
	{ON_OP(OVERFLOW_READ), ACL_ENTER, overflow_enter},
	{ON_OP(SET_WORDS), ACL_ENTER, words_enter},
};

const struct check_module module_task_memory = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
