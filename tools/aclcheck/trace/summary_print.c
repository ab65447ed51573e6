/* SPDX-License-Identifier: Apache-2.0 */
/* A summary as tables for people. */
#include <inttypes.h>
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
			f->codes[i].code, code ? code : "(a code the documents do not name)");
	}
}

static void print_functions(const struct summary *s, FILE *out)
{
	unsigned order[ACL_API_COUNT] = {0}, n = 0;

	for (unsigned i = 0; i < ACL_API_COUNT; i++)
		if (s->functions[i].calls)
			order[n++] = i;
	sorted = s;
	qsort(order, n, sizeof(order[0]), by_total);
	fprintf(out, "%10s %9s %9s %9s %9s %9s %9s %9s %7s  %s\n", "calls", "total", "mean", "min", "p50",
		"p95", "p99", "max", "errors", "function");
	for (unsigned i = 0; i < n; i++) {
		const struct call_stat *f = &s->functions[order[i]];

		fprintf(out, "%10" PRIu64 " %9s %9s %9s %9s %9s %9s %9s %7" PRIu64 "  %s\n", f->calls,
			duration(f->total), duration(f->done ? f->total / f->done : 0), duration(f->min),
			duration(stat_percentile(f, 50)), duration(stat_percentile(f, 95)),
			duration(stat_percentile(f, 99)), duration(f->max), f->errors,
			acl_apis[order[i]].name);
	}
	if (!s->errors)
		return;
	fprintf(out, "\nerrors\n");
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

static void print_copies(const struct process_state *p, FILE *out)
{
	unsigned n;
	struct copy_stat **list = summary_copies(p, &n);

	if (n)
		fprintf(out, "  %-18s %-34s %9s %10s %12s\n", "stream", "kind", "copies", "bytes", "rate");
	for (unsigned i = 0; i < n && i < COPIES_SHOWN; i++) {
		const struct copy_stat *c = list[i];
		const char *kind = summary_copy_kind(c->kind);
		char stream[32];

		snprintf(stream, sizeof(stream), c->stream ? "0x%" PRIx64 : "default", c->stream);
		fprintf(out, "  %-18s %-34s %9" PRIu64 " %10s %10s/s\n", c->blocking ? "(blocking)" : stream,
			kind ? kind : "(unknown kind)", c->copies, bytes_text(c->bytes),
			bytes_text(summary_copy_rate(c)));
	}
	if (n > COPIES_SHOWN)
		fprintf(out, "  ... and %u more (--json has all)\n", n - COPIES_SHOWN);
	free(list);
}

/* --- processes -------------------------------------------------------------------- */

static void print_unfinished(const struct process_state *p, FILE *out)
{
	unsigned shown = 0;

	for (const struct thread_state *t = p->threads; t; t = t->hh.next)
		for (unsigned j = 0; j < t->depth; j++, shown++)
			if (shown < UNFINISHED_SHOWN)
				fprintf(out, "  unfinished: %s in thread %u, begun %s before the end\n",
					acl_apis[t->open[j].api].name, t->tid,
					duration((uint64_t)(p->last - t->open[j].start)));
	if (shown > UNFINISHED_SHOWN)
		fprintf(out, "  ... and %u more unfinished calls\n", shown - UNFINISHED_SHOWN);
}

static void print_process(const struct process_state *p, FILE *out)
{
	fprintf(out, "\nprocess %u%s%s%s%s: %s\n", p->pid, p->rank && *p->rank ? ", rank " : "",
		p->rank ? p->rank : "", p->host && *p->host ? " on " : "", p->host ? p->host : "",
		p->command && *p->command ? p->command : "(its first event is not in the trace)");
	fprintf(out, "  %" PRIu64 " calls by %u threads in %s, %" PRIu64 " errors; host blocked %s", p->calls,
		HASH_COUNT(p->threads), duration((uint64_t)(p->last - p->first)), p->errors,
		duration(p->blocked));
	if (p->findings || p->verdict)
		fprintf(out, "; %" PRIu64 " findings, verdict %s", p->findings,
			p->verdict ? p->verdict : "unknown");
	fputc('\n', out);
	for (unsigned i = 0; i < MEMORY_KINDS; i++)
		if (p->memory.use[i].high)
			fprintf(out, "  %s memory: at most %s, %s in %" PRIu64 " blocks at the end\n",
				memory_kind_names[i], bytes_text(p->memory.use[i].high),
				bytes_text(p->memory.use[i].now), p->memory.use[i].blocks);
	print_copies(p, out);
	print_unfinished(p, out);
}

void summary_print_text(const struct summary *s, FILE *out)
{
	fprintf(out,
		"%" PRIu64 " calls of %u processes in %s, %" PRIu64 " errors, %" PRIu64 " unfinished\n\n",
		s->calls, s->n_processes, duration((uint64_t)(s->last - s->first)), s->errors, s->unfinished);
	print_functions(s, out);
	for (unsigned i = 0; i < s->n_processes; i++)
		print_process(s->processes[i], out);
	fprintf(out, "\n%" PRIu64 "%s events discarded, %" PRIu64 " packets lost%s\n", s->discarded,
		s->discarded_unknown ? " or more" : "", s->lost,
		s->discarded || s->discarded_unknown || s->lost
			? ": inconclusive, the numbers above are too small"
			: "");
	if (s->unmatched)
		fprintf(out, "%" PRIu64 " calls ended whose beginning is not in the trace\n", s->unmatched);
	if (s->no_threads)
		fputs("recorded without the contexts vpid and vtid: calls of different threads may be mixed "
		      "up\n",
			out);
}
