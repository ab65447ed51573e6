/* SPDX-License-Identifier: Apache-2.0 */
/* The printers of reports, and what they share. Strings of the program are escaped by each for its own format. */
#ifndef TOOLS_ACLCHECK_FORMATS_H
#define TOOLS_ACLCHECK_FORMATS_H

#include "tools/aclcheck/report.h"

void print_text(FILE *to, const json_t *report);
void print_json(FILE *to, const json_t *report);

/* The frame a reader should look at first: the nearest one with a file, else the nearest; NULL without stack. */
const json_t *finding_frame(const json_t *finding);
/* "3 processes on ranks 0-2, 5", "" for a single process. Static buffer. */
const char *finding_ranks(const json_t *finding);
/* Safe for a terminal or a log line: see text_safe(). */
void put_safe(FILE *to, const char *s);

#endif
