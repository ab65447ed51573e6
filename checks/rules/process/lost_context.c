/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a thread came to have no context, or another one than it thinks.  The
 * mistake is an earlier call that succeeded; it is reported where its consequence
 * shows, beside the finding about that (context_use.c).  The earlier call is not
 * always one of the program's own, which were counted: these count again.
 */
#include "checks/engine/finding_statement.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

static void report_destroyed(struct checks *c, struct acl_call_record *call, struct acl_object *was)
{
	FINDING(c, call, "context-lost-after-destroy", true,
		PARTS(part_beside(BESIDE_AS_REASON), part_object("context", was)),
		"This thread's context was destroyed, and what was current before it is not set again.");
}

static void report_reset(struct checks *c, struct acl_call_record *call, int device)
{
	FINDING(c, call, "device-reset-clears-current", true,
		PARTS(part_beside(BESIDE_AS_REASON), part_int("device", device)),
		"This thread reset device %d, which took away what was current, and has set none since.",
		device);
}

struct lost_device {
	int number;
	struct acl_device *device;
};

static void lost_device_history(struct acl_object_history *out, const void *lost)
{
	const struct lost_device *l = lost;

	out->kind = "device";
	out->device = l->number;
	out->value = (uint64_t)l->number;
	call_site_copy(&out->created, &l->device->first_set);
	call_site_copy(&out->destroyed, &l->device->last_reset);
}

static void report_reset_elsewhere(struct checks *c, struct acl_call_record *call, int device)
{
	struct lost_device lost = {device, device_at(c, device)};
	uint32_t by = load_relaxed(&lost.device->last_reset.tid);

	FINDING(c, call, "device-reset-while-thread-active", true,
		PARTS(part_beside(BESIDE_AS_REASON), part_late(call), part_int("device", device),
			part_uint("thread that reset it", by),
			part_history("reset", lost_device_history, &lost)),
		"Device %d is this thread's, and thread %u took it out of use.", device, by);
}

/* The call found no context. */
static void missing(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct acl_object *was = object_of(c, load_relaxed(&t->context));
	struct acl_device *d = device_at(c, load_relaxed(&t->device));
	bool known;

	if (error_of(call) != ACL_ERROR_RT_CONTEXT_NULL || context_current(c, t, &known))
		return;
	if (was && !(load_relaxed(&was->flags) & (ACL_OBJECT_BY_OWNER | ACL_OBJECT_DEFAULT)))
		report_destroyed(c, call, was);
	else if (!was && d && call_site_caller(&d->last_reset) &&
		 load_relaxed(&d->last_reset.tid) != call->tid)
		report_reset_elsewhere(c, call, load_relaxed(&t->device));
	else if (!was && !d && load_relaxed(&t->reset))
		report_reset(c, call, load_relaxed(&t->reset) - 1);
}

/* The call found another context than its stream's. */
static void other(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct acl_object *stream = stream_of(call);

	if (error_of(call) != ACL_ERROR_RT_STREAM_CONTEXT || !stream || !t->replaced ||
		load_relaxed(&t->context) || load_relaxed(&stream->context) != t->replaced ||
		!context_of(c, stream))
		return;
	FINDING(c, call, "implicit-default-switch", true,
		PARTS(part_beside(BESIDE_AS_REASON), part_object("context", context_of(c, stream)),
			part_object("stream", stream)),
		"The stream's context was this thread's until aclrtSetDevice made the default context of "
		"device %d current.",
		load_relaxed(&t->device));
}

/* --- where the rules are evaluated --------------------------------------------------- */

static void lost_destroy_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o =
		object_find(c, ACL_HANDLE_CONTEXT, ACL_ARGS(call, aclrtDestroyContext)->context);

	if (o && succeeded(call))
		rule_evaluated(call, RULE("context-lost-after-destroy"));
}

static void set_device(struct checks *c, struct acl_call_record *call)
{
	(void)c;
	if (succeeded(call) && load_relaxed(&thread_of(call)->context))
		rule_evaluated(call, RULE("implicit-default-switch"));
}

static void lost_reset_leave(struct checks *c, struct acl_call_record *call)
{
	(void)c;
	if (succeeded(call) && call->state.device_ends)
		rule_evaluated(call, RULE("device-reset-clears-current"));
}

static void lost_bind(void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		if (acl_apis[api].context != ACL_CONTEXT_NONE)
			add(binder, api, ACL_FAILED, missing);
		if (acl_apis[api].ret_kind == ACL_KIND_ERROR)
			add(binder, api, ACL_FAILED, other);
	}
}

static const struct check_hook hooks[] = {
	{ON_OP(DESTROY_CONTEXT), ACL_LEAVE, lost_destroy_leave},
	{ON_OP(DEVICE_SET), ACL_LEAVE, set_device},
	{ON_OP(DEVICE_RESET), ACL_LEAVE, lost_reset_leave},
};

const struct check_module module_lost_context = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = lost_bind,
};
