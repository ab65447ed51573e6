/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread's current context.  The runtime always checks it, so the two rules
 * about a wrong one are evaluated by its answer: a call that went through proves
 * that something below the tool set another context than we saw.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/plain_format.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

static void report_missing(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct acl_object *was = object_of(c, load_relaxed(&t->context));
	int device = load_relaxed(&t->device);
	char text[96];

	FINDING_BROKEN(c, call, RULE("current-context-missing"),
		/* Setting one is no way out of a callback that must not call at all. */
		PARTS(part_late(call),
			part_beside(call->callback_depth ? BESIDE_AS_CONSEQUENCE : BESIDE_NOTHING),
			part_uint("thread", call->tid), part_object("context", was)),
		"%s",
		was ? "the context this thread had set was destroyed"
		: device_at(c, device)
			? plain_print(text, sizeof(text), "device %d, which this thread had set, was reset",
				  device)
			: "this thread has no current device or context: it has set none, or a reset took it "
			  "away; the choice of another thread is not inherited");
}

static void needs_context(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *stream = stream_of(call);
	bool known;

	/* That the stream is gone is the nearer reason. */
	if (error_of(call) != ACL_ERROR_RT_CONTEXT_NULL || (stream && !object_usable(stream)))
		return;
	if (!context_current(c, thread_of(call), &known))
		report_missing(c, call);
}

static const char *context_name(struct acl_object *context, const char *other)
{
	return load_relaxed(&context->flags) & ACL_OBJECT_DEFAULT ? "the default context" : other;
}

static void report_other(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	struct acl_object *own, struct acl_object *current)
{
	FINDING_BROKEN(c, call, rule,
		PARTS(rule == RULE("stream-other-context-use") ? part_none() : part_late(call),
			part_object("stream", stream_of(call)), part_object("its context", own),
			part_object("current context", current)),
		"Stream %p belongs to %s of device %d, and this thread's current context is %s of device %d.",
		stream_argument(c, call), context_name(own, "a context"), load_relaxed(&own->device),
		context_name(current, "another context"), load_relaxed(&current->device));
}

/* A stream is used or destroyed where its context is not the current one: the runtime says so. */
static void other_context(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule)
{
	struct acl_object *stream = stream_of(call), *own, *current;
	bool known;

	if (error_of(call) != ACL_ERROR_RT_STREAM_CONTEXT || !object_usable(stream))
		return;
	own = context_of(c, stream);
	current = context_current(c, thread_of(call), &known);
	if (own && current && own != current)
		report_other(c, call, rule, own, current);
}

static void uses_stream(struct checks *c, struct acl_call_record *call)
{
	if (stream_of(call))
		other_context(c, call, RULE("stream-other-context-use"));
}

static void destroyed_stream(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *stream = stream_of(call);

	if (!stream || !load_relaxed(&stream->context) || !context_ref(thread_of(call)))
		return;
	rule_evaluated(call, RULE("stream-destroy-wrong-context"));
	other_context(c, call, RULE("stream-destroy-wrong-context"));
}

static void context_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *context = object_live(
				  c, ACL_HANDLE_CONTEXT, ACL_ARGS(call, aclrtDestroyContext)->context),
			  *o;
	struct acl_object *sample[2] = {NULL};
	unsigned streams = 0;

	if (!context || load_relaxed(&context->flags) & (ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED))
		return;
	object_each(c, ACL_HANDLE_STREAM, o)
	{
		/* A capture in progress is a finding of its own. */
		if (!object_usable(o) || load_relaxed(&o->context) != object_ref(context) ||
			capture_of(c, o) ||
			load_relaxed(&o->flags) & (ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED))
			continue;
		if (streams < 2)
			sample[streams] = o;
		streams++;
	}
	FINDING(c, call, "context-destroy-with-streams", streams,
		PARTS(part_uint("streams", streams), part_object("context", context),
			part_object("still alive", sample[0]), part_object("still alive", sample[1])),
		"%u stream%s of the context %s still alive and end%s with it", streams,
		streams == 1 ? "" : "s", streams == 1 ? "is" : "are", streams == 1 ? "s" : "");
}

/* It may be the context that the function is given. A question may be asked to find out, and peers and limits
 * of a device have rules of their own. */
static bool answer_is_about_context(unsigned api)
{
	if (acl_arg_has(api, ACL_ROLE_CONTEXT))
		return false;
	switch (acl_apis[api].operation_group) {
	case ACL_OP_GROUP_INFO:
	case ACL_OP_GROUP_ERROR:
	case ACL_OP_GROUP_DEVICE:
	case ACL_OP_GROUP_PEER:
	case ACL_OP_GROUP_PROCESS:
		return false;
	case ACL_OP_GROUP_CONFIGURE:
		return acl_arg_has(api, ACL_ROLE_STREAM);
	default:
		return true;
	}
}

/* Captures and models have rules of their own, and so has the end of a stream. */
static bool answer_is_about_stream(const struct acl_api_info *info)
{
	switch (info->operation_group) {
	case ACL_OP_GROUP_CAPTURE:
	case ACL_OP_GROUP_MODEL:
	case ACL_OP_GROUP_EXECUTE:
	case ACL_OP_GROUP_DESTROY:
		return info->context == ACL_CONTEXT_OWN;
	default:
		return true;
	}
}

/* Which functions need a context is a fact of the model; of others the runtime's answer shows it. */
static void context_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		if (acl_apis[api].context != ACL_CONTEXT_NONE || answer_is_about_context(api))
			add(binder, api, ACL_FAILED, needs_context);
		if (answer_is_about_stream(&acl_apis[api]))
			add(binder, api, ACL_FAILED, uses_stream);
	}
}

/* The runtime's answer decides both rules. */
static bool context_create(struct checks *c)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		if (acl_apis[api].context != ACL_CONTEXT_NONE)
			rule_evaluated_by(c, RULE("current-context-missing"), api);
		if (acl_apis[api].context == ACL_CONTEXT_OWN)
			rule_evaluated_by(c, RULE("stream-other-context-use"), api);
	}
	return true;
}

static const struct check_hook hooks[] = {
	{ON_OP(DESTROY_STREAM), ACL_LEAVE, destroyed_stream},
	{ON_OP(DESTROY_CONTEXT), ACL_ENTER, context_destroy_enter},
};

const struct check_module module_context = {.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = context_bind,
	.create = context_create};
