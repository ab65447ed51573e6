/* SPDX-License-Identifier: Apache-2.0 */
/* tool_stack_switch(fn, arg, top), see tool_stack_x86_64.S. The return address is signed where that is done. */
#ifdef __aarch64__
#include "interpose/common/branch_protection.inc"
	.text
	.globl tool_stack_switch
	.hidden tool_stack_switch
	.type tool_stack_switch, %function
	.p2align 4
tool_stack_switch:
	.cfi_startproc
	hint #25 /* paciasp, a landing pad as well */
	.cfi_negate_ra_state
	stp x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov x29, sp
	.cfi_def_cfa_register x29
	mov sp, x2
	mov x16, x0
	mov x0, x1
	blr x16
	mov sp, x29
	ldp x29, x30, [sp], #16
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	hint #29 /* autiasp */
	.cfi_negate_ra_state
	ret
	.cfi_endproc
	.size tool_stack_switch, . - tool_stack_switch

	branch_protection_note
#endif
	.section .note.GNU-stack, "", %progbits
