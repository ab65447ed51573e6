/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Being called when main has returned and when the process ends, without a place
 * in the C library's table of exit functions: that grows by the program's malloc.
 */
#ifndef INTERPOSE_PROGRAM_START_H
#define INTERPOSE_PROGRAM_START_H

#include <stdbool.h>

/*
 * Whether the program starts by way of our hook: from the constructor on.  False
 * where this library was opened later, or another one starts the program.
 */
bool program_start_is_ours(void);
/* Whom to call when main has returned, and with the status when the process ends; before main. */
void program_start_watch(void (*main_returned)(void), void (*end)(int status));
/* Whether it did. */
bool program_started(void);

#endif
