/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One statement makes a finding:
 *
 *	FINDING(c, call, "symbol-copy-range", end > size,
 *		PARTS(part_address("symbol", symbol), part_bytes("count", n), part_object("stream", stream)),
 *		"The symbol has %llu bytes.", size);
 *
 * The condition is evaluated once and counts as rule coverage, so everything
 * that is not known has returned before.  Parts are evaluated only when the rule is
 * broken, once or twice, so they change nothing; the sentence's arguments only when the
 * finding is shown as well; what costs more than a look belongs there, or into
 * part_history().  The value is whether the rule is broken, muted or not.  call may be NULL
 * where the process as a whole is meant.
 */
#ifndef CHECKS_FINDING_STATEMENT_H
#define CHECKS_FINDING_STATEMENT_H

#include "checks/engine/finding_draft.h"
#include "checks/engine/rule_coverage.h"

enum finding_part_kind {
	PART_NONE, /* also what is all zeros */
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
	PART_CREATED_AT,
	PART_USED_AT,
	PART_OUTPUT_OF,
	/* What is particular about this one, beside the rule table. */
	PART_SEVERITY,
	PART_RELAXED_TO,
	PART_CALLER,
	PART_WHERE,
	/* Also what it counts as, unless zero. */
	PART_ADVICE,
	PART_CONSEQUENCE_OF,
	PART_SECONDARY,
	PART_BESIDE,
	PART_SITE,
	PART_END
};

typedef void (*history_fn)(struct acl_object_history *out, const void *source);

struct finding_part {
	const char *name;
	uint8_t kind; /* enum finding_part_kind */
	union {
		uint64_t u;
		int64_t i;
		const void *address;
		const struct acl_object *object;
		const struct acl_block *block;
		const void *source;
	};
	union {
		const char *enum_name; /* of PART_CREATED_AT: kind of the thing */
		history_fn history;
	};
};

#define FINDING_PART static inline __attribute__((always_inline)) struct finding_part

/* Nothing, where a part depends on a condition. */
FINDING_PART part_none(void)
{
	return (struct finding_part){.kind = PART_NONE};
}

/* Exact values that broke the rule. */
FINDING_PART part_uint(const char *name, uint64_t v)
{
	return (struct finding_part){.kind = PART_UINT, .name = name, .u = v};
}

FINDING_PART part_int(const char *name, int64_t v)
{
	return (struct finding_part){.kind = PART_INT, .name = name, .i = v};
}

FINDING_PART part_address(const char *name, const void *v)
{
	return (struct finding_part){.kind = PART_ADDRESS, .name = name, .address = v};
}

/* An address or a handle kept as a number. */
FINDING_PART part_handle(const char *name, uint64_t v)
{
	return (struct finding_part){
		.kind = PART_ADDRESS, .name = name, .address = (const void *)(uintptr_t)v};
}

FINDING_PART part_bytes(const char *name, uint64_t v)
{
	return (struct finding_part){.kind = PART_BYTES, .name = name, .u = v};
}

/* enum acl_api */
FINDING_PART part_api(const char *name, unsigned v)
{
	return (struct finding_part){.kind = PART_API, .name = name, .u = v};
}

/* The call that failed and whose output is used. */
FINDING_PART part_output_of(unsigned api)
{
	return (struct finding_part){.kind = PART_OUTPUT_OF, .name = "failed call", .u = api};
}

/* aclError */
FINDING_PART part_error(const char *name, int64_t v)
{
	return (struct finding_part){.kind = PART_ERROR, .name = name, .i = v};
}

FINDING_PART part_enum(const char *name, const char *enum_name, int64_t v)
{
	return (struct finding_part){.kind = PART_ENUM, .name = name, .enum_name = enum_name, .i = v};
}

/* The history of an object, of a block. NULL: left out. */
FINDING_PART part_object(const char *role, const struct acl_object *o)
{
	return (struct finding_part){.kind = PART_OBJECT, .name = role, .object = o};
}

FINDING_PART part_block(const char *role, const struct acl_block *b)
{
	return (struct finding_part){.kind = PART_BLOCK, .name = role, .block = b};
}

/* Of something else that has one: fill writes it (all but the role) when the finding is shown. */
FINDING_PART part_history(const char *role, history_fn fill, const void *source)
{
	return (struct finding_part){.kind = PART_HISTORY, .name = role, .history = fill, .source = source};
}

/* Of a thing of which only the call that made it is known. */
FINDING_PART part_created_at(const char *role, const char *kind, const struct call_site_slot *at)
{
	return (struct finding_part){.kind = PART_CREATED_AT, .name = role, .enum_name = kind, .source = at};
}

/* Of the object or block just before: the use that matters here, which need not be its last. */
FINDING_PART part_used_at(const struct acl_call_site *at)
{
	return (struct finding_part){.kind = PART_USED_AT, .source = at};
}

/* enum acl_severity instead of the table's. */
FINDING_PART part_severity(int severity)
{
	return (struct finding_part){.kind = PART_SEVERITY, .i = severity};
}

/* A warning while the process ends: what comes too late for a device or runtime that is gone harms nothing.
 */
FINDING_PART part_late(const struct acl_call_record *call)
{
	return call->in_exit ? part_severity(ACL_SEV_WARNING) : part_none();
}

/* Advice in this case. */
FINDING_PART part_advice(bool advice)
{
	return (struct finding_part){.kind = PART_ADVICE, .u = advice};
}

/* Severity under a newer CANN for this variant, ACL_RELAXED_OFF, NOT_RELAXED. */
FINDING_PART part_relaxed_to(int severity)
{
	return (struct finding_part){.kind = PART_RELAXED_TO, .i = severity};
}

/* Secondary: serial of the finding that explains it (0: it is none's consequence). */
FINDING_PART part_consequence_of(uint64_t serial)
{
	return (struct finding_part){.kind = PART_CONSEQUENCE_OF, .u = serial};
}

/* A consequence of another finding that is not known by its number. */
FINDING_PART part_secondary(bool secondary)
{
	return (struct finding_part){.kind = PART_SECONDARY, .u = secondary};
}

/* What it is to the other findings of the call. */
FINDING_PART part_beside(enum finding_beside how)
{
	return (struct finding_part){.kind = PART_BESIDE, .u = how};
}

/* What distinguishes findings instead of the caller, and the call site to name when there is no call. */
FINDING_PART part_site(uint64_t site)
{
	return (struct finding_part){.kind = PART_SITE, .u = site};
}

FINDING_PART part_caller(uint64_t at)
{
	return (struct finding_part){.kind = PART_CALLER, .u = at};
}

/* As part_caller(), with the function that was called there: call_site_where() of that call. */
FINDING_PART part_where(uint64_t where)
{
	return (struct finding_part){.kind = PART_WHERE, .u = where};
}

/* "1 MiB" … into a small buffer. */
const char *human_bytes(uint64_t bytes, char out[24]);

/* At least one part. */
#define PARTS(...) ((const struct finding_part[]){__VA_ARGS__, {.kind = PART_END}})
#define NO_PARTS ((const struct finding_part[]){{.kind = PART_END}})

/*
 * Whether it counts as its rule and its caller say, so that a repeat can be counted without its parts.
 * Of a list in the statement itself nothing is left of this where no part can say otherwise.
 */
static inline __attribute__((always_inline)) bool parts_count_by_rule(
	const struct finding_part *parts, size_t n)
{
#pragma GCC unroll 24
	for (size_t i = 0; i < n; i++) {
		if (parts[i].kind == PART_END)
			break;
		if (parts[i].kind >= PART_ADVICE && parts[i].u)
			return false;
	}
	return true;
}

/* What the statements below do in two steps: NULL = nothing to show (rule off, repeat …), no sentence needed.
 */
struct finding_draft *finding_start(struct checks *c, struct acl_call_record *call,
	const struct acl_rule *rule, const struct finding_part *parts);
__attribute__((cold, format(printf, 4, 5))) void finding_finish(
	struct checks *c, struct finding_draft *d, const struct finding_part *parts, const char *format, ...);

static inline bool finding_condition(
	struct checks *c, const struct acl_call_record *call, const struct acl_rule *rule, bool broken)
{
	if (call)
		rule_evaluated(call, rule);
	else
		rule_evaluated_at_end(c, rule);
	return __builtin_expect(broken, 0);
}

/* The finding of a rule that is broken, and was counted as evaluated before: where one look evaluates
 * several. */
#define FINDING_BROKEN(c, call, rule, parts, ...)                                                            \
	do {                                                                                                 \
		const struct acl_rule *rule_ = (rule);                                                       \
		if (!parts_count_by_rule(parts, sizeof(parts) / sizeof(struct finding_part)) ||              \
			!finding_repeats(c, call, rule_)) {                                                  \
			const struct finding_part *parts_ = (parts);                                         \
			struct finding_draft *finding_ = finding_start(c, call, rule_, parts_);              \
			if (finding_)                                                                        \
				finding_finish(c, finding_, parts_, __VA_ARGS__);                            \
		}                                                                                            \
	} while (0)

/* The rule as a pointer, for checks that several rules share. */
#define FINDING_OF(c, call, rule, condition, parts, ...)                                                     \
	({                                                                                                   \
		const struct acl_rule *of_ = (rule);                                                         \
		bool broken_ = finding_condition(c, call, of_, condition);                                   \
		if (broken_)                                                                                 \
			FINDING_BROKEN(c, call, of_, parts, __VA_ARGS__);                                    \
		broken_;                                                                                     \
	})

#define FINDING(c, call, id, condition, parts, ...)                                                          \
	FINDING_OF(c, call, RULE(id), condition, parts, __VA_ARGS__)

#endif
