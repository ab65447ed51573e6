/* SPDX-License-Identifier: Apache-2.0 */
/* Settings as options of aclcheck run. */
#include <stdio.h>

#include "tools/aclcheck/common/command.h"

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
	       s != SETTING_TRACE_FIELDS && s != SETTING_TRACE_CALLS && s != SETTING_RUN;
}

void settings_print_options(void)
{
	for (unsigned s = 0; s < SETTING_COUNT; s++) {
		char option[48], text[1024];

		if (!setting_is_option((enum setting)s))
			continue;
		setting_option_name((enum setting)s, option);
		printf("  %s %s\n", option, setting_table[s].argument);
		snprintf(text, sizeof(text), *setting_table[s].dflt ? "%s [%s]" : "%s",
			in_language(setting_table[s].text), setting_table[s].dflt);
		command_wrap(text, 8, 0);
	}
}
