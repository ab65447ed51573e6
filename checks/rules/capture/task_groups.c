/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups of captures, and the streams on which their tasks are updated. */
#include "checks/engine/finding_statement.h"
#include "checks/state/binding_state.h"
#include "checks/state/binary_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/group_state.h"

/* The capture of the stream; NULL with a finding when there is none. */
static struct acl_object *group_needs_capture(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s);

	if (!object_is_known(s) || (!capture && load_relaxed(&stream_state(s)->capture_unsure)))
		return NULL;
	FINDING(c, call, "taskgrp-begin-not-capturing", !capture, PARTS(part_object("stream", s)),
		"The stream is not being captured: task groups are parts of a capture.");
	return capture;
}

static void group_begin_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = group_needs_capture(c, call);

	/* A stream keeps the group that was open when another capture ended. */
	if (capture)
		FINDING(c, call, "taskgrp-begin-twice", stream_rarely(s, group) > GROUP_UNKNOWN,
			PARTS(part_object("stream", s), part_object("model", capture)),
			"A task group was begun on this stream, and it has not ended.");
}

/* The runtime's answer decides: only of some products a group begins with tasks of its own. */
static void group_begin_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s);

	if (!capture || error_of(call) != ACL_ERROR_STREAM_TASK_GROUP_INTR)
		return;
	rule_evaluated(call, RULE("taskgrp-interrupted"));
	FINDING_BROKEN(c, call, RULE("taskgrp-interrupted"),
		PARTS(part_object("stream", s), part_object("model", capture)),
		"A task group is open on another stream of the capture, and this one begins with tasks that "
		"are outside of it.");
}

static void group_end_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = group_needs_capture(c, call);

	if (!capture || stream_rarely(s, group) == GROUP_UNKNOWN)
		return;
	FINDING(c, call, "taskgrp-end-unmatched", stream_rarely(s, group) != object_ref(capture),
		PARTS(part_object("stream", s), part_object("model", capture)), "%s",
		load_relaxed(&model_state(capture)->groups)
			? "The task group was begun on another stream of the capture."
			: "No task group was begun on this stream.");
}

/* --- tasks in groups and updates ------------------------------------------------------------- */

static bool is_for_cpu(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *b = binary_of(c, function_of(c, call));

	return b && load_relaxed(&binary_state(b)->flags) & BINARY_CPU;
}

/* One for the cores; else *what says what the task is. */
static bool is_kernel(struct checks *c, struct acl_call_record *call, const char **what)
{
	bool kernel = acl_apis[call->api].operation == ACL_OP_LAUNCH_KERNEL;

	*what = kernel ? "one for the CPU" : acl_apis[call->api].name;
	return kernel && !is_for_cpu(c, call);
}

static void group_task_check(
	struct checks *c, struct acl_call_record *call, struct acl_object *s, struct acl_object *capture)
{
	bool own = stream_rarely(s, group) == object_ref(capture);
	const char *what;

	if (!load_relaxed(&model_state(capture)->groups) || stream_rarely(s, group) == GROUP_UNKNOWN)
		return;
	if (FINDING(c, call, "taskgrp-interrupted", !own,
		    PARTS(part_object("stream", s), part_object("model", capture)),
		    "A task group is open on another stream of the capture, and this task is outside of it."))
		return;
	FINDING(c, call, "taskgrp-unsupported-task", !is_kernel(c, call, &what),
		PARTS(part_object("stream", s), part_object("model", capture)),
		"Task groups are made of kernels for the cores; %s is none.", what);
}

static void group_task_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture;
	bool updates = s && load_relaxed(&stream_state(s)->update) == UPDATE_OPEN;
	const char *what;

	/* Most tasks. */
	if (!s || (!updates && !stream_capture(s)) || !object_usable(s))
		return;
	capture = capture_of(c, s);
	if (capture)
		group_task_check(c, call, s, capture);
	else if (updates)
		FINDING(c, call, "taskupd-wrong-task-type", !is_kernel(c, call, &what),
			PARTS(part_object("stream", s)), "Kernels for the cores are updated, and %s is none.",
			what);
}

/* --- updates -------------------------------------------------------------------------------- */

/* A function of its own, so that other updates need no stack for it. */
static __attribute__((noinline)) void update_stream_is_taken(
	struct checks *c, struct acl_call_record *call, struct acl_object *capture, struct acl_object *model)
{
	FINDING_BROKEN(c, call, RULE("taskupd-begin-capturing"),
		PARTS(part_object("stream", stream_of(call)),
			part_object("model", capture ? capture : model)),
		"%s",
		capture ? "The stream is being captured: tasks are updated on another one."
			: "The stream belongs to a model: tasks are updated on another one.");
}

/* Of a live stream: it is neither of a capture nor of a model. */
static bool update_stream_free(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s), *model = live_stream_model(c, s);

	if (!finding_condition(c, call, RULE("taskupd-begin-capturing"), capture || model))
		return true;
	update_stream_is_taken(c, call, capture, model);
	return false;
}

static void update_begin_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *group, *model, *other;
	bool open;
	if (!object_is_known(s) || !update_stream_free(c, call))
		return;
	group = object_find(c, ACL_HANDLE_TASK_GROUP, ACL_ARGS(call, aclmdlRICaptureTaskUpdateBegin)->handle);
	if (!group || !load_relaxed(&group_state(group)->model))
		return;
	model = object_of(c, load_relaxed(&group_state(group)->model));
	if (FINDING(c, call, "taskupd-handle-after-destroy", !model || !object_usable(model),
		    PARTS(part_object(acl_handle_names[group->kind], group), part_object("model", model)),
		    "The model of this task group is gone, and the group with it."))
		return;
	open = load_relaxed(&stream_state(s)->update) == UPDATE_OPEN;
	other = open ? NULL : group_updated_on(c, group);
	FINDING(c, call, "taskupd-concurrent", open || other,
		PARTS(part_object("stream", s), part_object("model", open ? model : NULL),
			part_object("other stream", other)),
		"%s",
		open ? "An update was begun on this stream, and it has not ended."
		     : "The group is being updated on another stream.");
}

/* An update that is still open when its stream or its model goes on. */
static void update_left_open(
	struct checks *c, struct acl_call_record *call, struct acl_object *s, const char *detail)
{
	if (load_relaxed(&stream_state(s)->update) == UPDATE_OPEN)
		FINDING_BROKEN(
			c, call, RULE("taskupd-left-open"), PARTS(part_object("stream", s)), "%s", detail);
}

static void update_stream_destroy(struct checks *c, struct acl_call_record *call)
{
	if (!object_is_known(stream_of(call)))
		return;
	rule_evaluated(call, RULE("taskupd-left-open"));
	update_left_open(
		c, call, stream_of(call), "An update was begun on this stream, and it has not ended.");
}

static void update_model_use(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call), *s;

	if (!m || !load_relaxed(&model_state(m)->updated))
		return;
	rule_evaluated(call, RULE("taskupd-left-open"));
	if (!load_relaxed(&model_state(m)->updates))
		return;
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		struct acl_object *group = object_of(c, stream_rarely(s, updating));

		if (group && load_relaxed(&group_state(group)->model) == object_ref(m) && object_usable(s))
			update_left_open(
				c, call, s, "A task group of the model is being updated on this stream.");
	}
}

static void update_end_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (!object_is_known(s) || !update_stream_free(c, call) ||
		load_relaxed(&stream_state(s)->update) == UPDATE_UNKNOWN)
		return;
	FINDING(c, call, "taskupd-end-unmatched", load_relaxed(&stream_state(s)->update) == UPDATE_NONE,
		PARTS(part_object("stream", s)), "No update was begun on this stream.");
}

static void task_groups_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		if (acl_apis[api].capture == ACL_CAPTURE_CAPTURED)
			add(binder, api, ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, group_task_enter);
}

static const struct check_hook hooks[] = {
	{ON_OP(CAPTURE_GROUP_BEGIN), ACL_ENTER, group_begin_enter},
	{ON_OP(CAPTURE_GROUP_BEGIN), ACL_FAILED, group_begin_failed},
	{ON_OP(CAPTURE_GROUP_END), ACL_ENTER, group_end_enter},
	{ON_OP(CAPTURE_UPDATE_BEGIN), ACL_ENTER, update_begin_enter},
	{ON_OP(CAPTURE_UPDATE_END), ACL_ENTER, update_end_enter},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, update_stream_destroy},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER | ACL_IF_ASYNC, update_model_use},
	{ON_OP(DESTROY_MODEL), ACL_ENTER, update_model_use},
};

const struct check_module module_task_groups = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = task_groups_bind,
};
