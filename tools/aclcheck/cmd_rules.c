/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck rules: what is checked, and why. */
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclcheck/model.h"
#include "checks/engine/rule_table.h"
#include "interpose/common/rule_switches.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/rules_table.h"

int cmd_rules(int argc, char **argv);

static const char *const tier_names[] = {"mission", "state", "argument", "advice", "tool"};
static const char *const default_names[] = {"on", "advice", "off"};
static const char *const state_names[] = {"implemented", "planned", "uncheckable"};

/* family NULL: of all families. */
static void list(bool all, const char *family)
{
	for (unsigned i = 0; i < acl_rule_count; i++) {
		const struct acl_rule *r = &acl_rules[i];

		if ((!all && r->state != ACL_RULE_IMPLEMENTED) || (family && strcmp(family, r->family) != 0))
			continue;
		printf("%-11s %-6s ", acl_severity_names[r->severity], default_names[r->dflt]);
		if (all)
			printf("%-11s ", state_names[r->state]);
		printf("%-12s %-44s %s\n", r->family, r->id, rule_text_in(r, RULE_TITLE, command_language()));
	}
}

static void part(const char *name, const char *text)
{
	if (!text || !*text)
		return;
	printf("\n%s\n", name);
	while (*text) {
		size_t line = strcspn(text, "\n");

		printf("  %.*s\n", (int)line, text);
		text += line + (text[line] == '\n');
	}
}

#define FUNCTION_MAX 96 /* bytes of a function's name */
#define FUNCTIONS_WIDTH 100 /* columns they are written in */

/* The next name of a list separated by blanks; false at its end. */
static bool next_function(const char **list, char name[FUNCTION_MAX])
{
	size_t length = strcspn(*list, " ");

	if (!**list)
		return false;
	snprintf(name, FUNCTION_MAX, "%.*s", (int)length, *list);
	*list += length + strspn(*list + length, " ");
	return true;
}

/* The release a function appeared in; -1 for "aclrt*" and what the model does not have. */
static int appeared(const char *name)
{
	int api = acl_api_find(name);

	return api < 0 ? -1 : acl_apis[api].since;
}

/* How a line of functions begins; returns the columns it takes, more or less. */
static int begin_release(int since, enum acl_lang lang)
{
	static const char *const oldest[ACL_LANG_COUNT] = {"since CANN %s or before:", "CANN %s 及更早："};
	static const char *const word[ACL_LANG_COUNT] = {"since CANN %s:", "自 CANN %s 起："};
	static const char *const unreleased[ACL_LANG_COUNT] = {"in no release yet:", "尚未发布："};

	printf("  ");
	if (since == ACL_CANN_MAIN)
		printf("%s", unreleased[lang]);
	else if (since >= 0)
		printf(since ? word[lang] : oldest[lang], acl_cann_names[since]);
	else
		return 2;
	return 28;
}

/* One paragraph: the functions that appeared in a release. */
static void functions_of(const struct acl_rule *r, int since, enum acl_lang lang)
{
	const char *list = rule_text(r, RULE_APIS);
	char name[FUNCTION_MAX];
	int column = 0;

	while (next_function(&list, name)) {
		const char *gap = column == 0 && since < 0 ? "" : " ";

		if (appeared(name) != since)
			continue;
		if (!column)
			column = begin_release(since, lang);
		if (column + 1 + (int)strlen(name) > FUNCTIONS_WIDTH) {
			printf("\n   ");
			column = 3;
		}
		column += printf("%s%s", gap, name);
	}
	if (column)
		putchar('\n');
}

static void functions(const struct acl_rule *r, enum acl_lang lang)
{
	static const char *const word[ACL_LANG_COUNT] = {"Functions", "涉及接口"};

	printf("\n%s\n", word[lang]);
	for (int since = -1; since < ACL_CANN_COUNT; since++)
		functions_of(r, since, lang);
}

static void explain(const struct acl_rule *r, enum acl_lang lang)
{
	static const char *const word[][ACL_LANG_COUNT] = {
		{"Why, and what the runtime does", "原因与运行时行为"}, {"How to fix it", "如何修改"},
		{"Wrong", "错误示例"}, {"Right", "正确示例"}, {"Document", "依据"},
		{"Cannot be checked", "无法检查"}};
	char line[256];

	printf("%s: %s\n", r->id, rule_text_in(r, RULE_TITLE, lang));
	snprintf(line, sizeof(line), "%s, family %s, tier %s, default %s, %s",
		acl_severity_names[r->severity], r->family, tier_names[r->tier], default_names[r->dflt],
		state_names[r->state]);
	printf("  %s\n", in_language(line));
	if (r->relaxed_since >= 0) {
		snprintf(line, sizeof(line), "since CANN %s: %s", acl_cann_names[r->relaxed_since],
			r->relaxed_to == ACL_RELAXED_OFF ? "no longer a rule"
							 : acl_severity_names[r->relaxed_to & 3]);
		printf("  %s\n", in_language(line));
	}
	part(word[0][lang], rule_text_in(r, RULE_WHY, lang));
	part(word[1][lang], rule_text_in(r, RULE_HINT, lang));
	part(word[2][lang], rule_text(r, RULE_BAD));
	part(word[3][lang], rule_text(r, RULE_GOOD));
	part(word[4][lang], rule_text(r, RULE_SOURCE));
	if (*rule_url(r))
		printf("  %s\n", rule_url(r));
	functions(r, lang);
	part(word[5][lang], rule_text(r, RULE_REASON));
}

static bool is_family(const char *word)
{
	for (unsigned i = 0; i < acl_rule_count; i++)
		if (!strcmp(acl_rules[i].family, word))
			return true;
	return false;
}

/* Ids, patterns of ids, and families, which are listed. */
static int explain_all(int n, char **words, bool all, enum acl_lang lang)
{
	int code = 0;

	for (int i = 0; i < n; i++) {
		bool any = is_family(words[i]);

		if (any)
			list(all, words[i]);
		for (unsigned r = 0; r < acl_rule_count; r++) {
			if (fnmatch(words[i], acl_rules[r].id, 0))
				continue;
			if (any || i)
				putchar('\n');
			explain(&acl_rules[r], lang);
			any = true;
		}
		if (!any)
			code = command_misuse("unknown rule or family '%s'%s; 'aclcheck rules' lists them",
				words[i], rule_suggestion(words[i]));
	}
	return code;
}

int cmd_rules(int argc, char **argv)
{
	static const struct option options[] = {{"all", no_argument, NULL, 'a'},
		{"coverage", no_argument, NULL, 'c'}, {"markdown", no_argument, NULL, 'm'},
		{"lang", required_argument, NULL, 'l'}, {"help", no_argument, NULL, 'h'}, {0}};
	enum acl_lang lang = command_language();
	bool all = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'a':
			all = true;
			break;
		case 'c':
			rules_coverage();
			return 0;
		case 'm':
			rules_markdown();
			return 0;
		case 'l':
			if (strcmp(optarg, "en") && strcmp(optarg, "zh"))
				return command_misuse(
					"--lang: invalid value '%s' (expected en or zh)", optarg);
			setenv("ACLCHECK_LANG", optarg, 1);
			lang = command_language();
			break;
		case 'h':
			return command_help("rules",
				"--all\talso rules that cannot be checked\n"
				"--coverage\thow many of the known rules are checked\n"
				"--markdown\tall of them as the document checks/RULES.md\n"
				"--lang L\ten or zh\n"
				"ID\texplains the rule; may hold * and ?\n"
				"FAMILY\tlists the rules of the family\n");
		default:
			return command_bad_option(argv, optind, options);
		}
	}
	if (optind < argc)
		return explain_all(argc - optind, argv + optind, all, lang);
	list(all, NULL);
	return 0;
}
