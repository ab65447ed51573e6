/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that may block for ever. */
#ifndef CHECKS_BLOCKING_CALL_H
#define CHECKS_BLOCKING_CALL_H

#include "checks/engine/instance.h"

/*
 * What this thread does not do no other does: no other has ever called the runtime, none is there that could
 * begin to, and no callback is in flight.
 */
bool nobody_else_can_act(struct checks *c);
/* The same of threads alone: callbacks of the runtime do not count. */
bool no_other_thread(struct checks *c);
/* It waits in a circle that a finding has named. */
bool stream_in_known_circle(struct checks *c, struct acl_object *stream);

/* What has a timeout may be meant to fail: its result says. */
static inline bool waits_for_ever(const struct acl_call_record *call)
{
	return !acl_arg_has(call->api, ACL_ROLE_TIMEOUT) ||
	       (int32_t)acl_arg_value(call->api, call->args, ACL_ROLE_TIMEOUT) < 0;
}

#endif
