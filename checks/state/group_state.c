/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups of captures and their updates. */
#include "checks/state/group_state.h"
#include "checks/state/binary_state.h"
#include "checks/state/capture_change.h"
#include "checks/state/lifecycle.h"
#include "checks/state/model_execution.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_change.h"

/* It belongs to the model it is captured into. */
void group_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o)
{
	struct acl_object *model = call->state.capture ? object_of(c, call->state.capture) : NULL;

	store_relaxed(&group_state(o)->model, call->state.capture);
	if (model && stream_of(call))
		group_state(o)->kernels = capture_stream_group(model, stream_of(call));
}

static struct acl_object *model_of_group(struct checks *c, struct acl_object *group)
{
	return group ? object_of(c, load_relaxed(&group_state(group)->model)) : NULL;
}

static void group_update_add(
	struct checks *c, struct acl_object *model, struct acl_object *group, const void *function)
{
	struct group_update *u = &group_state(group)->update;
	struct acl_object *f = object_find(c, ACL_HANDLE_FUNCTION, function);
	acl_ref binary = f ? load_relaxed(&function_state(f)->binary) : 0;

	lock(&model_state(model)->lock);
	if (u->n < GROUP_KERNELS)
		u->binary[u->n++] = binary;
	unlock(&model_state(model)->lock);
}

static void group_kernel_updates(struct checks *c, struct acl_object *stream, const void *function)
{
	struct stream_rare *s = stream_rare_make(c, stream);
	struct acl_object *group = group_updated(c, stream), *model = model_of_group(c, group);

	if (s) {
		counter_inc(&s->updated);
		store_relaxed(&s->update_failed, false);
	}
	if (model)
		group_update_add(c, model, group, function);
}

static void group_kernel_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	struct stream_rare *r =
		s && load_relaxed(&stream_state(s)->update) == UPDATE_OPEN ? stream_rare_make(c, s) : NULL;

	if (r)
		store_relaxed(&r->update_failed, true);
}

static void group_kernel_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *model = capture_of(c, s);
	const void *function = acl_arg_pointer(call->api, call->args, ACL_ROLE_FUNCTION);

	if (!s || !succeeded(call))
		return;
	if (model && stream_rarely(s, group) == object_ref(model))
		capture_stream_group_kernel(model, s, function);
	else if (!model && load_relaxed(&stream_state(s)->update) == UPDATE_OPEN) {
		group_kernel_updates(c, s, function);
		kernel_joins_model(c, call);
	}
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
		capture_stream_group_begins(model, stream_of(call));
		if (stream_rarely(stream_of(call), group) != object_ref(model))
			counter_inc(&model_state(model)->groups);
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
	/* Refused before anything is done. */
	if (error_of(call) == ACL_ERROR_RT_PARAM_INVALID)
		return;
	counter_dec(&model_state(model)->groups);
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

static void group_update_begins(struct acl_object *model, struct acl_object *group)
{
	lock(&model_state(model)->lock);
	group_state(group)->update.n = 0;
	group_state(group)->update.end.caller = 0;
	unlock(&model_state(model)->lock);
}

static void update_begins(struct checks *c, struct acl_object *stream, struct acl_object *group)
{
	struct stream_rare *s = stream_rare_make(c, stream);
	struct acl_object *model = model_of_group(c, group);

	if (s) {
		store_relaxed(&s->updated, 0);
		store_relaxed(&s->update_failed, false);
	}
	if (model)
		group_update_begins(model, group);
	update_is_of(c, stream, group);
}

static void update_begun(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *group =
		object_find(c, ACL_HANDLE_TASK_GROUP, ACL_ARGS(call, aclmdlRICaptureTaskUpdateBegin)->handle);
	struct acl_object *model = model_of_group(c, group);

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

/* Where the last update of the model ended, for its executions. Locked: those of two groups may end at once.
 */
static void update_end_keep(const struct acl_call_record *call, struct acl_object *model)
{
	struct model_state *m = model_state(model);

	if (!call->state.position)
		return;
	lock(&m->lock);
	/* Position 0 while the pair is changed: a reader in between sees no update and proves nothing. */
	store_release(&m->updated_at, 0);
	store_release(&m->updated_on, object_ref(stream_of(call)));
	store_release(&m->updated_at, call->state.position);
	unlock(&m->lock);
}

struct acl_object *model_updated_on(struct checks *c, struct acl_object *model, uint64_t *position)
{
	struct model_state *m = model_state(model);
	uint64_t first = load_acquire(&m->updated_at);
	acl_ref stream = load_acquire(&m->updated_on);

	*position = load_acquire(&m->updated_at);
	return first && first == *position ? object_of(c, stream) : NULL;
}

/* Nothing is known of one that failed. */
static void group_update_ended(struct checks *c, const struct acl_call_record *call, struct acl_object *group)
{
	struct acl_object *model = model_of_group(c, group);

	if (!model)
		return;
	lock(&model_state(model)->lock);
	if (succeeded(call))
		group_state(group)->update.end =
			(struct acl_call_site){.caller = call->caller, .tid = call->tid, .api = call->api};
	else
		group_state(group)->update.n = 0;
	unlock(&model_state(model)->lock);
	if (succeeded(call))
		update_end_keep(call, model_root(c, model));
}

bool group_updated_from(struct checks *c, struct acl_object *group, acl_ref binary, struct group_update *u)
{
	struct acl_object *model = model_of_group(c, group);
	bool found = false;

	if (!model || !object_usable(model))
		return false;
	lock(&model_state(model)->lock);
	*u = group_state(group)->update;
	unlock(&model_state(model)->lock);
	for (uint32_t i = 0; u->end.caller && i < u->n && !found; i++)
		found = u->binary[i] == binary;
	return found;
}

static void update_ended(struct checks *c, struct acl_call_record *call)
{
	if (!stream_of(call))
		return;
	if (group_updated(c, stream_of(call)))
		group_update_ended(c, call, group_updated(c, stream_of(call)));
	update_is_of(c, stream_of(call), NULL);
	store_relaxed(&stream_state(stream_of(call))->update, succeeded(call) ? UPDATE_NONE : UPDATE_UNKNOWN);
	stream_special_renew(stream_of(call));
}

static const struct check_hook hooks[] = {
	{ON_OP(CAPTURE_GROUP_BEGIN), ACL_LEAVE, group_begun},
	{ON_OP(CAPTURE_GROUP_END), ACL_LEAVE, group_ended},
	{ON_OP(LAUNCH_KERNEL), ACL_LEAVE | ACL_IF_SPECIAL, group_kernel_leave},
	{ON_OP(LAUNCH_KERNEL), ACL_FAILED, group_kernel_failed},
	{ON_OP(CAPTURE_UPDATE_BEGIN), ACL_LEAVE, update_begun},
	{ON_OP(CAPTURE_UPDATE_END), ACL_ENTER, update_ending},
	{ON_OP(CAPTURE_UPDATE_END), ACL_LEAVE, update_ended},
};

const struct check_module module_group = {
	.order = 13,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
