/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finding in the making: graded by rule table, configuration and target,
 * counted at its site, and sent when it is to be shown.  Checks make theirs with
 * the statement FINDING (finding_statement.h).
 */
#ifndef CHECKS_FINDING_DRAFT_H
#define CHECKS_FINDING_DRAFT_H

#include "checks/engine/call_sites.h"
#include "checks/engine/finding.h"
#include "checks/engine/instance.h"

/* A finding in the making; not on the program's stack, which may be small. */
struct finding_draft {
	struct acl_finding finding; /* first: the rest is found from it */
	char detail[640];
	struct call_site_count site;
	uint64_t caller; /* of its call site */
	struct acl_call_site at; /* of the finding */
	bool collected; /* it waits for the end of the call's phase */
	uint8_t beside; /* enum finding_beside */
	bool formatted; /* else it was not to be shown when it was made */
	bool counted; /* a repeat, see finding_repeats(): it is here for what it is to the others */
};

/*
 * What a finding is to the others of its call.  REASON: it says how the call's primary finding came about,
 * and is dropped when there is none.  CONSEQUENCE: secondary when there is one, else it stands for itself.
 */
enum finding_beside { BESIDE_NOTHING, BESIDE_AS_REASON, BESIDE_AS_CONSEQUENCE };

/* What a check knows beyond the table about severity. */
struct finding_grade {
	int8_t severity; /* as graded here, -1 = by table */
	int16_t relaxed_to; /* enum acl_severity or ACL_RELAXED_OFF for this variant; -1 = by table,
			       NOT_RELAXED */
	bool advice, secondary;
	uint8_t beside; /* enum finding_beside */
	uint64_t site; /* distinguishes findings without a caller (leaks …); 0 = the caller */
	uint64_t caller; /* the place to name when there is no event */
	struct acl_call_site at; /* the same with the function that was called there, where that is known */
	uint64_t cause;
};
#define NOT_RELAXED (-2)
#define GRADE_TABLE ((struct finding_grade){.severity = -1, .relaxed_to = -1})

/*
 * Counts it where that is all there is to do: a place that broke the rule before, between the times that
 * are shown, and no other finding of the phase yet.  It counts as its rule and its caller say.
 */
bool finding_repeats(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule);

/* Counts it.  NULL: there is nothing to show (rule off, call of the runtime itself, a repeat between the
 * shown). */
struct finding_draft *finding_draft_begin(struct checks *c, struct acl_call_record *call,
	const struct acl_rule *rule, struct finding_grade grade);
/* It is filled in. */
void finding_draft_end(struct checks *c, struct finding_draft *d);

void finding_send(struct checks *c, struct acl_finding *f);

#endif
