/* SPDX-License-Identifier: Apache-2.0 */
/* How often each rule was evaluated, for report and journal. */
#include "interpose/report/rule_coverage_json.h"

void rule_coverage_json(struct jout *j, const struct checks *c)
{
	uint64_t counts[acl_rule_count];

	if (!c)
		return;
	checks_rule_counts(c, counts);
	jout_object(j, "rules");
	jout_object(j, "asked");
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (counts[i] && counts[i] != CHECKS_RULE_OFF)
			jout_uint(j, acl_rules[i].id, counts[i]);
	jout_object_end(j);
	jout_array(j, "off");
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (counts[i] == CHECKS_RULE_OFF)
			jout_string(j, NULL, acl_rules[i].id);
	jout_array_end(j);
	jout_object_end(j);
}
