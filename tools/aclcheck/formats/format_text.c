/* SPDX-License-Identifier: Apache-2.0 */
/* A report for a terminal or a log. */
#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/formats/formats.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LINES_PER_FINDING 10 /* for each finding in full as many in a line */
#define JOB_LINES 40

static void put(FILE *to, const char *before, const char *value, const char *after)
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
			put(to, "+", text_of(frame, "offset"), "");
		fputs(")\n", to);
	}
}

static void print_moment(FILE *to, const char *what, const json_t *moment)
{
	if (!moment)
		return;
	fprintf(to, "     %s by ", what);
	put_safe(to, text_of(moment, "call"));
	fputc('\n', to);
	print_frames(to, json_object_get(moment, "stack"), "       ", "       ");
}

static void print_object(FILE *to, const json_t *object)
{
	put(to, "   ", text_of(object, "role"), ": ");
	put_safe(to, text_of(object, "kind"));
	put(to, " ", text_of(object, "value"), "");
	if (number_of(object, "size"))
		fprintf(to, ", %lld bytes", number_of(object, "size"));
	fputc('\n', to);
	print_moment(to, "created", json_object_get(object, "created"));
	print_moment(to, "last used", json_object_get(object, "last_used"));
	print_moment(to, "destroyed", json_object_get(object, "destroyed"));
}

static void print_call(FILE *to, const json_t *finding)
{
	const json_t *value;
	bool first = true;
	const char *key;

	if (!*text_of(finding, "call"))
		return;
	put(to, "   ", text_of(finding, "call"), "(");
	json_object_foreach((json_t *)json_object_get(finding, "args"), key, value)
	{
		put(to, first ? "" : ", ", key, "=");
		print_value(to, value);
		first = false;
	}
	fputc(')', to);
	put(to, " returned ", text_of(finding, "result"), "");
	if (flag_of(finding, "inside"))
		fputs(" had not returned", to);
	fputc('\n', to);
}

/* Several lines of one function, or of several programs. */
static void print_sites(FILE *to, const json_t *sites)
{
	const json_t *site;
	size_t i;

	if (json_array_size(sites) < 2)
		return;
	fprintf(to, "   at %zu call sites:\n", json_array_size(sites));
	json_array_foreach(sites, i, site)
	{
		put(to, "      ", frame_place(site), "");
		fprintf(to, " x %lld\n", number_of(site, "count"));
	}
}

void print_text_finding(FILE *to, const json_t *finding)
{
	const json_t *value, *object;
	const char *key;
	size_t i;

	fprintf(to, "%s%s%s", flag_of(finding, "advice") ? "advice/" : "",
		flag_of(finding, "suppressed") ? "suppressed/" : "",
		flag_of(finding, "expected") ? "expected/" : "");
	put_safe(to, text_of(finding, "severity"));
	put(to, ": ", text_of(finding, "rule"), ": ");
	put_safe(to, text_of(finding, "title"));
	put(to, " [", text_of(finding, "fingerprint"), "]");
	fprintf(to, " x %lld", number_of(finding, "count"));
	put(to, " (", finding_ranks(finding), ")");
	if (json_object_get(finding, "known"))
		fputs(flag_of(finding, "known") ? " known" : " NEW", to);
	fputc('\n', to);
	print_call(to, finding);
	put(to, "   ", text_of(finding, "detail"), "\n");
	json_object_foreach((json_t *)json_object_get(finding, "values"), key, value)
	{
		put(to, "     ", key, " = ");
		print_value(to, value);
		fputc('\n', to);
	}
	print_frames(to, json_object_get(finding, "stack"), "   at ", "      ");
	print_sites(to, json_object_get(finding, "sites"));
	json_array_foreach(json_object_get(finding, "objects"), i, object) print_object(to, object);
	put(to, "   hint: ", text_of(finding, "hint"), "\n");
	put(to, "   see:  ", text_of(finding, "source"), "\n");
	put(to, "   suppressed: ", text_of(finding, "suppressed_by"), "\n");
	put(to, "   expected: ", text_of(finding, "expected_by"), "\n");
}

void print_text_line(FILE *to, const json_t *finding)
{
	fprintf(to, "  %s%s%s", flag_of(finding, "advice") ? "advice/" : "",
		flag_of(finding, "suppressed") ? "suppressed/" : "",
		flag_of(finding, "expected") ? "expected/" : "");
	put_safe(to, text_of(finding, "severity"));
	put(to, " ", text_of(finding, "rule"), "");
	fprintf(to, " x %lld", number_of(finding, "count"));
	put(to, "  ", text_of(finding, "call"), "");
	put(to, "  ", finding_place(finding), "");
	if (json_array_size(json_object_get(finding, "sites")) > 1)
		fprintf(to, " and %zu more", json_array_size(json_object_get(finding, "sites")) - 1);
	put(to, "  [", finding_ranks(finding), "]");
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
		put(to, flag_of(one, "expired") ? "expectation expired: " : "expected, but not seen: ",
			expectation_rule(one), "");
		put(to, " (", text_of(one, "reason"), "), ");
		put(to, "", expectation_place(report, one), "\n");
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
			fprintf(to, "killed: process %lld", number_of(process, "pid"));
		if (json_array_size(threads) && json_object_get(process, "rank"))
			fprintf(to, ", rank %lld", number_of(process, "rank"));
		if (json_array_size(threads))
			fputs(", the last calls:\n", to);
		json_array_foreach(threads, k, thread)
		{
			fprintf(to, " thread %lld\n", number_of(thread, "thread"));
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
	fprintf(to,
		"call coverage: %zu functions, %lld calls by symbol, %lld by dlsym, %lld inside the runtime, "
		"%lld in "
		"callbacks\n",
		i, sum[0], sum[1], sum[2], sum[3]);
	json_array_foreach(json_object_get(reach, "around"), i, one)
	{
		put(to, "around the checker: ", text_of(one, "module"), "");
		fputs(flag_of(one, "cann") ? " (CANN's own)\n" : "\n", to);
	}
	json_array_foreach(json_object_get(reach, "foreign"), i, one)
	{
		put(to, "not checked: ", text_of(one, "first"),
			number_of(one, "functions") > 1 ? " and others" : "");
		put(to, " of ", text_of(one, "module"), ", by dlsym\n");
	}
}

static void print_cost(FILE *to, const json_t *report)
{
	const json_t *cost = json_object_get(report, "cost");
	json_int_t samples = number_of(cost, "samples");

	if (!cost)
		return;
	fputs("cost of the tool: ", to);
	if (samples > 0)
		fprintf(to, "%.0f ns a call (%lld timed), ",
			(double)number_of(cost, "samples_ns") / (double)samples, samples);
	fprintf(to, "%.1f ms to open, %.1f ms for findings, %.1f ms to finish, %.1f MiB of memory\n",
		(double)number_of(cost, "open_us") / 1000, (double)number_of(cost, "findings_us") / 1000,
		(double)number_of(cost, "finish_us") / 1000,
		(double)number_of(cost, "memory_used") / (1 << 20));
}

/* The first ones in full, ten times as many in a line each, the rest as a number. */
static void print_findings(FILE *to, const json_t *report)
{
	size_t n = json_array_size(json_object_get(report, "findings")), full = format_options.max_findings;
	size_t lines = full > n / LINES_PER_FINDING ? n : full * LINES_PER_FINDING, i;
	struct graded_finding *sorted = findings_by_gravity(report);

	for (i = 0; i < n && i < full; i++)
		print_text_finding(to, sorted[i].finding);
	if (i < n)
		fprintf(to, "%zu more findings:\n", n - i);
	for (; i < lines; i++)
		print_text_line(to, sorted[i].finding);
	if (i < n)
		fprintf(to, "  … and %zu more (--max-findings, or -o FILE for all of them)\n", n - i);
	free(sorted);
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
		put(to, " ", key, ", ");
	}
	fprintf(to, "%lld calls checked, %zu process%s\n", number_of(report, "calls"), processes,
		processes == 1 ? "" : "es");
}

void print_job_summary(FILE *to, const json_t *report)
{
	size_t n = json_array_size(json_object_get(report, "findings")), lines = 0;
	struct graded_finding *sorted = findings_by_gravity(report);

	fputs("== aclcheck summary: ", to);
	print_totals(to, report);
	for (size_t i = 0; i < n; i++) {
		/* What another one explains, and what was set aside, is in the totals only. */
		if (*finding_status(sorted[i].finding) && !flag_of(sorted[i].finding, "advice"))
			continue;
		if (lines++ < JOB_LINES)
			print_text_line(to, sorted[i].finding);
	}
	if (lines > JOB_LINES)
		fprintf(to, "  … and %zu more\n", lines - JOB_LINES);
	free(sorted);
}

void print_text(FILE *to, const json_t *report)
{
	const json_t *doubt;
	size_t i;

	print_findings(to, report);
	print_last_calls(to, json_object_get(report, "processes"));
	fputs("summary: ", to);
	print_totals(to, report);
	json_array_foreach(json_object_get(report, "inconclusive"), i, doubt)
	{
		put(to, "inconclusive: ", text_of(doubt, "reason"), ": ");
		put_safe(to, text_of(doubt, "text"));
		put(to, " (", finding_ranks(doubt), ")");
		fputc('\n', to);
	}
	print_expectations(to, report);
	print_reach(to, json_object_get(report, "reach"));
	if (coverage_reported(report)) {
		struct coverage_totals n = coverage_count(report, NULL);

		fprintf(to, "rules: %u of %u that are on were evaluated (--format rules lists them)\n",
			n.evaluated, n.on);
	}
	print_cost(to, report);
	put(to, "verdict: ", text_of(report, "verdict"), "\n");
}
