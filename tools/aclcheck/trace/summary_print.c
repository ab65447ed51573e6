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

static void print_function(const struct call_stat *f, const char *name, FILE *out)
{
	print_least(out, 10, f->calls);
	print_bound(out, 10, duration(f->total));
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

	for (unsigned i = 0; i < ACL_API_COUNT; i++)
		if (s->functions[i].calls)
			order[n++] = i;
	sorted = s;
	qsort(order, n, sizeof(order[0]), by_total);
	print_column(out, 10, "calls");
	for (unsigned i = 0; i < sizeof(times) / sizeof(*times); i++)
		print_column(out, 10, times[i]);
	print_column(out, 8, "errors");
	fprintf(out, "  %s\n", in_language("function"));
	for (unsigned i = 0; i < n; i++) {
		const struct call_stat *f = &s->functions[order[i]];

		print_function(f, acl_apis[order[i]].name, out);
	}
	if (!s->errors)
		return;
	fprintf(out, "\n%s\n", in_language("errors"));
	for (unsigned i = 0; i < n; i++)
		print_codes(&s->functions[order[i]], acl_apis[order[i]].name, out);
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
				say_line(out, "unfinished: %s in thread %u, begun %s before the end",
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
	fputc('\n', out);
	if (!incomplete)
		print_memory(p, out);
	print_copies(p, out);
	print_unfinished(s, p, out);
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
	for (unsigned i = 0; i < s->n_processes; i++)
		print_process(s, s->processes[i], out);
	print_losses(s, out);
}
