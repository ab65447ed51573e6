/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the program's calls reached us, and by which way; and which modules
 * hold the runtime's own addresses, so that their calls pass us by.
 */
#ifndef INTERPOSE_CALL_COVERAGE_H
#define INTERPOSE_CALL_COVERAGE_H

#include <stdbool.h>

#include "checks/engine/call_record.h"
#include "interpose/common/json_writer.h"

/* Are counts wanted (a report is written)? Asked when states are settled. */
bool call_coverage_wanted(void);
/* One call, on its thread; no lock, a counter that threads hardly ever share. */
void call_coverage_count(const struct acl_call_record *ev);

/* Looks for modules that pass us by; those that are not CANN's own make the verdict inconclusive. */
void call_coverage_search(void);
/* "reach": {"calls": [...], "around": [...]} */
void call_coverage_json(struct jout *j);
/* In the child after fork: nothing was called yet. */
void call_coverage_forked(void);

#endif
