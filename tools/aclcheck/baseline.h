/* SPDX-License-Identifier: Apache-2.0 */
/* Noise control on reports: suppressions and baselines. */
#ifndef TOOLS_ACLCHECK_BASELINE_H
#define TOOLS_ACLCHECK_BASELINE_H

#include <jansson.h>
#include <stdbool.h>

/* Reads suppressions; false after errors were said. */
bool suppressions_read(const char *path);
/* Marks findings, and says which suppressions are unused or expired. */
void suppressions_apply(json_t *report);

/* An older report, a new reference; NULL after an error was said. */
json_t *baseline_read(const char *path);
/* Marks each finding as known by it or not. */
void baseline_apply(json_t *report, const json_t *old);

#endif
