/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information (DWARF, .eh_frame): how the registers of a caller are
 * found from those of the frame it called.  Only registers that a function
 * must preserve are followed; nothing else is known of a caller anyway.
 */
#ifndef INTERPOSE_CFI_H
#define INTERPOSE_CFI_H

#include <stdbool.h>
#include <stdint.h>

/* The registers followed, in an order of our own; CFI_RA is where the return address is found. */
#if defined(__x86_64__)
enum cfi_slot { CFI_RBX, CFI_FP, CFI_R12, CFI_R13, CFI_R14, CFI_R15, CFI_RA, CFI_SP, CFI_SLOTS };
#elif defined(__aarch64__)
enum cfi_slot { CFI_X19, CFI_FP = 10, CFI_RA, CFI_SP, CFI_SLOTS }; /* x19 … x28, x29, x30, sp */
#else
#error "no unwinding for this machine"
#endif
#define CFI_NONE CFI_SLOTS /* a register that is not followed */

enum cfi_kind {
	CFI_SAME, /* not changed */
	CFI_UNDEFINED,
	CFI_OFFSET, /* saved at CFA + value */
	CFI_VAL_OFFSET, /* is CFA + value */
	CFI_REGISTER, /* in the slot that value names */
	CFI_EXPRESSION, /* saved where the expression at address value says */
	CFI_VAL_EXPRESSION /* is what it says */
};

struct cfi_rule {
	uint8_t kind; /* enum cfi_kind */
	int64_t value;
};

/* What holds at one code address. */
struct cfi_row {
	struct cfi_rule cfa; /* CFI_REGISTER: cfa_base + value; or CFI_VAL_EXPRESSION */
	uint8_t cfa_base; /* slot */
	bool signal_frame; /* the caller was interrupted: its address is no return address */
	struct cfi_rule rule[CFI_SLOTS];
};

/* The row of a code address; table is its module's .eh_frame_hdr. False: none, or more than is understood. */
bool cfi_find(uint64_t table, uint64_t pc, struct cfi_row *row);

/* A word of memory; false = it cannot be read. */
typedef bool (*cfi_read_fn)(void *context, uint64_t address, uint64_t *word);

/* Value of an expression (ULEB128 length, then operations) over the slots' values; first is pushed before. */
bool cfi_expression(uint64_t expression, const uint64_t slots[CFI_SLOTS], const uint64_t *first,
	cfi_read_fn read, void *context, uint64_t *value);

/* Slot of a DWARF register number, CFI_NONE = not followed. */
unsigned cfi_slot_of(uint64_t dwarf_register);

#endif
