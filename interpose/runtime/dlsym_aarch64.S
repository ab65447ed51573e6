/* SPDX-License-Identifier: Apache-2.0 */
/* dlsym and dlvsym as the program sees them; see dlsym_x86_64.S. */
#ifdef __aarch64__
#include "interpose/common/branch_protection.inc"
	.text

/* The link register is the caller; a name that is not ours leaves with it as it came. */
	.macro forward name, version, real
	.globl \name
	.type \name, %function
	.p2align 4
\name:
	.cfi_startproc
	hint #34 /* bti c */
	mov x3, x30
	hint #25 /* paciasp */
	.cfi_negate_ra_state
	stp x29, x30, [sp, #-48]!
	.cfi_def_cfa_offset 48
	.cfi_offset x29, -48
	.cfi_offset x30, -40
	mov x29, sp
	stp x0, x1, [sp, #16]
	str x2, [sp, #32]
	.if \version == 0
	mov x2, xzr
	.endif
	bl acl_dl_hook
	cbz x1, 1f
	ldp x29, x30, [sp], #48
	.cfi_remember_state
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	hint #29 /* autiasp */
	.cfi_negate_ra_state
	ret
1:	.cfi_restore_state
	ldp x0, x1, [sp, #16]
	ldr x2, [sp, #32]
	ldp x29, x30, [sp], #48
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	hint #29
	.cfi_negate_ra_state
	adrp x16, \real
	ldr x16, [x16, #:lo12:\real]
	br x16
	.cfi_endproc
	.size \name, . - \name
	.endm

	forward dlsym, 0, acl_true_dlsym
	forward dlvsym, 1, acl_true_dlvsym

	branch_protection_note
#endif
	.section .note.GNU-stack, "", %progbits
