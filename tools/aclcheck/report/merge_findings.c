/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct findings in a hash table that only grows: memory is bounded by them and their ranks. */
#include "tools/aclcheck/report/merge_parts.h"

#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/report/report.h"

#define COUNT_MAX 1000000000000000

json_int_t sane_count(json_int_t n)
{
	return n < 0 ? 0 : n > COUNT_MAX ? COUNT_MAX : n;
}

/* Findings that count alike: there are few kinds, however many findings. */
struct grade {
	UT_hash_handle hh;
	json_t *members;
	json_int_t shown, others; /* times */
	char text[];
};

void finding_table_free(struct finding_table *table)
{
	struct merged_finding *f, *next;
	struct grade *g, *other;

	HASH_ITER(hh, table->found, f, next)
	{
		HASH_DEL(table->found, f);
		free(f->text);
		sites_free(f->sites);
		free(f->ranks);
		free(f);
	}
	HASH_ITER(hh, table->grades, g, other)
	{
		HASH_DEL(table->grades, g);
		json_decref(g->members);
		free(g);
	}
}

static char *append_member(char *at, const char *name, struct span value)
{
	size_t n = strlen(name), size = (size_t)(value.end - value.at);

	if (!value.at)
		return at;
	if (at[-1] != '{')
		*at++ = ',';
	*at++ = '"';
	memcpy(at, name, n);
	memcpy(at + n, "\":", 2);
	memcpy(at + n + 2, value.at, size);
	return at + n + 2 + size;
}

/* The members by which a report is evaluated, of a finding that is as it was written. */
static struct grade *grade_of(struct finding_table *table, const struct finding_read *r)
{
	static const char truth[] = "true";
	const struct span expected = {r->expected ? truth : NULL, truth + 4};
	/* Each is a part of what was kept, but for the last. */
	char *text = need(malloc(r->kept_size + 80)), *at = text;
	struct grade *g;

	*at++ = '{';
	at = append_member(at, "severity", r->severity);
	at = append_member(at, "advice", r->advice);
	at = append_member(at, "secondary", r->secondary);
	at = append_member(at, "suppressed", r->suppressed);
	at = append_member(at, "expected", expected);
	*at++ = '}';
	HASH_FIND(hh, table->grades, text, (size_t)(at - text), g);
	if (!g) {
		g = need(calloc(1, sizeof(*g) + (size_t)(at - text)));
		memcpy(g->text, text, (size_t)(at - text));
		g->members = json_loadb(text, (size_t)(at - text), 0, NULL);
		HASH_ADD_KEYPTR(hh, table->grades, g->text, (size_t)(at - text), g);
	}
	free(text);
	return g;
}

struct merged_finding *finding_of(struct finding_table *table, const struct finding_read *r)
{
	struct merged_finding *f;
	char key[FINDING_KEY_MAX];
	unsigned n = (unsigned)(r->fingerprint.end - r->fingerprint.at);

	*key = r->expected ? 'e' : ' ';
	memcpy(key + 1, r->fingerprint.at, n++);
	HASH_FIND(hh, table->found, key, n, f);
	if (f)
		return f;
	f = need(calloc(1, sizeof(*f)));
	memcpy(f->key, key, n);
	f->size = r->kept_size;
	f->text = need(malloc(f->size));
	memcpy(f->text, r->kept, f->size);
	f->text_shown = span_is(r->suppressed, "false");
	f->grade = grade_of(table, r);
	HASH_ADD_KEYPTR(hh, table->found, f->key, n, f);
	return f;
}

void finding_add_rank(struct merged_finding *f, int rank)
{
	size_t low = 0, high = f->n_ranks;

	if (rank < 0)
		return;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (f->ranks[middle] < rank)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < f->n_ranks && f->ranks[low] == rank)
		return;
	if (!(f->n_ranks & (f->n_ranks - 1)))
		f->ranks = need(realloc(f->ranks, (f->n_ranks ? 2 * f->n_ranks : 1) * sizeof(int)));
	memmove(f->ranks + low + 1, f->ranks + low, (f->n_ranks - low) * sizeof(int));
	f->ranks[low] = rank;
	f->n_ranks++;
}

void finding_take_over(struct merged_finding *f, const json_t *finding)
{
	const json_t *ranks = json_object_get(finding, "ranks");

	for (size_t i = 0; i < json_array_size(ranks); i++)
		finding_add_rank(f, (int)json_integer_value(json_array_get(ranks, i)));
	if (number_of(finding, "processes") > 0)
		f->processes += sane_count(number_of(finding, "processes")) - 1;
}

static json_t *ranks_json(const struct merged_finding *f)
{
	json_t *ranks = json_array();

	for (size_t i = 0; i < f->n_ranks; i++)
		json_array_append_new(ranks, json_integer(f->ranks[i]));
	return ranks;
}

static json_t *finding_json(const struct merged_finding *f)
{
	json_t *json = json_loadb(f->text, f->size, 0, NULL);

	if (!json)
		return json_object();
	if (f->shown)
		json_object_set_new(json, "suppressed", json_false());
	json_object_set_new(json, "count", json_integer(f->count));
	json_object_set_new(json, "processes", json_integer(f->processes));
	json_object_set_new(json, "sites", sites_list(f->sites));
	if (f->n_ranks)
		json_object_set_new(json, "ranks", ranks_json(f));
	return json;
}

json_t *finding_table_list(const struct finding_table *table)
{
	json_t *list = json_array();

	for (const struct merged_finding *f = table->found; f; f = f->hh.next)
		json_array_append_new(list, finding_json(f));
	return list;
}

/* --- as text, for reports too large for a tree ------------------------------------ */

static void append_grade(json_t *list, const struct grade *g, bool shown, json_int_t count)
{
	json_t *json = g->members ? json_copy(g->members) : json_object();

	if (shown)
		json_object_set_new(json, "suppressed", json_false());
	json_object_set_new(json, "count", json_integer(sane_count(count)));
	json_array_append_new(list, json);
}

json_t *finding_table_grades(const struct finding_table *table)
{
	json_t *list = json_array();

	for (struct grade *g = table->grades; g; g = g->hh.next)
		g->shown = g->others = 0;
	for (const struct merged_finding *f = table->found; f; f = f->hh.next) {
		json_int_t *sum = f->shown ? &f->grade->shown : &f->grade->others;

		*sum = sane_count(*sum + f->count);
	}
	for (const struct grade *g = table->grades; g; g = g->hh.next) {
		if (g->shown)
			append_grade(list, g, true, g->shown);
		if (g->others)
			append_grade(list, g, false, g->others);
	}
	return list;
}

/* Frames without lines are looked up in files: that needs a tree. */
static void write_tree(const struct merged_finding *f, FILE *to)
{
	json_t *json = finding_json(f);

	missing_lines_resolve(json);
	json_dumpf(json, to, JSON_COMPACT);
	json_decref(json);
}

static void write_finding(const struct merged_finding *f, FILE *to)
{
	/* What was suppressed in the first report only says so in the middle of its text. */
	if (f->shown != f->text_shown || memmem(f->text, f->size, "\"build_id\"", 10)) {
		write_tree(f, to);
		return;
	}
	fwrite_unlocked(f->text, 1, f->size - 1, to);
	fprintf(to, "%s\"count\":%lld,\"processes\":%lld,\"sites\":", f->size > 2 ? "," : "",
		(long long)f->count, (long long)f->processes);
	sites_write(f->sites, to);
	for (size_t i = 0; i < f->n_ranks; i++)
		fprintf(to, i ? ",%d" : ",\"ranks\":[%d", f->ranks[i]);
	fputs(f->n_ranks ? "]}" : "}", to);
}

void finding_table_write(const struct finding_table *table, FILE *to)
{
	fputc('[', to);
	for (const struct merged_finding *f = table->found; f; f = f->hh.next) {
		fputs(f == table->found ? "\n" : ",\n", to);
		write_finding(f, to);
	}
	fputc(']', to);
}
