/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an update brings the kernels that the group has.  Kernels of operator libraries do not go
 * through this interface, so what was seen explains the runtime's refusal and proves nothing by itself.
 */
#include "checks/engine/finding_statement.h"
#include "checks/state/group_state.h"

#define REFUSED ACL_ERROR_RT_INTERNAL_ERROR

static void group_update_end(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *group = group_updated(c, s);
	uint32_t has, seen;

	if (!group || !group_kernels(group)->known)
		return;
	has = group_kernels(group)->n;
	seen = group_updates(s);
	FINDING(c, call, "taskupd-count-mismatch", error_of(call) == REFUSED && (seen != has || !seen),
		PARTS(part_uint("kernels of the group", has), part_uint("kernels of the update", seen),
			part_object("task group", group), part_object("stream", s),
			part_advice(group_update_given_up(s))),
		"The group was captured with %u kernel%s that went through this interface, and the update "
		"launched %u.",
		has, has == 1 ? "" : "s", seen);
}

static bool kernel_beyond(
	struct checks *c, struct acl_call_record *call, struct acl_object *s, struct acl_object *group)
{
	uint32_t has = group_kernels(group)->n, seen = group_updates(s);

	return FINDING(c, call, "taskupd-count-mismatch", error_of(call) == REFUSED && seen >= has,
		PARTS(part_uint("kernels of the group", has), part_uint("kernels of the update", seen + 1),
			part_object("task group", group), part_object("stream", s)),
		"Kernel number %u of the update: the group was captured with %u.", seen + 1, has);
}

static void group_update_kernel(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *group = group_updated(c, s);
	const void *function = acl_arg_pointer(call->api, call->args, ACL_ROLE_FUNCTION), *was;
	uint32_t at;

	if (!group || !group_kernels(group)->known || kernel_beyond(c, call, s, group))
		return;
	at = group_updates(s);
	if (at >= group_kernels(group)->n || at >= GROUP_KERNELS)
		return;
	was = group_kernels(group)->function[at];
	FINDING(c, call, "taskupd-kernel-type-mismatch", error_of(call) == REFUSED && function != was,
		PARTS(part_address("function", function), part_address("captured function", was),
			part_uint("kernel", at + 1), part_object("task group", group)),
		"Kernel number %u of the group was captured with another function, and the runtime does not "
		"take "
		"this one in its place: they have to be of one type.",
		at + 1);
}

static const struct check_hook hooks[] = {
	{ON_OP(CAPTURE_UPDATE_END), ACL_LEAVE, group_update_end},
	{ON_OP(LAUNCH_KERNEL), ACL_LEAVE | ACL_IF_SPECIAL, group_update_kernel},
};

const struct check_module module_group_updates = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
