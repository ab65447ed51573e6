/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run the host functions of a stream (aclrtSubscribeHostFunc). */
#include "checks/rules/stream/host_function_thread.h"
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/stream_state.h"

static struct value_table *threads(struct checks *c)
{
	return module_state(c, host_function); /* acl_ref of a stream -> its thread */
}

uint64_t host_function_thread_of(struct checks *c, struct acl_object *stream)
{
	return value_table_value(threads(c), object_ref(stream));
}

static void subscribing(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t now;

	if (!s || !object_usable(s))
		return;
	now = host_function_thread_of(c, s);
	FINDING(c, call, "hostfunc-subscribe-misuse", now,
		PARTS(part_uint("its thread", now), part_object("stream", s)),
		"The stream has a thread for its host functions already.");
}

static void subscribed(struct checks *c, struct acl_call_record *call)
{
	if (stream_of(call) && succeeded(call))
		value_table_set_object(c, threads(c), stream_of(call),
			ACL_ARGS(call, aclrtSubscribeHostFunc)->hostFuncThreadId);
}

static void unsubscribed(struct checks *c, struct acl_call_record *call)
{
	if (stream_of(call) && succeeded(call))
		value_table_set_object(c, threads(c), stream_of(call), 0);
}

static const struct check_hook hooks[] = {
	{ON_OP(CALLBACK_SUBSCRIBE_HOST_FUNCTION), ACL_ENTER, subscribing},
	{ON_OP(CALLBACK_SUBSCRIBE_HOST_FUNCTION), ACL_LEAVE, subscribed},
	{ON_OP(CALLBACK_UNSUBSCRIBE_HOST_FUNCTION), ACL_LEAVE, unsubscribed},
};

const struct check_module module_host_function = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct value_table),
};
