/* SPDX-License-Identifier: Apache-2.0 */
/* A summary as JSON: times in nanoseconds, sizes in bytes. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "tools/aclcheck/trace/summary.h"

#define SITES_LISTED 1000
#define UNFINISHED_MAX 1000 /* of a process that are listed */

static json_t *json_number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *word(const char *text)
{
	json_t *j = text ? json_string(text) : NULL;

	/* Not UTF-8: rather nothing than a broken document. */
	return j ? j : json_null();
}

static json_t *address(uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_string(text);
}

static json_t *codes(const struct call_stat *f)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < f->n_codes; i++)
		json_array_append_new(list, json_pack("{s:I, s:o, s:o}", "code", (json_int_t)f->codes[i].code,
						    "name", word(acl_error_name(f->codes[i].code)), "count",
						    json_number(f->codes[i].count)));
	return list;
}

/* What losses make wrong. */
static json_t *known(const struct summary *s, json_t *figure)
{
	if (!summary_is_incomplete(s))
		return figure;
	json_decref(figure);
	return json_null();
}

static json_t *functions(const struct summary *s)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < ACL_API_COUNT; i++) {
		const struct call_stat *f = &s->functions[i];

		if (f->calls)
			json_array_append_new(list,
				json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
					"function", acl_apis[i].name, "calls", json_number(f->calls), "timed",
					json_number(f->done - f->open), "errors", json_number(f->errors),
					"total", json_number(f->total), "mean",
					json_number(f->done ? f->total / f->done : 0), "min",
					json_number(f->min), "max", json_number(f->max), "p50",
					json_number(stat_percentile(f, 50)), "p95",
					json_number(stat_percentile(f, 95)), "p99",
					json_number(stat_percentile(f, 99)), "codes", codes(f)));
	}
	return list;
}

static json_t *copies(const struct summary *s, const struct process_state *p)
{
	json_t *list = json_array();
	unsigned n;
	struct copy_stat **all = summary_copies(p, &n);

	for (unsigned i = 0; i < n; i++) {
		const struct copy_stat *c = all[i];

		json_array_append_new(list,
			json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "stream",
				c->blocking ? json_null() : address(c->stream), "blocking", c->blocking,
				"kind", word(summary_copy_kind(c->kind)), "copies", json_number(c->copies),
				"bytes", json_number(c->bytes), "bytes_per_second",
				c->blocking ? known(s, json_number(summary_copy_rate(c))) : json_null(),
				"issued_per_second",
				c->blocking ? json_null() : known(s, json_number(summary_copy_rate(c)))));
	}
	free(all);
	return list;
}

static json_t *memory(const struct process_state *p)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < MEMORY_KINDS; i++) {
		const struct memory_use *u = &p->memory.use[i];

		json_object_set_new(all, memory_kind_names[i],
			json_pack("{s:o, s:o, s:o}", "high_water", json_number(u->high), "at_end",
				json_number(u->now), "blocks_at_end", json_number(u->blocks)));
	}
	return all;
}

static json_t *sites(const struct summary *s)
{
	json_t *list = json_array();
	struct site_sum *all, **sums;
	unsigned n;

	sums = site_sums(s, SITES_BY_TIME, SITES_LISTED, &n, &all);
	for (unsigned i = 0; i < n; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:O, s:i, s:o, s:o, s:o}", "function",
				      acl_apis[sums[i]->api].name, "place", sums[i]->place, "processes",
				      (int)sums[i]->processes, "calls", json_number(sums[i]->calls), "total",
				      json_number(sums[i]->total), "blocked", json_number(sums[i]->blocked)));
	site_sums_free(sums, all);
	return list;
}

static json_t *unfinished(const struct summary *s, const struct process_state *p)
{
	json_t *list = json_array();

	for (const struct thread_state *t = p->threads; t; t = t->hh.next)
		for (unsigned j = 0; j < t->depth && json_array_size(list) < UNFINISHED_MAX; j++)
			json_array_append_new(list,
				json_pack("{s:s, s:i, s:I, s:o}", "function", acl_apis[t->open[j].api].name,
					"thread", (int)t->tid, "begun", (json_int_t)t->open[j].start,
					"so_far", known(s, json_number(summary_so_far(s, p, &t->open[j])))));
	return list;
}

static json_t *processes(const struct summary *s)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < s->n_processes; i++) {
		const struct process_state *p = s->processes[i];

		json_array_append_new(list,
			json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
				  "s:o, s:o, s:o, s:o, s:o, s:b, s:o}",
				"pid", (int)p->pid, "command", word(p->command), "rank", word(p->rank),
				"host", word(p->host), "calls", json_number(p->calls), "errors",
				json_number(p->errors), "threads", json_number(HASH_COUNT(p->threads)),
				"duration", json_number((uint64_t)(p->last - p->first)), "in_calls",
				json_number(p->in_calls), "bytes_copied",
				p->bare ? json_null() : json_number(summary_bytes_copied(p)), "blocked",
				json_number(p->blocked), "findings", json_number(p->findings), "verdict",
				word(p->verdict), "memory", p->bare ? json_null() : known(s, memory(p)),
				"unknown_frees", json_number(p->memory.unknown_frees), "copies", copies(s, p),
				"calls_before", json_number(p->earlier), "calls_made",
				p->made ? json_number(p->made) : json_null(), "killed", summary_was_killed(p),
				"unfinished", unfinished(s, p)));
	}
	return list;
}

/* What is uneven among processes, as the most over the mean. */
static json_t *imbalance(const struct summary *s)
{
	json_t *all;

	if (!summary_imbalance(s, MEASURE_CALLS))
		return json_null();
	all = json_object();
	for (unsigned i = 0; i < MEASURES; i++) {
		double one = summary_imbalance(s, (enum summary_measure)i);

		json_object_set_new(all, summary_measure_names[i], one ? json_real(one) : json_null());
	}
	return known(s, all);
}

/* Why it is not complete. */
static json_t *reasons(const struct summary *s)
{
	json_t *list = json_array();

	if (summary_has_gaps(s))
		json_array_append_new(list, json_string("events-lost"));
	for (unsigned i = 0; i < RECORDING_LACKS; i++)
		if ((s->lacks & LACKS_UNWANTED) >> i & 1)
			json_array_append_new(list, json_string(recording_lack_name(i)));
	return list;
}

bool summary_print_json(const struct summary *s, FILE *out)
{
	json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o}",
		"events", json_number(s->events), "calls", json_number(s->calls), "errors",
		json_number(s->errors), "unfinished", json_number(s->unfinished), "lost_begins",
		json_number(s->lost_begins), "lost_ends", json_number(s->lost_ends), "discarded_events",
		json_number(s->discarded), "lost_packets", json_number(s->lost), "complete",
		!summary_is_incomplete(s), "reasons", reasons(s), "functions", functions(s), "sites",
		sites(s), "processes", processes(s), "imbalance", imbalance(s));
	bool ok = all && !json_dumpf(all, out, JSON_INDENT(1)) && fputc('\n', out) != EOF;

	json_decref(all);
	return ok;
}
