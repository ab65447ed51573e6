/* SPDX-License-Identifier: Apache-2.0 */
/* The model that aclmdlRICaptureGetInfo answers, where the stream was not being captured. */
#include "checks/engine/finding_statement.h"
#include "checks/state/capture_state.h"

#define CALLS_SOON 8 /* of the thread: what it has in place of a model is still the answer */

static bool is_no_model(struct checks *c, const struct acl_call_record *call, const void *value)
{
	const struct no_model *answer = &thread_of(call)->no_model;

	return answer->value == (uintptr_t)value && calls_so_far(call) + 1 - answer->at <= CALLS_SOON &&
	       !(value && object_find(c, ACL_HANDLE_MODEL, value));
}

static void info_model_used(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_MODEL);

	if (!thread_of(call)->no_model.at)
		return;
	FINDING(c, call, "capture-getinfo-model-used-invalid", is_no_model(c, call, value),
		PARTS(part_address("modelRI", value)),
		"The handle is what aclmdlRICaptureGetInfo left for a stream that was not being captured "
		"(status NONE).");
}

static const struct check_hook hooks[] = {
	{ON_OBJECT(MODEL, USE), ACL_ENTER, info_model_used},
	{ON_OBJECT(MODEL, DESTROY), ACL_ENTER, info_model_used},
};

const struct check_module module_capture_info_model = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
