/* SPDX-License-Identifier: Apache-2.0 */
/* Looking a rule up by its id. */
#include <string.h>

#include "checks/engine/rule_table.h"

const struct acl_rule *acl_rule_find(const char *id)
{
	unsigned low = 0, high = acl_rule_count;

	while (low < high) {
		unsigned middle = (low + high) / 2;
		int order = strcmp(id, acl_rules[middle].id);

		if (!order)
			return &acl_rules[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
