/* SPDX-License-Identifier: Apache-2.0 */
/* What may not be called while a stream is being captured. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/plain_format.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/init_state.h"
#include "checks/state/event_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"
#include "checks/state/stream_state.h"

static const char *const mode_names[] = {"GLOBAL", "THREAD_LOCAL", "RELAXED", "no"};

/* The handle of a default stream, or NULL, which means it. */
static bool is_default(struct checks *c, const struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	return !stream_argument(c, call) || (s && load_relaxed(&s->flags) & ACL_OBJECT_DEFAULT);
}

static struct finding_part mode_part(struct acl_object *capture)
{
	return capture ? part_enum("capture mode", "aclmdlRICaptureMode",
				 load_relaxed(&model_state(capture)->mode))
		       : part_none();
}

/* Parts, after the others: the call's stream and the capture; capture may be NULL. */
#define CAPTURE_PARTS(c, call, capture)                                                                      \
	part_object("stream", stream_concerned(call)),                                                       \
		part_object("captured stream", capture_origin(c, capture)), part_object("capture", capture), \
		mode_part(capture)

/* --- begin and end on a default stream ------------------------------------------- */

static void capture_null_stream(struct checks *c, struct acl_call_record *call)
{
	const void *stream = stream_argument(c, call);

	FINDING(c, call, "capture-begin-null-stream", !stream,
		PARTS(part_address("stream", stream), CAPTURE_PARTS(c, call, NULL)),
		"The stream is NULL, which means the default stream.");
}

/* Whether it is captured may be asked of any stream that has a handle. */
static void capture_default_stream(struct checks *c, struct acl_call_record *call)
{
	const void *stream = stream_argument(c, call);

	capture_null_stream(c, call);
	FINDING(c, call, "capture-begin-default-stream", stream && is_default(c, call),
		PARTS(part_address("stream", stream), CAPTURE_PARTS(c, call, NULL)),
		"Stream %p is the default stream of the context.", stream);
}

/* --- synchronise and query --------------------------------------------------------- */

/* Rules about captures are evaluated only while there is one. */
static void captured_stream_look(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture;

	if (!captures_open(c))
		return;
	capture = stream_argument(c, call) ? capture_of(c, stream_of(call)) : NULL;
	FINDING(c, call, "capture-sync-stream", capture,
		PARTS(part_uint("tasks recorded", load_relaxed(&model_state(capture)->tasks)),
			CAPTURE_PARTS(c, call, capture)),
		"Stream %p is being captured: what it is given is recorded and does not run, so there is "
		"nothing to wait for.",
		stream_argument(c, call));
}

static __attribute__((noinline)) void captured_event_check(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *capture;

	/* Of two events either counts. */
	if (acl_arg_has(call->api, ACL_ROLE_START_EVENT) && !event_capture(c, e))
		e = object_find(
			c, ACL_HANDLE_EVENT, acl_arg_pointer(call->api, call->args, ACL_ROLE_START_EVENT));
	capture = event_capture(c, e);
	FINDING(c, call, "capture-sync-event", capture,
		PARTS(part_object("event", e), CAPTURE_PARTS(c, call, capture)),
		"The event 0x%llx was recorded on a stream that is being captured and belongs to the capture "
		"until it ends.",
		(unsigned long long)load_relaxed(&e->value));
}

/* Mostly there is no capture: saves no registers. */
static void captured_event_look(struct checks *c, struct acl_call_record *call)
{
	if (captures_open(c))
		captured_event_check(c, call);
}

static struct acl_object *capture_here(struct checks *c, struct acl_call_record *call)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known);

	return context ? capture_in(c, context, -1) : NULL;
}

static void capture_device_synchronise(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture;

	if (!captures_open(c))
		return;
	capture = capture_here(c, call);
	FINDING(c, call, "capture-sync-device", capture, PARTS(CAPTURE_PARTS(c, call, capture)),
		"A stream of the current context is being captured; waiting for the context would wait for "
		"tasks that do not run.");
}

static void capture_free_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture;

	/* The others free without waiting. */
	if (acl_apis[call->api].mode != ACL_MODE_BLOCKING || !captures_open(c))
		return;
	capture = call->callback_depth ? NULL : capture_here(c, call);
	FINDING(c, call, "capture-free-with-dev-sync", capture,
		PARTS(part_address("address", acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS)),
			CAPTURE_PARTS(c, call, capture)),
		"%s synchronises the device before it frees, and a stream of the current context is being "
		"captured: the memory is not freed",
		acl_apis[call->api].name);
}

static void capture_device_query(struct checks *c, struct acl_call_record *call)
{
	int device = ACL_ARGS(call, aclrtQueryDeviceStatus)->deviceId;
	struct acl_object *capture;

	if (!captures_open(c))
		return;
	capture = capture_by_thread(c, call);
	FINDING(c, call, "capture-query-device", capture && load_relaxed(&capture->device) == device,
		PARTS(CAPTURE_PARTS(c, call, capture)), "This thread is capturing a stream of device %d.",
		device);
}

/* --- default stream while capturing -------------------------------------------------- */

static bool captured_event_on_default(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture;

	if (c->event_offset[call->api] < 0)
		return false;
	capture = event_capture(c, event_of(call));
	/* A record does not take the stream into the capture. */
	return FINDING(c, call, "capture-event-default-stream",
		capture && acl_apis[call->api].operation != ACL_OP_RECORD_EVENT,
		PARTS(part_object("event", event_of(call)), CAPTURE_PARTS(c, call, capture)),
		"The event belongs to a capture in progress, and waiting for it would pull the default "
		"stream into the capture.");
}

static void default_stream_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture;

	if (!captures_open(c) || !is_default(c, call) || captured_event_on_default(c, call))
		return;
	capture = capture_by_thread(c, call);
	FINDING(c, call, "capture-default-stream-op", capture, PARTS(CAPTURE_PARTS(c, call, capture)),
		"This thread is capturing %s; work on the default stream runs now and does not "
		"become part of the model.",
		STREAM_TEXT(capture_origin(c, capture)));
}

/* --- modes -------------------------------------------------------------------------------- */

static bool argument_is_zero(const struct acl_call_record *call, enum acl_role role)
{
	return acl_arg_has(call->api, role) && !acl_arg_value(call->api, call->args, role);
}

/* The runtime returns before it looks at modes. */
static bool memory_unchanged(const struct acl_call_record *call)
{
	const void *dst = acl_arg_pointer(call->api, call->args, ACL_ROLE_DST),
		   *src = acl_arg_pointer(call->api, call->args, ACL_ROLE_SRC);

	return argument_is_zero(call, ACL_ROLE_BYTES) || argument_is_zero(call, ACL_ROLE_WIDTH) ||
	       argument_is_zero(call, ACL_ROLE_HEIGHT) || (dst && dst == src);
}

/* Pageable memory that is copied from or to the device. */
static const struct op_access *pageable_side(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (access_is_device(e.dst))
			access_classify(c, call, e.src);
		if (access_is_device(e.src))
			access_classify(c, call, e.dst);
		if (e.src->location == ACCESS_PAGEABLE || e.dst->location == ACCESS_PAGEABLE)
			return e.src->location == ACCESS_PAGEABLE ? e.src : e.dst;
	}
	return NULL;
}

static const struct acl_rule *memop_rule(
	const struct acl_call_record *call, unsigned thread, unsigned exchange)
{
	switch (acl_apis[call->api].operation) {
	case ACL_OP_COPY_BATCH:
	case ACL_OP_SET_WORDS:
		return RULE("capture-unsafe-unchecked-memop");
	}
	return thread == MODE_NONE && exchange == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
		       ? RULE("capture-unsafe-other-thread-global")
		       : RULE("capture-unsafe-sync-memop");
}

/* On host memory setting words is a plain fill. */
static bool fills_host(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup place;

	return acl_apis[call->api].operation == ACL_OP_SET_WORDS &&
	       (!lookup_find(c, call, acl_arg_pointer(call->api, call->args, ACL_ROLE_DST), 0, &place) ||
		       kind_is_host(place.kind));
}

static void capture_memory_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	unsigned of_thread = capture_mode_of_thread(t), exchange = load_relaxed(&t->exchange), of_context;
	struct acl_object *context;
	char own[40];
	bool known;

	if (!captures_open(c) || memory_unchanged(call))
		return;
	context = context_current(c, t, &known);
	of_context = capture_mode_of_context(context);
	FINDING_OF(c, call, memop_rule(call, of_thread, exchange),
		capture_mode_forbids(of_context, of_thread, exchange) && !fills_host(c, call),
		PARTS(part_enum("exchange mode", "aclmdlRICaptureMode", exchange),
			CAPTURE_PARTS(c, call, capture_in(c, context, -1))),
		"A %s capture is open in the current context, this thread began %s capture, and its "
		"exchange mode is %s%s.",
		mode_names[of_context], of_thread == MODE_NONE ? "no" : "one of a", mode_names[exchange],
		of_thread == MODE_NONE
			? ""
			: plain_print(own, sizeof(own), " (its own: %s)", mode_names[of_thread]));
}

/* A copy of pageable memory on a stream that is not captured: the runtime waits for the stream and copies at
 * once. */
static void capture_pageable_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *context = s && object_usable(s) ? context_of(c, s) : NULL;
	unsigned of_context, of_thread = capture_mode_of_thread(thread_of(call)),
			     exchange = load_relaxed(&thread_of(call)->exchange);
	const struct op_access *side;

	if (!captures_open(c) || call->state.capture || !context ||
		load_relaxed(&stream_state(s)->capture_unsure))
		return;
	side = pageable_side(c, call);
	of_context = capture_mode_of_context(context);
	if (!side || of_context == MODE_NONE)
		return;
	FINDING(c, call, "capture-pageable-async-blocked",
		capture_mode_forbids(of_context, of_thread, exchange),
		PARTS(part_address(side->name, side->address),
			part_enum("exchange mode", "aclmdlRICaptureMode", exchange),
			CAPTURE_PARTS(c, call, capture_in(c, context, -1))),
		"%s is pageable memory, which is copied synchronously, and a %s capture is open in the "
		"context "
		"(exchange mode %s).",
		side->name, mode_names[of_context], mode_names[exchange]);
}

/* --- configuration -------------------------------------------------------------------------- */

/* The call is about overflow detection, or about an attribute that goes with it. */
static bool concerns_overflow(const struct acl_call_record *call)
{
	uint64_t attribute = acl_arg_value(call->api, call->args, ACL_ROLE_ATTRIBUTE);

	return !acl_arg_has(call->api, ACL_ROLE_ATTRIBUTE) ||
	       attribute == ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK ||
	       attribute == ACL_STREAM_ATTR_USER_CUSTOM_TAG;
}

static void capture_overflow_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture;

	if (!captures_open(c))
		return;
	capture = capture_of(c, stream_of(call));
	FINDING(c, call, "capture-overflow-config", capture && concerns_overflow(call),
		PARTS(CAPTURE_PARTS(c, call, capture)),
		"Stream %p is being captured: overflow detection cannot be set or read on it.",
		stream_argument(c, call));
}

static void capture_config_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture = NULL;
	unsigned tasks;

	if (!captures_open(c))
		return;
	if (c->stream_offset[call->api] >= 0)
		capture = capture_of(c, stream_of(call));
	if (!capture && acl_arg_has(call->api, ACL_ROLE_DEVICE))
		capture = capture_in(c, NULL, (int32_t)acl_arg_value(call->api, call->args, ACL_ROLE_DEVICE));
	if (!capture)
		capture = capture_by_thread(c, call);
	tasks = capture ? load_relaxed(&model_state(capture)->tasks) : 0;
	FINDING(c, call, "capture-config-ineffective", tasks,
		PARTS(part_uint("captured tasks", tasks), CAPTURE_PARTS(c, call, capture)),
		"%u tasks are captured already; the new setting does not apply to them", tasks);
}

/* --- waits for nothing ------------------------------------------------------------------------ */

static void capture_wait_unrecorded(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *capture = capture_of(c, stream_of(call));
	uint32_t flags;

	if (!capture || event_flag_external(call) || !e || !object_usable(e))
		return;
	flags = load_relaxed(&event_state(e)->flags);
	if (load_relaxed(&event_marks(e)->maker) != EVENT_EX || !(flags & ACL_EVENT_SYNC) ||
		flags & (ACL_EVENT_EXTERNAL | ACL_EVENT_IPC))
		return;
	FINDING(c, call, "capture-wait-unrecorded-event", !load_relaxed(&event_state(e)->records),
		PARTS(part_object("event", e), CAPTURE_PARTS(c, call, capture)),
		"The event was never recorded: the wait is dropped, and the model has no edge here.");
}

/* --- what goes away under the capture --------------------------------------------------------- */

static void check_torn_down(
	struct checks *c, struct acl_call_record *call, struct acl_object *capture, const char *what)
{
	if (FINDING(c, call, "capture-context-torn-down", capture, PARTS(CAPTURE_PARTS(c, call, capture)),
		    "%s while one of its streams is being captured (aclmdlRICaptureBegin without "
		    "aclmdlRICaptureEnd)",
		    what))
		object_reported(capture);
}

static void capture_device_reset(struct checks *c, struct acl_call_record *call)
{
	int device = device_argument(call);

	if (is_checked(call) && device_reset_is_last(c, call, device))
		check_torn_down(c, call, capture_in(c, NULL, device), "the device goes out of use");
}

static void capture_context_destroy(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *context =
		object_live(c, ACL_HANDLE_CONTEXT, ACL_ARGS(call, aclrtDestroyContext)->context);

	if (context)
		check_torn_down(c, call, capture_in(c, context, -1), "the context is destroyed");
}

static void capture_finalize(struct checks *c, struct acl_call_record *call)
{
	if (finalize_is_last(c, call))
		check_torn_down(c, call, capture_in(c, NULL, -1), "the runtime is de-initialised");
}

/* ------------------------------------------------------------------------------------------------ */

/* What would be captured on another stream; the task of a condition is refused for reasons of its own. */
static bool would_be_captured(unsigned api)
{
	return acl_apis[api].capture == ACL_CAPTURE_CAPTURED && acl_arg_has(api, ACL_ROLE_STREAM) &&
	       acl_apis[api].operation != ACL_OP_LAUNCH_CONDITION;
}

static void capture_calls_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		/* The model says which functions the capture mode refuses and which settings come too late.
		 */
		if (acl_apis[api].capture == ACL_CAPTURE_ILLEGAL_GLOBAL_OR_THREAD_LOCAL)
			add(binder, api, ACL_ENTER, capture_memory_enter);
		else if (acl_apis[api].capture == ACL_CAPTURE_CONFIG_INEFFECTIVE)
			add(binder, api, ACL_ENTER, capture_config_enter);
		if (would_be_captured(api))
			add(binder, api, ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL,
				default_stream_enter);
	}
}

static const struct check_hook hooks[] = {
	{ON_OP(CAPTURE_BEGIN), ACL_ENTER, capture_default_stream},
	{ON_OP(CAPTURE_END), ACL_ENTER, capture_default_stream},
	{ON_OP(CAPTURE_STATUS), ACL_ENTER, capture_null_stream},
	{ON_OP(QUERY_STREAM), ACL_ENTER, captured_stream_look},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, captured_stream_look},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_ENTER, capture_device_synchronise},
	{ON_OP(FREE_DEVICE), ACL_ENTER | ACL_WHEN(CAPTURES), capture_free_enter},
	{ON_OP(FREE_HOST), ACL_ENTER | ACL_WHEN(CAPTURES), capture_free_enter},
	{ON_OP(QUERY_DEVICE), ACL_ENTER, capture_device_query},
	{ON_OP(WAIT_EVENT), ACL_ENTER | ACL_IF_SPECIAL, capture_wait_unrecorded},
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_UNLESS_PLAIN | ACL_IF_ASYNC,
		capture_pageable_enter},
	{ON_OP(QUERY_STREAM), ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, default_stream_enter},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, default_stream_enter},
	{ON_OP(INFO_EVENT_ELAPSED_TIME), ACL_ENTER | ACL_WHEN(CAPTURES), captured_event_look},
	{ON_OP(INFO_EVENT_TIMESTAMP), ACL_ENTER | ACL_WHEN(CAPTURES), captured_event_look},
	{ON_OP(QUERY_EVENT), ACL_ENTER | ACL_WHEN(CAPTURES), captured_event_look},
	{ON_OP(QUERY_EVENT_WAIT), ACL_ENTER | ACL_WHEN(CAPTURES), captured_event_look},
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER | ACL_WHEN(CAPTURES), captured_event_look},
	{ON_GROUP(OVERFLOW), ACL_ENTER, capture_overflow_enter},
	{ON_OP(CONFIGURE_STREAM_ATTRIBUTE), ACL_ENTER, capture_overflow_enter},
	{ON_OP(CONFIGURE_STREAM_OVERFLOW), ACL_ENTER, capture_overflow_enter},
	{ON_OP(DEVICE_RESET), ACL_ENTER, capture_device_reset},
	{ON_OP(DESTROY_CONTEXT), ACL_ENTER, capture_context_destroy},
	{ON_OP(PROCESS_FINALIZE), ACL_ENTER, capture_finalize},
};

const struct check_module module_capture_calls = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = capture_calls_bind,
};
