/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of settings_table.def as data, and what can be said of a word or value without reading anything.
 */
#ifndef INTERPOSE_SETTINGS_TABLE_H
#define INTERPOSE_SETTINGS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting {
#define SETTING(WORD, word, kind, argument, dflt, text) SETTING_##WORD,
#include "interpose/common/settings_table.def"
#undef SETTING
	SETTING_COUNT
};

enum setting_kind {
	SETTING_TEXT,
	SETTING_FILE,
	SETTING_LIBRARY,
	SETTING_LOG_FILE,
	SETTING_CHOICE,
	SETTING_NUMBER,
	SETTING_PRODUCT,
	SETTING_RULES_LIST,
	SETTING_FAULTS_LIST
};

/* A row of settings_table.def. */
struct setting_info {
	const char *word; /* "target_cann" */
	uint8_t kind; /* enum setting_kind */
	const char *argument; /* choices, range or name of the value */
	const char *dflt;
	const char *text;
};
extern const struct setting_info setting_table[SETTING_COUNT];

/* "ACLCHECK_TARGET_CANN" into out (at least 48 bytes). */
void setting_env_name(enum setting s, char *out);

/* Index of a word, -1 if there is none; setting_near is the most alike one, -1 if none is. */
int setting_find(const char *word, size_t n);
int setting_near(const char *word, size_t n);

/*
 * Is the value good for the setting?  NULL, or what is wrong with it, to be
 * read after "KEY: ".  *number gets the value of NUMBER and the index of CHOICE or PRODUCT.
 */
const char *setting_check(enum setting s, const char *value, int64_t *number);

#endif
