/* SPDX-License-Identifier: Apache-2.0 */
/* How findings speak of a task that is not done yet, and of the order that is missing: in one place for all
 * rules. */
#ifndef CHECKS_EARLIER_ACCESS_H
#define CHECKS_EARLIER_ACCESS_H

#include "checks/engine/finding_statement.h"
#include "checks/state/pending_access.h"

/* The earlier access as a part of a finding: what it does, where in memory, and where it was issued. source:
 * a struct access_conflict. */
void earlier_history(struct acl_object_history *h, const void *source);

/* The task of a model that does it, where the call executes one. */
struct finding_part part_captured(const struct access_conflict *x);

/* "2 bytes from 0x… on": the first range that both touch. */
#define BOTH_TOUCH "both touch %llu bytes at 0x%llx"
#define BOTH_TOUCH_ARGS(x) (unsigned long long)((x)->end - (x)->start), (unsigned long long)(x)->start

/* The earlier task is one of a model whose kernel has its arguments there. */
static inline bool earlier_reads_arguments(const struct access_conflict *x)
{
	return access_reads_arguments(&x->earlier, x->captured_earlier.api);
}

/* Which of the two writes, in words. */
const char *who_writes(const struct access_conflict *x);

/* The missing edge from one stream to another; earlier and later are streams, api the earlier function. */
#define STREAM_EDGE "Record an event on %s after the %s there and let %s wait for it before this call."
#define STREAM_EDGE_ARGS(earlier, api, later) STREAM_TEXT(earlier), acl_apis[api].name, STREAM_TEXT(later)

/* The missing edge from a stream to the host. */
#define HOST_EDGE "Synchronise %s, or an event recorded there after the %s, before this call."
#define HOST_EDGE_ARGS(earlier, api) STREAM_TEXT(earlier), acl_apis[api].name

/*
 * Whether the order may come from what the checker does not see: work submitted below the interface, kernels
 * whose effects are not known. Then it is advice, and counted as such: once a finding. earlier and later:
 * their streams, NULL = none.
 */
bool order_may_be_unseen(struct checks *c, struct acl_object *earlier, struct acl_object *later);

/* The same of a task whose end the host must know: only kernels that come with it or behind it may show that.
 */
bool end_may_be_unseen(struct checks *c, struct acl_object *stream, uint64_t position);

/*
 * Whether a task in flight uses what is asked for, and the finding of the rule; or of the rules about
 * descriptors and about memory of pools, where that is what the task uses. what: the call, as a sentence.
 */
bool use_in_flight(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct access_question *q, const char *what);

#endif
