/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies: how they were made. */
#include "checks/state/notify_state.h"
#include "checks/state/lifecycle.h"

void notify_created(const struct acl_call_record *call, struct acl_object *o)
{
	uint64_t flags = acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS);

	if (acl_apis[call->api].operation == ACL_OP_IMPORT_NOTIFY)
		atomic_fetch_or(&notify_state(o)->flags, NOTIFY_IMPORTED);
	else if (flags & ACL_NOTIFY_DEVICE_USE_ONLY)
		atomic_fetch_or(&notify_state(o)->flags, NOTIFY_NUMBERED);
}
