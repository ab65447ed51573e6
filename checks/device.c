/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and contexts: counts, what is current on a thread, what a reset takes along. */
#include "checks/report.h"
#include "checks/state.h"

struct acl_device *device_at(struct checks *c, int device)
{
	return device >= 0 && device < ACL_DEVICES ? &c->devices[device] : NULL;
}

struct acl_object *context_current(struct checks *c, struct acl_thread *t, bool *known)
{
	acl_ref explicit = ld(&t->context), dflt;
	struct acl_device *d = device_at(c, ld(&t->device));
	struct acl_object *o;

	*known = !ld(&t->context_unknown);
	if (!*known)
		return NULL;
	if (explicit) {
		o = object_of(c, explicit);
		return o && object_usable(o) ? o : NULL;
	}
	if (!d)
		return NULL;
	dflt = ld_acquire(&d->context);
	o = object_of(c, dflt);
	/* Another thread sets or resets the device right now. */
	if (!o && ld(&d->sets) > 0)
		*known = false;
	return o && object_usable(o) ? o : NULL;
}

int device_current(struct checks *c, struct acl_thread *t)
{
	bool known;
	struct acl_object *o = context_current(c, t, &known);

	return o ? ld(&o->device) : -1;
}

void context_born(struct checks *c, const struct acl_event *ev, struct acl_object *o)
{
	struct acl_object *stream = object_create(c, NULL, ACL_HANDLE_STREAM, NULL, ACL_OBJECT_DEFAULT);

	if (ev && ev->api == ACL_API_aclrtCreateContext) {
		struct acl_thread *t = thread_of(ev);

		st(&o->device, ACL_ARGS(ev, aclrtCreateContext)->deviceId);
		st(&t->context, object_ref(o));
		st(&t->device, -1);
		st(&t->reset, 0);
		t->replaced = 0;
		st(&t->context_unknown, false);
	}
	if (!stream)
		return;
	st(&stream->context, object_ref(o));
	st(&stream->device, ld(&o->device));
	st(&context_state(o)->default_stream, object_ref(stream));
}

int device_argument(const struct acl_event *ev)
{
	/* Set and reset functions all take the device as their only argument. */
	return *(const int32_t *)ev->args;
}

static void set_device(struct checks *c, struct acl_event *ev)
{
	int id = device_argument(ev);
	struct acl_device *d = device_at(c, id);
	struct acl_thread *t = thread_of(ev);

	if (!succeeded(ev))
		return;
	if (!d) {
		st(&t->context_unknown, true);
		return;
	}
	st(&d->set_since_reset, true);
	if (!ld(&d->ever_set)) {
		st(&d->ever_set, true);
		moment_take(c, &d->first_set, ev, true);
	}
	moment_take(c, &d->last_set, ev, false);
	for (unsigned i = 0; i < ACL_DEVICES; i++)
		if ((int)i != id && ld(&c->devices[i].ever_set)) {
			checks_unusual(c);
			st(&c->many_devices, true);
		}
	if (atomic_fetch_add(&d->sets, 1) == 0) {
		struct acl_object *context =
			object_create(c, ev, ACL_HANDLE_CONTEXT, NULL, ACL_OBJECT_DEFAULT);

		if (context) {
			st(&context->device, id);
			context_born(c, NULL, context);
			st_release(&d->context, object_ref(context));
		}
	}
	st(&t->context_unknown, false);
	if (ld(&t->context))
		t->replaced = ld(&t->context);
	st(&t->context, 0);
	st(&t->device, id);
	st(&t->reset, 0);
}

/* Whether another thread is bound to the device; only asked for targets that do not count. */
static bool held_elsewhere(struct checks *c, const struct acl_thread *mine, int device)
{
	for (unsigned i = 0; i < ACL_THREADS; i++)
		if (&c->threads[i] != mine && ld(&c->threads[i].pthread_id) &&
			ld(&c->threads[i].device) == device)
			return true;
	return false;
}

bool device_reset_is_last(struct checks *c, const struct acl_event *ev, int device)
{
	struct acl_device *d = device_at(c, device);

	if (!d || ld(&d->sets) <= 0)
		return false;
	if (ev->api == ACL_API_aclrtResetDeviceForce || ld(&d->sets) == 1)
		return true;
	return ld(&c->target) == ACL_CANN_8_1 && !held_elsewhere(c, thread_of(ev), device);
}

static void reset_enter(struct checks *c, struct acl_event *ev)
{
	ev->carry[CARRY_NOTE] = device_reset_is_last(c, ev, device_argument(ev));
}

static void forget_memory(struct checks *c, int device)
{
	struct acl_block *b;

	map_each(c->memory, b) if (ld(&b->device) == device && ld(&b->kind) != MEM_HOST)
		map_erase(c->memory, b, ld(&b->generation));
}

static void reset_leave(struct checks *c, struct acl_event *ev)
{
	int id = device_argument(ev);
	struct acl_device *d = device_at(c, id);
	struct acl_thread *t = thread_of(ev);
	struct acl_object *context;

	if (!d || !succeeded(ev))
		return;
	st(&d->set_since_reset, false);
	st(&d->ever_reset, true);
	if (!ev->carry[CARRY_NOTE]) {
		if (ld(&d->sets) > 0)
			atomic_fetch_sub(&d->sets, 1);
		return;
	}
	atomic_store(&d->sets, 0);
	context = object_of(c, atomic_exchange(&d->context, 0));
	if (context) {
		context_dies(c, context, ev, 0);
		object_dead(c, context, ev, ACL_OBJECT_BY_OWNER);
	}
	forget_memory(c, id);
	st(&d->peers, 0);
	moment_take(c, &d->last_reset, ev, true);
	st(&t->device, -1);
	st(&t->reset, (int16_t)(id + 1));
}

static void set_current(struct checks *c, struct acl_event *ev)
{
	const void *value = ACL_ARGS(ev, aclrtSetCurrentContext)->context;
	struct acl_thread *t = thread_of(ev);
	struct acl_object *o;

	if (!succeeded(ev) || !value)
		return;
	o = object_live(c, ACL_HANDLE_CONTEXT, value);
	if (!o)
		o = object_create(c, NULL, ACL_HANDLE_CONTEXT, value, ACL_OBJECT_LEARNED);
	st(&t->context, o ? object_ref(o) : 0);
	st(&t->device, -1);
	st(&t->reset, 0);
	t->replaced = 0;
	st(&t->context_unknown, !o);
}

/* The runtime's word on what is current: names the default context, and corrects us when something below set
 * another. */
static void get_current(struct checks *c, struct acl_event *ev)
{
	const aclrtContext *out = ACL_ARGS(ev, aclrtGetCurrentContext)->context;
	struct acl_thread *t = thread_of(ev);
	struct acl_object *now, *o;
	bool known;

	if (!out || !succeeded(ev) || !*out)
		return;
	now = context_current(c, t, &known);
	if (now && ld(&now->value) == (uintptr_t)*out)
		return;
	if (now && !ld(&now->value)) {
		object_name(c, now, *out);
		return;
	}
	o = object_live(c, ACL_HANDLE_CONTEXT, *out);
	if (!o)
		o = object_create(c, NULL, ACL_HANDLE_CONTEXT, *out, ACL_OBJECT_LEARNED);
	if (o) {
		st(&t->context, object_ref(o));
		st(&t->context_unknown, false);
	}
}

static void default_stream(struct checks *c, struct acl_event *ev)
{
	const aclrtStream *out = ACL_ARGS(ev, aclrtCtxGetCurrentDefaultStream)->stream;
	bool known;
	struct acl_object *context = context_current(c, thread_of(ev), &known), *stream;

	if (!out || !succeeded(ev) || !*out || !context)
		return;
	stream = object_of(c, ld(&context_state(context)->default_stream));
	if (stream && ld(&stream->value) != (uintptr_t)*out)
		object_name(c, stream, *out);
}

static void run_mode(struct checks *c, struct acl_event *ev)
{
	const aclrtRunMode *out = ACL_ARGS(ev, aclrtGetRunMode)->runMode;

	if (out && succeeded(ev))
		st(&c->run_mode, (int8_t)*out);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtSetDevice, ACL_LEAVE, set_device},
	{ACL_API_aclrtSetDeviceWithoutTsdVXX, ACL_LEAVE, set_device},
	{ACL_API_aclrtResetDevice, ACL_ENTER, reset_enter},
	{ACL_API_aclrtResetDevice, ACL_LEAVE, reset_leave},
	{ACL_API_aclrtResetDeviceForce, ACL_ENTER, reset_enter},
	{ACL_API_aclrtResetDeviceForce, ACL_LEAVE, reset_leave},
	{ACL_API_aclrtResetDeviceWithoutTsdVXX, ACL_ENTER, reset_enter},
	{ACL_API_aclrtResetDeviceWithoutTsdVXX, ACL_LEAVE, reset_leave},
	{ACL_API_aclrtSetCurrentContext, ACL_LEAVE, set_current},
	{ACL_API_aclrtGetCurrentContext, ACL_LEAVE, get_current},
	{ACL_API_aclrtCtxGetCurrentDefaultStream, ACL_LEAVE, default_stream},
	{ACL_API_aclrtGetRunMode, ACL_LEAVE, run_mode},
};

const struct acl_topic topic_device = {
	.name = "device", .hooks = hooks, .n_hooks = sizeof(hooks) / sizeof(hooks[0])};
