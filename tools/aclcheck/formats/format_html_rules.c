/* SPDX-License-Identifier: Apache-2.0 */
/* The section of the HTML page that lists which rules the program's calls evaluated. */
#include <string.h>

#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/formats/format_html.h"

static void put_rules_of(FILE *to, const json_t *report, const char *family)
{
	static const char *const class[] = {"d", "d", "pass", "error"};
	json_int_t times;

	for (unsigned i = 0; i < acl_rule_count; i++) {
		enum coverage_state state;

		if (strcmp(acl_rules[i].family, family))
			continue;
		state = coverage_state(report, &acl_rules[i], &times);
		if (state == COVERAGE_OFF)
			continue;
		fprintf(to, "<tr><td class=\"m %s\">%s</td><td>", class[state], acl_rules[i].id);
		put_xml(to, acl_rules[i].title[ACL_LANG_EN]);
		if (state == COVERAGE_NEVER)
			fputs("</td><td class=\"n d\">never</td></tr>\n", to);
		else
			fprintf(to, "</td><td class=\"n\">%lld</td></tr>\n", (long long)times);
	}
}

static void put_family(FILE *to, const json_t *report, const char *family)
{
	struct coverage_totals n = coverage_count(report, family);

	if (!n.on)
		return;
	fprintf(to,
		"<details class=\"f\"><summary><span class=\"w\">%s</span><span class=\"n\">%u of %u</span>"
		"<meter max=\"%u\" value=\"%u\"></meter>",
		family, n.evaluated, n.on, n.on, n.evaluated);
	if (n.broken)
		fprintf(to, "<span class=\"error\">%u broken</span>", n.broken);
	fputs("</summary><table><tbody>\n", to);
	put_rules_of(to, report, family);
	fputs("</tbody></table></details>\n", to);
}

void print_html_rules(FILE *to, const json_t *report)
{
	struct coverage_totals n = coverage_count(report, NULL);
	unsigned states[3] = {0};

	for (unsigned i = 0; i < acl_rule_count; i++)
		states[acl_rules[i].state]++;
	fputs("<h2>Rules evaluated</h2>\n", to);
	if (coverage_reported(report)) {
		fprintf(to,
			"<p>%u of the %u rules that are on; a rule that was never evaluated says nothing "
			"about "
			"this program.</p>\n",
			n.evaluated, n.on);
		for (const char *const *family = rule_families(); *family; family++)
			put_family(to, report, *family);
	} else {
		fputs("<p>Not known: no process came to its end.</p>\n", to);
	}
	fprintf(to,
		"<p class=\"d\">%u rules are checked, %u more are known and not checked yet, %u cannot be "
		"checked from outside the runtime.</p>\n",
		states[ACL_RULE_IMPLEMENTED], states[ACL_RULE_PLANNED], states[ACL_RULE_UNCHECKABLE]);
}
