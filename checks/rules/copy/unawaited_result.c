/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are copied to the host, and for which nobody waits. */
#include "checks/engine/finding_statement.h"
#include "checks/state/operation.h"
#include "checks/state/stream_state.h"

/* A copy into pageable memory waits by itself. */
static bool brings_result(const struct op_entry *e)
{
	return e->src && e->dst && access_is_host(e->dst) && access_is_device(e->src) &&
	       (e->src->block.block || !e->src->address);
}

static __attribute__((noinline)) void result_copied(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	if (op->direction == ACL_MEMCPY_HOST_TO_DEVICE || op->direction == ACL_MEMCPY_DEVICE_TO_DEVICE)
		return;
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (!brings_result(&e))
			continue;
		rule_evaluated(call, RULE("async-copy-never-synchronized"));
		store_relaxed(&stream_state(stream_of(call))->to_host, call->state.position);
		return;
	}
}

static void result_copy_enter(struct checks *c, struct acl_call_record *call)
{
	if (call->plain && thread_of(call)->operation->direction != ACL_MEMCPY_DEVICE_TO_HOST)
		return;
	if (stream_of(call) && call->state.position && !call->state.capture)
		result_copied(c, call);
}

/* Nothing was queued. */
static void failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t position = call->state.position;

	(void)c;
	if (s && position)
		atomic_compare_exchange_strong(&stream_state(s)->to_host, &position, 0);
}

static bool waits(struct checks *c, struct acl_object *s)
{
	uint64_t position = load_relaxed(&stream_state(s)->to_host);

	if (!position || !object_usable(s) ||
		load_relaxed(&s->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED) ||
		!stream_pending(s, position) || load_relaxed(&stream_state(s)->suspect))
		return false;
	/* A callback behind the copy may have told the program. */
	return !load_relaxed(&c->callbacks_ran) || load_relaxed(&stream_state(s)->callback) < position;
}

static void result_finish(struct checks *c, enum checks_end kind)
{
	struct acl_object *s, *left[ACL_FINDING_OBJECTS] = {NULL};
	unsigned n = 0;

	if (kind != CHECKS_END_EXIT)
		return;
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		if (!waits(c, s))
			continue;
		if (n < ACL_FINDING_OBJECTS)
			left[n] = s;
		n++;
	}
	if (n)
		FINDING(c, NULL, "async-copy-never-synchronized", true,
			PARTS(part_site(1), part_caller(load_relaxed(&left[0]->last_used.caller)),
				part_uint("streams", n), part_object("stream", left[0]),
				part_object("stream", left[1]), part_object("stream", left[2]),
				part_object("stream", left[3])),
			"%u stream%s copied data to the host, and nothing the program did shows that the "
			"copies were done: whether they failed was never known.",
			n, n == 1 ? "" : "s");
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_ASYNC, result_copy_enter},
	{ON_GROUP(COPY), ACL_FAILED | ACL_IF_ASYNC, failed},
};

const struct check_module module_result = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.finish = result_finish,
};
