/* SPDX-License-Identifier: Apache-2.0 */
/* Rule coverage of the program's own runs: which rules its calls evaluated. */
#ifndef TOOLS_ACLCHECK_ASKED_H
#define TOOLS_ACLCHECK_ASKED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "checks/engine/rule_table.h"

enum asked_state { ASKED_OFF, ASKED_NEVER, ASKED_SILENT, ASKED_BROKEN };

struct asked_totals {
	unsigned on, asked, broken;
};

/* Whether the report says it at all: those of killed processes do not. */
bool asked_told(const json_t *report);
/* times: how often the rule was evaluated. Rules that are not implemented are OFF. */
enum asked_state asked_state(const json_t *report, const struct acl_rule *rule, json_int_t *times);
/* Over one family, NULL = all rules. */
struct asked_totals asked_count(const json_t *report, const char *family);
/* Names of the families sorted, ended by NULL. */
const char *const *asked_families(void);

/* The format "rules": a line a rule, by family. */
void print_rules(FILE *to, const json_t *report);
/* Section of the HTML page. */
void print_html_rules(FILE *to, const json_t *report);

#endif
