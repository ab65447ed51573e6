/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models whose tasks wait for what comes from outside: an external event, a notify, a word of memory. What
 * their executions wait for, and so all that is behind them on the stream, is not seen.
 */
#include "checks/engine/evidence.h"
#include "checks/state/binding_state.h"
#include "checks/state/capture_change.h"
#include "checks/state/capture_state.h"
#include "checks/state/event_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/notify_state.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"
#include "checks/state/unseen_ends.h"

static bool ends_with_record(struct checks *c, const struct acl_call_record *call, struct acl_object *e)
{
	switch (acl_apis[call->api].operation) {
	case ACL_OP_WAIT_EVENT:
		return event_is_recorded_here(e);
	case ACL_OP_WAIT_NOTIFY:
	case ACL_OP_WAIT_COUNT_NOTIFY:
		return notify_is_recorded_here(notify_of(c, call));
	}
	return false;
}

/* Waits for other events are within the model. */
static void outside_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *model = object_of(c, call->state.capture);
	bool noted = acl_apis[call->api].operation != ACL_OP_WAIT_EVENT ||
		     (e && (event_flag_external(call) ||
				   load_relaxed(&event_state(e)->flags) == ACL_EVENT_EXTERNAL));
	bool outside = noted || !e || load_relaxed(&event_marks(e)->external);

	if (!model || !outside || !succeeded(call))
		return;
	unseen_end_follow(c, ends_with_record(c, call, e));
	store_relaxed(&model_state(model_root(c, model))->waits_outside, true);
	/* Others have their places where they are captured. */
	if (!noted)
		capture_stream_waits_unseen(model, NULL);
}

/* Of models that were not captured, or are not known, it is unknown what they wait for. */
static void waiting_execute_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call), *s = stream_of(call);
	bool known;

	if (!s || !call->state.position || !succeeded(call))
		return;
	known = model && model_is_followed(c, model);
	if (known && !load_relaxed(&model_state(model)->waits_outside))
		return;
	evidence_ends(c, CHECKS_END_MODEL);
	/* That of another wait was said where it became a task of the model. */
	stream_waits_unseen(c, s, call->state.position, known);
}

static const struct check_hook hooks[] = {
	{ON_OP(WAIT_EVENT), ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, outside_wait_leave},
	{ON_OP(WAIT_NOTIFY), ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, outside_wait_leave},
	{ON_OP(WAIT_COUNT_NOTIFY), ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, outside_wait_leave},
	{ON_OP(WAIT_VALUE), ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, outside_wait_leave},
	{ON_OP(EXECUTE_MODEL), ACL_LEAVE, waiting_execute_leave},
};

const struct check_module module_model_unseen = {
	.order = 29,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
