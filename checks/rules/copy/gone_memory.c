/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/rules/copy/gone_memory.h"
#include "checks/engine/finding_statement.h"
#include "checks/state/freed_memory.h"
#include "checks/state/memory_state.h"

void gone_memory_evaluated(struct acl_call_record *call, unsigned kind)
{
	rule_evaluated(call, RULE("use-after-device-reset"));
	rule_evaluated(call, kind == MEM_POOL ? RULE("pool-use-after-async-free") : RULE("use-after-free"));
}

bool gone_memory_overlaid(struct checks *c, const void *address)
{
	struct block_lookup now;
	struct freed_block b;

	return freed_find(c, address, false, &b) && memory_behind(c, (uintptr_t)address, &now) &&
	       b.base < now.base + now.size;
}

bool gone_memory_used(struct checks *c, struct acl_call_record *call, const char *name, const char *role,
	const void *address)
{
	struct freed_block b;

	/* libc may have mapped a host range again. */
	if (!freed_find(c, address, false, &b) || freed_taken_again(c, call, address) ||
		(b.kind == MEM_HOST && !freed_is_unmapped(c, address) && !freed_is_kept(c, address, &b)))
		return false;
	gone_memory_evaluated(call, b.kind);
	FINDING_BROKEN(c, call,
		b.by_reset           ? RULE("use-after-device-reset")
		: b.kind == MEM_POOL ? RULE("pool-use-after-async-free")
				     : RULE("use-after-free"),
		PARTS(part_advice(freed_maybe_reused(c)),
			b.kind == MEM_HOST ? part_severity(ACL_SEV_WARNING) : part_none(),
			b.by_reset ? part_late(call) : part_none(), part_address(name, address),
			part_bytes("offset into the block", (uintptr_t)address - b.base),
			part_history(role, freed_history, &b)),
		"%s lies in memory that %s.", name,
		b.by_reset ? "went with its device at the reset" : "was released before");
	return true;
}
