/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models as handles: while they are captured, questions in two calls, where they
 * run, callbacks of their end, what is left when their context goes.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/binding_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/init_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/stream_state.h"

#define MODEL_STREAMS 1024 /* of one model */

struct models {
	struct value_table sizes; /* acl_ref of a model or stream -> 1 + elements it was said to have */
	struct value_table inner_sizes; /* handle of a stream that a model has made -> the same */
	struct value_table streams; /* acl_ref of a model -> streams that were captured into it */
	struct value_table at_end; /* key of model and function -> 1: callback of its destruction */
};

static struct models *models(struct checks *c)
{
	return module_state(c, models);
}

/* --- while it is captured ------------------------------------------------------------------ */

static void not_while_capturing(
	struct checks *c, struct acl_call_record *call, const struct acl_rule *rule, const char *detail)
{
	struct acl_object *m = model_argument(c, call);

	if (m)
		FINDING_OF(c, call, rule, capture_is_open(m),
			PARTS(part_object("model", m), part_object("stream", capture_origin(c, m))), "%s",
			detail);
}

static void model_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	not_while_capturing(c, call, RULE("mdlri-destroy-capturing"),
		"The model is still being captured: end the capture first.");
}

static void model_execute_enter(struct checks *c, struct acl_call_record *call)
{
	not_while_capturing(c, call, RULE("mdlri-execute-capturing"),
		"The model is still being captured: it runs when the capture has ended.");
}

static void model_print_enter(struct checks *c, struct acl_call_record *call)
{
	not_while_capturing(c, call, RULE("mdlri-debugprint-before-end"),
		"The model is still being captured: print it when the capture has ended.");
}

static void model_print_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);

	/* Every such call has evaluated the rule before it was made. */
	if (error_of(call) == ACL_ERROR_RT_PARAM_INVALID && m &&
		load_relaxed(&model_state(m)->status) == MODEL_READY)
		FINDING_BROKEN(c, call, RULE("mdlri-debugprint-before-end"), PARTS(part_object("model", m)),
			"The model can be printed, so it is the path that cannot be written.");
}

/* --- questions in two calls ------------------------------------------------------------------ */

/* The first queries how many there are, with no array; the second brings the array. */
static void count_answered(struct checks *c, struct acl_call_record *call, struct acl_object *o,
	const void *array, const uint32_t *n)
{
	if (o && !array && n && succeeded(call))
		value_table_set_object(c, &models(c)->sizes, o, 1 + (uint64_t)*n);
}

/* said: 1 + the answer, 0 = there was none. */
static void count_brought(struct checks *c, struct acl_call_record *call, struct acl_object *o, uint64_t said,
	const void *array, const uint32_t *at)
{
	uint32_t n;

	if (said && array && program_read(c, at, &n, sizeof(n)))
		FINDING(c, call, "mdlri-getstreams-size", n < said - 1,
			PARTS(part_object(acl_handle_names[o->kind], o)),
			"There are %llu, and the array has room for %u: the rest is left out.",
			(unsigned long long)said - 1, n);
}

static uint64_t count_said(struct checks *c, struct acl_object *o)
{
	return o ? value_table_value(&models(c)->sizes, object_ref(o)) : 0;
}

static void model_streams_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclmdlRIGetStreams *a = call->args;

	struct acl_object *m = model_argument(c, call);

	count_brought(c, call, m, count_said(c, m), a->streams, a->numStreams);
}

static void model_streams_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclmdlRIGetStreams *a = call->args;

	count_answered(c, call, model_argument(c, call), a->streams, a->numStreams);
}

/* Tasks are queried of the streams of a model: those that aclmdlRIGetStreams answers, or bound ones. */
static void stream_tasks_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclmdlRIGetTasksByStream *a = call->args;
	struct acl_object *s = stream_of(call);

	if (object_is_known(s))
		FINDING(c, call, "mdlri-gettasks-unrelated-stream", !binding_was(c, s),
			PARTS(part_object("stream", s)),
			"The stream belongs to no model; a captured model has streams of its own.");
	if (s)
		count_brought(c, call, s, count_said(c, s), a->tasks, a->numTasks);
	else
		count_brought(c, call, stream_model(c, a->stream),
			value_table_value(&models(c)->inner_sizes, (uintptr_t)a->stream), a->tasks,
			a->numTasks);
}

static void stream_tasks_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclmdlRIGetTasksByStream *a = call->args;

	struct acl_object *m = stream_of(call) ? NULL : stream_model(c, a->stream);

	count_answered(c, call, stream_of(call), a->tasks, a->numTasks);
	if (m && !a->tasks && a->numTasks && succeeded(call))
		value_table_set_of(c, &models(c)->inner_sizes, object_ref(m), (uintptr_t)a->stream,
			1 + (uint64_t)*a->numTasks);
}

/* --- callbacks of the destruction ---------------------------------------------------------------- */

static uint64_t callback_key(struct acl_object *m, const struct acl_call_record *call)
{
	return key_of_two(
		object_ref(m), (uintptr_t)acl_arg_pointer(call->api, call->args, ACL_ROLE_CALLBACK));
}

static void destroy_callback_registered(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);

	if (m && succeeded(call))
		value_table_set_of(c, &models(c)->at_end, object_ref(m), callback_key(m, call), 1);
}

static void destroy_callback_unregister(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);

	if (!m || load_relaxed(&m->flags) & ACL_OBJECT_LEARNED ||
		!acl_arg_pointer(call->api, call->args, ACL_ROLE_CALLBACK))
		return;
	FINDING(c, call, "mdlri-destroy-callback-misuse",
		!value_table_value(&models(c)->at_end, callback_key(m, call)), PARTS(part_object("model", m)),
		"This function is not registered for the end of this model.");
}

static void destroy_callback_unregistered(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call);

	if (m && succeeded(call))
		value_table_set_of(c, &models(c)->at_end, object_ref(m), callback_key(m, call), 0);
}

/* --- where it runs ----------------------------------------------------------------------------- */

/* The runtime's answer decides: what is current may have been set below us. */
static void model_context_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = model_argument(c, call), *own = m ? context_of(c, m) : NULL, *current;
	bool known;

	current = context_current(c, thread_of(call), &known);
	if (own && current)
		FINDING(c, call, "mdlri-wrong-context",
			error_of(call) == ACL_ERROR_RT_MODEL_CONTEXT && own != current,
			PARTS(part_object("model", m), part_object("context", current)),
			"The model belongs to another context than the current one.");
}

/* The stream of a built model takes no more tasks. */
static void built_stream_submit(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *m = binding_of(c, s);

	/* To execute there is a mistake of its own. */
	if (!m || load_relaxed(&s->flags) & ACL_OBJECT_LEARNED ||
		acl_apis[call->api].operation == ACL_OP_EXECUTE_MODEL)
		return;
	FINDING(c, call, "mdlri-task-after-buildend", model_is_built(c, m),
		PARTS(part_object("stream", s), part_object("model", m)),
		"The stream belongs to a model that is built: the task changes what it executes.");
}

static void task_update_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtTaskUpdateAsync *a = call->args;
	struct acl_object *exec = a->execStream ? object_live(c, ACL_HANDLE_STREAM, a->execStream) : NULL;
	struct acl_object *of = a->taskStream ? object_live(c, ACL_HANDLE_STREAM, a->taskStream) : NULL;
	struct acl_object *capture;
	if (!exec || !of || (load_relaxed(&of->flags) | load_relaxed(&exec->flags)) & ACL_OBJECT_LEARNED)
		return;
	capture = capture_of(c, exec);
	FINDING(c, call, "capture-taskupdateasync", capture || !binding_was(c, of),
		PARTS(part_object("stream", capture ? exec : of), part_object("model", capture)), "%s",
		capture ? "The stream that is to update the task is being captured."
			: "The task's stream was never bound to a model.");
}

/* --- how many ---------------------------------------------------------------------------------------- */

static uint64_t streams_in(struct checks *c, struct acl_object *capture)
{
	struct acl_object *s;
	uint64_t n = 0;

	object_each(c, ACL_HANDLE_STREAM, s) n +=
		object_usable(s) && stream_capture(s) == object_ref(capture);
	return n;
}

/* What ends now, and what was captured into the models of its conditions before. */
static uint64_t streams_of_graph(struct checks *c, struct acl_object *capture)
{
	struct acl_object *root = model_root(c, capture), *m;
	uint64_t n = 0;

	value_table_set_object(c, &models(c)->streams, capture, streams_in(c, capture));
	object_each(c, ACL_HANDLE_MODEL, m) if (object_usable(m) && model_root(c, m) == root) n +=
		value_table_value(&models(c)->streams, object_ref(m));
	return n;
}

static void graph_end_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture = capture_of(c, stream_of(call));
	uint64_t streams;

	if (!capture || !rule_wanted(c, RULE("mdlri-model-count")))
		return;
	streams = streams_of_graph(c, capture);
	FINDING(c, call, "mdlri-model-count", streams > MODEL_STREAMS * 9 / 10,
		PARTS(part_object("model", capture)),
		"%llu streams take part in this capture and those of its conditions: a model has %u at most.",
		(unsigned long long)streams, MODEL_STREAMS);
}

static void models_exhausted(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m;
	unsigned n = 0;

	if (error_of(call) != ACL_ERROR_RT_RESOURCE_ALLOC_FAIL &&
		error_of(call) != ACL_ERROR_RT_NO_NOTIFY_RESOURCE)
		return;
	object_each(c, ACL_HANDLE_MODEL, m) n += object_usable(m) && !load_relaxed(&model_state(m)->sub);
	FINDING(c, call, "mdlri-model-count", true, NO_PARTS,
		"The runtime has no more; %u models of this process are alive.", n);
}

/* --- left behind ------------------------------------------------------------------------------------- */

static bool model_left_behind(struct acl_object *m)
{
	return object_usable(m) && !capture_is_open(m) && !load_relaxed(&model_state(m)->sub) &&
	       !(load_relaxed(&m->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED | ACL_OBJECT_REPORTED));
}

/* Models of one context, of the default context of a device, or all (context 0). */
static void check_models_left(
	struct checks *c, struct acl_call_record *call, acl_ref context, const char *what)
{
	struct acl_object *m, *sample = NULL;
	unsigned n = 0;

	if (call->in_exit || !is_checked(call))
		return;
	object_each(c, ACL_HANDLE_MODEL, m)
	{
		if (!model_left_behind(m) || (context && load_relaxed(&m->context) != context))
			continue;
		object_reported(m);
		sample = sample ? sample : m;
		n++;
	}
	FINDING(c, call, "model-outlives-context", n,
		PARTS(part_uint("models", n), part_object("model", sample)),
		"%s while %u model%s of it %s not destroyed", what, n, n == 1 ? "" : "s",
		n == 1 ? "is" : "are");
}

static void models_context_destroy(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *context =
		object_live(c, ACL_HANDLE_CONTEXT, ACL_ARGS(call, aclrtDestroyContext)->context);

	if (context && !(load_relaxed(&context->flags) & (ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED)))
		check_models_left(c, call, object_ref(context), "The context goes");
}

static void models_device_reset(struct checks *c, struct acl_call_record *call)
{
	int device = device_argument(call);
	acl_ref context = device_at(c, device) ? load_relaxed(&device_at(c, device)->context) : 0;

	if (context && device_reset_counts_left(c, call) && device_reset_is_last(c, call, device))
		check_models_left(c, call, context, "The device goes out of use");
}

static void models_finalize(struct checks *c, struct acl_call_record *call)
{
	if (finalize_is_last(c, call))
		check_models_left(c, call, 0, "The runtime is de-initialised");
}

static const struct check_hook hooks[] = {
	{ON_OBJECT(MODEL, USE), ACL_LEAVE, model_context_leave},
	{ON_OBJECT(MODEL, DESTROY), ACL_LEAVE, model_context_leave},
	{ON_ROLE(STREAM), ACL_ENTER | ACL_IF_ASYNC | ACL_WHEN(BOUND), built_stream_submit},
	{ON_OP(TASK_UPDATE), ACL_ENTER, task_update_enter},
	{ON_OP(DESTROY_MODEL), ACL_ENTER, model_destroy_enter},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER | ACL_IF_ASYNC, model_execute_enter},
	{ON_OP(CAPTURE_END), ACL_FAILED, models_exhausted},
	{ON_OP(EXECUTE_MODEL), ACL_FAILED | ACL_IF_ASYNC, models_exhausted},
	{ON_OP(MODEL_PRINT), ACL_ENTER, model_print_enter},
	{ON_OP_WITH(MODEL_PRINT, FLAGS), ACL_FAILED, model_print_failed},
	{ON_OP(INFO_MODEL_STREAMS), ACL_ENTER, model_streams_enter},
	{ON_OP(INFO_MODEL_STREAMS), ACL_LEAVE, model_streams_leave},
	{ON_OP(INFO_STREAM_TASKS), ACL_ENTER, stream_tasks_enter},
	{ON_OP(INFO_STREAM_TASKS), ACL_LEAVE, stream_tasks_leave},
	{ON_OP(CALLBACK_REGISTER_MODEL_DESTROY), ACL_LEAVE, destroy_callback_registered},
	{ON_OP(CALLBACK_UNREGISTER_MODEL_DESTROY), ACL_ENTER, destroy_callback_unregister},
	{ON_OP(CALLBACK_UNREGISTER_MODEL_DESTROY), ACL_LEAVE, destroy_callback_unregistered},
	{ON_OP(CAPTURE_END), ACL_ENTER, graph_end_enter},
	{ON_OP(DESTROY_CONTEXT), ACL_ENTER, models_context_destroy},
	{ON_OP(DEVICE_RESET), ACL_ENTER, models_device_reset},
	{ON_OP(DEVICE_RESET), ACL_LEAVE, models_device_reset},
	{ON_OP(PROCESS_FINALIZE), ACL_ENTER, models_finalize},
};

const struct check_module module_models = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct models),
};
