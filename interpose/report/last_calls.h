/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last calls of each thread, for reports: what led up to a finding, and
 * where the threads of a killed process were.  The second needs memory that
 * outlives the process: a file beside the journal, mapped.
 */
#ifndef INTERPOSE_LAST_CALLS_H
#define INTERPOSE_LAST_CALLS_H

#include "checks/engine/call_record.h"
#include "interpose/common/json_writer.h"

/*
 * From here on calls are kept, in REPORT.calls where that is safe: on file
 * systems that promise the space they gave out, so that no page can be missing
 * later (SIGBUS).  Elsewhere in the process' own memory; then *why says why.
 */
void last_calls_begin(const char *report, const char **why);
/* The process ends by itself: the file goes, and comes again when an exec failed. */
void last_calls_end(void);

/* A call is about to be made; its number for last_calls_leave(). No lock. */
uint64_t last_calls_enter(const struct acl_call_record *ev);
void last_calls_leave(const struct acl_call_record *ev, uint64_t number);

/* "before": the calls of one thread that returned, oldest first; nothing when there are none. */
void last_calls_json(struct jout *j, const char *key, uint32_t tid);
/* In the child after fork. */
void last_calls_forked(void);

#endif
