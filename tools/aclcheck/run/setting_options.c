/* SPDX-License-Identifier: Apache-2.0 */
/* Settings as options of aclcheck run. */
#include <stdio.h>

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
	return s != SETTING_JOB && s != SETTING_EXITCODE && s != SETTING_TRACE && s != SETTING_RUN;
}

void settings_print_options(void)
{
	for (unsigned s = 0; s < SETTING_COUNT; s++) {
		char option[48];

		if (!setting_is_option((enum setting)s))
			continue;
		setting_option_name((enum setting)s, option);
		printf("  %s %s\n        %s", option, setting_table[s].argument, setting_table[s].text);
		printf(*setting_table[s].dflt ? " [%s]\n" : "\n", setting_table[s].dflt);
	}
}
