/* SPDX-License-Identifier: Apache-2.0 */
/* One wrapped call between its enter and its leave; on the wrapper's stack. */
#ifndef INTERPOSE_CALL_FRAME_H
#define INTERPOSE_CALL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "checks/engine/call_record.h"
#include "interpose/report/last_calls.h"

struct acl_thread;

/* Wrappers set event.result and leave the rest alone. */
struct acl_call {
	struct acl_call_record event;
	struct acl_thread *thread; /* on which it was entered; NULL = it goes through unseen */
	struct {
		struct acl_call *frame; /* the enclosing call, for nesting */
		const void *busy; /* as it is to be afterwards */
	} before; /* of the thread */
	union {
		struct {
			bool usual; /* entered the short way: the checker has a record of its thread */
			bool checked, traced, swapped; /* who saw the enter and shall see the leave */
			bool no_room; /* on a stack of the tool's */
			bool counted; /* a report wants it among the last calls */
			bool special; /* ACL_STATE_SPECIAL */
			bool timed; /* counted, and one of those that are timed */
		};
		uint64_t seen_by; /* all of them */
	};
	struct last_call last; /* counted: its entry */
	uint64_t cost; /* timed: nanoseconds before the real one */
	bool answered; /* it is not forwarded: event.result is what the program gets */
	bool callback_recorded; /* by a model */
	void *callback; /* record of a launched callback */
	void *callback_data; /* the program's own, as long as ours stand in the arguments */
	void (*callback_fn)(void);
};

#endif
