/* SPDX-License-Identifier: Apache-2.0 */
/* Printing the settings table. */
#ifndef TOOLS_ACLCHECK_SETTINGS_PRINT_H
#define TOOLS_ACLCHECK_SETTINGS_PRINT_H

#include <stdbool.h>

#include "interpose/common/settings_table.h"

/* "--target-cann" into out (at least 48 bytes). */
void setting_option_name(enum setting s, char *out);
/* Settings that are not options of "run": made by it, or meant otherwise there. */
bool setting_is_option(enum setting s);
/* The options, as lines for --help. */
void settings_print_options(void);

#endif
