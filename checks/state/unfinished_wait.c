/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of a thread that did not wait for all: the time was over, or only one context of the device was
 * meant. */
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/stream_state.h"

static struct acl_object *waited_for(struct checks *c, const struct acl_call_record *call)
{
	bool known;

	switch (acl_apis[call->api].operation) {
	case ACL_OP_SYNCHRONISE_STREAM:
		return stream_of(call);
	case ACL_OP_SYNCHRONISE_EVENT:
		return event_of(call);
	default:
		return context_current(c, thread_of(call), &known);
	}
}

static void timed_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct acl_object *o = is_checked(call) && time_was_over(call) ? waited_for(c, call) : NULL;

	if (o)
		t->timed_out = (struct unfinished_wait){object_ref(o), t->phase};
}

static void device_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	bool known;
	struct acl_object *context = context_current(c, t, &known);

	t->device_wait =
		(struct unfinished_wait){context && succeeded(call) ? object_ref(context) : 0, t->phase};
}

/* The parent's waits are nothing to what the child does. */
static void waits_forked(struct checks *c)
{
	struct acl_thread *t;

	thread_each(c, t) t->timed_out = t->device_wait = (struct unfinished_wait){0};
}

static const struct check_hook hooks[] = {
	{ON_OP(SYNCHRONISE_STREAM), ACL_LEAVE, timed_wait_leave},
	{ON_OP(SYNCHRONISE_EVENT), ACL_LEAVE, timed_wait_leave},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_LEAVE, timed_wait_leave},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_LEAVE, device_wait_leave},
};

const struct check_module module_unfinished_wait = {
	.order = 28,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.forked = waits_forked,
};
