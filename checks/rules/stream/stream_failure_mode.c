/* SPDX-License-Identifier: Apache-2.0 */
/* The failure mode of streams: set once, and what follows a failure when it says stop. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/plain_format.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/binding_state.h"
#include "checks/state/stream_state.h"

struct failure_modes {
	struct value_table
		mode; /* acl_ref of a stream -> 1 + mode, FAILED once a synchronise found an error */
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

static void failure_mode_set_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t mode, now = mode_of(c, s) & (FAILED - 1);
	struct acl_object *model = binding_of(c, s);
	char text[96];

	/* The same value again is taken without a word. */
	if (s && asked_mode(c, call, &mode))
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

	if (s && succeeded(call) && asked_mode(c, call, &mode) && mode <= ACL_STOP_ON_FAILURE)
		value_table_set_object(c, &modes(c)->mode, s, 1 + mode);
}

/* Errors of the device that a stop-on-failure stream does not get over. */
static bool device_error(int32_t error)
{
	switch (error) {
	case 507005: /* end of sequence, normal end of a model, closed socket, time is over */
	case 507023:
	case 507901:
	case 507046:
		return false;
	}
	return error >= 507000 && error < 508000;
}

static void failure_mode_synchronised(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (!s || !device_error(error_of(call)) || mode_of(c, s) != 1 + ACL_STOP_ON_FAILURE)
		return;
	value_table_set_object(c, &modes(c)->mode, s, (1 + ACL_STOP_ON_FAILURE) | FAILED);
	checks_when(c, WHEN_STREAM_FAILED);
	store_relaxed(&modes(c)->any_failed, true);
}

static void failed_stream_submit(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (__builtin_expect(!load_relaxed(&modes(c)->any_failed), 1) || !s)
		return;
	FINDING(c, call, "stop-on-failure-then-submit", mode_of(c, s) & FAILED,
		PARTS(part_object("stream", s)),
		"The stream stops on failure and a synchronise has found one: it takes no more tasks.");
}

static const struct check_hook hooks[] = {
	{ON_ROLE(STREAM), ACL_ENTER | ACL_IF_ASYNC | ACL_WHEN(STREAM_FAILED), failed_stream_submit},
	{ON_OP(SYNCHRONISE_STREAM), ACL_LEAVE, failure_mode_synchronised},
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
