/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models as handles: while they are captured, questions in two calls, where they
 * run, callbacks of their end, what is left when their context goes.
 */
#include "checks/binding.h"
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

#define REFUSED 107000
#define MODEL_STREAMS 1024 /* of one model */

struct models {
	struct pairs sizes; /* acl_ref of a model or stream -> 1 + elements it was said to have */
	struct pairs at_end; /* key of model and function -> 1: callback of its destruction */
};

static struct models *models(struct checks *c)
{
	return c->topic[TOPIC_MODELS];
}

static bool capturing(struct acl_object *m)
{
	uint8_t status = ld(&model_state(m)->status);

	return status == MODEL_CAPTURING || status == MODEL_INVALIDATED;
}

/* --- while it is captured ------------------------------------------------------------------ */

static void not_while_capturing(
	struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const char *detail)
{
	struct acl_object *m = model_argument(c, ev);

	if (!m)
		return;
	rule_asked(ev, rule);
	if (capturing(m))
		finding_on(c, ev, rule, m, object_of(c, ld(&model_state(m)->origin)), "%s", detail);
}

static void destroying(struct checks *c, struct acl_event *ev)
{
	not_while_capturing(c, ev, RULE("mdlri-destroy-capturing"),
		"The model is still being captured: end the capture first.");
}

static void executing(struct checks *c, struct acl_event *ev)
{
	not_while_capturing(c, ev, RULE("mdlri-execute-capturing"),
		"The model is still being captured: it runs when the capture has ended.");
}

static void printing(struct checks *c, struct acl_event *ev)
{
	not_while_capturing(c, ev, RULE("mdlri-debugprint-before-end"),
		"The model is still being captured: print it when the capture has ended.");
}

static void not_printed(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = model_argument(c, ev);

	if (error_of(ev) == REFUSED && m && ld(&model_state(m)->status) == MODEL_READY)
		finding_on(c, ev, RULE("mdlri-debugprint-before-end"), m, NULL,
			"The model can be printed, so it is the path that cannot be written.");
}

/* --- questions in two calls ------------------------------------------------------------------ */

/* The first asks how many there are, with no array; the second brings the array. */
static void answered(
	struct checks *c, struct acl_event *ev, struct acl_object *o, const void *array, const uint32_t *n)
{
	if (o && !array && n && succeeded(ev))
		pairs_set(&models(c)->sizes, object_ref(o), 1 + (uint64_t)*n);
}

static void bringing(
	struct checks *c, struct acl_event *ev, struct acl_object *o, const void *array, const uint32_t *n)
{
	uint64_t said = o ? pairs_value(&models(c)->sizes, object_ref(o)) : 0;

	if (!said || !array || !n)
		return;
	rule_asked(ev, RULE("mdlri-getstreams-size"));
	if (*n < said - 1)
		finding_on(c, ev, RULE("mdlri-getstreams-size"), o, NULL,
			"There are %llu, and the array has room for %u: the rest is left out without an "
			"error.",
			(unsigned long long)said - 1, *n);
}

static void asking_streams(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclmdlRIGetStreams *a = ev->args;

	bringing(c, ev, model_argument(c, ev), a->streams, a->numStreams);
}

static void asked_streams(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclmdlRIGetStreams *a = ev->args;

	answered(c, ev, model_argument(c, ev), a->streams, a->numStreams);
}

/* Tasks are asked of the streams of a model: those that aclmdlRIGetStreams answers, or bound ones. */
static void asking_tasks(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclmdlRIGetTasksByStream *a = ev->args;
	struct acl_object *s = stream_of(ev);

	if (s && object_usable(s) && !(ld(&s->flags) & ACL_OBJECT_LEARNED)) {
		rule_asked(ev, RULE("mdlri-gettasks-unrelated-stream"));
		if (!binding_was(c, s))
			finding_on(c, ev, RULE("mdlri-gettasks-unrelated-stream"), s, NULL,
				"The stream belongs to no model; a captured model has streams of its own.");
	}

	bringing(c, ev, stream_of(ev), a->tasks, a->numTasks);
}

static void asked_tasks(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclmdlRIGetTasksByStream *a = ev->args;

	answered(c, ev, stream_of(ev), a->tasks, a->numTasks);
}

/* --- callbacks of the destruction ---------------------------------------------------------------- */

static uint64_t callback_key(struct acl_object *m, const struct acl_event *ev)
{
	return key_of_two(object_ref(m), (uintptr_t)ACL_ARGS(ev, aclmdlRIDestroyUnregisterCallback)->func);
}

_Static_assert(offsetof(struct acl_args_aclmdlRIDestroyRegisterCallback, func) ==
		       offsetof(struct acl_args_aclmdlRIDestroyUnregisterCallback, func),
	"registering and unregistering differ");

static void registered(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = model_argument(c, ev);

	if (m && succeeded(ev))
		pairs_set(&models(c)->at_end, callback_key(m, ev), 1);
}

static void unregistering(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = model_argument(c, ev);

	if (!m || ld(&m->flags) & ACL_OBJECT_LEARNED || ld(&models(c)->at_end.full) ||
		!ACL_ARGS(ev, aclmdlRIDestroyUnregisterCallback)->func)
		return;
	rule_asked(ev, RULE("mdlri-destroy-callback-misuse"));
	if (!pairs_value(&models(c)->at_end, callback_key(m, ev)))
		finding_on(c, ev, RULE("mdlri-destroy-callback-misuse"), m, NULL,
			"This function is not registered for the end of this model.");
}

static void unregistered(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = model_argument(c, ev);

	if (m && succeeded(ev))
		pairs_set(&models(c)->at_end, callback_key(m, ev), 0);
}

/* --- where it runs ----------------------------------------------------------------------------- */

/* The runtime's answer decides: what is current may have been set below us. */
static void executed(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m = model_argument(c, ev), *own = m ? context_of(c, m) : NULL, *current;
	bool known;

	current = context_current(c, thread_of(ev), &known);
	if (!own || !current)
		return;
	rule_asked(ev, RULE("mdlri-wrong-context"));
	if (error_of(ev) == ACL_ERROR_RT_MODEL_CONTEXT && own != current)
		finding_on(c, ev, RULE("mdlri-wrong-context"), m, current,
			"The model belongs to another context than the current one.");
}

/* The stream of a built model takes no more tasks. */
static void submitting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *m = binding_of(c, s);

	if (!m || ld(&s->flags) & ACL_OBJECT_LEARNED)
		return;
	rule_asked(ev, RULE("mdlri-task-after-buildend"));
	if (model_is_built(c, m))
		finding_on(c, ev, RULE("mdlri-task-after-buildend"), s, m,
			"The stream belongs to a model that is built: the task changes what it executes.");
}

static void updating_task(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtTaskUpdateAsync *a = ev->args;
	struct acl_object *exec = a->execStream ? object_live(c, ACL_HANDLE_STREAM, a->execStream) : NULL;
	struct acl_object *of = a->taskStream ? object_live(c, ACL_HANDLE_STREAM, a->taskStream) : NULL;

	if (!exec || !of || (ld(&of->flags) | ld(&exec->flags)) & ACL_OBJECT_LEARNED)
		return;
	rule_asked(ev, RULE("capture-taskupdateasync"));
	if (capture_of(c, exec))
		finding_on(c, ev, RULE("capture-taskupdateasync"), exec, capture_of(c, exec),
			"The stream that is to update the task is being captured.");
	else if (!binding_was(c, of))
		finding_on(c, ev, RULE("capture-taskupdateasync"), of, NULL,
			"The task's stream was never bound to a model.");
}

static void models_bind(void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder)
{
	static const uint16_t tasks[] = {ACL_API_aclrtMemcpyAsync, ACL_API_aclrtMemsetAsync,
		ACL_API_aclrtLaunchKernel, ACL_API_aclrtLaunchKernelV2, ACL_API_aclrtLaunchKernelWithConfig,
		ACL_API_aclrtLaunchKernelWithHostArgs, ACL_API_aclrtLaunchCallback,
		ACL_API_aclrtLaunchHostFunc, ACL_API_aclrtReduceAsync, ACL_API_aclrtSetLabel,
		ACL_API_aclrtSwitchLabelByIndex};

	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		add(binder, tasks[i], ACL_ENTER | ACL_UNUSUAL, submitting);
}

/* --- how many ---------------------------------------------------------------------------------------- */

static void ending(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture = capture_of(c, stream_of(ev)), *s;
	unsigned streams = 0;

	if (!capture || !rule_wanted(c, RULE("mdlri-model-count")))
		return;
	rule_asked(ev, RULE("mdlri-model-count"));
	object_each(c, ACL_HANDLE_STREAM, s) streams +=
		object_usable(s) && ld(&stream_state(s)->capture) == object_ref(capture);
	if (streams > MODEL_STREAMS * 9 / 10)
		finding_on(c, ev, RULE("mdlri-model-count"), capture, NULL,
			"%u streams take part in this capture: a model has %u at most.", streams,
			MODEL_STREAMS);
}

static void no_more(struct checks *c, struct acl_event *ev)
{
	struct acl_object *m;
	unsigned n = 0;

	if (error_of(ev) != ACL_ERROR_RT_RESOURCE_ALLOC_FAIL &&
		error_of(ev) != ACL_ERROR_RT_NO_NOTIFY_RESOURCE)
		return;
	object_each(c, ACL_HANDLE_MODEL, m) n += object_usable(m) && !ld(&model_state(m)->sub);
	finding_on(c, ev, RULE("mdlri-model-count"), NULL, NULL,
		"The runtime has no more; %u models of this process are alive.", n);
}

/* --- left behind ------------------------------------------------------------------------------------- */

static bool left_behind(struct acl_object *m)
{
	return object_usable(m) && !capturing(m) && !ld(&model_state(m)->sub) &&
	       !(ld(&m->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED | ACL_OBJECT_REPORTED));
}

/* Models of one context, of the default context of a device, or all (context 0). */
static void tell_left(struct checks *c, struct acl_event *ev, acl_ref context, const char *what)
{
	struct acl_object *m, *sample = NULL;
	struct finding_buffer room;
	struct acl_finding *f;
	unsigned n = 0;

	if (ev->in_exit || !judged(ev))
		return;
	rule_asked(ev, RULE("model-outlives-context"));
	object_each(c, ACL_HANDLE_MODEL, m)
	{
		if (!left_behind(m) || (context && ld(&m->context) != context))
			continue;
		atomic_fetch_or(&m->flags, ACL_OBJECT_REPORTED);
		sample = sample ? sample : m;
		n++;
	}
	f = n ? finding_begin(c, ev, RULE("model-outlives-context"), &room) : NULL;
	if (!f)
		return;
	finding_detail(f, "%s while %u model%s of it %s not destroyed", what, n, n == 1 ? "" : "s",
		n == 1 ? "is" : "are");
	finding_uint(f, "models", n);
	finding_object(c, f, "model", sample);
	finding_show(c, f);
}

static void context_going(struct checks *c, struct acl_event *ev)
{
	struct acl_object *context =
		object_live(c, ACL_HANDLE_CONTEXT, ACL_ARGS(ev, aclrtDestroyContext)->context);

	if (context && !(ld(&context->flags) & (ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED)))
		tell_left(c, ev, object_ref(context), "The context goes");
}

static void device_going(struct checks *c, struct acl_event *ev)
{
	int device = device_argument(ev);
	acl_ref context = device_at(c, device) ? ld(&device_at(c, device)->context) : 0;

	if (context && device_reset_is_last(c, ev, device))
		tell_left(c, ev, context, "The device goes out of use");
}

static void runtime_going(struct checks *c, struct acl_event *ev)
{
	if (ev->api == ACL_API_aclFinalize || ld(&c->init_count) <= 1)
		tell_left(c, ev, 0, "The runtime is de-initialised");
}

static bool models_create(struct checks *c)
{
	c->topic[TOPIC_MODELS] = checks_alloc(c, sizeof(struct models));
	return c->topic[TOPIC_MODELS] != NULL;
}

static void models_forked(struct checks *c)
{
	st(&models(c)->sizes.lock.held, 0);
	st(&models(c)->at_end.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclmdlRIExecuteAsync, ACL_LEAVE, executed},
	{ACL_API_aclrtTaskUpdateAsync, ACL_ENTER, updating_task},
	{ACL_API_aclmdlRIDestroy, ACL_ENTER, destroying},
	{ACL_API_aclmdlRIExecuteAsync, ACL_ENTER, executing},
	{ACL_API_aclmdlRIExecuteAsync, ACL_FAILED, no_more},
	{ACL_API_aclmdlRIDebugPrint, ACL_ENTER, printing},
	{ACL_API_aclmdlRIDebugJsonPrint, ACL_ENTER, printing},
	{ACL_API_aclmdlRIDebugJsonPrint, ACL_FAILED, not_printed},
	{ACL_API_aclmdlRIGetStreams, ACL_ENTER, asking_streams},
	{ACL_API_aclmdlRIGetStreams, ACL_LEAVE, asked_streams},
	{ACL_API_aclmdlRIGetTasksByStream, ACL_ENTER, asking_tasks},
	{ACL_API_aclmdlRIGetTasksByStream, ACL_LEAVE, asked_tasks},
	{ACL_API_aclmdlRIDestroyRegisterCallback, ACL_LEAVE, registered},
	{ACL_API_aclmdlRIDestroyUnregisterCallback, ACL_ENTER, unregistering},
	{ACL_API_aclmdlRIDestroyUnregisterCallback, ACL_LEAVE, unregistered},
	{ACL_API_aclmdlRICaptureEnd, ACL_ENTER, ending},
	{ACL_API_aclmdlRICaptureEnd, ACL_FAILED, no_more},
	{ACL_API_aclrtDestroyContext, ACL_ENTER, context_going},
	{ACL_API_aclrtResetDevice, ACL_ENTER, device_going},
	{ACL_API_aclrtResetDeviceForce, ACL_ENTER, device_going},
	{ACL_API_aclFinalize, ACL_ENTER, runtime_going},
	{ACL_API_aclFinalizeReference, ACL_ENTER, runtime_going},
};

const struct acl_topic topic_models = {
	.name = "models",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = models_bind,
	.create = models_create,
	.forked = models_forked,
};
