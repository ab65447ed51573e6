/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of calls that are recorded: which call of another thread was last at an object before.  Times cannot tell,
 * they are taken after the checks.  Within a thread the call numbers do.
 */
#include "checks/engine/instance.h"

static void order_at(struct checks *c, struct acl_call_record *call, struct acl_object *o, uint64_t mark)
{
	struct object_rare *r = o ? object_rare_make(c, o) : NULL;
	uint64_t before = r ? atomic_exchange_explicit(&r->last_call, mark, memory_order_acq_rel) : 0;

	if (before && acl_mark_tid(before) != call->tid && call->n_after < ACL_CALL_AFTER)
		call->after[call->n_after++] = before;
}

/* Of a thread's first call the context is not known yet; at the end of a call its stream is. */
static struct acl_object *order_default_stream(struct checks *c, struct acl_call_record *call, bool end)
{
	if (!end) {
		call->state.stream = NULL;
		if (call->thread)
			c->rare.default_stream(c, call);
	}
	return call->state.stream;
}

static struct acl_object *object_named(
	struct checks *c, struct acl_call_record *call, const struct call_handle *h, bool end)
{
	const void *value;

	memcpy(&value, (const char *)call->args + h->offset, sizeof(value));
	if (value)
		return object_in(h->objects, value);
	return h->kind == ACL_HANDLE_STREAM ? order_default_stream(c, call, end) : NULL;
}

void checks_order(struct checks *c, struct acl_call_record *call, bool end)
{
	const struct call_plan *plan = plan_of(c, call->api);
	uint64_t mark = acl_mark(call->tid, call->number, end);

	/* What its begin came after stands there: the end comes after that. */
	call->n_after = 0;
	for (unsigned i = 0; i < plan->n_handles; i++)
		order_at(c, call, object_named(c, call, &plan->handles[i], end), mark);
}
