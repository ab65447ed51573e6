/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a report is whole and agrees with itself.  One that was cut or edited by hand must not be read as
 * if nothing had been found.
 */
#include "tools/aclcheck/report/merge_parts.h"

#include "interpose/common/report_format.h"
#include "tools/aclcheck/report/report.h"

static const char *const totals[FINDING_TOTALS] = {
	"error", "warning", "perf", "portability", "advice", "suppressed", "expected"};
#define SEVERITIES 4 /* of these, the first */

/* FINDING_TOTALS: none of them. */
static unsigned severity_of(struct span value)
{
	struct span word;
	unsigned i = 0;

	if (!value.at || !span_string(value, &word))
		return FINDING_TOTALS;
	while (i < SEVERITIES && !span_is(word, totals[i]))
		i++;
	return i < SEVERITIES ? i : FINDING_TOTALS;
}

const char *finding_check(const struct finding_read *r)
{
	if (severity_of(r->severity) == FINDING_TOTALS)
		return "a finding's 'severity' is missing or unknown";
	if (r->count.at && span_number(r->count, 0) < 1)
		return "a finding's 'count' is no positive number";
	return NULL;
}

/* As finding_total() has it, of text. */
void finding_count(struct finding_counts *c, const struct finding_read *r, json_int_t count)
{
	unsigned at = severity_of(r->severity);

	c->listed |= 1u << at;
	if (r->secondary.at && span_is(r->secondary, "true"))
		return;
	if (r->suppressed.at && span_is(r->suppressed, "true"))
		at = SEVERITIES + 1;
	else if (r->expected)
		at = SEVERITIES + 2;
	else if (r->advice.at && span_is(r->advice, "true"))
		at = SEVERITIES;
	if (at < FINDING_TOTALS)
		c->of[at] = sane_count(c->of[at] + count);
}

static const char *lacking_key(const json_t *head, bool findings)
{
	static const struct {
		const char *key;
		json_type type;
	} needed[] = {{"aclcheck", JSON_STRING}, {"format", JSON_INTEGER}, {"verdict", JSON_STRING},
		{"inconclusive", JSON_ARRAY}, {"calls", JSON_INTEGER}, {"totals", JSON_OBJECT}};

	for (unsigned i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		const json_t *value = json_object_get(head, needed[i].key);

		if (!value || json_typeof(value) != needed[i].type)
			return needed[i].key;
	}
	return findings ? NULL : "findings";
}

/* Severities that make the process fail. */
static unsigned failing(const json_t *head)
{
	return strcmp(text_of(json_object_get(head, "settings"), "fail_on"), "warning") ? 1 : 2;
}

/*
 * A merged report was counted by what it lists.  A process counts while others of its threads go on: there,
 * what can make it fail must not be missing in the list.
 */
static const char *other_total(const json_t *head, const struct finding_counts *c)
{
	const json_t *claimed = json_object_get(head, "totals");
	const bool merged = json_object_get(head, "processes") != NULL;

	for (unsigned i = 0; i < (merged ? FINDING_TOTALS : failing(head)); i++) {
		json_int_t n = sane_count(number_of(claimed, totals[i]));

		if (merged ? n != c->of[i] : n && !(c->listed & 1u << i))
			return totals[i];
	}
	return NULL;
}

/* By findings of the severities that can, or an expectation that was not met. */
static bool can_fail(const json_t *head, const struct finding_counts *c)
{
	return c->of[0] || c->of[1] || json_array_size(json_object_get(head, "expectations"));
}

static bool verdict_agrees(const json_t *head, const struct finding_counts *c)
{
	const char *verdict = text_of(head, "verdict");

	if (!strcmp(verdict, "fail"))
		return can_fail(head, c);
	return !strcmp(verdict, "pass");
}

bool report_check(const json_t *head, bool findings, const struct finding_counts *c, char *why, size_t size)
{
	const char *key = lacking_key(head, findings);

	*why = '\0';
	if (key)
		snprintf(why, size, "'%s' is missing or not of its kind", key);
	else if (json_array_size(json_object_get(head, "inconclusive")))
		return true; /* so is what is made of it; a process whose tables were full counts more than it
				lists */
	else if ((key = other_total(head, c)))
		snprintf(why, size, "'totals' does not agree with the findings: %s", key);
	else if (!verdict_agrees(head, c))
		snprintf(why, size, "'verdict' does not agree with what the report lists");
	return !*why;
}
