/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: which one a call names, positions of what is submitted, what the
 * host has observed as done; order_state.c carries progress from one stream to another.
 * Where evidence is incomplete the work counts as perhaps done: rules that ask
 * for pending work then stay silent.
 */
#include "checks/state/stream_state.h"
#include "checks/engine/instance.h"
#include "checks/engine/plain_format.h"
#include "checks/engine/program_memory.h"
#include "checks/state/device_state.h"
#include "checks/state/lifecycle.h"
#include "checks/state/pending_change.h"
#include "checks/state/stream_change.h"

static int16_t last_handle_offset(unsigned api, unsigned kind)
{
	const struct acl_api_info *info = &acl_apis[api];

	for (unsigned i = info->n_params; i-- > 0;) {
		const struct acl_param *p = &acl_params(info)[i];

		if (p->handle == kind && p->dir == ACL_DIR_IN &&
			(p->life == ACL_LIFE_USE || p->life == ACL_LIFE_DESTROY))
			return (int16_t)p->offset;
	}
	return -1;
}

const char *stream_text(struct acl_object *stream, char out[STREAM_TEXT_SIZE])
{
	uint64_t value = load_relaxed(&stream->value);

	return value ? plain_print(out, STREAM_TEXT_SIZE, "stream 0x%llx", (unsigned long long)value)
		     : "the default stream";
}

/* NULL is the default stream of the current context. */
static void stream_of_default(struct checks *c, struct acl_call_record *call)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known);

	if (context)
		call->state.stream = object_of(c, load_relaxed(&context_state(context)->default_stream));
}

static bool stream_is_special(struct acl_object *s)
{
	struct stream_state *state = stream_state(s);

	return load_relaxed(&s->flags) & ACL_OBJECT_DEFAULT || stream_capture(s) ||
	       load_relaxed(&state->capture_unsure) || load_relaxed(&state->bound) ||
	       load_relaxed(&state->update) != UPDATE_NONE;
}

void stream_special_renew(struct acl_object *stream)
{
	object_special_renew(stream, stream_is_special);
}

/* Any function that names a stream, once there are captures. */
static void stream_capture_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	(void)c;
	if (s)
		call->state.capture = stream_capture(s);
}

/* Signals of all streams that this one does not count yet.  Relaxed: who counts them acquires. */
static inline bool signals_are_new(struct checks *c, struct acl_object *stream)
{
	return load_relaxed(&stream_state(stream)->signalled) != load_relaxed(signals_of_all(c));
}

static inline void signals_count(struct checks *c, struct acl_object *stream, uint64_t position)
{
	uint32_t all = load_acquire(signals_of_all(c));
	struct stream_rare *s = stream_rare_make(c, stream);

	if (!s)
		return;
	raise_to(&s->signal, position - 1);
	store_release(&stream_state(stream)->signalled, all);
}

void stream_submits(struct checks *c, struct acl_object *stream, uint64_t position)
{
	if (signals_are_new(c, stream))
		signals_count(c, stream, position);
}

/* A function of its own, so that a task saves no more registers than it needs. */
static __attribute__((noinline)) void task_behind_new_signals(
	struct checks *c, struct acl_object *s, struct acl_call_record *call)
{
	signals_count(c, s, call->state.position);
	object_used(c, s, call);
}

/* A task is put on the stream: it takes the next position. */
static void stream_submit_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (!s || !object_usable(s))
		return;
	call->state.position = counter_inc(&stream_state(s)->submitted) + 1;
	if (__builtin_expect(signals_are_new(c, s), 0))
		task_behind_new_signals(c, s, call);
	else
		object_used(c, s, call);
}

/* What runs later is done when the host has observed it. */
static void stream_work_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t position = call->state.position;

	(void)c;
	/* What is captured runs with the model, wherever that is executed, and so does what updates it. */
	if (s && position && succeeded(call) && !call->state.capture &&
		!load_relaxed(&stream_state(s)->update))
		raise_to(&stream_state(s)->work, position);
}

void stream_has_callback(struct checks *c, struct acl_object *stream, uint64_t position)
{
	struct stream_rare *s = stream_rare_make(c, stream);

	if (s)
		raise_to(&s->callback, position);
}

void stream_callback_begins(struct checks *c, struct acl_object *stream, uint64_t position)
{
	struct stream_rare *s = stream_rare_make(c, stream);

	if (s)
		raise_to(&s->begun, position);
}

static void stream_callback_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s && call->state.position && succeeded(call))
		stream_has_callback(c, s, call->state.position);
	stream_work_leave(c, call);
}

/* What the leave of a task does to its stream; NULL: nothing, or the module of the event, notify or word does
 * it.
 */
static check_hook_fn submit_leave_of(unsigned api)
{
	switch (acl_apis[api].operation) {
	case ACL_OP_RECORD_EVENT:
	case ACL_OP_WAIT_EVENT:
	case ACL_OP_RESET_EVENT:
	case ACL_OP_RECORD_NOTIFY:
	case ACL_OP_RECORD_COUNT_NOTIFY:
	case ACL_OP_WAIT_NOTIFY:
	case ACL_OP_WAIT_COUNT_NOTIFY:
	case ACL_OP_WAIT_VALUE:
		return NULL;
	case ACL_OP_LAUNCH_HOST_FUNCTION:
		return stream_callback_leave;
	default:
		return stream_work_leave;
	}
}

bool stream_pending(struct acl_object *stream, uint64_t position)
{
	struct stream_state *s = stream_state(stream);

	return position > stream_completed(stream) && position > load_acquire(&s->unsure);
}

void streams_unsure(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_STREAM, o) raise_to(&stream_state(o)->unsure, stream_submitted(o));
}

void stream_has_kernel(struct checks *c, struct acl_object *stream, uint64_t position, bool opaque)
{
	struct stream_rare *s = opaque ? NULL : stream_rare_make(c, stream);

	if (opaque)
		raise_to(&stream_state(stream)->opaque, position);
	else if (s)
		raise_to(&s->declared, position);
}

void stream_touches(struct checks *c, struct acl_object *stream, int device, uint64_t position)
{
	struct stream_rare *s = stream_rare_make(c, stream);
	uint64_t mine = (uint64_t)(device + 1) << 48 | position, there;
	unsigned at = 0;

	if (!s)
		return;
	while (at < TOUCHED_DEVICES - 1 && (there = load_relaxed(&s->touched[at])) != 0 &&
		there >> 48 != (uint64_t)(device + 1))
		at++;
	store_relaxed(&s->touched[at], mine);
}

/* --- the host observes -------------------------------------------------------------- */

/* End of sequence, normal model abort, overflow flags, closed socket: drained all the same. */
static bool stream_drained(const struct acl_call_record *call)
{
	switch (error_of(call)) {
	case 0:
	case ACL_ERROR_RT_END_OF_SEQUENCE:
	case ACL_ERROR_RT_MODEL_ABORT_NORMAL:
	case ACL_ERROR_RT_AICORE_OVER_FLOW:
	case ACL_ERROR_RT_AIVEC_OVER_FLOW:
	case ACL_ERROR_RT_OVER_FLOW:
	case ACL_ERROR_RT_SOCKET_CLOSE:
		return true;
	}
	return false;
}

/* Not the refusal of the call, and not that the time is over. */
static bool stream_faulted(const struct acl_call_record *call)
{
	return error_of(call) >= 507000 && error_of(call) != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
}

/* Everything submitted before the call's own enter. */
static void stream_observe_enter(struct checks *c, struct acl_call_record *call)
{
	(void)c;
	call->state.observed = stream_of(call);
	call->state.observed_position = call->state.observed ? stream_submitted(call->state.observed) : 0;
}

/* The findings about its tasks are no reason any more for what fails on it. */
static void stream_unsuspected(struct acl_object *stream)
{
	struct stream_rare *s = object_rare(stream);

	if (!s || !load_relaxed(&s->suspect))
		return;
	store_relaxed(&s->suspect, 0);
	store_relaxed(&s->may_fail, false);
}

static void stream_observe_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = call->state.observed;

	/* Any stream may have been waited for there. */
	if (__builtin_expect(!s, 0)) {
		if (succeeded(call))
			streams_unsure(c);
		return;
	}
	if (!call->state.observed_position)
		return;
	if (!stream_drained(call)) {
		/* A fault of the device ended the wait: what came before may be done, or never will be. */
		if (stream_faulted(call))
			stream_retire(c, s, call->state.observed_position, false);
		return;
	}
	stream_retire(c, s, call->state.observed_position, true);
	stream_unsuspected(s);
}

static void stream_query_leave(struct checks *c, struct acl_call_record *call)
{
	const aclrtStreamStatus *status = acl_arg_pointer(call->api, call->args, ACL_ROLE_STATUS);

	if (succeeded(call) && status && *status == ACL_STREAM_STATUS_COMPLETE)
		stream_observe_leave(c, call);
}

/* Positions of the context's streams at enter of a device synchronise. */
struct stream_snapshot {
	uint32_t n, room;
	struct {
		acl_ref stream;
		uint64_t position;
	} at[];
};

/* The context is unknown, or there was no memory: which streams were waited for cannot be said. */
static struct stream_snapshot no_snapshot;

static size_t snapshot_bytes(uint32_t room)
{
	return sizeof(struct stream_snapshot) + room * sizeof(((struct stream_snapshot *)0)->at[0]);
}

static void device_observe_enter(struct checks *c, struct acl_call_record *call)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known), *o;
	uint32_t room = load_relaxed(&c->kinds[ACL_HANDLE_STREAM]->count) + 8;
	struct stream_snapshot *snap = context ? checks_alloc(c, snapshot_bytes(room)) : NULL;

	call->state.snapshot = snap ? snap : &no_snapshot;
	if (!snap)
		return;
	snap->room = room;
	object_each(c, ACL_HANDLE_STREAM, o)
	{
		if (load_relaxed(&o->context) != object_ref(context) || snap->n == room || !object_usable(o))
			continue;
		snap->at[snap->n].stream = object_ref(o);
		snap->at[snap->n++].position = stream_submitted(o);
	}
}

static void device_observe_leave(struct checks *c, struct acl_call_record *call)
{
	struct stream_snapshot *snap = call->state.snapshot;

	if (!snap)
		return;
	if (snap == &no_snapshot) {
		if (stream_drained(call))
			streams_unsure(c);
		return;
	}
	for (uint32_t i = 0; i < snap->n && stream_drained(call); i++) {
		struct acl_object *s = object_of(c, snap->at[i].stream);

		if (s)
			stream_retire(c, s, snap->at[i].position, true);
	}
	checks_forget(c, snap, snapshot_bytes(snap->room));
}

/* Releases that wait for the device first. */
static void release_observe_enter(struct checks *c, struct acl_call_record *call)
{
	if (acl_apis[call->api].mode == ACL_MODE_BLOCKING)
		device_observe_enter(c, call);
}

/* Its tasks were given up: what ran of them is unknown. */
static void stream_aborted_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s && succeeded(call))
		stream_given_up(c, s, stream_submitted(s));
}

static void device_abort_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		streams_unsure(c);
}

/* ------------------------------------------------------------------------------------ */

/* As an argument, or in the description that the program filled. */
static uint32_t creation_flags(struct checks *c, const struct acl_call_record *call)
{
	aclrtStreamConfigHandle description;
	const void *at;

	if (!acl_arg_has(call->api, ACL_ROLE_CONFIGURATION))
		return (uint32_t)acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS);
	at = acl_arg_pointer(call->api, call->args, ACL_ROLE_CONFIGURATION);
	return program_read(c, at, &description, sizeof(description)) ? (uint32_t)description.flag : 0;
}

void stream_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o)
{
	uint32_t flags = creation_flags(c, call);
	struct stream_rare *r = flags ? stream_rare_make(c, o) : NULL;

	if (r)
		store_relaxed(&r->flags, flags);
	replay_stream_created(c, o);
}

/* They take no position: what they learn of the stream is in hooks of their own. */
static bool looks_at_stream(unsigned api)
{
	return acl_apis[api].operation == ACL_OP_SYNCHRONISE_STREAM ||
	       acl_apis[api].operation == ACL_OP_QUERY_STREAM;
}

static void stream_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		if (last_handle_offset(api, ACL_HANDLE_STREAM) < 0)
			continue;
		add(binder, api, ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, stream_capture_enter);
		if (acl_apis[api].mode == ACL_MODE_ASYNC && !looks_at_stream(api)) {
			add(binder, api, ACL_ENTER, stream_submit_enter);
			if (submit_leave_of(api))
				add(binder, api, ACL_LEAVE, submit_leave_of(api));
		}
	}
}

static bool stream_create(struct checks *c)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		c->stream_offset[api] = last_handle_offset(api, ACL_HANDLE_STREAM);
		c->event_offset[api] = last_handle_offset(api, ACL_HANDLE_EVENT);
	}
	return true;
}

/* The findings that made a stream suspect are in the parent's report. */
static void stream_forked(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_STREAM, o) stream_unsuspected(o);
}

/* Of a call: acl_ref of the stream whose task loses what it uses. */
static const char loser_note;

void stream_loses(struct acl_call_record *call, struct acl_object *stream)
{
	call_note_set(call, &loser_note, object_ref(stream));
}

static __attribute__((noinline)) void loser_suspected(struct checks *c, struct acl_call_record *call)
{
	acl_ref ref = call_note(call, &loser_note);
	struct acl_object *loser = ref ? object_of(c, ref) : NULL;
	struct stream_rare *s = loser ? stream_rare_make(c, loser) : NULL;

	if (s)
		store_relaxed(&s->suspect, call->state.finding);
}

/* A submission that was found wrong and accepted all the same: it may fail where the host waits for the
 * stream. */
static void stream_suspected(struct checks *c, struct acl_call_record *call)
{
	struct stream_rare *s;

	if (acl_apis[call->api].mode != ACL_MODE_ASYNC) {
		loser_suspected(c, call);
		return;
	}
	s = stream_of(call) ? stream_rare_make(c, stream_of(call)) : NULL;
	if (!s)
		return;
	store_relaxed(&s->suspect, call->state.finding);
	if (call->state.found_error && !call->state.runs_on)
		store_relaxed(&s->may_fail, true);
}

static const struct check_hook hooks[] = {
	{ACL_ANNOTATION_KERNEL, ACL_ENTER, stream_capture_enter},
	{ACL_ANNOTATION_KERNEL, ACL_ENTER, stream_submit_enter},
	{ACL_ANNOTATION_KERNEL, ACL_LEAVE, stream_work_leave},
	{ON_OP(QUERY_STREAM), ACL_ENTER, stream_observe_enter},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, stream_observe_enter},
	{ON_OP(SYNCHRONISE_STREAM), ACL_LEAVE, stream_observe_leave},
	{ON_OP(QUERY_STREAM), ACL_LEAVE, stream_query_leave},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_ENTER, device_observe_enter},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_LEAVE, device_observe_leave},
	{ON_OP(FREE_DEVICE), ACL_ENTER | ACL_IF_NOT_ASYNC, release_observe_enter},
	{ON_OP(FREE_DEVICE), ACL_LEAVE | ACL_IF_NOT_ASYNC, device_observe_leave},
	{ON_OP(FREE_HOST), ACL_ENTER | ACL_IF_NOT_ASYNC, release_observe_enter},
	{ON_OP(FREE_HOST), ACL_LEAVE | ACL_IF_NOT_ASYNC, device_observe_leave},
	{ON_OP(STREAM_ABORT), ACL_LEAVE, stream_aborted_leave},
	{ON_OP(DEVICE_ABORT), ACL_LEAVE, device_abort_leave},
};

const struct check_module module_stream = {
	.default_stream = stream_of_default,
	.suspected = stream_suspected,
	.order = 3,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = stream_bind,
	.create = stream_create,
	.forked = stream_forked,
};
