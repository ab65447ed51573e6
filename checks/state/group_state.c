/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups of captures and their updates. */
#include "checks/state/group_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/lifecycle.h"

/* It belongs to the model it is captured into. */
void group_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o)
{
	struct acl_object *model = call->state.capture ? object_of(c, call->state.capture) : NULL;

	store_relaxed(&o->parent, call->state.capture);
	if (!model)
		return;
	lock(&model_state(model)->lock);
	((struct group_state *)object_extra(o))->kernels = model_state(model)->in_group;
	unlock(&model_state(model)->lock);
}

/* A kernel became part of the group that is open on the stream. */
static void group_kernel_add(struct acl_object *model, const struct acl_call_record *call)
{
	struct model_state *m = model_state(model);

	lock(&m->lock);
	if (m->in_group.n < GROUP_KERNELS)
		m->in_group.function[m->in_group.n] =
			acl_arg_pointer(call->api, call->args, ACL_ROLE_FUNCTION);
	m->in_group.n++;
	unlock(&m->lock);
}

static void group_kernel_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *model = capture_of(c, s);

	if (!s || !succeeded(call))
		return;
	if (model && load_relaxed(&stream_state(s)->group) == object_ref(model))
		group_kernel_add(model, call);
	else if (!model && load_relaxed(&stream_state(s)->update) == UPDATE_OPEN)
		counter_inc(&stream_state(s)->updated);
}

static void group_begun(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = capture_of(c, stream_of(call));

	if (!model)
		return;
	if (succeeded(call)) {
		lock(&model_state(model)->lock);
		model_state(model)->in_group.n = 0;
		unlock(&model_state(model)->lock);
		store_relaxed(&model_state(model)->group, true);
		store_relaxed(&stream_state(stream_of(call))->group, object_ref(model));
	} else if (load_relaxed(&stream_state(stream_of(call))->group) != object_ref(model)) {
		store_relaxed(&stream_state(stream_of(call))->group, GROUP_UNKNOWN);
	}
}

static void group_ended(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = capture_of(c, stream_of(call));

	if (!model || load_relaxed(&stream_state(stream_of(call))->group) != object_ref(model))
		return;
	store_relaxed(&model_state(model)->group, false);
	store_relaxed(&stream_state(stream_of(call))->group, succeeded(call) ? 0 : GROUP_UNKNOWN);
}

static void update_begun(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *group =
		object_find(c, ACL_HANDLE_TASK_GROUP, ACL_ARGS(call, aclmdlRICaptureTaskUpdateBegin)->handle);
	struct acl_object *model = group ? object_of(c, load_relaxed(&group->parent)) : NULL;

	if (model && succeeded(call))
		store_relaxed(&model_state(model)->updated, true);
	if (stream_of(call) && succeeded(call)) {
		store_relaxed(&stream_state(stream_of(call))->updated, 0);
		store_relaxed(&stream_state(stream_of(call))->updating, group ? object_ref(group) : 0);
	}
	if (stream_of(call) && load_relaxed(&stream_state(stream_of(call))->update) != UPDATE_OPEN)
		store_relaxed(&stream_state(stream_of(call))->update,
			succeeded(call) ? UPDATE_OPEN : UPDATE_UNKNOWN);
}

static void update_ended(struct checks *c, struct acl_call_record *call)
{
	(void)c;
	if (stream_of(call))
		store_relaxed(&stream_state(stream_of(call))->updating, 0);
	if (stream_of(call))
		store_relaxed(&stream_state(stream_of(call))->update,
			succeeded(call) ? UPDATE_NONE : UPDATE_UNKNOWN);
}

static const struct check_hook hooks[] = {
	{ON_OP(CAPTURE_GROUP_BEGIN), ACL_LEAVE, group_begun},
	{ON_OP(CAPTURE_GROUP_END), ACL_LEAVE, group_ended},
	{ON_OP(LAUNCH_KERNEL), ACL_LEAVE | ACL_CONDITIONAL, group_kernel_leave},
	{ON_OP(CAPTURE_UPDATE_BEGIN), ACL_LEAVE, update_begun},
	{ON_OP(CAPTURE_UPDATE_END), ACL_LEAVE, update_ended},
};

const struct check_module module_group = {
	.order = 13,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
