/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the process that may be the program's. */
#ifndef INTERPOSE_PROGRAM_THREADS_H
#define INTERPOSE_PROGRAM_THREADS_H

#include <stdbool.h>

/*
 * Whether there is a thread beside the caller that is not certainly the runtime's own.  Asks /proc; where
 * that cannot be read, there may be one.
 */
bool program_threads_possible(void);

#endif
