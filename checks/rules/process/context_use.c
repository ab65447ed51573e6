/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread's current context.  The runtime always checks it, so the two rules
 * about a wrong one are judged by its answer: a call that went through proves
 * that something below the tool set another context than we saw.
 */
#include "checks/engine/finding_report.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

#define NO_CONTEXT 107002
#define OTHER_CONTEXT 107003

static void report_missing(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct acl_object *was = object_of(c, load_relaxed(&t->context));
	struct acl_device *d = device_at(c, load_relaxed(&t->device));
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, call, RULE("current-context-missing"), &room);

	if (!f)
		return;
	if (was)
		finding_detail(f, "the context this thread had set was destroyed");
	else if (d)
		finding_detail(
			f, "device %d, which this thread had set, was reset", load_relaxed(&t->device));
	else
		finding_detail(f, "this thread has no current device or context: it has set none, or a reset "
				  "took it away; "
				  "the choice of another thread is not inherited");
	finding_uint(f, "thread", call->tid);
	if (was)
		finding_object(c, f, "context", was);
	finding_show(c, f);
}

static void needs_context(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *stream = stream_of(call);
	bool known;

	/* That the stream is gone is the nearer reason. */
	if (error_of(call) != NO_CONTEXT || (stream && !object_usable(stream)))
		return;
	if (!context_current(c, thread_of(call), &known))
		report_missing(c, call);
}

static void report_other(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	struct acl_object *own, struct acl_object *current)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (call->in_exit && rule != RULE("stream-other-context-use"))
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, call, rule, grade, &room);
	if (!f)
		return;
	finding_detail(f,
		"stream %p belongs to %s of device %d, and this thread's current context is %s of device %d",
		stream_argument(c, call),
		load_relaxed(&own->flags) & ACL_OBJECT_DEFAULT ? "the default context" : "a context",
		load_relaxed(&own->device),
		load_relaxed(&current->flags) & ACL_OBJECT_DEFAULT ? "the default context"
								   : "another context",
		load_relaxed(&current->device));
	finding_object(c, f, "stream", stream_of(call));
	finding_object(c, f, "its context", own);
	finding_object(c, f, "current context", current);
	finding_show(c, f);
}

/* A stream is used or destroyed where its context is not the current one. */
static void other_context(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule)
{
	struct acl_object *stream = stream_of(call), *own, *current;
	int32_t error = error_of(call);
	bool known;

	if ((error && error != OTHER_CONTEXT) || !object_usable(stream))
		return;
	own = context_of(c, stream);
	current = context_current(c, thread_of(call), &known);
	if (!own || !current || own == current)
		return;
	if (error)
		report_other(c, call, rule, own, current);
	else
		store_relaxed(&thread_of(call)->context_unknown, true);
}

static void uses_stream(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *stream = stream_of(call);

	if (!stream || __builtin_expect(load_relaxed(&stream->context) == context_ref(c, thread_of(call)), 1))
		return;
	other_context(c, call, RULE("stream-other-context-use"));
}

static void destroyed_stream(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *stream = stream_of(call);

	if (!stream || !load_relaxed(&stream->context) || !context_ref(c, thread_of(call)))
		return;
	rule_evaluated(call, RULE("stream-destroy-wrong-context"));
	if (load_relaxed(&stream->context) != context_ref(c, thread_of(call)))
		other_context(c, call, RULE("stream-destroy-wrong-context"));
}

static void destroying(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *context = object_live(
				  c, ACL_HANDLE_CONTEXT, ACL_ARGS(call, aclrtDestroyContext)->context),
			  *o;
	struct acl_object *sample[2];
	struct finding_buffer room;
	struct acl_finding *f;
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
	if (!rule_broken(call, RULE("context-destroy-with-streams"), streams))
		return;
	f = finding_begin(c, call, RULE("context-destroy-with-streams"), &room);
	if (!f)
		return;
	finding_detail(f, "%u stream%s of the context %s still alive and end%s with it", streams,
		streams == 1 ? "" : "s", streams == 1 ? "is" : "are", streams == 1 ? "s" : "");
	finding_uint(f, "streams", streams);
	finding_object(c, f, "context", context);
	for (unsigned i = 0; i < streams && i < 2; i++)
		finding_object(c, f, "still alive", sample[i]);
	finding_show(c, f);
}

/* Which functions need a context is a fact of the model. */
static void context_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		if (acl_apis[api].context != ACL_CONTEXT_NONE)
			add(binder, api, ACL_FAILED, needs_context);
		if (acl_apis[api].context == ACL_CONTEXT_OWN)
			add(binder, api, ACL_LEAVE, uses_stream);
	}
}

/* Both rules are judged by the runtime's answer. */
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
	{ON_OP(DESTROY_CONTEXT), ACL_ENTER, destroying},
};

const struct check_module module_context = {.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = context_bind,
	.create = context_create};
