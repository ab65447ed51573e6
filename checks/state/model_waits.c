/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of a model's tasks for ACL_EVENT_EXTERNAL events, and who resets those. */
#include "checks/state/capture_change.h"
#include "checks/state/capture_state.h"
#include "checks/state/event_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/stream_state.h"

/* Such an event stays recorded until it is reset; with the *_EXTERNAL flags the runtime does that itself. */
static bool stays_recorded(const struct acl_call_record *call, struct acl_object *e)
{
	return !event_flag_external(call) && load_relaxed(&event_marks(e)->maker) == EVENT_WITH_FLAG &&
	       load_relaxed(&event_state(e)->flags) == ACL_EVENT_EXTERNAL;
}

static void wait_note(struct acl_object *model, struct acl_object *e, const struct acl_call_record *call)
{
	struct model_external_wait *w = model_state(model)->external_wait;

	lock(&model_state(model)->lock);
	for (unsigned i = 0; i < MODEL_EXTERNAL_WAITS; i++)
		if (!w[i].event || w[i].event == object_ref(e)) {
			w[i] = (struct model_external_wait){.event = object_ref(e),
				.at = {.caller = call->caller, .tid = call->tid, .api = call->api}};
			break;
		}
	unlock(&model_state(model)->lock);
}

static void wait_forget(struct acl_object *model, acl_ref event)
{
	struct model_external_wait *w = model_state(model)->external_wait;

	lock(&model_state(model)->lock);
	for (unsigned i = 0; i < MODEL_EXTERNAL_WAITS; i++)
		if (w[i].event == event)
			w[i].event = 0;
	unlock(&model_state(model)->lock);
}

static void external_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *model = capture_of(c, stream_of(call));

	if (e && model && succeeded(call) && stays_recorded(call, e))
		wait_note(model, e, call);
}

static void model_event_reset_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *model = capture_of(c, stream_of(call));
	struct event_rare *rare = e && succeeded(call) ? event_rare_make(c, e) : NULL;

	if (!rare)
		return;
	counter_inc(&rare->resets);
	if (!model)
		return;
	capture_stream_task(c, model, stream_of(call), LAST_TASK, call);
	store_relaxed(&event_marks(e)->reset_by_model, true);
	wait_forget(model, object_ref(e));
}

/* From the first execution on a reset counts wherever it comes from. */
static void model_waits_execute(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call), *e;
	struct model_external_wait *w = model ? model_state(model)->external_wait : NULL;

	if (!model || model_executions(model) || !succeeded(call))
		return;
	lock(&model_state(model)->lock);
	for (unsigned i = 0; i < MODEL_EXTERNAL_WAITS; i++) {
		e = w[i].event ? object_of(c, w[i].event) : NULL;
		if (e)
			w[i].resets = event_rarely(e, resets);
	}
	unlock(&model_state(model)->lock);
}

static bool wait_unreset(struct checks *c, const struct model_external_wait *w)
{
	struct acl_object *e = w->event ? object_of(c, w->event) : NULL;

	return e && object_usable(e) && event_rarely(e, resets) == w->resets &&
	       !load_relaxed(&event_marks(e)->reset_by_model);
}

bool model_wait_unreset(struct checks *c, struct acl_object *model, struct model_external_wait *wait)
{
	struct model_state *m = model_state(model);
	bool found = false;

	lock(&m->lock);
	for (unsigned i = 0; i < MODEL_EXTERNAL_WAITS && !found; i++) {
		*wait = m->external_wait[i];
		found = wait_unreset(c, wait);
	}
	unlock(&m->lock);
	return found;
}

static const struct check_hook hooks[] = {
	{ON_OP(WAIT_EVENT), ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, external_wait_leave},
	{ON_OP(RESET_EVENT), ACL_LEAVE | ACL_WHEN(CAPTURES), model_event_reset_leave},
	{ON_OP(EXECUTE_MODEL), ACL_LEAVE, model_waits_execute},
};

const struct check_module module_model_waits = {
	.order = 34, /* before the executions are counted, in leave */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
