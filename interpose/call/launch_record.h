/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of launched callbacks: what the runtime holds in place of the
 * program's user data until the callback has run.
 *
 * A record belongs to its launch, and is over when that has run; or to the model
 * that recorded the launch, and is over with the model.  Records are type-stable,
 * and one that is over keeps its content for a thousand more: a runtime that
 * runs it late, or a second time, still finds the right function.
 */
#ifndef INTERPOSE_LAUNCH_RECORD_H
#define INTERPOSE_LAUNCH_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

#include "checks/checks.h"

typedef uint64_t (*callback_fn)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

struct launch {
	_Atomic uint32_t next; /* in the list it stands in */
	uint32_t index;
	_Atomic uint32_t state; /* launch_record.c */
	uint32_t api;
	callback_fn fn;
	void *user_data;
	uint64_t caller; /* of the launching call */
	uint64_t model; /* checks_task_model(): whose it is, CHECKS_RUNS_ONCE */
	struct checks_callback_place place;
	uint64_t mark; /* acl_mark() of the launching call, 1 = it is not recorded */
};

/* NULL: no more of them. */
struct launch *launch_new(void);

/* The runtime took it: it runs with its model. Nothing to say of one that runs once. */
void launch_recorded(struct launch *l);
/* The runtime did not take it. */
void launch_refused(struct launch *l);
/* It runs now. */
void launch_runs(struct launch *l);

#endif
