/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a term of a need holds for the arguments of a call.  Inlined into
 * build/gen/acl_constraints.c, where every term is a constant, each function's needs
 * become a few comparisons; called with a term of the tables it interprets.
 */
#ifndef ACLCHECK_TERMS_H
#define ACLCHECK_TERMS_H

#include <stddef.h>

#include "aclcheck/constraints.h"

#define NEEDS_INLINE inline __attribute__((always_inline))

typedef __int128 number; /* wide enough for sums and products of any two values */

static NEEDS_INLINE number widen(const void *at, const struct acl_operand *o)
{
	uint64_t v;

	switch (o->size) {
	case 1:
		v = o->is_signed ? (uint64_t)(int64_t) * (const int8_t *)at : *(const uint8_t *)at;
		break;
	case 2:
		v = o->is_signed ? (uint64_t)(int64_t) * (const int16_t *)at : *(const uint16_t *)at;
		break;
	case 4:
		v = o->is_signed ? (uint64_t)(int64_t) * (const int32_t *)at : *(const uint32_t *)at;
		break;
	default:
		v = *(const uint64_t *)at;
		break;
	}
	if (o->value)
		v &= o->value;
	return (o->is_signed && !o->value ? (number)(int64_t)v : (number)v) * o->factor;
}

/* Where an operand lies; NULL = unknown. behind: a copy of what the arguments point to. */
static NEEDS_INLINE const void *place(const struct acl_operand *o, const void *args, const void *behind)
{
	if (o->how == ACL_OPERAND_PARAM)
		return (const unsigned char *)args + o->offset;
	return behind ? (const unsigned char *)behind + o->behind : NULL;
}

/* false: unknown. */
static NEEDS_INLINE bool fetch(const struct acl_operand *o, const void *args, const void *behind, number *v)
{
	const void *at;

	if (o->how == ACL_OPERAND_NUMBER) {
		*v = (int64_t)o->value;
		return true;
	}
	at = place(o, args, behind);
	if (at)
		*v = widen(at, o);
	return at != NULL;
}

static NEEDS_INLINE bool in_ranges(const struct acl_term *t, number v)
{
	const struct acl_range *range = &acl_ranges[t->ranges];

	for (unsigned i = 0; i < t->n_ranges; i++)
		if (v >= range[i].low && v <= range[i].high)
			return true;
	return false;
}

static NEEDS_INLINE bool all_zero(const unsigned char *at, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (at[i])
			return false;
	return true;
}

enum holds { NO, YES, UNKNOWN };

static NEEDS_INLINE enum holds compare(const struct acl_term *t, number left, number right)
{
	switch (t->op) {
	case ACL_TERM_EQ:
		return left == right;
	case ACL_TERM_NE:
		return left != right;
	case ACL_TERM_LT:
		return left < right;
	case ACL_TERM_LE:
		return left <= right;
	case ACL_TERM_GT:
		return left > right;
	case ACL_TERM_GE:
		return left >= right;
	case ACL_TERM_ALIGN:
		return (uint64_t)left % (uint64_t)right == 0;
	default:
		return UNKNOWN;
	}
}

static NEEDS_INLINE enum holds term_holds(const struct acl_term *t, const void *args, const void *behind)
{
	number left = 0, more, right;

	if (t->op == ACL_TERM_NEVER)
		return NO;
	if (t->op == ACL_TERM_ZERO) {
		const void *at = place(&t->left, args, behind);

		return at ? all_zero(at, t->left.size) : UNKNOWN;
	}
	if (!fetch(&t->left, args, behind, &left))
		return UNKNOWN;
	if (t->more.size) {
		if (!fetch(&t->more, args, behind, &more))
			return UNKNOWN;
		left += more;
	}
	if (t->op == ACL_TERM_SET)
		return left != 0;
	if (t->op == ACL_TERM_IN)
		return in_ranges(t, left);
	if (t->op == ACL_TERM_OUT)
		return !in_ranges(t, left);
	return fetch(&t->right, args, behind, &right) ? compare(t, left, right) : UNKNOWN;
}

static NEEDS_INLINE bool term_known(const struct acl_term *t, const void *args, const void *behind)
{
	return term_holds(t, args, behind) != UNKNOWN;
}

#endif
