/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of a run: environment first, then the configuration file, then
 * the defaults of settings.def.  Read once, at the first acl call; a wrong key
 * or value is said in one line, makes the verdict inconclusive and changes
 * nothing else.
 */
#ifndef INTERPOSE_SETTINGS_H
#define INTERPOSE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checks/checks.h"

enum setting {
#define SETTING(WORD, word, kind, argument, dflt, text) SETTING_##WORD,
#include "interpose/settings.def"
#undef SETTING
	SETTING_COUNT
};

enum setting_kind { SETTING_TEXT, SETTING_CHOICE, SETTING_NUMBER, SETTING_RULES_LIST };

/* A row of settings.def. */
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
 * read after "KEY: ".  *number gets the value of NUMBER and the index of CHOICE.
 */
const char *setting_check(enum setting s, const char *value, int64_t *number);

/*
 * Keeps what the environment says, before the program can change it: call from
 * the constructor.  Opens nothing and says nothing.
 */
void settings_early(void);

/* What the environment gave for ACLCHECK_<name>, NULL if nothing. Valid after settings_early(). */
const char *settings_given(const char *name);

/* Reads everything, once; thread safe. Problems wait for settings_problem(). */
void settings_load(void);

/* Values; valid after settings_load(). Text is "" when not set. */
const char *settings_text(enum setting s);
int64_t settings_number(enum setting s); /* CHOICE: index; NUMBER: value, -1 when not set */

/* The i-th line said about bad settings, NULL after the last. */
const char *settings_problem(unsigned i);

/* Adds such a line; also for the readers of files that settings name. Text from outside is made safe here. */
void settings_complain(const char *line);

/* Turns a path the user gave into an absolute one: relative to where the process started. */
void settings_path(const char *path, char *out, size_t cap);

extern const char *const acl_severity_names[]; /* by enum acl_severity, in lists and reports */

/* What the checker asks for, rule_default included (valid for the process' life). */
void settings_checks(struct checks_config *out);

/*
 * Applies a rule list to an array by acl_rule.index (see checks_config.rule_default).
 * NULL, or the first word that names no rule, its length in *len.
 */
const char *settings_rules(const char *list, uint8_t *dflt, size_t *len);

#endif
