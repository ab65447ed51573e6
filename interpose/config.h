/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file: one JSON object, keys as in settings.def. */
#ifndef INTERPOSE_CONFIG_H
#define INTERPOSE_CONFIG_H

#include <stddef.h>

/* Called for each key with its value as text. */
typedef void (*config_give_fn)(const char *where, const char *word, const char *value);

/* Reads the file; what is wrong with it goes to settings_complain(). */
void config_read(const char *path, config_give_fn give);

#endif
