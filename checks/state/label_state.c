/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: a label, then its list, then its place in a stream. */
#include "checks/state/label_state.h"

#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/binding_state.h"
#include "checks/state/capture_change.h"
#include "checks/state/stream_state.h"

struct labels {
	struct value_table sizes; /* handle of a list -> its labels */
	_Atomic uint32_t alive;
};

static struct labels *labels(struct checks *c)
{
	return module_state(c, label);
}

uint32_t labels_alive(struct checks *c)
{
	return load_relaxed(&labels(c)->alive);
}

uint64_t label_list_size(struct checks *c, const void *list)
{
	return value_table_value(&labels(c)->sizes, (uintptr_t)list);
}

static void label_list_create_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtCreateLabelList *a = call->args;
	struct program_array list;
	aclrtLabel const *at;

	program_array_open(
		&list, c, a->labels, sizeof(*a->labels), succeeded(call) && a->labelList ? a->num : 0);
	if (list.count && *a->labelList)
		value_table_set(c, &labels(c)->sizes, (uintptr_t)*a->labelList, a->num);
	for (uint64_t i = 0; i < LABELS && (at = program_array_at(&list, i)) != NULL; i++) {
		struct acl_object *o = object_find(c, ACL_HANDLE_LABEL, *at);

		if (o)
			store_relaxed(&label_state(o)->list,
				*a->labelList ? (uintptr_t)*a->labelList : LABEL_WAS_LISTED);
	}
}

/* The model looks for its labels there each time it runs. */
static void label_switch_leave(struct checks *c, struct acl_call_record *call)
{
	const void *list = acl_arg_pointer(call->api, call->args, ACL_ROLE_LABEL_LIST);
	struct acl_object *model = stream_of(call) ? binding_of(c, stream_of(call)) : NULL;

	if (model && list && succeeded(call))
		model_uses_object(c, model, object_live(c, ACL_HANDLE_LABEL_LIST, list), call);
}

static void label_list_destroy_leave(struct checks *c, struct acl_call_record *call)
{
	const void *list = acl_arg_pointer(call->api, call->args, ACL_ROLE_LABEL_LIST);
	struct acl_object *o;

	if (!succeeded(call) || !list)
		return;
	value_table_set(c, &labels(c)->sizes, (uintptr_t)list, 0);
	object_each(c, ACL_HANDLE_LABEL, o) if (load_relaxed(&label_state(o)->list) == (uintptr_t)list)
		store_relaxed(&label_state(o)->list, LABEL_WAS_LISTED);
}

static void label_set_leave(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_LABEL);
	struct acl_object *o = value ? object_live(c, ACL_HANDLE_LABEL, value) : NULL;

	if (o && succeeded(call))
		store_relaxed(&label_state(o)->set, true);
}

static void label_create_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		counter_inc(&labels(c)->alive);
}

static void label_destroy_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call) && load_relaxed(&labels(c)->alive))
		counter_dec(&labels(c)->alive);
}

/* What a reset takes along is not counted: too few is silent. */
static void label_device_reset(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		store_relaxed(&labels(c)->alive, 0);
}

static const struct check_hook hooks[] = {
	{ON_OP(CREATE_LABEL), ACL_LEAVE, label_create_leave},
	{ON_OP(DESTROY_LABEL), ACL_LEAVE, label_destroy_leave},
	{ON_OP(CREATE_LABEL_LIST), ACL_LEAVE, label_list_create_leave},
	{ON_OP(DESTROY_LABEL_LIST), ACL_LEAVE, label_list_destroy_leave},
	{ON_OP(LABEL_SET), ACL_LEAVE, label_set_leave},
	{ON_OP(LABEL_SWITCH), ACL_LEAVE | ACL_WHEN(BOUND), label_switch_leave},
	{ON_OP(DEVICE_RESET), ACL_LEAVE, label_device_reset},
};

const struct check_module module_label = {
	.order = 14,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct labels),
};
