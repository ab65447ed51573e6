/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a broken rule to a finding.  A check calls finding_begin() first: it
 * counts, and answers NULL when there is nothing to show (rule off, call of the
 * runtime itself, or a repeat between the shown ones), so that only what is
 * shown is ever formatted:
 *
 *	struct finding_buffer room;
 *	struct acl_finding *f = finding_begin(c, ev, RULE("init-repeat"), &room);
 *	if (!f)
 *		return;
 *	finding_detail(f, "aclInit was called before at …");
 *	finding_show(c, f);
 */
#ifndef CHECKS_REPORT_H
#define CHECKS_REPORT_H

#include "checks/core.h"
#include "checks/map.h"

struct finding_buffer {
	struct acl_finding finding;
	char detail[640];
};

/* What a check knows beyond the table about severity. */
struct finding_grade {
	int8_t severity; /* as judged here, -1 = by table */
	int16_t relaxed_to; /* enum acl_severity or ACL_RELAXED_OFF for this variant; -1 = by table,
			       NOT_RELAXED */
	bool advice, secondary;
	uint64_t site; /* tells apart findings without a caller (leaks …); 0 = the caller */
	uint64_t caller; /* the place to name when there is no event */
	uint64_t cause;
};
#define GRADE_TABLE ((struct finding_grade){.severity = -1, .relaxed_to = -1})
#define NOT_RELAXED (-2)

struct acl_finding *finding_begin_as(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	struct finding_grade grade, struct finding_buffer *room);

static inline struct acl_finding *finding_begin(
	struct checks *c, struct acl_event *ev, const struct acl_rule *rule, struct finding_buffer *room)
{
	return finding_begin_as(c, ev, rule, GRADE_TABLE, room);
}

/* The same, unless the call has a finding already: the more specific one speaks. */
static inline struct acl_finding *finding_first(
	struct checks *c, struct acl_event *ev, const struct acl_rule *rule, struct finding_buffer *room)
{
	return ev->carry[CARRY_FINDING] ? NULL : finding_begin(c, ev, rule, room);
}

/* The sentence; only for findings that are shown. */
__attribute__((format(printf, 2, 3))) void finding_detail(struct acl_finding *f, const char *format, ...);
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

/*
 * The rule has all its evidence and is about to judge: counted, once a call, after
 * everything unknown has returned and before the condition itself.
 */
static inline void rule_asked(const struct acl_event *ev, const struct acl_rule *rule)
{
	struct asked_counts *asked = thread_of(ev)->asked;

	if (asked && rule && judged(ev))
		st(&asked->rule[rule->index], ld(&asked->rule[rule->index]) + 1);
}

/* Counted, and whether the rule is broken: reads as the condition it stands in front of. */
static inline bool rule_broken(const struct acl_event *ev, const struct acl_rule *rule, bool broken)
{
	rule_asked(ev, rule);
	return broken;
}

/* The needs of the model this call puts to the test: bits as in acl_needs_judge. */
static inline void needs_asked(struct checks *c, const struct acl_event *ev, uint32_t needs)
{
	const struct asked_counts *asked = thread_of(ev)->asked;

	if (asked && judged(ev) && __builtin_expect(ld(&asked->api[ev->api].needs) != needs, 0))
		needs_changed(c, ev, needs);
}

/* The same where there is no call: when the process ends. */
void rule_asked_at_end(struct checks *c, const struct acl_rule *rule);

/* Whether the rule can say anything at all: lets a check skip costly evidence. */
bool rule_wanted(const struct checks *c, const struct acl_rule *rule);

/* "1 MiB" … into a small buffer. */
const char *human_bytes(uint64_t bytes, char out[24]);
const char *memory_kind_name(unsigned kind);

bool report_create(struct checks *c);

/* A finding with one address and a plain sentence, unless this call has a finding already. */
void finding_say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const char *name,
	const void *value, const char *detail);
/* The same about up to two objects; either may be NULL. */
__attribute__((format(printf, 6, 7))) void finding_on(struct checks *c, struct acl_event *ev,
	const struct acl_rule *rule, const struct acl_object *o, const struct acl_object *other,
	const char *format, ...);

#endif
