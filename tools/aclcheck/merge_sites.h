/* SPDX-License-Identifier: Apache-2.0 */
/* Where a finding was met: one fingerprint may stand for several lines of a function, or of several programs.
 */
#ifndef TOOLS_ACLCHECK_MERGE_SITES_H
#define TOOLS_ACLCHECK_MERGE_SITES_H

#include <jansson.h>
#include <stdbool.h>

#include "tools/aclcheck/scan.h"

/* One place: the nearest frame with a file, else the nearest. */
struct site;

/* Adds `count` findings whose stack is this JSON text; the site's number, 0 where the stack has no frame. */
json_int_t sites_add(struct site **sites, struct span stack, json_int_t count);
/* More findings at the site of a number. */
void sites_count(struct site *sites, json_int_t number, json_int_t more);
/* The sites of a finding that was merged before; false when it lists none. */
bool sites_take_over(struct site **sites, const json_t *finding);
/* As reports list them, most frequent first; a new reference. */
json_t *sites_list(const struct site *sites);
void sites_free(struct site *sites);

#endif
