/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups of captures and their updates. */
#include "checks/state/group_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/lifecycle.h"
#include "checks/state/stream_change.h"

/* It belongs to the model it is captured into. */
void group_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o)
{
	struct acl_object *model = call->state.capture ? object_of(c, call->state.capture) : NULL;

	store_relaxed(&group_state(o)->model, call->state.capture);
	if (!model)
		return;
	lock(&model_state(model)->lock);
	group_state(o)->kernels = model_state(model)->in_group;
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

static void group_kernel_updates(struct checks *c, struct acl_object *stream)
{
	struct stream_rare *s = stream_rare_make(c, stream);

	if (s)
		counter_inc(&s->updated);
}

static void group_kernel_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *model = capture_of(c, s);

	if (!s || !succeeded(call))
		return;
	if (model && stream_rarely(s, group) == object_ref(model))
		group_kernel_add(model, call);
	else if (!model && load_relaxed(&stream_state(s)->update) == UPDATE_OPEN)
		group_kernel_updates(c, s);
}

static void group_is_open(struct checks *c, struct acl_object *stream, acl_ref group)
{
	struct stream_rare *s = stream_rare_make(c, stream);

	if (s)
		store_relaxed(&s->group, group);
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
		group_is_open(c, stream_of(call), object_ref(model));
	} else if (stream_rarely(stream_of(call), group) <= GROUP_UNKNOWN) {
		group_is_open(c, stream_of(call), GROUP_UNKNOWN);
	}
}

static void group_ended(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = capture_of(c, stream_of(call));

	if (!model || stream_rarely(stream_of(call), group) != object_ref(model))
		return;
	store_relaxed(&model_state(model)->group, false);
	group_is_open(c, stream_of(call), succeeded(call) ? 0 : GROUP_UNKNOWN);
}

/* An update of the group begins (1) or ends (-1). */
static void updates_count(struct checks *c, struct acl_object *group, int by)
{
	struct acl_object *model = object_of(c, load_relaxed(&group_state(group)->model));

	atomic_fetch_add_explicit(&group_state(group)->updates, (uint32_t)by, memory_order_relaxed);
	if (model)
		atomic_fetch_add_explicit(&model_state(model)->updates, (uint32_t)by, memory_order_relaxed);
}

/* The group that is updated on the stream from now on, NULL = none. */
static void update_is_of(struct checks *c, struct acl_object *stream, struct acl_object *group)
{
	struct stream_rare *s = stream_rare_make(c, stream);
	struct acl_object *former;
	acl_ref before;

	if (!s)
		return;
	/* Counted before it can be seen on the stream: too many only cost a search. */
	if (group)
		updates_count(c, group, 1);
	before = atomic_exchange(&s->updating, group ? object_ref(group) : 0);
	former = before ? object_of(c, before) : NULL;
	if (former)
		updates_count(c, former, -1);
}

struct acl_object *group_updated_on(struct checks *c, struct acl_object *group)
{
	struct acl_object *s;

	if (!load_relaxed(&group_state(group)->updates))
		return NULL;
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		if (object_usable(s) && stream_rarely(s, updating) == object_ref(group))
			return s;
	}
	return NULL;
}

static void update_begins(struct checks *c, struct acl_object *stream, struct acl_object *group)
{
	struct stream_rare *s = stream_rare_make(c, stream);

	if (s)
		store_relaxed(&s->updated, 0);
	update_is_of(c, stream, group);
}

static void update_begun(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *group =
		object_find(c, ACL_HANDLE_TASK_GROUP, ACL_ARGS(call, aclmdlRICaptureTaskUpdateBegin)->handle);
	struct acl_object *model = group ? object_of(c, load_relaxed(&group_state(group)->model)) : NULL;

	if (model && succeeded(call))
		store_relaxed(&model_state(model)->updated, true);
	if (stream_of(call) && succeeded(call))
		update_begins(c, stream_of(call), group);
	if (stream_of(call) && load_relaxed(&stream_state(stream_of(call))->update) != UPDATE_OPEN)
		store_relaxed(&stream_state(stream_of(call))->update,
			succeeded(call) ? UPDATE_OPEN : UPDATE_UNKNOWN);
	if (stream_of(call))
		stream_special_renew(stream_of(call));
}

/* The tasks that change the model run on the stream, also those of kernels that are launched below us. */
static void update_ending(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (!s || load_relaxed(&stream_state(s)->update) != UPDATE_OPEN)
		return;
	call->state.position = counter_inc(&stream_state(s)->submitted) + 1;
	stream_submits(c, s, call->state.position);
}

static void update_ended(struct checks *c, struct acl_call_record *call)
{
	if (!stream_of(call))
		return;
	update_is_of(c, stream_of(call), NULL);
	store_relaxed(&stream_state(stream_of(call))->update, succeeded(call) ? UPDATE_NONE : UPDATE_UNKNOWN);
	stream_special_renew(stream_of(call));
}

static const struct check_hook hooks[] = {
	{ON_OP(CAPTURE_GROUP_BEGIN), ACL_LEAVE, group_begun},
	{ON_OP(CAPTURE_GROUP_END), ACL_LEAVE, group_ended},
	{ON_OP(LAUNCH_KERNEL), ACL_LEAVE | ACL_CONDITIONAL | ACL_IF_SPECIAL, group_kernel_leave},
	{ON_OP(CAPTURE_UPDATE_BEGIN), ACL_LEAVE, update_begun},
	{ON_OP(CAPTURE_UPDATE_END), ACL_ENTER, update_ending},
	{ON_OP(CAPTURE_UPDATE_END), ACL_LEAVE, update_ended},
};

const struct check_module module_group = {
	.order = 13,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
