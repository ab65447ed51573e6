/* SPDX-License-Identifier: Apache-2.0 */
/* What a call brings in registers and on the stack, the same on both machines; offsets are those of the
 * assembly. */
#ifndef TESTS_GUEST_REGISTERS_H
#define TESTS_GUEST_REGISTERS_H

#include <stdint.h>

struct call_registers {
	uint64_t integer[9]; /* x0 to x8; rdi rsi rdx rcx r8 r9 rax r10, and none */
	uint64_t return_address, stack_pointer; /* as the callee finds it */
	uint64_t on_stack[2];
	uint64_t unused;
	uint8_t vector[8][16]; /* v0 to v7, xmm0 to xmm7 */
};

struct result_registers {
	uint64_t integer[2]; /* x0 x1, rax rdx */
	uint8_t vector[4][16]; /* v0 to v3, as four floating point members come; xmm0 and xmm1 */
};

/* The runtime's function writes down what came, and returns this. */
extern struct call_registers registers_seen;
extern struct result_registers registers_returned;

#endif
