/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Was a signal sent to us alone or to the whole process group (timeout(1), a
 * CI runner, kill -TERM -GROUP)?  Nothing in the signal says so.  A process
 * beside us that holds every signal back does: what it has pending the
 * program got as well, and must not get twice.
 */
#ifndef TOOLS_ACLCHECK_SENTINEL_H
#define TOOLS_ACLCHECK_SENTINEL_H

#include <stdbool.h>
#include <sys/types.h>

#define SENTINEL_NAME "aclcheck-group"

/* Before the program is started; -1 when no process can be made. */
pid_t sentinel_start(void);
void sentinel_stop(pid_t sentinel);
/* Whether it got the signal; then *sentinel is a new one. */
bool sentinel_got(pid_t *sentinel, int signal);

#endif
