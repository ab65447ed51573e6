/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures: status of streams and models, joins through events, what the
 * captured tasks use, modes per thread and context.  A capture is a model
 * object from its beginning; the end gives it its handle.
 */
#include "checks/legs.h"
#include "checks/report.h"
#include "checks/state.h"

struct acl_object *capture_of(struct checks *c, struct acl_object *stream)
{
	acl_ref ref = stream ? ld_acquire(&stream_state(stream)->capture) : 0;

	return ref ? object_of(c, ref) : NULL;
}

struct acl_object *capture_in(struct checks *c, struct acl_object *context, int device)
{
	struct acl_object *o;

	if (!ld(&c->open_captures))
		return NULL;
	object_each(c, ACL_HANDLE_MODEL, o)
	{
		uint8_t status = ld(&model_state(o)->status);

		if (!object_usable(o) || (status != MODEL_CAPTURING && status != MODEL_INVALIDATED))
			continue;
		if (context ? ld(&o->context) == object_ref(context) : device < 0 || ld(&o->device) == device)
			return o;
	}
	return NULL;
}

unsigned capture_mode_of_context(struct acl_object *context)
{
	for (unsigned mode = 0; context && mode < 3; mode++)
		if (ld(&context_state(context)->captures[mode]))
			return mode;
	return MODE_NONE;
}

unsigned capture_mode_of_thread(struct acl_thread *t)
{
	for (unsigned mode = 0; mode < 3; mode++)
		if (ld(&t->captures[mode]))
			return mode;
	return MODE_NONE;
}

void model_gone(struct checks *c, struct acl_object *model)
{
	struct acl_object *o;

	model_uses_end(c, model);
	object_each(c, ACL_HANDLE_MODEL,
		o) if (ld(&model_state(o)->sub) && ld(&o->parent) == object_ref(model) && object_usable(o))
		object_dead(c, o, NULL, ACL_OBJECT_BY_OWNER);
}

/* --- begin and end ------------------------------------------------------------------- */

static void count(_Atomic uint32_t *counts, unsigned mode, int by)
{
	uint32_t old = ld(&counts[mode]);

	if (by > 0)
		bump(&counts[mode]);
	else
		while (old && !atomic_compare_exchange_weak(&counts[mode], &old, old - 1))
			;
}

/* The model that the capture is recorded into: a new one, or a condition's. */
static struct acl_object *model_begun(struct checks *c, struct acl_event *ev)
{
	bool sub = ev->api == ACL_API_aclmdlRICaptureToModelRIBegin;
	struct acl_object *model =
		sub ? object_live(c, ACL_HANDLE_MODEL, ACL_ARGS(ev, aclmdlRICaptureToModelRIBegin)->modelRI)
		    : NULL;

	if (!model || !ld(&model_state(model)->sub))
		model = object_create(c, ev, ACL_HANDLE_MODEL, NULL, 0);
	if (model)
		st(&model_state(model)->sub, sub);
	return model;
}

static void begun(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *model, *context;
	const void *value = stream_argument(c, ev);
	unsigned mode = ev->api == ACL_API_aclmdlRICaptureBegin
				? ACL_ARGS(ev, aclmdlRICaptureBegin)->mode
				: ACL_ARGS(ev, aclmdlRICaptureToModelRIBegin)->mode;

	if (s && object_usable(s) && !capture_of(c, s))
		st(&stream_state(s)->capture_unsure, !succeeded(ev));
	if (!succeeded(ev) || !value || mode > 2)
		return;
	if (!s || !object_usable(s))
		s = object_create(c, NULL, ACL_HANDLE_STREAM, value, ACL_OBJECT_LEARNED);
	model = s ? model_begun(c, ev) : NULL;
	if (!model)
		return;
	context = context_of(c, s);
	st(&model->context, ld(&s->context));
	st(&model->device, ld(&s->device));
	st(&model_state(model)->status, MODEL_CAPTURING);
	st(&model_state(model)->mode, mode);
	st(&model_state(model)->origin, object_ref(s));
	st(&model_state(model)->thread, (uint64_t)(thread_of(ev) - c->threads));
	count(thread_of(ev)->captures, mode, 1);
	if (context)
		count(context_state(context)->captures, mode, 1);
	checks_unusual(c);
	bump(&c->open_captures);
	st_release(&stream_state(s)->capture, object_ref(model));
	object_changed(ev, s);
}

/* The capture is over: streams and events leave it. */
static bool capture_over(struct checks *c, struct acl_object *model, unsigned status)
{
	struct model_state *m = model_state(model);
	struct acl_object *o, *context = context_of(c, model);
	acl_ref ref = object_ref(model);
	unsigned mode = ld(&m->mode);
	uint8_t was = atomic_exchange(&m->status, status);

	if (was != MODEL_CAPTURING && was != MODEL_INVALIDATED)
		return false;
	object_each(c, ACL_HANDLE_STREAM, o) if (ld(&stream_state(o)->capture) == ref)
		st(&stream_state(o)->capture, 0);
	object_each(c, ACL_HANDLE_EVENT, o) if (ld(&event_state(o)->capture) == ref)
		st(&event_state(o)->capture, 0);
	count(c->threads[ld(&m->thread) % ACL_THREADS].captures, mode, -1);
	if (context)
		count(context_state(context)->captures, mode, -1);
	drop(&c->open_captures);
	return true;
}

void capture_abandon(struct checks *c, struct acl_object *model)
{
	capture_over(c, model, MODEL_BUILT);
	model_uses_end(c, model);
}

/* Errors of CaptureEnd after which the capture goes on. */
static bool goes_on(const struct acl_event *ev)
{
	switch (error_of(ev)) {
	case 100000: /* arguments */
	case 107000:
	case 107002: /* no context, another one */
	case 107003:
	case 107017: /* handle */
	case 107029: /* not capturing */
	case 107036: /* not the stream of the beginning */
	case 207000: /* default stream */
		return true;
	}
	return false;
}

/* Errors of CaptureEnd after which the capture is over all the same. */
static bool ends_anyway(const struct acl_event *ev)
{
	switch (error_of(ev)) {
	case 107024: /* wait without record */
	case 107025: /* unjoined */
	case 107033: /* open task group */
	case 107038: /* other thread */
	case 107045: /* sub model missing */
	case 507903: /* invalidated before */
		return true;
	}
	return false;
}

static void ended(struct checks *c, struct acl_event *ev)
{
	struct acl_object *model = capture_of(c, stream_of(ev));
	const aclmdlRI *out = ACL_ARGS(ev, aclmdlRICaptureEnd)->modelRI;

	if (!model || ld(&model_state(model)->origin) != object_ref(stream_of(ev)))
		return;
	if (succeeded(ev)) {
		capture_over(c, model, MODEL_READY);
		if (out && *out && ld(&model->value) != (uintptr_t)*out)
			object_name(c, model, *out);
		object_changed(ev, model);
	} else if (!goes_on(ev)) {
		/* What we know no code for may be either: rules stay silent then. */
		st(&stream_state(stream_of(ev))->capture_unsure, !ends_anyway(ev));
		capture_abandon(c, model);
		if (!ld(&model_state(model)->sub))
			object_dead(c, model, ev, ACL_OBJECT_BY_OWNER);
	}
}

/* While it is open the model may already be asked for. */
static void informed(struct checks *c, struct acl_event *ev)
{
	struct acl_object *model = capture_of(c, stream_of(ev));
	const aclmdlRI *out = ACL_ARGS(ev, aclmdlRICaptureGetInfo)->modelRI;

	if (model && succeeded(ev) && out && *out && !ld(&model->value))
		object_name(c, model, *out);
}

/* --- inside ------------------------------------------------------------------------------ */

static void uses_of_call(struct checks *c, struct acl_object *model, const struct acl_event *ev)
{
	for (uint64_t i = 0, n = legs_count(ev); i < n; i++) {
		struct copy_leg leg = legs_at(ev, i);

		model_uses_address(c, model, leg.dst, ev);
		model_uses_address(c, model, leg.src, ev);
	}
	switch (ev->api) {
	case ACL_API_aclrtMemsetAsync:
	case ACL_API_aclrtMemsetD32Async:
	case ACL_API_aclrtCmoAsync:
	case ACL_API_aclrtCmoAsyncWithBarrier:
	case ACL_API_aclrtValueWrite:
	case ACL_API_aclrtValueWait:
		/* All begin with the address. */
		model_uses_address(c, model, ACL_ARGS(ev, aclrtMemsetAsync)->devPtr, ev);
		break;
	case ACL_API_aclrtReduceAsync:
		model_uses_address(c, model, ACL_ARGS(ev, aclrtReduceAsync)->dst, ev);
		model_uses_address(c, model, ACL_ARGS(ev, aclrtReduceAsync)->src, ev);
		break;
	case ACL_API_aclrtLaunchKernel:
	case ACL_API_aclrtLaunchKernelV2:
		model_uses_address(c, model, ACL_ARGS(ev, aclrtLaunchKernel)->argsData, ev);
		break;
	}
}

static void handles_of_call(struct checks *c, struct acl_object *model, const struct acl_event *ev)
{
	const struct acl_api_info *info = &acl_apis[ev->api];

	for (unsigned i = 0; i < info->n_params; i++) {
		const struct acl_param *p = &info->params[i];
		const void *value;
		struct acl_object *o;

		if (p->dir != ACL_DIR_IN || p->life != ACL_LIFE_USE)
			continue;
		memcpy(&value, (const char *)ev->args + p->offset, sizeof(value));
		if (p->handle == ACL_HANDLE_NOTIFY || p->handle == ACL_HANDLE_CNT_NOTIFY) {
			model_uses_object(c, model, object_find(c, p->handle, value), ev);
		} else if (p->handle == ACL_HANDLE_FUNCTION) {
			o = object_find(c, ACL_HANDLE_FUNCTION, value);
			if (o)
				model_uses_object(c, model, object_of(c, ld(&o->parent)), ev);
		}
	}
}

/* A task became part of a model. */
static void captured(struct checks *c, struct acl_event *ev)
{
	struct acl_object *model = ev->carry[CARRY_CAPTURE] ? object_of(c, ev->carry[CARRY_CAPTURE]) : NULL;

	if (!model || !succeeded(ev))
		return;
	bump(&model_state(model)->tasks);
	uses_of_call(c, model, ev);
	handles_of_call(c, model, ev);
}

static bool flag_external(const struct acl_event *ev)
{
	if (ev->api == ACL_API_aclrtRecordEventWithFlag)
		return ACL_ARGS(ev, aclrtRecordEventWithFlag)->flag == ACL_EVENT_RECORD_EXTERNAL;
	if (ev->api == ACL_API_aclrtStreamWaitEventWithFlag)
		return ACL_ARGS(ev, aclrtStreamWaitEventWithFlag)->flag == ACL_EVENT_WAIT_EXTERNAL;
	return false;
}

static bool event_is_external(const struct acl_event *ev, struct acl_object *e)
{
	return flag_external(ev) || ld(&event_state(e)->flags) == ACL_EVENT_EXTERNAL;
}

static void event_recorded(struct checks *c, struct acl_event *ev)
{
	struct acl_object *e = event_of(ev), *model = capture_of(c, stream_of(ev));

	if (!e || !succeeded(ev))
		return;
	st(&event_state(e)->captured, model != NULL);
	if (!model) {
		if (ld(&event_state(e)->capture))
			st(&event_state(e)->capture, 0);
		return;
	}
	bump(&model_state(model)->tasks);
	if (event_is_external(ev, e)) {
		st(&event_state(e)->external, true);
		model_uses_object(c, model, e, ev);
	} else if (ld(&event_state(e)->flags) & ACL_EVENT_SYNC) {
		/* Without SYNC the record is dropped and the event belongs to nothing. */
		st(&event_state(e)->capture, object_ref(model));
	}
}

static void invalidate(struct checks *c, acl_ref ref)
{
	struct acl_object *model = object_of(c, ref);
	uint8_t open = MODEL_CAPTURING;

	if (model)
		atomic_compare_exchange_strong(&model_state(model)->status, &open, MODEL_INVALIDATED);
}

static void event_waited(struct checks *c, struct acl_event *ev)
{
	struct acl_object *e = event_of(ev), *s = stream_of(ev), *model = capture_of(c, s);
	acl_ref of_event = e ? ld(&event_state(e)->capture) : 0;

	if (!e || !s)
		return;
	if (error_of(ev) == 107032) {
		invalidate(c, of_event);
		invalidate(c, ld(&stream_state(s)->capture));
	}
	if (!succeeded(ev))
		return;
	if (model) {
		bump(&model_state(model)->tasks);
		if (event_is_external(ev, e)) {
			st(&event_state(e)->external, true);
			model_uses_object(c, model, e, ev);
		}
	} else if (of_event && object_of(c, of_event) && !(ld(&s->flags) & ACL_OBJECT_DEFAULT)) {
		st_release(&stream_state(s)->capture, of_event);
		object_changed(ev, s);
	}
}

static void group_begun(struct checks *c, struct acl_event *ev)
{
	struct acl_object *model = capture_of(c, stream_of(ev));

	if (!model)
		return;
	if (succeeded(ev)) {
		st(&model_state(model)->group, true);
		st(&stream_state(stream_of(ev))->group, object_ref(model));
	} else if (ld(&stream_state(stream_of(ev))->group) != object_ref(model)) {
		st(&stream_state(stream_of(ev))->group, GROUP_UNKNOWN);
	}
}

static void group_ended(struct checks *c, struct acl_event *ev)
{
	struct acl_object *model = capture_of(c, stream_of(ev));

	if (!model || ld(&stream_state(stream_of(ev))->group) != object_ref(model))
		return;
	st(&model_state(model)->group, false);
	st(&stream_state(stream_of(ev))->group, succeeded(ev) ? 0 : GROUP_UNKNOWN);
}

static void updated(struct checks *c, struct acl_event *ev)
{
	struct acl_object *group =
		object_find(c, ACL_HANDLE_TASK_GROUP, ACL_ARGS(ev, aclmdlRICaptureTaskUpdateBegin)->handle);
	struct acl_object *model = group ? object_of(c, ld(&group->parent)) : NULL;

	if (model && succeeded(ev))
		st(&model_state(model)->updated, true);
	if (stream_of(ev) && succeeded(ev))
		st(&stream_state(stream_of(ev))->updating, group ? object_ref(group) : 0);
	if (stream_of(ev) && ld(&stream_state(stream_of(ev))->update) != UPDATE_OPEN)
		st(&stream_state(stream_of(ev))->update, succeeded(ev) ? UPDATE_OPEN : UPDATE_UNKNOWN);
}

static void update_ended(struct checks *c, struct acl_event *ev)
{
	(void)c;
	if (stream_of(ev))
		st(&stream_state(stream_of(ev))->updating, 0);
	if (stream_of(ev))
		st(&stream_state(stream_of(ev))->update, succeeded(ev) ? UPDATE_NONE : UPDATE_UNKNOWN);
}

/* --- the thread's mode --------------------------------------------------------------------- */

/* The runtime writes the old mode over the new one: it is read in enter. */
static void exchanging(struct checks *c, struct acl_event *ev)
{
	const aclmdlRICaptureMode *mode = ACL_ARGS(ev, aclmdlRICaptureThreadExchangeMode)->mode;

	(void)c;
	if (mode && (unsigned)*mode < 3)
		ev->carry[CARRY_NOTE] = (uint64_t)*mode + 1;
}

static void exchanged(struct checks *c, struct acl_event *ev)
{
	(void)c;
	if (ev->carry[CARRY_NOTE] && succeeded(ev))
		st(&thread_of(ev)->exchange, (uint8_t)(ev->carry[CARRY_NOTE] - 1));
}

static void capture_bind(void (*add)(void *, unsigned, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		const struct acl_api_info *info = &acl_apis[api];

		if (info->capture == ACL_CAPTURE_CAPTURED && !(info->classes & ACL_CLASS_EVENT))
			add(binder, api, ACL_LEAVE | ACL_UNUSUAL, captured);
	}
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclmdlRICaptureBegin, ACL_LEAVE, begun},
	{ACL_API_aclmdlRICaptureToModelRIBegin, ACL_LEAVE, begun},
	{ACL_API_aclmdlRICaptureEnd, ACL_LEAVE, ended},
	{ACL_API_aclmdlRICaptureGetInfo, ACL_LEAVE, informed},
	{ACL_API_aclrtRecordEvent, ACL_LEAVE | ACL_UNUSUAL, event_recorded},
	{ACL_API_aclrtRecordEventWithFlag, ACL_LEAVE | ACL_UNUSUAL, event_recorded},
	{ACL_API_aclrtStreamWaitEvent, ACL_LEAVE | ACL_UNUSUAL, event_waited},
	{ACL_API_aclrtStreamWaitEventWithFlag, ACL_LEAVE | ACL_UNUSUAL, event_waited},
	{ACL_API_aclrtStreamWaitEventWithTimeout, ACL_LEAVE | ACL_UNUSUAL, event_waited},
	{ACL_API_aclmdlRICaptureTaskGrpBegin, ACL_LEAVE, group_begun},
	{ACL_API_aclmdlRICaptureTaskGrpEnd, ACL_LEAVE, group_ended},
	{ACL_API_aclmdlRICaptureTaskUpdateBegin, ACL_LEAVE, updated},
	{ACL_API_aclmdlRICaptureTaskUpdateEnd, ACL_LEAVE, update_ended},
	{ACL_API_aclmdlRICaptureThreadExchangeMode, ACL_ENTER, exchanging},
	{ACL_API_aclmdlRICaptureThreadExchangeMode, ACL_LEAVE, exchanged},
};

const struct acl_topic topic_capture = {
	.name = "capture",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = capture_bind,
};
