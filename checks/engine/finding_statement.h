/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One statement makes a finding:
 *
 *	if (FINDING(c, call, "symbol-copy-range", end > size,
 *		    PARTS(part_address("symbol", symbol), part_bytes("count", n), part_object("stream",
 *stream)), "The symbol has %llu bytes.", size)) return;
 *
 * The condition is evaluated once and counts as rule coverage, so everything
 * that is not known has returned before.  Parts and the sentence's arguments are
 * evaluated only when the rule is broken.  The value is whether it is, muted or
 * not.  call may be NULL where the process as a whole is meant.
 */
#ifndef CHECKS_FINDING_STATEMENT_H
#define CHECKS_FINDING_STATEMENT_H

#include "checks/engine/finding_report.h"

enum finding_part_kind {
	PART_END,
	PART_NONE,
	PART_UINT,
	PART_INT,
	PART_ADDRESS,
	PART_BYTES,
	PART_API,
	PART_ERROR,
	PART_ENUM,
	PART_OBJECT,
	PART_BLOCK,
	PART_HISTORY,
	/* What is particular about this one, beside the rule table. */
	PART_SEVERITY,
	PART_ADVICE,
	PART_RELAXED_TO,
	PART_CONSEQUENCE_OF,
	PART_BESIDE,
	PART_SITE,
	PART_CALLER
};

struct finding_part {
	uint8_t kind; /* enum finding_part_kind */
	const char *name;
	union {
		uint64_t u;
		int64_t i;
		const void *address;
		const struct acl_object *object;
		const struct acl_block *block;
		const struct acl_object_history *history;
	};
	const char *enum_name;
};

#define part_none()                                                                                          \
	{                                                                                                    \
		.kind = PART_NONE                                                                            \
	}
#define part_uint(n, v)                                                                                      \
	{                                                                                                    \
		.kind = PART_UINT, .name = (n), .u = (v)                                                     \
	}
#define part_int(n, v)                                                                                       \
	{                                                                                                    \
		.kind = PART_INT, .name = (n), .i = (v)                                                      \
	}
#define part_address(n, v)                                                                                   \
	{                                                                                                    \
		.kind = PART_ADDRESS, .name = (n), .address = (v)                                            \
	}
#define part_bytes(n, v)                                                                                     \
	{                                                                                                    \
		.kind = PART_BYTES, .name = (n), .u = (v)                                                    \
	}
#define part_api(n, v)                                                                                       \
	{                                                                                                    \
		.kind = PART_API, .name = (n), .u = (v)                                                      \
	}
#define part_error(n, v)                                                                                     \
	{                                                                                                    \
		.kind = PART_ERROR, .name = (n), .i = (v)                                                    \
	}
#define part_enum(n, e, v)                                                                                   \
	{                                                                                                    \
		.kind = PART_ENUM, .name = (n), .enum_name = (e), .i = (v)                                   \
	}
/* The history of an object, a block, or something else that has one. NULL: left out. */
#define part_object(role, o)                                                                                 \
	{                                                                                                    \
		.kind = PART_OBJECT, .name = (role), .object = (o)                                           \
	}
#define part_block(role, b)                                                                                  \
	{                                                                                                    \
		.kind = PART_BLOCK, .name = (role), .block = (b)                                             \
	}
#define part_history(h)                                                                                      \
	{                                                                                                    \
		.kind = PART_HISTORY, .history = (h)                                                         \
	}
/* enum acl_severity instead of the table's. */
#define part_severity(s)                                                                                     \
	{                                                                                                    \
		.kind = PART_SEVERITY, .i = (s)                                                              \
	}
/* Advice in this case (true). */
#define part_advice(a)                                                                                       \
	{                                                                                                    \
		.kind = PART_ADVICE, .u = (a)                                                                \
	}
/* Severity under a newer CANN for this variant, ACL_RELAXED_OFF, NOT_RELAXED. */
#define part_relaxed_to(s)                                                                                   \
	{                                                                                                    \
		.kind = PART_RELAXED_TO, .i = (s)                                                            \
	}
/* Secondary: serial of the finding that explains it (0: it is none's consequence). */
#define part_consequence_of(serial)                                                                          \
	{                                                                                                    \
		.kind = PART_CONSEQUENCE_OF, .u = (serial)                                                   \
	}
/* What it is to the other findings of the call: BESIDE_AS_REASON, BESIDE_AS_CONSEQUENCE. */
#define part_beside(how)                                                                                     \
	{                                                                                                    \
		.kind = PART_BESIDE, .u = (how)                                                              \
	}
/* What distinguishes findings without a caller, and the call site to name for them. */
#define part_site(s)                                                                                         \
	{                                                                                                    \
		.kind = PART_SITE, .u = (s)                                                                  \
	}
#define part_caller(at)                                                                                      \
	{                                                                                                    \
		.kind = PART_CALLER, .u = (at)                                                               \
	}

/* At least one part; part_none() where there is nothing. */
#define PARTS(...) ((const struct finding_part[]){__VA_ARGS__, {.kind = PART_END}})
#define NO_PARTS ((const struct finding_part[]){{.kind = PART_END}})

__attribute__((cold, format(printf, 5, 6))) void finding_make(struct checks *c, struct acl_call_record *call,
	const struct acl_rule *rule, const struct finding_part *parts, const char *format, ...);

static inline bool finding_condition(
	struct checks *c, const struct acl_call_record *call, const struct acl_rule *rule, bool broken)
{
	if (call)
		rule_evaluated(call, rule);
	else
		rule_evaluated_at_end(c, rule);
	return __builtin_expect(broken, 0);
}

/* The rule as a pointer, for checks that several rules share. */
#define FINDING_OF(c, call, rule, condition, parts, ...)                                                     \
	({                                                                                                   \
		const struct acl_rule *of_ = (rule);                                                         \
		bool broken_ = finding_condition(c, call, of_, condition);                                   \
		if (broken_)                                                                                 \
			finding_make(c, call, of_, parts, __VA_ARGS__);                                      \
		broken_;                                                                                     \
	})

#define FINDING(c, call, id, condition, parts, ...)                                                          \
	FINDING_OF(c, call, RULE(id), condition, parts, __VA_ARGS__)

#endif
