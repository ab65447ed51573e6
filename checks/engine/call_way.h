/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a call through the modules: which of several it takes is decided with its function's plan. */
#ifndef CHECKS_CALL_WAY_H
#define CHECKS_CALL_WAY_H

#include "checks/engine/instance.h"

/* How the plan is followed. */
enter_way_fn call_way_of(const struct call_plan *plan);
/* Without hooks. */
extern const struct hook_list hook_list_empty;
/* How hooks are called; rules: some of them are of rules. */
hooks_way_fn hooks_way_of(const check_hook_fn *hooks, bool rules);

/* The findings of the call's present phase go out. */
void call_findings_settle(struct checks *c, struct acl_call_record *call) __attribute__((cold));

#endif
