/* SPDX-License-Identifier: Apache-2.0 */
/* The "reach" and the "cost" of several processes in one. */
#ifndef TOOLS_ACLCHECK_MERGE_REACH_H
#define TOOLS_ACLCHECK_MERGE_REACH_H

#include <jansson.h>

struct merged_reach {
	json_t *calls, *around, *foreign; /* objects by name */
};

void reach_add(struct merged_reach *r, const json_t *reach);
/* A new reference, NULL when no process reported; empties r. */
json_t *reach_result(struct merged_reach *r);

/* Adds up integers, member by member; others stay as they came first. */
void counts_add(json_t *sum, const json_t *counts);

#endif
