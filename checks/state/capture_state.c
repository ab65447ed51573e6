/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures: status of streams and models, joins through events, what the
 * captured tasks use, modes per thread and context.  A capture is a model
 * object from its beginning; the end gives it its handle.
 */
#include "checks/state/capture_state.h"
#include "checks/engine/instance.h"
#include "checks/engine/program_memory.h"
#include "checks/state/capture_change.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/init_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/operation.h"
#include "checks/state/pending_change.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"
#include "checks/state/unseen_ends.h"

struct acl_object *capture_of(struct checks *c, struct acl_object *stream)
{
	acl_ref ref = stream ? stream_capture(stream) : 0;

	return ref ? object_of(c, ref) : NULL;
}

struct acl_object *capture_in(struct checks *c, struct acl_object *context, int device)
{
	struct acl_object *o;

	if (!captures_open(c))
		return NULL;
	object_each(c, ACL_HANDLE_MODEL, o)
	{
		if (!object_usable(o) || !capture_is_open(o))
			continue;
		if (context ? load_relaxed(&o->context) == object_ref(context)
			    : device < 0 || load_relaxed(&o->device) == device)
			return o;
	}
	return NULL;
}

unsigned capture_mode_of_context(struct acl_object *context)
{
	for (unsigned mode = 0; context && mode < 3; mode++)
		if (load_relaxed(&context_state(context)->captures[mode]))
			return mode;
	return MODE_NONE;
}

unsigned capture_mode_of_thread(struct acl_thread *t)
{
	for (unsigned mode = 0; mode < 3; mode++)
		if (load_relaxed(&t->captures[mode]))
			return mode;
	return MODE_NONE;
}

struct acl_object *capture_by_thread_next(struct checks *c, const struct acl_call_record *call, uint32_t *at)
{
	uint64_t thread = thread_identity(c, thread_of(call));
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known), *o;

	if (!captures_open(c) || capture_mode_of_thread(thread_of(call)) == MODE_NONE || !context)
		return NULL;
	while ((o = object_next(c, ACL_HANDLE_MODEL, at)) != NULL)
		if (object_usable(o) && capture_is_open(o) &&
			load_relaxed(&model_state(o)->thread) == thread &&
			load_relaxed(&o->context) == object_ref(context))
			return o;
	return NULL;
}

struct acl_object *capture_by_thread(struct checks *c, const struct acl_call_record *call)
{
	return capture_by_thread_next(c, call, &(uint32_t){0});
}

/* GLOBAL 0, THREAD_LOCAL 1, RELAXED 2, none 3. */
bool capture_mode_forbids(unsigned context, unsigned thread, unsigned exchange)
{
	if (context == MODE_NONE || exchange == ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
		return false;
	if (exchange == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
		return context == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL ||
		       thread == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
	return thread <= ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
}

void model_gone(struct checks *c, struct acl_object *model)
{
	struct acl_object *o;

	model_uses_end(c, model);
	model_accesses_end(c, model);
	capture_streams_end(c, model);
	object_each(c, ACL_HANDLE_MODEL, o) if (load_relaxed(&model_state(o)->sub) &&
						load_relaxed(&model_state(o)->parent) == object_ref(model) &&
						object_usable(o))
	{
		/* A body may have conditions of its own. */
		model_gone(c, o);
		object_destroyed(c, o, NULL, ACL_OBJECT_BY_OWNER);
	}
}

/* --- begin and end ------------------------------------------------------------------- */

static void count(_Atomic uint32_t *counts, unsigned mode, int by)
{
	uint32_t old = load_relaxed(&counts[mode]);

	if (by > 0)
		counter_inc(&counts[mode]);
	else
		while (old && !atomic_compare_exchange_weak(&counts[mode], &old, old - 1))
			;
}

static void capture_is_unsure(struct acl_object *stream, bool unsure)
{
	store_relaxed(&stream_state(stream)->capture_unsure, unsure);
	stream_special_renew(stream);
}

static void stream_is_captured(struct checks *c, struct acl_object *stream, acl_ref model)
{
	struct stream_rare *s = stream_rare_make(c, stream);

	if (!s)
		return;
	store_release(&s->capture, model);
	stream_special_renew(stream);
}

static void event_is_captured(struct acl_object *event, bool captured)
{
	store_relaxed(&event_marks(event)->captured, captured);
	event_special_renew(event);
}

static void event_leaves_capture(struct acl_object *event)
{
	store_relaxed(&((struct event_rare *)object_rare(event))->capture, 0);
	event_special_renew(event);
}

/* The model that the capture is recorded into: a new one, or a condition's. */
static struct acl_object *model_begun(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_MODEL);
	bool sub = acl_arg_has(call->api, ACL_ROLE_MODEL);
	struct acl_object *model = sub ? object_live(c, ACL_HANDLE_MODEL, value) : NULL;

	if (!model || !load_relaxed(&model_state(model)->sub))
		model = object_create(c, call, ACL_HANDLE_MODEL, NULL, 0);
	if (model)
		store_relaxed(&model_state(model)->sub, sub);
	return model;
}

static void begun(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *model, *context;
	const void *value = stream_argument(c, call);
	unsigned mode = (unsigned)acl_arg_value(call->api, call->args, ACL_ROLE_MODE);

	if (s && object_usable(s) && !capture_of(c, s))
		capture_is_unsure(s, !succeeded(call));
	if (!succeeded(call) || !value || mode > 2)
		return;
	if (!s || !object_usable(s))
		s = object_create(c, NULL, ACL_HANDLE_STREAM, value, ACL_OBJECT_LEARNED);
	model = s ? model_begun(c, call) : NULL;
	if (s && !model)
		capture_is_unsure(s, true);
	if (!model)
		return;
	context = context_of(c, s);
	store_relaxed(&model->context, load_relaxed(&s->context));
	store_relaxed(&model->device, load_relaxed(&s->device));
	store_relaxed(&model_state(model)->status, MODEL_CAPTURING);
	store_relaxed(&model_state(model)->mode, mode);
	store_relaxed(&model_state(model)->origin, object_ref(s));
	store_relaxed(&model_state(model)->exchange, load_relaxed(&thread_of(call)->exchange));
	store_relaxed(&model_state(model)->thread, thread_identity(c, thread_of(call)));
	count(thread_of(call)->captures, mode, 1);
	if (context)
		count(context_state(context)->captures, mode, 1);
	checks_when(c, WHEN_CAPTURES);
	counter_inc(&module_slot(c, capture, struct process_captures)->open);
	capture_streams_begin(c, model);
	capture_stream_joins(c, model, s, call);
	stream_is_captured(c, s, object_ref(model));
}

/* The capture is over: streams and events leave it. */
static bool capture_over(struct checks *c, struct acl_object *model, unsigned status)
{
	struct model_state *m = model_state(model);
	struct acl_object *o, *context = context_of(c, model);
	acl_ref ref = object_ref(model);
	struct acl_thread *began = &c->threads[load_relaxed(&m->thread) % ACL_THREADS];
	unsigned mode = load_relaxed(&m->mode);
	uint8_t was = atomic_exchange(&m->status, status);

	if (was != MODEL_CAPTURING && was != MODEL_INVALIDATED)
		return false;
	object_each(c, ACL_HANDLE_STREAM, o) if (stream_capture(o) == ref) stream_is_captured(c, o, 0);
	object_each(c, ACL_HANDLE_EVENT, o) if (event_rarely(o, capture) == ref) event_leaves_capture(o);
	if (thread_identity(c, began) == load_relaxed(&m->thread))
		count(began->captures, mode, -1);
	if (context)
		count(context_state(context)->captures, mode, -1);
	counter_dec(&module_slot(c, capture, struct process_captures)->open);
	capture_streams_end(c, model);
	return true;
}

void capture_abandon(struct checks *c, struct acl_object *model)
{
	capture_over(c, model, MODEL_BUILT);
	model_uses_end(c, model);
	model_accesses_end(c, model);
}

/* Errors of CaptureEnd after which the capture is over all the same. */
static bool ends_anyway(const struct acl_call_record *call)
{
	switch (error_of(call)) {
	case ACL_ERROR_RT_CAPTURE_DEPENDENCY:
	case ACL_ERROR_RT_STREAM_UNJOINED:
	case ACL_ERROR_STREAM_TASK_GROUP_STATUS:
	case ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD:
	case ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING:
	case ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED:
		return true;
	}
	return false;
}

/* A condition's, and what another thread's end leaves to who asked for its handle meanwhile. */
static bool model_stays(struct acl_object *model, const struct acl_call_record *call)
{
	return load_relaxed(&model_state(model)->sub) ||
	       (error_of(call) == ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD && load_relaxed(&model->value));
}

static void ended(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = capture_of(c, stream_of(call));
	const aclmdlRI *out = ACL_ARGS(call, aclmdlRICaptureEnd)->modelRI;

	if (!model && succeeded(call) && out && *out)
		object_answered(c, ACL_HANDLE_MODEL, *out);
	/* The beginning was not seen: what was put on the stream may not have run. */
	if (!model && stream_of(call) && succeeded(call))
		stream_retire(c, stream_of(call), stream_submitted(stream_of(call)), false);
	if (!model || load_relaxed(&model_state(model)->origin) != object_ref(stream_of(call)))
		return;
	if (succeeded(call)) {
		capture_over(c, model, MODEL_READY);
		if (out && *out && load_relaxed(&model->value) != (uintptr_t)*out)
			object_name(c, model, *out);
	} else if (!acl_capture_goes_on(error_of(call))) {
		/* What we know no code for may be either: rules stay silent then. */
		capture_is_unsure(stream_of(call), !ends_anyway(call));
		capture_abandon(c, model);
		if (!model_stays(model, call)) {
			model_gone(c, model);
			object_destroyed(c, model, call, ACL_OBJECT_BY_OWNER);
		}
	}
}

/* While it is open the model may already be queried. */
static void informed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = capture_of(c, stream_of(call));
	const aclmdlRICaptureStatus *status = acl_arg_pointer(call->api, call->args, ACL_ROLE_STATUS);
	const void *const *out = acl_arg_pointer(call->api, call->args, ACL_ROLE_MODEL);

	if (!succeeded(call) || !out)
		return;
	if (model && *out && !load_relaxed(&model->value))
		object_name(c, model, *out);
	else if (!model && *out && status && *status != ACL_MODEL_RI_CAPTURE_STATUS_NONE)
		object_answered(c, ACL_HANDLE_MODEL, *out);
	if (status)
		thread_of(call)->no_model = (struct no_model){(uintptr_t)*out,
			*status == ACL_MODEL_RI_CAPTURE_STATUS_NONE ? 1 + calls_so_far(call) : 0};
}

/* --- inside ------------------------------------------------------------------------------ */

static void access_of_call(struct checks *c, struct acl_object *model, const struct op_access *a,
	const struct acl_call_record *call)
{
	struct block_lookup place;

	if (!a || !a->address)
		return;
	place = a->block;
	model_uses_address(c, model, a->address, call);
	for (unsigned i = 0; i < ACCESS_MAPPINGS && place.block && access_goes_on(c, a, &place); i++)
		model_uses_address(c, model, (const void *)(uintptr_t)place.base, call);
	/* Between rows there is memory that the task leaves alone. */
	if (a->rows == 1 || a->pitch == a->width)
		capture_range_add(model, (uintptr_t)a->address, a->span, call);
}

static void uses_of_call(struct checks *c, struct acl_object *model, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		access_of_call(c, model, e.dst, call);
		access_of_call(c, model, e.src, call);
	}
}

/* Waits that something outside of the model ends. */
static bool waits_for_unseen(const struct acl_call_record *call)
{
	switch (acl_apis[call->api].operation) {
	case ACL_OP_WAIT_NOTIFY:
	case ACL_OP_WAIT_COUNT_NOTIFY:
	case ACL_OP_WAIT_VALUE:
		return true;
	}
	return false;
}

/* After the wait has become a task of the stream. What is in a body may come at any time of the whole. */
static void model_waits_unseen(struct checks *c, struct acl_object *model, struct acl_object *s)
{
	struct acl_object *root = model_root(c, model);

	store_relaxed(&model_state(model)->waits_unseen, true);
	store_relaxed(&model_state(root)->waits_unseen, true);
	capture_stream_waits_unseen(model, s);
	if (root != model)
		capture_stream_waits_unseen(root, NULL);
}

/* A task became part of a model. */
static void captured(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = call->state.capture ? object_of(c, call->state.capture) : NULL;

	if (!model || !succeeded(call) || call_sets_host_words(c, call))
		return;
	counter_inc(&model_state(model)->tasks);
	if (stream_of(call))
		capture_stream_task(c, model, stream_of(call), LAST_TASK, call);
	if (waits_for_unseen(call))
		model_waits_unseen(c, model, stream_of(call));
	if (unseen_end_operation(call->api))
		store_relaxed(&model_state(model_root(c, model))->records, true);
	/* The callback runs on the thread that is subscribed for the stream then. */
	if (acl_apis[call->api].operation == ACL_OP_LAUNCH_HOST_FUNCTION &&
		acl_arg_has(call->api, ACL_ROLE_BLOCK_TYPE))
		model_uses_object(c, model, stream_of(call), call);
	if (task_runs_kernel(call->api)) {
		store_relaxed(&model_state(model_root(c, model))->kernels, true);
		kernel_joins_model(c, call);
	}
	uses_of_call(c, model, call);
	model_accesses_add(c, model, call);
	model_uses_handles(c, model, call);
}

static bool event_is_external(const struct acl_call_record *call, struct acl_object *e)
{
	return event_flag_external(call) || load_relaxed(&event_state(e)->flags) == ACL_EVENT_EXTERNAL;
}

static void event_recorded(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *model = capture_of(c, stream_of(call));
	struct event_rare *rare;

	if (!e || !succeeded(call))
		return;
	if (!model) {
		/* It belongs to its capture until that is over, all the same. */
		event_is_captured(e, false);
		return;
	}
	event_is_captured(e, true);
	counter_inc(&model_state(model)->tasks);
	if (event_is_external(call, e)) {
		store_relaxed(&event_marks(e)->external, true);
		store_relaxed(&model_state(model_root(c, model))->records, true);
		model_uses_object(c, model, e, call);
		capture_stream_task(c, model, stream_of(call), LAST_EXTERNAL_RECORD, call);
	} else if (load_relaxed(&event_state(e)->flags) & ACL_EVENT_SYNC) {
		/* Without SYNC the record is dropped and the event belongs to nothing. */
		rare = event_rare_make(c, e);
		if (rare)
			store_relaxed(&rare->capture, object_ref(model));
		capture_stream_records(c, model, stream_of(call), e, call);
	}
}

static void invalidate(struct checks *c, acl_ref ref)
{
	struct acl_object *model = object_of(c, ref);
	uint8_t open = MODEL_CAPTURING;

	if (model)
		atomic_compare_exchange_strong(&model_state(model)->status, &open, MODEL_INVALIDATED);
}

static void event_waited(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *s = stream_of(call), *model = capture_of(c, s);
	acl_ref of_event = e ? event_rarely(e, capture) : 0;

	if (!e || !s)
		return;
	if (error_of(call) == ACL_ERROR_STREAM_CAPTURE_CONFLICT) {
		invalidate(c, of_event);
		invalidate(c, stream_capture(s));
	}
	if (!succeeded(call))
		return;
	if (model) {
		counter_inc(&model_state(model)->tasks);
		if (event_is_external(call, e)) {
			store_relaxed(&event_marks(e)->external, true);
			model_uses_object(c, model, e, call);
			capture_stream_task(c, model, s, LAST_TASK, call);
			model_waits_unseen(c, model, s);
		} else if (of_event == object_ref(model)) {
			capture_stream_waits(c, model, s, e, call);
		}
	} else if (of_event && object_of(c, of_event) && !(load_relaxed(&s->flags) & ACL_OBJECT_DEFAULT)) {
		model = object_of(c, of_event);
		stream_is_captured(c, s, of_event);
		capture_stream_joins(c, model, s, call);
		capture_stream_waits(c, model, s, e, call);
	}
}

/* --- the thread's mode --------------------------------------------------------------------- */

/* Of a call: 1 + the mode it sets. */
static const char exchange_note;

/* The runtime writes the old mode over the new one: it is read in enter. */
static void exchanging(struct checks *c, struct acl_call_record *call)
{
	aclmdlRICaptureMode mode;

	if (program_read(c, ACL_ARGS(call, aclmdlRICaptureThreadExchangeMode)->mode, &mode, sizeof(mode)) &&
		(unsigned)mode < 3)
		call_note_set(call, &exchange_note, (uint64_t)mode + 1);
}

unsigned capture_mode_wanted(const struct acl_call_record *call)
{
	uint64_t mode = call_note(call, &exchange_note);

	return mode ? (unsigned)mode - 1 : MODE_NONE;
}

static void exchanged(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);

	(void)c;
	if (capture_mode_wanted(call) == MODE_NONE || !succeeded(call))
		return;
	store_relaxed(&t->exchanged, (uint8_t)(1 + load_relaxed(&t->exchange)));
	store_relaxed(&t->exchange, (uint8_t)capture_mode_wanted(call));
}

/* A forked child whose runtime begins anew has none of the captures of its parent. */
static void initialized(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o;

	if (!init_began_anew(call))
		return;
	object_each(c, ACL_HANDLE_MODEL, o) if (capture_is_open(o)) capture_abandon(c, o);
}

static void capture_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		const struct acl_api_info *info = &acl_apis[api];

		if (info->capture == ACL_CAPTURE_CAPTURED && !(info->classes & ACL_CLASS_EVENT))
			add(binder, api, ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, captured);
	}
}

static const struct check_hook hooks[] = {
	{ON_OP(PROCESS_INIT), ACL_LEAVE, initialized},
	{ON_OP(CAPTURE_BEGIN), ACL_LEAVE, begun},
	{ON_OP(CAPTURE_END), ACL_LEAVE, ended},
	{ON_OP(CAPTURE_STATUS), ACL_LEAVE, informed},
	{ON_OP(RECORD_EVENT), ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, event_recorded},
	{ON_OP(WAIT_EVENT), ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, event_waited},
	{ON_OP(CAPTURE_EXCHANGE_MODE), ACL_ENTER, exchanging},
	{ON_OP(CAPTURE_EXCHANGE_MODE), ACL_LEAVE, exchanged},
};

const struct check_module module_capture = {
	.order = 7,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = capture_bind,
};
