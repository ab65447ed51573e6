/* SPDX-License-Identifier: Apache-2.0 */
/* Events whose records or waits are tasks of models: used outside as if they were recorded there, not reset.
 */
#include "checks/engine/finding_statement.h"
#include "checks/state/capture_state.h"
#include "checks/state/event_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/stream_state.h"

/* A link between streams of a capture, recorded. */
static bool is_recorded_link(struct acl_object *o)
{
	struct event_state *e = o ? event_state(o) : NULL;

	return e && load_relaxed(&event_state_marks(e)->link) && object_usable(o) &&
	       !load_relaxed(&event_state_marks(e)->external) && load_relaxed(&e->records) & RECORDED;
}

static __attribute__((noinline)) bool special_event_outside(
	struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	return !event_capture(c, o) &&
	       FINDING(c, call, "capture-event-used-outside-graph", load_relaxed(&event_marks(o)->captured),
		       PARTS(part_object("event", o)),
		       "The latest record of the event became a task of a model, and its replays do not "
		       "record the "
		       "event: there is nothing that %s could wait for or look at.",
		       acl_apis[call->api].name);
}

static bool captured_event_outside(struct checks *c, struct acl_call_record *call, struct acl_object *o)
{
	if (!is_recorded_link(o))
		return false;
	if (load_relaxed(&o->flags) & ACL_OBJECT_SPECIAL)
		return special_event_outside(c, call, o);
	/* It is of no capture, and its record of no model: event_special_renew(). */
	rule_evaluated(call, RULE("capture-event-used-outside-graph"));
	return false;
}

static void captured_event_ask(struct checks *c, struct acl_call_record *call)
{
	captured_event_outside(c, call, event_of(call));
}

static void captured_events_ask(struct checks *c, struct acl_call_record *call)
{
	const void *start = acl_arg_pointer(call->api, call->args, ACL_ROLE_START_EVENT);

	if (!start || !captured_event_outside(c, call, object_find(c, ACL_HANDLE_EVENT, start)))
		captured_event_ask(c, call);
}

/* In a capture the wait is for a record of that capture; there are rules of their own about it. */
static void captured_event_wait(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (!call->state.capture && s && object_usable(s) && !event_flag_external(call))
		captured_event_outside(c, call, event_of(call));
}

static void external_wait_again(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);
	struct model_external_wait wait = {.event = 0};

	if (!m || !load_relaxed(&model_state(m)->waits_unseen) || !model_executions(m))
		return;
	FINDING(c, call, "capture-external-event-not-reset", model_wait_unreset(c, m, &wait),
		PARTS(part_object("event", object_of(c, wait.event)), part_used_at(&wait.at),
			part_object("model", m)),
		"The model waits for an event with ACL_EVENT_EXTERNAL, and nothing has reset that since the "
		"model "
		"was executed before: this time the wait is over at once.");
}

static const struct check_hook hooks[] = {
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER | ACL_WHEN(CAPTURES), captured_event_ask},
	{ON_OP(QUERY_EVENT), ACL_ENTER | ACL_WHEN(CAPTURES), captured_event_ask},
	{ON_OP(INFO_EVENT_TIMESTAMP), ACL_ENTER | ACL_WHEN(CAPTURES), captured_event_ask},
	{ON_OP(INFO_EVENT_ELAPSED_TIME), ACL_ENTER | ACL_WHEN(CAPTURES), captured_events_ask},
	{ON_OP(WAIT_EVENT), ACL_ENTER | ACL_WHEN(CAPTURES), captured_event_wait},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER | ACL_IF_ASYNC, external_wait_again},
};

const struct check_module module_captured_event_use = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
