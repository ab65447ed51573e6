/* SPDX-License-Identifier: Apache-2.0 */
/* How often each rule was put to the test, for report and journal. */
#ifndef INTERPOSE_ASKED_JSON_H
#define INTERPOSE_ASKED_JSON_H

#include "checks/checks.h"
#include "interpose/json_out.h"

/* "rules": {"asked": {id: times}, "off": [id]}; nothing without a checker. */
void asked_json(struct jout *j, const struct checks *c);

#endif
