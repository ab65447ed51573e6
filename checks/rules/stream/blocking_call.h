/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that may block for ever. */
#ifndef CHECKS_BLOCKING_CALL_H
#define CHECKS_BLOCKING_CALL_H

#include "checks/engine/instance.h"

/* Only one thread of the process has ever called the runtime: what this one does not do no other does. */
static inline bool one_thread_only(struct checks *c)
{
	return load_relaxed(&c->n_threads) < 2;
}

/* What has a timeout may be meant to fail: its result says. */
static inline bool waits_for_ever(const struct acl_call_record *call)
{
	return !acl_arg_has(call->api, ACL_ROLE_TIMEOUT) ||
	       (int32_t)acl_arg_value(call->api, call->args, ACL_ROLE_TIMEOUT) < 0;
}

#endif
