/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that tests of the order of tasks make, and how often the checker saw no order. */
#ifndef TESTS_CHECKS_ORDER_CALLS_H
#define TESTS_CHECKS_ORDER_CALLS_H

#include "fixture.h"

static inline aclrtNotify made_notify(struct fixture *f, unsigned number)
{
	aclrtNotify n = handle(number);

	CALL(f, aclrtCreateNotify, 0, .notify = &n, .flag = ACL_NOTIFY_DEFAULT);
	return n;
}

static inline void record_notify(struct fixture *f, aclrtNotify n, void *on)
{
	CALL(f, aclrtRecordNotify, 0, .notify = n, .stream = on);
}

static inline void await_notify(struct fixture *f, aclrtNotify n, void *on)
{
	CALL(f, aclrtWaitAndResetNotify, 0, .notify = n, .stream = on);
}

/* What is on one stream so far comes before what the other one does from now on. */
static inline void join(struct fixture *f, void *event, void *from, void *to)
{
	CALL(f, aclrtRecordEvent, 0, .event = event, .stream = from);
	CALL(f, aclrtStreamWaitEvent, 0, .stream = to, .event = event);
}

static inline uint64_t evidence_ended(struct fixture *f, enum checks_evidence_end where)
{
	struct checks_totals totals;

	checks_totals(f->checks, &totals);
	return totals.evidence_ends[where];
}

#endif
