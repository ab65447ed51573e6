/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the list of faults. Nothing is allocated. */
#include "interpose/common/fault_rules.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "aclcheck/model.h"
#include "checks/engine/atomics.h"

/* Sentences of other languages are found by the whole text. */
#define TOO_MANY "is one fault too many: 32 are possible"
_Static_assert(FAULT_RULES == 32, "what TOO_MANY says");
#define DELAY_MAX_NS (UINT64_C(3600) * 1000000000u)

bool fault_word_matches(const char *pattern, const char *word)
{
	size_t n = strlen(pattern);

	return n && pattern[n - 1] == '*' ? !strncmp(pattern, word, n - 1) : !strcmp(pattern, word);
}

bool fault_is_about(const struct fault_rule *rule, unsigned api)
{
	return fault_word_matches(rule->function, acl_apis[api].name);
}

bool fault_chooses(const struct fault_rule *rule, uint64_t nth)
{
	if (rule->from && (rule->onwards ? nth < rule->from : nth != rule->from))
		return false;
	return !rule->by_chance || mix64(mix64(rule->seed + 1) ^ nth) <= rule->chance;
}

/* --- values ------------------------------------------------------------------------------- */

/* At most 18 digits; *end is behind them. */
static bool read_number(const char *s, size_t n, uint64_t *out, size_t *end)
{
	size_t i = 0;

	for (*out = 0; i < n && i < 18 && isdigit((unsigned char)s[i]); i++)
		*out = *out * 10 + (uint64_t)(s[i] - '0');
	*end = i;
	return i > 0;
}

static const char *read_when(struct fault_rule *r, const char *value, size_t n)
{
	size_t end;

	if (!read_number(value, n, &r->from, &end) || !r->from)
		return "must be which call it is: 3, or 3+ for that and all after it";
	r->onwards = end < n && value[end] == '+';
	return end + r->onwards == n ? NULL : "must be which call it is: 3, or 3+ for that and all after it";
}

/* "0.01", "1": decimals beyond the ninth say nothing. */
static const char *read_chance(struct fault_rule *r, const char *value, size_t n)
{
	static const char wrong[] = "must be a probability above 0, 1 at most";
	uint64_t whole = 0, part = 0, unit = 1000000000u;
	size_t end = 0;

	if (!read_number(value, n, &whole, &end) || whole > 1)
		return wrong;
	if (end < n && value[end] == '.')
		for (end++; end < n && isdigit((unsigned char)value[end]); end++) {
			unit /= 10;
			part += unit * (uint64_t)(value[end] - '0');
		}
	if (end != n || (whole ? part > 0 : !part))
		return wrong;
	r->by_chance = true;
	r->chance = whole ? UINT64_MAX : UINT64_MAX / 1000000000u * part;
	return NULL;
}

static const char *read_seed(struct fault_rule *r, const char *value, size_t n)
{
	size_t end;

	return read_number(value, n, &r->seed, &end) && end == n ? NULL : "must be a number";
}

static const char *read_error(struct fault_rule *r, const char *value, size_t n)
{
	uint64_t code;
	size_t end;

	if (!read_number(value, n, &code, &end) || end != n || !code || code > INT32_MAX)
		return "must be an error code that is not 0, such as 207001";
	r->error = (int32_t)code;
	return NULL;
}

static const char *read_delay(struct fault_rule *r, const char *value, size_t n)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	uint64_t number;
	size_t end;

	if (read_number(value, n, &number, &end))
		for (unsigned i = 0; i < sizeof(units) / sizeof(*units); i++)
			if (strlen(units[i].name) == n - end &&
				!strncmp(value + end, units[i].name, n - end) && number &&
				number <= DELAY_MAX_NS / units[i].ns) {
				r->delay_ns = number * units[i].ns;
				return NULL;
			}
	return "must be a time up to an hour with its unit: 50ms (ns, us, ms, s)";
}

static const char *read_word(char out[FAULT_WORD], const char *value, size_t n)
{
	if (!n || n >= FAULT_WORD)
		return "is empty, or too long";
	memcpy(out, value, n);
	out[n] = '\0';
	return NULL;
}

static const char *read_place(struct fault_rule *r, const char *value, size_t n)
{
	for (unsigned i = 0; i < FAULT_PLACES; i++)
		if (!*r->at[i])
			return read_word(r->at[i], value, n);
	return "is given a third time";
}

/* --- one fault ----------------------------------------------------------------------------- */

static bool key_is(const char *key, size_t n, const char *name)
{
	return strlen(name) == n && !strncmp(key, name, n);
}

static const char *read_key(struct fault_rule *r, const char *part, size_t n)
{
	const char *value = memchr(part, '=', n);
	size_t k = value ? (size_t)(value++ - part) : 0, m = value ? n - k - 1 : 0;

	if (key_is(part, k, "when"))
		return read_when(r, value, m);
	if (key_is(part, k, "p"))
		return read_chance(r, value, m);
	if (key_is(part, k, "seed"))
		return read_seed(r, value, m);
	if (key_is(part, k, "error"))
		return read_error(r, value, m);
	if (key_is(part, k, "delay"))
		return read_delay(r, value, m);
	if (key_is(part, k, "at"))
		return read_place(r, value, m);
	if (key_is(part, k, "thread"))
		return read_word(r->thread, value, m);
	r->watch |= key_is(part, n, "watch");
	return key_is(part, n, "watch") ? NULL
					: "is none of when=, p=, seed=, at=, thread=, error=, delay=, watch";
}

/* Of those that fail it is asked that all functions meant can. */
static const char *whole_wrong(const struct fault_rule *r)
{
	bool any = false, silent = false;

	for (unsigned api = 0; api < acl_api_count; api++)
		if (fault_is_about(r, api)) {
			any = true;
			silent |= acl_apis[api].ret_kind != ACL_KIND_ERROR;
		}
	if (!any)
		return "begins with no function of the runtime that is wrapped";
	if (!r->error && !r->delay_ns && !r->watch)
		return "has none of error=, delay= and watch";
	if (r->watch && (r->error || r->delay_ns))
		return "has watch, which changes nothing, beside error= or delay=";
	if (r->error && silent)
		return "cannot fail: the function returns no error code, and delay= only is possible";
	return NULL;
}

static const char *read_rule(struct fault_rule *r, const char *s, size_t n, const char **bad, size_t *len)
{
	const char *wrong;
	size_t at = 0;

	memset(r, 0, sizeof(*r));
	*bad = s;
	*len = n;
	if (n >= sizeof(r->text))
		return "is too long";
	memcpy(r->text, s, n);
	for (unsigned part = 0; at <= n; part++) {
		const char *colon = memchr(s + at, ':', n - at);
		size_t end = colon ? (size_t)(colon - s) : n;

		*bad = s + at;
		*len = end - at;
		wrong = part ? read_key(r, s + at, end - at) : read_word(r->function, s + at, end - at);
		if (wrong)
			return wrong;
		at = end + 1;
	}
	*bad = s;
	*len = n;
	return whole_wrong(r);
}

const char *fault_rules_parse(const char *list, struct fault_rules *out, const char **bad, size_t *len)
{
	const char *wrong = NULL;

	out->n = 0;
	while (*list && !wrong) {
		size_t n = strcspn(list, ";"), blanks = strspn(list, " \t\n"), kept = n;

		while (kept > blanks && isspace((unsigned char)list[kept - 1]))
			kept--;
		*bad = list;
		*len = n;
		if (kept > blanks && out->n == FAULT_RULES)
			wrong = TOO_MANY;
		else if (kept > blanks)
			wrong = read_rule(&out->rule[out->n++], list + blanks, kept - blanks, bad, len);
		list += n;
		list += *list == ';';
	}
	if (wrong)
		out->n = 0;
	return wrong;
}
