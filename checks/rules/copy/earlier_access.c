/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that are not done yet, as findings show them. */
#include "checks/rules/copy/earlier_access.h"
#include "checks/state/stream_state.h"

void earlier_history(struct acl_object_history *h, const void *source)
{
	const struct pending_access *a = &((const struct access_conflict *)source)->earlier;

	h->handle = ACL_HANDLE_NONE;
	h->kind = a->flags & ACCESS_SETS        ? "sets memory"
		  : a->flags & ACCESS_DESCRIBES ? "reads a descriptor"
		  : !(a->flags & ACCESS_WRITES) ? "reads memory"
		  : a->flags & ACCESS_READS     ? "reads and writes memory"
						: "writes memory";
	h->value = a->start;
	h->size = a->end - a->start;
	h->device = -1;
	h->last_used = (struct acl_call_site){.tid = a->tid, .caller = a->caller, .api = a->api};
}

static bool kernel_in_flight(struct acl_object *stream)
{
	return load_relaxed(&stream_state(stream)->kernel) > load_acquire(&stream_state(stream)->completed);
}

bool order_may_be_unseen(struct checks *c, struct acl_object *earlier, struct acl_object *later)
{
	return kernel_in_flight(earlier) || (later && kernel_in_flight(later)) ||
	       other_submitters_possible(c, CHECKS_OTHER_WORK);
}
