/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that touch memory at once, in the caller, while tasks that are not done
 * use it: synchronous copies and sets wait for no stream, and a set of host
 * memory is never queued.
 */
#include "checks/rules/copy/earlier_access.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_state.h"

/* Whether a task in flight touches what the access touches, and the rule's finding about it. */
static bool use_report(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct op_access *a, const char *what)
{
	struct access_question q;
	struct access_conflict x;
	struct acl_object *stream;
	bool compared, found;

	if (!a || !a->block.block || !a->span || a->span > access_room(a))
		return false;
	q = access_question_of(a);
	found = access_in_flight(c, &q, &x, &compared);
	if (compared)
		rule_evaluated(call, rule);
	stream = found ? object_of(c, x.earlier.stream) : NULL;
	if (!stream)
		return false;
	return FINDING_OF(c, call, rule, true,
		PARTS(part_history("task in flight", earlier_history, &x), part_object("its stream", stream),
			part_block("memory", x.block), part_advice(order_may_be_unseen(c, stream, NULL))),
		"%s, and %s on stream 0x%llx is not known to be done: " BOTH_TOUCH ". " HOST_EDGE, what,
		acl_apis[x.earlier.api].name, (unsigned long long)load_relaxed(&stream->value),
		BOTH_TOUCH_ARGS(&x), HOST_EDGE_ARGS(stream, x.earlier.api));
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

	if (!stream_of(call) || call->state.capture || load_relaxed(&c->run_mode) == ACL_DEVICE)
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

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_NOT_ASYNC, use_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_IF_NOT_ASYNC, use_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_IF_ASYNC, host_set_enter},
};

const struct check_module module_unsynchronised_use = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
