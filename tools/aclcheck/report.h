/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as jansson trees: verdicts, files, and the formats they can be shown in. */
#ifndef TOOLS_ACLCHECK_REPORT_H
#define TOOLS_ACLCHECK_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum fail_on { FAIL_ON_ERROR, FAIL_ON_WARNING, FAIL_ON_NEW };

/* "error", "warning", "new"; false = none of these. */
bool fail_on_parse(const char *word, enum fail_on *out);

/* String member, "" when there is none or it is no string. */
const char *text_of(const json_t *object, const char *key);
json_int_t number_of(const json_t *object, const char *key);
bool flag_of(const json_t *object, const char *key);

/* Does a test that expected something (an element of "expectations") no longer trip? */
bool expectation_unmet(const json_t *expectation);
/* Its pattern: the rule, else the fingerprint. */
const char *expectation_rule(const json_t *expectation);
/* Does a finding make a verdict fail? Marks of suppression and baseline are members of it. */
bool finding_fails(const json_t *finding, enum fail_on fail_on);
/* Sets "verdict" and "totals" from the findings, doubts and expectations. */
void report_judge(json_t *report, enum fail_on fail_on);
/* COMMAND_PASS, COMMAND_FAIL or COMMAND_INCONCLUSIVE. */
int report_exit(const json_t *report);

/* Formats: a table of printers. */
struct report_format {
	const char *name;
	void (*print)(FILE *to, const json_t *report);
};
extern const struct report_format report_formats[]; /* ended by a NULL name */
const struct report_format *report_format_find(const char *name);
/* "text|json|…" */
const char *report_format_names(void);

/* Writes to a file (by rename) or to stdout when path is NULL or "-". False after an error was said. */
bool report_write(const char *path, const struct report_format *format, const json_t *report);

#endif
