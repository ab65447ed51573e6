/* SPDX-License-Identifier: Apache-2.0 */
/* Where captures begin and end: on which stream, by which thread; what a capturing stream is not for. */

#include "checks/engine/finding_statement.h"
#include "checks/state/capture_state.h"
#include "checks/state/init_state.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/stream_state.h"

#define UNCAPTURABLE (ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY)

/* A stream of the program's own: what we do not know about it did not happen. */
static bool stream_is_own(struct acl_object *s)
{
	return s && object_usable(s) &&
	       !(load_relaxed(&s->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_DEFAULT));
}

/* Whether the rule is broken. */
static bool check_capture_as(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	bool broken, struct acl_object *capture, const char *detail, bool advice)
{
	struct acl_object *s = stream_of(call), *origin = capture_origin(c, capture);

	return FINDING_OF(c, call, rule, broken,
		PARTS(part_advice(advice),
			capture ? part_enum("capture mode", "aclmdlRICaptureMode",
					  load_relaxed(&model_state(capture)->mode))
				: part_none(),
			part_object("stream", s), part_object("stream of the beginning", origin),
			part_object("capture", capture)),
		"%s", detail);
}

static bool check_capture(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	bool broken, struct acl_object *capture, const char *detail)
{
	return check_capture_as(c, call, rule, broken, capture, detail, false);
}

/* --- begin ---------------------------------------------------------------------------- */

static void flags_for_capture(struct checks *c, struct acl_call_record *call, const char *detail)
{
	uint32_t bad = UNCAPTURABLE;

	if (soc_is(c, "950"))
		bad |= ACL_STREAM_PERSISTENT;
	check_capture(c, call, RULE("capture-begin-bad-stream-flag"),
		stream_rarely(stream_of(call), flags) & bad, NULL, detail);
}

static void capture_begin_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s);

	if (!s || !object_usable(s))
		return;
	if (!check_capture(c, call, RULE("capture-begin-twice"), capture, capture,
		    capture && capture_origin(c, capture) == s
			    ? "A capture was begun on this stream, and it has not ended."
			    : "The stream takes part in the capture of another stream, and that has not "
			      "ended.") &&
		stream_is_own(s))
		flags_for_capture(c, call, "Streams of these flags cannot be captured.");
}

static void capture_join_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *e = event_of(call);

	if (!stream_is_own(s) || capture_of(c, s) || event_flag_external(call) || !event_capture(c, e))
		return;
	flags_for_capture(c, call,
		"The event belongs to a capture: its wait would take the stream into it, and streams of "
		"these "
		"flags cannot be captured.");
}

/* --- end -------------------------------------------------------------------------------- */

static void capture_end_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s);
	struct model_state *m = capture ? model_state(capture) : NULL;

	if (!capture && (!stream_is_own(s) || load_relaxed(&stream_state(s)->capture_unsure)))
		return;
	if (check_capture(c, call, RULE("capture-end-not-capturing"), !capture, NULL,
		    "The stream is not being captured: no capture was begun on it, or it has ended."))
		return;
	if (check_capture(c, call, RULE("capture-end-null-model"),
		    !load_relaxed(&m->sub) && !ACL_ARGS(call, aclmdlRICaptureEnd)->modelRI, capture,
		    "modelRI is NULL: there is no place for the model, and the capture goes on."))
		return;
	if (check_capture(c, call, RULE("capture-end-wrong-stream"),
		    load_relaxed(&m->origin) != object_ref(s), capture,
		    "The capture was begun on another stream; this one was joined by an event. The capture "
		    "goes on."))
		return;
	check_capture(c, call, RULE("capture-end-wrong-thread"),
		load_relaxed(&m->mode) != ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
			load_relaxed(&m->thread) != thread_identity(c, thread_of(call)),
		capture,
		"Another thread began the capture, and only a RELAXED one may end elsewhere: the model is "
		"lost.");
}

/* A model of a condition of the capture into which nothing was captured. */
static bool has_empty_submodel(struct checks *c, struct acl_object *capture)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_MODEL, o)
	{
		if (load_relaxed(&model_state(o)->parent) == object_ref(capture) &&
			load_relaxed(&model_state(o)->sub) && object_usable(o) &&
			load_relaxed(&model_state(o)->status) != MODEL_READY)
			return true;
	}
	return false;
}

/* What is not finished: where that is because of a failure, ending the capture is the way out of it. */
static void check_finished(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	bool broken, struct acl_object *capture, const char *detail)
{
	check_capture_as(c, call, rule, broken, capture, detail, capture_given_up(capture));
}

/* What the end finds wrong with the capture itself. */
static void capture_end_state(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s);

	if (!capture || load_relaxed(&model_state(capture)->origin) != object_ref(s))
		return;
	if (check_capture(c, call, RULE("capture-end-invalidated"),
		    load_relaxed(&model_state(capture)->status) == MODEL_INVALIDATED, capture,
		    "A call that failed before has made the capture invalid: there will be no model."))
		return;
	check_finished(c, call, RULE("taskgrp-open-at-end"), load_relaxed(&model_state(capture)->groups),
		capture, "A task group of the capture is still open: there will be no model.");
	check_finished(c, call, RULE("cond-submodel-not-captured"), has_empty_submodel(c, capture), capture,
		"Nothing was captured into the model of a condition: there will be no model.");
}

/* The runtime's answer decides: what is current may have been set below us. */
static void capture_context_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *own, *current;
	bool is_known;

	if (error_of(call) != ACL_ERROR_RT_STREAM_CONTEXT || !s || !object_usable(s))
		return;
	own = context_of(c, s);
	current = context_current(c, thread_of(call), &is_known);
	if (own && current && own != current)
		FINDING_BROKEN(c, call, RULE("capture-wrong-context"),
			PARTS(part_object("stream", s), part_object("context", current)),
			"The stream belongs to another context than the current one.");
}

static bool capture_context_create(struct checks *c)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		if (acl_apis[api].operation == ACL_OP_LAUNCH_CONDITION ||
			(acl_apis[api].operation_group == ACL_OP_GROUP_CAPTURE &&
				acl_arg_has(api, ACL_ROLE_STREAM)))
			rule_evaluated_by(c, RULE("capture-wrong-context"), api);
	return true;
}

/* The streams of the capture could not be destroyed: to call them leaks adds nothing. */
static void excuse_streams(struct checks *c, struct acl_object *capture)
{
	struct acl_object *s;

	object_each(c, ACL_HANDLE_STREAM, s) if (stream_capture(s) == object_ref(capture)) object_reported(s);
}

static bool capture_was_left(struct acl_object *o)
{
	return object_usable(o) && !(load_relaxed(&o->flags) & ACL_OBJECT_REPORTED) &&
	       load_relaxed(&model_state(o)->status) == MODEL_CAPTURING;
}

static void capture_finish(struct checks *c, enum checks_end kind)
{
	struct acl_object *o;

	if (!end_is_whole(c, kind))
		return;
	object_each(c, ACL_HANDLE_MODEL, o)
	{
		if (load_relaxed(&o->flags) & ACL_OBJECT_INHERITED ||
			acl_apis[call_site_api(object_created(c, o))].operation != ACL_OP_CAPTURE_BEGIN)
			continue;
		if (FINDING(c, NULL, "capture-never-ended", capture_was_left(o),
			    PARTS(part_site(load_relaxed(&o->serial)),
				    part_caller(call_site_caller(object_created(c, o))),
				    part_object("stream", capture_origin(c, o)), part_object("capture", o)),
			    "The process ends while the capture is open: what was recorded never runs."))
			excuse_streams(c, o);
	}
}

/* --- not for a stream that is being captured ----------------------------------------------- */

static void capture_execute_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s);

	if (s && object_usable(s))
		check_capture(c, call, RULE("capture-execute-on-capturing-stream"), capture, capture,
			"The stream is being captured: execute the model on another one, or after the end.");
}

static void capture_stream_destroy(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s);

	if (s && object_usable(s))
		check_capture(c, call, RULE("capture-destroy-stream"), capture, capture,
			"The stream is being captured: end the capture first.");
}

static const struct check_hook hooks[] = {
	{ON_OP(CAPTURE_BEGIN), ACL_ENTER, capture_begin_enter},
	{ON_OP(WAIT_EVENT), ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, capture_join_enter},
	{ON_OP(CAPTURE_END), ACL_ENTER, capture_end_enter},
	{ON_OP(CAPTURE_END), ACL_ENTER, capture_end_state},
	{ON_GROUP_WITH(CAPTURE, STREAM), ACL_FAILED, capture_context_failed},
	{ON_OP(LAUNCH_CONDITION), ACL_FAILED, capture_context_failed},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER | ACL_IF_ASYNC, capture_execute_enter},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, capture_stream_destroy},
};

const struct check_module module_capture_ends = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = capture_context_create,
	.finish = capture_finish,
};
