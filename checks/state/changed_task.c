/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task of a model that is changed: which of the model's uses were its own is not
 * known, so all are forgotten that a task of its type may have; what its new parameters
 * name is used from now on.
 */
#include "checks/engine/program_memory.h"
#include "checks/state/binary_state.h"
#include "checks/state/capture_change.h"
#include "checks/state/launch_words.h"
#include "checks/state/model_execution.h"
#include "checks/state/pending_change.h"
#include "checks/state/signal_state.h"
#include "checks/state/task_state.h"
#include "checks/state/unseen_ends.h"

/* Copies, sets and what else is of the default type stay as they are. */
unsigned tasks_made_by(uint16_t api)
{
	switch (acl_apis[api].operation_group) {
	case ACL_OP_GROUP_COPY:
	case ACL_OP_GROUP_SET:
	case ACL_OP_GROUP_REDUCE:
	case ACL_OP_GROUP_RANDOM:
	case ACL_OP_GROUP_CACHE:
	case ACL_OP_GROUP_MANAGED:
		return 0;
	}
	switch (acl_apis[api].operation) {
	case ACL_OP_LAUNCH_HOST_FUNCTION:
	case ACL_OP_LAUNCH_CONDITION:
	case ACL_OP_RECORD_NOTIFY:
	case ACL_OP_RECORD_COUNT_NOTIFY:
	case ACL_OP_WAIT_NOTIFY:
	case ACL_OP_WAIT_COUNT_NOTIFY:
		return 0;
	case ACL_OP_RECORD_EVENT:
	case ACL_OP_WAIT_EVENT:
	case ACL_OP_RESET_EVENT:
		return TASK_EVENT;
	case ACL_OP_WRITE_VALUE:
	case ACL_OP_WAIT_VALUE:
		return TASK_VALUE;
	case ACL_OP_LAUNCH_KERNEL:
		return TASK_KERNEL;
	}
	return TASK_ANY;
}

/* What the changed task was; a change of its type may have come since the program asked for it, after which
 * its uses are those of any. */
static unsigned task_was(struct checks *c, const struct acl_call_record *call)
{
	aclmdlRITaskType type;

	if (!task_type(c, call, &type))
		return TASK_ANY;
	switch (type) {
	case ACL_MODEL_RI_TASK_KERNEL:
		return TASK_KERNEL;
	case ACL_MODEL_RI_TASK_EVENT_RECORD:
	case ACL_MODEL_RI_TASK_EVENT_WAIT:
	case ACL_MODEL_RI_TASK_EVENT_RESET:
		return TASK_EVENT;
	case ACL_MODEL_RI_TASK_VALUE_WRITE:
	case ACL_MODEL_RI_TASK_VALUE_WAIT:
		return TASK_VALUE;
	default:
		return TASK_ANY;
	}
}

static void task_changed(struct checks *c, struct acl_object *model, unsigned tasks)
{
	model_accesses_changed(c, model, tasks);
	model_uses_changed(c, model, tasks);
}

static void task_disabled_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = task_model(c, call);

	if (m)
		task_changed(c, m, task_was(c, call));
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
	words_given(c, words, n);
	for (unsigned i = 0; i < n; i++)
		model_given_address(c, m, words[i], call);
}

/* What the model does from now on to the order of tasks, whatever the task did before. */
static void value_set(struct checks *c, struct acl_object *model, const aclmdlRITaskParams *p)
{
	struct model_state *m = model_state(model), *root = model_state(model_root(c, model));

	if (p->type == ACL_MODEL_RI_TASK_VALUE_WRITE)
		model_writes_word(c, model_root(c, model), p->valueWriteTaskParams.devAddr);
	if (p->type != ACL_MODEL_RI_TASK_VALUE_WAIT)
		return;
	store_relaxed(&m->waits_unseen, true);
	store_relaxed(&root->waits_unseen, true);
	store_relaxed(&root->waits_outside, true);
	unseen_end_follow(c, false);
	store_relaxed(&root->waits_anywhere, true);
}

static void task_set_leave(struct checks *c, struct acl_call_record *call)
{
	const void *given = acl_arg_pointer(call->api, call->args, ACL_ROLE_PARAMETERS);
	struct acl_object *m = task_model(c, call);
	aclmdlRITaskParams p;
	bool known;

	if (!m)
		return;
	known = program_read(c, given, &p, sizeof(p));
	/* Only a kernel can get the parameters of one; those of a value make a value of any task. */
	task_changed(c, m, known && p.type == ACL_MODEL_RI_TASK_KERNEL ? TASK_KERNEL : task_was(c, call));
	if (!known || !succeeded(call))
		return;
	value_set(c, m, &p);
	if (p.type == ACL_MODEL_RI_TASK_KERNEL)
		kernel_uses(c, m, &p.kernelTaskParams, call);
	else if (p.type == ACL_MODEL_RI_TASK_VALUE_WRITE)
		model_uses_address(c, m, p.valueWriteTaskParams.devAddr, call);
	else if (p.type == ACL_MODEL_RI_TASK_VALUE_WAIT)
		model_uses_address(c, m, p.valueWaitTaskParams.devAddr, call);
}

static const struct check_hook hooks[] = {
	{ON_OP(TASK_DISABLE), ACL_LEAVE, task_disabled_leave},
	{ON_OP(TASK_SET_PARAMETERS), ACL_LEAVE, task_set_leave},
};

const struct check_module module_changed_task = {
	.order = 38,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
