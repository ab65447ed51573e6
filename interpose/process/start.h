/* SPDX-License-Identifier: Apache-2.0 */
/* The begin of a run. */
#ifndef INTERPOSE_START_H
#define INTERPOSE_START_H

#include <stdbool.h>

/*
 * Opens libraries and finds functions, once; for the constructor and our dlsym.
 * The first call does it if they did not.
 */
void process_open(void);

/* First acl call of the process, on the calling thread; true = calls are seen. */
bool process_initialize(void);

#endif
