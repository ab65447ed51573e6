/* SPDX-License-Identifier: Apache-2.0 */
/* A report for a terminal or a log. */
#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/formats/formats.h"
#include "tools/aclcheck/common/command.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/common/messages.h"
#include "interpose/common/rule_switches.h"
#include "interpose/common/sentences.h"
#include "interpose/common/text.h"

#define LINES_PER_FINDING 10 /* for each finding in full as many in a line */
#define JOB_LINES 40
#define PROCESSES_SHOWN 64

/* English unless a person reads it: other formats have parts of this one. */
static enum acl_lang lang = ACL_LANG_EN;

static const char *msg(enum message m)
{
	return message_text(m, lang);
}

/* A message with numbers, in their order. */
#define SAY(to, m, ...) text_say(to, m, (const uint64_t[5]){__VA_ARGS__})
static void text_say(FILE *to, enum message m, const uint64_t *n)
{
	char line[512];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_fmt(&t, msg(m), n[0], n[1], n[2], n[3], n[4]);
	fputs(line, to);
}

/* "error" and the like; other words stay as they are. */
static const char *severity_word(const char *word)
{
	static const struct {
		const char *word;
		enum message message;
	} words[] = {{"error", MSG_ERROR}, {"warning", MSG_WARNING}, {"perf", MSG_PERF},
		{"portability", MSG_PORTABILITY}, {"advice", MSG_ADVICE}, {"suppressed", MSG_SUPPRESSED},
		{"expected", MSG_EXPECTED}};

	for (unsigned i = 0; lang != ACL_LANG_EN && i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].word, word))
			return msg(words[i].message);
	return word;
}

/* The rule's text in the language, if there is one; else the report's. */
static const char *rule_words(const json_t *finding, enum acl_rule_text which, const char *member)
{
	const struct acl_rule *r = lang == ACL_LANG_EN ? NULL : acl_rule_find(text_of(finding, "rule"));
	const char *text = r ? rule_text(r, which + lang) : NULL;

	return text && *text ? text : text_of(finding, member);
}

/* In the language, what the table has of it. */
static void text_put_words(FILE *to, const char *english)
{
	size_t n = strlen(english), cap = 8 * n + 1024;
	char *line = need(malloc(cap));
	struct text t;

	text_init(&t, line, cap);
	sentences_put(&t, english, n, lang);
	fputs(line, to);
	free(line);
}

static void put_detail(FILE *to, const char *detail)
{
	if (!*detail)
		return;
	fputs("   ", to);
	text_put_words(to, detail);
	fputc('\n', to);
}

static void text_report_put(FILE *to, const char *before, const char *value, const char *after)
{
	if (!*value)
		return;
	fputs(before, to);
	put_safe(to, value);
	fputs(after, to);
}

static void print_value(FILE *to, const json_t *value)
{
	if (json_is_string(value))
		put_safe(to, json_string_value(value));
	else
		json_dumpf(value, to, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
}

static void print_frames(FILE *to, const json_t *stack, const char *first, const char *rest)
{
	const json_t *frame;
	size_t i;

	json_array_foreach(stack, i, frame)
	{
		const char *file = text_of(frame, "file");

		fputs(i ? rest : first, to);
		put_safe(to,
			*text_of(frame, "function") ? text_of(frame, "function") : text_of(frame, "address"));
		fputs(" (", to);
		put_safe(to, *file ? file : text_of(frame, "module"));
		if (*file)
			fprintf(to, ":%lld", number_of(frame, "line"));
		else if (*text_of(frame, "offset"))
			text_report_put(to, "+", text_of(frame, "offset"), "");
		fputs(")\n", to);
	}
}

static void print_moment(FILE *to, enum message what, const json_t *moment)
{
	if (!moment)
		return;
	fprintf(to, "     %s", msg(what));
	put_safe(to, text_of(moment, "call"));
	fputc('\n', to);
	print_frames(to, json_object_get(moment, "stack"), "       ", "       ");
}

static void print_object(FILE *to, const json_t *object)
{
	char size[40];

	if (*text_of(object, "role")) {
		fputs("   ", to);
		text_put_words(to, text_of(object, "role"));
		fputs(": ", to);
	}
	text_put_words(to, text_of(object, "kind"));
	text_report_put(to, " ", text_of(object, "value"), "");
	if (*text_of(object, "name")) {
		fputs(" \"", to);
		put_safe(to, text_of(object, "name"));
		fputc('"', to);
	}
	snprintf(size, sizeof(size), "%lld bytes", number_of(object, "size"));
	if (number_of(object, "size")) {
		fputs(", ", to);
		text_put_words(to, size);
	}
	fputc('\n', to);
	print_moment(to, MSG_CREATED, json_object_get(object, "created"));
	print_moment(to, MSG_LAST_USED, json_object_get(object, "last_used"));
	print_moment(to, MSG_DESTROYED, json_object_get(object, "destroyed"));
}

static void print_call(FILE *to, const json_t *finding)
{
	const json_t *value;
	bool first = true;
	const char *key;

	if (!*text_of(finding, "call"))
		return;
	text_report_put(to, "   ", text_of(finding, "call"), "(");
	json_object_foreach((json_t *)json_object_get(finding, "args"), key, value)
	{
		text_report_put(to, first ? "" : ", ", key, "=");
		print_value(to, value);
		first = false;
	}
	fputc(')', to);
	if (*text_of(finding, "result"))
		fprintf(to, " %s", msg(MSG_RETURNED));
	text_report_put(to, "", text_of(finding, "result"), "");
	if (flag_of(finding, "inside"))
		fputs(msg(MSG_NOT_RETURNED), to);
	fputc('\n', to);
}

/* Several lines of one function, or of several programs. */
static void print_sites(FILE *to, const json_t *sites)
{
	const json_t *site;
	size_t i;

	if (json_array_size(sites) < 2)
		return;
	SAY(to, MSG_AT_SITES, json_array_size(sites));
	json_array_foreach(sites, i, site)
	{
		text_report_put(to, "      ", frame_place(site), "");
		fprintf(to, " x %lld\n", number_of(site, "count"));
	}
}

static void put_labelled(FILE *to, enum message label, const char *text)
{
	if (*text)
		fprintf(to, "   %s", msg(label));
	text_report_put(to, "", text, "\n");
}

static void print_severity(FILE *to, const json_t *finding)
{
	static const char *const marks[] = {"advice", "suppressed", "expected"};

	for (unsigned i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (flag_of(finding, marks[i]))
			fprintf(to, "%s/", severity_word(marks[i]));
	put_safe(to, severity_word(text_of(finding, "severity")));
}

void print_text_finding(FILE *to, const json_t *finding)
{
	const json_t *value, *object;
	const char *key;
	size_t i;

	print_severity(to, finding);
	text_report_put(to, ": ", text_of(finding, "rule"), ": ");
	put_safe(to, rule_words(finding, RULE_TITLE, "title"));
	text_report_put(to, " [", text_of(finding, "fingerprint"), "]");
	fprintf(to, " x %lld", number_of(finding, "count"));
	text_report_put(to, " (", finding_ranks(finding), ")");
	if (json_object_get(finding, "known"))
		fputs(msg(flag_of(finding, "known") ? MSG_KNOWN : MSG_NEW), to);
	fputc('\n', to);
	print_call(to, finding);
	put_detail(to, text_of(finding, "detail"));
	json_object_foreach((json_t *)json_object_get(finding, "values"), key, value)
	{
		text_report_put(to, "     ", key, " = ");
		print_value(to, value);
		fputc('\n', to);
	}
	print_frames(to, json_object_get(finding, "stack"), msg(MSG_AT), "      ");
	print_sites(to, json_object_get(finding, "sites"));
	json_array_foreach(json_object_get(finding, "objects"), i, object) print_object(to, object);
	put_labelled(to, MSG_HINT, rule_words(finding, RULE_HINT, "hint"));
	put_labelled(to, MSG_SEE, text_of(finding, "source"));
	if (*text_of(finding, "suppressed_by"))
		fprintf(to, "   %s", msg(MSG_SUPPRESSED));
	text_report_put(to, ": ", text_of(finding, "suppressed_by"), "\n");
	if (*text_of(finding, "expected_by"))
		fprintf(to, "   %s", msg(MSG_EXPECTED));
	text_report_put(to, ": ", text_of(finding, "expected_by"), "\n");
}

/* "RULE PLACE", as the key of a finding in places_of(). */
static char *place_key(const json_t *finding)
{
	char *key;

	if (asprintf(&key, "%s %s", text_of(finding, "rule"), finding_place(finding)) < 0)
		key = NULL;
	return need(key);
}

/* How many findings a rule has at a place, by place_key(). */
static json_t *places_of(const json_t *report)
{
	json_t *places = need(json_object());
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		char *key = place_key(finding);

		json_object_set_new(places, key, json_integer(number_of(places, key) + 1));
		free(key);
	}
	return places;
}

/* Where several findings of the rule are at one place, their callers tell them apart. */
static void print_caller(FILE *to, const json_t *finding, const json_t *places)
{
	char *key = place_key(finding);

	if (number_of(places, key) > 1)
		text_report_put(to, msg(MSG_CALLED_BY), finding_caller(finding), "");
	free(key);
}

/* places: places_of() the report. */
static void print_line(FILE *to, const json_t *finding, const json_t *places)
{
	fputs("  ", to);
	print_severity(to, finding);
	text_report_put(to, " ", text_of(finding, "rule"), "");
	fprintf(to, " x %lld", number_of(finding, "count"));
	text_report_put(to, "  ", text_of(finding, "call"), "");
	text_report_put(to, "  ", finding_place(finding), "");
	print_caller(to, finding, places);
	if (json_array_size(json_object_get(finding, "sites")) > 1)
		SAY(to, MSG_MORE_SITES, json_array_size(json_object_get(finding, "sites")) - 1);
	text_report_put(to, "  [", finding_ranks(finding), "]");
	fputc('\n', to);
}

/* Tests that no longer trip, and expectations that no longer hold. */
static void print_expectations(FILE *to, const json_t *report)
{
	const json_t *expectations = json_object_get(report, "expectations");
	const json_t *one;
	size_t i;

	json_array_foreach(expectations, i, one)
	{
		if (!expectation_unmet(one) && !flag_of(one, "expired"))
			continue;
		text_report_put(to, msg(flag_of(one, "expired") ? MSG_EXPECT_EXPIRED : MSG_UNMET),
			expectation_rule(one), "");
		text_report_put(to, " (", text_of(one, "reason"), "), ");
		text_put_words(to, expectation_place(report, one));
		fputc('\n', to);
	}
}

static void print_injected(FILE *to, const json_t *report)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(report, "injected"), i, one)
	{
		if (!injected_changed(one))
			continue;
		fputs(msg(MSG_INJECTED), to);
		text_put_words(to, injected_text(one));
		fputc('\n', to);
	}
}

/* Where the threads of processes that were killed had got to. */
static void print_last_calls(FILE *to, const json_t *processes)
{
	const json_t *process, *thread, *call;
	size_t i, k, n;

	json_array_foreach(processes, i, process)
	{
		const json_t *threads = json_object_get(process, "last_calls");

		if (json_array_size(threads))
			SAY(to, MSG_KILLED, (uint64_t)number_of(process, "pid"));
		if (json_array_size(threads) && json_object_get(process, "rank"))
			SAY(to, MSG_RANK, (uint64_t)number_of(process, "rank"));
		if (json_array_size(threads))
			fputs(msg(MSG_LAST_CALLS), to);
		json_array_foreach(threads, k, thread)
		{
			SAY(to, MSG_ITS_THREAD, (uint64_t)number_of(thread, "thread"));
			json_array_foreach(json_object_get(thread, "calls"), n, call)
			{
				fputs(flag_of(call, "inside") ? " >" : "  ", to);
				print_call(to, call);
			}
		}
	}
}

/* How much of the API was seen in use, and by which ways. */
static void print_reach(FILE *to, const json_t *reach)
{
	static const char *const ways[] = {"linked", "dlsym", "inside", "in_callbacks"};
	const json_t *one;
	json_int_t sum[4] = {0};
	size_t i;

	if (!reach)
		return;
	json_array_foreach(json_object_get(reach, "calls"), i, one)
	{
		for (unsigned way = 0; way < 4; way++)
			sum[way] = (json_int_t)((uint64_t)sum[way] + (uint64_t)number_of(one, ways[way]));
	}
	SAY(to, MSG_COVERAGE, i, (uint64_t)sum[0], (uint64_t)sum[1], (uint64_t)sum[2], (uint64_t)sum[3]);
	json_array_foreach(json_object_get(reach, "around"), i, one)
	{
		text_report_put(to, msg(MSG_AROUND), text_of(one, "module"), "");
		fprintf(to, "%s\n", flag_of(one, "cann") ? msg(MSG_CANN_OWN) : "");
	}
	json_array_foreach(json_object_get(reach, "foreign"), i, one)
	{
		text_report_put(to, msg(MSG_NOT_CHECKED), text_of(one, "first"),
			number_of(one, "functions") > 1 ? msg(MSG_AND_OTHERS) : "");
		text_report_put(to, msg(MSG_OF_MODULE), text_of(one, "module"), msg(MSG_BY_DLSYM));
	}
}

static void print_cost(FILE *to, const json_t *report)
{
	const json_t *cost = json_object_get(report, "cost");
	json_int_t samples = number_of(cost, "samples");
	char line[256];

	if (!cost)
		return;
	fputs(msg(MSG_COST), to);
	if (samples > 0) {
		snprintf(line, sizeof(line), "%.0f ns a call (%lld timed), ",
			(double)number_of(cost, "samples_ns") / (double)samples, samples);
		text_put_words(to, line);
	}
	snprintf(line, sizeof(line),
		"%.1f ms to open, %.1f ms for findings, %.1f ms to finish, %.1f MiB of memory",
		(double)number_of(cost, "open_us") / 1000, (double)number_of(cost, "findings_us") / 1000,
		(double)number_of(cost, "finish_us") / 1000,
		(double)number_of(cost, "memory_used") / (1 << 20));
	text_put_words(to, line);
	fputc('\n', to);
}

/* The first ones in full, ten times as many in a line each, the rest as a number. */
static void print_findings(FILE *to, const json_t *report)
{
	size_t n = json_array_size(json_object_get(report, "findings")), full = format_options.max_findings;
	size_t lines = full > n / LINES_PER_FINDING ? n : full * LINES_PER_FINDING, i;
	struct graded_finding *sorted = findings_by_gravity(report);
	json_t *places = places_of(report);

	for (i = 0; i < n && i < full; i++)
		print_text_finding(to, sorted[i].finding);
	if (i < n)
		SAY(to, MSG_MORE_FINDINGS, n - i);
	for (; i < lines; i++)
		print_line(to, sorted[i].finding, places);
	if (i < n)
		SAY(to, MSG_MORE_HIDDEN, n - i);
	json_decref(places);
	free(sorted);
}

/* "2 errors", but "2 perf". */
static bool has_plural(const char *word)
{
	return lang == ACL_LANG_EN && (!strcmp(word, "error") || !strcmp(word, "warning"));
}

/* Every key of "totals", zero or not. */
static void print_totals(FILE *to, const json_t *report)
{
	size_t processes = json_array_size(json_object_get(report, "processes"));
	const json_t *value;
	const char *key;

	json_object_foreach((json_t *)json_object_get(report, "totals"), key, value)
	{
		fprintf(to, "%lld", json_integer_value(value));
		text_report_put(to, " ", severity_word(key),
			has_plural(key) && json_integer_value(value) != 1 ? "s, " : ", ");
	}
	SAY(to, MSG_CALLS, (uint64_t)number_of(report, "calls"));
	fputs(", ", to);
	SAY(to, processes == 1 ? MSG_PROCESS : MSG_PROCESSES, processes);
	fputc('\n', to);
}

/* Rank, host and command of each. */
static void print_processes(FILE *to, const json_t *report)
{
	const json_t *process, *word;
	size_t i, k;

	json_array_foreach(json_object_get(report, "processes"), i, process)
	{
		if (i == PROCESSES_SHOWN) {
			SAY(to, MSG_AND_MORE, json_array_size(json_object_get(report, "processes")) - i);
			break;
		}
		SAY(to, MSG_ONE_PROCESS, (uint64_t)number_of(process, "pid"));
		if (json_object_get(process, "rank"))
			SAY(to, MSG_RANK, (uint64_t)number_of(process, "rank"));
		text_report_put(to, ", ", text_of(process, "host"), ":");
		json_array_foreach(json_object_get(process, "argv"), k, word)
			text_report_put(to, " ", json_string_value(word), "");
		fputc('\n', to);
	}
}

/* Where rules about order had to be silent, or gave advice only. */
static void print_evidence_ends(FILE *to, const json_t *report)
{
	const char *key, *separator = NULL;
	const json_t *value;

	json_object_foreach((json_t *)json_object_get(report, "evidence_ends"), key, value)
	{
		if (json_integer_value(value) <= 0)
			continue;
		fputs(separator ? separator : msg(MSG_EVIDENCE_ENDS), to);
		fprintf(to, "%lld ", json_integer_value(value));
		text_put_words(to, key);
		separator = ", ";
	}
	if (separator)
		fputc('\n', to);
}

void print_job_summary(FILE *to, const json_t *report)
{
	size_t n = json_array_size(json_object_get(report, "findings")), lines = 0;
	struct graded_finding *sorted = findings_by_gravity(report);
	json_t *places = places_of(report);

	lang = command_language();
	fprintf(to, "== aclcheck %s: ", msg(MSG_SUMMARY));
	print_totals(to, report);
	for (size_t i = 0; i < n; i++) {
		/* What another one explains, and what was set aside, is in the totals only. */
		if (*finding_status(sorted[i].finding) && !flag_of(sorted[i].finding, "advice"))
			continue;
		if (lines++ < JOB_LINES)
			print_line(to, sorted[i].finding, places);
	}
	if (lines > JOB_LINES)
		SAY(to, MSG_AND_MORE, lines - JOB_LINES);
	print_evidence_ends(to, report);
	print_injected(to, report);
	json_decref(places);
	free(sorted);
	lang = ACL_LANG_EN;
}

void print_text(FILE *to, const json_t *report)
{
	const json_t *doubt;
	size_t i;

	lang = command_language();
	print_findings(to, report);
	print_last_calls(to, json_object_get(report, "processes"));
	if (format_options.names_processes)
		print_processes(to, report);
	fprintf(to, "%s: ", msg(MSG_SUMMARY));
	print_totals(to, report);
	json_array_foreach(json_object_get(report, "inconclusive"), i, doubt)
	{
		text_report_put(to, msg(MSG_INCONCLUSIVE), text_of(doubt, "reason"), ": ");
		text_put_words(to, text_of(doubt, "text"));
		text_report_put(to, " (", finding_ranks(doubt), ")");
		fputc('\n', to);
	}
	print_evidence_ends(to, report);
	print_expectations(to, report);
	print_injected(to, report);
	print_reach(to, json_object_get(report, "reach"));
	if (coverage_reported(report)) {
		struct coverage_totals n = coverage_count(report, NULL);

		SAY(to, MSG_RULES_EVALUATED, n.evaluated, n.on);
	}
	print_cost(to, report);
	text_report_put(to, msg(MSG_VERDICT), text_of(report, "verdict"), "\n");
	lang = ACL_LANG_EN;
}
