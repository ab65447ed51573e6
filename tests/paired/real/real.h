/* SPDX-License-Identifier: Apache-2.0 */
/* The pair frame on the software runtime, its parts. */
#ifndef PAIRS_REAL_H
#define PAIRS_REAL_H

#include "tests/paired/paired.h"

/* Generated: makes the call through the linked function. */
int64_t test_invoke(unsigned api, const void *args);

/* Starts the process that shares things with the scenarios. */
bool neighbour_start(void);

/* Makes the call on the thread, or in the callback, that the scenario is in. */
int64_t place_call(unsigned api, const void *args);

/* Puts objects and memory in place of dummies among the arguments. */
void standin_fill(unsigned api, void *args);

#endif
