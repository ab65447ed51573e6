/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions in captured models: their handles, their tasks, and the models that run when they hold. */
#include "checks/engine/finding_statement.h"
#include "checks/state/condition_state.h"
#include "checks/state/stream_state.h"

static void condition_create_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);
	unsigned status;

	if (!m || (load_relaxed(&m->flags) & ACL_OBJECT_LEARNED && !load_relaxed(&model_state(m)->sub)))
		return;
	status = load_relaxed(&model_state(m)->status);
	FINDING(c, call, "cond-handle-not-capturing", status != MODEL_CAPTURING,
		PARTS(part_object("model", m)), "%s",
		status == MODEL_READY ? "The capture of this model has ended."
				      : "This model is not being captured.");
}

static void condition_task_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t handle = (uintptr_t)ACL_ARGS(call, aclmdlRIAddCondTask)->params.handle;
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s), *m;

	if (!handle)
		return;
	if (condition_facts(c, handle))
		FINDING(c, call, "cond-handle-reused", condition_facts(c, handle) & CONDITION_USED,
			PARTS(part_object("model", capture)), "A task was added for this handle before.");
	if (!object_is_known(s) || load_relaxed(&stream_state(s)->capture_unsure))
		return;
	m = condition_owner(c, handle);
	FINDING(c, call, "cond-task-bad-stream", !capture || (m && m != capture),
		PARTS(part_object("stream", s), part_object("model", m)), "%s",
		capture ? "The handle was made for another model than the stream is captured into."
			: "The stream is not being captured.");
}

static void condition_capture_enter(struct checks *c, struct acl_call_record *call)
{
	const void *value = ACL_ARGS(call, aclmdlRICaptureToModelRIBegin)->modelRI;
	struct acl_object *m = value ? object_live(c, ACL_HANDLE_MODEL, value) : NULL;
	bool sub = m && load_relaxed(&model_state(m)->sub);

	if (!m || (!sub && load_relaxed(&m->flags) & ACL_OBJECT_LEARNED))
		return;
	FINDING(c, call, "cond-capture-to-nonsub",
		!sub || load_relaxed(&model_state(m)->status) != MODEL_EMPTY, PARTS(part_object("model", m)),
		"%s",
		sub ? "Something is or was captured into it already."
		    : "It is not a model of a condition: aclmdlRIAddCondTask did not return it.");
}

static void root_only_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);

	if (m)
		FINDING(c, call, "mdlri-destroy-submodel", load_relaxed(&model_state(m)->sub),
			PARTS(part_object("model", m),
				part_object(
					"its parent", object_of(c, load_relaxed(&model_state(m)->parent)))),
			"It is the model of a condition: only its parent is executed, updated and "
			"destroyed.");
}

static const struct check_hook hooks[] = {
	{ON_OP(CREATE_CONDITION), ACL_ENTER, condition_create_enter},
	{ON_OP(LAUNCH_CONDITION), ACL_ENTER, condition_task_enter},
	{ON_OP_WITH(CAPTURE_BEGIN, MODEL), ACL_ENTER, condition_capture_enter},
	{ON_OP(MODEL_ABORT), ACL_ENTER, root_only_enter},
	{ON_OP(DESTROY_MODEL), ACL_ENTER, root_only_enter},
	{ON_OP(CALLBACK_REGISTER_MODEL_DESTROY), ACL_ENTER, root_only_enter},
	{ON_OP(CALLBACK_UNREGISTER_MODEL_DESTROY), ACL_ENTER, root_only_enter},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER | ACL_IF_ASYNC, root_only_enter},
	{ON_OP(INFO_MODEL_STREAMS), ACL_ENTER, root_only_enter},
	{ON_OP(MODEL_UPDATE), ACL_ENTER, root_only_enter},
};

const struct check_module module_conditions = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
