/* SPDX-License-Identifier: Apache-2.0 */
/* Streams bound to models, and the rules about what such streams and models take. */
#include "checks/binding.h"
#include "checks/pairs.h"
#include "checks/report.h"

#define UNBOUND 0

struct bindings {
	struct pairs model; /* acl_ref of a stream -> acl_ref of its model */
	struct pairs built; /* acl_ref of a model -> 1 bound a stream, 2 built */
	_Atomic bool any;
};

enum { MODEL_HAS_STREAM = 1, MODEL_IS_BUILT = 2 };

static struct bindings *bindings(struct checks *c)
{
	return c->topic[TOPIC_BINDINGS];
}

struct acl_object *binding_of(struct checks *c, struct acl_object *stream)
{
	struct acl_object *model;
	uint64_t ref;

	if (!stream || !ld(&bindings(c)->any) || !pairs_get(&bindings(c)->model, object_ref(stream), &ref) ||
		ref == UNBOUND)
		return NULL;
	model = object_of(c, ref);
	return model && object_usable(model) ? model : NULL;
}

bool binding_was(struct checks *c, struct acl_object *stream)
{
	uint64_t ref;

	return ld(&bindings(c)->any) && pairs_get(&bindings(c)->model, object_ref(stream), &ref);
}

/* A stream whose flags we know: made by the program while we looked. */
static bool made(struct acl_object *s)
{
	return s && object_usable(s) && !(ld(&s->flags) & ACL_OBJECT_LEARNED);
}

static bool is_captured(struct acl_object *model)
{
	return model && ld(&model_state(model)->status) != MODEL_BUILT;
}

/* Tables that had room for everything: what is not in them is not so. */
static bool complete(struct checks *c)
{
	return !ld(&bindings(c)->model.full) && !ld(&bindings(c)->built.full);
}

static struct acl_object *live(struct checks *c, unsigned kind, const void *value)
{
	return value ? object_live(c, kind, value) : NULL;
}

static void say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	struct acl_object *stream, struct acl_object *model, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	if (stream) {
		finding_uint(f, "stream flags", ld(&stream_state(stream)->flags));
		finding_object(c, f, "stream", stream);
	}
	if (model)
		finding_object(c, f, "model", model);
	finding_show(c, f);
}

/* --- building -------------------------------------------------------------------------- */

static void mark(struct checks *c, struct acl_object *model, uint64_t bit)
{
	uint64_t now = 0;

	pairs_get(&bindings(c)->built, object_ref(model), &now);
	pairs_set(&bindings(c)->built, object_ref(model), now | bit);
}

static bool marked(struct checks *c, struct acl_object *model, uint64_t bit)
{
	uint64_t now = 0;

	return pairs_get(&bindings(c)->built, object_ref(model), &now) && now & bit;
}

/* Whether the model is of the other kind: captured, in a function of the build API. */
static bool in_build_api(struct checks *c, struct acl_event *ev, struct acl_object *m)
{
	const struct acl_rule *rule = RULE("mdlri-capture-model-in-build-api");

	if (!m || !rule_broken(ev, rule, is_captured(m)))
		return false;
	say(c, ev, rule, NULL, m, "The model was captured, not built.");
	return true;
}

static void built_already(struct checks *c, struct acl_event *ev, struct acl_object *m)
{
	if (m && rule_broken(ev, RULE("mdlri-build-order"), marked(c, m, MODEL_IS_BUILT)))
		say(c, ev, RULE("mdlri-build-order"), NULL, m, "The model is built already.");
}

static void binding(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclmdlRIBindStream *a = ev->args;
	struct acl_object *s = live(c, ACL_HANDLE_STREAM, a->stream),
			  *m = live(c, ACL_HANDLE_MODEL, a->modelRI);
	uint32_t flags = s ? ld(&stream_state(s)->flags) : 0;

	if (!in_build_api(c, ev, m))
		built_already(c, ev, m);
	if (!made(s))
		return;
	rule_asked(ev, RULE("mdlri-bind-bad-stream"));
	if (binding_of(c, s))
		say(c, ev, RULE("mdlri-bind-bad-stream"), s, binding_of(c, s),
			"The stream is bound to a model already.");
	else if (ev->carry[CARRY_CAPTURE])
		say(c, ev, RULE("mdlri-bind-bad-stream"), s, NULL, "The stream is being captured.");
	else if (!(flags & ACL_STREAM_PERSISTENT))
		say(c, ev, RULE("mdlri-bind-bad-stream"), s, NULL,
			"The stream was made without ACL_STREAM_PERSISTENT.");
	else if (flags & (ACL_STREAM_FAST_LAUNCH | ACL_STREAM_DEVICE_USE_ONLY))
		say(c, ev, RULE("mdlri-bind-bad-stream"), s, NULL,
			"FAST_LAUNCH and DEVICE_USE_ONLY streams cannot be bound.");
}

static void bound(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclmdlRIBindStream *a = ev->args;
	struct acl_object *s = live(c, ACL_HANDLE_STREAM, a->stream),
			  *m = live(c, ACL_HANDLE_MODEL, a->modelRI);

	if (!succeeded(ev) || !m)
		return;
	mark(c, m, MODEL_HAS_STREAM);
	if (!s || !pairs_set(&bindings(c)->model, object_ref(s), object_ref(m)))
		return;
	checks_unusual(c);
	st(&bindings(c)->any, true);
}

static void unbinding(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclmdlRIUnbindStream *a = ev->args;
	struct acl_object *s = live(c, ACL_HANDLE_STREAM, a->stream),
			  *m = live(c, ACL_HANDLE_MODEL, a->modelRI);

	if (in_build_api(c, ev, m))
		return;
	if (complete(c) && made(s) && m && !(ld(&m->flags) & ACL_OBJECT_LEARNED) &&
		rule_broken(ev, RULE("mdlri-unbind-mismatch"), binding_of(c, s) != m))
		say(c, ev, RULE("mdlri-unbind-mismatch"), s, m, "The stream is not bound to this model.");
}

static void unbound(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = live(c, ACL_HANDLE_STREAM, ACL_ARGS(ev, aclmdlRIUnbindStream)->stream);

	if (succeeded(ev) && s)
		pairs_set(&bindings(c)->model, object_ref(s), UNBOUND);
}

static void ending_task(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = live(c, ACL_HANDLE_MODEL, ACL_ARGS(ev, aclmdlRIEndTask)->modelRI);

	if (!in_build_api(c, ev, m))
		built_already(c, ev, m);
}

static void ending_build(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = live(c, ACL_HANDLE_MODEL, ACL_ARGS(ev, aclmdlRIBuildEnd)->modelRI);

	if (in_build_api(c, ev, m))
		return;
	if (complete(c) && m && !(ld(&m->flags) & ACL_OBJECT_LEARNED) &&
		rule_broken(ev, RULE("mdlri-build-order"), !marked(c, m, MODEL_HAS_STREAM)))
		say(c, ev, RULE("mdlri-build-order"), NULL, m, "No stream was bound to the model.");
}

static void build_ended(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = live(c, ACL_HANDLE_MODEL, ACL_ARGS(ev, aclmdlRIBuildEnd)->modelRI);

	if (succeeded(ev) && m)
		mark(c, m, MODEL_IS_BUILT);
}

bool model_is_built(struct checks *c, struct acl_object *m)
{
	return object_usable(m) && !is_captured(m) && marked(c, m, MODEL_IS_BUILT);
}

bool model_unfinished(struct checks *c, struct acl_object *m)
{
	return complete(c) && object_usable(m) && !is_captured(m) && !marked(c, m, MODEL_IS_BUILT) &&
	       !(ld(&m->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED));
}

/* --- running ------------------------------------------------------------------------------ */

static void not_built_yet(struct checks *c, struct acl_event *ev, struct acl_object *m)
{
	if (complete(c) && m && !is_captured(m) && !(ld(&m->flags) & ACL_OBJECT_LEARNED) &&
		rule_broken(ev, RULE("mdlri-build-order"), !marked(c, m, MODEL_IS_BUILT)))
		say(c, ev, RULE("mdlri-build-order"), NULL, m,
			"aclmdlRIBuildEnd was not called for the model.");
}

static void executing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = live(c, ACL_HANDLE_MODEL, ACL_ARGS(ev, aclmdlRIExecute)->modelRI);

	if (m && rule_broken(ev, RULE("mdlri-sync-execute-captured"), is_captured(m)))
		say(c, ev, RULE("mdlri-sync-execute-captured"), NULL, m,
			"A captured model runs with aclmdlRIExecuteAsync only.");
	else
		not_built_yet(c, ev, m);
}

static void executing_async(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = live(c, ACL_HANDLE_MODEL, ACL_ARGS(ev, aclmdlRIExecuteAsync)->modelRI);
	struct acl_object *s = live(c, ACL_HANDLE_STREAM, ACL_ARGS(ev, aclmdlRIExecuteAsync)->stream);

	not_built_yet(c, ev, m);
	if (!s)
		return;
	rule_asked(ev, RULE("mdlri-execute-on-model-stream"));
	if (binding_of(c, s))
		say(c, ev, RULE("mdlri-execute-on-model-stream"), s, binding_of(c, s),
			"The stream belongs to a model: a model runs on another stream.");
	else if (made(s) && ld(&stream_state(s)->flags) & (ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE |
								  ACL_STREAM_DEVICE_USE_ONLY))
		say(c, ev, RULE("mdlri-execute-on-model-stream"), s, NULL,
			"Models do not run on PERSISTENT, CPU_SCHEDULE or DEVICE_USE_ONLY streams.");
}

static void aborting_model(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = live(c, ACL_HANDLE_MODEL, ACL_ARGS(ev, aclmdlRIAbort)->modelRI);

	if (m && rule_broken(ev, RULE("mdlri-abort-captured"), is_captured(m)))
		say(c, ev, RULE("mdlri-abort-captured"), NULL, m, "Captured models cannot be aborted.");
}

static void updating(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = live(c, ACL_HANDLE_MODEL, ACL_ARGS(ev, aclmdlRIUpdate)->modelRI);

	if (m && !(ld(&m->flags) & ACL_OBJECT_LEARNED) &&
		rule_broken(ev, RULE("mdlri-update-noncapture"), !is_captured(m)))
		say(c, ev, RULE("mdlri-update-noncapture"), NULL, m, "Only captured models can be updated.");
}

/* --- streams ---------------------------------------------------------------------------------- */

static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (!s)
		return;
	rule_asked(ev, RULE("stream-bound-to-model-destroy"));
	if (rule_broken(ev, RULE("stream-destroy-default"), ld(&s->flags) & ACL_OBJECT_DEFAULT))
		say(c, ev, RULE("stream-destroy-default"), s, NULL,
			"This is the default stream: it belongs to its context.");
	else if (binding_of(c, s))
		say(c, ev, RULE("stream-bound-to-model-destroy"), s, binding_of(c, s),
			"The stream is bound to a model.");
}

static void aborting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (s && rule_broken(ev, RULE("stream-abort-bound"), binding_of(c, s)))
		say(c, ev, RULE("stream-abort-bound"), s, binding_of(c, s),
			"The stream is bound to a model.");
}

static void capturing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (s && rule_broken(ev, RULE("capture-begin-bound-stream"), binding_of(c, s)))
		say(c, ev, RULE("capture-begin-bound-stream"), s, binding_of(c, s),
			"The stream is bound to a model.");
}

static const char not_bound[] = "The stream is not bound to a model.";

/* Functions that work on streams of models only. */
static void must_be_bound(
	struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const void *stream)
{
	struct acl_object *s = live(c, ACL_HANDLE_STREAM, stream);

	if (complete(c) && made(s) && !ev->carry[CARRY_CAPTURE] && rule_broken(ev, rule, !binding_of(c, s)))
		say(c, ev, rule, s, NULL, not_bound);
}

static void activating(struct checks *c, struct acl_event *ev)
{
	must_be_bound(
		c, ev, RULE("stream-active-not-model-bound"), ACL_ARGS(ev, aclrtActiveStream)->activeStream);
	must_be_bound(c, ev, RULE("stream-active-not-model-bound"), ACL_ARGS(ev, aclrtActiveStream)->stream);
}

static void switching(struct checks *c, struct acl_event *ev)
{
	must_be_bound(
		c, ev, RULE("stream-active-not-model-bound"), ACL_ARGS(ev, aclrtSwitchStream)->trueStream);
	must_be_bound(c, ev, RULE("stream-active-not-model-bound"), ACL_ARGS(ev, aclrtSwitchStream)->stream);
}

static void labelling(struct checks *c, struct acl_event *ev)
{
	must_be_bound(c, ev, RULE("label-stream-not-bound"), stream_argument(c, ev));
}

static void barrier(struct checks *c, struct acl_event *ev)
{
	must_be_bound(c, ev, RULE("cmo-barrier-stream"), stream_argument(c, ev));
}

static void cleaning(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (!made(s))
		return;
	rule_asked(ev, RULE("stream-persistent-clean-misuse"));
	if (!(ld(&stream_state(s)->flags) & ACL_STREAM_PERSISTENT))
		say(c, ev, RULE("stream-persistent-clean-misuse"), s, NULL,
			"The stream was made without ACL_STREAM_PERSISTENT.");
	else if (ld(&stream_state(s)->flags) & ACL_STREAM_CPU_SCHEDULE)
		say(c, ev, RULE("stream-persistent-clean-misuse"), s, NULL,
			"CPU_SCHEDULE streams cannot be cleaned.");
	else if (complete(c) && !ev->carry[CARRY_CAPTURE] && !binding_of(c, s))
		say(c, ev, RULE("stream-persistent-clean-misuse"), s, NULL, not_bound);
}

/* The tasks of a model need events with an identity of their own. */
static void event_on_bound(struct checks *c, struct acl_event *ev)
{
	struct acl_object *e = event_of(ev), *m = binding_of(c, stream_of(ev));

	if (!m || !e || ld(&e->flags) & ACL_OBJECT_LEARNED || ld(&event_state(e)->maker) == EVENT_IMPORTED)
		return;
	if (rule_broken(ev, RULE("mdlri-event-ex-on-bound-stream"),
		    ld(&event_state(e)->maker) != EVENT_WITH_FLAG))
		say(c, ev, RULE("mdlri-event-ex-on-bound-stream"), stream_of(ev), m,
			"Streams of models take events of aclrtCreateEventWithFlag only.");
}

static bool bindings_create(struct checks *c)
{
	c->topic[TOPIC_BINDINGS] = checks_alloc(c, sizeof(struct bindings));
	return c->topic[TOPIC_BINDINGS] != NULL;
}

static void bindings_forked(struct checks *c)
{
	st(&bindings(c)->model.lock.held, 0);
	st(&bindings(c)->built.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclmdlRIBindStream, ACL_ENTER, binding},
	{ACL_API_aclmdlRIBindStream, ACL_LEAVE, bound},
	{ACL_API_aclmdlRIUnbindStream, ACL_ENTER, unbinding},
	{ACL_API_aclmdlRIUnbindStream, ACL_LEAVE, unbound},
	{ACL_API_aclmdlRIEndTask, ACL_ENTER, ending_task},
	{ACL_API_aclmdlRIBuildEnd, ACL_ENTER, ending_build},
	{ACL_API_aclmdlRIBuildEnd, ACL_LEAVE, build_ended},
	{ACL_API_aclmdlRIExecute, ACL_ENTER, executing},
	{ACL_API_aclmdlRIExecuteAsync, ACL_ENTER, executing_async},
	{ACL_API_aclmdlRIAbort, ACL_ENTER, aborting_model},
	{ACL_API_aclmdlRIUpdate, ACL_ENTER, updating},
	{ACL_API_aclrtDestroyStream, ACL_ENTER, destroying},
	{ACL_API_aclrtDestroyStreamForce, ACL_ENTER, destroying},
	{ACL_API_aclrtStreamAbort, ACL_ENTER, aborting},
	{ACL_API_aclrtStreamStop, ACL_ENTER, aborting},
	{ACL_API_aclmdlRICaptureBegin, ACL_ENTER, capturing},
	{ACL_API_aclrtActiveStream, ACL_ENTER, activating},
	{ACL_API_aclrtSwitchStream, ACL_ENTER, switching},
	{ACL_API_aclrtSetLabel, ACL_ENTER, labelling},
	{ACL_API_aclrtSwitchLabelByIndex, ACL_ENTER, labelling},
	{ACL_API_aclrtCmoAsyncWithBarrier, ACL_ENTER, barrier},
	{ACL_API_aclrtCmoWaitBarrier, ACL_ENTER, barrier},
	{ACL_API_aclrtPersistentTaskClean, ACL_ENTER, cleaning},
	{ACL_API_aclrtRecordEvent, ACL_ENTER | ACL_UNUSUAL, event_on_bound},
	{ACL_API_aclrtStreamWaitEvent, ACL_ENTER | ACL_UNUSUAL, event_on_bound},
};

const struct acl_topic topic_binding = {
	.name = "bindings",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = bindings_create,
	.forked = bindings_forked,
};
