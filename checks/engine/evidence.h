/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where evidence ends: what happens there is not seen, so rules are silent about what comes behind it, or
 * give advice only.  Counted for the report.
 */
#ifndef CHECKS_EVIDENCE_H
#define CHECKS_EVIDENCE_H

#include "checks/engine/instance.h"

/* Beside what the call does: cold. */
static inline void evidence_ends(struct checks *c, enum checks_evidence_end where)
{
	counter_inc(&c->evidence_ends[where]);
}

#endif
