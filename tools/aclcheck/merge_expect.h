/* SPDX-License-Identifier: Apache-2.0 */
/* What processes expected, added up: an entry of a file is met when any process met it. */
#ifndef TOOLS_ACLCHECK_MERGE_EXPECT_H
#define TOOLS_ACLCHECK_MERGE_EXPECT_H

#include <jansson.h>

/* Adds a report's member "expectations", which may be absent or damaged, to sums (NULL at first). */
void expectations_add(json_t **sums, const json_t *list);
/* The same one among the sums, NULL if there is none. */
json_t *expectations_find(json_t *sums, const json_t *one);
/* The sums as a list, a new reference; NULL when nothing was expected. */
json_t *expectations_list(json_t *sums);

#endif
