/* SPDX-License-Identifier: Apache-2.0 */
/* The last calls of each thread, for reports: what led up to a finding. */
#ifndef INTERPOSE_LASTCALLS_H
#define INTERPOSE_LASTCALLS_H

#include "checks/event.h"
#include "interpose/json_out.h"

/* A call that returned, on its thread. No lock. */
void lastcalls_note(const struct acl_event *ev);
/* "before": the calls of one thread, oldest first; nothing when there are none. */
void lastcalls_json(struct jout *j, const char *key, uint32_t tid);
/* In the child after fork. */
void lastcalls_forked(void);

#endif
