/* SPDX-License-Identifier: Apache-2.0 */
/* Where captures begin and end: on which stream, by which thread; what a capturing stream is not for. */
#include "checks/report.h"
#include "checks/state.h"

#define UNCAPTURABLE (ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY)

/* A stream of the program's own: what we do not know about it did not happen. */
static bool made(struct acl_object *s)
{
	return s && object_usable(s) && !(ld(&s->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_DEFAULT));
}

static struct acl_object *origin_of(struct checks *c, struct acl_object *capture)
{
	return object_of(c, ld(&model_state(capture)->origin));
}

static void say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	struct acl_object *capture, const char *detail)
{
	struct acl_object *s = stream_of(ev), *origin = capture ? origin_of(c, capture) : NULL;
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_object(c, f, "stream", s);
	if (capture) {
		finding_enum(f, "capture mode", "aclmdlRICaptureMode", ld(&model_state(capture)->mode));
		if (origin && origin != s)
			finding_object(c, f, "stream of the beginning", origin);
		finding_object(c, f, "capture", capture);
	}
	finding_show(c, f);
}

/* --- begin ---------------------------------------------------------------------------- */

static void flags_for_capture(struct checks *c, struct acl_event *ev, const char *detail)
{
	uint32_t bad = UNCAPTURABLE;

	if (c->soc && strstr(c->soc, "950"))
		bad |= ACL_STREAM_PERSISTENT;
	rule_asked(ev, RULE("capture-begin-bad-stream-flag"));
	if (ld(&stream_state(stream_of(ev))->flags) & bad)
		say(c, ev, RULE("capture-begin-bad-stream-flag"), NULL, detail);
}

static void beginning(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture = capture_of(c, s);

	if (!s || !object_usable(s) || ld(&s->flags) & ACL_OBJECT_DEFAULT)
		return;
	rule_asked(ev, RULE("capture-begin-twice"));
	if (capture)
		say(c, ev, RULE("capture-begin-twice"), capture,
			origin_of(c, capture) == s
				? "A capture was begun on this stream, and it has not ended."
				: "The stream takes part in the capture of another stream, and that has not "
				  "ended.");
	else if (made(s))
		flags_for_capture(c, ev, "Streams of these flags cannot be captured.");
}

static void joining(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *e = event_of(ev);
	acl_ref ref = e ? ld(&event_state(e)->capture) : 0;

	if (!made(s) || capture_of(c, s) || !ref || !object_of(c, ref))
		return;
	flags_for_capture(c, ev,
		"The event belongs to a capture: its wait would take the stream into it, and streams of "
		"these "
		"flags cannot be captured.");
}

/* --- end -------------------------------------------------------------------------------- */

static void ending(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture = capture_of(c, s);
	struct model_state *m = capture ? model_state(capture) : NULL;

	if (!capture) {
		if (!made(s) || ld(&stream_state(s)->capture_unsure))
			return;
		rule_asked(ev, RULE("capture-end-not-capturing"));
		say(c, ev, RULE("capture-end-not-capturing"), NULL,
			"The stream is not being captured: no capture was begun on it, or it has ended.");
		return;
	}
	rule_asked(ev, RULE("capture-end-not-capturing"));
	rule_asked(ev, RULE("capture-end-null-model"));
	if (!ld(&m->sub) && !ACL_ARGS(ev, aclmdlRICaptureEnd)->modelRI) {
		say(c, ev, RULE("capture-end-null-model"), capture,
			"modelRI is NULL: there is no place for the model, and the capture goes on.");
		return;
	}
	rule_asked(ev, RULE("capture-end-wrong-stream"));
	if (ld(&m->origin) != object_ref(s)) {
		say(c, ev, RULE("capture-end-wrong-stream"), capture,
			"The capture was begun on another stream; this one was joined by an event. The "
			"capture goes on.");
		return;
	}
	rule_asked(ev, RULE("capture-end-wrong-thread"));
	if (ld(&m->mode) != ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
		ld(&m->thread) != (uint64_t)(thread_of(ev) - c->threads))
		say(c, ev, RULE("capture-end-wrong-thread"), capture,
			"Another thread began the capture, and only a RELAXED one may end elsewhere: the "
			"model "
			"is lost.");
}

/* What the end finds wrong with the capture itself. */
static void ending_well(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture = capture_of(c, s), *o;

	if (!capture || ld(&model_state(capture)->origin) != object_ref(s) || ev->carry[CARRY_FINDING])
		return;
	rule_asked(ev, RULE("capture-end-invalidated"));
	if (ld(&model_state(capture)->status) == MODEL_INVALIDATED) {
		say(c, ev, RULE("capture-end-invalidated"), capture,
			"A call that failed before has made the capture invalid: there will be no model.");
		return;
	}
	rule_asked(ev, RULE("taskgrp-open-at-end"));
	if (ld(&model_state(capture)->group))
		say(c, ev, RULE("taskgrp-open-at-end"), capture,
			"A task group of the capture is still open: there will be no model.");
	rule_asked(ev, RULE("cond-submodel-not-captured"));
	object_each(c, ACL_HANDLE_MODEL, o)
	{
		if (ld(&o->parent) != object_ref(capture) || !ld(&model_state(o)->sub) || !object_usable(o) ||
			ld(&model_state(o)->status) == MODEL_READY)
			continue;
		say(c, ev, RULE("cond-submodel-not-captured"), capture,
			"Nothing was captured into the model of a condition: there will be no model.");
		return;
	}
}

/* The runtime's answer decides: what is current may have been set below us. */
static void wrong_context(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *own, *current;
	bool is_known;

	if (!s || !object_usable(s))
		return;
	own = context_of(c, s);
	current = context_current(c, thread_of(ev), &is_known);
	if (!own || !current)
		return;
	rule_asked(ev, RULE("capture-wrong-context"));
	if (error_of(ev) == ACL_ERROR_RT_STREAM_CONTEXT && own != current)
		finding_on(c, ev, RULE("capture-wrong-context"), s, current,
			"The stream belongs to another context than the current one.");
}

/* The streams of the capture could not be destroyed: to call them leaks adds nothing. */
static void excuse_streams(struct checks *c, struct acl_object *capture)
{
	struct acl_object *s;

	object_each(c, ACL_HANDLE_STREAM, s) if (ld(&stream_state(s)->capture) == object_ref(capture))
		atomic_fetch_or(&s->flags, ACL_OBJECT_REPORTED);
}

static void never_ended(struct checks *c, enum checks_end kind)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_object *o;

	object_each(c, ACL_HANDLE_MODEL, o)
	{
		if (kind != CHECKS_END_EXIT || ld(&o->flags) & ACL_OBJECT_INHERITED)
			continue;
		if (ld(&o->created.api) == ACL_API_aclmdlRICaptureBegin)
			rule_asked_at_end(c, RULE("capture-never-ended"));
		if (!object_usable(o) || ld(&o->flags) & ACL_OBJECT_REPORTED ||
			ld(&model_state(o)->status) != MODEL_CAPTURING)
			continue;
		excuse_streams(c, o);
		grade.site = ld(&o->serial);
		grade.caller = ld(&o->created.caller);
		f = finding_begin_as(c, NULL, RULE("capture-never-ended"), grade, &room);
		if (!f)
			continue;
		f->at_leave = true;
		finding_detail(
			f, "The process ends while the capture is open: what was recorded never runs.");
		finding_object(c, f, "stream", origin_of(c, o));
		finding_object(c, f, "capture", o);
		finding_show(c, f);
	}
}

/* --- not for a stream that is being captured ----------------------------------------------- */

static void executing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture = capture_of(c, s);

	if (!s || !object_usable(s))
		return;
	rule_asked(ev, RULE("capture-execute-on-capturing-stream"));
	if (capture)
		say(c, ev, RULE("capture-execute-on-capturing-stream"), capture,
			"The stream is being captured: execute the model on another one, or after the end.");
}

static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture = capture_of(c, s);

	if (!s || !object_usable(s))
		return;
	rule_asked(ev, RULE("capture-destroy-stream"));
	if (capture)
		say(c, ev, RULE("capture-destroy-stream"), capture,
			"The stream is being captured: end the capture first.");
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclmdlRICaptureBegin, ACL_ENTER, beginning},
	{ACL_API_aclmdlRICaptureToModelRIBegin, ACL_ENTER, beginning},
	{ACL_API_aclrtStreamWaitEvent, ACL_ENTER | ACL_UNUSUAL, joining},
	{ACL_API_aclrtStreamWaitEventWithTimeout, ACL_ENTER | ACL_UNUSUAL, joining},
	{ACL_API_aclmdlRICaptureEnd, ACL_ENTER, ending},
	{ACL_API_aclmdlRICaptureEnd, ACL_ENTER, ending_well},
	{ACL_API_aclmdlRICaptureBegin, ACL_LEAVE, wrong_context},
	{ACL_API_aclmdlRICaptureEnd, ACL_LEAVE, wrong_context},
	{ACL_API_aclmdlRIExecuteAsync, ACL_ENTER, executing},
	{ACL_API_aclrtDestroyStream, ACL_ENTER, destroying},
	{ACL_API_aclrtDestroyStreamForce, ACL_ENTER, destroying},
};

const struct acl_topic topic_capture_ends = {
	.name = "begin and end of captures",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.finish = never_ended,
};
