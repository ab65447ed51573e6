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
#include "interpose/runtime/function_table.h"

/*
 * Before the real call: resolves it, fills the event, lets the checker check it.
 * May replace callbacks in args by trampolines.  False = forward plainly and do
 * not call acl_call_leave (re-entrant call, or checks are off, or the real
 * function is missing: then acl_real[api] is NULL).  errno is as the program
 * left it on return.
 */
bool acl_call_enter(struct acl_call *call, unsigned api, void *args, void *caller);

/* After the real call, result filled in. Keeps the real call's errno. */
void acl_call_leave(struct acl_call *call);

#endif
