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

struct sentinel {
	pid_t pid; /* -1 when no process could be made */
	unsigned long long owed; /* what the group got and we have yet to take: bit n - 1 is signal n */
};

/* Before the program is started. */
void sentinel_start(struct sentinel *s);
void sentinel_stop(struct sentinel *s);
/* Whether the group got the signal we took; asked once for each. */
bool sentinel_got(struct sentinel *s, int signal);

#endif
