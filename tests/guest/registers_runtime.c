/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime whose aclrtGetDeviceCount writes down every register an argument may travel in. */
#include "tests/guest/registers.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct call_registers registers_seen;
EXPORT struct result_registers registers_returned;

EXPORT int aclrtGetVersion(void);
EXPORT int aclrtGetVersion(void)
{
	return 0;
}

__asm__("\t.text\n\t.globl aclrtGetDeviceCount\n\t.type aclrtGetDeviceCount, "
	"%function\naclrtGetDeviceCount:\n"
#if defined(__aarch64__)
	"\thint #34\n"
	"\tadrp x16, :got:registers_seen\n\tldr x16, [x16, :got_lo12:registers_seen]\n"
	"\tstp x0, x1, [x16]\n\tstp x2, x3, [x16, #16]\n\tstp x4, x5, [x16, #32]\n\tstp x6, x7, [x16, #48]\n"
	"\tstp x8, x30, [x16, #64]\n\tmov x17, sp\n\tstr x17, [x16, #80]\n"
	"\tldp x9, x10, [sp]\n\tstp x9, x10, [x16, #88]\n"
	"\tstp q0, q1, [x16, #112]\n\tstp q2, q3, [x16, #144]\n\tstp q4, q5, [x16, #176]\n\tstp q6, q7, "
	"[x16, #208]\n"
	"\tadrp x16, :got:registers_returned\n\tldr x16, [x16, :got_lo12:registers_returned]\n"
	"\tldp x0, x1, [x16]\n\tldp q0, q1, [x16, #16]\n\tldp q2, q3, [x16, #48]\n\tret\n"
#elif defined(__x86_64__)
	"\tendbr64\n"
	"\tmov registers_seen@GOTPCREL(%rip), %r11\n"
	"\tmov %rdi, (%r11)\n\tmov %rsi, 8(%r11)\n\tmov %rdx, 16(%r11)\n\tmov %rcx, 24(%r11)\n"
	"\tmov %r8, 32(%r11)\n\tmov %r9, 40(%r11)\n\tmov %rax, 48(%r11)\n\tmov %r10, 56(%r11)\n"
	"\tmov (%rsp), %rax\n\tmov %rax, 72(%r11)\n\tlea 8(%rsp), %rax\n\tmov %rax, 80(%r11)\n"
	"\tmov 8(%rsp), %rax\n\tmov %rax, 88(%r11)\n\tmov 16(%rsp), %rax\n\tmov %rax, 96(%r11)\n"
	"\tmovups %xmm0, 112(%r11)\n\tmovups %xmm1, 128(%r11)\n\tmovups %xmm2, 144(%r11)\n\tmovups %xmm3, "
	"160(%r11)\n"
	"\tmovups %xmm4, 176(%r11)\n\tmovups %xmm5, 192(%r11)\n\tmovups %xmm6, 208(%r11)\n\tmovups %xmm7, "
	"224(%r11)\n"
	"\tmov registers_returned@GOTPCREL(%rip), %r11\n"
	"\tmov (%r11), %rax\n\tmov 8(%r11), %rdx\n\tmovups 16(%r11), %xmm0\n\tmovups 32(%r11), %xmm1\n\tret\n"
#endif
	"\t.size aclrtGetDeviceCount, . - aclrtGetDeviceCount\n");
