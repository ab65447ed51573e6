/* SPDX-License-Identifier: Apache-2.0 */
/* Handles in the place of others. */
#ifndef RULES_HANDLE_KIND_H
#define RULES_HANDLE_KIND_H

#include "checks/engine/check_module.h"

/* Whether the value, of which no object of the wanted kind is known, is a live handle of another kind, and
 * the finding.  name: the parameter. */
bool handle_of_another_kind(
	struct checks *c, struct acl_call_record *call, unsigned kind, const char *name, const void *value);

#endif
