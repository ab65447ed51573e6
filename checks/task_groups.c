/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups of captures, and the streams on which their tasks are updated. */
#include "checks/binding.h"
#include "checks/kernel.h"
#include "checks/report.h"
#include "checks/state.h"

static bool made(struct acl_object *s)
{
	return s && object_usable(s) && !(ld(&s->flags) & ACL_OBJECT_LEARNED);
}

/* The capture of the stream; NULL with a finding when there is none. */
static struct acl_object *must_capture(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture = capture_of(c, s);

	if (!made(s) || (!capture && ld(&stream_state(s)->capture_unsure)))
		return NULL;
	rule_asked(ev, RULE("taskgrp-begin-not-capturing"));
	if (!capture)
		finding_on(c, ev, RULE("taskgrp-begin-not-capturing"), s, NULL,
			"The stream is not being captured: task groups are parts of a capture.");
	return capture;
}

static void beginning(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture = must_capture(c, ev);

	if (!capture)
		return;
	rule_asked(ev, RULE("taskgrp-begin-twice"));
	if (ld(&stream_state(s)->group) == object_ref(capture))
		finding_on(c, ev, RULE("taskgrp-begin-twice"), s, capture,
			"A task group was begun on this stream, and it has not ended.");
}

static void ending(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture = must_capture(c, ev);

	if (!capture || ld(&stream_state(s)->group) == GROUP_UNKNOWN)
		return;
	rule_asked(ev, RULE("taskgrp-end-unmatched"));
	if (ld(&stream_state(s)->group) != object_ref(capture))
		finding_on(c, ev, RULE("taskgrp-end-unmatched"), s, capture, "%s",
			ld(&model_state(capture)->group)
				? "The task group was begun on another stream of the capture."
				: "No task group was begun on this stream.");
}

/* --- tasks in groups and updates ------------------------------------------------------------- */

static bool is_kernel(unsigned api)
{
	for (unsigned i = 0; i < kernel_launch_count; i++)
		if (kernel_launches[i] == api)
			return true;
	return false;
}

static void in_capture(
	struct checks *c, struct acl_event *ev, struct acl_object *s, struct acl_object *capture)
{
	bool own = ld(&stream_state(s)->group) == object_ref(capture);

	if (!ld(&model_state(capture)->group) || ld(&stream_state(s)->group) == GROUP_UNKNOWN)
		return;
	rule_asked(ev, RULE("taskgrp-interrupted"));
	if (!own) {
		finding_on(c, ev, RULE("taskgrp-interrupted"), s, capture,
			"A task group is open on another stream of the capture, and this task is outside of "
			"it.");
		return;
	}
	rule_asked(ev, RULE("taskgrp-unsupported-task"));
	if (!is_kernel(ev->api))
		finding_on(c, ev, RULE("taskgrp-unsupported-task"), s, capture,
			"Task groups are made of kernels; %s is none.", acl_apis[ev->api].name);
}

static void task(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture = capture_of(c, s);

	if (!s || !object_usable(s))
		return;
	if (capture) {
		in_capture(c, ev, s, capture);
		return;
	}
	if (ld(&stream_state(s)->update) != UPDATE_OPEN)
		return;
	rule_asked(ev, RULE("taskupd-wrong-task-type"));
	if (!is_kernel(ev->api))
		finding_on(c, ev, RULE("taskupd-wrong-task-type"), s, NULL,
			"Kernels are updated, and %s is none.", acl_apis[ev->api].name);
}

/* --- updates -------------------------------------------------------------------------------- */

/* Neither of a capture nor of a model. */
static bool free_for_update(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture = capture_of(c, s), *model = binding_of(c, s);

	rule_asked(ev, RULE("taskupd-begin-capturing"));
	if (capture)
		finding_on(c, ev, RULE("taskupd-begin-capturing"), s, capture,
			"The stream is being captured: tasks are updated on another one.");
	else if (model)
		finding_on(c, ev, RULE("taskupd-begin-capturing"), s, model,
			"The stream belongs to a model: tasks are updated on another one.");
	return !capture && !model;
}

/* A stream on which this group is updated now. */
static struct acl_object *updated_on(struct checks *c, struct acl_object *group)
{
	struct acl_object *s;

	object_each(c, ACL_HANDLE_STREAM,
		s) if (object_usable(s) && ld(&stream_state(s)->updating) == object_ref(group)) return s;
	return NULL;
}

static void updating(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *group, *model, *other;

	if (!made(s) || !free_for_update(c, ev))
		return;
	group = object_find(c, ACL_HANDLE_TASK_GROUP, ACL_ARGS(ev, aclmdlRICaptureTaskUpdateBegin)->handle);
	if (!group || !ld(&group->parent))
		return;
	model = object_of(c, ld(&group->parent));
	rule_asked(ev, RULE("taskupd-handle-after-destroy"));
	if (!model || !object_usable(model)) {
		finding_on(c, ev, RULE("taskupd-handle-after-destroy"), group, model,
			"The model of this task group is gone, and the group with it.");
		return;
	}
	rule_asked(ev, RULE("taskupd-concurrent"));
	other = updated_on(c, group);
	if (ld(&stream_state(s)->update) == UPDATE_OPEN)
		finding_on(c, ev, RULE("taskupd-concurrent"), s, model,
			"An update was begun on this stream, and it has not ended.");
	else if (other)
		finding_on(c, ev, RULE("taskupd-concurrent"), s, other,
			"The group is being updated on another stream.");
}

/* An update that is still open when its stream or its model goes on. */
static void left_open(struct checks *c, struct acl_event *ev, struct acl_object *s, const char *detail)
{
	if (ld(&stream_state(s)->update) == UPDATE_OPEN)
		finding_on(c, ev, RULE("taskupd-left-open"), s, NULL, "%s", detail);
}

static void destroying(struct checks *c, struct acl_event *ev)
{
	if (!made(stream_of(ev)))
		return;
	rule_asked(ev, RULE("taskupd-left-open"));
	left_open(c, ev, stream_of(ev), "An update was begun on this stream, and it has not ended.");
}

static void executing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = object_live(c, ACL_HANDLE_MODEL, ACL_ARGS(ev, aclmdlRIExecuteAsync)->modelRI),
			  *s;

	if (!m || !ld(&model_state(m)->updated))
		return;
	rule_asked(ev, RULE("taskupd-left-open"));
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		struct acl_object *group = object_of(c, ld(&stream_state(s)->updating));

		if (group && ld(&group->parent) == object_ref(m) && object_usable(s))
			left_open(c, ev, s, "A task group of the model is being updated on this stream.");
	}
}

static void update_ending(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (!made(s) || !free_for_update(c, ev) || ld(&stream_state(s)->update) == UPDATE_UNKNOWN)
		return;
	rule_asked(ev, RULE("taskupd-end-unmatched"));
	if (ld(&stream_state(s)->update) == UPDATE_NONE)
		finding_on(
			c, ev, RULE("taskupd-end-unmatched"), s, NULL, "No update was begun on this stream.");
}

static void task_groups_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		if (acl_apis[api].capture == ACL_CAPTURE_CAPTURED &&
			!(acl_apis[api].classes & ACL_CLASS_EVENT))
			add(binder, api, ACL_ENTER | ACL_UNUSUAL, task);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclmdlRICaptureTaskGrpBegin, ACL_ENTER, beginning},
	{ACL_API_aclmdlRICaptureTaskGrpEnd, ACL_ENTER, ending},
	{ACL_API_aclmdlRICaptureTaskUpdateBegin, ACL_ENTER, updating},
	{ACL_API_aclmdlRICaptureTaskUpdateEnd, ACL_ENTER, update_ending},
	{ACL_API_aclrtDestroyStream, ACL_ENTER, destroying},
	{ACL_API_aclrtDestroyStreamForce, ACL_ENTER, destroying},
	{ACL_API_aclmdlRIExecuteAsync, ACL_ENTER, executing},
};

const struct acl_topic topic_task_groups = {
	.name = "task groups",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = task_groups_bind,
};
