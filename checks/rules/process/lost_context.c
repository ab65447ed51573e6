/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a thread came to have no context, or another one than it thinks.  The
 * mistake is an earlier call that succeeded; it is told where its consequence
 * shows, behind the finding about that (context.c), which has judged already.
 */
#include "checks/engine/finding_report.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

#define NO_CONTEXT 107002
#define OTHER_CONTEXT 107003

/* Told beside the finding of this call. */
static struct acl_finding *begin(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	struct finding_buffer *room)
{
	struct finding_grade grade = GRADE_TABLE;
	struct acl_finding *f;

	/* The earlier call is not always one of the program's own, which were counted. */
	rule_evaluated(call, rule);
	grade.beside = BESIDE_AS_REASON;
	f = finding_begin_as(c, call, rule, grade, room);
	return f;
}

static void say_destroyed(struct checks *c, struct acl_call_record *call, struct acl_object *was)
{
	struct finding_buffer room;
	struct acl_finding *f = begin(c, call, RULE("context-lost-after-destroy"), &room);

	if (!f)
		return;
	finding_detail(
		f, "this thread's context was destroyed, and what was current before it is not set again");
	finding_object(c, f, "context", was);
	finding_show(c, f);
}

static void say_reset(struct checks *c, struct acl_call_record *call, int device)
{
	struct finding_buffer room;
	struct acl_finding *f = begin(c, call, RULE("device-reset-clears-current"), &room);

	if (!f)
		return;
	finding_detail(f,
		"this thread reset device %d, which took away what was current, and has set none since",
		device);
	finding_int(f, "device", device);
	finding_show(c, f);
}

static void say_reset_elsewhere(struct checks *c, struct acl_call_record *call, int device)
{
	struct acl_device *d = device_at(c, device);
	struct finding_buffer room;
	struct acl_finding *f = begin(c, call, RULE("device-reset-while-thread-active"), &room);
	struct acl_object_history *b;

	if (!f)
		return;
	finding_detail(f, "device %d is this thread's, and thread %u took it out of use", device,
		load_relaxed(&d->last_reset.tid));
	finding_int(f, "device", device);
	finding_uint(f, "thread that reset it", load_relaxed(&d->last_reset.tid));
	b = &f->objects[f->n_objects++];
	b->role = "reset";
	b->kind = "device";
	b->device = device;
	b->value = (uint64_t)device;
	call_site_copy(&b->created, &d->first_set);
	call_site_copy(&b->destroyed, &d->last_reset);
	finding_show(c, f);
}

/* The call found no context. */
static void missing(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct acl_object *was = object_of(c, load_relaxed(&t->context));
	struct acl_device *d = device_at(c, load_relaxed(&t->device));
	bool known;

	if (error_of(call) != NO_CONTEXT || context_current(c, t, &known))
		return;
	if (was && !(load_relaxed(&was->flags) & (ACL_OBJECT_BY_OWNER | ACL_OBJECT_DEFAULT)))
		say_destroyed(c, call, was);
	else if (!was && d && load_relaxed(&d->last_reset.caller) &&
		 load_relaxed(&d->last_reset.tid) != call->tid)
		say_reset_elsewhere(c, call, load_relaxed(&t->device));
	else if (!was && !d && load_relaxed(&t->reset))
		say_reset(c, call, load_relaxed(&t->reset) - 1);
}

static void say_replaced(struct checks *c, struct acl_call_record *call, struct acl_object *own)
{
	struct finding_buffer room;
	struct acl_finding *f = begin(c, call, RULE("implicit-default-switch"), &room);

	if (!f)
		return;
	finding_detail(f,
		"the stream's context was this thread's until aclrtSetDevice made the default context of "
		"device %d current",
		load_relaxed(&thread_of(call)->device));
	finding_object(c, f, "context", own);
	finding_object(c, f, "stream", stream_of(call));
	finding_show(c, f);
}

/* The call found another context than its stream's. */
static void other(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct acl_object *stream = stream_of(call);

	if (error_of(call) != OTHER_CONTEXT || !stream || !t->replaced || load_relaxed(&t->context) ||
		load_relaxed(&stream->context) != t->replaced || !context_of(c, stream))
		return;
	say_replaced(c, call, context_of(c, stream));
}

/* --- where the rules are put to the test ------------------------------------------ */

static void destroyed(struct checks *c, struct acl_call_record *call)
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

static void reset(struct checks *c, struct acl_call_record *call)
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
	{ON_OP(DESTROY_CONTEXT), ACL_LEAVE, destroyed},
	{ON_OP(DEVICE_SET), ACL_LEAVE, set_device},
	{ON_OP(DEVICE_RESET), ACL_LEAVE, reset},
};

const struct check_module module_lost_context = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = lost_bind,
};
