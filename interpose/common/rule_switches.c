/* SPDX-License-Identifier: Apache-2.0 */
/* The rule list of ACLCHECK_RULES: "+perf,-event-churn,copy-*=advice". */
#include "interpose/common/rule_switches.h"

#include <string.h>

const char *const acl_severity_names[] = {"portability", "perf", "warning", "error"};
static const char *const tier_word[] = {"mission", "state", "argument", "advice", "tool"};

static bool is(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(word, name, n);
}

static bool matches(const struct acl_rule *r, const char *word, size_t n)
{
	if (n && word[n - 1] == '*')
		return strlen(r->id) >= n - 1 && !memcmp(r->id, word, n - 1);
	return is(word, n, r->id) || is(word, n, r->family) || is(word, n, acl_severity_names[r->severity]) ||
	       is(word, n, tier_word[r->tier]) || is(word, n, "all");
}

/* The group words exist even when the table has no such rule just now. */
static bool is_group(const char *word, size_t n)
{
	for (unsigned i = 0; i <= ACL_SEV_ERROR; i++)
		if (is(word, n, acl_severity_names[i]))
			return true;
	for (unsigned i = 0; i < sizeof(tier_word) / sizeof(*tier_word); i++)
		if (is(word, n, tier_word[i]))
			return true;
	return false;
}

/* One word of the list without its sign; false when it names nothing. */
static bool apply(const char *word, size_t n, enum acl_default as, uint8_t *dflt)
{
	bool any = is_group(word, n);

	for (unsigned i = 0; i < acl_rule_count; i++) {
		if (!matches(&acl_rules[i], word, n))
			continue;
		dflt[acl_rules[i].index] = (uint8_t)(1 + as);
		any = true;
	}
	return any;
}

/* "x=on", "x=advice", "x=off": the length of x, *as set. */
static size_t split_value(const char *word, size_t n, enum acl_default *as)
{
	const char *eq = memchr(word, '=', n);
	size_t rest;

	if (!eq)
		return n;
	rest = n - (size_t)(eq - word) - 1;
	if (is(eq + 1, rest, "on"))
		*as = ACL_DEFAULT_ON;
	else if (is(eq + 1, rest, "advice"))
		*as = ACL_DEFAULT_ADVICE;
	else if (is(eq + 1, rest, "off"))
		*as = ACL_DEFAULT_OFF;
	else
		return n;
	return (size_t)(eq - word);
}

const char *settings_rules(const char *list, uint8_t *dflt, size_t *len)
{
	const char *bad = NULL;

	while (*list) {
		size_t n = strcspn(list, ", \t\n");
		const char *word = list;
		enum acl_default as = ACL_DEFAULT_ON;
		size_t m = n;

		list += n + (list[n] != '\0');
		if (!n)
			continue;
		if (*word == '+' || *word == '-') {
			as = *word == '-' ? ACL_DEFAULT_OFF : ACL_DEFAULT_ON;
			word++;
			m--;
		}
		m = split_value(word, m, &as);
		if ((!m || !apply(word, m, as, dflt)) && !bad) {
			bad = word;
			*len = m;
		}
	}
	return bad;
}
