/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are copied to the host, and for which nobody waits. */
#include "checks/engine/finding_report.h"
#include "checks/state/operation.h"
#include "checks/state/stream_state.h"

/* A copy into pageable memory waits by itself. */
static bool brings_result(const struct op_entry *e)
{
	return e->src && e->dst && access_is_host(e->dst) && access_is_device(e->src) &&
	       (e->src->block.block || !e->src->address);
}

static void result_copy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	const struct operation *op;

	if (!s || !call->state.position || call->state.capture)
		return;
	op = operation_of(c, call);
	if (op->direction == ACL_MEMCPY_HOST_TO_DEVICE || op->direction == ACL_MEMCPY_DEVICE_TO_DEVICE)
		return;
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (!brings_result(&e))
			continue;
		rule_evaluated(call, RULE("async-copy-never-synchronized"));
		store_relaxed(&stream_state(s)->to_host, call->state.position);
		return;
	}
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
	struct finding_grade grade = {.severity = -1, .relaxed_to = -1, .site = 1};
	struct acl_object *s, *left[ACL_FINDING_OBJECTS];
	struct finding_buffer room;
	struct acl_finding *f;
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
	if (!n)
		return;
	rule_evaluated_at_end(c, RULE("async-copy-never-synchronized"));
	grade.caller = load_relaxed(&left[0]->last_used.caller);
	f = finding_begin_as(c, NULL, RULE("async-copy-never-synchronized"), grade, &room);
	if (!f)
		return;
	finding_detail(f,
		"%u stream%s copied data to the host, and nothing the program did shows that the copies were "
		"done: whether they failed was never known.",
		n, n == 1 ? "" : "s");
	finding_uint(f, "streams", n);
	for (unsigned i = 0; i < n && i < ACL_FINDING_OBJECTS; i++)
		finding_object(c, f, "stream", left[i]);
	finding_show(c, f);
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
