/* SPDX-License-Identifier: Apache-2.0 */
/* What the sections of the HTML page share. */
#ifndef TOOLS_ACLCHECK_FORMAT_HTML_H
#define TOOLS_ACLCHECK_FORMAT_HTML_H

#include "tools/aclcheck/formats/formats.h"

/* Everything up to <body>. */
extern const char html_head[];

/* s escaped, between two pieces of markup; _if: nothing when s is empty. */
void html_put(FILE *to, const char *before, const char *s, const char *after);
void html_put_if(FILE *to, const char *before, const char *s, const char *after);
/* A word that is only trusted as class name when it is one of ours. */
const char *html_class(const char *word);
/* A string as it is, anything else as JSON writes it. */
void html_value(FILE *to, const json_t *value);

/* One finding, opened when it fails; number is its place in the report. */
void html_finding(FILE *to, const json_t *report, const json_t *finding, size_t number);
/* Rule coverage. */
void print_html_rules(FILE *to, const json_t *report);
/* What the run of the tool cost. */
void html_cost(FILE *to, const json_t *report);

#endif
