/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls fail, or take longer, because the user asked for it (interpose/common/fault_rules.h). */
#ifndef INTERPOSE_FAULT_INJECTION_H
#define INTERPOSE_FAULT_INJECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "checks/engine/call_record.h"
#include "interpose/common/thread_state.h"

struct fault {
	int32_t error; /* 0 = the call is forwarded */
	uint64_t delay_ns; /* before that */
};

/* Once, before functions are asked about; nothing is injected where a setting is wrong. */
void faults_begin(void);
/* Calls of the function may be changed: it is to be seen whatever else is wanted. */
bool fault_possible(unsigned api);

/* What happens to this call of the program. Counts it. */
struct fault fault_of(struct acl_thread *t, struct acl_call_record *call);
/* As long as the time is not over: no cancellation, and handlers of signals run meanwhile. */
void fault_wait(uint64_t ns);

#endif
