/* SPDX-License-Identifier: Apache-2.0 */
/* One wrapped call between its enter and its leave; on the wrapper's stack. */
#ifndef INTERPOSE_CALL_FRAME_H
#define INTERPOSE_CALL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "checks/engine/call_record.h"

/* Wrappers set event.result and leave the rest alone. */
struct acl_call {
	struct acl_call_record event;
	struct acl_call *frame; /* the thread's enclosing call, for nesting */
	union {
		struct {
			bool checked, traced, swapped; /* who saw the enter and shall see the leave */
			bool no_room; /* on a stack of the tool's */
			bool counted; /* a report wants it among the last calls */
			bool special; /* ACL_STATE_SPECIAL */
		};
		uint64_t seen_by; /* all of them */
	};
	uint64_t cost; /* counted calls: nanoseconds before the real one, 0 = not timed */
	bool callback_recorded; /* by a model */
	uint64_t number; /* of the entry among the last calls */
	void *callback; /* record of a launched callback */
	void *callback_data; /* the program's own, as long as ours stand in the arguments */
	void (*callback_fn)(void);
};

#endif
