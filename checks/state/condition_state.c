/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions: handles are values without an object; their models come with their tasks. */
#include "checks/state/condition_state.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/memory_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/operation.h"
#include "checks/state/stream_state.h"
#include "checks/state/variable_state.h"

struct conditions {
	struct value_table facts; /* handle -> enum condition_fact, together */
	struct value_table model; /* handle -> acl_ref of the model it was made for */
	/* Address of a value -> acl_ref of its model; stays when that is gone. */
	struct value_table address;
	struct value_table named; /* address of a value -> handle */
};

static struct conditions *conditions(struct checks *c)
{
	return module_state(c, condition);
}

unsigned condition_facts(struct checks *c, uint64_t handle)
{
	return (unsigned)value_table_value(&conditions(c)->facts, handle);
}

static struct acl_object *usable_model(struct checks *c, acl_ref ref)
{
	struct acl_object *m = ref ? object_of(c, ref) : NULL;

	return m && object_usable(m) ? m : NULL;
}

struct acl_object *condition_model(struct checks *c, uint64_t handle)
{
	return usable_model(c, value_table_value(&conditions(c)->model, handle));
}

struct acl_object *condition_owner(struct checks *c, uint64_t handle)
{
	acl_ref ref = value_table_value(&conditions(c)->model, handle);

	return ref ? object_of(c, ref) : NULL;
}

bool condition_values_known(struct checks *c)
{
	return !value_table_empty(&conditions(c)->address);
}

/* Memory that the program has been given since is its own. */
static acl_ref value_model(struct checks *c, const void *address)
{
	struct block_lookup place;

	if (!address || !condition_values_known(c) || map_find(memory_blocks(c), (uintptr_t)address, &place))
		return 0;
	return value_table_value(
		&conditions(c)->address, (uintptr_t)address & ~(uintptr_t)(CONDITION_BYTES - 1));
}

bool condition_value_at(struct checks *c, const void *address)
{
	return value_model(c, address) != 0;
}

struct acl_object *condition_value_model(struct checks *c, const void *address)
{
	return usable_model(c, value_model(c, address));
}

bool condition_memory(struct checks *c, uint64_t handle, struct block_lookup *place)
{
	struct acl_object *m = condition_model(c, handle);

	return m && variable_of_condition(c, (const void *)(uintptr_t)handle, CONDITION_BYTES,
			    load_relaxed(&m->device), place);
}

bool condition_of_access(
	struct checks *c, const struct op_access *a, struct block_lookup *place, uint64_t *start)
{
	uint64_t offset = (uintptr_t)a->address & (CONDITION_BYTES - 1), handle;

	if (!condition_value_model(c, a->address))
		return false;
	handle = value_table_value(&conditions(c)->named, (uintptr_t)a->address - offset);
	*start = handle + offset;
	return a->span <= CONDITION_BYTES - offset && condition_memory(c, handle, place);
}

uint64_t condition_with(struct checks *c, struct acl_object *root, unsigned all, unsigned none)
{
	uint64_t handle, facts;
	struct acl_object *m;
	uint32_t at = 0;

	while (value_table_next(&conditions(c)->facts, &at, &handle, &facts)) {
		m = (facts & all) == all && !(facts & none) ? condition_model(c, handle) : NULL;
		if (m && model_root(c, m) == root)
			return handle;
	}
	return 0;
}

static void facts_add(struct checks *c, uint64_t handle, unsigned more)
{
	struct conditions *all = conditions(c);

	value_table_set_of(c, &all->facts, value_table_value(&all->model, handle), handle,
		value_table_value(&all->facts, handle) | more);
}

static void condition_create_leave(struct checks *c, struct acl_call_record *call)
{
	const void *const *out = acl_arg_pointer(call->api, call->args, ACL_ROLE_CONDITION);
	uint64_t flags = acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS);
	struct acl_object *m = model_argument(c, call);
	acl_ref ref = m ? object_ref(m) : 0;

	if (!succeeded(call) || !out || !*out)
		return;
	value_table_set_of(c, &conditions(c)->model, ref, (uintptr_t)*out, ref);
	value_table_set_of(c, &conditions(c)->facts, ref, (uintptr_t)*out,
		CONDITION_KNOWN |
			(flags != ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT              ? CONDITION_NO_DEFAULT
				: acl_arg_value(call->api, call->args, ACL_ROLE_VALUE) ? CONDITION_HOLDS
										       : 0));
}

/* Whoever has the address may write the value: whether the bodies run is not known. */
static void bodies_undecided(struct checks *c, acl_ref model)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_MODEL,
		o) if (load_relaxed(&model_state(o)->sub) && load_relaxed(&model_state(o)->parent) == model)
		store_relaxed(&model_state(o)->decides, true);
}

static void condition_address_leave(struct checks *c, struct acl_call_record *call)
{
	uint64_t handle = (uintptr_t)acl_arg_pointer(call->api, call->args, ACL_ROLE_CONDITION);
	uint64_t *const *out = acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
	acl_ref model = value_table_value(&conditions(c)->model, handle);

	if (!succeeded(call) || !condition_facts(c, handle))
		return;
	facts_add(c, handle, CONDITION_ADDRESS_ASKED);
	bodies_undecided(c, model);
	if (out && *out && model && !((uintptr_t)*out & (CONDITION_BYTES - 1))) {
		checks_when(c, WHEN_CONDITION_VALUE);
		value_table_set(c, &conditions(c)->address, (uintptr_t)*out, model);
		value_table_set(c, &conditions(c)->named, (uintptr_t)*out, handle);
	}
}

/* A model that comes with a task; something will be captured into it. */
static bool model_of_condition(struct checks *c, const struct acl_call_record *call,
	struct acl_object *capture, const void *handle, bool decides)
{
	struct acl_object *m = object_create(c, call, ACL_HANDLE_MODEL, handle, ACL_OBJECT_LEARNED);

	if (!m)
		return false;
	store_relaxed(&model_state(m)->sub, true);
	store_relaxed(&model_state(m)->decides, decides);
	store_relaxed(&model_state(m)->status, MODEL_EMPTY);
	store_relaxed(&model_state(m)->parent, object_ref(capture));
	store_relaxed(&model_state(model_root(c, m))->parts, true);
	store_relaxed(&m->context, load_relaxed(&capture->context));
	store_relaxed(&m->device, load_relaxed(&capture->device));
	return true;
}

/* The first body of IF and WHILE runs where the value is not 0. */
static bool first_body_runs(struct checks *c, const struct acl_args_aclmdlRIAddCondTask *a)
{
	return (condition_facts(c, (uintptr_t)a->params.handle) &
		       (CONDITION_HOLDS | CONDITION_ADDRESS_ASKED)) == CONDITION_HOLDS &&
	       (a->params.type == ACL_MODEL_RI_COND_TYPE_IF ||
		       a->params.type == ACL_MODEL_RI_COND_TYPE_WHILE);
}

static void condition_task_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclmdlRIAddCondTask *a = call->args;
	struct acl_object *capture = capture_of(c, stream_of(call));
	struct program_array models;
	const aclmdlRI *at;

	if (!succeeded(call) || !a->params.handle)
		return;
	facts_add(c, (uintptr_t)a->params.handle, CONDITION_KNOWN | CONDITION_USED);
	program_array_open(&models, c, a->params.modelRIArray, sizeof(*at), capture ? a->params.size : 0);
	for (uint32_t i = 0; (at = program_array_at(&models, i)); i++)
		if (!model_of_condition(c, call, capture, *at, i || !first_body_runs(c, a)))
			return;
}

static const struct check_hook hooks[] = {
	{ON_OP(CREATE_CONDITION), ACL_LEAVE, condition_create_leave},
	{ON_OP(INFO_CONDITION_ADDRESS), ACL_LEAVE, condition_address_leave},
	{ON_OP(LAUNCH_CONDITION), ACL_LEAVE, condition_task_leave},
};

const struct check_module module_condition = {
	.order = 33,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct conditions),
};
