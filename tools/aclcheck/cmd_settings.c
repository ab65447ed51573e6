/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck settings: the settings table for people, for README and for the man page. */
#include <stdio.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/run/run.h"

int cmd_settings(int argc, char **argv);

static void print_plain(void)
{
	for (unsigned s = 0; s < SETTING_COUNT; s++) {
		char env[48], option[48];

		setting_env_name((enum setting)s, env);
		setting_option_name((enum setting)s, option);
		printf("%s=%s\n", env, setting_table[s].argument);
		printf("    %s \"%s\"%s%s; %s %s\n    %s\n", in_language("key"), setting_table[s].word,
			setting_is_option((enum setting)s) ? in_language(", option ") : "",
			setting_is_option((enum setting)s) ? option : "", in_language("default"),
			*setting_table[s].dflt ? setting_table[s].dflt : in_language("none"),
			in_language(setting_table[s].text));
	}
}

/* A '|' would end the table cell. */
static void print_cell(const char *s)
{
	for (; *s; s++)
		printf(*s == '|' ? "\\|" : "%c", *s);
}

static void print_markdown(void)
{
	puts("| environment | key | option of `aclcheck run` | values | default | what it does |");
	puts("|---|---|---|---|---|---|");
	for (unsigned s = 0; s < SETTING_COUNT; s++) {
		char env[48], option[48];

		setting_env_name((enum setting)s, env);
		setting_option_name((enum setting)s, option);
		printf("| `%s` | `%s` | ", env, setting_table[s].word);
		printf(setting_is_option((enum setting)s) ? "`%s` | " : " | ", option);
		print_cell(setting_table[s].argument);
		printf(*setting_table[s].dflt ? " | `%s` | " : " | %s", setting_table[s].dflt);
		if (!*setting_table[s].dflt)
			printf("| ");
		print_cell(setting_table[s].text);
		puts(" |");
	}
}

static void print_man(void)
{
	for (unsigned s = 0; s < SETTING_COUNT; s++) {
		char env[48];

		setting_env_name((enum setting)s, env);
		printf(".TP\n.BR %s = \\fI%s\\fR\nConfiguration key\n.BR %s .\n", env,
			setting_table[s].argument, setting_table[s].word);
		for (const char *c = setting_table[s].text; *c; c++)
			printf(*c == '-' ? "\\-" : *c == '\\' ? "\\e" : "%c", *c);
		printf(*setting_table[s].dflt ? ".\nDefault:\n.BR %s .\n" : ".\n", setting_table[s].dflt);
	}
}

int cmd_settings(int argc, char **argv)
{
	if (argc == 1)
		print_plain();
	else if (!strcmp(argv[1], "--markdown"))
		print_markdown();
	else if (!strcmp(argv[1], "--man"))
		print_man();
	else if (!strcmp(argv[1], "--help"))
		return command_help(
			"settings", "--markdown\ta table for README\n--man\tentries for the man page\n");
	else
		return command_misuse("settings: unknown option '%s'", argv[1]);
	return 0;
}
