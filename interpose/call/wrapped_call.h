/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam between the generated wrappers and the rest of the library: one
 * wrapped call on its way through the three phases.
 */
#ifndef INTERPOSE_WRAPPED_CALL_H
#define INTERPOSE_WRAPPED_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose/call/call_frame.h"
#include "interpose/common/compiler.h"
#include "interpose/common/thread_state.h"
#include "interpose/runtime/function_table.h"

/* What acl_call_begin and acl_call_end are about; call->thread is NULL afterwards, or whose it is. */
void acl_call_enter(struct acl_call *call, unsigned api, void *args, void *caller);
void acl_call_leave(struct acl_call *call);

/*
 * Before the real call: resolves it, fills the event, lets the checker check it.
 * May replace callbacks in args by trampolines.  False = forward plainly and do
 * not call acl_call_end (re-entrant call, or checks are off, or the real
 * function is missing: then acl_real[api] is NULL; or call->answered, which is set then in any case).  errno
 * is as the program left it on return.
 */
static inline __attribute__((always_inline)) bool acl_call_begin(
	struct acl_call *call, unsigned api, void *args, void *caller)
{
	acl_call_enter(call, api, args, caller);
	if (unlikely(!call->thread))
		return false;
	call->thread->frame = call;
	call->thread->busy = NULL;
	return true;
}

/* After the real call, result filled in. Keeps the real call's errno. */
static inline __attribute__((always_inline)) void acl_call_end(struct acl_call *call)
{
	acl_call_leave(call);
	call->thread->busy = call->before.busy;
}

#endif
