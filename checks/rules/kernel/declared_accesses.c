/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel is declared to read and write. */
#include "checks/rules/copy/gone_memory.h"
#include "checks/state/binary_state.h"
#include "checks/state/declared_kernel.h"
#include "checks/state/memory_state.h"

/* True when it is reported: there is nothing more to say of the launch then. */
static bool access_check(struct checks *c, struct acl_call_record *call, const struct kernel_access *a)
{
	struct block_lookup place;

	if (memory_find(c, (uintptr_t)a->address, &place)) {
		gone_memory_evaluated(call, place.kind);
		return false;
	}
	return gone_memory_used(c, call, a->writes ? "What the kernel writes" : "What the kernel reads",
		"memory", a->address);
}

static void accesses_check(struct checks *c, struct acl_call_record *call)
{
	const struct kernel_accesses *list = kernel_accesses(call);

	for (unsigned i = 0; list && i < list->n; i++)
		if (access_check(c, call, &list->at[i]))
			return;
}

static const struct check_hook hooks[] = {
	{ACL_ANNOTATION_KERNEL, ACL_ENTER, accesses_check},
	{ON_OP(LAUNCH_KERNEL), ACL_ENTER | ACL_WHEN(DECLARED), accesses_check},
};

const struct check_module module_declared_accesses = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
