/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file: one JSON object, keys as in settings_table.def. */
#ifndef INTERPOSE_CONFIG_FILE_H
#define INTERPOSE_CONFIG_FILE_H

#include <stddef.h>

/* Called for each key with its value as text. */
typedef void (*config_give_fn)(const char *where, const char *word, const char *value);

/* Reads the file; what is wrong with it goes to problem, a line each. */
void config_read(const char *path, config_give_fn give, void (*problem)(const char *line));

#endif
