/* SPDX-License-Identifier: Apache-2.0 */
/* Suppressions, expectations and baselines applied to reports. */
#include "tools/aclcheck/report/report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interpose/common/suppression.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/report/merge_parts.h"

#define FRAMES_MAX 64
#define OBJECTS_MAX 16

static bool bad_suppressions;

static void complain(const char *line)
{
	bad_suppressions = true;
	command_say("%s", line);
}

bool suppressions_read(const char *path)
{
	char today[16];
	time_t now = time(NULL);

	strftime(today, sizeof(today), "%Y-%m-%d", gmtime(&now));
	bad_suppressions = false;
	suppress_load(path, today, complain);
	return !bad_suppressions;
}

static const char *known_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Merged findings carry many ranks: all of them must match. */
static const struct suppression *match_ranks(struct suppress_subject *s, const json_t *ranks)
{
	const struct suppression *p = NULL;
	size_t i;

	if (!json_array_size(ranks))
		return suppress_match(s);
	for (i = 0; i < json_array_size(ranks); i++) {
		s->rank = (int)json_integer_value(json_array_get(ranks, i));
		p = suppress_match(s);
		if (!p)
			return NULL;
	}
	return p;
}

static const struct suppression *match(const json_t *finding)
{
	struct suppress_frame frames[FRAMES_MAX];
	const char *words[3 * OBJECTS_MAX];
	struct suppress_subject s = {.rule = text_of(finding, "rule"),
		.call = known_text(finding, "call"),
		.fingerprint = text_of(finding, "fingerprint"),
		.frames = frames,
		.objects = words,
		.rank = -1};
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(finding, "stack"), i, one)
	{
		const char *function = known_text(one, "function"), *symbol = known_text(one, "symbol");

		if (s.n_frames < FRAMES_MAX)
			frames[s.n_frames++] = (struct suppress_frame){function, symbol ? symbol : function,
				known_text(one, "file"), known_text(one, "module")};
	}
	json_array_foreach(json_object_get(finding, "objects"), i, one)
	{
		if (i == OBJECTS_MAX)
			break;
		words[s.n_objects++] = known_text(one, "role");
		words[s.n_objects++] = known_text(one, "kind");
		words[s.n_objects++] = known_text(one, "value");
	}
	return match_ranks(&s, json_object_get(finding, "ranks"));
}

static json_t *expectation_json(const struct suppression *p)
{
	json_t *json = json_pack("{s:s}", "in", "file");
	const char *key, *value;

	for (unsigned k = 0; suppress_member(p, k, &key, &value); k++)
		if (value)
			json_object_set_new(json, key, json_string(value));
	if (p->expired)
		json_object_set_new(json, "expired", json_true());
	json_object_set_new(json, "met", json_integer((json_int_t)p->matched));
	return json;
}

/* Entries of the file beside what the processes say of theirs: those that read the same file counted already.
 */
static void add_expectations(json_t *report)
{
	json_t *sums = NULL, *known;
	const struct suppression *list;
	size_t n;

	list = suppress_list(&n);
	expectations_add(&sums, json_object_get(report, "expectations"));
	for (size_t i = 0; i < n && list[i].expected; i++) {
		json_t *one = json_pack("[o]", expectation_json(&list[i]));

		known = expectations_find(sums, json_array_get(one, 0));
		if (!known || !number_of(known, "met"))
			expectations_add(&sums, one);
		json_decref(one);
	}
	if (sums)
		json_object_set_new(report, "expectations", sums_list(sums));
	json_decref(sums);
}

static void say_stale(json_t *report)
{
	size_t n;
	const struct suppression *list = suppress_list(&n);
	json_t *unused = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct suppression *p = &list[i];

		if (p->expected || (!p->expired && p->matched))
			continue;
		command_say("suppression of %s (%s) %s%s", p->rule ? p->rule : p->fingerprint, p->reason,
			p->expired ? "expired on " : "matched nothing", p->expired ? p->until : "");
		json_array_append_new(unused, json_pack("{s:s, s:s, s:s}", p->rule ? "rule" : "fingerprint",
						      p->rule ? p->rule : p->fingerprint, "reason", p->reason,
						      "state", p->expired ? "expired" : "unused"));
	}
	json_object_set_new(report, "unused_suppressions", unused);
}

void suppressions_apply(json_t *report)
{
	json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		const struct suppression *p =
			strcmp(text_of(finding, "expected_in"), "program") ? match(finding) : NULL;

		if (p && p->expected) {
			json_object_set_new(finding, "expected", json_true());
			json_object_set_new(finding, "expected_by", json_string(p->reason));
			json_object_set_new(finding, "expected_in", json_string("file"));
		} else if (p && !flag_of(finding, "expected")) {
			json_object_set_new(finding, "suppressed", json_true());
			json_object_set_new(finding, "suppressed_by", json_string(p->reason));
		}
	}
	add_expectations(report);
	say_stale(report);
}

json_t *baseline_read(const char *path)
{
	struct merge *m = merge_new();
	json_t *report = merge_add(m, path) ? merge_result(m) : NULL;

	merge_free(m);
	return report;
}

json_t *baseline_fingerprints(const json_t *report)
{
	json_t *set = json_object(), *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		if (!flag_of(finding, "expected"))
			json_object_set(set, text_of(finding, "fingerprint"), finding);
	}
	return set;
}

void baseline_apply(json_t *report, const json_t *old)
{
	json_t *known = baseline_fingerprints(old), *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		const char *print = text_of(finding, "fingerprint");

		if (!flag_of(finding, "expected"))
			json_object_set_new(
				finding, "known", json_boolean(json_object_get(known, print) != NULL));
	}
	json_decref(known);
}
