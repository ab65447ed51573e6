/* SPDX-License-Identifier: Apache-2.0 */
/* The failure mode of streams: set once, and what follows a failure when it says stop. */
#include "checks/rules/stream/stream_failure_mode.h"
#include "checks/engine/finding_statement.h"
#include "checks/engine/plain_format.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/binding_state.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

struct failure_modes {
	struct value_table
		mode; /* acl_ref of a stream -> 1 + mode, FAILED once a synchronise found an error */
	struct value_table
		contexts; /* acl_ref of a context -> acl_ref of a stream in it that failed and stops */
	_Atomic bool any_failed;
};

#define FAILED UINT64_C(0x100)

static struct failure_modes *modes(struct checks *c)
{
	return module_state(c, failure_mode);
}

static uint64_t mode_of(struct checks *c, struct acl_object *s)
{
	uint64_t now = 0;

	if (s)
		value_table_get(&modes(c)->mode, object_ref(s), &now);
	return now;
}

static bool asked_mode(struct checks *c, const struct acl_call_record *call, uint64_t *mode)
{
	aclrtStreamAttrValue value;

	if (acl_arg_has(call->api, ACL_ROLE_MODE)) {
		*mode = acl_arg_value(call->api, call->args, ACL_ROLE_MODE);
		return true;
	}
	if (acl_arg_value(call->api, call->args, ACL_ROLE_ATTRIBUTE) != ACL_STREAM_ATTR_FAILURE_MODE ||
		!program_read(
			c, acl_arg_pointer(call->api, call->args, ACL_ROLE_VALUE), &value, sizeof(value)))
		return false;
	*mode = value.failureMode;
	return true;
}

/* The default stream by the handle that was asked for; NULL is a constraint of the model. */
static void check_default_handle(struct checks *c, struct acl_call_record *call, struct acl_object *s)
{
	const struct acl_rule *rule = RULE("stream-failure-mode-default-stream");

	if (function_demands(c, call->api, rule) && acl_arg_pointer(call->api, call->args, ACL_ROLE_STREAM))
		FINDING_OF(c, call, rule, load_relaxed(&s->flags) & ACL_OBJECT_DEFAULT,
			PARTS(part_object("stream", s)),
			"This is the default stream: it belongs to its context.");
}

static void failure_mode_set_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t mode, now = mode_of(c, s) & (FAILED - 1);
	struct acl_object *model = binding_of(c, s);
	char text[96];

	if (!s || !asked_mode(c, call, &mode))
		return;
	check_default_handle(c, call, s);
	/* The same value again is taken without a word. */
	FINDING(c, call, "stream-failure-mode-repeat", model || (now && now != 1 + mode),
		PARTS(part_uint("mode", mode), part_object("stream", s)), "%s",
		model ? "The stream is bound to a model: its failure mode cannot be set any more."
		      : plain_print(text, sizeof(text),
				"The failure mode of this stream was set to %llu before; it can be "
				"set once.",
				(unsigned long long)now - 1));
}

static void failure_mode_set_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t mode;

	/* To set it again does not take the failure back. */
	if (s && succeeded(call) && asked_mode(c, call, &mode) && mode <= ACL_STOP_ON_FAILURE)
		value_table_set_object(c, &modes(c)->mode, s, (mode_of(c, s) & FAILED) | (1 + mode));
}

/* Errors of the device that a stop-on-failure stream does not get over. */
static bool device_error(int32_t error)
{
	switch (error) {
	case ACL_ERROR_RT_END_OF_SEQUENCE:
	case ACL_ERROR_RT_MODEL_ABORT_NORMAL:
	case ACL_ERROR_RT_SOCKET_CLOSE:
	case ACL_ERROR_RT_STREAM_SYNC_TIMEOUT:
		return false;
	}
	return error >= 507000 && error < 508000;
}

bool stream_stops_on_failure(struct checks *c, struct acl_object *s)
{
	return (mode_of(c, s) & (FAILED - 1)) == 1 + ACL_STOP_ON_FAILURE;
}

/* A stream of the context that stops on failure: but for Ascend 950 all streams beside it stop, too. */
static struct acl_object *stopping_in(struct checks *c, acl_ref context)
{
	struct acl_object *s;

	if (!context || soc_is(c, "950"))
		return NULL;
	object_each(c, ACL_HANDLE_STREAM, s) if (object_usable(s) && load_relaxed(&s->context) == context &&
						 stream_stops_on_failure(c, s)) return s;
	return NULL;
}

static void context_stops(struct checks *c, acl_ref context, struct acl_object *failed)
{
	if (failed && stopping_in(c, context))
		value_table_set_of(c, &modes(c)->contexts, context, context, object_ref(failed));
	else if (!failed || !stream_stops_on_failure(c, failed))
		return;
	checks_when(c, WHEN_STREAM_FAILED);
	store_relaxed(&modes(c)->any_failed, true);
}

static void stream_failed(struct checks *c, struct acl_object *s)
{
	if (stream_stops_on_failure(c, s))
		value_table_set_object(c, &modes(c)->mode, s, (1 + ACL_STOP_ON_FAILURE) | FAILED);
	context_stops(c, load_relaxed(&s->context), s);
}

static void failure_mode_synchronised(struct checks *c, struct acl_call_record *call)
{
	if (stream_of(call) && device_error(error_of(call)))
		stream_failed(c, stream_of(call));
}

static void failure_mode_event_synchronised(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = call->state.observed;

	if (s && device_error(error_of(call)))
		stream_failed(c, s);
}

/* Which stream failed is not said: the one that stops stands for all. */
static void failure_mode_device_synchronised(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *context;
	bool known;

	if (!device_error(error_of(call)))
		return;
	context = context_current(c, thread_of(call), &known);
	if (context)
		context_stops(c, object_ref(context), stopping_in(c, object_ref(context)));
}

static void failed_stream_submit(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *failed, *stopping = NULL;
	bool own;

	if (__builtin_expect(!load_relaxed(&modes(c)->any_failed), 1) || !s)
		return;
	own = mode_of(c, s) & FAILED;
	failed = own ? NULL : object_of(c, value_table_value(&modes(c)->contexts, load_relaxed(&s->context)));
	if (failed && object_usable(failed))
		stopping = stopping_in(c, load_relaxed(&s->context));
	FINDING(c, call, "stop-on-failure-then-submit", own || stopping,
		PARTS(part_object("stream", s),
			part_object("stream that stops", stopping != s ? stopping : NULL)),
		"%s",
		own ? "The stream stops on failure and a synchronise has found one: it takes no more tasks."
		    : "A stream of its context stops on failure and a synchronise has found one: the streams "
		      "of the context take no more tasks.");
}

static const struct check_hook hooks[] = {
	{ON_ROLE(STREAM), ACL_ENTER | ACL_IF_ASYNC | ACL_WHEN(STREAM_FAILED), failed_stream_submit},
	{ON_OP(SYNCHRONISE_STREAM), ACL_LEAVE, failure_mode_synchronised},
	{ON_OP(SYNCHRONISE_EVENT), ACL_LEAVE, failure_mode_event_synchronised},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_LEAVE, failure_mode_device_synchronised},
	{ON_OP(CONFIGURE_STREAM_FAILURE_MODE), ACL_ENTER, failure_mode_set_enter},
	{ON_OP(CONFIGURE_STREAM_FAILURE_MODE), ACL_LEAVE, failure_mode_set_leave},
	{ON_OP(CONFIGURE_STREAM_ATTRIBUTE), ACL_ENTER, failure_mode_set_enter},
	{ON_OP(CONFIGURE_STREAM_ATTRIBUTE), ACL_LEAVE, failure_mode_set_leave},
};

const struct check_module module_failure_mode = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct failure_modes),
};
