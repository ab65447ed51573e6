/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects come and go as the model's "life" words say: created in leave,
 * marked going in enter of the destroying call, dead or back in its leave.
 */
#include "checks/state/lifecycle.h"
#include "checks/engine/instance.h"
#include "checks/state/allocator_state.h"
#include "checks/state/binary_state.h"
#include "checks/state/buffer_state.h"
#include "checks/state/capture_change.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/group_state.h"
#include "checks/state/label_state.h"
#include "checks/state/notify_state.h"
#include "checks/state/pool_state.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

/* The kinds of objects that are followed, with the bytes of what their states keep beside each: all of it,
 * what outlives the object in its slot, the rare part. */
static const struct {
	uint8_t kind; /* enum acl_handle */
	unsigned bytes, kept, rare;
} followed[] = {
	{ACL_HANDLE_STREAM, sizeof(struct stream_state), STREAM_KEPT, sizeof(struct stream_rare)},
	{ACL_HANDLE_EVENT, sizeof(struct event_state), 0, sizeof(struct event_rare)},
	{ACL_HANDLE_CONTEXT, sizeof(struct context_state), 0, 0},
	{ACL_HANDLE_MODEL, sizeof(struct model_state), MODEL_KEPT, 0},
	{ACL_HANDLE_NOTIFY, sizeof(struct notify_state), 0, 0},
	{ACL_HANDLE_CNT_NOTIFY, sizeof(struct counter_state), 0, 0},
	{ACL_HANDLE_LABEL, sizeof(struct label_state), 0, 0},
	{ACL_HANDLE_LABEL_LIST, 0, 0, 0},
	{ACL_HANDLE_BINARY, sizeof(struct binary_state), 0, 0},
	{ACL_HANDLE_BINARY_DESC, sizeof(struct binary_desc_state), 0, 0},
	{ACL_HANDLE_FUNCTION, sizeof(struct function_state), 0, 0},
	{ACL_HANDLE_POOL, sizeof(struct pool_state), POOL_KEPT, 0},
	{ACL_HANDLE_TASK_GROUP, sizeof(struct group_state), 0, 0},
	{ACL_HANDLE_GROUP_INFO, 0, 0, 0},
	{ACL_HANDLE_ALLOCATOR_DESC, sizeof(struct allocator_desc_state), 0, 0},
	{ACL_HANDLE_MBUF, sizeof(struct mbuf_state), 0, 0},
};
#define FOLLOWED (sizeof(followed) / sizeof(followed[0]))

static bool is_followed(unsigned kind)
{
	for (size_t i = 0; i < FOLLOWED; i++)
		if (followed[i].kind == kind)
			return true;
	return false;
}

static bool life_create(struct checks *c)
{
	for (size_t i = 0; i < FOLLOWED; i++) {
		unsigned kind = followed[i].kind;

		object_init(c, kind, followed[i].bytes, followed[i].kept, followed[i].rare);
		if (!c->kinds[kind])
			return false;
	}
	return true;
}

/* First parameter of the function with this word of life and a followed kind, NULL = none. */
static const struct acl_param *life_param(unsigned api, unsigned life)
{
	const struct acl_api_info *info = &acl_apis[api];

	for (unsigned i = 0; i < info->n_params; i++)
		if (acl_params(info)[i].life == life && is_followed(acl_params(info)[i].handle))
			return &acl_params(info)[i];
	return NULL;
}

static const void *argument(const struct acl_call_record *call, const struct acl_param *p)
{
	const void *value;

	memcpy(&value, (const char *)call->args + p->offset, sizeof(value));
	return value;
}

/* The object belongs to the context that is current where it is made. */
static void life_settle(struct checks *c, const struct acl_call_record *call, struct acl_object *o)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known);

	if (!context)
		return;
	store_relaxed(&o->context, object_ref(context));
	store_relaxed(&o->device, load_relaxed(&context->device));
}

static void created(struct checks *c, struct acl_call_record *call)
{
	const struct acl_param *p = life_param(call->api, ACL_LIFE_CREATE);
	const void *const *out = p ? argument(call, p) : NULL;
	struct acl_object *o;

	if (!out || !succeeded(call) || !*out)
		return;
	o = object_create(c, call, p->handle, *out, 0);
	if (!o)
		return;
	if (p->handle != ACL_HANDLE_CONTEXT)
		life_settle(c, call, o);
	switch (p->handle) {
	case ACL_HANDLE_STREAM:
		stream_created(c, call, o);
		break;
	case ACL_HANDLE_MBUF:
		buffer_created(call, o);
		break;
	case ACL_HANDLE_EVENT:
		event_created(c, call, o);
		break;
	case ACL_HANDLE_NOTIFY:
		notify_created(call, o);
		break;
	case ACL_HANDLE_CNT_NOTIFY:
		counter_created(o);
		break;
	case ACL_HANDLE_CONTEXT:
		context_created(c, call, o);
		break;
	case ACL_HANDLE_POOL:
		pool_created(call, o);
		break;
	case ACL_HANDLE_BINARY:
		binary_created(c, call, o);
		break;
	case ACL_HANDLE_TASK_GROUP:
		group_created(c, call, o);
		break;
	}
}

/* The function returns the object itself. */
static void returned(struct checks *c, struct acl_call_record *call)
{
	if (call->result.p)
		object_create(c, call, acl_apis[call->api].ret_handle, call->result.p, 0);
}

/* What a description of a binary was made of is noted with it (binary_state.c). */
static bool returns_object(unsigned api)
{
	return acl_apis[api].ret_life == ACL_LIFE_CREATE && is_followed(acl_apis[api].ret_handle) &&
	       acl_apis[api].ret_handle != ACL_HANDLE_BINARY_DESC;
}

static void life_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_param *p = life_param(call->api, ACL_LIFE_DESTROY);
	struct acl_object *o = p ? object_live(c, p->handle, argument(call, p)) : NULL;

	if (!o || !object_destroying(o))
		return;
	call->state.destroying = object_ref(o);
}

static void life_destroy_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = object_of(c, call->state.destroying);

	if (!o)
		return;
	if (!succeeded(call)) {
		object_destroy_failed(o);
		return;
	}
	if (o->kind == ACL_HANDLE_CONTEXT)
		context_dies(c, o, call, 0);
	else if (o->kind == ACL_HANDLE_MODEL)
		model_gone(c, o);
	else if (o->kind == ACL_HANDLE_STREAM)
		stream_retire(c, o, stream_submitted(o), true);
	object_destroyed(c, o, call, 0);
}

void context_dies(
	struct checks *c, struct acl_object *context, const struct acl_call_record *call, unsigned flags)
{
	static const uint8_t owned[] = {ACL_HANDLE_STREAM, ACL_HANDLE_MODEL};
	acl_ref ref = object_ref(context);
	struct acl_object *o;

	for (size_t i = 0; i < sizeof(owned); i++) {
		object_each(c, owned[i], o)
		{
			if (load_relaxed(&o->context) != ref || !object_usable(o))
				continue;
			if (o->kind == ACL_HANDLE_MODEL)
				capture_abandon(c, o);
			else
				stream_retire(c, o, stream_submitted(o), true);
			object_destroyed(c, o, call, ACL_OBJECT_BY_OWNER | flags);
		}
	}
}

static void life_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		/* The end of a capture names the model that its beginning created. */
		if (acl_apis[api].operation != ACL_OP_CAPTURE_END && life_param(api, ACL_LIFE_CREATE))
			add(binder, api, ACL_LEAVE, created);
		if (returns_object(api))
			add(binder, api, ACL_LEAVE, returned);
		if (life_param(api, ACL_LIFE_DESTROY)) {
			add(binder, api, ACL_ENTER, life_destroy_enter);
			add(binder, api, ACL_LEAVE, life_destroy_leave);
		}
	}
}

static void life_forked(struct checks *c)
{
	struct acl_object *o;

	for (size_t i = 0; i < FOLLOWED; i++)
		object_each(c, followed[i].kind, o)
		{
			atomic_fetch_or(&o->flags, ACL_OBJECT_INHERITED);
			if (object_rare(o))
				store_relaxed(&((struct object_rare *)object_rare(o))->last_call, 0);
		}
}

const struct check_module module_life = {
	.order = 1,
	.bind = life_bind,
	.create = life_create,
	.forked = life_forked,
};
