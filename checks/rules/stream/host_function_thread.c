/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run the host functions of a stream (aclrtSubscribeHostFunc). */
#include "checks/rules/stream/host_function_thread.h"
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/stream_state.h"
#include "checks/state/init_state.h"

struct host_functions {
	struct value_table threads; /* acl_ref of a stream -> its thread */
	struct value_table named; /* thread id -> 1: of a stream, now or before */
	struct value_table
		refused; /* pthread id -> where its first aclrtProcessHostFunc was that was refused */
};

static struct host_functions *host_functions(struct checks *c)
{
	return module_state(c, host_function);
}

uint64_t host_function_thread_of(struct checks *c, struct acl_object *stream)
{
	return value_table_value(&host_functions(c)->threads, object_ref(stream));
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
	uint64_t thread = ACL_ARGS(call, aclrtSubscribeHostFunc)->hostFuncThreadId;

	if (!succeeded(call))
		return;
	value_table_set(c, &host_functions(c)->named, thread, 1);
	if (stream_of(call))
		value_table_set_object(c, &host_functions(c)->threads, stream_of(call), thread);
}

static void unsubscribed(struct checks *c, struct acl_call_record *call)
{
	if (!stream_of(call) || !succeeded(call))
		return;
	rule_evaluated(call, RULE("unsubscribe-not-subscribed"));
	value_table_set_object(c, &host_functions(c)->threads, stream_of(call), 0);
}

/* What is subscribed below us only the runtime knows: its answer decides. */
static void unsubscribe_refused(struct checks *c, struct acl_call_record *call)
{
	uint64_t thread = ACL_ARGS(call, aclrtUnSubscribeHostFunc)->hostFuncThreadId, now;
	struct acl_object *s = stream_of(call);

	if (!s || !object_usable(s) || !is_checked(call))
		return;
	now = host_function_thread_of(c, s);
	FINDING(c, call, "unsubscribe-not-subscribed",
		now != thread && (error_of(call) == ACL_ERROR_RT_STREAM_SUBSCRIBE ||
					 error_of(call) == ACL_ERROR_RT_THREAD_SUBSCRIBE),
		PARTS(part_handle("thread", thread), part_object("stream", s)), "%s",
		now ? "Another thread is subscribed for the stream."
		    : "The stream has no thread for its callbacks.");
}

static void processed(struct checks *c, struct acl_call_record *call)
{
	struct value_table *refused = &host_functions(c)->refused;

	if (is_checked(call) && error_of(call) == ACL_ERROR_RT_THREAD_SUBSCRIBE &&
		!value_table_value(refused, call->pthread_id))
		value_table_set(c, refused, call->pthread_id, call_site_where(call));
}

/* A loop may begin before its thread is subscribed: only the end shows that it never was. */
static void host_functions_finish(struct checks *c, enum checks_end kind)
{
	struct host_functions *h = host_functions(c);
	uint64_t thread, where;
	uint32_t at = 0;

	if (!end_is_whole(c, kind))
		return;
	while (value_table_next(&h->refused, &at, &thread, &where))
		FINDING_OF(c, NULL, RULE("processreport-not-subscribed"),
			!value_table_value(&h->named, thread),
			PARTS(part_site(thread), part_where(where), part_handle("thread", thread)),
			"Thread 0x%llx called aclrtProcessHostFunc, and no aclrtSubscribeHostFunc ever named "
			"its pthread id.",
			(unsigned long long)thread);
}

/* Threads of the parent: in the child they do not run. */
static void host_functions_forked(struct checks *c)
{
	value_table_clear(&host_functions(c)->refused);
}

static const struct check_hook hooks[] = {
	{ON_OP(CALLBACK_SUBSCRIBE_HOST_FUNCTION), ACL_ENTER, subscribing},
	{ON_OP(CALLBACK_SUBSCRIBE_HOST_FUNCTION), ACL_LEAVE, subscribed},
	{ON_OP(CALLBACK_UNSUBSCRIBE_HOST_FUNCTION), ACL_LEAVE, unsubscribed},
	{ON_OP(CALLBACK_UNSUBSCRIBE_HOST_FUNCTION), ACL_FAILED, unsubscribe_refused},
	{ON_OP(CALLBACK_PROCESS_HOST_FUNCTION), ACL_LEAVE, processed},
};

const struct check_module module_host_function = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct host_functions),
	.finish = host_functions_finish,
	.forked = host_functions_forked,
};
