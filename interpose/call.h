/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam between the generated wrappers and the rest of the library: one
 * wrapped call on its way through the three phases.
 */
#ifndef INTERPOSE_CALL_H
#define INTERPOSE_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "checks/event.h"

#define ACL_EXPORT __attribute__((visibility("default")))

/* Per function: 0 = nothing wants to see it, forward at once. Bits: */
enum acl_call_state {
	ACL_STATE_UNRESOLVED = 1u << 0, /* the real function was not found (yet) */
	ACL_STATE_CHECK = 1u << 1,
	ACL_STATE_TRACE = 1u << 2,
	ACL_STATE_CALLBACK = 1u << 3, /* callback.c has a part in it */
	ACL_STATE_FIRST = 1u << 4, /* no rule needs it: seen once, so that the run counts as observed */
	ACL_STATE_COUNT = 1u << 5, /* a report wants the number of calls */
	ACL_STATE_FORESEE = 1u << 6 /* the checks look far for its arguments */
};

/* Hidden: read without the GOT, two loads and a jump when nothing is to be done. */
extern uint32_t acl_state[ACL_API_COUNT] __attribute__((visibility("hidden")));
extern void (*acl_real[ACL_API_COUNT])(void) __attribute__((visibility("hidden")));

/* Wrappers set event.result and leave the rest alone. */
struct acl_call {
	struct acl_event event;
	struct acl_call *frame; /* the thread's enclosing call, for nesting */
	bool checked, traced, swapped; /* who saw the enter and shall see the leave */
	bool counted; /* a report wants it among the last calls */
	uint64_t cost; /* counted calls: nanoseconds before the real one, 0 = not timed */
	bool callback_captured;
	uint64_t number; /* of the entry among the last calls */
	void *callback; /* record of a launched callback */
	void *callback_data; /* the program's own, as long as ours stand in the arguments */
	void (*callback_fn)(void);
};

/*
 * Before the real call: resolves it, fills the event, lets the checker judge.
 * May replace callbacks in args by trampolines.  False = forward plainly and do
 * not call acl_call_leave (re-entrant call, or checks are off, or the real
 * function is missing: then acl_real[api] is NULL).  errno is as the program
 * left it on return.
 */
bool acl_call_enter(struct acl_call *call, unsigned api, void *args, void *caller);

/* After the real call, result filled in. Keeps the real call's errno. */
void acl_call_leave(struct acl_call *call);

#endif
