/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the process, and what may turn out not to be one. */
#ifndef INTERPOSE_LIFE_CYCLE_H
#define INTERPOSE_LIFE_CYCLE_H

#include <stdbool.h>

#include "checks/checks.h"

/*
 * Evaluates what is left open and writes the end record, once.  Does nothing in
 * processes that are not ours (no acl call yet, or a vfork child), nor when
 * the thread was interrupted inside the tool, whose locks it may hold: the
 * journal then ends without an end record, which readers take as
 * inconclusive.  False = did nothing.
 */
bool life_end(enum checks_end kind);

/* _exit() as the program would call it. */
void life_exit_now(int status) __attribute__((noreturn));

/* An exec failed: the process goes on. */
void life_resume(void);

/* What the process was started with, and the exit functions: once, a library's constructor may come before
 * ours. */
void life_begin(void);
/* What the first call registers: forks, and the begin of exit. */
void life_watch(void);

#endif
