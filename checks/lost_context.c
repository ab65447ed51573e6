/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a thread came to have no context, or another one than it thinks.  The
 * mistake is an earlier call that succeeded; it is told where its consequence
 * shows, behind the finding about that (context.c), which has judged already.
 */
#include "checks/report.h"
#include "checks/state.h"

#define NO_CONTEXT 107002
#define OTHER_CONTEXT 107003

/* Told beside the finding of this call. */
static struct acl_finding *begin(
	struct checks *c, struct acl_event *ev, const struct acl_rule *rule, struct finding_buffer *room)
{
	struct finding_grade grade = GRADE_TABLE;
	struct acl_finding *f;

	grade.secondary = true;
	grade.cause = ev->carry[CARRY_FINDING];
	f = finding_begin_as(c, ev, rule, grade, room);
	if (f)
		f->at_leave = true;
	return f;
}

static void say_destroyed(struct checks *c, struct acl_event *ev, struct acl_object *was)
{
	struct finding_buffer room;
	struct acl_finding *f = begin(c, ev, RULE("context-lost-after-destroy"), &room);

	if (!f)
		return;
	finding_detail(
		f, "this thread's context was destroyed, and what was current before it is not set again");
	finding_object(c, f, "context", was);
	finding_show(c, f);
}

static void say_reset(struct checks *c, struct acl_event *ev, int device)
{
	struct finding_buffer room;
	struct acl_finding *f = begin(c, ev, RULE("device-reset-clears-current"), &room);

	if (!f)
		return;
	finding_detail(f,
		"this thread reset device %d, which took away what was current, and has set none since",
		device);
	finding_int(f, "device", device);
	finding_show(c, f);
}

static void say_reset_elsewhere(struct checks *c, struct acl_event *ev, int device)
{
	struct acl_device *d = device_at(c, device);
	struct finding_buffer room;
	struct acl_finding *f = begin(c, ev, RULE("device-reset-while-thread-active"), &room);
	struct acl_biography *b;

	if (!f)
		return;
	finding_detail(f, "device %d is this thread's, and thread %u took it out of use", device,
		ld(&d->last_reset.tid));
	finding_int(f, "device", device);
	finding_uint(f, "thread that reset it", ld(&d->last_reset.tid));
	b = &f->objects[f->n_objects++];
	b->role = "reset";
	b->kind = "device";
	b->device = device;
	b->value = (uint64_t)device;
	moment_copy(&b->created, &d->first_set);
	moment_copy(&b->destroyed, &d->last_reset);
	finding_show(c, f);
}

/* The call found no context. */
static void missing(struct checks *c, struct acl_event *ev)
{
	struct acl_thread *t = thread_of(ev);
	struct acl_object *was = object_of(c, ld(&t->context));
	struct acl_device *d = device_at(c, ld(&t->device));
	bool known;

	if (error_of(ev) != NO_CONTEXT || !ev->carry[CARRY_FINDING] || context_current(c, t, &known))
		return;
	if (was && !(ld(&was->flags) & (ACL_OBJECT_BY_OWNER | ACL_OBJECT_DEFAULT)))
		say_destroyed(c, ev, was);
	else if (!was && d && ld(&d->last_reset.caller) && ld(&d->last_reset.tid) != ev->tid)
		say_reset_elsewhere(c, ev, ld(&t->device));
	else if (!was && !d && ld(&t->reset))
		say_reset(c, ev, ld(&t->reset) - 1);
}

static void say_replaced(struct checks *c, struct acl_event *ev, struct acl_object *own)
{
	struct finding_buffer room;
	struct acl_finding *f = begin(c, ev, RULE("implicit-default-switch"), &room);

	if (!f)
		return;
	finding_detail(f,
		"the stream's context was this thread's until aclrtSetDevice made the default context of "
		"device %d current",
		ld(&thread_of(ev)->device));
	finding_object(c, f, "context", own);
	finding_object(c, f, "stream", stream_of(ev));
	finding_show(c, f);
}

/* The call found another context than its stream's. */
static void other(struct checks *c, struct acl_event *ev)
{
	struct acl_thread *t = thread_of(ev);
	struct acl_object *stream = stream_of(ev);

	if (error_of(ev) != OTHER_CONTEXT || !ev->carry[CARRY_FINDING] || !stream || !t->replaced ||
		ld(&t->context) || ld(&stream->context) != t->replaced || !context_of(c, stream))
		return;
	say_replaced(c, ev, context_of(c, stream));
}

/* --- where the rules are put to the test ------------------------------------------ */

static void destroyed(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = object_find(c, ACL_HANDLE_CONTEXT, ACL_ARGS(ev, aclrtDestroyContext)->context);

	if (o && succeeded(ev))
		rule_asked(ev, RULE("context-lost-after-destroy"));
}

static void set_device(struct checks *c, struct acl_event *ev)
{
	(void)c;
	if (succeeded(ev) && ld(&thread_of(ev)->context))
		rule_asked(ev, RULE("implicit-default-switch"));
}

static void reset(struct checks *c, struct acl_event *ev)
{
	(void)c;
	if (succeeded(ev) && ev->carry[CARRY_NOTE])
		rule_asked(ev, RULE("device-reset-clears-current"));
}

static void lost_bind(void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder)
{
	unsigned n;
	const uint16_t *needers = context_needers(&n);

	for (unsigned i = 0; i < n; i++)
		add(binder, needers[i], ACL_FAILED, missing);
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (acl_apis[api].ret_kind == ACL_KIND_ERROR)
			add(binder, api, ACL_FAILED, other);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtDestroyContext, ACL_LEAVE, destroyed},
	{ACL_API_aclrtSetDevice, ACL_LEAVE, set_device},
	{ACL_API_aclrtResetDevice, ACL_LEAVE, reset},
	{ACL_API_aclrtResetDeviceForce, ACL_LEAVE, reset},
};

const struct acl_topic topic_lost_context = {
	.name = "lost context",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = lost_bind,
};
