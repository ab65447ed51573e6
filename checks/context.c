/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread's current context.  The runtime always checks it, so the two rules
 * about a wrong one are judged by its answer: a call that went through proves
 * that something below the tool set another context than we saw.
 */
#include "checks/report.h"
#include "checks/state.h"

#define NO_CONTEXT 107002
#define OTHER_CONTEXT 107003

static void report_missing(struct checks *c, struct acl_event *ev)
{
	struct acl_thread *t = thread_of(ev);
	struct acl_object *was = object_of(c, ld(&t->context));
	struct acl_device *d = device_at(c, ld(&t->device));
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("current-context-missing"), &room);

	if (!f)
		return;
	f->at_leave = true;
	if (was)
		finding_detail(f, "the context this thread had set was destroyed");
	else if (d)
		finding_detail(f, "device %d, which this thread had set, was reset", ld(&t->device));
	else
		finding_detail(f, "this thread has no current device or context: it has set none, or a reset "
				  "took it away; "
				  "the choice of another thread is not inherited");
	finding_uint(f, "thread", ev->tid);
	if (was)
		finding_object(c, f, "context", was);
	finding_show(c, f);
}

static void needs_context(struct checks *c, struct acl_event *ev)
{
	struct acl_object *stream = stream_of(ev);
	bool known;

	/* That the stream is gone is the nearer reason. */
	if (error_of(ev) != NO_CONTEXT || (stream && !object_usable(stream)))
		return;
	if (!context_current(c, thread_of(ev), &known))
		report_missing(c, ev);
}

static void report_other(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	struct acl_object *own, struct acl_object *current)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (ev->in_exit && rule != RULE("stream-other-context-use"))
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, ev, rule, grade, &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f,
		"stream %p belongs to %s of device %d, and this thread's current context is %s of device %d",
		stream_argument(c, ev),
		ld(&own->flags) & ACL_OBJECT_DEFAULT ? "the default context" : "a context", ld(&own->device),
		ld(&current->flags) & ACL_OBJECT_DEFAULT ? "the default context" : "another context",
		ld(&current->device));
	finding_object(c, f, "stream", stream_of(ev));
	finding_object(c, f, "its context", own);
	finding_object(c, f, "current context", current);
	finding_show(c, f);
}

/* A stream is used or destroyed where its context is not the current one. */
static void other_context(struct checks *c, struct acl_event *ev, const struct acl_rule *rule)
{
	struct acl_object *stream = stream_of(ev), *own, *current;
	int32_t error = error_of(ev);
	bool known;

	if ((error && error != OTHER_CONTEXT) || !object_usable(stream))
		return;
	own = context_of(c, stream);
	current = context_current(c, thread_of(ev), &known);
	if (!own || !current || own == current)
		return;
	if (error)
		report_other(c, ev, rule, own, current);
	else
		st(&thread_of(ev)->context_unknown, true);
}

static void uses_stream(struct checks *c, struct acl_event *ev)
{
	struct acl_object *stream = stream_of(ev);

	if (!stream || __builtin_expect(ld(&stream->context) == context_ref(c, thread_of(ev)), 1))
		return;
	other_context(c, ev, RULE("stream-other-context-use"));
}

static void destroyed_stream(struct checks *c, struct acl_event *ev)
{
	struct acl_object *stream = stream_of(ev);

	if (!stream || !ld(&stream->context) || !context_ref(c, thread_of(ev)))
		return;
	rule_asked(ev, RULE("stream-destroy-wrong-context"));
	if (ld(&stream->context) != context_ref(c, thread_of(ev)))
		other_context(c, ev, RULE("stream-destroy-wrong-context"));
}

static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *context = object_live(
				  c, ACL_HANDLE_CONTEXT, ACL_ARGS(ev, aclrtDestroyContext)->context),
			  *o;
	struct acl_object *sample[2];
	struct finding_buffer room;
	struct acl_finding *f;
	unsigned streams = 0;

	if (!context || ld(&context->flags) & (ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED))
		return;
	object_each(c, ACL_HANDLE_STREAM, o)
	{
		/* A capture in progress is a finding of its own. */
		if (!object_usable(o) || ld(&o->context) != object_ref(context) || capture_of(c, o) ||
			ld(&o->flags) & (ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED))
			continue;
		if (streams < 2)
			sample[streams] = o;
		streams++;
	}
	if (!rule_broken(ev, RULE("context-destroy-with-streams"), streams))
		return;
	f = finding_begin(c, ev, RULE("context-destroy-with-streams"), &room);
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

static const uint16_t need_context[] = {
	ACL_API_aclrtCntNotifyCreate,
	ACL_API_aclrtCntNotifyRecord,
	ACL_API_aclrtCreateEvent,
	ACL_API_aclrtCreateEventExWithFlag,
	ACL_API_aclrtCreateEventWithFlag,
	ACL_API_aclrtCreateLabel,
	ACL_API_aclrtCreateLabelList,
	ACL_API_aclrtCreateNotify,
	ACL_API_aclrtCreateStream,
	ACL_API_aclrtCreateStreamWithConfig,
	ACL_API_aclrtCtxGetCurrentDefaultStream,
	ACL_API_aclrtCtxSetSysParamOpt,
	ACL_API_aclrtDestroyLabel,
	ACL_API_aclrtDestroyNotify,
	ACL_API_aclrtDestroyStream,
	ACL_API_aclrtDestroyStreamForce,
	ACL_API_aclrtGetGroupCount,
	ACL_API_aclrtGetMemInfo,
	ACL_API_aclrtHostGetDevicePointer,
	ACL_API_aclrtHostRegister,
	ACL_API_aclrtHostRegisterV2,
	ACL_API_aclrtHostUnregister,
	ACL_API_aclrtIpcMemClose,
	ACL_API_aclrtIpcMemGetExportKey,
	ACL_API_aclrtIpcMemImportByKey,
	ACL_API_aclrtLaunchCallback,
	ACL_API_aclrtLaunchHostFunc,
	ACL_API_aclrtMalloc,
	ACL_API_aclrtMallocAlign32,
	ACL_API_aclrtMallocCached,
	ACL_API_aclrtMallocForTaskScheduler,
	ACL_API_aclrtMallocHost,
	ACL_API_aclrtMallocHostWithCfg,
	ACL_API_aclrtMallocWithCfg,
	ACL_API_aclrtMemPoolCreate,
	ACL_API_aclrtMemcpy,
	ACL_API_aclrtMemcpyAsync,
	ACL_API_aclrtMemset,
	ACL_API_aclrtMemsetAsync,
	ACL_API_aclrtRecordEvent,
	ACL_API_aclrtRecordEventWithFlag,
	ACL_API_aclrtRecordNotify,
	ACL_API_aclrtResetEvent,
	ACL_API_aclrtSetGroup,
	ACL_API_aclrtSetLabel,
	ACL_API_aclrtStreamAbort,
	ACL_API_aclrtStreamQuery,
	ACL_API_aclrtStreamStop,
	ACL_API_aclrtStreamWaitEvent,
	ACL_API_aclrtStreamWaitEventWithFlag,
	ACL_API_aclrtStreamWaitEventWithTimeout,
	ACL_API_aclrtSwitchLabelByIndex,
	ACL_API_aclrtSynchronizeDevice,
	ACL_API_aclrtSynchronizeDeviceWithTimeout,
	ACL_API_aclrtSynchronizeStream,
	ACL_API_aclrtSynchronizeStreamWithTimeout,
	ACL_API_aclrtWaitAndResetNotify,
};
static const uint16_t need_own_context[] = {
	ACL_API_aclrtCntNotifyRecord,
	ACL_API_aclrtLaunchCallback,
	ACL_API_aclrtLaunchHostFunc,
	ACL_API_aclrtMemPoolFreeAsync,
	ACL_API_aclrtMemPoolMallocAsync,
	ACL_API_aclrtMemcpy2dAsync,
	ACL_API_aclrtMemcpyAsync,
	ACL_API_aclrtMemcpyAsyncWithCondition,
	ACL_API_aclrtMemcpyBatchAsync,
	ACL_API_aclrtMemcpyBatchAsyncV2,
	ACL_API_aclrtMemcpyFromSymbolAsync,
	ACL_API_aclrtMemcpyToSymbolAsync,
	ACL_API_aclrtMemsetAsync,
	ACL_API_aclrtMemsetD32Async,
	ACL_API_aclrtRecordEvent,
	ACL_API_aclrtRecordNotify,
	ACL_API_aclrtResetEvent,
	ACL_API_aclrtSetLabel,
	ACL_API_aclrtStreamWaitEvent,
	ACL_API_aclrtSwitchLabelByIndex,
	ACL_API_aclrtValueWait,
	ACL_API_aclrtValueWrite,
	ACL_API_aclrtWaitAndResetNotify,
};

const uint16_t *context_needers(unsigned *n)
{
	*n = sizeof(need_context) / sizeof(need_context[0]);
	return need_context;
}

bool context_needed(unsigned api)
{
	for (size_t i = 0; i < sizeof(need_context) / sizeof(need_context[0]); i++)
		if (need_context[i] == api)
			return true;
	return false;
}

static void context_bind(void (*add)(void *, unsigned, enum acl_phase, acl_hook_fn), void *binder)
{
	for (size_t i = 0; i < sizeof(need_context) / sizeof(need_context[0]); i++)
		add(binder, need_context[i], ACL_FAILED, needs_context);
	for (size_t i = 0; i < sizeof(need_own_context) / sizeof(need_own_context[0]); i++)
		add(binder, need_own_context[i], ACL_LEAVE, uses_stream);
	add(binder, ACL_API_aclrtDestroyStream, ACL_LEAVE, destroyed_stream);
	add(binder, ACL_API_aclrtDestroyStreamForce, ACL_LEAVE, destroyed_stream);
	add(binder, ACL_API_aclrtDestroyContext, ACL_ENTER, destroying);
}

/* Both rules are judged by the runtime's answer. */
static bool context_create(struct checks *c)
{
	for (size_t i = 0; i < sizeof(need_context) / sizeof(need_context[0]); i++)
		rule_asked_by(c, RULE("current-context-missing"), need_context[i]);
	for (size_t i = 0; i < sizeof(need_own_context) / sizeof(need_own_context[0]); i++)
		rule_asked_by(c, RULE("stream-other-context-use"), need_own_context[i]);
	return true;
}

const struct acl_topic topic_context = {.name = "context", .bind = context_bind, .create = context_create};
