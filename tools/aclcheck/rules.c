/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck rules: what is checked, and why. */
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclcheck/model.h"
#include "checks/rule.h"
#include "interpose/settings.h"
#include "tools/aclcheck/command.h"
#include "tools/aclcheck/rules_table.h"

int cmd_rules(int argc, char **argv);

static const char *const tier_names[] = {"mission", "state", "argument", "advice", "tool"};
static const char *const default_names[] = {"on", "advice", "off"};
static const char *const state_names[] = {"implemented", "planned", "uncheckable"};

static void list(void)
{
	for (unsigned i = 0; i < acl_rule_count; i++) {
		const struct acl_rule *r = &acl_rules[i];

		if (r->state == ACL_RULE_IMPLEMENTED)
			printf("%-11s %-6s %-12s %-44s %s\n", acl_severity_names[r->severity],
				default_names[r->dflt], r->family, r->id, r->title[ACL_LANG_EN]);
	}
}

static void part(const char *name, const char *text)
{
	if (text && *text)
		printf("\n%s\n  %s\n", name, text);
}

static const char *in(const char *const text[ACL_LANG_COUNT], enum acl_lang lang)
{
	return text[lang] && *text[lang] ? text[lang] : text[ACL_LANG_EN];
}

static void explain(const struct acl_rule *r, enum acl_lang lang)
{
	static const char *const word[][ACL_LANG_COUNT] = {{"Why", "原因"}, {"How to mend it", "如何修改"},
		{"Wrong", "错误示例"}, {"Right", "正确示例"}, {"Document", "依据"},
		{"Cannot be checked", "无法检查"}};

	printf("%s: %s\n", r->id, in(r->title, lang));
	printf("  %s, family %s, tier %s, default %s, %s\n", acl_severity_names[r->severity], r->family,
		tier_names[r->tier], default_names[r->dflt], state_names[r->state]);
	if (r->relaxed_since >= 0)
		printf("  since CANN %s: %s\n", acl_cann_names[r->relaxed_since],
			r->relaxed_to == ACL_RELAXED_OFF ? "no longer a rule"
							 : acl_severity_names[r->relaxed_to & 3]);
	part(word[0][lang], in(r->why, lang));
	part(word[1][lang], in(r->hint, lang));
	part(word[2][lang], r->bad);
	part(word[3][lang], r->good);
	part(word[4][lang], r->source);
	part(word[5][lang], r->reason);
}

static int explain_all(int n, char **ids, enum acl_lang lang)
{
	int code = 0;

	for (int i = 0; i < n; i++) {
		bool any = false;

		for (unsigned r = 0; r < acl_rule_count; r++) {
			if (fnmatch(ids[i], acl_rules[r].id, 0))
				continue;
			if (any || i)
				putchar('\n');
			explain(&acl_rules[r], lang);
			any = true;
		}
		if (!any)
			code = command_misuse("'%s' is no rule; 'aclcheck rules' lists them", ids[i]);
	}
	return code;
}

int cmd_rules(int argc, char **argv)
{
	static const struct option options[] = {{"coverage", no_argument, NULL, 'c'},
		{"markdown", no_argument, NULL, 'm'}, {"lang", required_argument, NULL, 'l'},
		{"help", no_argument, NULL, 'h'}, {0}};
	const char *wanted = getenv("ACLCHECK_LANG");
	enum acl_lang lang = wanted && !strncmp(wanted, "zh", 2) ? ACL_LANG_ZH : ACL_LANG_EN;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			rules_coverage();
			return 0;
		case 'm':
			rules_markdown();
			return 0;
		case 'l':
			if (strcmp(optarg, "en") && strcmp(optarg, "zh"))
				return command_misuse("rules: --lang is en or zh");
			lang = *optarg == 'z' ? ACL_LANG_ZH : ACL_LANG_EN;
			break;
		case 'h':
			return command_help("rules",
				"  --coverage   how many of the known rules are checked\n"
				"  --markdown   all of them as the document checks/RULES.md\n"
				"  --lang L     en or zh\n  ID           may hold * and ?\n");
		default:
			return COMMAND_MISUSE;
		}
	}
	if (optind < argc)
		return explain_all(argc - optind, argv + optind, lang);
	list();
	return 0;
}
