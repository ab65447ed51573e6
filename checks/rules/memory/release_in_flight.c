/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is released, unmapped or unregistered while tasks may still use it. */
#include "checks/rules/copy/earlier_access.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/order_state.h"
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

static void memory_release_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;
	struct access_question q;

	if (!b || call->in_exit)
		return;
	q = released_range(b, false);
	if (acl_apis[call->api].mode == ACL_MODE_BLOCKING)
		waiting_release_enter(c, call, b);
	else if (kind_is_host(load_relaxed(&b->kind)))
		use_in_flight(c, call, RULE("free-host-in-flight"), &q, "The memory is released at once");
	else
		use_in_flight(c, call, RULE("free-in-flight"), &q, "The memory is released at once");
}

/* Reserved addresses are released when nothing is mapped there any more: the unmapping is the moment. */
static void mapping_release_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;
	struct access_question q;

	if (!b || call->in_exit)
		return;
	q = released_range(b, false);
	use_in_flight(c, call, RULE("vmm-unmap-in-flight"), &q, "The memory is unmapped at once");
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
