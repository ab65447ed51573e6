/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/rules/copy/memory_owner.h"

#include "checks/engine/finding_statement.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/stream_state.h"

int task_device(struct checks *c, const struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	return s && object_usable(s) ? load_relaxed(&s->device) : device_current(c, thread_of(call));
}

/* Device that memory was allocated on, -1 = not known; mapped memory may be open to others. */
static int owner_of(const struct block_lookup *place)
{
	return place->block && (place->kind == MEM_DEVICE || place->kind == MEM_POOL)
		       ? load_relaxed(&place->block->device)
		       : -1;
}

/* With peer access the address can be reached all the same; libraries enable it where it is not seen. */
static bool reachable(struct checks *c, int device, int owner)
{
	struct acl_device *d = device_at(c, device);

	return peers_unknown(c) || !d || load_relaxed(&d->peers) >> (owner % ACL_DEVICES) & 1 ||
	       other_submitters_possible(c, CHECKS_OTHER_WORK);
}

void memory_owner_check(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const char *name, const void *address, const struct block_lookup *place, int device)
{
	int owner = owner_of(place);

	if (owner < 0 || device < 0)
		return;
	FINDING_OF(c, call, rule, owner != device,
		PARTS(reachable(c, device, owner) ? part_severity(ACL_SEV_WARNING) : part_none(),
			part_address(name, address), part_int("device of the memory", owner),
			part_int("device of the task", device), part_block("memory", place->block)),
		"%s is memory of device %d, and device %d works on it.", name, owner, device);
}
