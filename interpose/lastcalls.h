/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last calls of each thread, for reports: what led up to a finding, and
 * where the threads of a killed process were.  The second needs memory that
 * outlives the process: a file beside the journal, mapped.
 */
#ifndef INTERPOSE_LASTCALLS_H
#define INTERPOSE_LASTCALLS_H

#include "checks/event.h"
#include "interpose/json_out.h"

/*
 * From here on calls are kept, in REPORT.calls where that is safe: on file
 * systems that promise the space they gave out, so that no page can be missing
 * later (SIGBUS).  Elsewhere in the process' own memory; then *why says why.
 */
void lastcalls_begin(const char *report, const char **why);
/* The process ends by itself: the file goes, and comes again when an exec failed. */
void lastcalls_end(void);

/* A call is about to be made; its number for lastcalls_leave(). No lock. */
uint64_t lastcalls_enter(const struct acl_event *ev);
void lastcalls_leave(const struct acl_event *ev, uint64_t number);

/* "before": the calls of one thread that returned, oldest first; nothing when there are none. */
void lastcalls_json(struct jout *j, const char *key, uint32_t tid);
/* In the child after fork. */
void lastcalls_forked(void);

#endif
