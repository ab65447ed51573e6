/* SPDX-License-Identifier: Apache-2.0 */
/* The rule list of ACLCHECK_RULES: "+perf,-event-churn,copy-*=advice". */
#ifndef INTERPOSE_RULE_SWITCHES_H
#define INTERPOSE_RULE_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checks/engine/rule_table.h"

extern const char *const acl_severity_names[]; /* by enum acl_severity, in lists and reports */

/*
 * Applies a rule list to an array by acl_rule.index (see checks_config.rule_default).
 * NULL, or the first word that names no rule, its length in *len.
 */
const char *settings_rules(const char *list, uint8_t *dflt, size_t *len);

#endif
