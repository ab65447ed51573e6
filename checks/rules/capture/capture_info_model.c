/* SPDX-License-Identifier: Apache-2.0 */
/* The model that aclmdlRICaptureGetInfo answers, where the stream was not being captured. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/capture_state.h"
#include "checks/state/thread_claim.h"

#define CALLS_SOON 8 /* after the question, NULL in place of the model is its answer */

struct info_models {
	struct value_table no_model; /* value that the runtime left in place of a model -> 1 */
	struct value_table null; /* number of a thread -> 1 + its calls when NULL was answered */
};

static struct info_models *info_models(struct checks *c)
{
	return module_state(c, capture_info_model);
}

/* Of a call: what stood there before. */
static const char before_note;

static void capture_info_enter(struct checks *c, struct acl_call_record *call)
{
	const void *before = program_pointer(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_MODEL));

	call_note_set(call, &before_note, (uintptr_t)before);
}

static void no_model_answered(struct checks *c, struct acl_call_record *call, const void *value)
{
	if (!value)
		value_table_set(c, &info_models(c)->null, thread_number(c, call), 1 + calls_so_far(call));
	else if ((uintptr_t)value != call_note(call, &before_note) &&
		 !object_find(c, ACL_HANDLE_MODEL, value))
		value_table_set(c, &info_models(c)->no_model, (uintptr_t)value, 1);
}

static void capture_info_leave(struct checks *c, struct acl_call_record *call)
{
	const void *const *model = acl_arg_pointer(call->api, call->args, ACL_ROLE_MODEL);
	const aclmdlRICaptureStatus *status = acl_arg_pointer(call->api, call->args, ACL_ROLE_STATUS);

	if (!succeeded(call) || !model || !status)
		return;
	if (*status == ACL_MODEL_RI_CAPTURE_STATUS_NONE) {
		no_model_answered(c, call, *model);
		return;
	}
	value_table_set(c, &info_models(c)->null, thread_number(c, call), 0);
	if (*model)
		value_table_set(c, &info_models(c)->no_model, (uintptr_t)*model, 0);
}

static bool is_no_model(struct checks *c, const struct acl_call_record *call, const void *value)
{
	uint64_t asked;

	if (value)
		return !object_find(c, ACL_HANDLE_MODEL, value) &&
		       value_table_value(&info_models(c)->no_model, (uintptr_t)value);
	asked = value_table_value(&info_models(c)->null, thread_number(c, call));
	return asked && calls_so_far(call) + 1 - asked <= CALLS_SOON;
}

static void info_model_used(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_MODEL);

	if (value_table_empty(&info_models(c)->null) && value_table_empty(&info_models(c)->no_model))
		return;
	FINDING(c, call, "capture-getinfo-model-used-invalid", is_no_model(c, call, value),
		PARTS(part_address("modelRI", value)),
		"The handle is what aclmdlRICaptureGetInfo left for a stream that was not being captured "
		"(status NONE).");
}

static const struct check_hook hooks[] = {
	{ON_OP(CAPTURE_STATUS), ACL_ENTER, capture_info_enter},
	{ON_OP(CAPTURE_STATUS), ACL_LEAVE, capture_info_leave},
	{ON_OBJECT(MODEL, USE), ACL_ENTER, info_model_used},
	{ON_OBJECT(MODEL, DESTROY), ACL_ENTER, info_model_used},
};

const struct check_module module_capture_info_model = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct info_models),
};
