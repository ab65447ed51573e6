/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that touch memory at once, in the caller, while tasks that are not done
 * use it: synchronous copies and sets wait for no stream, and a set of host
 * memory is never queued.
 */
#include "checks/rules/copy/earlier_access.h"
#include "checks/state/task_range.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_state.h"

static bool use_report(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct op_access *a, const char *what)
{
	struct access_question q;

	if (!a || !a->span || !access_question_of(c, call, a, &q))
		return false;
	q.flags = ACCESS_ANY_USE;
	return use_in_flight(c, call, rule, &q, what);
}

static void use_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (use_report(c, call, RULE("async-result-used-before-sync"), e.src,
			    "The call reads at once and waits for no stream") ||
			use_report(c, call, RULE("async-result-used-before-sync"), e.dst,
				"The call writes at once and waits for no stream"))
			return;
	}
}

/* What is queued for the device is the concern of streams; this is done by the host. */
static void host_set_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (!stream_of(call) || runs_on_device(c))
		return;
	if (call->state.capture && !call_sets_host_words(c, call))
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (e.dst && access_is_host(e.dst) &&
			use_report(c, call, RULE("memset-async-host-unordered"), e.dst,
				"A set of host memory is done at once, by the calling thread"))
			return;
	}
}

/* The device reads a descriptor when the task runs. */
static void describe_enter(struct checks *c, struct acl_call_record *call)
{
	struct task_range r[TASK_RANGES];
	unsigned n = task_ranges(c, call, r);

	for (unsigned i = 0; i < n; i++) {
		struct access_question q = {.start = (uintptr_t)r[i].at,
			.end = (uintptr_t)r[i].at + r[i].bytes,
			.writes = true,
			.device = -1,
			.not_device = -1,
			.flags = ACCESS_DESCRIBES};

		use_in_flight(
			c, call, RULE("desc-modified-in-flight"), &q, "The descriptor is written at once");
	}
}

static bool unsynchronised_use_create(struct checks *c)
{
	accesses_follow_for(c, RULE("async-result-used-before-sync"));
	accesses_follow_for(c, RULE("memset-async-host-unordered"));
	accesses_follow_for(c, RULE("desc-modified-in-flight"));
	return true;
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_NOT_ASYNC, use_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_IF_NOT_ASYNC, use_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_IF_ASYNC, host_set_enter},
	{ON_GROUP(DESCRIBE), ACL_ENTER, describe_enter},
};

const struct check_module module_unsynchronised_use = {
	.create = unsynchronised_use_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
