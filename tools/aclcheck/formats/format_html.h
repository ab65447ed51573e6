/* SPDX-License-Identifier: Apache-2.0 */
/* What the sections of the HTML page share: each makes the values for its part of page/page.html. */
#ifndef TOOLS_ACLCHECK_FORMAT_HTML_H
#define TOOLS_ACLCHECK_FORMAT_HTML_H

#include "tools/aclcheck/formats/formats.h"

/* "1 finding", "3 findings"; a new reference. */
json_t *html_count(json_int_t n, const char *one, const char *many);
/* A class of the style: the word when it is one that has a colour, else "d". */
const char *html_class(const char *word);
/* The words of a command with blanks between; a new reference. */
json_t *html_command(const json_t *argv);
/* [{name, value, comma}] of an object's members; a new reference. */
json_t *html_members(const json_t *object);

/* "rules", "files", "any", "groups" (of the filter): the findings by rule and by call site. */
void html_findings(json_t *page, const json_t *report);
/* What else a report says. */
void html_processes(json_t *page, const json_t *report);
void html_coverage(json_t *page, const json_t *report);
void html_rules(json_t *page, const json_t *report);
void html_cost(json_t *page, const json_t *report);

#endif
