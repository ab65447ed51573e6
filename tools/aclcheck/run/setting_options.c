/* SPDX-License-Identifier: Apache-2.0 */
/* Settings as options of commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/fault_rules.h"
#include "interpose/common/rule_switches.h"
#include "interpose/common/text.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/run/run.h"

void setting_option_name(enum setting s, char *out)
{
	out += sprintf(out, "--%s", setting_table[s].word);
	while (*--out != '-')
		if (*out == '_')
			*out = '-';
}

bool setting_is_option(enum setting s)
{
	return s != SETTING_JOB && s != SETTING_EXITCODE && s != SETTING_TRACE && s != SETTING_TRACE_FROM &&
	       s != SETTING_TRACE_FIELDS && s != SETTING_TRACE_CALLS && s != SETTING_LAST_CALLS &&
	       s != SETTING_TRACE_PROCESSES && s != SETTING_RUN;
}

void settings_print_options(bool (*wanted)(enum setting))
{
	for (unsigned s = 0; s < SETTING_COUNT; s++) {
		char option[48], text[1024];

		if (!wanted((enum setting)s))
			continue;
		setting_option_name((enum setting)s, option);
		printf("  %s %s\n", option, setting_table[s].argument);
		snprintf(text, sizeof(text), *setting_table[s].dflt ? "%s [%s]" : "%s",
			in_language(setting_table[s].text), setting_table[s].dflt);
		command_wrap(text, 8, 0);
	}
}

unsigned settings_make_options(struct option *options, char names[][48], bool (*wanted)(enum setting))
{
	unsigned n = 0;

	for (unsigned s = 0; s < SETTING_COUNT; s++) {
		if (!wanted((enum setting)s))
			continue;
		setting_option_name((enum setting)s, names[s]);
		options[n++] = (struct option){names[s] + 2, required_argument, NULL, (int)s + 256};
	}
	return n;
}

/* The word of a list that stands for nothing, n letters long. */
static int unknown_rules(const char *word, size_t n)
{
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)n, word);
	return command_misuse(
		"rules: '%s' names no rule, family, severity or tier%s", name, rule_suggestion(name));
}

/* Read by the library; here it is looked at only. */
static int wrong_faults(const char *value)
{
	static struct fault_rules scratch;
	const char *bad, *wrong;
	size_t n;

	wrong = fault_rules_parse(value, &scratch, &bad, &n);
	return wrong ? command_misuse("inject: '%.*s' %s", (int)n, bad, wrong) : 0;
}

/* What follows is a pattern of the library's: there % stands for itself twice only. */
static void put_escaped(struct text *t, const char *s)
{
	for (; *s; s++) {
		text_char(t, *s);
		if (*s == '%')
			text_char(t, *s);
	}
}

static bool is_relative_file(enum setting s, const char *value)
{
	if (!value || !*value || *value == '/')
		return false;
	switch (setting_table[s].kind) {
	case SETTING_FILE:
		return true;
	case SETTING_LIBRARY:
		return strchr(value, '/');
	case SETTING_LOG_FILE:
		return strcmp(value, "stderr") != 0 && strcmp(value, "off") != 0;
	default:
		return false;
	}
}

bool settings_name_files(void)
{
	char here[PATH_MAX], path[2 * PATH_MAX], env[48];
	bool good = true;

	if (!getcwd(here, sizeof(here)))
		return true; /* it has no name: as it is seen from there */
	for (unsigned s = 0; s < SETTING_COUNT; s++) {
		const char *value;
		struct text t;

		setting_env_name((enum setting)s, env);
		value = getenv(env);
		if (!is_relative_file((enum setting)s, value))
			continue;
		text_init(&t, path, sizeof(path));
		if (setting_table[s].kind == SETTING_LOG_FILE)
			put_escaped(&t, here);
		else
			text_str(&t, here);
		text_fmt(&t, "/%s", value);
		good = good && (t.cut || !setenv(env, path, 1));
	}
	return good;
}

int setting_set(enum setting s, const char *value)
{
	static uint8_t scratch[8192];
	char env[48];
	const char *wrong;
	int64_t number;
	size_t n;

	wrong = setting_check(s, value, &number);
	if (wrong)
		return command_misuse(
			"%s: '%s' %s%s", setting_table[s].word, value, wrong, setting_table[s].argument);
	if (setting_table[s].kind == SETTING_RULES_LIST && acl_rule_count <= sizeof(scratch)) {
		wrong = settings_rules(value, scratch, &n);
		if (wrong)
			return unknown_rules(wrong, n);
	}
	if (setting_table[s].kind == SETTING_FAULTS_LIST && wrong_faults(value))
		return COMMAND_MISUSE;
	setting_env_name(s, env);
	return setenv(env, value, 1) ? command_misuse("out of memory") : 0;
}
