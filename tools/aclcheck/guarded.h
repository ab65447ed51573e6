/* SPDX-License-Identifier: Apache-2.0 */
/* Work on files that may be damaged, with libraries that may give up. */
#ifndef ACLCHECK_GUARDED_H
#define ACLCHECK_GUARDED_H

/*
 * Runs work in a child process and returns its result.  libbabeltrace2 ends
 * the process when a trace contradicts itself; then one line about what has
 * been said instead of its own account, and the result is COMMAND_MISUSE.
 */
int guarded(int (*work)(void *), void *argument, const char *what);

/* Where a child may draw its progress; -1 = nowhere. */
extern int guarded_terminal;

#endif
