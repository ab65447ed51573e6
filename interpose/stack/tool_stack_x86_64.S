/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_stack_switch(fn, arg, top): fn(arg) with the stack pointer at top.  The
 * frame is found by its frame pointer, so unwinders and debuggers pass from one
 * stack to the other; calls and returns stay paired, as shadow stacks need it.
 */
#ifdef __x86_64__
	.text
	.globl tool_stack_switch
	.hidden tool_stack_switch
	.type tool_stack_switch, @function
	.p2align 4
tool_stack_switch:
	.cfi_startproc
	endbr64
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	mov %rdx, %rsp
	mov %rdi, %rax
	mov %rsi, %rdi
	call *%rax
	mov %rbp, %rsp
	pop %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size tool_stack_switch, . - tool_stack_switch
#endif
	.section .note.GNU-stack, "", %progbits
