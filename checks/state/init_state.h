/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the runtime is initialised, how often, and by whom. */
#ifndef CHECKS_INIT_STATE_H
#define CHECKS_INIT_STATE_H

#include "checks/engine/instance.h"
#include "checks/state/init_state.h"

struct init_state {
	_Atomic int32_t count; /* as 8.5 and later do: a repeated aclInit answers 100002 and counts */
	_Atomic uint32_t module; /* of the first one */
	_Atomic bool ended; /* finalized, and not initialised again */
	_Atomic bool forked; /* of a process that was initialised, and not again since */
	struct call_site_slot first;
};

static inline struct init_state *init_state(struct checks *c)
{
	return module_state(c, init);
}

static inline int32_t init_count(struct checks *c)
{
	return load_relaxed(&init_state(c)->count);
}

static inline bool runtime_ended(struct checks *c)
{
	return load_relaxed(&init_state(c)->ended);
}

/*
 * Whether the program did all that it ever will when the process ends, so that what is missing was forgotten.
 * _exit and quick_exit leave work undone, which is what they are for; but not behind the end of the runtime.
 */
static inline bool end_is_whole(struct checks *c, enum checks_end kind)
{
	return kind == CHECKS_END_EXIT || (kind == CHECKS_END_QUICK && runtime_ended(c));
}

/* Of the leave of an aclInit, behind this module's: a forked child took nothing over from its parent. */
bool init_began_anew(const struct acl_call_record *call);

/* The module that a call comes from, 0 = unknown. */
static inline uint32_t calling_module(struct checks *c, const struct acl_call_record *call)
{
	return call->module     ? call->module
	       : c->host.module ? c->host.module(c->host.context, call->caller)
				: 0;
}

/* Whether a finalize ends the runtime: the one that says how many are left counts. Of its enter. */
static inline bool finalize_is_last(struct checks *c, const struct acl_call_record *call)
{
	return !acl_arg_has(call->api, ACL_ROLE_NUMBER) || init_count(c) <= 1;
}

/* The same of an enter where something is there to be ended, as far as was seen. */
static inline bool finalize_ends_runtime(struct checks *c, const struct acl_call_record *call)
{
	return init_count(c) > 0 && finalize_is_last(c, call);
}

#endif
