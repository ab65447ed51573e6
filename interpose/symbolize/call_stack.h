/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks: taken, interned, named by small ids. */
#ifndef INTERPOSE_CALL_STACK_H
#define INTERPOSE_CALL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose/common/thread_state.h"

#define STACK_MAX THREAD_FRAMES

/*
 * Takes and interns the present stack without the tool's own frames; 0 when
 * nothing is found and the caller is unknown.  With only the caller's return
 * address known the stack has that one frame.
 */
uint32_t stack_take(uint64_t caller);

/* The id of a stack of n frames, innermost first; 0: no memory. */
uint32_t stack_intern(const uint64_t *ips, unsigned n);

/*
 * Frames of an interned stack, innermost first, valid for the process' life; returns their number.  Code
 * addresses, marked as module_mark() does, and words of Python frames (python_place.h).
 */
unsigned stack_frames(uint32_t id, const uint64_t **ips);

#endif
