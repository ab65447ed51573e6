/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct findings of many processes: by fingerprint, in the order in which they came. */
#ifndef TOOLS_ACLCHECK_MERGE_FOUND_H
#define TOOLS_ACLCHECK_MERGE_FOUND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "tools/aclcheck/scan.h"

#define FOUND_KEY_MAX 128

struct found {
	struct found *chain, *next;
	char key[FOUND_KEY_MAX]; /* fingerprint; several journals' serials never mix */
	bool expected; /* kept apart from the same one where it was not expected */
	json_t *json;
	json_int_t count, processes;
	uint64_t last_process;
	struct site *sites;
	int *ranks; /* ascending, each once */
	size_t n_ranks;
};

struct found_table;
struct found_table *found_table_new(void);
void found_table_free(struct found_table *t);

/* The finding of a fingerprint shorter than FOUND_KEY_MAX; make: a new one when there is none, else NULL. */
struct found *found_of(struct found_table *t, struct span key, bool expected, bool make);
/* It was found on a rank as well; -1 = on none. */
void found_rank(struct found *f, int rank);
/* Ranks and processes that an input which is itself a merged report already lists. */
void found_take_over(struct found *f, const json_t *finding);
/* All of them as reports list them, a new reference. */
json_t *found_list(const struct found_table *t);

/* Counts of a damaged or hostile file must not overflow sums. */
json_int_t sane_count(json_int_t n);

#endif
