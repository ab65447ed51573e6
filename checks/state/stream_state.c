/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: which one a call names, positions of what is submitted, what the
 * host has observed as done.  Waits carry progress from one stream to another.
 * Where evidence is incomplete the work counts as perhaps done: rules that ask
 * for pending work then stay silent.
 */
#include "checks/state/stream_state.h"
#include "checks/engine/instance.h"
#include "checks/state/device_state.h"
#include "checks/state/lifecycle.h"
#include "checks/state/stream_change.h"

#define WAITS 20
#define OPAQUE 0 /* acl_ref of a source we do not see: notify, memory word, external event */

struct wait {
	uint64_t position; /* of the wait in its own stream */
	acl_ref source;
	uint64_t source_position;
};

/* Waits of one stream whose end the host has not observed; allocated once for all streams of a slot. */
struct stream_waits {
	struct acl_lock lock;
	uint32_t generation; /* of the stream they are of */
	uint32_t n;
	struct wait wait[WAITS];
};

static int16_t last_handle_offset(unsigned api, unsigned kind)
{
	const struct acl_api_info *info = &acl_apis[api];

	for (unsigned i = info->n_params; i-- > 0;) {
		const struct acl_param *p = &info->params[i];

		if (p->handle == kind && p->dir == ACL_DIR_IN &&
			(p->life == ACL_LIFE_USE || p->life == ACL_LIFE_DESTROY))
			return (int16_t)p->offset;
	}
	return -1;
}

/* NULL is the default stream of the current context. */
static struct acl_object *stream_meant(struct checks *c, const struct acl_call_record *call)
{
	const void *value = stream_argument(c, call);
	struct acl_object *context;
	bool known;

	if (value)
		return object_find(c, ACL_HANDLE_STREAM, value);
	context = context_current(c, thread_of(call), &known);
	return context ? object_of(c, load_relaxed(&context_state(context)->default_stream)) : NULL;
}

/* Any function that names a stream. */
static void stream_name_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_meant(c, call);

	call->state.stream = s;
	if (s && load_relaxed(&stream_state(s)->capture))
		call->state.capture = load_relaxed(&stream_state(s)->capture);
}

/* A task is put on the stream: it takes the next position. */
static void stream_submit_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s;

	stream_name_enter(c, call);
	s = stream_of(call);
	if (!s || !object_usable(s))
		return;
	object_used(c, s, call);
	if (load_relaxed(&c->ordered))
		object_changed(call, s);
	call->state.position = counter_inc(&stream_state(s)->submitted) + 1;
}

static void stream_submit_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t position = call->state.position;

	if (!s || !position || !succeeded(call))
		return;
	switch (acl_apis[call->api].operation) {
	case ACL_OP_RECORD_EVENT:
	case ACL_OP_WAIT_EVENT:
	case ACL_OP_RESET_EVENT:
	case ACL_OP_RECORD_NOTIFY:
	case ACL_OP_RECORD_COUNT_NOTIFY:
		return;
	case ACL_OP_WAIT_NOTIFY:
	case ACL_OP_WAIT_COUNT_NOTIFY:
	case ACL_OP_WAIT_VALUE:
		stream_waits_for(c, s, position, NULL, 0);
		return;
	case ACL_OP_LAUNCH_HOST_FUNCTION:
		raise_to(&stream_state(s)->callback, position);
		break;
	}
	/* What is captured runs with the model, wherever that is executed, and so does what updates it. */
	if (!call->state.capture && !load_relaxed(&stream_state(s)->update))
		raise_to(&stream_state(s)->work, position);
}

bool stream_pending(struct acl_object *stream, uint64_t position)
{
	struct stream_state *s = stream_state(stream);

	return position > load_acquire(&s->completed) && position > load_acquire(&s->unsure);
}

void streams_unsure(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_STREAM, o) raise_to(&stream_state(o)->unsure, stream_submitted(o));
}

/* Locks the waits of the stream; those of a former one in the slot are gone. NULL: it has never waited. */
static struct stream_waits *waits_lock(struct acl_object *stream)
{
	struct stream_waits *w = load_acquire(&stream_state(stream)->waits);

	if (!w)
		return NULL;
	lock(&w->lock);
	if (w->generation != load_relaxed(&stream->generation)) {
		w->generation = load_relaxed(&stream->generation);
		w->n = 0;
	}
	return w;
}

/* Takes out the waits up to position. */
static unsigned take_waits(struct acl_object *stream, uint64_t position, struct wait *out)
{
	struct stream_waits *w = waits_lock(stream);
	unsigned taken = 0, kept = 0;

	if (!w)
		return 0;
	for (unsigned i = 0; i < w->n; i++) {
		if (w->wait[i].position <= position)
			out[taken++] = w->wait[i];
		else
			w->wait[kept++] = w->wait[i];
	}
	w->n = kept;
	unlock(&w->lock);
	return taken;
}

static void retire_deep(
	struct checks *c, struct acl_object *stream, uint64_t position, bool sure, unsigned depth)
{
	struct stream_state *s = stream_state(stream);
	struct wait waits[WAITS];
	unsigned n;

	raise_to(sure ? &s->completed : &s->unsure, position);
	if (depth > 16) {
		streams_unsure(c);
		return;
	}
	n = take_waits(stream, position, waits);
	for (unsigned i = 0; i < n; i++) {
		struct acl_object *source = object_of(c, waits[i].source);

		if (waits[i].source == OPAQUE)
			streams_unsure(c);
		else if (source)
			retire_deep(c, source, waits[i].source_position, sure, depth + 1);
	}
}

void stream_retire(struct checks *c, struct acl_object *stream, uint64_t position, bool sure)
{
	/* Polling a stream that is done finds nothing new and writes nothing. */
	if (position > load_acquire(&stream_state(stream)->completed))
		retire_deep(c, stream, position, sure, 0);
}

struct acl_object *stream_waiter(
	struct checks *c, struct acl_object *source, uint32_t *cursor, uint64_t *task)
{
	acl_ref ref = object_ref(source);
	struct acl_object *o;

	while ((o = object_next(c, ACL_HANDLE_STREAM, cursor)) != NULL) {
		struct stream_waits *w = object_usable(o) && o != source ? waits_lock(o) : NULL;
		uint64_t found = 0;

		if (!w)
			continue;
		for (unsigned i = 0; i < w->n; i++)
			if (w->wait[i].source == ref && stream_pending(o, w->wait[i].position) &&
				w->wait[i].source_position > found)
				found = w->wait[i].source_position;
		unlock(&w->lock);
		if (!found)
			continue;
		*task = found;
		return o;
	}
	return NULL;
}

static void waits_create(struct checks *c, struct stream_state *s)
{
	struct stream_waits *w, *none = NULL;

	if (load_acquire(&s->waits))
		return;
	w = checks_alloc(c, sizeof(*w));
	if (w && !atomic_compare_exchange_strong(&s->waits, &none, w))
		checks_forget(c, w, sizeof(*w));
}

void stream_waits_for(struct checks *c, struct acl_object *stream, uint64_t position,
	struct acl_object *source, uint64_t source_position)
{
	struct wait new = {position, source ? object_ref(source) : OPAQUE, source_position}, oldest = {0};
	struct stream_waits *w;

	if (source && (source == stream || !stream_pending(source, source_position)))
		return;
	waits_create(c, stream_state(stream));
	w = waits_lock(stream);
	if (!w)
		return;
	if (w->n == WAITS) {
		oldest = w->wait[0];
		memmove(w->wait, w->wait + 1, (WAITS - 1) * sizeof(w->wait[0]));
		w->n--;
	}
	w->wait[w->n++] = new;
	unlock(&w->lock);
	if (oldest.position) {
		/* No room to remember it: from now on its source may be done without our knowing. */
		struct acl_object *lost = object_of(c, oldest.source);

		if (lost)
			retire_deep(c, lost, oldest.source_position, false, 0);
		else
			streams_unsure(c);
	}
}

bool stream_waits_on(struct acl_object *stream, const struct acl_object *source, uint64_t position)
{
	struct stream_waits *w = waits_lock(stream);
	bool found = false;

	if (!w)
		return false;
	for (unsigned i = 0; i < w->n && !found; i++)
		found = w->wait[i].source == OPAQUE ||
			(w->wait[i].source == object_ref(source) && w->wait[i].source_position >= position);
	unlock(&w->lock);
	return found;
}

bool stream_waits_unseen(struct acl_object *stream)
{
	struct stream_waits *w = waits_lock(stream);
	bool found = false;

	if (!w)
		return false;
	for (unsigned i = 0; i < w->n; i++)
		found |= w->wait[i].source == OPAQUE;
	unlock(&w->lock);
	return found;
}

void stream_touches(struct acl_object *stream, int device, uint64_t position)
{
	struct stream_state *s = stream_state(stream);
	uint64_t mine = (uint64_t)(device + 1) << 48 | position;
	unsigned at = (load_relaxed(&s->touched[0]) >> 48) == (uint64_t)(device + 1) ||
				      !load_relaxed(&s->touched[0])
			      ? 0
			      : 1;

	store_relaxed(&s->touched[at], mine);
}

/* --- the host observes -------------------------------------------------------------- */

/* End of sequence, normal model abort, overflow flags, closed socket: drained all the same. */
static bool stream_drained(const struct acl_call_record *call)
{
	switch (error_of(call)) {
	case 0:
	case 507005:
	case 507023:
	case 207003:
	case 207016:
	case 207017:
	case 507901:
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
	stream_name_enter(c, call);
	call->state.observed = stream_of(call);
	call->state.observed_position = call->state.observed ? stream_submitted(call->state.observed) : 0;
}

static void stream_observe_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = call->state.observed;

	if (!s || !call->state.observed_position)
		return;
	if (!stream_drained(call)) {
		/* A fault of the device ended the wait: what came before may be done, or never will be. */
		if (stream_faulted(call))
			stream_retire(c, s, call->state.observed_position, false);
		return;
	}
	stream_retire(c, s, call->state.observed_position, true);
	if (load_relaxed(&stream_state(s)->suspect))
		store_relaxed(&stream_state(s)->suspect, 0);
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

static size_t snapshot_bytes(uint32_t room)
{
	return sizeof(struct stream_snapshot) + room * sizeof(((struct stream_snapshot *)0)->at[0]);
}

static void device_observe_enter(struct checks *c, struct acl_call_record *call)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known), *o;
	uint32_t room = load_relaxed(&c->kinds[ACL_HANDLE_STREAM]->count) + 8;
	struct stream_snapshot *snap;

	if (!context)
		return;
	snap = checks_alloc(c, snapshot_bytes(room));
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
	call->state.snapshot = snap;
}

static void device_observe_leave(struct checks *c, struct acl_call_record *call)
{
	struct stream_snapshot *snap = call->state.snapshot;

	if (!snap)
		return;
	for (uint32_t i = 0; i < snap->n && stream_drained(call); i++) {
		struct acl_object *s = object_of(c, snap->at[i].stream);

		if (s)
			stream_retire(c, s, snap->at[i].position, true);
	}
	checks_forget(c, snap, snapshot_bytes(snap->room));
}

/* ------------------------------------------------------------------------------------ */

void stream_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o)
{
	(void)c;
	store_relaxed(
		&stream_state(o)->flags, (uint32_t)acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS));
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
		if (last_handle_offset(api, ACL_HANDLE_STREAM) < 0 || looks_at_stream(api))
			continue;
		if (acl_apis[api].mode == ACL_MODE_ASYNC) {
			add(binder, api, ACL_ENTER, stream_submit_enter);
			add(binder, api, ACL_LEAVE, stream_submit_leave);
		} else {
			add(binder, api, ACL_ENTER, stream_name_enter);
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

	object_each(c, ACL_HANDLE_STREAM, o) store_relaxed(&stream_state(o)->suspect, 0);
}

static const struct check_hook hooks[] = {
	{ON_OP(QUERY_STREAM), ACL_ENTER, stream_observe_enter},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, stream_observe_enter},
	{ON_OP(SYNCHRONISE_STREAM), ACL_LEAVE, stream_observe_leave},
	{ON_OP(QUERY_STREAM), ACL_LEAVE, stream_query_leave},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_ENTER, device_observe_enter},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_LEAVE, device_observe_leave},
};

const struct check_module module_stream = {
	.order = 3,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = stream_bind,
	.create = stream_create,
	.forked = stream_forked,
};
