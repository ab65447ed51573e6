/* SPDX-License-Identifier: Apache-2.0 */
/* How often rules were evaluated, over several processes. */
#ifndef TOOLS_ACLCHECK_MERGE_ASKED_H
#define TOOLS_ACLCHECK_MERGE_ASKED_H

#include <jansson.h>

struct merged_asked {
	json_t *asked; /* rule -> times */
	json_t *off; /* rule -> processes that have it switched off */
	json_int_t processes; /* that reported; killed ones do not */
};

/* "rules" of a report, merged ones as well; anything else is passed over. */
void asked_add(struct merged_asked *a, const json_t *rules);
/* A new reference, NULL when no process reported; empties a. */
json_t *asked_result(struct merged_asked *a);

#endif
