/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks: taken with libunwind (opened on demand, hidden), interned, named by small ids. */
#ifndef INTERPOSE_STACK_H
#define INTERPOSE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define STACK_MAX 32

/* Opens the unwinder; called only where dlopen is safe (see design: "When to dlopen"). */
void stack_prepare(void);

/*
 * Takes and interns the present stack without the tool's own frames; 0 when no
 * unwinder is to be had and the caller is unknown.  With only the caller's
 * return address known the stack has that one frame.
 */
uint32_t stack_take(uint64_t caller);

/* Frames of an interned stack, innermost first, valid for the process' life; returns their number. */
unsigned stack_frames(uint32_t id, const uint64_t **ips);

/* Whether this thread runs a signal handler, as far as its stack tells. */
bool stack_in_handler(void);

#endif
