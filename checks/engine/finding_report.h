/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a broken rule to a finding, step by step; FINDING (finding_statement.h)
 * does it in one.  A check calls finding_begin() first: it
 * counts, and answers NULL when there is nothing to show (rule off, call of the
 * runtime itself, or a repeat between the shown ones), so that only what is
 * shown is ever formatted:
 *
 *	struct finding_buffer room;
 *	struct acl_finding *f = finding_begin(c, call, RULE("init-repeat"), &room);
 *	if (!f)
 *		return;
 *	finding_detail(f, "aclInit was called before at …");
 *	finding_show(c, f);
 */
#ifndef CHECKS_FINDING_REPORT_H
#define CHECKS_FINDING_REPORT_H

#include <stdarg.h>

#include "checks/engine/instance.h"
#include "checks/engine/pointer_map.h"

/* A finding in the making; not on the program's stack, which may be small. */
struct finding_draft {
	struct acl_finding finding; /* first: the rest is found from it */
	char detail[640];
	uint64_t key, caller; /* of its call site */
	bool collected; /* it waits for the end of the call's phase */
	uint8_t beside; /* enum finding_beside */
	bool formatted; /* else it was not to be shown when it was made */
};

struct finding_buffer {
	struct finding_draft *draft;
};

/*
 * What a finding is to the others of its call.  REASON: it says how the call's primary finding came about,
 * and is dropped when there is none.  CONSEQUENCE: secondary when there is one, else it stands for itself.
 */
enum finding_beside { BESIDE_NOTHING, BESIDE_AS_REASON, BESIDE_AS_CONSEQUENCE };

/* What a check knows beyond the table about severity. */
struct finding_grade {
	int8_t severity; /* as graded here, -1 = by table */
	int16_t relaxed_to; /* enum acl_severity or ACL_RELAXED_OFF for this variant; -1 = by table,
			       NOT_RELAXED */
	bool advice, secondary;
	uint8_t beside; /* enum finding_beside */
	uint64_t site; /* distinguishes findings without a caller (leaks …); 0 = the caller */
	uint64_t caller; /* the place to name when there is no event */
	uint64_t cause;
};
#define GRADE_TABLE ((struct finding_grade){.severity = -1, .relaxed_to = -1})
#define NOT_RELAXED (-2)

struct acl_finding *finding_begin_as(struct checks *c, struct acl_call_record *call,
	const struct acl_rule *rule, struct finding_grade grade, struct finding_buffer *room);

static inline struct acl_finding *finding_begin(struct checks *c, struct acl_call_record *call,
	const struct acl_rule *rule, struct finding_buffer *room)
{
	return finding_begin_as(c, call, rule, GRADE_TABLE, room);
}

/* The sentence; only for findings that are shown. */
__attribute__((format(printf, 2, 3))) void finding_detail(struct acl_finding *f, const char *format, ...);
void finding_vdetail(struct acl_finding *f, const char *format, va_list ap);
__attribute__((format(printf, 2, 3))) void finding_more(struct acl_finding *f, const char *format, ...);

void finding_uint(struct acl_finding *f, const char *name, uint64_t v);
void finding_int(struct acl_finding *f, const char *name, int64_t v);
void finding_address(struct acl_finding *f, const char *name, const void *v);
void finding_bytes(struct acl_finding *f, const char *name, uint64_t v);
void finding_api(struct acl_finding *f, const char *name, unsigned api);
void finding_error(struct acl_finding *f, const char *name, int64_t code);
void finding_enum(struct acl_finding *f, const char *name, const char *enum_name, int64_t v);
void finding_object(struct checks *c, struct acl_finding *f, const char *role, const struct acl_object *o);
void finding_block(struct checks *c, struct acl_finding *f, const char *role, const struct acl_block *b);

void finding_show(struct checks *c, struct acl_finding *f);
void finding_send(struct checks *c, struct acl_finding *f);
/* Of the repeats of a call site the 1st, 10th, 100th … is shown. */
bool finding_shown_at(uint64_t n);
/* The next number above n at which it is. */
uint64_t finding_shown_after(uint64_t n);

/*
 * The rule has all its evidence and is about to be evaluated: counted, once a call, after
 * everything unknown has returned and before the condition itself.
 */
static inline void rule_evaluated(const struct acl_call_record *call, const struct acl_rule *rule)
{
	struct coverage_counts *coverage = thread_of(call)->coverage;

	if (coverage && rule && is_checked(call))
		store_relaxed(&coverage->rule[rule->index], load_relaxed(&coverage->rule[rule->index]) + 1);
}

/* Counted, and whether the rule is broken: reads as the condition it stands in front of. */
static inline bool rule_broken(const struct acl_call_record *call, const struct acl_rule *rule, bool broken)
{
	rule_evaluated(call, rule);
	return broken;
}

/* The same where there is no call: when the process ends. */
void rule_evaluated_at_end(struct checks *c, const struct acl_rule *rule);

/* Whether the rule can say anything at all: lets a check skip costly evidence. */
bool rule_wanted(const struct checks *c, const struct acl_rule *rule);

/* "1 MiB" … into a small buffer. */
const char *human_bytes(uint64_t bytes, char out[24]);
const char *memory_kind_name(unsigned kind);

/* A finding with one address and a plain sentence. */
void finding_say(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const char *name, const void *value, const char *detail);
/* The same about up to two objects; either may be NULL. */
__attribute__((format(printf, 6, 7))) void finding_on(struct checks *c, struct acl_call_record *call,
	const struct acl_rule *rule, const struct acl_object *o, const struct acl_object *other,
	const char *format, ...);

#endif
