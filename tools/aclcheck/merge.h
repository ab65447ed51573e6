/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One report out of many: reports and journals go in one after the other,
 * memory grows with distinct findings and the number of processes only.
 */
#ifndef TOOLS_ACLCHECK_MERGE_H
#define TOOLS_ACLCHECK_MERGE_H

#include <jansson.h>
#include <stdbool.h>

struct merge;

struct merge *merge_new(void);
void merge_free(struct merge *m);

/* A report, a journal, or a directory of both. False after an error was said; what could be read counts. */
bool merge_add(struct merge *m, const char *path);
/* Processes read so far. */
size_t merge_processes(const struct merge *m);
/* A doubt of the command's own. */
void merge_doubt(struct merge *m, const char *reason, const char *text);

/* The merged report, a new reference. */
json_t *merge_result(struct merge *m);

#endif
