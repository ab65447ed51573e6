/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the arguments of a call need to satisfy: section "needs" of
 * include/acl/api.json as tables, read by checks/engine/constraints.c.  The tables are
 * generated into build/gen/acl_constraints.c; the notation is explained in
 * include/acl/README.md.
 */
#ifndef ACLCHECK_CONSTRAINTS_H
#define ACLCHECK_CONSTRAINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum acl_operand_how {
	ACL_OPERAND_NUMBER, /* value */
	ACL_OPERAND_PARAM, /* in the argument struct */
	ACL_OPERAND_BEHIND /* behind a pointer of the argument struct; unknown where nothing can be read there
			    */
};

/* "size", "prop.location.type", "*mode", "4096". */
struct acl_operand {
	uint64_t value; /* NUMBER; otherwise a mask, 0 = all bits */
	uint32_t name; /* need_text(): as written in the model */
	uint32_t factor;
	uint16_t offset; /* of the parameter (and of the field in it, when passed by value) */
	uint16_t behind; /* offset behind the pointer */
	uint16_t size; /* bytes */
	uint8_t how; /* enum acl_operand_how */
	int8_t param; /* index of the parameter, -1 = none */
	bool is_signed;
};

enum acl_term_op {
	ACL_TERM_SET, /* left != 0 */
	ACL_TERM_EQ,
	ACL_TERM_NE,
	ACL_TERM_LT,
	ACL_TERM_LE,
	ACL_TERM_GT,
	ACL_TERM_GE,
	ACL_TERM_IN, /* left is in one of the ranges */
	ACL_TERM_OUT, /* left is in none of them */
	ACL_TERM_ALIGN, /* left is a multiple of right */
	ACL_TERM_ZERO, /* every byte of left is 0 */
	ACL_TERM_NEVER /* the call itself is what the rule is about */
};

struct acl_range {
	int64_t low, high;
};

struct acl_term {
	struct acl_operand left, more, right; /* more: added to left when it has a size */
	uint16_t ranges; /* the first of them in acl_ranges */
	uint8_t n_ranges;
	uint8_t op; /* enum acl_term_op */
};

/* Numbers instead of pointers, so that nothing is left to relocate when the library is loaded. */
struct acl_constraint {
	uint32_t text; /* need_text(): as a sentence; "" where the call itself is what the rule is about */
	uint32_t not_soc; /* need_text(): does not apply to this product */
	uint32_t only_soc; /* need_text(): applies to these known products only: "310P,310B" */
	uint16_t rule; /* in acl_rules */
	uint16_t terms; /* in acl_terms: the need itself, then n_terms - 1 conditions for it to apply */
	uint8_t n_terms;
	int8_t severity; /* enum acl_severity, -1 = as the rule says */
	int8_t since,
		until; /* enum acl_cann: applies when the target is known to be in between; -1 = always */
};

/*
 * Needs of one function: acl_constraints[first] … acl_constraints[first + count - 1], and
 * what they look at behind one of its pointers: so many bytes (0 = none do), behind the
 * parameter that lies there in the argument struct. before_never: those ahead of the
 * first that says "never".
 */
struct acl_need_span {
	uint16_t first, count, before_never;
	uint16_t behind_size, behind_param;
};

#define ACL_NEEDS_BEHIND 256 /* bytes behind a pointer at most */

/*
 * By enum acl_api, NULL = the function has no needs.  behind: a copy of what lies there,
 * NULL = unknown: the program's memory itself may not be there.  Bit i: the arguments put
 * need first + i to the test, whatever the outcome; ACL_NEEDS_BROKEN: the first
 * term of some need does not hold; ACL_NEEDS_NEVER: one of them says "never", to every call.
 */
#define ACL_NEEDS_BROKEN (1u << 31)
#define ACL_NEEDS_NEVER (1u << 30)
extern unsigned (*const acl_constraints_evaluate[])(const void *args, const void *behind);

extern const struct acl_constraint acl_constraints[];
extern const struct acl_term acl_terms[];
extern const struct acl_range acl_ranges[];
extern const char acl_need_texts[];
extern const unsigned acl_need_count;
extern const struct acl_need_span acl_constraints_of[]; /* by enum acl_api */

static inline const struct acl_term *need_terms(const struct acl_constraint *need)
{
	return &acl_terms[need->terms];
}

/* NULL = there is none. */
static inline const char *need_text(uint32_t at)
{
	return at ? acl_need_texts + at : NULL;
}

#endif
