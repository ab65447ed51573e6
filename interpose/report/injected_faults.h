/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was injected (ACLCHECK_INJECT), place by place, and what is seen of how the program took it: evidence
 * only, in this order of weight.
 */
#ifndef INTERPOSE_INJECTED_FAULTS_H
#define INTERPOSE_INJECTED_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose/common/json_writer.h"

enum fault_noticed {
	FAULT_NO_SIGN,
	FAULT_RETRIED, /* the thread's next call of the function was the same, from the same place */
	FAULT_STOPPED, /* the process ended with another exit code than 0 */
	FAULT_OUTPUT_USED /* a finding says that what the failed call left behind was used */
};

/* Where a call comes from, as marked words (symbolize/call_stack.h). */
struct fault_place {
	uint64_t code; /* what calls the runtime; the line of Python, where that is ctypes */
	uint64_t python; /* the nearest Python code around an extension module, 0 = none */
};

struct injected_fault {
	const char *fault; /* as the user wrote it */
	uint16_t api;
	struct fault_place place;
	int32_t error; /* 0 = only delayed */
	uint64_t delay_ns;
	uint64_t first, times; /* first: which of the calls that the fault speaks of */
	enum fault_noticed noticed; /* of errors only */
};

/* Number of the place, from 1 on; 0: more places than are kept. *is_new: it is its first time. */
unsigned injected_note(
	unsigned rule, unsigned api, const struct fault_place *place, uint64_t nth, bool *is_new);
/* The call that failed there was made once more. */
void injected_called_again(unsigned place);
/* A finding is about the output of a failed call of the function. */
void injected_output_used(unsigned api);
/* The process ends, with this exit code. */
void injected_exit(int status);

/* The i-th place, from 0 on; false: no more. */
bool injected_get(unsigned i, struct injected_fault *out);
/* The members of one, of how the program took it as far as is known. */
void injected_members(struct jout *j, const struct injected_fault *f);
/* As member "injected"; nothing when there are none. */
void injected_json(struct jout *j);

/* In the child after fork: what its parent met is not its own. */
void injected_forked(void);

#endif
