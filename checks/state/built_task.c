/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of models that are built: what a stream is given while it is bound runs with the model. */
#include "checks/state/binding_state.h"
#include "checks/state/capture_change.h"
#include "checks/state/pending_change.h"
#include "checks/state/stream_state.h"
#include "checks/state/unseen_ends.h"

/* The model that the call has added a task to, NULL = none. */
static struct acl_object *task_added_to(struct checks *c, const struct acl_call_record *call)
{
	return succeeded(call) && !call->state.capture ? binding_of(c, stream_of(call)) : NULL;
}

static void built_task_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = task_added_to(c, call);

	if (!model)
		return;
	if (acl_apis[call->api].operation_group == ACL_OP_GROUP_WAIT) {
		store_relaxed(&model_state(model)->waits_outside, true);
		unseen_end_follow(c, false);
	}
	if (unseen_end_operation(call->api))
		store_relaxed(&model_state(model)->records, true);
	if (task_runs_kernel(call->api))
		store_relaxed(&model_state(model)->kernels, true);
	model_accesses_add(c, model, call);
	model_uses_handles(c, model, call);
}

/* Which tasks run is decided by values in memory from now on. */
static void built_branch_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = task_added_to(c, call);

	if (!model)
		return;
	store_relaxed(&model_state(model)->decides, true);
	model_accesses_add(c, model, call);
}

/* What the stream was given may be no part of the model any more. */
static void built_clean_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = stream_of(call) ? binding_of(c, stream_of(call)) : NULL;

	if (!model)
		return;
	store_relaxed(&model_state(model)->decides, true);
	store_relaxed(&model_state(model)->cleaned, true);
}

static void built_task_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		if (acl_apis[api].capture == ACL_CAPTURE_CAPTURED)
			add(binder, api, ACL_LEAVE | ACL_WHEN(BOUND), built_task_leave);
}

static const struct check_hook hooks[] = {
	{ON_OP(LABEL_SWITCH), ACL_LEAVE | ACL_WHEN(BOUND), built_branch_leave},
	{ON_OP(STREAM_SWITCH), ACL_LEAVE | ACL_WHEN(BOUND), built_branch_leave},
	{ON_OP(STREAM_ACTIVATE), ACL_LEAVE | ACL_WHEN(BOUND), built_branch_leave},
	{ON_OP(MODEL_UNBIND_STREAM), ACL_ENTER, built_clean_enter},
	{ON_OP(STREAM_CLEAN_PERSISTENT), ACL_ENTER, built_clean_enter},
};

const struct check_module module_built_task = {
	.order = 44,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = built_task_bind,
};
