/* SPDX-License-Identifier: Apache-2.0 */
/* Streams bound to models, and the rules about what such streams and models take. */
#include "checks/engine/finding_statement.h"
#include "checks/rules/stream/stream_failure_mode.h"
#include "checks/state/binding_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/event_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/stream_state.h"

static bool model_is_captured(struct acl_object *model)
{
	return model && load_relaxed(&model_state(model)->status) != MODEL_BUILT;
}

static struct acl_object *object_if_live(struct checks *c, unsigned kind, const void *value)
{
	return value ? object_live(c, kind, value) : NULL;
}

static struct acl_object *live_stream(struct checks *c, const struct acl_call_record *call)
{
	return object_if_live(c, ACL_HANDLE_STREAM, acl_arg_pointer(call->api, call->args, ACL_ROLE_STREAM));
}

static struct acl_object *live_model(struct checks *c, const struct acl_call_record *call)
{
	return object_if_live(c, ACL_HANDLE_MODEL, acl_arg_pointer(call->api, call->args, ACL_ROLE_MODEL));
}

/* Whether the rule is broken. */
static bool check_binding(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	bool broken, struct acl_object *stream, struct acl_object *model, const char *detail)
{
	uint32_t flags = stream ? stream_rarely(stream, flags) : 0;

	return FINDING_OF(c, call, rule, broken,
		PARTS(stream ? part_uint("stream flags", flags) : part_none(), part_object("stream", stream),
			part_object("model", model)),
		"%s", detail);
}

/* --- building -------------------------------------------------------------------------- */

/* Whether the model is of the other kind: captured, in a function of the build API. */
static bool in_build_api(struct checks *c, struct acl_call_record *call, struct acl_object *m)
{
	return m && check_binding(c, call, RULE("mdlri-capture-model-in-build-api"), model_is_captured(m),
			    NULL, m, "The model was captured, not built.");
}

static void built_already(struct checks *c, struct acl_call_record *call, struct acl_object *m)
{
	if (m)
		check_binding(c, call, RULE("mdlri-build-order"), model_build_ended(c, m), NULL, m,
			"The model is built already.");
}

/* Why the stream cannot be bound; NULL = it can. */
static const char *unbindable(struct checks *c, const struct acl_call_record *call, struct acl_object *s)
{
	uint32_t flags = stream_rarely(s, flags);

	if (binding_of(c, s))
		return "The stream is bound to a model already.";
	if (call->state.capture)
		return "The stream is being captured.";
	if (!(flags & ACL_STREAM_PERSISTENT))
		return "The stream was made without ACL_STREAM_PERSISTENT.";
	if (stream_stops_on_failure(c, s))
		return "The stream was set to stop on failure.";
	return flags & (ACL_STREAM_FAST_LAUNCH | ACL_STREAM_DEVICE_USE_ONLY)
		       ? "FAST_LAUNCH and DEVICE_USE_ONLY streams cannot be bound."
		       : NULL;
}

static void stream_bind_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = live_stream(c, call), *m = live_model(c, call);
	const char *why;

	if (!in_build_api(c, call, m))
		built_already(c, call, m);
	if (!object_is_known(s))
		return;
	why = unbindable(c, call, s);
	check_binding(c, call, RULE("mdlri-bind-bad-stream"), why, s, binding_of(c, s), why);
}

static void stream_unbind_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = live_stream(c, call), *m = live_model(c, call);
	bool other;

	if (in_build_api(c, call, m))
		return;
	if (!object_is_known(s) || !m || load_relaxed(&m->flags) & ACL_OBJECT_LEARNED)
		return;
	other = binding_of(c, s) != m;
	check_binding(c, call, RULE("mdlri-unbind-mismatch"), other || model_executing(c, m, NULL), s, m,
		other ? "The stream is not bound to this model."
		      : "The model was submitted to a stream, and nothing the host did shows that it is "
			"done.");
}

/* Libraries that go to the runtime below this interface bind streams and end tasks there. */
static bool steps_are_seen(struct checks *c)
{
	return !other_submitters_possible(c, CHECKS_OTHER_WORK);
}

static void model_end_task_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = live_stream(c, call), *m = live_model(c, call);

	if (in_build_api(c, call, m))
		return;
	built_already(c, call, m);
	if (object_is_known(s) && m && !(load_relaxed(&m->flags) & ACL_OBJECT_LEARNED) && steps_are_seen(c))
		check_binding(c, call, RULE("mdlri-build-order"), binding_of(c, s) != m, s, m,
			"The stream is not bound to this model.");
}

static void model_build_end_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = live_model(c, call);

	if (in_build_api(c, call, m))
		return;
	if (m && !(load_relaxed(&m->flags) & ACL_OBJECT_LEARNED) && steps_are_seen(c))
		check_binding(c, call, RULE("mdlri-build-order"),
			!model_has_stream(c, m) || !model_has_end_task(c, m), NULL, m,
			model_has_stream(c, m) ? "aclmdlRIEndTask was not called for any stream of the model."
					       : "No stream was bound to the model.");
}

/* --- running ------------------------------------------------------------------------------ */

static void not_built_yet(struct checks *c, struct acl_call_record *call, struct acl_object *m)
{
	if (m && !model_is_captured(m) && !(load_relaxed(&m->flags) & ACL_OBJECT_LEARNED) &&
		steps_are_seen(c))
		check_binding(c, call, RULE("mdlri-build-order"), !model_build_ended(c, m), NULL, m,
			"aclmdlRIBuildEnd was not called for the model.");
}

static void model_execute_blocking(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = live_model(c, call);

	if (!m || !check_binding(c, call, RULE("mdlri-sync-execute-captured"), model_is_captured(m), NULL, m,
			  "A captured model runs with aclmdlRIExecuteAsync only."))
		not_built_yet(c, call, m);
}

static void model_execute_on_stream(struct checks *c, struct acl_call_record *call)
{
	const uint32_t unfit = ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
	struct acl_object *s = live_stream(c, call), *owner = stream_model(c, stream_argument(c, call));

	not_built_yet(c, call, live_model(c, call));
	if (owner)
		check_binding(c, call, RULE("mdlri-execute-on-model-stream"), true, s, owner,
			"The stream belongs to a model: a model runs on another stream.");
	else if (s)
		check_binding(c, call, RULE("mdlri-execute-on-model-stream"),
			object_is_known(s) && stream_rarely(s, flags) & unfit, s, NULL,
			"Models do not run on PERSISTENT, CPU_SCHEDULE or DEVICE_USE_ONLY streams.");
}

static void model_abort_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = live_model(c, call);

	if (m)
		check_binding(c, call, RULE("mdlri-abort-captured"), model_is_captured(m), NULL, m,
			"Captured models cannot be aborted.");
}

static void model_update_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = live_model(c, call);

	if (m && !(load_relaxed(&m->flags) & ACL_OBJECT_LEARNED))
		check_binding(c, call, RULE("mdlri-update-noncapture"), !model_is_captured(m), NULL, m,
			"Only captured models can be updated.");
}

/* --- streams ---------------------------------------------------------------------------------- */

static const char bound_already[] = "The stream is bound to a model.";
static const char not_bound[] = "The stream is not bound to a model.";
static void bound_stream_destroy(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	bool standard = s && load_relaxed(&s->flags) & ACL_OBJECT_DEFAULT;

	if (!s)
		return;
	check_binding(c, call, RULE("stream-destroy-default"), standard, s, NULL,
		"This is the default stream: it belongs to its context.");
	check_binding(c, call, RULE("stream-bound-to-model-destroy"), !standard && binding_of(c, s), s,
		binding_of(c, s), bound_already);
}

/* Ascend 950 does not abort such streams, bound or not. */
static bool is_persistent_on_950(
	const struct checks *c, const struct acl_call_record *call, struct acl_object *s)
{
	return acl_apis[call->api].operation == ACL_OP_STREAM_ABORT && soc_is(c, "950") &&
	       object_is_known(s) && stream_rarely(s, flags) & ACL_STREAM_PERSISTENT;
}

static void bound_stream_abort(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s)
		check_binding(c, call, RULE("stream-abort-bound"),
			binding_of(c, s) || is_persistent_on_950(c, call, s), s, binding_of(c, s),
			binding_of(c, s) ? bound_already
					 : "Ascend 950 does not abort streams with ACL_STREAM_PERSISTENT.");
}

static void bound_stream_capture(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s)
		check_binding(c, call, RULE("capture-begin-bound-stream"), binding_of(c, s), s,
			binding_of(c, s), bound_already);
}

/* Functions that work on streams of models only. */
static void must_be_bound(
	struct checks *c, struct acl_call_record *call, const struct acl_rule *rule, const void *stream)
{
	struct acl_object *s = object_if_live(c, ACL_HANDLE_STREAM, stream);

	if (object_is_known(s) && !call->state.capture)
		check_binding(c, call, rule, !binding_of(c, s), s, NULL, not_bound);
}

static void stream_activate_enter(struct checks *c, struct acl_call_record *call)
{
	must_be_bound(c, call, RULE("stream-active-not-model-bound"),
		acl_arg_pointer(call->api, call->args, ACL_ROLE_ACTIVE_STREAM));
	must_be_bound(c, call, RULE("stream-active-not-model-bound"), stream_argument(c, call));
}

/* Their places among the arguments. */
enum { SWITCH_LEFT = 0, SWITCH_RIGHT = 2 };

static void check_compared(
	struct checks *c, struct acl_call_record *call, unsigned param, const char *name, const void *value)
{
	FINDING(c, call, "stream-active-not-model-bound", memory_is_host(c, call, param, value),
		PARTS(part_address(name, value)), "The device reads what is compared, and %s is host memory.",
		name);
}

static void stream_switch_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSwitchStream *a = call->args;

	check_compared(c, call, SWITCH_LEFT, "leftValue", a->leftValue);
	check_compared(c, call, SWITCH_RIGHT, "rightValue", a->rightValue);
	must_be_bound(c, call, RULE("stream-active-not-model-bound"),
		acl_arg_pointer(call->api, call->args, ACL_ROLE_TRUE_STREAM));
	must_be_bound(c, call, RULE("stream-active-not-model-bound"), stream_argument(c, call));
}

static void label_stream_enter(struct checks *c, struct acl_call_record *call)
{
	must_be_bound(c, call, RULE("label-stream-not-bound"), stream_argument(c, call));
}

static void barrier_stream_enter(struct checks *c, struct acl_call_record *call)
{
	must_be_bound(c, call, RULE("cmo-barrier-stream"), stream_argument(c, call));
}

/* Why the stream cannot be cleaned; NULL = it can. */
static const char *uncleanable(struct checks *c, const struct acl_call_record *call, struct acl_object *s)
{
	uint32_t flags = stream_rarely(s, flags);

	if (!(flags & ACL_STREAM_PERSISTENT))
		return "The stream was made without ACL_STREAM_PERSISTENT.";
	if (flags & ACL_STREAM_CPU_SCHEDULE)
		return "CPU_SCHEDULE streams cannot be cleaned.";
	if (call->state.capture)
		return NULL;
	if (!binding_of(c, s))
		return not_bound;
	return model_unfinished(c, binding_of(c, s)) ? "The model of the stream is still being built." : NULL;
}

static void stream_clean_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	const char *why = object_is_known(s) ? uncleanable(c, call, s) : NULL;

	if (object_is_known(s))
		check_binding(c, call, RULE("stream-persistent-clean-misuse"), why, s, NULL, why);
}

/* The tasks of a model need events with an identity of their own. */
static void event_on_bound(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *m = binding_of(c, stream_of(call));

	if (!m || !e || load_relaxed(&event_marks(e)->maker) == EVENT_IMPORTED)
		return;
	check_binding(c, call, RULE("mdlri-event-ex-on-bound-stream"),
		load_relaxed(&event_marks(e)->maker) != EVENT_WITH_FLAG, stream_of(call), m,
		"Streams of models take events of aclrtCreateEventWithFlag only.");
}

static const struct check_hook hooks[] = {
	{ON_OP(MODEL_BIND_STREAM), ACL_ENTER, stream_bind_enter},
	{ON_OP(MODEL_UNBIND_STREAM), ACL_ENTER, stream_unbind_enter},
	{ON_OP(MODEL_END_TASK), ACL_ENTER, model_end_task_enter},
	{ON_OP(MODEL_BUILD_END), ACL_ENTER, model_build_end_enter},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER | ACL_IF_NOT_ASYNC, model_execute_blocking},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER | ACL_IF_ASYNC, model_execute_on_stream},
	{ON_OP(MODEL_ABORT), ACL_ENTER, model_abort_enter},
	{ON_OP(MODEL_UPDATE), ACL_ENTER, model_update_enter},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, bound_stream_destroy},
	{ON_OP(STREAM_ABORT), ACL_ENTER, bound_stream_abort},
	{ON_OP(STREAM_STOP), ACL_ENTER, bound_stream_abort},
	{ON_OP(CAPTURE_BEGIN), ACL_ENTER, bound_stream_capture},
	{ON_OP(STREAM_ACTIVATE), ACL_ENTER, stream_activate_enter},
	{ON_OP(STREAM_SWITCH), ACL_ENTER, stream_switch_enter},
	{ON_GROUP(LABEL), ACL_ENTER, label_stream_enter},
	{ON_OP(WAIT_BARRIER), ACL_ENTER, barrier_stream_enter},
	{ON_OP_WITH(CACHE_MAINTAIN, BARRIER_ID), ACL_ENTER, barrier_stream_enter},
	{ON_OP(STREAM_CLEAN_PERSISTENT), ACL_ENTER, stream_clean_enter},
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_WHEN(BOUND) | ACL_IF_SPECIAL, event_on_bound},
	{ON_OP(WAIT_EVENT), ACL_ENTER | ACL_WHEN(BOUND) | ACL_IF_SPECIAL, event_on_bound},
};

const struct check_module module_stream_binding = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
