/* SPDX-License-Identifier: Apache-2.0 */
/* How often each rule was evaluated, for report and journal. */
#ifndef INTERPOSE_RULE_COVERAGE_JSON_H
#define INTERPOSE_RULE_COVERAGE_JSON_H

#include "checks/checks.h"
#include "interpose/common/json_writer.h"

/* "rules": {"asked": {id: times}, "off": [id]}; nothing without a checker. */
void rule_coverage_json(struct jout *j, const struct checks *c);

#endif
