/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wrapper that nothing is done in: the real function finds each register as the program left it, its stack
 * arguments and its return address, and what it returns in registers reaches the program.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/guest/registers.h"

extern int aclrtGetVersion(void);
extern int aclrtGetDeviceCount(void);
/* Loads the registers, calls the function, stores what it returned and where the stack was. */
void registers_call(int (*function)(void), const struct call_registers *with, struct result_registers *result,
	uint64_t *stack_pointer);
extern char registers_call_returns[];

__asm__("\t.text\n\t.globl registers_call\n\t.type registers_call, %function\nregisters_call:\n"
#if defined(__aarch64__)
	"\thint #34\n\tstp x29, x30, [sp, #-32]!\n\tmov x29, sp\n\tstr x2, [sp, #16]\n"
	"\tmov x16, x0\n\tmov x17, x1\n\tsub sp, sp, #16\n\tmov x9, sp\n\tstr x9, [x3]\n"
	"\tldp x9, x10, [x17, #88]\n\tstp x9, x10, [sp]\n"
	"\tldp q0, q1, [x17, #112]\n\tldp q2, q3, [x17, #144]\n\tldp q4, q5, [x17, #176]\n\tldp q6, q7, "
	"[x17, #208]\n"
	"\tldp x0, x1, [x17]\n\tldp x2, x3, [x17, #16]\n\tldp x4, x5, [x17, #32]\n\tldp x6, x7, [x17, #48]\n"
	"\tldr x8, [x17, #64]\n\tblr x16\n"
	"\t.globl registers_call_returns\nregisters_call_returns:\n"
	"\tldr x9, [x29, #16]\n\tstp x0, x1, [x9]\n\tstp q0, q1, [x9, #16]\n\tstp q2, q3, [x9, #48]\n"
	"\tmov sp, x29\n\tldp x29, x30, [sp], #32\n\tret\n"
#elif defined(__x86_64__)
	"\tendbr64\n\tpush %rbp\n\tmov %rsp, %rbp\n\tpush %rbx\n\tpush %r12\n\tmov %rdx, %rbx\n\tmov %rsi, "
	"%r11\n"
	"\tmov %rdi, %r12\n\tpushq 96(%r11)\n\tpushq 88(%r11)\n\tmov %rsp, (%rcx)\n"
	"\tmovups 112(%r11), %xmm0\n\tmovups 128(%r11), %xmm1\n\tmovups 144(%r11), %xmm2\n\tmovups "
	"160(%r11), %xmm3\n"
	"\tmovups 176(%r11), %xmm4\n\tmovups 192(%r11), %xmm5\n\tmovups 208(%r11), %xmm6\n\tmovups "
	"224(%r11), %xmm7\n"
	"\tmov (%r11), %rdi\n\tmov 8(%r11), %rsi\n\tmov 16(%r11), %rdx\n\tmov 24(%r11), %rcx\n"
	"\tmov 32(%r11), %r8\n\tmov 40(%r11), %r9\n\tmov 48(%r11), %rax\n\tmov 56(%r11), %r10\n\tcall *%r12\n"
	"\t.globl registers_call_returns\nregisters_call_returns:\n"
	"\tmov %rax, (%rbx)\n\tmov %rdx, 8(%rbx)\n\tmovups %xmm0, 16(%rbx)\n\tmovups %xmm1, 32(%rbx)\n"
	"\tadd $16, %rsp\n\tpop %r12\n\tpop %rbx\n\tpop %rbp\n\tret\n"
#endif
	"\t.size registers_call, . - registers_call\n");

#if defined(__aarch64__)
#define INTEGERS 9
#define RESULT_VECTORS 4
#else
#define INTEGERS 8
#define RESULT_VECTORS 2
#endif

static unsigned tests, failed;

static void same(const char *what, const void *a, const void *b, size_t size)
{
	bool good = !memcmp(a, b, size);

	failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", ++tests, what);
}

static void fill(void *p, size_t size, unsigned seed)
{
	for (size_t i = 0; i < size; i++)
		((unsigned char *)p)[i] = (unsigned char)(seed = seed * 1103515245 + 12345, seed >> 16);
}

int main(void)
{
	struct call_registers with;
	struct result_registers result;
	uint64_t stack_pointer, back = (uintptr_t)registers_call_returns;

	fill(&with, sizeof(with), 1);
	fill(&registers_returned, sizeof(registers_returned), 2);
	/* By then it is known that nothing needs the function. */
	aclrtGetVersion();
	registers_call(aclrtGetDeviceCount, &with, &result, &stack_pointer);
	printf("1..7\n");
	same("integer registers, and that of a result by reference", registers_seen.integer, with.integer,
		INTEGERS * sizeof(uint64_t));
	same("vector registers", registers_seen.vector, with.vector, sizeof(with.vector));
	same("arguments on the stack", registers_seen.on_stack, with.on_stack, sizeof(with.on_stack));
	same("the stack pointer", &registers_seen.stack_pointer, &stack_pointer, sizeof(stack_pointer));
	same("the return address is the program's", &registers_seen.return_address, &back, sizeof(back));
	same("a result in integer registers", result.integer, registers_returned.integer,
		sizeof(result.integer));
	same("a result in vector registers", result.vector, registers_returned.vector,
		RESULT_VECTORS * sizeof(result.vector[0]));
	return failed != 0;
}
