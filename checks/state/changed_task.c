/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task of a model that is changed: which of the model's uses were its own is not
 * known, so all are forgotten; what its new parameters name is used from now on.
 */
#include "checks/engine/program_memory.h"
#include "checks/state/binary_state.h"
#include "checks/state/capture_change.h"
#include "checks/state/launch_words.h"
#include "checks/state/pending_change.h"
#include "checks/state/task_state.h"

static void task_changed_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = task_model(c, call);

	if (!m)
		return;
	model_accesses_end(c, m);
	model_uses_end(c, m);
}

static void kernel_uses(struct checks *c, struct acl_object *m, const aclmdlRIKernelTaskParams *kernel,
	const struct acl_call_record *call)
{
	uint64_t words[LAUNCH_WORDS];
	unsigned n = 0;

	model_uses_object(c, m, binary_of(c, object_find(c, ACL_HANDLE_FUNCTION, kernel->funcHandle)), call);
	if (!kernel->isHostArgs)
		model_uses_address(c, m, kernel->args, call);
	else
		n = launch_words_read(c, kernel->args, kernel->argsSize, words);
	for (unsigned i = 0; i < n; i++)
		model_given_address(c, m, words[i], call);
}

static void task_set_leave(struct checks *c, struct acl_call_record *call)
{
	const void *given = acl_arg_pointer(call->api, call->args, ACL_ROLE_PARAMETERS);
	struct acl_object *m = task_model(c, call);
	aclmdlRITaskParams p;

	task_changed_leave(c, call);
	if (!m || !succeeded(call) || !program_read(c, given, &p, sizeof(p)))
		return;
	if (p.type == ACL_MODEL_RI_TASK_KERNEL)
		kernel_uses(c, m, &p.kernelTaskParams, call);
	else if (p.type == ACL_MODEL_RI_TASK_VALUE_WRITE)
		model_uses_address(c, m, p.valueWriteTaskParams.devAddr, call);
	else if (p.type == ACL_MODEL_RI_TASK_VALUE_WAIT)
		model_uses_address(c, m, p.valueWaitTaskParams.devAddr, call);
}

static const struct check_hook hooks[] = {
	{ON_OP(TASK_DISABLE), ACL_LEAVE, task_changed_leave},
	{ON_OP(TASK_SET_PARAMETERS), ACL_LEAVE, task_set_leave},
};

const struct check_module module_changed_task = {
	.order = 38,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
