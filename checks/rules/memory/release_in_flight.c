/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is released, unmapped or unregistered while tasks may still use it. */
#include "checks/rules/copy/earlier_access.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_access.h"

/* All that is done to so many bytes. */
static struct access_question whole_range(const struct acl_block *block, uint64_t base, uint64_t size)
{
	return (struct access_question){.block = block,
		.start = base,
		.end = base + size,
		.writes = true,
		.device = -1,
		.not_device = -1};
}

static struct access_question released_range(const struct acl_block *b, bool any_block)
{
	return whole_range(any_block ? NULL : b, load_relaxed(&((struct acl_block *)b)->base),
		load_relaxed(&((struct acl_block *)b)->size));
}

static void in_flight_report(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct access_question *q)
{
	struct access_conflict x;
	bool compared, found = access_in_flight(c, q, &x, &compared);
	struct acl_object *stream = found ? object_of(c, x.earlier.stream) : NULL;

	if (compared)
		rule_evaluated(call, rule);
	if (!stream)
		return;
	FINDING_OF(c, call, rule, true,
		PARTS(part_history("task in flight", earlier_history, &x), part_object("its stream", stream),
			part_block("memory", x.block), part_advice(order_may_be_unseen(c, stream, NULL))),
		"%s on stream 0x%llx uses this memory, and nothing the host did shows that it is "
		"done. " HOST_EDGE,
		acl_apis[x.earlier.api].name, (unsigned long long)load_relaxed(&stream->value),
		HOST_EDGE_ARGS(stream, x.earlier.api));
}

/* Those that wait first wait for the streams of the current context only. */
static void other_device_report(struct checks *c, struct acl_call_record *call, const struct acl_block *b)
{
	int device = device_current(c, thread_of(call));
	struct access_question q = released_range(b, false);

	q.not_device = device;
	if (device >= 0)
		in_flight_report(c, call, RULE("free-devsync-other-device"), &q);
}

static void memory_release_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;
	struct access_question q;

	if (!b || call->in_exit)
		return;
	q = released_range(b, false);
	if (acl_apis[call->api].mode == ACL_MODE_BLOCKING)
		other_device_report(c, call, b);
	else if (kind_is_host(load_relaxed(&b->kind)))
		in_flight_report(c, call, RULE("free-host-in-flight"), &q);
	else
		in_flight_report(c, call, RULE("free-in-flight"), &q);
}

/* Reserved addresses are released when nothing is mapped there any more: the unmapping is the moment. */
static void mapping_release_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;
	struct access_question q;

	if (!b || call->in_exit)
		return;
	q = released_range(b, false);
	in_flight_report(c, call, RULE("vmm-unmap-in-flight"), &q);
}

/* Tasks name the registered memory, or the allocation that it lies in. */
static void unregister_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;
	struct access_question q;

	if (!b || call->in_exit)
		return;
	q = released_range(b, true);
	in_flight_report(c, call, RULE("host-unregister-in-flight"), &q);
}

static const struct check_hook hooks[] = {
	{ON_OP(FREE_DEVICE), ACL_ENTER, memory_release_enter},
	{ON_OP(FREE_HOST), ACL_ENTER, memory_release_enter},
	{ON_OP(UNMAP_MEMORY), ACL_ENTER, mapping_release_enter},
	{ON_OP(UNREGISTER_HOST), ACL_ENTER, unregister_enter},
};

const struct check_module module_release_in_flight = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
