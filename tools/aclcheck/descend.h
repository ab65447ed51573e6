/* SPDX-License-Identifier: Apache-2.0 */
/* The processes below this one: orphans included, as the command is their subreaper. */
#ifndef TOOLS_ACLCHECK_DESCEND_H
#define TOOLS_ACLCHECK_DESCEND_H

#include <stddef.h>
#include <sys/types.h>

/* Calls back for each, parents before children. */
void descend_each(void (*fn)(void *context, pid_t pid), void *context);

/*
 * Is there one that has mapped an AscendCL runtime but not the checker?  Its
 * process id, 0 = none; what gets its command and the library.
 */
pid_t descend_uncovered(char *what, size_t size);

#endif
