/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the GNU C library calls at exit, quick exit and fork.  A program of
 * another C library (musl) that is started below us loads the library, too:
 * it lacks these functions and must go on as if we were not there.
 */
#ifndef INTERPOSE_LIBC_EVENTS_H
#define INTERPOSE_LIBC_EVENTS_H

#include <stdbool.h>

/* False = another C library: nothing is checked in this process. */
bool libc_events_known(void);

/* Only where they are known. */
void libc_at_exit(void (*fn)(int status, void *unused));
void libc_at_quick_exit(void (*fn)(void *unused));
void libc_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void));

#endif
