/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/state/used_memory.h"

/* Cache operations name what they are done to: the model has no reading and writing of theirs. */
static bool function_uses_memory(unsigned api, enum memory_use use)
{
	const struct acl_access_list *list = &acl_access_lists[api];
	unsigned how = use == MEMORY_WRITTEN ? ACL_ACCESS_WRITE : ACL_ACCESS_READWRITE;

	for (unsigned i = list->first; i < list->host; i++)
		if (access_extent_is_known(&acl_accesses[i]) && acl_accesses[i].access & how)
			return true;
	return task_ranges_possible(api) ||
	       (use == MEMORY_USED && acl_apis[api].operation_group == ACL_OP_GROUP_CACHE);
}

void used_memory_bind(void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder,
	enum memory_use use, unsigned phase, check_hook_fn fn)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (function_uses_memory(api, use))
			add(binder, api, phase, fn);
}

void used_memory_begin(struct checks *c, struct acl_call_record *call, struct used_memory *m)
{
	m->op = operation_of(c, call);
	m->side = m->range = 0;
	m->ranges = task_ranges_possible(call->api) ? task_ranges(c, call, m->at) : 0;
}

const struct op_access *used_memory_next(struct checks *c, struct used_memory *m)
{
	while (m->side < 2 * m->op->n_entries) {
		struct op_entry e = operation_entry(m->op, m->side / 2);
		const struct op_access *a = m->side++ & 1 ? e.src : e.dst;

		if (a)
			return a;
	}
	if (m->range == m->ranges)
		return NULL;
	access_of_range(c, m->op, &m->access, &m->at[m->range++]);
	return &m->access;
}
