/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tool itself costs, for the report: calls are timed now and then,
 * never each of them; the rare works (opening, telling, ending) always; memory
 * is asked of the kernel at the end.
 */
#ifndef INTERPOSE_TOOL_COST_H
#define INTERPOSE_TOOL_COST_H

#include <stddef.h>
#include <stdint.h>

#include "interpose/common/json_writer.h"
#include "interpose/common/thread_state.h"

/* Nanoseconds of a clock that only goes forward; never 0. */
uint64_t cost_now(void);

/* A call that is to be timed, when calls_to_sample has run out: when it began, 0 = not this one. */
uint64_t cost_begin(struct acl_thread *t);
/* What was done before and after the real call, in two parts of time. */
void cost_sample(uint64_t ns);

enum cost_work { COST_OPEN, COST_FINDINGS, COST_FINISH, COST_WORKS };
void cost_work(enum cost_work work, uint64_t began);

/* Member "cost". */
void cost_json(struct jout *j);
/* In the child after fork. */
void cost_forked(void);

#endif
