/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is released, unmapped or unregistered while tasks may still use it. */
#include "checks/engine/evidence.h"
#include "checks/rules/copy/earlier_access.h"
#include "checks/state/device_state.h"
#include "checks/state/launch_words.h"
#include "checks/state/memory_state.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_state.h"

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

/* Its streams are waited for, and with them what they wait for. */
static bool awaited_with(struct checks *c, struct acl_object *context, const struct pending_access *task)
{
	struct acl_object *source = object_of(c, task->stream), *s;

	object_each(c, ACL_HANDLE_STREAM, s)
	{
		if (!object_usable(s) || load_relaxed(&s->context) != object_ref(context))
			continue;
		if (order_unseen(c, s) || (source && order_is_before(source, task->position, s)))
			return true;
	}
	return false;
}

static bool unwaited_report(struct checks *c, struct acl_call_record *call, struct acl_object *context,
	const struct access_question *q, const char *what)
{
	const struct acl_rule *rule = RULE("free-devsync-other-device");
	struct access_conflict x;
	unsigned compared;

	if (access_in_flight(c, q, &x, &compared) && awaited_with(c, context, &x.earlier)) {
		rule_evaluated(call, rule);
		return false;
	}
	return use_in_flight(c, call, rule, q, what);
}

/* Those that wait first wait for the streams of the current context only. */
static void waiting_release_enter(struct checks *c, struct acl_call_record *call, const struct acl_block *b)
{
	int device = device_current(c, thread_of(call));
	struct access_question q = released_range(b, false);
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known);

	if (device < 0 || !known || !context)
		return;
	q.not_device = device;
	if (unwaited_report(c, call, context, &q, "The call waits for the current device only"))
		return;
	q.not_device = -1;
	q.device = device;
	q.not_context = object_ref(context);
	unwaited_report(c, call, context, &q, "The call waits for streams of the current context only");
}

/* From the address on, up to the end of the block. */
static void given_history(struct acl_object_history *h, const void *source)
{
	const struct launch_given *g = source;

	h->handle = ACL_HANDLE_NONE;
	h->kind = "was given an address";
	h->value = g->address;
	h->size = g->end - g->address;
	h->device = -1;
	h->last_used = g->where;
}

/* Where it is not seen: by libraries that submit below the interface, and by what a kernel writes to the
 * host. */
static bool kernels_may_be_awaited(struct checks *c)
{
	bool others = other_submitters_possible(c, CHECKS_OTHER_WORK);

	if (!others && !launches_reach_host(c))
		return false;
	evidence_ends(c, others ? CHECKS_END_OTHER_SUBMITTER : CHECKS_END_KERNEL);
	return true;
}

/* A kernel is given an address to use what is there, but what it does is not seen: a warning. */
static void given_report(
	struct checks *c, struct acl_call_record *call, const struct acl_rule *rule, struct acl_block *b)
{
	struct launch_given g;
	bool unseen;

	/* An address of the host may stand where the runtime puts that of a placeholder's data. */
	if (kind_is_host(load_relaxed(&b->kind)) || !launch_was_given(c, b, &g))
		return;
	unseen = g.stream && kernels_may_be_awaited(c);
	if (g.stream)
		stream_loses(call, g.stream);
	FINDING_OF(c, call, rule, g.stream,
		PARTS(part_history("task in flight", given_history, &g), part_object("its stream", g.stream),
			part_block("memory", b), unseen ? part_advice(true) : part_severity(ACL_SEV_WARNING)),
		"A kernel was given the address 0x%llx in it, and nothing the host did shows that "
		"%s on %s is done. " HOST_EDGE,
		(unsigned long long)g.address, acl_apis[g.where.api].name, STREAM_TEXT(g.stream),
		HOST_EDGE_ARGS(g.stream, g.where.api));
}

static void release_at_once(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	struct acl_block *b, const char *what)
{
	struct access_question q = released_range(b, false);

	if (!use_in_flight(c, call, rule, &q, what))
		given_report(c, call, rule, b);
}

static void memory_release_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;

	if (!b || call->in_exit)
		return;
	if (acl_apis[call->api].mode == ACL_MODE_BLOCKING)
		waiting_release_enter(c, call, b);
	else
		release_at_once(c, call,
			kind_is_host(load_relaxed(&b->kind)) ? RULE("free-host-in-flight")
							     : RULE("free-in-flight"),
			b, "The memory is released at once");
}

/* Reserved addresses are released when nothing is mapped there any more: the unmapping is the moment. */
static void mapping_release_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;

	if (b && !call->in_exit)
		release_at_once(c, call, RULE("vmm-unmap-in-flight"), b, "The memory is unmapped at once");
}

/* Tasks name the registered memory, or the allocation that it lies in. */
static void unregister_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;
	struct access_question q;

	if (!b || call->in_exit)
		return;
	q = released_range(b, true);
	use_in_flight(c, call, RULE("host-unregister-in-flight"), &q, "The memory is unregistered at once");
}

static bool release_in_flight_create(struct checks *c)
{
	accesses_follow_for(c, RULE("free-in-flight"));
	accesses_follow_for(c, RULE("free-host-in-flight"));
	accesses_follow_for(c, RULE("free-devsync-other-device"));
	accesses_follow_for(c, RULE("vmm-unmap-in-flight"));
	accesses_follow_for(c, RULE("host-unregister-in-flight"));
	return true;
}

static const struct check_hook hooks[] = {
	{ON_OP(FREE_DEVICE), ACL_ENTER, memory_release_enter},
	{ON_OP(FREE_HOST), ACL_ENTER, memory_release_enter},
	{ON_OP(UNMAP_MEMORY), ACL_ENTER, mapping_release_enter},
	{ON_OP(UNREGISTER_HOST), ACL_ENTER, unregister_enter},
};

const struct check_module module_release_in_flight = {
	.create = release_in_flight_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
