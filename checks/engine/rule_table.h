/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule table: one entry a rule, generated from the families in checks/rules into
 * build/gen/acl_rules.c.  The text of a rule stands there and nowhere else.
 */
#ifndef CHECKS_RULE_TABLE_H
#define CHECKS_RULE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum acl_severity { ACL_SEV_PORTABILITY, ACL_SEV_PERF, ACL_SEV_WARNING, ACL_SEV_ERROR };
enum acl_tier { ACL_TIER_MISSION, ACL_TIER_STATE, ACL_TIER_ARGUMENT, ACL_TIER_ADVICE, ACL_TIER_TOOL };
enum acl_default { ACL_DEFAULT_ON, ACL_DEFAULT_ADVICE, ACL_DEFAULT_OFF };
enum acl_rule_state { ACL_RULE_IMPLEMENTED, ACL_RULE_PLANNED, ACL_RULE_UNCHECKABLE };
/* The engine that a planned rule waits for: order of operations, or state of captures and models. */
enum acl_rule_waits_for { ACL_WAITS_FOR_NOTHING, ACL_WAITS_FOR_ORDER, ACL_WAITS_FOR_CAPTURE };
enum acl_lang { ACL_LANG_EN, ACL_LANG_ZH, ACL_LANG_COUNT };

#define ACL_RULE_ID 44 /* with its NUL */
#define ACL_RULE_FAMILY 16

/* Without a pointer, so that nothing is left to relocate when the library is loaded. */
struct acl_rule {
	char id[ACL_RULE_ID]; /* "async-copy-alignment" */
	char family[ACL_RULE_FAMILY]; /* "copy" */
	uint16_t index; /* position in acl_rules, sorted by id */
	uint8_t severity; /* enum acl_severity */
	uint8_t tier; /* enum acl_tier */
	uint8_t dflt; /* enum acl_default */
	uint8_t state; /* enum acl_rule_state */
	uint8_t rank; /* 0 = most specific */
	bool yields; /* not said beside another finding of the call whose rank is smaller */
	uint8_t waits_for; /* enum acl_rule_waits_for; of planned rules only */
	int8_t relaxed_since; /* enum acl_cann from which relaxed_to applies, -1 = never relaxed */
	uint8_t relaxed_to; /* enum acl_severity, or ACL_RELAXED_OFF */
};

/* What is said of a rule. The first ones are there in both languages: RULE_TITLE + ACL_LANG_ZH. */
enum acl_rule_text {
	RULE_TITLE,
	RULE_HINT = RULE_TITLE + ACL_LANG_COUNT, /* how to fix it */
	RULE_WHY = RULE_HINT + ACL_LANG_COUNT, /* why it matters; what the real runtime does */
	RULE_SOURCE = RULE_WHY + ACL_LANG_COUNT, /* the document the rule comes from */
	RULE_BAD, /* code */
	RULE_GOOD,
	RULE_REASON, /* UNCHECKABLE: why */
	RULE_APIS, /* functions it is about, separated by blanks; "aclrt*" = all of that name */
	RULE_TEXTS
};

#define ACL_RELAXED_OFF 255

extern const struct acl_rule acl_rules[];
extern const unsigned acl_rule_count;
extern const uint32_t
	acl_rule_text_at[][RULE_TEXTS]; /* by index: where it begins in acl_rule_texts, 0 = none */
extern const char acl_rule_texts[];

/* NULL = there is none. */
const char *rule_text(const struct acl_rule *rule, enum acl_rule_text which);
/* One of those that are there in both languages; in English where it is not translated. */
const char *rule_text_in(const struct acl_rule *rule, enum acl_rule_text which, enum acl_lang lang);

/* Rule of an id, or NULL. Binary search. */
const struct acl_rule *acl_rule_find(const char *id);

/*
 * A place that names a rule; all of them lie in one section, where rule_places_fill() finds them.  As large
 * as it is aligned: compilers align larger objects, which would leave gaps between them.
 */
struct acl_rule_place {
	_Alignas(64) char id[ACL_RULE_ID];
	_Atomic(const struct acl_rule *) rule;
};

#define ACL_RULE_PLACES __attribute__((section("acl_rule_places"), used))

/* Looks the rules of all places up; before the first call is checked. */
void rule_places_fill(void);

static inline const struct acl_rule *rule_at(const struct acl_rule_place *p)
{
	return atomic_load_explicit(&((struct acl_rule_place *)p)->rule, memory_order_relaxed);
}

/*
 * RULE("async-copy-alignment"): the rule of a literal id.  The id is written where
 * it is checked so that one grep finds the rule, its check and its tests;
 * `make test` fails on an id the table lacks.
 */
#define RULE(literal)                                                                                        \
	({                                                                                                   \
		static ACL_RULE_PLACES struct acl_rule_place place_ = {literal, NULL};                       \
		rule_at(&place_);                                                                            \
	})

#endif
