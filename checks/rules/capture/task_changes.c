/* SPDX-License-Identifier: Apache-2.0 */
/* Changing the tasks of a model: when it may be done, and that aclmdlRIUpdate follows. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/state/model_execution.h"
#include "checks/state/stream_state.h"
#include "checks/state/task_state.h"

#define NOT_READY ACL_ERROR_RT_MODEL_EXECUTE

static struct acl_call_site execution_site(const struct model_execution *e)
{
	return (struct acl_call_site){.caller = e->caller, .tid = e->tid, .api = e->api};
}

/* Of a call: what fails it may be an execution that the host may know to be done by ways that are not seen.
 */
static const char maybe_done_note;

static bool model_may_execute(struct checks *c, struct acl_object *m, struct model_execution *e)
{
	for (unsigned at = 0; model_execution_next(c, m, &at, e);)
		if (stream_pending(e->stream, e->position))
			return true;
	return false;
}

static void task_change_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = task_model(c, call);
	struct model_execution e = {.stream = NULL}, maybe;
	struct acl_call_site at;
	bool open;

	if (!m)
		return;
	m = model_root(c, m);
	open = capture_is_open(m);
	if (!open && !model_executing(c, m, &e) && model_change(m) != MODEL_CHANGE_UNSURE &&
		model_may_execute(c, m, &maybe))
		call_note_set(call, &maybe_done_note, 1);
	at = execution_site(&e);
	FINDING(c, call, "mdlri-task-modify-running", open || e.stream,
		PARTS(part_object("model", m), part_object("stream", e.stream),
			e.stream ? part_used_at(&at) : part_none()),
		"%s",
		open ? "The model is still being captured."
		     : "The model was submitted to a stream, and nothing the host did shows that it is "
		       "done.");
}

/* The runtime knows. */
static void task_change_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = task_model(c, call);
	struct model_execution e;
	struct acl_call_site at;

	if (!m || error_of(call) != ACL_ERROR_RT_MODEL_UPDATE_FAILED || !call_note(call, &maybe_done_note))
		return;
	m = model_root(c, m);
	if (!model_may_execute(c, m, &e))
		return;
	at = execution_site(&e);
	FINDING(c, call, "mdlri-task-modify-running", true,
		PARTS(part_object("model", m), part_object("stream", e.stream), part_used_at(&at)),
		"The model was submitted to a stream, and the runtime refuses the change: it is not done "
		"yet.");
}

static void task_disable_enter(struct checks *c, struct acl_call_record *call)
{
	aclmdlRITaskType type;

	if (task_type(c, call, &type))
		FINDING(c, call, "mdlri-task-setparams-type", type == ACL_MODEL_RI_TASK_DEFAULT,
			PARTS(part_enum("type", "aclmdlRITaskType", type),
				part_object("model", task_model(c, call))),
			"aclmdlRITaskGetType has answered a type of tasks that cannot be changed.");
}

/* Any task that can be changed becomes one of a value; what is no kernel does not become one. */
static void task_set_enter(struct checks *c, struct acl_call_record *call)
{
	const void *given = acl_arg_pointer(call->api, call->args, ACL_ROLE_PARAMETERS);
	aclmdlRITaskType type;
	aclmdlRITaskParams p;

	if (!task_type(c, call, &type) || !program_read(c, given, &p, sizeof(p)))
		return;
	FINDING(c, call, "mdlri-task-setparams-type",
		p.type == ACL_MODEL_RI_TASK_KERNEL && type != ACL_MODEL_RI_TASK_KERNEL,
		PARTS(part_enum("type", "aclmdlRITaskType", type), part_object("model", task_model(c, call))),
		"The parameters are those of a kernel, and the task is none.");
}

static void task_attribute_enter(struct checks *c, struct acl_call_record *call)
{
	aclmdlRITaskType type;

	if (task_type(c, call, &type))
		FINDING(c, call, "mdlri-kernel-attr-unsupported", type != ACL_MODEL_RI_TASK_KERNEL,
			PARTS(part_enum("type", "aclmdlRITaskType", type),
				part_object("model", task_model(c, call))),
			"The task is of a type that has no attributes of a kernel.");
}

static void task_call_together(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = task_model(c, call);
	struct acl_thread *other = task_other_thread(c, call);
	unsigned inside = other ? thread_inside(c, other) : 0;

	if (!m)
		return;
	FINDING(c, call, "mdlri-task-api-concurrent", inside,
		PARTS(part_uint("thread", load_relaxed(&other->tid)), part_api("its call", inside - 1),
			part_object("model", m)),
		"Thread %u is in the middle of %s on a task of the same model.", load_relaxed(&other->tid),
		acl_apis[inside - 1].name);
}

static void changed_execute_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);
	struct acl_call_site at;

	if (!m || load_relaxed(&model_state(m)->status) != MODEL_READY ||
		model_change(m) == MODEL_CHANGE_UNSURE)
		return;
	at = model_change_site(m);
	FINDING(c, call, "mdlri-execute-not-ready", model_change(m) == MODEL_CHANGED,
		PARTS(part_api("change", at.api), part_object("model", m), part_used_at(&at)),
		"A task of the model was changed (%s), and aclmdlRIUpdate has not been called since.",
		acl_apis[at.api].name);
	FINDING(c, call, "mdlri-update-missing", model_change(m) == MODEL_CHANGED,
		PARTS(part_api("change", at.api), part_object("model", m), part_used_at(&at),
			part_beside(BESIDE_AS_CONSEQUENCE)),
		"The change of the task (%s) takes effect with aclmdlRIUpdate, which has not been called "
		"since.",
		acl_apis[at.api].name);
}

/* After a change that failed the runtime knows what is left of the model. */
static void changed_execute_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);
	struct acl_call_site at;

	if (!m || error_of(call) != NOT_READY || model_change(m) != MODEL_CHANGE_UNSURE)
		return;
	at = model_change_site(m);
	FINDING(c, call, "mdlri-execute-not-ready", true,
		PARTS(part_api("change", at.api), part_object("model", m), part_used_at(&at)),
		"A change of one of its tasks (%s) failed, and the model cannot be executed since.",
		acl_apis[at.api].name);
}

static void changed_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);
	struct acl_call_site at;

	if (!m || load_relaxed(&model_state(m)->status) != MODEL_READY)
		return;
	at = model_change_site(m);
	FINDING(c, call, "mdlri-update-missing", model_change(m) == MODEL_CHANGED,
		PARTS(part_api("change", at.api), part_object("model", m), part_used_at(&at)),
		"The change of a task (%s) never took effect: aclmdlRIUpdate was not called after it.",
		acl_apis[at.api].name);
}

static const struct check_hook hooks[] = {
	{ON_OP(TASK_DISABLE), ACL_ENTER, task_change_enter},
	{ON_OP(TASK_DISABLE), ACL_ENTER, task_disable_enter},
	{ON_OP(TASK_SET_PARAMETERS), ACL_ENTER, task_change_enter},
	{ON_OP(TASK_SET_PARAMETERS), ACL_ENTER, task_set_enter},
	{ON_OP(TASK_DISABLE), ACL_FAILED, task_change_failed},
	{ON_OP(TASK_SET_PARAMETERS), ACL_FAILED, task_change_failed},
	{ON_OP(INFO_TASK_ATTRIBUTE), ACL_ENTER, task_attribute_enter},
	{ON_ROLE(TASK), ACL_ENTER, task_call_together},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER | ACL_IF_ASYNC, changed_execute_enter},
	{ON_OP(EXECUTE_MODEL), ACL_FAILED | ACL_IF_ASYNC, changed_execute_failed},
	{ON_OP(DESTROY_MODEL), ACL_ENTER, changed_destroy_enter},
};

const struct check_module module_task_changes = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
