/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of a run: environment first, then the configuration file, then
 * the defaults of settings_table.def.  Read once, at the first acl call; a wrong key
 * or value is said in one line, makes the verdict inconclusive and changes
 * nothing else.
 */
#ifndef INTERPOSE_RUN_SETTINGS_H
#define INTERPOSE_RUN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "checks/checks.h"
#include "checks/engine/rule_table.h"
#include "interpose/common/fault_rules.h"
#include "interpose/common/settings_table.h"

/*
 * Keeps what the environment says, before the program can change it: call from
 * the constructor.  Opens nothing and says nothing.
 */
void settings_early(void);

/* What the environment gave for ACLCHECK_<name>, NULL if nothing. Valid after settings_early(). */
const char *settings_given(const char *name);

/* Reads everything, once; thread safe. Problems wait for settings_problem(). */
void settings_load(void);
/* In the child after fork: a thread of the parent may have been at it. */
void settings_forked(void);

/* Values; valid after settings_load(). Text is "" when not set. */
const char *settings_text(enum setting s);
int64_t settings_number(enum setting s); /* CHOICE: index; NUMBER: value, -1 when not set */

/* Of what people read. */
static inline enum acl_lang settings_lang(void)
{
	return settings_number(SETTING_LANG) == 1 ? ACL_LANG_ZH : ACL_LANG_EN;
}

/* Whether a report is written: for the user, or for the run that the process belongs to. */
bool settings_report_wanted(void);

/* Mode of the files that the run makes, before the umask. */
mode_t settings_file_mode(void);

/* The i-th line said about bad settings, NULL after the last. */
const char *settings_problem(unsigned i);

/* Adds such a line; also for the readers of files that settings name. Text from outside is made safe here. */
void settings_complain(const char *line);

/* Turns a path the user gave into an absolute one: relative to where the process started. */
void settings_path(const char *path, char *out, size_t cap);

/* The faults to inject; none where a setting is wrong. */
const struct fault_rules *settings_faults(void);

/* Full call stacks of all calls are wanted. */
bool settings_stacks_all(void);

/* What the checker asks for, rule_default included (valid for the process' life). */
void settings_checks(struct checks_config *out);

#endif
