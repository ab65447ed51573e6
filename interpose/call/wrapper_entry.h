/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entry of a wrapper: a function that no part of the tool needs leaves for the real one by a
 * jump, with registers, stack and return address as the program made them; all
 * others go on in checked_<function>, which is C (gen/wrappers.c).  In C the
 * compiler reloads every stack argument on the way, and structures that travel by
 * reference are copied.
 *
 * The state is read before the pointer: it becomes 0 only after the pointer was
 * stored (release), so this must be an acquire; x86-64 loads are in that order.
 */
#ifndef INTERPOSE_WRAPPER_ENTRY_H
#define INTERPOSE_WRAPPER_ENTRY_H

#include "interpose/runtime/function_table.h"
#include "interpose/call/wrapped_call.h"

#if defined(__x86_64__)
#define ACL_ENTRY_CODE(name, index)                                                                          \
	"\tendbr64\n"                                                                                        \
	"\tcmpl $0, acl_state + 4 * " #index "(%rip)\n"                                                      \
	"\tjne checked_" #name "\n"                                                                          \
	"\tjmp *acl_real + 8 * " #index "(%rip)\n"
#elif defined(__aarch64__)
/* x16 and x17 belong to whoever stands between a call and its target; "hint 34" is bti c. */
#define ACL_ENTRY_CODE(name, index)                                                                          \
	"\thint #34\n"                                                                                       \
	"\tadrp x17, acl_state + 4 * " #index "\n"                                                           \
	"\tadd x17, x17, :lo12:acl_state + 4 * " #index "\n"                                                 \
	"\tldar w17, [x17]\n"                                                                                \
	"\tcbz w17, 1f\n"                                                                                    \
	"\tb checked_" #name "\n"                                                                            \
	"1:\tadrp x16, acl_real + 8 * " #index "\n"                                                          \
	"\tldr x16, [x16, :lo12:acl_real + 8 * " #index "]\n"                                                \
	"\tbr x16\n"
#else
#error "no entry sequence for this machine"
#endif

/* index is the value of ACL_API_name: the assembler cannot ask for it. */
#define ACL_ENTRY(name, index)                                                                               \
	_Static_assert(ACL_API_##name == index, "index of " #name);                                          \
	__asm__("\t.pushsection .text\n"                                                                     \
		"\t.globl " #name "\n"                                                                       \
		"\t.type " #name ", %function\n"                                                             \
		"\t.p2align 4\n" #name ":\n"                                                                 \
		"\t.cfi_startproc\n" ACL_ENTRY_CODE(name, index) "\t.cfi_endproc\n"                          \
								 "\t.size " #name ", . - " #name "\n"        \
								 "\t.popsection\n")

/* Reached from the assembly only. */
#define ACL_CHECKED static __attribute__((used, noinline))

#endif
