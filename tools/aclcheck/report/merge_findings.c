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

void finding_table_free(struct merged_finding **table)
{
	struct merged_finding *f, *next;

	HASH_ITER(hh, *table, f, next)
	{
		HASH_DEL(*table, f);
		free(f->text);
		sites_free(f->sites);
		free(f->ranks);
		free(f);
	}
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

struct merged_finding *finding_of(
	struct merged_finding **table, struct span fingerprint, bool expected, bool make)
{
	struct merged_finding *f;
	char key[FINDING_KEY_MAX];
	unsigned n = (unsigned)(fingerprint.end - fingerprint.at);

	*key = expected ? 'e' : ' ';
	memcpy(key + 1, fingerprint.at, n++);
	HASH_FIND(hh, *table, key, n, f);
	if (f || !make)
		return f;
	f = need(calloc(1, sizeof(*f)));
	memcpy(f->key, key, n);
	HASH_ADD_KEYPTR(hh, *table, f->key, n, f);
	return f;
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
	json_object_del(json, "record");
	json_object_del(json, "ranks");
	if (f->shown)
		json_object_set_new(json, "suppressed", json_false());
	json_object_set_new(json, "count", json_integer(f->count));
	json_object_set_new(json, "processes", json_integer(f->processes));
	json_object_set_new(json, "sites", sites_list(f->sites));
	if (f->n_ranks)
		json_object_set_new(json, "ranks", ranks_json(f));
	return json;
}

json_t *finding_table_list(const struct merged_finding *table)
{
	json_t *list = json_array();

	for (const struct merged_finding *f = table; f; f = f->hh.next)
		json_array_append_new(list, finding_json(f));
	return list;
}

/* --- as text, for reports too large for a tree ------------------------------------ */

static bool grade_member(void *context, struct span key, struct span value)
{
	static const char *const words[] = {"severity", "advice", "secondary", "suppressed", "expected"};
	json_t *json;

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!span_is(key, words[i]))
			continue;
		json = json_loadb(value.at, (size_t)(value.end - value.at), JSON_DECODE_ANY, NULL);
		json_object_set_new(context, words[i], json ? json : json_null());
	}
	return true;
}

json_t *finding_table_grades(const struct merged_finding *table)
{
	json_t *list = json_array();

	for (const struct merged_finding *f = table; f; f = f->hh.next) {
		const struct span text = {f->text, f->text + f->size};
		json_t *json = json_object();

		scan_object(text, grade_member, json);
		if (f->shown)
			json_object_set_new(json, "suppressed", json_false());
		json_object_set_new(json, "count", json_integer(f->count));
		json_array_append_new(list, json);
	}
	return list;
}

struct writing {
	const struct merged_finding *finding;
	FILE *to;
	bool any, suppressed; /* a member was written; that one was */
};

/* Members as they are, but for those that merging makes. */
static bool write_member(void *context, struct span key, struct span value)
{
	static const char *const made[] = {"record", "count", "processes", "sites", "ranks"};
	struct writing *w = context;

	for (unsigned i = 0; i < sizeof(made) / sizeof(*made); i++)
		if (span_is(key, made[i]))
			return true;
	member_write_key(w->to, &w->any, key);
	w->suppressed |= span_is(key, "suppressed");
	if (w->finding->shown && span_is(key, "suppressed"))
		fputs("false", w->to);
	else
		fwrite_unlocked(value.at, 1, (size_t)(value.end - value.at), w->to);
	return true;
}

/* Frames without lines are looked up in files: that needs a tree. */
static void write_resolved(const struct merged_finding *f, FILE *to)
{
	json_t *json = finding_json(f);

	missing_lines_resolve(json);
	json_dumpf(json, to, JSON_COMPACT);
	json_decref(json);
}

static void write_finding(const struct merged_finding *f, FILE *to)
{
	const struct span text = {f->text, f->text + f->size};
	struct writing w = {f, to, false, false};

	if (memmem(f->text, f->size, "\"build_id\"", 10)) {
		write_resolved(f, to);
		return;
	}
	putc_unlocked('{', to);
	scan_object(text, write_member, &w);
	if (f->shown && !w.suppressed)
		fputs(",\"suppressed\":false", to);
	fprintf(to, ",\"count\":%lld,\"processes\":%lld,\"sites\":", (long long)f->count,
		(long long)f->processes);
	sites_write(f->sites, to);
	for (size_t i = 0; i < f->n_ranks; i++)
		fprintf(to, i ? ",%d" : ",\"ranks\":[%d", f->ranks[i]);
	fputs(f->n_ranks ? "]}" : "}", to);
}

void finding_table_write(const struct merged_finding *table, FILE *to)
{
	fputc('[', to);
	for (const struct merged_finding *f = table; f; f = f->hh.next) {
		fputs(f == table ? "\n" : ",\n", to);
		write_finding(f, to);
	}
	fputc(']', to);
}
