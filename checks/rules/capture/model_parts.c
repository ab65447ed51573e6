/* SPDX-License-Identifier: Apache-2.0 */
/* What goes with a model, used when the model is gone: its tasks and the handles of its conditions. */
#include "checks/engine/finding_statement.h"
#include "checks/state/condition_state.h"
#include "checks/state/task_state.h"

static void part_used(struct checks *c, struct acl_call_record *call, struct acl_object *model,
	const char *name, const void *part, const char *gone)
{
	if (model)
		FINDING(c, call, "mdlri-use-after-destroy", !object_usable(model),
			PARTS(part_handle(name, (uintptr_t)part), part_object("model", model)), "%s", gone);
}

static void task_used(struct checks *c, struct acl_call_record *call)
{
	part_used(c, call, task_owner(c, call), "task", acl_arg_pointer(call->api, call->args, ACL_ROLE_TASK),
		"The model of this task is gone, and the task with it.");
}

static void condition_used(struct checks *c, struct acl_call_record *call)
{
	const void *handle = acl_arg_pointer(call->api, call->args, ACL_ROLE_CONDITION);

	part_used(c, call, condition_owner(c, (uintptr_t)handle), "handle", handle,
		"The model of this condition is gone, and the handle with it.");
}

static const struct check_hook hooks[] = {
	{ON_OBJECT(TASK, USE), ACL_ENTER, task_used},
	{ON_OBJECT(COND, USE), ACL_ENTER, condition_used},
};

const struct check_module module_model_parts = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
