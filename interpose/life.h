/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the process, and what may turn out not to be one. */
#ifndef INTERPOSE_LIFE_H
#define INTERPOSE_LIFE_H

#include <stdbool.h>

#include "checks/checks.h"

/*
 * Judges what is left open and writes the end record, once.  Does nothing in
 * processes that are not ours (no acl call yet, or a vfork child), nor when
 * the thread was interrupted inside the tool, whose locks it may hold: the
 * journal then ends without an end record, which readers take as
 * inconclusive.  False = did nothing.
 */
bool life_end(enum checks_end kind);

/* An exec failed: the process goes on. */
void life_resume(void);

#endif
