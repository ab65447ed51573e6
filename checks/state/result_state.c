/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that bring results to the host: the latest one of each stream. */
#include "checks/state/result_state.h"

#include "checks/state/pending_access.h"
#include "checks/state/plain_batch.h"
#include "checks/state/stream_state.h"

struct results {
	_Atomic bool any;
};

bool results_copied(struct checks *c)
{
	return load_relaxed(&((struct results *)module_state(c, result))->any);
}

/* A copy into pageable memory waits by itself. */
static bool brings_result(const struct op_entry *e)
{
	return e->src && e->dst && access_is_host(e->dst) && access_is_device(e->src) &&
	       (e->src->block.block || !e->src->address);
}

static void result_note(struct checks *c, struct acl_call_record *call)
{
	struct results *results = module_state(c, result);
	struct stream_rare *s;

	/* A model brings it when it runs: whoever waits for that knows. */
	if (!task_runs_now(c, call))
		return;
	s = stream_rare_make(c, stream_of(call));
	if (!load_relaxed(&results->any))
		store_relaxed(&results->any, true);
	if (s)
		store_relaxed(&s->to_host, call->state.position);
}

static __attribute__((noinline)) void result_copied(struct checks *c, struct acl_call_record *call)
{
	const struct plain_batch *batch = plain_batch_of(call);
	const struct operation *op;

	if (batch) {
		if (batch->writes.kind == MEM_HOST)
			result_note(c, call);
		return;
	}
	op = operation_of(c, call);
	if (op->direction == ACL_MEMCPY_HOST_TO_DEVICE || op->direction == ACL_MEMCPY_DEVICE_TO_DEVICE)
		return;
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (!brings_result(&e))
			continue;
		result_note(c, call);
		return;
	}
}

/* What the runtime copies for itself it waits for itself. */
static void result_copy_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = thread_of(call)->operation;

	if (call->plain && !op->batch && op->direction == ACL_MEMCPY_HOST_TO_DEVICE)
		return;
	if (stream_of(call) && call->state.position && !call->state.capture && is_checked(call))
		result_copied(c, call);
}

/* Nothing was queued. */
static void result_copy_failed(struct checks *c, struct acl_call_record *call)
{
	struct stream_rare *s = stream_of(call) ? object_rare(stream_of(call)) : NULL;
	uint64_t position = call->state.position;

	(void)c;
	if (s && position)
		atomic_compare_exchange_strong(&s->to_host, &position, 0);
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_ASYNC, result_copy_enter},
	{ON_GROUP(COPY), ACL_FAILED | ACL_IF_ASYNC, result_copy_failed},
};

const struct check_module module_result = {
	.order = 26, /* after the operation is decoded and the stream has its position */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct results),
};
