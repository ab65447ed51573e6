/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the program's calls reached us, and by which way; and which modules
 * hold the runtime's own addresses, so that their calls pass us by.
 */
#ifndef INTERPOSE_REACH_H
#define INTERPOSE_REACH_H

#include <stdbool.h>

#include "checks/event.h"
#include "interpose/json_out.h"

/* Are counts wanted (a report is written)? Asked when states are settled. */
bool reach_wanted(void);
/* One call, on its thread; no lock, a counter that threads hardly ever share. */
void reach_count(const struct acl_event *ev);

/* Looks for modules that pass us by; those that are not CANN's own make the verdict inconclusive. */
void reach_search(void);
/* "reach": {"calls": [...], "around": [...]} */
void reach_json(struct jout *j);
/* In the child after fork: nothing was called yet. */
void reach_forked(void);

#endif
