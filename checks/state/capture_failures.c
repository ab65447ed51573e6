/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that should have become tasks of a capture and failed, and whether the program went on as if they had
 * not. */
#include "checks/state/capture_state.h"
#include "checks/state/stream_state.h"

struct capture_failure capture_failure(struct acl_object *model)
{
	struct capture_failure f;

	lock(&model_state(model)->lock);
	f = model_state(model)->failure;
	unlock(&model_state(model)->lock);
	return f;
}

/* Not an answer, nor that the runtime lacks the feature: programs ask for that by trying. */
static bool is_failure(const struct acl_call_record *call)
{
	return !acl_result_is_answer(call->api, error_of(call)) &&
	       error_of(call) != ACL_ERROR_RT_FEATURE_NOT_SUPPORT &&
	       error_of(call) != ACL_ERROR_FEATURE_UNSUPPORTED && call->forwarded;
}

/* There will be no model: the task was none of an open group, or waited for another capture. */
static bool ends_capture(struct acl_object *model, int32_t error)
{
	return error == ACL_ERROR_STREAM_TASK_GROUP_INTR || error == ACL_ERROR_STREAM_CAPTURE_CONFLICT ||
	       (error == ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT && load_relaxed(&model_state(model)->groups));
}

static void capture_task_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = call->state.capture ? object_of(c, call->state.capture) : NULL;
	struct capture_failure *f = model ? &model_state(model)->failure : NULL;

	if (!model || !is_failure(call))
		return;
	lock(&model_state(model)->lock);
	f->lost |= ends_capture(model, error_of(call));
	if (!f->at.caller)
		*f = (struct capture_failure){
			.at = {.caller = call->caller, .tid = call->tid, .api = call->api},
			.error = error_of(call),
			.finding = call->state.finding,
			.lost = f->lost};
	unlock(&model_state(model)->lock);
}

/* Of the captures that the thread has begun, one may be that of a condition of another. */
static void capture_call_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = call->state.capture ? object_of(c, call->state.capture) : NULL;
	uint32_t at = 0;

	if (acl_result_is_answer(call->api, error_of(call)))
		return;
	for (; model; model = capture_by_thread_next(c, call, &at))
		store_relaxed(&model_state(model)->given_up, true);
}

/* Of another capture, where that is the call's own end. */
static void capture_part_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *own = stream_of(call) ? capture_of(c, stream_of(call)) : NULL, *model;
	bool ends = acl_apis[call->api].operation == ACL_OP_CAPTURE_END;

	for (uint32_t at = 0; (model = capture_by_thread_next(c, call, &at)) != NULL;)
		if (!ends || model != own)
			store_relaxed(&model_state(model)->given_up, true);
}

/* The next task says how the program took it: the same operation once more is another try. */
static void capture_task_follows(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = call->state.capture ? object_of(c, call->state.capture) : NULL;
	struct capture_failure *f = model ? &model_state(model)->failure : NULL;

	if (!model || !succeeded(call))
		return;
	store_relaxed(&model_state(model)->given_up, false);
	lock(&model_state(model)->lock);
	if (f->at.caller && !f->ignored) {
		if (acl_apis[f->at.api].operation == acl_apis[call->api].operation)
			*f = (struct capture_failure){.lost = f->lost};
		else
			f->ignored = true;
	}
	unlock(&model_state(model)->lock);
}

static void capture_failures_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		if (acl_apis[api].capture == ACL_CAPTURE_CAPTURED) {
			add(binder, api, ACL_FAILED, capture_task_failed);
			add(binder, api, ACL_FAILED, capture_call_failed);
			add(binder, api, ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL,
				capture_task_follows);
		}
}

/* Memory that a task was to use, and what comes around tasks. */
static const struct check_hook hooks[] = {
	{ON_OP(ALLOCATE_DEVICE), ACL_FAILED, capture_part_failed},
	{ON_OP(CAPTURE_GROUP_BEGIN), ACL_FAILED, capture_part_failed},
	{ON_OP(CAPTURE_GROUP_END), ACL_FAILED, capture_part_failed},
	{ON_OP(CREATE_CONDITION), ACL_FAILED, capture_part_failed},
	{ON_OP(CAPTURE_BEGIN), ACL_FAILED, capture_part_failed},
	{ON_OP(CAPTURE_END), ACL_FAILED, capture_part_failed},
};

const struct check_module module_capture_failures = {
	.order = 36,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = capture_failures_bind,
};
