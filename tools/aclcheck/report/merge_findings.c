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
		json_decref(f->json);
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

static json_t *finding_json(const struct merged_finding *f)
{
	json_t *json = json_copy(f->json);

	json_object_del(json, "record");
	json_object_set_new(json, "count", json_integer(f->count));
	json_object_set_new(json, "processes", json_integer(f->processes));
	json_object_set_new(json, "sites", sites_list(f->sites));
	if (f->n_ranks) {
		json_t *ranks = json_array();

		for (size_t i = 0; i < f->n_ranks; i++)
			json_array_append_new(ranks, json_integer(f->ranks[i]));
		json_object_set_new(json, "ranks", ranks);
	}
	return json;
}

json_t *finding_table_list(const struct merged_finding *table)
{
	json_t *list = json_array();

	for (const struct merged_finding *f = table; f; f = f->hh.next)
		json_array_append_new(list, finding_json(f));
	return list;
}
