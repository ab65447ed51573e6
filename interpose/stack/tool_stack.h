/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of the tool's own.  The program's threads and coroutines may have a
 * few KiB; whatever needs more than a plain call runs over here.
 */
#ifndef INTERPOSE_TOOL_STACK_H
#define INTERPOSE_TOOL_STACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls fn(arg) on a mapped stack with a guard page, with cancellation
 * disabled and signals held back: a handler there would run on our stack, and
 * with an alternate signal stack over the frames of the handler it interrupts.
 * Nested calls stay on the stack they are on.  fn returns; nothing jumps out
 * of it.  Where no memory is to be had, it runs on the caller's own stack.
 */
void tool_stack_run(void (*fn)(void *), void *arg);

/* The same for what is to be done by the program's rules (its libraries' constructors): signals as it set
 * them. */
void tool_stack_with_signals(void (*fn)(void *), void *arg);

/* Calls fn when the thread is back on its own stack, now if it is: where debuggers shall see whose call it
 * was. */
void tool_stack_afterwards(void (*fn)(void));

/* Of the stack this thread is on; false, and nothing: it is on its own. */
bool tool_stack_bounds(uint64_t *low, uint64_t *high);

/* In the child after fork: stacks that threads of the parent were on are free. */
void tool_stack_forked(void);

#endif
