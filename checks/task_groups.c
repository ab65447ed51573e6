/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups of captures, and the streams on which their tasks are updated. */
#include "checks/binding.h"
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

static void updating(struct checks *c, struct acl_event *ev)
{
	if (made(stream_of(ev)))
		free_for_update(c, ev);
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

static const struct acl_hook hooks[] = {
	{ACL_API_aclmdlRICaptureTaskGrpBegin, ACL_ENTER, beginning},
	{ACL_API_aclmdlRICaptureTaskGrpEnd, ACL_ENTER, ending},
	{ACL_API_aclmdlRICaptureTaskUpdateBegin, ACL_ENTER, updating},
	{ACL_API_aclmdlRICaptureTaskUpdateEnd, ACL_ENTER, update_ending},
};

const struct acl_topic topic_task_groups = {
	.name = "task groups",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
