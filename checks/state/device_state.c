/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and contexts: counts, what is current on a thread, what a reset takes along. */
#include "checks/state/device_state.h"
#include "checks/engine/instance.h"
#include "checks/state/lifecycle.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"
#include "checks/state/stream_state.h"

struct acl_object *context_current(struct checks *c, struct acl_thread *t, bool *known)
{
	acl_ref explicit = load_relaxed(&t->context), dflt;
	struct acl_device *d = device_at(c, load_relaxed(&t->device));
	struct acl_object *o;

	*known = !load_relaxed(&t->context_unknown);
	if (!*known)
		return NULL;
	if (explicit) {
		o = object_of(c, explicit);
		return o && object_usable(o) ? o : NULL;
	}
	if (!d)
		return NULL;
	dflt = load_acquire(&d->context);
	o = object_of(c, dflt);
	/* Another thread sets or resets the device right now. */
	if (!o && load_relaxed(&d->sets) > 0)
		*known = false;
	return o && object_usable(o) ? o : NULL;
}

int device_current(struct checks *c, struct acl_thread *t)
{
	bool known;
	struct acl_object *o = context_current(c, t, &known);

	return o ? load_relaxed(&o->device) : -1;
}

/* The thread is bound to an explicit context, or else to a device, -1 = none. */
static void thread_bind(struct checks *c, struct acl_thread *t, acl_ref context, int device)
{
	struct acl_device *d = device_at(c, device);

	store_relaxed(&t->context, context);
	store_relaxed(&t->device, (int16_t)device);
	t->current = d && !context ? &d->context : &t->context;
}

/* By a set or by a context: what crosses devices can happen from the second one on. */
static void device_reached(struct checks *c, int id)
{
	struct acl_device *d = device_at(c, id);

	if (!d || load_relaxed(&d->reached))
		return;
	store_relaxed(&d->reached, true);
	for (int i = 0; i < ACL_DEVICES; i++)
		if (i != id && load_relaxed(&device_at(c, i)->reached))
			checks_when(c, WHEN_DEVICES);
}

void context_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o)
{
	struct acl_object *stream =
		object_create(c, NULL, ACL_HANDLE_STREAM, NULL, ACL_OBJECT_DEFAULT | ACL_OBJECT_SPECIAL);

	if (call && acl_apis[call->api].operation == ACL_OP_CREATE_CONTEXT) {
		struct acl_thread *t = thread_of(call);

		store_relaxed(&o->device, ACL_ARGS(call, aclrtCreateContext)->deviceId);
		thread_bind(c, t, object_ref(o), -1);
		store_relaxed(&t->reset, 0);
		store_relaxed(&t->context_unknown, false);
		device_reached(c, load_relaxed(&o->device));
	}
	if (!stream)
		return;
	store_relaxed(&stream->context, object_ref(o));
	store_relaxed(&stream->device, load_relaxed(&o->device));
	store_relaxed(&context_state(o)->default_stream, object_ref(stream));
}

int device_argument(const struct acl_call_record *call)
{
	/* Set and reset functions all take the device as their only argument. */
	return *(const int32_t *)call->args;
}

static void set_device(struct checks *c, struct acl_call_record *call)
{
	int id = device_argument(call);
	struct acl_device *d = device_at(c, id);
	struct acl_thread *t = thread_of(call);

	if (!succeeded(call))
		return;
	if (!d) {
		store_relaxed(&t->context_unknown, true);
		return;
	}
	store_relaxed(&d->set_since_reset, true);
	if (!load_relaxed(&d->ever_set)) {
		store_relaxed(&d->ever_set, true);
		call_site_take(c, &d->first_set, call, true);
	}
	call_site_take(c, &d->last_set, call, false);
	device_reached(c, id);
	if (atomic_fetch_add(&d->sets, 1) == 0) {
		struct acl_object *context =
			object_create(c, call, ACL_HANDLE_CONTEXT, NULL, ACL_OBJECT_DEFAULT);

		if (context) {
			store_relaxed(&context->device, id);
			context_created(c, NULL, context);
			store_release(&d->context, object_ref(context));
		}
	}
	store_relaxed(&t->context_unknown, false);
	if (load_relaxed(&t->context))
		t->replaced = load_relaxed(&t->context);
	thread_bind(c, t, 0, id);
	store_relaxed(&t->reset, 0);
}

/* Whether another thread is bound to the device; only looked up for targets that do not count. */
static bool held_elsewhere(struct checks *c, const struct acl_thread *mine, int device)
{
	struct acl_thread *t;

	thread_each(c, t) if (t != mine && load_relaxed(&t->device) == device) return true;
	return false;
}

bool device_reset_is_last(struct checks *c, const struct acl_call_record *call, int device)
{
	struct acl_device *d = device_at(c, device);

	if (!d || load_relaxed(&d->sets) <= 0)
		return false;
	if (acl_api_is(call->api, ACL_TRAIT_FORCED) || load_relaxed(&d->sets) == 1)
		return true;
	return load_relaxed(&c->target) == ACL_CANN_8_1 && !held_elsewhere(c, thread_of(call), device);
}

bool device_reset_answers_set(struct checks *c, const struct acl_call_record *call, int device)
{
	struct acl_device *d = device_at(c, device);

	return d && !acl_api_is(call->api, ACL_TRAIT_FORCED) &&
	       (load_relaxed(&d->beyond) > 0 ||
		       (load_relaxed(&c->target) == ACL_CANN_8_1 && load_relaxed(&d->sets) > 0));
}

static void set_answered(struct acl_device *d)
{
	atomic_fetch_sub(load_relaxed(&d->beyond) > 0 ? &d->beyond : &d->sets, 1);
}

bool device_reset_counts_left(const struct checks *c, const struct acl_call_record *call)
{
	bool behind = load_relaxed(&process_devices(c)->calls_back);

	return call->state.phase == ACL_ENTER ? !behind : behind && succeeded(call);
}

static void state_callback_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call) && ACL_ARGS(call, aclrtRegDeviceStateCallback)->callback)
		store_relaxed(&process_devices(c)->calls_back, true);
}

static void reset_enter(struct checks *c, struct acl_call_record *call)
{
	call->state.device_ends = device_reset_is_last(c, call, device_argument(call));
}

static void forget_memory(struct checks *c, int device)
{
	struct acl_block *b;

	map_each(memory_blocks(c),
		b) if (load_relaxed(&b->device) == device && load_relaxed(&b->kind) != MEM_HOST)
		map_erase(memory_blocks(c), b, load_relaxed(&b->generation));
}

static void reset_leave(struct checks *c, struct acl_call_record *call)
{
	int id = device_argument(call);
	struct acl_device *d = device_at(c, id);
	struct acl_thread *t = thread_of(call);
	struct acl_object *context;

	if (!d)
		return;
	if (!succeeded(call)) {
		if (error_of(call) == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR &&
			device_reset_answers_set(c, call, id))
			set_answered(d);
		return;
	}
	store_relaxed(&d->set_since_reset, false);
	store_relaxed(&d->ever_reset, true);
	if (!call->state.device_ends) {
		if (load_relaxed(&d->sets) > 0)
			atomic_fetch_sub(&d->sets, 1);
		return;
	}
	atomic_store(&d->beyond, acl_api_is(call->api, ACL_TRAIT_FORCED) ? 0 : load_relaxed(&d->sets) - 1);
	atomic_store(&d->sets, 0);
	context = object_of(c, atomic_exchange(&d->context, 0));
	if (context) {
		context_dies(c, context, call, 0);
		object_destroyed(c, context, call, ACL_OBJECT_BY_OWNER);
	}
	forget_memory(c, id);
	store_relaxed(&d->peers, 0);
	call_site_take(c, &d->last_reset, call, true);
	thread_bind(c, t, load_relaxed(&t->context), -1);
	store_relaxed(&t->reset, (int16_t)(id + 1));
}

static void set_current(struct checks *c, struct acl_call_record *call)
{
	const void *value = ACL_ARGS(call, aclrtSetCurrentContext)->context;
	struct acl_thread *t = thread_of(call);
	struct acl_object *o;

	if (!succeeded(call) || !value)
		return;
	o = object_live(c, ACL_HANDLE_CONTEXT, value);
	if (!o)
		o = object_create(c, NULL, ACL_HANDLE_CONTEXT, value, ACL_OBJECT_LEARNED);
	thread_bind(c, t, o ? object_ref(o) : 0, -1);
	store_relaxed(&t->reset, 0);
	t->replaced = 0;
	store_relaxed(&t->context_unknown, !o);
}

/* The runtime's word on what is current: names the default context, and corrects us when something below set
 * another. */
static void get_current(struct checks *c, struct acl_call_record *call)
{
	const aclrtContext *out = ACL_ARGS(call, aclrtGetCurrentContext)->context;
	struct acl_thread *t = thread_of(call);
	struct acl_object *now, *o;
	bool known;

	if (!out || !succeeded(call) || !*out)
		return;
	now = context_current(c, t, &known);
	if (now && load_relaxed(&now->value) == (uintptr_t)*out)
		return;
	if (now && !load_relaxed(&now->value)) {
		object_name(c, now, *out);
		return;
	}
	o = object_live(c, ACL_HANDLE_CONTEXT, *out);
	if (!o)
		o = object_create(c, NULL, ACL_HANDLE_CONTEXT, *out, ACL_OBJECT_LEARNED);
	if (o) {
		thread_bind(c, t, object_ref(o), load_relaxed(&t->device));
		store_relaxed(&t->context_unknown, false);
	}
}

static void device_default_stream(struct checks *c, struct acl_call_record *call)
{
	const aclrtStream *out = ACL_ARGS(call, aclrtCtxGetCurrentDefaultStream)->stream;
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known), *stream;

	if (!out || !succeeded(call) || !*out || !context)
		return;
	stream = object_of(c, load_relaxed(&context_state(context)->default_stream));
	if (stream && load_relaxed(&stream->value) != (uintptr_t)*out)
		object_name(c, stream, *out);
}

static void run_mode(struct checks *c, struct acl_call_record *call)
{
	const aclrtRunMode *out = ACL_ARGS(call, aclrtGetRunMode)->runMode;

	if (out && succeeded(call))
		store_relaxed(&process_devices(c)->run_mode, (uint8_t)(1 + *out));
}

/* Other attributes are about a part of it, or about memory that not every device has. */
static void memory_answered(struct checks *c, struct acl_call_record *call)
{
	const size_t *total = acl_arg_pointer(call->api, call->args, ACL_ROLE_TOTAL_BYTES);
	struct acl_device *d = device_at(c, device_current(c, thread_of(call)));

	if (d && total && succeeded(call) &&
		acl_arg_value(call->api, call->args, ACL_ROLE_ATTRIBUTE) == ACL_HBM_MEM)
		store_relaxed(&d->memory, *total);
}

/* Known to be no pageable memory. */
static bool is_known(const struct op_access *a)
{
	return a && (a->block.block || !a->address);
}

/* Copied in the order of the stream: what is pageable, or has nothing to do, is done at once, and for that
 * the context does not count. */
static bool is_queued(const struct op_entry *e)
{
	return is_known(e->src) && is_known(e->dst) && e->dst->span &&
	       (!e->dst->address || e->dst->address != e->src->address);
}

/* The runtime checks the context of a stream wherever it queues something. */
static bool queues(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (acl_apis[call->api].operation_group != ACL_OP_GROUP_COPY)
		return true;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (is_queued(&e))
			return true;
	}
	return false;
}

/* Such a call that went through in another context than we saw proves that something below the tool has set
 * it. */
static __attribute__((noinline)) void went_through(
	struct checks *c, struct acl_call_record *call, struct acl_object *stream)
{
	struct acl_object *own = context_of(c, stream), *current;
	bool known;

	current = context_current(c, thread_of(call), &known);
	if (own && current && own != current && object_usable(stream) && queues(c, call))
		store_relaxed(&thread_of(call)->context_unknown, true);
}

static void own_context_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *stream = stream_of(call);

	if (stream && __builtin_expect(load_relaxed(&stream->context) != context_ref(thread_of(call)), 0) &&
		succeeded(call))
		went_through(c, call, stream);
}

static void device_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		if (acl_apis[api].context == ACL_CONTEXT_OWN ||
			acl_apis[api].operation == ACL_OP_DESTROY_STREAM)
			add(binder, api, ACL_LEAVE, own_context_leave);
}

/* --- peers ---------------------------------------------------------------------------- */

#define BIT(n) (UINT64_C(1) << (n))

static void peer_answered(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtDeviceCanAccessPeer *a = call->args;
	struct acl_device *d = device_at(c, a->deviceId);

	if (!succeeded(call) || !a->canAccessPeer || !d || !device_at(c, a->peerDeviceId))
		return;
	atomic_fetch_or(*a->canAccessPeer ? &d->allowed : &d->denied, BIT(a->peerDeviceId));
	atomic_fetch_and(*a->canAccessPeer ? &d->denied : &d->allowed, ~BIT(a->peerDeviceId));
}

static void peer_enabled(struct checks *c, struct acl_call_record *call)
{
	struct acl_device *d = device_at(c, device_current(c, thread_of(call)));
	int peer = ACL_ARGS(call, aclrtDeviceEnablePeerAccess)->peerDeviceId;

	if (!succeeded(call))
		return;
	if (d && device_at(c, peer))
		atomic_fetch_or(&d->peers_again, atomic_fetch_or(&d->peers, BIT(peer)) & BIT(peer));
	else
		store_relaxed(&process_devices(c)->peers_unknown, true);
}

static void peer_disabled(struct checks *c, struct acl_call_record *call)
{
	struct acl_device *d = device_at(c, device_current(c, thread_of(call)));
	int peer = ACL_ARGS(call, aclrtDeviceDisablePeerAccess)->peerDeviceId;

	/* The driver counts; how often is not remembered here. */
	if (succeeded(call) && d && device_at(c, peer) && !(load_relaxed(&d->peers_again) & BIT(peer)))
		atomic_fetch_and(&d->peers, ~BIT(peer));
}

/* Imports of memory of other processes and devices enable access by themselves, of notifies when requested.
 */
static void peer_imported(struct checks *c, struct acl_call_record *call)
{
	if (acl_apis[call->api].operation == ACL_OP_IMPORT_NOTIFY &&
		acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS) == ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT)
		return;
	if (succeeded(call))
		store_relaxed(&process_devices(c)->peers_unknown, true);
}

static bool device_create(struct checks *c)
{
	struct process_devices *p = process_devices(c);

	p->devices = checks_alloc(c, ACL_DEVICES * sizeof(*p->devices));
	return p->devices != NULL;
}

/* What the parent set is the parent's to reset. */
static void device_forked(struct checks *c)
{
	for (int i = 0; i < ACL_DEVICES; i++) {
		struct acl_device *d = device_at(c, i);

		store_relaxed(&d->inherited, load_relaxed(&d->sets));
		store_relaxed(&d->set_since_reset, false);
		store_relaxed(&d->ever_reset, false);
	}
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_PEER_POSSIBLE), ACL_LEAVE, peer_answered},
	{ON_OP(PEER_ENABLE), ACL_LEAVE, peer_enabled},
	{ON_OP(PEER_DISABLE), ACL_LEAVE, peer_disabled},
	{ON_OP(IMPORT_MEMORY), ACL_LEAVE, peer_imported},
	{ON_OP(IMPORT_PHYSICAL), ACL_LEAVE, peer_imported},
	{ON_OP(IMPORT_NOTIFY), ACL_LEAVE, peer_imported},
	{ON_OP(DEVICE_SET), ACL_LEAVE, set_device},
	{ON_OP(DEVICE_RESET), ACL_ENTER, reset_enter},
	{ON_OP(DEVICE_RESET), ACL_LEAVE, reset_leave},
	{ON_OP(CALLBACK_REGISTER_DEVICE_STATE), ACL_LEAVE, state_callback_leave},
	{ON_OP(CONTEXT_SET), ACL_LEAVE, set_current},
	{ON_OP(INFO_CURRENT_CONTEXT), ACL_LEAVE, get_current},
	{ON_OP(INFO_DEFAULT_STREAM), ACL_LEAVE, device_default_stream},
	{ON_OP(INFO_RUN_MODE), ACL_LEAVE, run_mode},
	{ON_OP(INFO_MEMORY), ACL_LEAVE, memory_answered},
};

const struct check_module module_device = {
	.order = 2,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = device_bind,
	.create = device_create,
	.forked = device_forked,
};
