/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of models: which model each belongs to, changes, calls in progress. */
#include "checks/state/task_state.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/binding_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/thread_claim.h"

struct tasks {
	struct value_table model; /* handle of a task -> acl_ref of its model */
	struct value_table type; /* handle of a task whose model is known -> 1 + aclmdlRITaskType */
};

static struct tasks *tasks(struct checks *c)
{
	return module_state(c, task);
}

/* Alive or gone. */
static struct acl_object *task_part_of(struct checks *c, const struct acl_call_record *call)
{
	const void *task = acl_arg_pointer(call->api, call->args, ACL_ROLE_TASK);

	return task ? object_of(c, value_table_value(&tasks(c)->model, (uintptr_t)task)) : NULL;
}

struct acl_object *task_model(struct checks *c, const struct acl_call_record *call)
{
	struct acl_object *m = task_part_of(c, call);

	return m && object_usable(m) ? m : NULL;
}

struct acl_object *task_owner(struct checks *c, const struct acl_call_record *call)
{
	struct acl_object *m = task_part_of(c, call);

	return m && model_was_captured(m) ? m : NULL;
}

/* --- whose they are ----------------------------------------------------------------------- */

/* Of a call: 1 + the tasks that the array has room for. */
static const char room_note;

static void stream_tasks_room(struct checks *c, struct acl_call_record *call)
{
	uint32_t room;

	if (program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_NUMBER), &room, sizeof(room)))
		call_note_set(call, &room_note, 1 + (uint64_t)room);
}

/* Of a stream whose model is not known the tasks are no other model's any more. */
static void stream_tasks_answered(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = stream_model(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_STREAM));
	uint64_t room = call_note(call, &room_note);
	acl_ref owner = m ? object_ref(m) : 0;
	struct program_array array;
	aclmdlRITask const *at;
	uint32_t n;

	if (!room || !succeeded(call) ||
		!program_output(
			c, call, acl_arg_pointer(call->api, call->args, ACL_ROLE_NUMBER), &n, sizeof(n)))
		return;
	program_array_open(&array, c, acl_arg_pointer(call->api, call->args, ACL_ROLE_TASKS), sizeof(*at),
		n < room - 1 ? n : room - 1);
	for (uint64_t i = 0; (at = program_array_at(&array, i)) != NULL; i++)
		if (*at && (owner || value_table_value(&tasks(c)->model, (uintptr_t)*at)))
			value_table_set_of(c, &tasks(c)->model, owner, (uintptr_t)*at, owner);
}

static uintptr_t task_argument(const struct acl_call_record *call)
{
	return (uintptr_t)acl_arg_pointer(call->api, call->args, ACL_ROLE_TASK);
}

static void task_type_answered(struct checks *c, struct acl_call_record *call)
{
	const aclmdlRITaskType *out = acl_arg_pointer(call->api, call->args, ACL_ROLE_TYPE);
	struct acl_object *m = task_model(c, call);

	if (m && out && succeeded(call))
		value_table_set_of(
			c, &tasks(c)->type, object_ref(m), task_argument(call), 1 + (uint64_t)*out);
}

/* Parameters say which type they are of. */
static void task_parameters_answered(struct checks *c, struct acl_call_record *call)
{
	const aclmdlRITaskParams *out = acl_arg_pointer(call->api, call->args, ACL_ROLE_PARAMETERS);
	struct acl_object *m = task_model(c, call);

	if (m && out && succeeded(call))
		value_table_set_of(
			c, &tasks(c)->type, object_ref(m), task_argument(call), 1 + (uint64_t)out->type);
}

bool task_type(struct checks *c, const struct acl_call_record *call, aclmdlRITaskType *type)
{
	uint64_t known = task_model(c, call) ? value_table_value(&tasks(c)->type, task_argument(call)) : 0;

	*type = (aclmdlRITaskType)(known - 1);
	return known != 0;
}

/* --- changes --------------------------------------------------------------------------------- */

static void task_changed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = task_model(c, call);

	if (!m)
		return;
	m = model_root(c, m);
	if (!succeeded(call) && model_change(m) == MODEL_CHANGED)
		return;
	lock(&model_state(m)->lock);
	model_state(m)->changed =
		(struct acl_call_site){.caller = call->caller, .tid = call->tid, .api = call->api};
	unlock(&model_state(m)->lock);
	store_relaxed(&model_state(m)->change, succeeded(call) ? MODEL_CHANGED : MODEL_CHANGE_UNSURE);
}

struct acl_call_site model_change_site(struct acl_object *model)
{
	struct acl_call_site site;

	lock(&model_state(model)->lock);
	site = model_state(model)->changed;
	unlock(&model_state(model)->lock);
	return site;
}

static void model_updated(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);

	if (m && succeeded(call))
		store_relaxed(&model_state(m)->change, MODEL_UNCHANGED);
}

/* --- calls in progress ------------------------------------------------------------------------- */

static bool works_on_task(unsigned api)
{
	return acl_arg_has(api, ACL_ROLE_TASK);
}

/* Of a call: the number of the other thread. */
static const char other_note;

static void task_call_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = task_model(c, call);
	uint32_t other;

	if (!m || call->callback_depth)
		return;
	other = thread_claim(c, call, &model_state(model_root(c, m))->task_thread, works_on_task);
	if (other)
		call_note_set(call, &other_note, other);
}

static void task_call_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = task_model(c, call);

	if (m)
		thread_unclaim(c, call, &model_state(model_root(c, m))->task_thread);
}

struct acl_thread *task_other_thread(struct checks *c, const struct acl_call_record *call)
{
	uint64_t number = call_note(call, &other_note);

	return number ? &c->threads[number - 1] : NULL;
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_STREAM_TASKS), ACL_ENTER, stream_tasks_room},
	{ON_OP(INFO_STREAM_TASKS), ACL_LEAVE, stream_tasks_answered},
	{ON_OP(INFO_TASK_TYPE), ACL_LEAVE, task_type_answered},
	{ON_OP(INFO_TASK_PARAMETERS), ACL_LEAVE, task_parameters_answered},
	{ON_OP(TASK_DISABLE), ACL_LEAVE, task_changed},
	{ON_OP(TASK_SET_PARAMETERS), ACL_LEAVE, task_changed},
	{ON_OP(MODEL_UPDATE), ACL_LEAVE, model_updated},
	{ON_ROLE(TASK), ACL_ENTER, task_call_enter},
	{ON_ROLE(TASK), ACL_LEAVE, task_call_leave},
};

const struct check_module module_task = {
	.order = 32,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct tasks),
};
