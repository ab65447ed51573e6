/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: which one a call names, positions of what is submitted, what the
 * host has observed as done.  Waits carry progress from one stream to another.
 * Where evidence is incomplete the work counts as perhaps done: rules that ask
 * for pending work then stay silent.
 */
#include "checks/report.h"
#include "checks/state.h"

#define WAITS 20
#define OPAQUE 0 /* acl_ref of a source we do not see: notify, memory word, external event */

struct wait {
	uint64_t position; /* of the wait in its own stream */
	acl_ref source;
	uint64_t source_position;
};

/* Waits of one stream whose end the host has not observed. */
struct stream_waits {
	struct acl_lock lock;
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
static struct acl_object *stream_meant(struct checks *c, const struct acl_event *ev)
{
	const void *value = stream_argument(c, ev);
	struct acl_object *context;
	bool known;

	if (value)
		return object_find(c, ACL_HANDLE_STREAM, value);
	context = context_current(c, thread_of(ev), &known);
	return context ? object_of(c, ld(&context_state(context)->default_stream)) : NULL;
}

/* Any function that names a stream. */
static void naming(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_meant(c, ev);

	ev->carry[CARRY_STREAM] = (uintptr_t)s;
	if (s && ld(&stream_state(s)->capture))
		ev->carry[CARRY_CAPTURE] = ld(&stream_state(s)->capture);
}

/* A task is put on the stream: it takes the next position. */
static void submitting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s;

	naming(c, ev);
	s = stream_of(ev);
	if (!s || !object_usable(s))
		return;
	object_used(c, s, ev);
	object_changed(ev, s);
	ev->carry[CARRY_POSITION] = ev->versions[ev->n_versions - 1].version;
}

static void submitted(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	uint64_t position = ev->carry[CARRY_POSITION];

	(void)c;
	if (!s || !position || !succeeded(ev))
		return;
	switch (ev->api) {
	case ACL_API_aclrtRecordEvent:
	case ACL_API_aclrtRecordEventWithFlag:
	case ACL_API_aclrtStreamWaitEvent:
	case ACL_API_aclrtStreamWaitEventWithFlag:
	case ACL_API_aclrtStreamWaitEventWithTimeout:
	case ACL_API_aclrtResetEvent:
		return;
	case ACL_API_aclrtRecordNotify:
	case ACL_API_aclrtCntNotifyRecord:
	case ACL_API_aclrtWaitAndResetNotify:
	case ACL_API_aclrtCntNotifyWaitWithTimeout:
	case ACL_API_aclrtValueWait:
		if (ev->api != ACL_API_aclrtRecordNotify && ev->api != ACL_API_aclrtCntNotifyRecord)
			stream_waits_for(c, s, position, NULL, 0);
		return;
	case ACL_API_aclrtLaunchCallback:
	case ACL_API_aclrtLaunchHostFunc:
		raise_to(&stream_state(s)->callback, position);
		break;
	}
	/* What is captured runs with the model, wherever that is executed, and so does what updates it. */
	if (!ev->carry[CARRY_CAPTURE] && !ld(&stream_state(s)->update))
		raise_to(&stream_state(s)->work, position);
}

bool stream_pending(struct acl_object *stream, uint64_t position)
{
	struct stream_state *s = stream_state(stream);

	return position > ld_acquire(&s->completed) && position > ld_acquire(&s->unsure);
}

void streams_unsure(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_STREAM, o) raise_to(&stream_state(o)->unsure, ld(&o->version));
}

/* Takes out the waits up to position. */
static unsigned take_waits(struct stream_state *s, uint64_t position, struct wait *out)
{
	struct stream_waits *w = ld_acquire(&s->waits);
	unsigned taken = 0, kept = 0;

	if (!w)
		return 0;
	lock(&w->lock);
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
	n = take_waits(s, position, waits);
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
	if (position > ld_acquire(&stream_state(stream)->completed))
		retire_deep(c, stream, position, sure, 0);
}

struct acl_object *stream_waiter(
	struct checks *c, struct acl_object *source, uint32_t *cursor, uint64_t *task)
{
	acl_ref ref = object_ref(source);
	struct acl_object *o;

	while ((o = object_next(c, ACL_HANDLE_STREAM, cursor)) != NULL) {
		struct stream_waits *w = object_usable(o) ? ld_acquire(&stream_state(o)->waits) : NULL;
		uint64_t found = 0;

		if (!w || o == source)
			continue;
		lock(&w->lock);
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

static struct stream_waits *waits_of(struct checks *c, struct stream_state *s)
{
	struct stream_waits *w = ld_acquire(&s->waits), *none = NULL;

	if (w)
		return w;
	w = checks_alloc(c, sizeof(*w));
	if (w && !atomic_compare_exchange_strong(&s->waits, &none, w)) {
		checks_forget(c, w, sizeof(*w));
		w = none;
	}
	return w;
}

void stream_waits_for(struct checks *c, struct acl_object *stream, uint64_t position,
	struct acl_object *source, uint64_t source_position)
{
	struct wait new = {position, source ? object_ref(source) : OPAQUE, source_position}, oldest = {0};
	struct stream_waits *w;

	if (source && (source == stream || !stream_pending(source, source_position)))
		return;
	w = waits_of(c, stream_state(stream));
	if (!w)
		return;
	lock(&w->lock);
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
	struct stream_waits *w = ld_acquire(&stream_state(stream)->waits);
	bool found = false;

	if (!w)
		return false;
	lock(&w->lock);
	for (unsigned i = 0; i < w->n && !found; i++)
		found = w->wait[i].source == OPAQUE ||
			(w->wait[i].source == object_ref(source) && w->wait[i].source_position >= position);
	unlock(&w->lock);
	return found;
}

bool stream_waits_unseen(struct acl_object *stream)
{
	struct stream_waits *w = ld_acquire(&stream_state(stream)->waits);
	bool found = false;

	if (!w)
		return false;
	lock(&w->lock);
	for (unsigned i = 0; i < w->n; i++)
		found |= w->wait[i].source == OPAQUE;
	unlock(&w->lock);
	return found;
}

void stream_touches(struct acl_object *stream, int device, uint64_t position)
{
	struct stream_state *s = stream_state(stream);
	uint64_t mine = (uint64_t)(device + 1) << 48 | position;
	unsigned at = (ld(&s->touched[0]) >> 48) == (uint64_t)(device + 1) || !ld(&s->touched[0]) ? 0 : 1;

	st(&s->touched[at], mine);
}

/* --- the host observes -------------------------------------------------------------- */

/* End of sequence, normal model abort, overflow flags, closed socket: drained all the same. */
static bool drained(const struct acl_event *ev)
{
	switch (error_of(ev)) {
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
static bool device_fault(const struct acl_event *ev)
{
	return error_of(ev) >= 507000 && error_of(ev) != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
}

/* Everything submitted before the call's own enter. */
static void observing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s;

	naming(c, ev);
	s = stream_of(ev);
	ev->carry[CARRY_POSITION] = s ? ld_acquire(&s->version) : 0;
}

static void observed(struct checks *c, struct acl_event *ev)
{
	if (!stream_of(ev) || !ev->carry[CARRY_POSITION])
		return;
	if (!drained(ev)) {
		/* A fault of the device ended the wait: what came before may be done, or never will be. */
		if (device_fault(ev))
			stream_retire(c, stream_of(ev), ev->carry[CARRY_POSITION], false);
		return;
	}
	stream_retire(c, stream_of(ev), ev->carry[CARRY_POSITION], true);
	if (ld(&stream_state(stream_of(ev))->suspect))
		st(&stream_state(stream_of(ev))->suspect, 0);
}

static void queried(struct checks *c, struct acl_event *ev)
{
	const aclrtStreamStatus *status = ACL_ARGS(ev, aclrtStreamQuery)->status;

	if (succeeded(ev) && status && *status == ACL_STREAM_STATUS_COMPLETE)
		observed(c, ev);
}

/* Positions of the context's streams at enter of a device synchronise. */
struct snapshot {
	uint32_t n, room;
	struct {
		acl_ref stream;
		uint64_t position;
	} at[];
};

static size_t snapshot_bytes(uint32_t room)
{
	return sizeof(struct snapshot) + room * sizeof(((struct snapshot *)0)->at[0]);
}

static void device_observing(struct checks *c, struct acl_event *ev)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(ev), &known), *o;
	uint32_t room = ld(&c->kinds[ACL_HANDLE_STREAM]->count) + 8;
	struct snapshot *snap;

	if (!context)
		return;
	snap = checks_alloc(c, snapshot_bytes(room));
	if (!snap)
		return;
	snap->room = room;
	object_each(c, ACL_HANDLE_STREAM, o)
	{
		if (ld(&o->context) != object_ref(context) || snap->n == room || !object_usable(o))
			continue;
		snap->at[snap->n].stream = object_ref(o);
		snap->at[snap->n++].position = ld_acquire(&o->version);
	}
	ev->carry[CARRY_POSITION] = (uintptr_t)snap;
}

static void device_observed(struct checks *c, struct acl_event *ev)
{
	struct snapshot *snap = (struct snapshot *)(uintptr_t)ev->carry[CARRY_POSITION];

	if (!snap)
		return;
	for (uint32_t i = 0; i < snap->n && drained(ev); i++) {
		struct acl_object *s = object_of(c, snap->at[i].stream);

		if (s)
			stream_retire(c, s, snap->at[i].position, true);
	}
	checks_forget(c, snap, snapshot_bytes(snap->room));
}

/* ------------------------------------------------------------------------------------ */

void stream_born(struct checks *c, const struct acl_event *ev, struct acl_object *o)
{
	(void)c;
	if (ev->api == ACL_API_aclrtCreateStreamWithConfig)
		st(&stream_state(o)->flags, ACL_ARGS(ev, aclrtCreateStreamWithConfig)->flag);
}

static void stream_bind(void (*add)(void *, unsigned, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		if (last_handle_offset(api, ACL_HANDLE_STREAM) < 0 || api == ACL_API_aclrtSynchronizeStream ||
			api == ACL_API_aclrtSynchronizeStreamWithTimeout || api == ACL_API_aclrtStreamQuery)
			continue;
		if (acl_apis[api].mode == ACL_MODE_ASYNC) {
			add(binder, api, ACL_ENTER, submitting);
			add(binder, api, ACL_LEAVE, submitted);
		} else {
			add(binder, api, ACL_ENTER, naming);
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

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtSynchronizeStream, ACL_ENTER, observing},
	{ACL_API_aclrtSynchronizeStream, ACL_LEAVE, observed},
	{ACL_API_aclrtSynchronizeStreamWithTimeout, ACL_ENTER, observing},
	{ACL_API_aclrtSynchronizeStreamWithTimeout, ACL_LEAVE, observed},
	{ACL_API_aclrtStreamQuery, ACL_ENTER, observing},
	{ACL_API_aclrtStreamQuery, ACL_LEAVE, queried},
	{ACL_API_aclrtSynchronizeDevice, ACL_ENTER, device_observing},
	{ACL_API_aclrtSynchronizeDevice, ACL_LEAVE, device_observed},
	{ACL_API_aclrtSynchronizeDeviceWithTimeout, ACL_ENTER, device_observing},
	{ACL_API_aclrtSynchronizeDeviceWithTimeout, ACL_LEAVE, device_observed},
};

const struct acl_topic topic_stream = {
	.name = "stream",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = stream_bind,
	.create = stream_create,
};
