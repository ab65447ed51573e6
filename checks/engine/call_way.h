/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a call through the modules: which of several it takes is decided with its function's plan. */
#ifndef CHECKS_CALL_WAY_H
#define CHECKS_CALL_WAY_H

#include "checks/engine/instance.h"

/* Fills in how the plan is followed; enter_rules, leave_rules: whether hooks of rules are among them. */
void call_way_choose(struct call_plan *plan, bool enter_rules, const bool leave_rules[2]);

/* The findings of the call's present phase go out. */
void call_findings_settle(struct checks *c, struct acl_call_record *call) __attribute__((cold));

#endif
