/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel is declared to read and write. */
#include "checks/engine/finding_statement.h"
#include "checks/state/binary_state.h"
#include "checks/state/declared_kernel.h"
#include "checks/state/freed_memory.h"
#include "checks/state/memory_state.h"

/* true: there is nothing more to say of the launch. */
static bool access_check(struct checks *c, struct acl_call_record *call, const struct kernel_access *a)
{
	struct block_lookup place;
	struct freed_block b;

	if (memory_find(c, (uintptr_t)a->address, &place)) {
		rule_evaluated(call, RULE("use-after-free"));
		return false;
	}
	if (!freed_find(c, a->address, false, &b) || b.kind == MEM_HOST || b.by_reset ||
		freed_taken_again(c, call, a->address))
		return false;
	return FINDING(c, call, "use-after-free", true,
		PARTS(part_advice(freed_maybe_reused(c)), part_address("address", a->address),
			part_bytes("offset into the block", (uintptr_t)a->address - b.base),
			part_history("memory", freed_history, &b)),
		"The kernel %s memory that was released before.", a->writes ? "writes" : "reads");
}

static void accesses_check(struct checks *c, struct acl_call_record *call)
{
	const struct kernel_accesses *list = kernel_accesses(call);

	for (unsigned i = 0; list && i < list->n; i++)
		if (access_check(c, call, &list->at[i]))
			return;
}

static void declared_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned i = 0; i < kernel_launch_count; i++)
		add(binder, kernel_launches[i], ACL_ENTER, accesses_check);
}

static const struct check_hook hooks[] = {
	{ACL_ANNOTATION_KERNEL, ACL_ENTER, accesses_check},
};

const struct check_module module_declared_accesses = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = declared_bind,
};
