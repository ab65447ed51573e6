/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlsym and dlvsym as the program sees them.  A name that is not ours leaves
 * by a jump, with the registers and the return address the caller made: for
 * RTLD_NEXT the real function looks at that address.
 */
#ifdef __x86_64__
	.text

	.globl dlsym
	.type dlsym, @function
	.p2align 4
dlsym:
	.cfi_startproc
	endbr64
	push %rdi
	.cfi_adjust_cfa_offset 8
	push %rsi
	.cfi_adjust_cfa_offset 8
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	xor %edx, %edx
	mov 24(%rsp), %rcx
	call acl_dl_hook
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	pop %rsi
	.cfi_adjust_cfa_offset -8
	pop %rdi
	.cfi_adjust_cfa_offset -8
	test %rdx, %rdx
	jz 1f
	ret
1:	jmp *acl_true_dlsym(%rip)
	.cfi_endproc
	.size dlsym, . - dlsym

	.globl dlvsym
	.type dlvsym, @function
	.p2align 4
dlvsym:
	.cfi_startproc
	endbr64
	push %rdi
	.cfi_adjust_cfa_offset 8
	push %rsi
	.cfi_adjust_cfa_offset 8
	push %rdx
	.cfi_adjust_cfa_offset 8
	mov 24(%rsp), %rcx
	call acl_dl_hook
	mov %rdx, %rcx
	pop %rdx
	.cfi_adjust_cfa_offset -8
	pop %rsi
	.cfi_adjust_cfa_offset -8
	pop %rdi
	.cfi_adjust_cfa_offset -8
	test %rcx, %rcx
	jz 1f
	ret
1:	jmp *acl_true_dlvsym(%rip)
	.cfi_endproc
	.size dlvsym, . - dlvsym
#endif
	.section .note.GNU-stack, "", %progbits
