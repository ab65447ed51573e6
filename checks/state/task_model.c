/* SPDX-License-Identifier: Apache-2.0 */
/* Whose task a call submits: for a host that keeps something as long as the task may run. */
#include "checks/checks.h"
#include "checks/state/binding_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/group_state.h"

static bool may_run(struct checks *c, acl_ref ref)
{
	struct acl_object *model = ref ? object_of(c, ref) : NULL;

	return model && object_usable(model);
}

static uint64_t updated_model(struct checks *c, struct acl_object *s)
{
	acl_ref group_ref = stream_rarely(s, updating);
	struct acl_object *group = group_ref ? object_of(c, group_ref) : NULL;
	acl_ref model = group ? load_relaxed(&group_state(group)->model) : 0;

	if (load_relaxed(&stream_state(s)->update) == UPDATE_NONE)
		return CHECKS_RUNS_ONCE;
	return may_run(c, model) ? model : CHECKS_MODEL_UNKNOWN;
}

static uint64_t bound_model(struct checks *c, struct acl_object *stream)
{
	struct acl_object *model = binding_of(c, stream);

	if (model)
		return object_ref(model);
	return load_relaxed(&c->starved) ? CHECKS_MODEL_UNKNOWN : CHECKS_RUNS_ONCE;
}

uint64_t checks_task_model(struct checks *c, const struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t model;

	if (!s || !object_usable(s))
		return stream_argument(c, call) ? CHECKS_MODEL_UNKNOWN : CHECKS_RUNS_ONCE;
	model = stream_capture(s);
	if (model && may_run(c, model))
		return model;
	if (model || load_relaxed(&stream_state(s)->capture_unsure))
		return CHECKS_MODEL_UNKNOWN;
	model = updated_model(c, s);
	return model == CHECKS_RUNS_ONCE ? bound_model(c, s) : model;
}

/* A condition's model goes with the one it belongs to. */
bool checks_model_lives(struct checks *c, uint64_t model)
{
	struct acl_object *m = model ? object_of(c, model) : NULL;
	acl_ref parent;

	if (!m || !object_usable(m))
		return false;
	parent = load_relaxed(&model_state(m)->sub) ? load_relaxed(&model_state(m)->parent) : 0;
	return !parent || may_run(c, parent);
}
