/* SPDX-License-Identifier: Apache-2.0 */
/* What may not be called while a stream is being captured. */
#include "checks/report.h"
#include "checks/state.h"

static const char *const mode_names[] = {"GLOBAL", "THREAD_LOCAL", "RELAXED", "no"};

/* The handle of a default stream, or NULL, which means it. */
static bool is_default(struct checks *c, const struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	return !stream_argument(c, ev) || (s && ld(&s->flags) & ACL_OBJECT_DEFAULT);
}

/* An open capture this thread began in its current context, NULL = none. */
static struct acl_object *own_capture(struct checks *c, const struct acl_event *ev)
{
	uint64_t thread = (uint64_t)(thread_of(ev) - c->threads);
	bool known;
	struct acl_object *context = context_current(c, thread_of(ev), &known), *o;

	if (!ld(&c->open_captures) || capture_mode_of_thread(thread_of(ev)) == MODE_NONE || !context)
		return NULL;
	object_each(c, ACL_HANDLE_MODEL, o)
	{
		uint8_t status = ld(&model_state(o)->status);

		if (object_usable(o) && (status == MODEL_CAPTURING || status == MODEL_INVALIDATED) &&
			ld(&model_state(o)->thread) == thread && ld(&o->context) == object_ref(context))
			return o;
	}
	return NULL;
}

static void show(struct checks *c, struct acl_event *ev, struct acl_finding *f, struct acl_object *capture)
{
	if (stream_of(ev) && ev->carry[CARRY_STREAM])
		finding_object(c, f, "stream", stream_of(ev));
	if (capture) {
		finding_object(c, f, "captured stream", object_of(c, ld(&model_state(capture)->origin)));
		finding_object(c, f, "capture", capture);
		finding_enum(f, "capture mode", "aclmdlRICaptureMode", ld(&model_state(capture)->mode));
	}
	finding_show(c, f);
}

/* Rules about captures are put to the test only while there is one; whether it is the one concerned. */
static bool while_capturing(
	struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const struct acl_object *capture)
{
	if (ld(&c->open_captures))
		rule_asked(ev, rule);
	return capture != NULL;
}

/* --- begin and end on a default stream ------------------------------------------- */

static void begin_default(struct checks *c, struct acl_event *ev)
{
	bool null = !stream_argument(c, ev);
	struct finding_buffer room;
	struct acl_finding *f;

	rule_asked(ev, RULE("capture-begin-null-stream"));
	rule_asked(ev, RULE("capture-begin-default-stream"));
	if (!is_default(c, ev))
		return;
	f = finding_begin(c, ev,
		null ? RULE("capture-begin-null-stream") : RULE("capture-begin-default-stream"), &room);
	if (!f)
		return;
	if (null)
		finding_detail(f, "stream is NULL, which means the default stream");
	else
		finding_detail(f, "stream %p is the default stream of the context", stream_argument(c, ev));
	finding_address(f, "stream", stream_argument(c, ev));
	show(c, ev, f, NULL);
}

/* --- synchronise and query --------------------------------------------------------- */

static void sync_stream(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture = stream_argument(c, ev) ? capture_of(c, stream_of(ev)) : NULL;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!while_capturing(c, ev, RULE("capture-sync-stream"), capture))
		return;
	f = finding_begin(c, ev, RULE("capture-sync-stream"), &room);
	if (!f)
		return;
	finding_detail(f,
		"stream %p is being captured: what it is given is recorded and does not run, so there is "
		"nothing to wait for",
		stream_argument(c, ev));
	finding_uint(f, "tasks recorded", ld(&model_state(capture)->tasks));
	show(c, ev, f, capture);
}

static void sync_event(struct checks *c, struct acl_event *ev)
{
	struct acl_object *e = event_of(ev), *capture;
	struct finding_buffer room;
	struct acl_finding *f;

	if (ev->api == ACL_API_aclrtEventElapsedTime && (!e || !ld(&event_state(e)->capture)))
		e = object_find(c, ACL_HANDLE_EVENT, ACL_ARGS(ev, aclrtEventElapsedTime)->startEvent);
	capture = e && ld(&event_state(e)->capture) ? object_of(c, ld(&event_state(e)->capture)) : NULL;
	if (!while_capturing(c, ev, RULE("capture-sync-event"), capture))
		return;
	f = finding_begin(c, ev, RULE("capture-sync-event"), &room);
	if (!f)
		return;
	finding_detail(f,
		"the event 0x%llx was recorded on a stream that is being captured and belongs to the "
		"capture until it ends",
		(unsigned long long)ld(&e->value));
	finding_object(c, f, "event", e);
	show(c, ev, f, capture);
}

static struct acl_object *capture_here(struct checks *c, struct acl_event *ev)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(ev), &known);

	return context ? capture_in(c, context, -1) : NULL;
}

static void sync_device(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture = capture_here(c, ev);
	struct finding_buffer room;
	struct acl_finding *f;

	if (!while_capturing(c, ev, RULE("capture-sync-device"), capture))
		return;
	f = finding_begin(c, ev, RULE("capture-sync-device"), &room);
	if (!f)
		return;
	finding_detail(f,
		"a stream of the current context is being captured; waiting for the context would wait "
		"for tasks that do not run");
	show(c, ev, f, capture);
}

static void free_synchronising(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture = ev->callback_depth ? NULL : capture_here(c, ev);
	struct finding_buffer room;
	struct acl_finding *f;

	if (!while_capturing(c, ev, RULE("capture-free-with-dev-sync"), capture))
		return;
	f = finding_begin(c, ev, RULE("capture-free-with-dev-sync"), &room);
	if (!f)
		return;
	finding_detail(f,
		"%s synchronises the device before it frees, and a stream of the current context is being "
		"captured: the memory is not freed",
		acl_apis[ev->api].name);
	finding_address(f, "address", ACL_ARGS(ev, aclrtFree)->devPtr);
	show(c, ev, f, capture);
}

static void query_device(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture = own_capture(c, ev);
	int device = ACL_ARGS(ev, aclrtQueryDeviceStatus)->deviceId;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!while_capturing(c, ev, RULE("capture-query-device"), capture) || ld(&capture->device) != device)
		return;
	f = finding_begin(c, ev, RULE("capture-query-device"), &room);
	if (!f)
		return;
	finding_detail(f, "this thread is capturing a stream of device %d", device);
	show(c, ev, f, capture);
}

/* --- default stream while capturing -------------------------------------------------- */

/* The capture an event belongs to, unless it has ended. */
static struct acl_object *capture_of_event(struct checks *c, struct acl_object *e)
{
	acl_ref ref = e ? ld(&event_state(e)->capture) : 0;

	return ref ? object_of(c, ref) : NULL;
}

static bool captured_event_on_default(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture = c->event_offset[ev->api] >= 0 ? capture_of_event(c, event_of(ev)) : NULL;
	struct finding_buffer room;
	struct acl_finding *f;

	if (c->event_offset[ev->api] >= 0)
		rule_asked(ev, RULE("capture-event-default-stream"));
	/* A record outside of the capture is the event's next life. */
	if (!capture || ev->api == ACL_API_aclrtRecordEvent || ev->api == ACL_API_aclrtRecordEventWithFlag)
		return false;
	f = finding_begin(c, ev, RULE("capture-event-default-stream"), &room);
	if (!f)
		return true;
	finding_detail(f,
		"the event belongs to a capture in progress, and waiting for it would pull the default "
		"stream into the capture");
	finding_object(c, f, "event", event_of(ev));
	show(c, ev, f, capture);
	return true;
}

static void default_stream(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!ld(&c->open_captures) || !is_default(c, ev) || captured_event_on_default(c, ev))
		return;
	capture = own_capture(c, ev);
	if (!rule_broken(ev, RULE("capture-default-stream-op"), capture))
		return;
	f = finding_begin(c, ev, RULE("capture-default-stream-op"), &room);
	if (!f)
		return;
	finding_detail(f,
		"this thread is capturing stream 0x%llx; work on the default stream runs now and does not "
		"become part of the model",
		(unsigned long long)ld(&object_of(c, ld(&model_state(capture)->origin))->value));
	show(c, ev, f, capture);
}

/* --- modes -------------------------------------------------------------------------------- */

/* Refused by the thread's, the context's and the captures' modes (GLOBAL 0, THREAD_LOCAL 1, RELAXED 2, none
 * 3). */
static bool refused_by_mode(unsigned context, unsigned thread, unsigned exchange)
{
	if (context == MODE_NONE || exchange == ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
		return false;
	if (exchange == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
		return context == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL ||
		       thread == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
	return thread <= ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
}

static bool copies_nothing(const struct acl_event *ev)
{
	switch (ev->api) {
	case ACL_API_aclrtMemcpy:
		return !ACL_ARGS(ev, aclrtMemcpy)->count ||
		       ACL_ARGS(ev, aclrtMemcpy)->dst == ACL_ARGS(ev, aclrtMemcpy)->src;
	case ACL_API_aclrtMemset:
		return !ACL_ARGS(ev, aclrtMemset)->count;
	}
	return false;
}

static const struct acl_rule *memop_rule(const struct acl_event *ev, unsigned thread, unsigned exchange)
{
	switch (ev->api) {
	case ACL_API_aclrtMemcpyBatch:
	case ACL_API_aclrtMemcpyBatchV2:
	case ACL_API_aclrtMemsetD32:
		return RULE("capture-unsafe-unchecked-memop");
	}
	return thread == MODE_NONE && exchange == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
		       ? RULE("capture-unsafe-other-thread-global")
		       : RULE("capture-unsafe-sync-memop");
}

static void sync_memop(struct checks *c, struct acl_event *ev)
{
	struct acl_thread *t = thread_of(ev);
	unsigned of_thread = capture_mode_of_thread(t), exchange = ld(&t->exchange), of_context;
	struct acl_object *context;
	struct finding_buffer room;
	struct acl_finding *f;
	bool known;

	if (!ld(&c->open_captures) || copies_nothing(ev))
		return;
	context = context_current(c, t, &known);
	of_context = capture_mode_of_context(context);
	if (!rule_broken(ev, memop_rule(ev, of_thread, exchange),
		    refused_by_mode(of_context, of_thread, exchange)))
		return;
	if (ev->api == ACL_API_aclrtMemsetD32) {
		struct acl_place place;

		/* On host memory it is a plain fill. */
		if (!place_find(c, ev, ACL_ARGS(ev, aclrtMemsetD32)->ptr, 0, &place) ||
			kind_is_host(place.kind))
			return;
	}
	f = finding_begin(c, ev, memop_rule(ev, of_thread, exchange), &room);
	if (!f)
		return;
	finding_detail(f,
		"a %s capture is open in the current context, this thread began %s capture, and its "
		"exchange mode is %s",
		mode_names[of_context], of_thread == MODE_NONE ? "no" : "one of a", mode_names[exchange]);
	if (of_thread != MODE_NONE)
		finding_more(f, " (its own: %s)", mode_names[of_thread]);
	finding_enum(f, "exchange mode", "aclmdlRICaptureMode", exchange);
	show(c, ev, f, capture_in(c, context, -1));
}

/* --- configuration -------------------------------------------------------------------------- */

static void overflow(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture = capture_of(c, stream_of(ev));
	struct finding_buffer room;
	struct acl_finding *f;

	if (!while_capturing(c, ev, RULE("capture-overflow-config"), capture))
		return;
	if (ev->api == ACL_API_aclrtSetStreamAttribute) {
		unsigned attribute = ACL_ARGS(ev, aclrtSetStreamAttribute)->stmAttrType;

		if (attribute != ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK &&
			attribute != ACL_STREAM_ATTR_USER_CUSTOM_TAG)
			return;
	}
	f = finding_begin(c, ev, RULE("capture-overflow-config"), &room);
	if (!f)
		return;
	finding_detail(f, "stream %p is being captured: overflow detection cannot be set or read on it",
		stream_argument(c, ev));
	show(c, ev, f, capture);
}

static void config(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture = NULL;
	struct finding_buffer room;
	struct acl_finding *f;
	unsigned tasks;

	if (!ld(&c->open_captures))
		return;
	if (c->stream_offset[ev->api] >= 0)
		capture = capture_of(c, stream_of(ev));
	if (!capture)
		capture = own_capture(c, ev);
	tasks = capture ? ld(&model_state(capture)->tasks) : 0;
	if (!rule_broken(ev, RULE("capture-config-ineffective"), tasks))
		return;
	f = finding_begin(c, ev, RULE("capture-config-ineffective"), &room);
	if (!f)
		return;
	finding_detail(f, "%u tasks are captured already; the new setting does not apply to them", tasks);
	finding_uint(f, "captured tasks", tasks);
	show(c, ev, f, capture);
}

/* --- waits for nothing ------------------------------------------------------------------------ */

static void wait_unrecorded(struct checks *c, struct acl_event *ev)
{
	struct acl_object *e = event_of(ev), *capture = capture_of(c, stream_of(ev));
	struct finding_buffer room;
	struct acl_finding *f;

	if (!capture || !e || !object_usable(e) || ld(&e->flags) & ACL_OBJECT_LEARNED)
		return;
	if (ld(&event_state(e)->maker) != EVENT_EX || !(ld(&event_state(e)->flags) & ACL_EVENT_SYNC) ||
		ld(&event_state(e)->flags) & (ACL_EVENT_EXTERNAL | ACL_EVENT_IPC) ||
		!rule_broken(ev, RULE("capture-wait-unrecorded-event"), !ld(&event_state(e)->records)))
		return;
	f = finding_begin(c, ev, RULE("capture-wait-unrecorded-event"), &room);
	if (!f)
		return;
	finding_detail(
		f, "the event was never recorded: the wait is dropped, and the model has no edge here");
	finding_object(c, f, "event", e);
	show(c, ev, f, capture);
}

/* --- what goes away under the capture --------------------------------------------------------- */

static void report_torn(struct checks *c, struct acl_event *ev, struct acl_object *capture, const char *what)
{
	struct finding_buffer room;
	struct acl_finding *f;

	if (!rule_broken(ev, RULE("capture-context-torn-down"), capture))
		return;
	atomic_fetch_or(&capture->flags, ACL_OBJECT_REPORTED);
	f = finding_begin(c, ev, RULE("capture-context-torn-down"), &room);
	if (!f)
		return;
	finding_detail(f,
		"%s while one of its streams is being captured (aclmdlRICaptureBegin without "
		"aclmdlRICaptureEnd)",
		what);
	show(c, ev, f, capture);
}

static void reset_torn(struct checks *c, struct acl_event *ev)
{
	int device = device_argument(ev);

	if (judged(ev) && device_reset_is_last(c, ev, device))
		report_torn(c, ev, capture_in(c, NULL, device), "the device goes out of use");
}

static void context_torn(struct checks *c, struct acl_event *ev)
{
	struct acl_object *context =
		object_live(c, ACL_HANDLE_CONTEXT, ACL_ARGS(ev, aclrtDestroyContext)->context);

	if (context)
		report_torn(c, ev, capture_in(c, context, -1), "the context is destroyed");
}

static void finalize_torn(struct checks *c, struct acl_event *ev)
{
	if (ev->api == ACL_API_aclFinalizeReference && ld(&c->init_count) > 1)
		return;
	report_torn(c, ev, capture_in(c, NULL, -1), "the runtime is de-initialised");
}

/* ------------------------------------------------------------------------------------------------ */

static const uint16_t on_default_stream[] = {
	ACL_API_aclrtLaunchCallback,
	ACL_API_aclrtLaunchHostFunc,
	ACL_API_aclrtLaunchKernel,
	ACL_API_aclrtLaunchKernelV2,
	ACL_API_aclrtLaunchKernelWithArgsArray,
	ACL_API_aclrtLaunchKernelWithConfig,
	ACL_API_aclrtLaunchKernelWithHostArgs,
	ACL_API_aclrtLaunchSIMTKernelWithArgsArray,
	ACL_API_aclrtLaunchSIMTKernelWithHostArgs,
	ACL_API_aclrtMemcpy2dAsync,
	ACL_API_aclrtMemcpyAsync,
	ACL_API_aclrtMemcpyAsyncWithCondition,
	ACL_API_aclrtMemcpyBatchAsync,
	ACL_API_aclrtMemcpyBatchAsyncV2,
	ACL_API_aclrtMemcpyFromSymbolAsync,
	ACL_API_aclrtMemcpyToSymbolAsync,
	ACL_API_aclrtMemsetAsync,
	ACL_API_aclrtRecordEvent,
	ACL_API_aclrtRecordEventWithFlag,
	ACL_API_aclrtRecordNotify,
	ACL_API_aclrtReduceAsync,
	ACL_API_aclrtResetEvent,
	ACL_API_aclrtStreamQuery,
	ACL_API_aclrtStreamWaitEvent,
	ACL_API_aclrtStreamWaitEventWithFlag,
	ACL_API_aclrtStreamWaitEventWithTimeout,
	ACL_API_aclrtSynchronizeStream,
	ACL_API_aclrtSynchronizeStreamWithTimeout,
	ACL_API_aclrtWaitAndResetNotify,
};
static const uint16_t of_events[] = {ACL_API_aclrtEventElapsedTime, ACL_API_aclrtEventGetTimestamp,
	ACL_API_aclrtQueryEvent, ACL_API_aclrtQueryEventStatus, ACL_API_aclrtQueryEventWaitStatus,
	ACL_API_aclrtSynchronizeEvent, ACL_API_aclrtSynchronizeEventWithTimeout};
static const uint16_t of_overflow[] = {ACL_API_aclrtGetFloatOverflowStatus, ACL_API_aclrtGetOverflowStatus,
	ACL_API_aclrtNpuClearFloatOverFlowStatus, ACL_API_aclrtNpuGetFloatOverFlowStatus,
	ACL_API_aclrtResetFloatOverflowStatus, ACL_API_aclrtResetOverflowStatus,
	ACL_API_aclrtSetStreamAttribute, ACL_API_aclrtSetStreamOverflowSwitch};

static void capture_calls_bind(void (*add)(void *, unsigned, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		/* The model says which functions the capture mode refuses and which settings come too late.
		 */
		if (acl_apis[api].capture == ACL_CAPTURE_ILLEGAL_GLOBAL_OR_THREAD_LOCAL)
			add(binder, api, ACL_ENTER, sync_memop);
		else if (acl_apis[api].capture == ACL_CAPTURE_CONFIG_INEFFECTIVE)
			add(binder, api, ACL_ENTER, config);
	}
	for (size_t i = 0; i < sizeof(on_default_stream) / sizeof(on_default_stream[0]); i++)
		add(binder, on_default_stream[i], ACL_ENTER | ACL_UNUSUAL, default_stream);
	for (size_t i = 0; i < sizeof(of_events) / sizeof(of_events[0]); i++)
		add(binder, of_events[i], ACL_ENTER, sync_event);
	for (size_t i = 0; i < sizeof(of_overflow) / sizeof(of_overflow[0]); i++)
		add(binder, of_overflow[i], ACL_ENTER, overflow);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclmdlRICaptureBegin, ACL_ENTER, begin_default},
	{ACL_API_aclmdlRICaptureEnd, ACL_ENTER, begin_default},
	{ACL_API_aclmdlRICaptureGetInfo, ACL_ENTER, begin_default},
	{ACL_API_aclmdlRICaptureToModelRIBegin, ACL_ENTER, begin_default},
	{ACL_API_aclrtSynchronizeStream, ACL_ENTER, sync_stream},
	{ACL_API_aclrtSynchronizeStreamWithTimeout, ACL_ENTER, sync_stream},
	{ACL_API_aclrtStreamQuery, ACL_ENTER, sync_stream},
	{ACL_API_aclrtSynchronizeDevice, ACL_ENTER, sync_device},
	{ACL_API_aclrtSynchronizeDeviceWithTimeout, ACL_ENTER, sync_device},
	{ACL_API_aclrtFreeWithDevSync, ACL_ENTER, free_synchronising},
	{ACL_API_aclrtFreeHostWithDevSync, ACL_ENTER, free_synchronising},
	{ACL_API_aclrtQueryDeviceStatus, ACL_ENTER, query_device},
	{ACL_API_aclrtStreamWaitEvent, ACL_ENTER, wait_unrecorded},
	{ACL_API_aclrtStreamWaitEventWithTimeout, ACL_ENTER, wait_unrecorded},
	{ACL_API_aclrtResetDevice, ACL_ENTER, reset_torn},
	{ACL_API_aclrtResetDeviceForce, ACL_ENTER, reset_torn},
	{ACL_API_aclrtDestroyContext, ACL_ENTER, context_torn},
	{ACL_API_aclFinalize, ACL_ENTER, finalize_torn},
	{ACL_API_aclFinalizeReference, ACL_ENTER, finalize_torn},
};

const struct acl_topic topic_capture_calls = {
	.name = "capture calls",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = capture_calls_bind,
};
