/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings of one phase of a call are collected and settled at its end, so
 * that the rule table decides which rules speak, and not the order in which
 * modules run: a rule that yields is dropped beside one that does not, or that
 * yields to fewer.  Only what stays is counted and sent.
 */
#ifndef CHECKS_FINDING_COLLECT_H
#define CHECKS_FINDING_COLLECT_H

#include "checks/engine/finding_draft.h"

/* call.state.finding while the finding of this phase has no serial number yet. */
#define FINDING_PENDING UINT64_MAX

/* Whether the rule has a finding of this phase already, or would come after too many: it yields to them. */
bool finding_superfluous(const struct acl_call_record *call, const struct acl_rule *rule);
/* Whether there is room for one more finding of the call; else it is sent at once. */
bool finding_can_collect(struct checks *c, const struct acl_call_record *call);
/* That room, NULL = none. */
struct finding_draft *finding_collect(struct checks *c, struct acl_call_record *call);
/* It is filled in but for what is shown only; whether that may be wanted. */
bool finding_collected(struct acl_call_record *call, struct finding_draft *b);

/* Whether one of the call's findings may be sent; if not, they are counted and that is all. */
bool findings_may_show(const struct acl_call_record *call);
void findings_settle(struct checks *c, struct acl_call_record *call);

#endif
