/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions in captured models: their handles, their tasks, and the models that run when they hold. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/capture_state.h"
#include "checks/state/stream_state.h"

/* Condition handles are values without an object. */
enum { COND_FRESH = 1, COND_USED = 2 };

struct conditions {
	struct value_table handle; /* handle -> COND_* */
	struct value_table model; /* handle -> acl_ref of the model it was made for */
};

static struct conditions *conditions(struct checks *c)
{
	return module_state(c, conditions);
}

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

static void condition_create_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclmdlRICondHandleCreate *a = call->args;
	struct acl_object *m = model_argument(c, call);

	if (!succeeded(call) || !a->handle || !*a->handle)
		return;
	value_table_set_of(
		c, &conditions(c)->handle, m ? object_ref(m) : 0, (uintptr_t)*a->handle, COND_FRESH);
	value_table_set_of(c, &conditions(c)->model, m ? object_ref(m) : 0, (uintptr_t)*a->handle,
		m ? object_ref(m) : 0);
}

static void condition_task_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t handle = (uintptr_t)ACL_ARGS(call, aclmdlRIAddCondTask)->params.handle;
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s), *m;

	if (!handle)
		return;
	if (value_table_value(&conditions(c)->handle, handle))
		FINDING(c, call, "cond-handle-reused",
			value_table_value(&conditions(c)->handle, handle) == COND_USED,
			PARTS(part_object("model", capture)), "A task was added for this handle before.");
	if (!s || !object_usable(s) || load_relaxed(&s->flags) & ACL_OBJECT_LEARNED ||
		load_relaxed(&stream_state(s)->capture_unsure))
		return;
	m = object_of(c, value_table_value(&conditions(c)->model, handle));
	FINDING(c, call, "cond-task-bad-stream", !capture || (m && m != capture),
		PARTS(part_object("stream", s), part_object("model", m)), "%s",
		capture ? "The handle was made for another model than the stream is captured into."
			: "The stream is not being captured.");
}

static void condition_task_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclmdlRIAddCondTask *a = call->args;
	struct acl_object *capture = capture_of(c, stream_of(call));

	if (!succeeded(call) || !a->params.handle)
		return;
	value_table_set_of(c, &conditions(c)->handle,
		value_table_value(&conditions(c)->model, (uintptr_t)a->params.handle),
		(uintptr_t)a->params.handle, COND_USED);
	for (uint32_t i = 0; capture && a->params.modelRIArray && i < a->params.size; i++) {
		struct acl_object *m = object_create(
			c, call, ACL_HANDLE_MODEL, a->params.modelRIArray[i], ACL_OBJECT_LEARNED);

		if (!m)
			return;
		store_relaxed(&model_state(m)->sub, true);
		store_relaxed(&model_state(m)->status, MODEL_EMPTY);
		store_relaxed(&m->parent, object_ref(capture));
		store_relaxed(&m->context, load_relaxed(&capture->context));
		store_relaxed(&m->device, load_relaxed(&capture->device));
	}
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
				part_object("its parent", object_of(c, load_relaxed(&m->parent)))),
			"It is the model of a condition: only its parent is executed, updated and "
			"destroyed.");
}

static const struct check_hook hooks[] = {
	{ON_OP(CREATE_CONDITION), ACL_ENTER, condition_create_enter},
	{ON_OP(CREATE_CONDITION), ACL_LEAVE, condition_create_leave},
	{ON_OP(LAUNCH_CONDITION), ACL_ENTER, condition_task_enter},
	{ON_OP(LAUNCH_CONDITION), ACL_LEAVE, condition_task_leave},
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
	.state_size = sizeof(struct conditions),
};
