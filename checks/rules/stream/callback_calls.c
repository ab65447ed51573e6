/* SPDX-License-Identifier: Apache-2.0 */
/* What a callback must not call. */
#include "checks/engine/finding_statement.h"
#include "checks/state/stream_state.h"

/* Ends work that others have submitted. */
static bool gives_up(unsigned operation)
{
	return operation == ACL_OP_STREAM_ABORT || operation == ACL_OP_STREAM_STOP ||
	       operation == ACL_OP_DEVICE_ABORT || operation == ACL_OP_MODEL_ABORT;
}

/* What takes or gives back resources, submits, gives up or waits; questions are allowed. */
static bool forbidden_inside(unsigned api)
{
	const struct acl_api_info *info = &acl_apis[api];

	for (unsigned i = 0; i < info->n_params; i++)
		if (acl_params(info)[i].life == ACL_LIFE_CREATE ||
			acl_params(info)[i].life == ACL_LIFE_DESTROY)
			return true;
	switch (info->operation_group) {
	case ACL_OP_GROUP_QUERY:
		return false;
	case ACL_OP_GROUP_ALLOCATE:
	case ACL_OP_GROUP_FREE:
	case ACL_OP_GROUP_RESERVE:
	case ACL_OP_GROUP_RELEASE:
	case ACL_OP_GROUP_MAP:
	case ACL_OP_GROUP_UNMAP:
	case ACL_OP_GROUP_REGISTER:
	case ACL_OP_GROUP_UNREGISTER:
	case ACL_OP_GROUP_COPY:
	case ACL_OP_GROUP_SET:
		return true;
	case ACL_OP_GROUP_CAPTURE:
		return info->operation != ACL_OP_CAPTURE_STATUS &&
		       info->operation != ACL_OP_CAPTURE_EXCHANGE_MODE;
	}
	return info->mode != ACL_MODE_IMMEDIATE || info->classes & ACL_CLASS_SYNC ||
	       gives_up(info->operation);
}

/* Answers of the runtime that neither wait nor change anything. */
static bool only_asks(unsigned api)
{
	switch (acl_apis[api].operation) {
	case ACL_OP_ERROR_GET_LAST:
	case ACL_OP_ERROR_PEEK_LAST:
	case ACL_OP_ERROR_MESSAGE:
	case ACL_OP_ERROR_DETAILS:
	case ACL_OP_CAPTURE_STATUS:
		return true;
	}
	return acl_apis[api].operation_group == ACL_OP_GROUP_INFO ||
	       acl_apis[api].operation_group == ACL_OP_GROUP_QUERY;
}

/* A callback that a stream runs in order with its tasks; false: one that reports an exception. */
static bool inside_which(const struct acl_call_record *call, bool *of_stream)
{
	unsigned outer = callback_api(call);

	if (outer >= ACL_API_COUNT)
		return false;
	*of_stream = acl_apis[outer].operation == ACL_OP_LAUNCH_HOST_FUNCTION;
	return *of_stream || acl_apis[outer].operation == ACL_OP_CALLBACK_SET_EXCEPTION ||
	       acl_apis[outer].operation == ACL_OP_CALLBACK_REGISTER_EXCEPTION ||
	       acl_apis[outer].operation == ACL_OP_CALLBACK_REGISTER_BINARY_EXCEPTION;
}

static void callback_inside_enter(struct checks *c, struct acl_call_record *call)
{
	bool of_stream;

	if (__builtin_expect(!call->callback_depth, 1) || !inside_which(call, &of_stream))
		return;
	if (of_stream)
		FINDING(c, call, "callback-runtime-api-inside", forbidden_inside(call->api),
			PARTS(part_uint("depth", call->callback_depth),
				part_object("stream", stream_of(call))),
			"The call comes out of a callback of a stream.");
	else
		FINDING(c, call, "exc-callback-calls-runtime", !only_asks(call->api),
			PARTS(part_uint("depth", call->callback_depth),
				part_object("stream", stream_of(call))),
			"The call comes out of an exception callback.");
}

/* Questions are bound where they show that an exception callback did no more than ask. */
static void callback_calls_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (forbidden_inside(api) || !only_asks(api) ||
			strstr(acl_apis[api].name, "FromExceptionInfo"))
			add(binder, api, ACL_ENTER | ACL_WHEN(CALLBACKS), callback_inside_enter);
}

const struct check_module module_callback_calls = {
	.bind = callback_calls_bind,
};
