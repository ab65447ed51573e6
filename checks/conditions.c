/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions in captured models: their handles, their tasks, and the models that run when they hold. */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

/* Condition handles are values without an object. */
enum { COND_FRESH = 1, COND_USED = 2 };

struct conditions {
	struct pairs handle; /* handle -> COND_* */
	struct pairs model; /* handle -> acl_ref of the model it was made for */
};

static struct conditions *conditions(struct checks *c)
{
	return c->topic[TOPIC_CONDITIONS];
}

static void making_handle(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = model_argument(c, ev);

	if (!m || (ld(&m->flags) & ACL_OBJECT_LEARNED && !ld(&model_state(m)->sub)))
		return;
	rule_asked(ev, RULE("cond-handle-not-capturing"));
	if (ld(&model_state(m)->status) != MODEL_CAPTURING)
		finding_on(c, ev, RULE("cond-handle-not-capturing"), m, NULL,
			ld(&model_state(m)->status) == MODEL_READY ? "The capture of this model has ended."
								   : "This model is not being captured.");
}

static void made_handle(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclmdlRICondHandleCreate *a = ev->args;
	struct acl_object *m = model_argument(c, ev);

	if (!succeeded(ev) || !a->handle || !*a->handle)
		return;
	pairs_set(&conditions(c)->handle, (uintptr_t)*a->handle, COND_FRESH);
	pairs_set(&conditions(c)->model, (uintptr_t)*a->handle, m ? object_ref(m) : 0);
}

static void adding_task(struct checks *c, struct acl_event *ev)
{
	uint64_t handle = (uintptr_t)ACL_ARGS(ev, aclmdlRIAddCondTask)->params.handle;
	struct acl_object *s = stream_of(ev), *capture = capture_of(c, s), *m;

	if (!handle)
		return;
	if (pairs_value(&conditions(c)->handle, handle)) {
		rule_asked(ev, RULE("cond-handle-reused"));
		if (pairs_value(&conditions(c)->handle, handle) == COND_USED)
			finding_on(c, ev, RULE("cond-handle-reused"), capture, NULL,
				"A task was added for this handle before.");
	}
	if (!s || !object_usable(s) || ld(&s->flags) & ACL_OBJECT_LEARNED ||
		ld(&stream_state(s)->capture_unsure))
		return;
	rule_asked(ev, RULE("cond-task-bad-stream"));
	m = object_of(c, pairs_value(&conditions(c)->model, handle));
	if (!capture)
		finding_on(c, ev, RULE("cond-task-bad-stream"), s, m, "The stream is not being captured.");
	else if (m && m != capture)
		finding_on(c, ev, RULE("cond-task-bad-stream"), s, m,
			"The handle was made for another model than the stream is captured into.");
}

static void added_task(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclmdlRIAddCondTask *a = ev->args;
	struct acl_object *capture = capture_of(c, stream_of(ev));

	if (!succeeded(ev) || !a->params.handle)
		return;
	pairs_set(&conditions(c)->handle, (uintptr_t)a->params.handle, COND_USED);
	for (uint32_t i = 0; capture && a->params.modelRIArray && i < a->params.size; i++) {
		struct acl_object *m =
			object_create(c, ev, ACL_HANDLE_MODEL, a->params.modelRIArray[i], ACL_OBJECT_LEARNED);

		if (!m)
			return;
		st(&model_state(m)->sub, true);
		st(&model_state(m)->status, MODEL_EMPTY);
		st(&m->parent, object_ref(capture));
		st(&m->context, ld(&capture->context));
		st(&m->device, ld(&capture->device));
	}
}

static void capturing_into(struct checks *c, struct acl_event *ev)
{
	const void *value = ACL_ARGS(ev, aclmdlRICaptureToModelRIBegin)->modelRI;
	struct acl_object *m = value ? object_live(c, ACL_HANDLE_MODEL, value) : NULL;

	if (!m || (!ld(&model_state(m)->sub) && ld(&m->flags) & ACL_OBJECT_LEARNED))
		return;
	rule_asked(ev, RULE("cond-capture-to-nonsub"));
	if (!ld(&model_state(m)->sub))
		finding_on(c, ev, RULE("cond-capture-to-nonsub"), m, NULL,
			"It is no model of a condition: it did not come from aclmdlRIAddCondTask.");
	else if (ld(&model_state(m)->status) != MODEL_EMPTY)
		finding_on(c, ev, RULE("cond-capture-to-nonsub"), m, NULL,
			"Something is or was captured into it already.");
}

static void of_root_only(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = model_argument(c, ev);

	if (!m)
		return;
	rule_asked(ev, RULE("mdlri-destroy-submodel"));
	if (ld(&model_state(m)->sub))
		finding_on(c, ev, RULE("mdlri-destroy-submodel"), m, object_of(c, ld(&m->parent)),
			"It is the model of a condition: only its parent is executed, updated and "
			"destroyed.");
}

static bool conditions_create(struct checks *c)
{
	c->topic[TOPIC_CONDITIONS] = checks_alloc(c, sizeof(struct conditions));
	return c->topic[TOPIC_CONDITIONS] != NULL;
}

static void conditions_forked(struct checks *c)
{
	st(&conditions(c)->handle.lock.held, 0);
	st(&conditions(c)->model.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclmdlRICondHandleCreate, ACL_ENTER, making_handle},
	{ACL_API_aclmdlRICondHandleCreate, ACL_LEAVE, made_handle},
	{ACL_API_aclmdlRIAddCondTask, ACL_ENTER, adding_task},
	{ACL_API_aclmdlRIAddCondTask, ACL_LEAVE, added_task},
	{ACL_API_aclmdlRICaptureToModelRIBegin, ACL_ENTER, capturing_into},
	{ACL_API_aclmdlRIAbort, ACL_ENTER, of_root_only},
	{ACL_API_aclmdlRIDestroy, ACL_ENTER, of_root_only},
	{ACL_API_aclmdlRIDestroyRegisterCallback, ACL_ENTER, of_root_only},
	{ACL_API_aclmdlRIDestroyUnregisterCallback, ACL_ENTER, of_root_only},
	{ACL_API_aclmdlRIExecuteAsync, ACL_ENTER, of_root_only},
	{ACL_API_aclmdlRIGetStreams, ACL_ENTER, of_root_only},
	{ACL_API_aclmdlRIUpdate, ACL_ENTER, of_root_only},
};

const struct acl_topic topic_conditions = {
	.name = "conditions",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = conditions_create,
	.forked = conditions_forked,
};
