/* SPDX-License-Identifier: Apache-2.0 */
/* Suppressions, expectations and baselines applied to reports; aclcheck diff and aclcheck suppress. */
#include "tools/aclcheck/baseline.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interpose/common/suppression.h"
#include "tools/aclcheck/asked.h"
#include "tools/aclcheck/command.h"
#include "tools/aclcheck/formats.h"
#include "tools/aclcheck/merge.h"
#include "tools/aclcheck/merge_expect.h"

#define FRAMES_MAX 64
#define OBJECTS_MAX 16

int cmd_diff(int argc, char **argv);
int cmd_suppress(int argc, char **argv);

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
		json_object_set_new(report, "expectations", expectations_list(sums));
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

/*
 * Fingerprints of a report as members of an object.  What a test expected is
 * no known finding: where it is not expected, it is new.
 */
static json_t *fingerprints(const json_t *report)
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
	json_t *known = fingerprints(old), *finding;
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

/* --- aclcheck diff -------------------------------------------------------------- */

static void print_change(const char *what, const json_t *finding)
{
	const json_t *frame = finding_frame(finding);

	printf("%-6s ", what);
	put_safe(stdout, text_of(finding, "fingerprint"));
	putchar(' ');
	put_safe(stdout, text_of(finding, "severity"));
	printf("%*s ", 10 - (int)strnlen(text_of(finding, "severity"), 10), "");
	put_safe(stdout, text_of(finding, "rule"));
	putchar(' ');
	put_safe(stdout, text_of(finding, "call"));
	if (frame) {
		fputs("  ", stdout);
		put_safe(stdout, text_of(frame, "function"));
		if (*text_of(frame, "file")) {
			fputs(" (", stdout);
			put_safe(stdout, text_of(frame, "file"));
			printf(":%lld)", number_of(frame, "line"));
		}
	}
	putchar('\n');
}

/* Rules the program no longer puts to the test: their silence is worth less than before. */
static void print_unevaluated(const json_t *old, const json_t *new)
{
	json_int_t times;

	if (!asked_told(old) || !asked_told(new))
		return;
	for (unsigned i = 0; i < acl_rule_count; i++) {
		const struct acl_rule *r = &acl_rules[i];

		if (asked_state(old, r, &times) >= ASKED_SILENT && asked_state(new, r, &times) == ASKED_NEVER)
			printf("unevaluated %s\n", r->id);
	}
}

/* Number of new findings that fail. */
static size_t print_changes(json_t *old, json_t *new, enum fail_on fail_on)
{
	json_t *now = fingerprints(new), *finding;
	size_t i, failing = 0;

	baseline_apply(new, old);
	json_array_foreach(json_object_get(new, "findings"), i, finding)
	{
		if (flag_of(finding, "known") || flag_of(finding, "expected"))
			continue;
		print_change("new", finding);
		failing += finding_fails(finding, fail_on);
	}
	json_array_foreach(json_object_get(old, "findings"), i, finding)
	{
		if (!json_object_get(now, text_of(finding, "fingerprint")) && !flag_of(finding, "expected"))
			print_change("gone", finding);
	}
	json_array_foreach(json_object_get(new, "findings"), i, finding)
	{
		if (flag_of(finding, "known"))
			print_change("still", finding);
	}
	json_decref(now);
	print_unevaluated(old, new);
	return failing;
}

int cmd_diff(int argc, char **argv)
{
	static const struct option options[] = {
		{"fail-on", required_argument, NULL, 'f'}, {"help", no_argument, NULL, 'h'}, {0}};
	enum fail_on fail_on = FAIL_ON_ERROR;
	json_t *old, *new;
	size_t failing;
	int c, code;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h')
			return command_help("diff",
				"  --fail-on error|warning   least severity of a new finding that "
				"makes the exit code 97\n\nExit codes: 0 no such finding is new, 97 "
				"one is, 98 NEW is inconclusive, 99 misuse.\n");
		if (c != 'f')
			return COMMAND_MISUSE;
		if (!fail_on_parse(optarg, &fail_on) || fail_on == FAIL_ON_NEW)
			return command_misuse("diff: --fail-on is error or warning");
	}
	if (argc - optind != 2)
		return command_misuse("diff: needs an old and a new report");
	old = baseline_read(argv[optind]);
	new = baseline_read(argv[optind + 1]);
	if (!old || !new) {
		json_decref(old);
		json_decref(new);
		return COMMAND_MISUSE;
	}
	failing = print_changes(old, new, fail_on);
	code = failing                                                 ? COMMAND_FAIL
	       : json_array_size(json_object_get(new, "inconclusive")) ? COMMAND_INCONCLUSIVE
								       : COMMAND_PASS;
	json_decref(old);
	json_decref(new);
	return code;
}

/* --- aclcheck suppress ------------------------------------------------------------ */

static json_t *suppression_for(const json_t *finding, const char *reason, const char *until)
{
	const json_t *frame = finding_frame(finding);
	char *note = NULL;
	json_t *json;

	if (asprintf(&note, "%s%s%s%s%s", text_of(finding, "call"), frame ? " in " : "",
		    frame ? text_of(frame, "function") : "", frame && *text_of(frame, "file") ? ", " : "",
		    frame ? text_of(frame, "file") : "") < 0)
		return NULL;
	json = json_pack("{s:s, s:s, s:s, s:s}", "rule", text_of(finding, "rule"), "fingerprint",
		text_of(finding, "fingerprint"), "note", note, "reason", reason);
	free(note);
	if (json && until)
		json_object_set_new(json, "until", json_string(until));
	return json;
}

static void print_suppressions(const json_t *report, const char *reason, const char *until)
{
	json_t *list = json_array(), *top = json_pack("{s:o}", "suppressions", list), *finding, *one;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		if (flag_of(finding, "suppressed") || flag_of(finding, "expected"))
			continue;
		one = suppression_for(finding, reason, until);
		if (one)
			json_array_append_new(list, one);
	}
	json_dumpf(top, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(top);
}

int cmd_suppress(int argc, char **argv)
{
	static const struct option options[] = {{"reason", required_argument, NULL, 'r'},
		{"until", required_argument, NULL, 'u'}, {"help", no_argument, NULL, 'h'}, {0}};
	const char *reason = "", *until = NULL;
	struct merge *m;
	json_t *report;
	bool good = true;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h')
			return command_help("suppress",
				"  --reason TEXT   why they are accepted; without it each reason has to be "
				"filled in\n"
				"  --until DAY     last day they hold, as in 2027-01-31\n\n"
				"Prints a file for --suppress: each finding by rule and fingerprint.\n");
		if (c == 'r')
			reason = optarg;
		else if (c == 'u')
			until = optarg;
		else
			return COMMAND_MISUSE;
	}
	if (optind == argc)
		return command_misuse("suppress: no report named");
	m = merge_new();
	for (; optind < argc; optind++)
		good &= merge_add(m, argv[optind]);
	report = merge_result(m);
	merge_free(m);
	if (good)
		print_suppressions(report, reason, until);
	json_decref(report);
	return good ? 0 : COMMAND_MISUSE;
}
