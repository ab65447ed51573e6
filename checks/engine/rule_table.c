/* SPDX-License-Identifier: Apache-2.0 */
/* Looking rules up by their ids, and their texts up. */
#include <string.h>

#include "checks/engine/pages.h"
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

const char *rule_text(const struct acl_rule *rule, enum acl_rule_text which)
{
	uint32_t at = acl_rule_text_at[rule->index][which];

	return at ? acl_rule_texts + at : NULL;
}

const char *rule_text_in(const struct acl_rule *rule, enum acl_rule_text which, enum acl_lang lang)
{
	const char *text = rule_text(rule, which + lang);

	return text && *text ? text : rule_text(rule, which);
}

/* The section's ends, by the linker. */
extern struct acl_rule_place first_place __asm__("__start_acl_rule_places")
	__attribute__((weak, visibility("hidden")));
extern struct acl_rule_place behind_places __asm__("__stop_acl_rule_places")
	__attribute__((weak, visibility("hidden")));

void rule_places_fill(void)
{
	pages_at_hand(
		&first_place, (size_t)((char *)&behind_places - (char *)&first_place), MADV_POPULATE_WRITE);
	for (struct acl_rule_place *p = &first_place; p < &behind_places; p++)
		if (!atomic_load_explicit(&p->rule, memory_order_relaxed))
			atomic_store_explicit(&p->rule, acl_rule_find(p->id), memory_order_relaxed);
}
