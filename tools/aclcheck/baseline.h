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

/* Marks each finding as known or not by an older report. False after an error was said. */
bool baseline_apply(json_t *report, const char *old);

#endif
