/* SPDX-License-Identifier: Apache-2.0 */
/* A summary as tables for people. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/summary.h"

#define UNFINISHED_SHOWN 20
#define COPIES_SHOWN 40
#define SITES_SHOWN 10

/* "12.3 us" in one of eight static buffers. */
static const char *duration(uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	static char text[8][24];
	static unsigned next;
	char *out = text[next++ % 8];
	double value = (double)ns;
	unsigned unit = 0;

	for (; value >= 1000 && unit < 3; unit++)
		value /= 1000;
	snprintf(out, sizeof(text[0]), unit ? "%.*f %s" : "%.*f %s", unit && value < 100 ? 1 : 0, value,
		units[unit]);
	return out;
}

/* --- lower bounds --------------------------------------------------------------- */

static bool incomplete; /* the recording that is printed */

/* A word in its column, with a sign that says "at least" where events were lost. */
static void print_bound(FILE *out, int width, const char *word)
{
	fprintf(out, " %*s%s", width - 1 - incomplete, word, incomplete ? "+" : "");
}

static void print_least(FILE *out, int width, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	print_bound(out, width, text);
}

/* --- words ------------------------------------------------------------------- */

/* A line of what belongs to a process. */
static void __attribute__((format(printf, 2, 3))) say_line(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("  ", out);
	vprint_in_language(out, format, args);
	fputc('\n', out);
	va_end(args);
}

/* --- functions ---------------------------------------------------------------- */

static const struct summary *sorted;

static int by_total(const void *a, const void *b)
{
	const struct call_stat *x = &sorted->functions[*(const unsigned *)a];
	const struct call_stat *y = &sorted->functions[*(const unsigned *)b];

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return *(const unsigned *)a < *(const unsigned *)b ? -1 : 1;
}

static void print_codes(const struct call_stat *f, const char *name, FILE *out)
{
	for (unsigned i = 0; i < f->n_codes; i++) {
		const char *code = acl_error_name(f->codes[i].code);

		fprintf(out, "  %-40s %" PRIu64 " x %" PRId64 " %s\n", name, f->codes[i].count,
			f->codes[i].code, code ? code : in_language("(a code the documents do not name)"));
	}
}

static void print_share(FILE *out, uint64_t part, uint64_t whole)
{
	fprintf(out, " %6.1f%%", whole ? 100.0 * (double)part / (double)whole : 0);
}

static void print_function(const struct call_stat *f, uint64_t all, const char *name, FILE *out)
{
	print_least(out, 10, f->calls);
	print_bound(out, 10, duration(f->total));
	print_share(out, f->total, all);
	fprintf(out, " %9s %9s %9s %9s %9s", duration(f->done ? f->total / f->done : 0), duration(f->min),
		duration(stat_percentile(f, 50)), duration(stat_percentile(f, 95)),
		duration(stat_percentile(f, 99)));
	print_bound(out, 10, duration(f->max));
	print_least(out, 8, f->errors);
	fprintf(out, "  %s\n", name);
}

static void print_functions(const struct summary *s, FILE *out)
{
	static const char *const times[] = {"total", "mean", "min", "p50", "p95", "p99", "max"};
	unsigned order[ACL_API_COUNT] = {0}, n = 0;
	uint64_t all = 0;

	for (unsigned i = 0; i < ACL_API_COUNT; i++)
		if (s->functions[i].calls) {
			order[n++] = i;
			all += s->functions[i].total;
		}
	sorted = s;
	qsort(order, n, sizeof(order[0]), by_total);
	print_column(out, 10, "calls");
	for (unsigned i = 0; i < sizeof(times) / sizeof(*times); i++) {
		print_column(out, 10, times[i]);
		if (!i)
			print_column(out, 8, "share");
	}
	print_column(out, 8, "errors");
	fprintf(out, "  %s\n", in_language("function"));
	for (unsigned i = 0; i < n; i++) {
		const struct call_stat *f = &s->functions[order[i]];

		print_function(f, all, acl_apis[order[i]].name, out);
	}
	if (!s->errors)
		return;
	fprintf(out, "\n%s\n", in_language("errors"));
	for (unsigned i = 0; i < n; i++)
		print_codes(&s->functions[order[i]], acl_apis[order[i]].name, out);
}

/* --- call sites ------------------------------------------------------------------ */

static void print_sites(const struct summary *s, enum site_order order, const char *title, FILE *out)
{
	struct site_sum *all, **list;
	uint64_t whole = 0;
	unsigned n;

	list = site_sums(s, order, SITES_SHOWN, &n, &all);
	for (const struct site_sum *x = all; x; x = x->hh.next)
		whole += order == SITES_BY_TIME ? x->total : x->blocked;
	if (n) {
		fprintf(out, "\n%s\n", in_language(title));
		print_column(out, 10, "calls");
		print_column(out, 10, "time");
		print_column(out, 8, "share");
		fprintf(out, "  %s\n", in_language("function and place"));
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t time = order == SITES_BY_TIME ? list[i]->total : list[i]->blocked;

		print_least(out, 10, list[i]->calls);
		print_bound(out, 10, duration(time));
		print_share(out, time, whole);
		fprintf(out, "  %s  %s\n", acl_apis[list[i]->api].name, json_string_value(list[i]->place));
	}
	site_sums_free(list, all);
}

/* --- copies --------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
	const struct copy_stat *x = *(struct copy_stat *const *)a, *y = *(struct copy_stat *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->kind - y->kind;
}

struct copy_stat **summary_copies(const struct process_state *p, unsigned *n)
{
	struct copy_stat **list = need(calloc(HASH_COUNT(p->copies) + 1, sizeof(*list)));

	*n = 0;
	for (struct copy_stat *c = p->copies; c; c = c->hh.next)
		list[(*n)++] = c;
	qsort(list, *n, sizeof(*list), by_bytes);
	return list;
}

uint64_t summary_copy_rate(const struct copy_stat *c)
{
	uint64_t ns = c->blocking ? c->busy : (uint64_t)(c->last - c->first);

	return ns ? (uint64_t)((double)c->bytes * 1e9 / (double)ns) : 0;
}

const char *summary_copy_kind(int kind)
{
	static int index = -1;

	for (unsigned i = 0; index < 0 && i < acl_enum_count; i++)
		if (!strcmp(acl_enums[i].name, "aclrtMemcpyKind"))
			index = (int)i;
	return acl_enum_name(index, kind);
}

static void print_copies_heading(FILE *out)
{
	fputs("  ", out);
	print_column(out, -18, "stream");
	fputc(' ', out);
	print_column(out, -34, "kind");
	print_column(out, 10, "copies");
	print_column(out, 11, "bytes");
	if (!incomplete)
		print_column(out, 13, "rate");
	fputc('\n', out);
}

static void print_copies(const struct process_state *p, FILE *out)
{
	unsigned n;
	struct copy_stat **list = summary_copies(p, &n);

	if (n)
		print_copies_heading(out);
	for (unsigned i = 0; i < n && i < COPIES_SHOWN; i++) {
		const struct copy_stat *c = list[i];
		const char *kind = summary_copy_kind(c->kind);
		char stream[32];

		snprintf(stream, sizeof(stream), "0x%" PRIx64, c->stream);
		fputs("  ", out);
		print_column(out, -18, c->blocking ? "(blocking)" : c->stream ? stream : "default");
		fputc(' ', out);
		print_column(out, -34, kind ? kind : "(unknown kind)");
		print_least(out, 10, c->copies);
		print_bound(out, 11, bytes_text(c->bytes));
		if (incomplete)
			fputc('\n', out);
		else
			fprintf(out, " %10s/s%s\n", bytes_text(summary_copy_rate(c)),
				c->blocking ? "" : in_language(" issued"));
	}
	if (n > COPIES_SHOWN)
		say_line(out, "... and %u more (--json has all)", n - COPIES_SHOWN);
	free(list);
}

/* --- processes -------------------------------------------------------------------- */

static void print_unfinished(const struct summary *s, const struct process_state *p, FILE *out)
{
	unsigned shown = 0;

	for (const struct thread_state *t = p->threads; t; t = t->hh.next)
		for (unsigned j = 0; j < t->depth; j++, shown++)
			if (shown < UNFINISHED_SHOWN)
				say_line(out,
					summary_was_killed(p)
						? "unfinished: %s in thread %u, begun %s before the process "
						  "was killed"
						: "unfinished: %s in thread %u, begun %s before the end",
					acl_apis[t->open[j].api].name, t->tid,
					duration(summary_so_far(s, p, &t->open[j])));
	if (shown > UNFINISHED_SHOWN)
		say_line(out, "... and %u more unfinished calls", shown - UNFINISHED_SHOWN);
}

static void print_process_name(const struct process_state *p, FILE *out)
{
	const bool rank = p->rank && *p->rank, host = p->host && *p->host;
	const char *command =
		p->command && *p->command ? p->command : in_language("(its first event is not in the trace)");

	if (rank && host)
		print_in_language(out, "process %u, rank %s on %s: %s", p->pid, p->rank, p->host, command);
	else if (rank)
		print_in_language(out, "process %u, rank %s: %s", p->pid, p->rank, command);
	else if (host)
		print_in_language(out, "process %u on %s: %s", p->pid, p->host, command);
	else
		print_in_language(out, "process %u: %s", p->pid, command);
}

static void print_memory(const struct process_state *p, FILE *out)
{
	for (unsigned i = 0; i < MEMORY_KINDS; i++)
		if (p->memory.use[i].high)
			say_line(out, "%s memory: at most %s, %s in %llu blocks at the end",
				memory_kind_names[i], bytes_text(p->memory.use[i].high),
				bytes_text(p->memory.use[i].now),
				(unsigned long long)p->memory.use[i].blocks);
	if (p->memory.unknown_frees)
		say_line(out,
			"more memory was in use: %llu blocks were freed whose allocation is not recorded",
			(unsigned long long)p->memory.unknown_frees);
}

static void print_process(const struct summary *s, const struct process_state *p, FILE *out)
{
	fputc('\n', out);
	print_process_name(p, out);
	fputs("\n  ", out);
	print_in_language(out,
		incomplete ? "at least %llu calls by %u threads in %s, %llu errors; host blocked %s"
			   : "%llu calls by %u threads in %s, %llu errors; host blocked %s",
		(unsigned long long)p->calls, HASH_COUNT(p->threads),
		duration((uint64_t)(p->last - p->first)), (unsigned long long)p->errors,
		duration(p->blocked));
	if (p->findings || p->verdict)
		print_in_language(out, "; %llu findings, verdict %s", (unsigned long long)p->findings,
			p->verdict ? p->verdict : "unknown");
	if (summary_was_killed(p))
		fputs(in_language("; it was killed, or crashed"), out);
	fputc('\n', out);
	if (summary_lacks_calls(p))
		say_line(out, "not all its calls are recorded: %llu of %llu",
			(unsigned long long)(p->calls - p->inside), (unsigned long long)p->made);
	else if (p->earlier)
		say_line(out, "earlier calls are not in the recording: %llu", (unsigned long long)p->earlier);
	if (!incomplete)
		print_memory(p, out);
	print_copies(p, out);
	print_unfinished(s, p, out);
}

/* --- processes beside each other ---------------------------------------------------- */

/* The host and the program's own name: its arguments stand with the process. */
static void print_program(const struct process_state *p, FILE *out)
{
	const char *command = p->command ? p->command : "", *host = p->host ? p->host : "", *name = command;
	size_t n = strcspn(command, " ");

	for (size_t i = 0; i < n; i++)
		if (command[i] == '/')
			name = command + i + 1;
	fprintf(out, "  %s%s%.*s\n", host, *host && *name ? ", " : "", (int)(n - (size_t)(name - command)),
		name);
}

static void print_compared(const struct process_state *p, FILE *out)
{
	char who[64];

	snprintf(who, sizeof(who), "%.40s%s%u", p->rank && *p->rank ? p->rank : "",
		p->rank && *p->rank ? ", " : "", p->pid);
	fprintf(out, "  %-18s", who);
	print_least(out, 10, p->calls);
	print_least(out, 8, p->errors);
	print_bound(out, 10, duration((uint64_t)(p->last - p->first)));
	print_bound(out, 10, duration(p->in_calls));
	print_bound(out, 10, duration(p->blocked));
	print_bound(out, 11, p->bare ? "-" : bytes_text(summary_bytes_copied(p)));
	if (!incomplete)
		fprintf(out, " %10s", p->bare ? "-" : bytes_text(p->memory.use[MEMORY_DEVICE].high));
	print_program(p, out);
}

static void print_imbalance(const struct summary *s, FILE *out)
{
	char figures[MEASURES][24];

	if (incomplete || !summary_imbalance(s, MEASURE_CALLS))
		return;
	for (unsigned i = 0; i < MEASURES; i++) {
		double one = summary_imbalance(s, (enum summary_measure)i);

		snprintf(figures[i], sizeof(figures[i]), one ? "%.2f" : "-", one);
	}
	say_line(out, "imbalance (the most over the mean): calls %s, in calls %s, blocked %s, copied %s",
		figures[MEASURE_CALLS], figures[MEASURE_IN_CALLS], figures[MEASURE_BLOCKED],
		figures[MEASURE_COPIED]);
}

/* Where all should do the same, those that differ stand out. */
static void print_comparison(const struct summary *s, FILE *out)
{
	static const char *const heads[] = {"lasted", "in calls", "blocked"};

	if (s->n_processes < 2)
		return;
	fprintf(out, "\n%s\n  ", in_language("processes compared"));
	print_column(out, -18, "rank, process");
	print_column(out, 10, "calls");
	print_column(out, 8, "errors");
	for (unsigned i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		print_column(out, 10, heads[i]);
	print_column(out, 11, "copied");
	if (!incomplete)
		print_column(out, 11, "device mem");
	fprintf(out, "  %s\n", in_language("host, program"));
	for (unsigned i = 0; i < s->n_processes; i++)
		print_compared(s->processes[i], out);
	print_imbalance(s, out);
}

static void print_losses(const struct summary *s, FILE *out)
{
	fputc('\n', out);
	if (s->discarded_unknown)
		print_in_language(out, "%llu or more events discarded, %llu packets lost",
			(unsigned long long)s->discarded, (unsigned long long)s->lost);
	else
		print_in_language(out, "%llu events discarded, %llu packets lost",
			(unsigned long long)s->discarded, (unsigned long long)s->lost);
	if (incomplete)
		print_in_language(out, ": inconclusive: + is at least; memory and rates are left out");
	fputc('\n', out);
	for (unsigned i = 0; i < RECORDING_LACKS; i++)
		if (s->lacks >> i & 1)
			fprintf(out, "%s\n", in_language(recording_lack_text(i)));
	if (s->lost_begins) {
		print_in_language(out, "%llu calls ended whose beginning is not in the trace",
			(unsigned long long)s->lost_begins);
		fputc('\n', out);
	}
	if (s->lost_ends) {
		print_in_language(out, "%llu calls began whose end is not in the trace",
			(unsigned long long)s->lost_ends);
		fputc('\n', out);
	}
	if (s->no_threads)
		fprintf(out, "%s\n",
			in_language("recorded without the contexts vpid and vtid: calls of different "
				    "threads may be mixed up"));
}

void summary_print_text(const struct summary *s, FILE *out)
{
	incomplete = summary_is_incomplete(s);
	print_in_language(out,
		incomplete ? "at least %llu calls of %u processes in %s, %llu errors, %llu unfinished"
			   : "%llu calls of %u processes in %s, %llu errors, %llu unfinished",
		(unsigned long long)s->calls, s->n_processes, duration((uint64_t)(s->last - s->first)),
		(unsigned long long)s->errors, (unsigned long long)s->unfinished);
	fputs("\n\n", out);
	print_functions(s, out);
	print_sites(s, SITES_BY_TIME, "where the time in calls goes", out);
	print_sites(s, SITES_BY_WAIT, "where the host waits", out);
	print_comparison(s, out);
	for (unsigned i = 0; i < s->n_processes; i++)
		print_process(s, s->processes[i], out);
	print_losses(s, out);
}
