/* SPDX-License-Identifier: Apache-2.0 */
/* Words of the program's stacks, read without a descriptor and without a fault. */
#ifndef INTERPOSE_STACK_MEMORY_H
#define INTERPOSE_STACK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#define STACK_WINDOW 1024

/* A view of stack memory: what lies in [low, high) is read directly, the rest by copies the kernel makes. */
struct stack_memory {
	uint64_t low, high;
	uint64_t window; /* address that copy begins with, 0 = nothing was copied */
	uint64_t copy[STACK_WINDOW / 8];
};

/*
 * The calling thread's own stack from sp up, as far as it surely stays.  False,
 * and nothing: it is not known, or sp lies elsewhere.
 */
bool stack_memory_own(uint64_t sp, uint64_t *low, uint64_t *high);

/* The same, and looks for it if need be. */
bool stack_memory_learn(uint64_t sp, uint64_t *low, uint64_t *high);

/*
 * Looks how much of the thread's own stack is left below sp, for thread_has_room();
 * on a stack of the tool's. What lies below must be there already: small stacks,
 * coroutines and signal stacks never have room.
 */
void stack_room_learn(uint64_t sp);

/* The word at an address, which is a multiple of eight. */
bool stack_memory_word(struct stack_memory *m, uint64_t address, uint64_t *word);

#endif
