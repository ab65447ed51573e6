/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of allocators: which of their parts were set. */
#include "checks/state/allocator_state.h"

static void part_set(struct checks *c, struct acl_call_record *call, enum allocator_part part)
{
	/* All begin with the description and what is set. */
	const struct acl_args_aclrtAllocatorSetObjToDesc *a = call->args;
	struct acl_object *desc = object_live(c, ACL_HANDLE_ALLOCATOR_DESC, a->allocatorDesc);

	if (!desc || !succeeded(call))
		return;
	if (part == ALLOCATOR_OBJECT)
		store_relaxed(&allocator_desc_state(desc)->allocator, (uintptr_t)a->allocator);
	if (a->allocator)
		atomic_fetch_or(&allocator_desc_state(desc)->parts, part);
	else
		atomic_fetch_and(&allocator_desc_state(desc)->parts, ~(unsigned)part);
}

static void allocator_object_leave(struct checks *c, struct acl_call_record *call)
{
	part_set(c, call, ALLOCATOR_OBJECT);
}

static void allocator_allocate_leave(struct checks *c, struct acl_call_record *call)
{
	part_set(c, call, ALLOCATOR_ALLOCATE);
}

static void allocator_free_leave(struct checks *c, struct acl_call_record *call)
{
	part_set(c, call, ALLOCATOR_FREE);
}

static void allocator_address_leave(struct checks *c, struct acl_call_record *call)
{
	part_set(c, call, ALLOCATOR_ADDRESS);
}

static const struct check_hook hooks[] = {
	{ON_OP(ALLOCATOR_SET_OBJECT), ACL_LEAVE, allocator_object_leave},
	{ON_OP(ALLOCATOR_SET_ALLOCATE), ACL_LEAVE, allocator_allocate_leave},
	{ON_OP(ALLOCATOR_SET_FREE), ACL_LEAVE, allocator_free_leave},
	{ON_OP(ALLOCATOR_SET_ADDRESS), ACL_LEAVE, allocator_address_leave},
};

const struct check_module module_allocator_desc = {
	.order = 16,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
